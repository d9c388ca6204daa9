"""The Civ. Pro. loader: rows of our own, in the columns of the owners' loader."""

import csv
import json
import sys

import pytest

from decidendi.cli import main
from decidendi.grading import read_chains, read_civpro
from decidendi.grading._mitigate_questions import questions_of
from decidendi.judgment import BadInputError

HEADER = ["question", "answer", "label", "analysis", "complete analysis", "explanation", "idx"]
FIRST, SECOND = "1. Too late. The time to answer ends", "2. At home. The corporation resides"


def row(question, answer, label, n=0):
    return [
        question,
        answer,
        str(label),
        f"On {answer}",
        f"On {question}",
        'An introduction,\n"so"',
        n,
    ]


ROWS = [
    row(FIRST, "on May 1.", 0), row(FIRST, "on May 21, as the rule says.", 1),
    row(FIRST, "never.", 0), row(SECOND, "in Ohio.", 1),
]  # fmt: skip
REST = [row(SECOND, "in  Utah.", 0)]  # the release divides rows, not questions


def written(path, rows, header=HEADER, **dialect):
    with path.open("w", newline="", encoding="utf-8-sig") as stream:
        writer = csv.writer(stream, **dialect)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def test_answers_are_put_together_over_files(tmp_path):
    files = [written(tmp_path / "train.csv", ROWS), written(tmp_path / "dev.csv", REST)]
    (one, two), refused = read_civpro(files)
    assert refused == []
    assert [(o.label, o.text) for o in one.options] == [
        ("A", "on May 1."), ("B", "on May 21, as the rule says."), ("C", "never."),
    ]  # fmt: skip
    assert (one.gold, two.gold) == ("B", "A")
    assert one.source == 'An introduction,\n"so"'
    assert one.expert == f"On {FIRST}"
    assert (one.unit, one.collection) == (one.id, "civpro")
    assert two.options[1].text == "in Utah."
    alone, refused = read_civpro(files[:1])
    assert [q.id for q in alone] == [one.id]
    assert "only one answer; its other answers may lie in another" in str(refused[0])
    assert "no answer is labelled right" in str(read_civpro(files[1:])[1][0])


def test_rows_that_are_none_are_listed(tmp_path):
    bad = [
        row(FIRST, "on May 1.", 0), row(FIRST, "", 0), row("", "x", 0), row(FIRST, "y", "true"),
        row(SECOND, "in  Utah.", 1), row("3. Both", "a", 1), row("3. Both", "b", 1),
    ]  # fmt: skip
    questions, refused = read_civpro([written(tmp_path / "a.csv", [*ROWS, *REST, *bad])])
    assert [q.question for q in questions] == [FIRST]
    said = " | ".join(str(r) for r in refused)
    for why in (
        "stands twice",
        "no question or no answer",
        "'true' is neither 0 nor 1",
        "right in one row and wrong in another",
        "2 answers are labelled right",
    ):
        assert why in said
    assert f"{tmp_path / 'a.csv'}:" in str(refused[0])


def test_missing_columns_are_named(tmp_path):
    path = written(tmp_path / "test.csv", [], header=["idx", "question", "answer", "explanation"])
    with pytest.raises(BadInputError, match="no column 'label', 'analysis', 'complete analysis'"):
        read_civpro([path])
    tabs = written(tmp_path / "tabs.csv", ROWS, delimiter="\t", quotechar="|")
    with pytest.raises(BadInputError, match="no column 'question'"):
        read_civpro([tabs])
    (tmp_path / "latin.csv").write_bytes(b"question\n\xe9")
    with pytest.raises(BadInputError, match="not UTF-8"):
        read_civpro([tmp_path / "latin.csv"])
    (tmp_path / "open.csv").write_text(",".join(HEADER) + '\n"never closed')
    with pytest.raises(BadInputError, match="not CSV"):
        read_civpro([tmp_path / "open.csv"])


def run(*words):
    sys.argv = ["decidendi", *map(str, words)]
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code


def test_the_command_writes_questions_and_chains(tmp_path, capsys):
    train = written(tmp_path / "train.csv", [*ROWS, *REST])
    out = tmp_path / "questions.jsonl"
    assert run("import-civpro", train, "--out", out) == 0
    said = capsys.readouterr()
    assert "2 questions" in said.out
    assert "Only one file" in said.err  # nothing in the file shows that an answer is missing
    asked = questions_of(data=out)
    assert [q.gold for q in asked.questions] == ["B", "A"]
    name = asked.questions[0].id
    answers = tmp_path / "answers.jsonl"
    rows = [
        {"id": name, "text": "1. Service was on April 30.\n2. 21 days end May 21.\n\nANSWER: B",
         "model": "m"},
        {"id": name, "text": "ANSWER: A", "model": "m"}, {"id": "civpro-x", "text": "ANSWER: A"},
        {"id": name},
    ]  # fmt: skip
    answers.write_text("\n".join(map(json.dumps, rows)))
    chains = tmp_path / "chains.jsonl"
    assert run("import-civpro", train, "--answers", answers, "--out", chains) == 3
    said = capsys.readouterr()
    assert "1 chain" in said.out
    assert "answered twice" in said.err and "no such question" in said.err
    ((chain,), refused) = read_chains(chains)
    assert refused == []
    assert (chain.chosen, chain.gold, chain.length, chain.model) == ("B", "B", 2, "m")
    assert (chain.unit, chain.collection) == (name, "civpro")
    assert run("import-civpro", tmp_path / "none.csv", "--out", out) == 2
