"""From two folders and a file of cases to certificates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from decidendi.evaluators import BadCase, CaseRecord, load_evaluator, pair, read_cases
from decidendi.judgment import BadInputError, NonComparableError
from decidendi.receipts import certify_many

MANIFEST = """
name = "refunds"
version = "1"
verdicts = ["approve", "deny", "refer"]
[adjudicator]
engine = "python"
entry = "decide:decide"
[sources.grounds]
from = "case"
[sources.norms]
files = ["norms.json"]
[sources.authority]
files = ["authority.json"]
"""
DECIDE = """
from helper import within

def decide(grounds, norms, authority):
    if grounds["region"] not in authority:
        return "refer"
    return "approve" if within(grounds["amount"], norms["limit"]) else "deny"
"""
HELPER = "def within(amount, limit):\n    return amount <= limit\n"


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def version(folder: Path, limit: int = 100, regions: str = "EU", **other: str) -> Path:
    files = {
        "evaluator.toml": MANIFEST,
        "decide.py": DECIDE,
        "helper.py": HELPER,
        "norms.json": json.dumps({"limit": limit}),
        "authority.json": json.dumps({region: {"since": 2020} for region in regions.split()}),
    }
    return write(folder, files | {k.replace("_", "."): v for k, v in other.items()})


def cases(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def records(path: Path) -> list[CaseRecord]:
    found = list(read_cases(path))
    assert not [r for r in found if isinstance(r, BadCase)]
    return [r for r in found if isinstance(r, CaseRecord)]


def test_two_folders_to_receipts(tmp_path: Path) -> None:
    old = load_evaluator(version(tmp_path / "v1", limit=100, regions="EU"))
    new = load_evaluator(version(tmp_path / "v2", limit=200, regions="EU US"))
    file = cases(
        tmp_path / "cases.jsonl",
        {"id": "norm", "grounds": {"amount": 150, "region": "EU"}},
        {"id": "authority", "grounds": {"amount": 50, "region": "US"}},
        {"id": "both", "unit": "u", "grounds": {"amount": 150, "region": "US"}, "gold": None}
        | {"gold": {"old": "refer", "revised": "approve"}},
        {"id": "none", "grounds": {"amount": 10, "region": "EU"}},
        {
            "id": "grounds",
            "grounds": {
                "old": {"amount": 900, "region": "EU"},
                "revised": {"amount": 90, "region": "EU"},
            },
        },
    )
    with pair(old, new) as both:
        transitions = [both.transition(record) for record in records(file)]
        found = list(certify_many(both.adjudicator, transitions, contract=both.contract))
    receipts = {c.case_id: c.receipt.members if c.receipt else None for c in found}
    assert receipts == {
        "norm": (("norms",),),
        "authority": (("authority",),),
        "both": (("norms", "authority"),),
        "none": None,
        "grounds": (("grounds",),),
    }
    assert transitions[0].old.sources[1] is transitions[1].old.sources[1]
    assert transitions[0].old.sources[0] is transitions[0].revised.sources[0]


def test_what_differs_is_named(tmp_path: Path) -> None:
    old = load_evaluator(version(tmp_path / "v1"))
    moved = load_evaluator(version(tmp_path / "v2", helper_py=HELPER.replace("<=", "<")))
    with pytest.raises(NonComparableError) as caught:
        pair(old, moved)
    assert set(caught.value.differing) == {"adjudicator code helper.py"}


def test_gold_outside_the_verdicts_is_a_bad_case(tmp_path: Path) -> None:
    one = load_evaluator(version(tmp_path / "v1"))
    gold = {"old": "approve", "revised": "maybe"}
    file = cases(tmp_path / "c.jsonl", {"id": "a", "grounds": {}, "gold": gold})
    with pair(one, one) as both, pytest.raises(BadInputError, match=r"line 1: gold.revised"):
        both.transition(records(file)[0])


def test_a_float_is_refused_with_line_and_field(tmp_path: Path) -> None:
    one = load_evaluator(version(tmp_path / "v1"))
    grounds = {"old": {"amount": 1}, "revised": {"amount": 1.5}}
    file = cases(
        tmp_path / "c.jsonl", {"id": "a", "grounds": {"x": 1}}, {"id": "b", "grounds": grounds}
    )
    with (
        pair(one, one) as both,
        pytest.raises(BadInputError, match=r"line 2: grounds.revised.amount"),
    ):
        both.transition(records(file)[1])
