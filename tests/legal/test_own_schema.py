"""Anyone's questions as JSONL: read, or listed with file, line, field and reason; and samples."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decidendi.judgment import BadInputError
from decidendi.legal import (
    LegalCase,
    Problem,
    balanced,
    case_schema,
    confound_free,
    drawn,
    read_cases,
    task,
    task_schema,
)

GOOD = {"id": "a", "facts": "They read his letters.", "gold": {"8": "YES", "3": "NO"}}


def _written(path, *rows) -> None:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("row", "problem", "field"),
    [
        ('{"id": "b", ', Problem.NOT_READABLE, None),
        ("[1]", Problem.NOT_READABLE, None),
        ('{"id": "b", "id": "c", "facts": "x", "gold": {"8": "YES"}}', Problem.NOT_READABLE, None),
        ({"id": "b", "gold": {"8": "YES"}}, Problem.FIELD, "facts"),
        ({**GOOD, "id": 7}, Problem.FIELD, "id"),
        ({**GOOD, "facts": "  "}, Problem.NO_FACTS, "facts"),
        ({**GOOD, "facts": ""}, Problem.NO_FACTS, "facts"),
        ({"id": "b", "facts": "x"}, Problem.NO_GOLD, "gold"),
        ({**GOOD, "gold": {}}, Problem.NO_GOLD, "gold"),
        ({**GOOD, "id": "b", "gold": {"77": "YES"}}, Problem.UNKNOWN_AUTHORITY, "gold.77"),
        ({**GOOD, "id": "b", "gold": {"8": "yes"}}, Problem.UNKNOWN_LABEL, "gold.8"),
        ({**GOOD, "id": "b", "gold": {"8": None}}, Problem.FIELD, "gold.8"),
        ({**GOOD, "id": "b", "options": ["x"]}, Problem.OPTIONS, "options"),
        ({**GOOD, "id": "b", "options": ["x", "x"]}, Problem.OPTIONS, "options"),
        (GOOD, Problem.DUPLICATE_ID, "id"),
    ],
)
def test_bad_rows_are_listed_and_stop_nothing(tmp_path, row, problem, field) -> None:
    path = tmp_path / "cases.jsonl"
    _written(path, GOOD, "", row, {**GOOD, "id": "z"})
    loaded = read_cases(path, task("echr"))
    assert [case.id for case in loaded.cases] == ["a", "z"]
    (bad,) = loaded.unusable
    assert (bad.problem, bad.place.file, bad.place.line) == (problem, str(path), 3)
    assert bad.place.field == field and not bad.kept
    assert loaded.reasons == {str(problem): 1}
    assert str(path) in str(bad)


def test_gold_under_an_unknown_authority_is_listed_and_the_rest_kept(tmp_path) -> None:
    path = tmp_path / "cases.jsonl"
    _written(path, {**GOOD, "gold": {"8": "YES", "P9-9": "NO"}, "note": "carried"})
    loaded = read_cases(path, task("echr"))
    assert loaded.cases[0].gold == {"8": "YES"}
    assert loaded.cases[0].carried == {"note": "carried"}
    assert [(u.place.field, u.kept) for u in loaded.unusable] == [("gold.P9-9", True)]
    assert (loaded.reasons, loaded.gold_left_out) == ({}, {"unknown-authority": 1})


def test_release_names_become_ids_and_text_is_normalised(tmp_path) -> None:
    path = tmp_path / "cases.jsonl"
    _written(path, {**GOOD, "facts": "cafe\u0301", "gold": {"nda-8": "YES"}})
    (case,) = read_cases(path, task("contractnli")).cases
    assert case.gold == {"disclosure": "YES"}
    assert case.facts == "caf\u00e9"


def test_truncation_is_counted(tmp_path) -> None:
    path = tmp_path / "cases.jsonl"
    long = {"id": "b", "facts": "x" * 6001, "gold": {"civil-rights": "YES"}}
    _written(path, {**long, "id": "a", "facts": "x" * 6000}, long)
    loaded = read_cases(path, task("scotus"))
    assert (loaded.truncated, [case.cut for case in loaded.cases]) == (1, [0, 1])
    assert read_cases(path, task("scotus"), limit=10).truncated == 2


def test_no_file() -> None:
    with pytest.raises(BadInputError, match="no such file"):
        read_cases(__import__("pathlib").Path("nowhere.jsonl"), task("echr"))


def test_the_schema_agrees_with_the_reader() -> None:
    validator = jsonschema_rs.validator_for(case_schema())
    assert validator.is_valid(GOOD)
    assert not validator.is_valid({**GOOD, "id": 7})
    assert not validator.is_valid({**GOOD, "gold": {}})


def _pool(count: int) -> list[LegalCase]:
    golds = [("YES", "NO"), ("NO", "YES"), ("NO", "NO"), ("YES", "YES")]
    return [
        LegalCase(f"c{i:03}", "x", {"8": golds[i % 4][0], "3": golds[i % 4][1]})
        for i in range(count)
    ]


@given(st.randoms(use_true_random=False), st.integers(0, 5))
def test_a_sample_does_not_depend_on_the_order_of_the_file(rng, seed) -> None:
    pool, other = _pool(40), _pool(40)
    rng.shuffle(other)
    echr = task("echr")
    one = balanced(pool, echr, "8", positives=4, negatives=3, seed=seed)
    two = balanced(iter(other), echr, "8", positives=4, negatives=3, seed=seed)
    assert one == two
    assert Counter(case.gold["8"] for case in one.cases) == {"YES": 4, "NO": 3}
    assert len({case.id for case in one.cases}) == 7


def test_seeds_matter() -> None:
    samples = {
        tuple(c.id for c in balanced(_pool(80), task("echr"), "8", seed=s).cases) for s in range(9)
    }
    assert len(samples) == 9


def test_confound_free_cases_differ_in_gold_and_shortage_is_said() -> None:
    echr = task("echr")
    pool = [*_pool(40), LegalCase("odd", "x", {"8": "YES"})]
    sample = confound_free(pool, echr, echr.pair("A"), positives=12, negatives=5)
    assert all(case.gold["8"] != case.gold["3"] for case in sample.cases)
    assert Counter(case.gold["8"] for case in sample.cases) == {"YES": 10, "NO": 5}
    assert sample.missing == {"positive": 2}
    assert sample.without_gold == 1


def test_tasks_without_a_positive_label_are_drawn_plainly() -> None:
    with pytest.raises(ValueError, match="no positive label"):
        balanced([], task("casehold"), "cited")
    assert len(drawn(_pool(9), 4).cases) == 4
    assert drawn(_pool(3), 4).missing == {"any": 1}


@pytest.mark.parametrize(("name", "schema"), [("case", case_schema), ("task", task_schema)])
def test_the_shipped_schemas_are_those_generated(name, schema) -> None:
    data = files("decidendi.legal").joinpath("data", f"{name}.schema.json").read_bytes()
    assert json.loads(data) == schema(), "write it anew from the models"
