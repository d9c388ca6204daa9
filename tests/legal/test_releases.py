"""Public releases, in their schemas: every row becomes a case or is listed."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from decidendi.judgment import BadInputError, MissingExtraError
from decidendi.legal import Problem, load_hub, load_release, rules, task

HOLDINGS = [f"holding that {word} is so" for word in ("red", "blue", "green", "white", "black")]


def _jsonl(path: Path, *rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _parquet(path: Path, schema: pa.Schema, rows) -> Path:
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    return path


def _problems(loaded) -> list[tuple]:
    return [(str(u.problem), u.place.line, u.place.field, u.kept) for u in loaded.unusable]


ECTHR = pa.schema([("text", pa.list_(pa.string())), ("labels", pa.list_(pa.int64()))])
ECTHR_ROWS = [
    {"text": ["1. They read it.", "2. All of it."], "labels": [4, 9]},
    {"text": ["Nothing happened."], "labels": []},
    {"text": ["No labels."], "labels": None},
    {"text": ["Label beyond."], "labels": [10]},
    {"text": None, "labels": [1]},
    {"text": [], "labels": [1]},
]


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "json"])
def test_lexglue_ecthr(tmp_path, kind) -> None:
    path = tmp_path / f"test.{kind}"
    if kind == "parquet":
        _parquet(path, ECTHR, ECTHR_ROWS)
    elif kind == "jsonl":
        _jsonl(path, *ECTHR_ROWS)
    else:
        path.write_text(json.dumps(ECTHR_ROWS))
    loaded = load_release(path)
    first, second = loaded.cases
    assert first.facts == "1. They read it.\n2. All of it."
    assert {name for name, label in first.gold.items() if label == "YES"} == {"8", "P1-1"}
    assert len(first.gold) == 10
    assert set(second.gold.values()) == {"NO"}
    assert _problems(loaded) == [
        ("no-gold", 3, "labels", False),
        ("unknown-authority", 4, "labels.0", False),
        ("field", 5, "text", False),
        ("no-facts", 6, "facts", False),
    ]


def test_lexglue_ecthr_with_names_for_labels(tmp_path) -> None:
    (case,) = load_release(_jsonl(tmp_path / "a.jsonl", {"text": "x", "labels": ["3"]})).cases
    assert (case.gold["3"], case.gold["8"]) == ("YES", "NO")


def test_lexglue_scotus_with_truncation(tmp_path) -> None:
    schema = pa.schema([("text", pa.string()), ("label", pa.int64())])
    rows = [
        {"text": "o" * 7000, "label": 0},
        {"text": "short", "label": 7},
        {"text": "x", "label": -1},
        {"text": "x", "label": 14},
    ]
    loaded = load_release(_parquet(tmp_path / "s.parquet", schema, rows))
    assert [case.gold["criminal-procedure"] for case in loaded.cases] == ["YES", "NO"]
    assert loaded.cases[1].gold["economic-activity"] == "YES"
    assert (loaded.truncated, loaded.cases[0].cut, len(loaded.cases[0].facts)) == (1, 1000, 6000)
    assert [p[0] for p in _problems(loaded)] == ["no-gold", "unknown-authority"]
    named = load_release(_jsonl(tmp_path / "s.jsonl", {"text": "x", "label": "8"}))
    assert named.cases[0].gold["economic-activity"] == "YES", "a name counts from one"


def test_lexglue_casehold(tmp_path) -> None:
    good = {"context": "See Lark (<HOLDING>).", "endings": HOLDINGS, "label": 3}
    rows = [
        good,
        {**good, "label": "1"},
        {**good, "endings": HOLDINGS[:4]},
        {**good, "endings": [*HOLDINGS[:4], HOLDINGS[0]]},
        {**good, "context": "nothing cut out"},
        {**good, "label": 5},
        {**good, "label": "third"},
    ]
    loaded = load_release(_jsonl(tmp_path / "c.jsonl", *rows))
    assert [case.gold["cited"] for case in loaded.cases] == ["3", "1"]
    assert [p[:3] for p in _problems(loaded)] == [
        ("options", 3, "options"),
        ("options", 4, "options"),
        ("field", 5, "facts"),
        ("unknown-label", 6, "gold.cited"),
        ("unknown-label", 7, "label"),
    ]


@pytest.mark.parametrize("named", [True, False])
def test_casehold_csv(tmp_path, named) -> None:
    names = ["example_id", "citing_prompt", *(f"holding_{i}" for i in range(5)), "label"]
    path = tmp_path / "test.csv"
    prompt = 'See Lark, "12" Inv. 3d\n(<HOLDING>).'
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names if named else ["", *range(12)])
        scores = [] if named else [0.1] * 5
        writer.writerow(["7", prompt, *HOLDINGS, *scores, "2"])
        writer.writerow(["8", prompt, *HOLDINGS, *scores, ""])
        writer.writerow(["9", "cells missing"])
    loaded = load_release(path, format="casehold")
    (case,) = loaded.cases
    assert (case.facts, case.gold, case.options) == (prompt, {"cited": "2"}, tuple(HOLDINGS))
    assert [p[0] for p in _problems(loaded)] == ["no-gold", "not-readable"]


def test_csv_that_is_not_utf8_is_listed(tmp_path) -> None:
    path = tmp_path / "c.csv"
    names = ",".join(["citing_prompt", *(f"holding_{i}" for i in range(5)), "label"])
    path.write_bytes(f"{names}\n".encode() + b"caf\xe9 <HOLDING>,a,b,c,d,e,1\n")
    loaded = load_release(path, format="casehold")
    assert not loaded.cases
    assert _problems(loaded) == [("not-readable", 2, "citing_prompt", False)]


def _document(**changes) -> dict:
    annotations = {
        "nda-8": {"choice": "Entailment", "spans": [1]},
        "nda-18": {"choice": "NotMentioned", "spans": []},
        "nda-2": {"choice": "Contradiction", "spans": [2]},
    }
    return {
        "id": 3, "file_name": "a.pdf", "text": "The agreement.", "spans": [[0, 14]],
        "annotation_sets": [{"annotations": annotations}], **changes,
    }  # fmt: skip


def test_contractnli_release(tmp_path) -> None:
    unknown = {
        "annotations": {"nda-8": {"choice": "Entailment"}, "nda-99": {"choice": "Entailment"}}
    }
    odd = {"annotations": {"nda-8": {"choice": "Perhaps"}}}
    documents = [
        _document(),
        _document(id=4, annotation_sets=[unknown]),
        _document(id=5, annotation_sets=[odd]),
        _document(id=6, annotation_sets=[]),
        _document(id=3),
    ]
    path = tmp_path / "test.json"
    path.write_text(json.dumps({"documents": documents, "labels": {"nda-8": {"hypothesis": "…"}}}))
    loaded = load_release(path)
    assert loaded.cases[0].gold == {
        "disclosure": "YES", "no_solicitation": "NO", "technical_only": "NO",
    }  # fmt: skip
    assert loaded.cases[0].carried["choices"]["nda-2"] == "Contradiction"
    assert _problems(loaded) == [
        ("unknown-authority", 2, "gold.nda-99", True),
        ("unknown-label", 3, "annotation_sets.0.annotations.nda-8.choice", False),
        ("no-gold", 4, "annotation_sets", False),
        ("duplicate-id", 5, "id", False),
    ]
    assert loaded.reasons == {"unknown-label": 1, "no-gold": 1, "duplicate-id": 1}


def test_what_a_file_is_not_for_is_said_with_the_remedy(tmp_path) -> None:
    pairs = _jsonl(tmp_path / "p.jsonl", {"hypothesis_id": "nda-8", "choice": "Entailment"})
    with pytest.raises(BadInputError, match=r"do not hold the contracts.*documents"):
        load_release(pairs)
    scotus = _jsonl(tmp_path / "s.jsonl", {"text": "An opinion.", "label": 3})
    with pytest.raises(BadInputError, match=r"cases of the task scotus, not of law.*--task scotus"):
        load_release(scotus, task=task("law"))
    with pytest.raises(BadInputError, match=r"no known format.*decidendi schema audit-cases"):
        load_release(_jsonl(tmp_path / "q.jsonl", {"id": "q", "question": "?", "gold": 2}))


def test_legalbench_rows_beside_diversity_are_listed_by_their_task(tmp_path) -> None:
    text = "Ann is from Ohio. Ben is from Iowa. Ann sues Ben for negligence for $90,000."
    path = tmp_path / "test.tsv"
    path.write_text(
        f"index\tanswer\ttext\taic_is_met\tparties_are_diverse\n0\tYes\t{text}\tTrue\tTrue\n"
    )
    (case,) = load_release(path).cases
    assert (case.gold, case.carried["decided"]) == ({"1332-a": "YES"}, "YES")
    row = {"text": "A witness repeats what she heard.", "label": "Yes", "slice": "x",
           "task": "hearsay"}  # fmt: skip
    (bad,) = load_release(_jsonl(tmp_path / "h.jsonl", row)).unusable
    assert (bad.problem, bad.place.field) == (Problem.UNKNOWN_AUTHORITY, "text")
    assert "hearsay" in bad.detail and "only diversity" in bad.detail


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv"])
def test_a_byte_order_mark_costs_no_row(tmp_path, kind) -> None:
    row = {"context": "See Lark (<HOLDING>).", "endings": HOLDINGS, "label": 3}
    path = tmp_path / f"c.{kind}"
    if kind == "csv":
        names = ["citing_prompt", *(f"holding_{i}" for i in range(5)), "label"]
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file).writerows([names, [row["context"], *HOLDINGS, 3]])
    else:
        text = json.dumps(row if kind == "jsonl" else [row])
        path.write_text(text, encoding="utf-8-sig")
    loaded = load_release(path)
    assert (len(loaded.cases), loaded.unusable) == (1, ())


def test_a_first_row_of_ours_that_lacks_gold_is_listed(tmp_path) -> None:
    rows = [{"id": "a", "facts": "x"}, {"id": "b", "facts": "y", "gold": {"8": "YES"}}]
    loaded = load_release(_jsonl(tmp_path / "own.jsonl", *rows), task=task("echr"))
    assert [case.id for case in loaded.cases] == ["b"]
    assert _problems(loaded) == [("no-gold", 1, "gold", False)]


def test_html_is_removed(tmp_path) -> None:
    row = {
        "ID": "5", "facts": "<p>A &amp; B <i>met</i>.</p><p>They sued.</p>",
        "issue_area": "Civil Rights", "scdb_issue_area_code": 2,
    }  # fmt: skip
    (case,) = load_release(_jsonl(tmp_path / "j.jsonl", row)).cases
    assert case.facts == "A & B met.\nThey sued."
    assert case.gold["civil-rights"] == "YES"
    del row["scdb_issue_area_code"]
    (case,) = load_release(_jsonl(tmp_path / "j.jsonl", row)).cases
    assert case.gold["civil-rights"] == "YES"
    bad = [
        {**row, "issue_area": "Astrology"},
        {**row, "issue_area": ""},
        {**row, "issue_area": None},
    ]
    assert [p[0] for p in _problems(load_release(_jsonl(tmp_path / "j.jsonl", *bad)))] == [
        "unknown-authority", "unknown-authority", "no-gold",
    ]  # fmt: skip


def test_files_that_are_no_data_set(tmp_path) -> None:
    for name, content, what in [
        ("a.txt", "x", "are not read"),
        ("a.jsonl", '{"colour": "red"}\n', "no known format has the fields colour"),
        (
            "b.jsonl",
            "not json\n",
            r"no row that could be read \(the first is line 1: not valid JSON",
        ),
        ("c.jsonl", "", "no row that could be read"),
        ("a.json", '{"documents": 3}', "neither a list"),
        ("b.json", "{", "not valid JSON"),
        ("a.parquet", "x", "no Parquet file"),
        ("a.csv", "", "no row that could be read"),
        ("own.jsonl", '{"facts": "x", "gold": {"8": "YES"}}\n', "do not name their task"),
    ]:
        path = tmp_path / name
        path.write_text(content)
        with pytest.raises(BadInputError, match=what):
            load_release(path)
    with pytest.raises(BadInputError, match="no such file"):
        load_release(tmp_path / "nowhere.jsonl")
    with pytest.raises(BadInputError, match="no format 'csv'"):
        load_release(tmp_path / "a.csv", format="csv")


def test_ones_own_file_with_its_task(tmp_path) -> None:
    path = _jsonl(tmp_path / "own.jsonl", {"id": "a", "facts": "x", "gold": {"8": "YES"}})
    assert load_release(path, task=task("echr")).cases[0].id == "a"


def test_the_hub(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError, match="install the extra hub"):
        load_hub("coastalcph/lex_glue", "ecthr_a")
    asked = []

    def load_dataset(name, config, split):
        asked.append((name, config, split))
        if config == "nothing":
            raise ValueError("no such configuration")
        return iter(ECTHR_ROWS)

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    loaded = load_hub("coastalcph/lex_glue", "ecthr_a", "validation")
    assert asked == [("coastalcph/lex_glue", "ecthr_a", "validation")]
    assert len(loaded.cases) == 2 and len(loaded.unusable) == 4
    assert loaded.unusable[0].place.file == "coastalcph/lex_glue/ecthr_a[validation]"
    with pytest.raises(BadInputError, match="no such configuration"):
        load_hub("coastalcph/lex_glue", "nothing")


# --- other people's rows, where they lie beside this checkout -------------------------------------

SHARED = Path(__file__).parents[3] / "shared" / "data"
there = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the study data are not beside this checkout"
)


@there
def test_ecthr_rows() -> None:
    loaded = load_release(SHARED / "ecthr" / "ecthr_article_facts.jsonl")
    assert (len(loaded.cases), loaded.reasons) == (155, {})
    counts = Counter(
        (article, label) for case in loaded.cases for article, label in case.gold.items()
    )
    assert counts["8", "YES"] >= 20 and counts["14", "NO"] >= 20
    left_out = {u.place.field for u in loaded.unusable if u.kept}
    assert left_out <= {f"gold.ecthr:{name}" for name in ("4", "12", "18", "P1-3", "P7-2")}


@there
def test_full_judgments_give_only_their_facts() -> None:
    loaded = load_release(SHARED / "ecthr_2026" / "ecthr_2026_full_judgments.jsonl")
    assert len(loaded.cases) + sum(loaded.reasons.values()) == 25
    assert set(loaded.reasons) <= {"unknown-authority", "no-facts"}
    for case in loaded.cases:
        assert "for these reasons, the court" not in case.facts.casefold()
    assert loaded.cases[0].gold == {"6": "YES", "8": "YES", "10": "YES"}


@there
def test_justice_rows() -> None:
    loaded = load_release(SHARED / "scotus" / "justice_issue_area.jsonl")
    assert (len(loaded.cases), loaded.reasons) == (457, {})
    assert sum(case.gold["criminal-procedure"] == "YES" for case in loaded.cases) == 40
    assert not any("<p>" in case.facts for case in loaded.cases)


@there
def test_casehold_rows() -> None:
    loaded = load_release(SHARED / "casehold" / "casehold.jsonl")
    assert (len(loaded.cases), loaded.reasons) == (800, {})
    assert Counter(case.gold["cited"] for case in loaded.cases)["3"] == 177


@there
def test_contractnli_rows() -> None:
    loaded = load_release(SHARED / "contractnli" / "contractnli_dev_docs.jsonl")
    assert (len(loaded.cases), loaded.unusable) == (61, ())
    assert all(len(case.gold) == 17 for case in loaded.cases)
    positives = sum(label == "YES" for case in loaded.cases for label in case.gold.values())
    assert positives == 519


@there
def test_diversity_rows() -> None:
    loaded = load_release(SHARED / "civpro" / "legalbench_civpro.jsonl")
    assert len(loaded.cases) == 360
    assert loaded.reasons == {"unknown-authority": 120}
    assert all(case.gold["1332-a"] == case.carried["decided"] for case in loaded.cases)
    assert set(rules()) >= {"1332-a"} and all(Problem(r) for r in loaded.reasons)
