"""Preferences and answers beside what people prefer or say: rows of our own, and public sets."""

import json
import sys
from pathlib import Path

import pytest

from decidendi.cli import main
from decidendi.grading import answers_record, position_bias, read_answers, read_pairwise
from decidendi.judgment import BadInputError, Reason, Unmeasured

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
at_hand = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")


def written(tmp_path, *rows):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def run(*words):
    sys.argv = ["decidendi", *words]
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code


def pairwise(number, one, two, human=1):
    return {"id": f"w{number}", "human_label": human, "judges": {"j": {"order_12": one,
            "order_21": two}}}  # fmt: skip


def test_position_bias_by_hand(tmp_path):
    rows = [
        pairwise(0, "1", "1"), pairwise(1, "2", "2"), pairwise(2, "1", "2"),
        pairwise(3, "1", "2", 2), pairwise(4, "2", "1"), pairwise(5, None, "1"),
        {"id": "w6", "human_label": 3, "judges": {}},
    ]  # fmt: skip
    pairs, refused = read_pairwise(written(tmp_path, *rows))
    assert "human_label" in str(refused[0])
    found = position_bias(pairs, "j")
    assert (found.consistent.numerator, found.consistent.n) == (2, 5)
    assert found.consistent.excluded == {"not-converged": 1}
    assert (found.first_shown.numerator, found.first_shown.n) == (2, 3)
    assert found.as_shown.agreed.n == 5
    assert (found.agreeing.agreed.numerator, found.agreeing.agreed.n) == (1, 2)
    with pytest.raises(BadInputError, match="no pair"):
        position_bias(pairs, "k")


def test_llmbar_as_released(tmp_path):
    folder = tmp_path / "Natural"
    rows = [{"input": "q", "output_1": "a", "output_2": "b", "label": label} for label in (1, 2, 3)]

    def result(one, two):
        return {"results": [{"swap = False": {"winner": one}, "swap = True": {"winner": two}}]}

    for name, content in {
        "dataset.json": rows,
        "evaluators/J/Vanilla/result.json": [result("1", "1"), result("1", None), result("2", "2")],
        "evaluators/J/Rating/result.json": [{"results": [{"score": 3}]}] * 3,
        "evaluators/K/Vanilla/result.json": [result("1", "1")],
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content))
    pairs, refused = read_pairwise(tmp_path)
    assert [p.id for p in pairs] == ["Natural-000", "Natural-001"]
    assert pairs[0].judges == {"J/Vanilla": ("1", "1")}
    assert isinstance(pairs[1].judges["J/Vanilla"][1], Unmeasured)
    assert len(refused) == 3
    with pytest.raises(BadInputError, match="no pairs here"):
        read_pairwise(tmp_path / "Natural" / "evaluators")


def answer(gold, said):
    text = "Which apply?\n- Choice of law\n- Arbitration\n- None\nThe options are:"
    return {"input_text": text, "answer": gold, "prediction": said, "task": "t"}


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("\n\n- Arbitration\n- Choice of law", {"Arbitration", "Choice of law"}),
        ("None. Nothing applies, not even arbitration.", {"None"}),
        ("Choice of law, and arbitration.", {"Arbitration", "Choice of law"}),
        ("Arbitration, as it limits the user", {"Arbitration"}),
        (
            "- Arbitration: it says so.\n\n- Choice of law (perhaps)",
            {"Arbitration", "Choice of law"},
        ),
        ("Arbitration and possibly more", Reason.LABEL),
        ("- Arbitration\n- None", Reason.LABEL),
        ("", Reason.NOT_CONVERGED),
    ],
)
def test_answers_in_words(tmp_path, said, read):
    ((found,), refused) = read_answers(written(tmp_path, answer("None", said)))
    assert refused == []
    assert (found.said.reason if isinstance(found.said, Unmeasured) else found.said) == read


def test_answers_beside_gold(tmp_path, capsys):
    rows = [answer("None", "None"), answer("None", "Arbitration"), answer("Arbitration", "?"),
            answer("Arbitration, Choice of law", "Choice of law, arbitration")]  # fmt: skip
    path = written(tmp_path, *rows)
    answers, _ = read_answers(path)
    record = answers_record(answers)
    assert (record.whole.agreed.numerator, record.whole.agreed.n) == (2, 3)
    assert record.whole.confusion.excluded == {"judge: label": 1}
    law = record.options["Arbitration"].classes["yes"]
    assert (law.precision.numerator, law.precision.n, law.recall.n) == (1, 2, 1)
    assert run("agreement", str(path)) == 0
    assert "agrees with gold" in capsys.readouterr().out
    assert run("agreement", str(path), "--task", "u") == 2
    bad = written(tmp_path, *rows, answer("Venue", "None"), {"input_text": "?"})
    assert run("agreement", str(bad)) == 3
    pairs = written(tmp_path, pairwise(0, "1", "2"), pairwise(1, "1", "1"))
    assert run("agreement", str(pairs)) == 0
    said = capsys.readouterr().out
    assert "1/2 = 50.0%" in said and "what was shown first" in said
    assert run("agreement", str(pairs), "--judge", "k") == 2
    assert run("agreement", str(written(tmp_path, {"x": 1}))) == 2


@at_hand
def test_judges_of_pairs_depend_on_the_order():
    pairs, refused = read_pairwise(DATA / "judges" / "pairwise_human.jsonl")
    assert (len(pairs), refused) == (466, [])
    judges = sorted({name for pair in pairs for name in pair.judges})
    assert len(judges) == 8
    found = {name: position_bias(pairs, name) for name in judges}
    total = sum(f.consistent.n for f in found.values())
    left = sum(f.consistent.excluded.get("not-converged", 0) for f in found.values())
    assert (total, left) == (3652, 76)
    assert sum(f.consistent.numerator for f in found.values()) == 2496
    assert sum(f.first_shown.numerator for f in found.values()) == 800
    gpt4 = found["GPT-4/Vanilla_NoRules"]
    assert gpt4.consistent.share > 0.8
    assert found["ChatGPT/Vanilla_NoRules"].first_shown.low > 0.8
    assert found["LLaMA2/Metrics_Reference"].first_shown.high < 0.5
    assert gpt4.agreeing.agreed.share > gpt4.as_shown.agreed.share


@at_hand
def test_answers_of_gpt35_on_contracts():
    answers, refused = read_answers(DATA / "judges" / "lexglue_gold_vs_gpt35.jsonl")
    assert (len(answers), refused) == (1300, [])
    ledgar = [a for a in answers if a.task == "ledgar" and not isinstance(a.said, Unmeasured)]
    assert (sum(a.said == a.gold for a in ledgar), len(ledgar)) == (206, 297)
    unfair = answers_record([a for a in answers if a.task == "unfair_tos"])
    none = unfair.options["None"].classes["yes"]
    assert none.precision.share > 0.99 and none.recall.share < 0.5
