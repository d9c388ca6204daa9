"""The refunds example holds what it promises, by its own enumeration of all hybrids."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema_rs
import pyarrow.parquet as pq
import pytest

from decidendi.certification import certify_run
from decidendi.evaluators import load_evaluator
from decidendi.receipts import names_of

pytest.importorskip("regorus", reason="needs the extra rego")

FOLDER = Path(__file__).parents[2] / "examples" / "refunds"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refunds_generate", FOLDER / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / "cases.jsonl").read_text().splitlines()]


def test_every_kind_of_receipt_occurs(generator: ModuleType, cases: list[dict[str, Any]]) -> None:
    counts: Counter[str] = generator.table(cases)
    assert len(generator.KINDS) == 18, "the antichains of three sources, less the two empty ones"
    assert {kind: counts[kind] for kind in generator.KINDS if counts[kind] < 10} == {}
    assert counts["no change"] > 1000
    assert set(counts) == {*generator.KINDS, "no change", "uncertifiable"}
    assert 1_900 <= len(cases) <= 2_100


def test_the_seed_gives_the_file(generator: ModuleType) -> None:
    assert "\n".join(generator.lines()) + "\n" == (FOLDER / "cases.jsonl").read_text()


def test_grounds_fit_the_schema_of_their_side(cases: list[dict[str, Any]]) -> None:
    fits = {
        side: jsonschema_rs.validator_for(
            json.loads((FOLDER / version / "schemas" / "grounds.json").read_text())
        ).is_valid
        for side, version in (("old", "v1"), ("revised", "v2"))
    }
    for case in cases:
        grounds = case["grounds"]
        pair = grounds if "old" in grounds else {"old": grounds, "revised": grounds}
        assert all(fits[side](pair[side]) for side in fits), case["id"]


def test_gold_differs_from_the_policy_somewhere(
    generator: ModuleType, cases: list[dict[str, Any]]
) -> None:
    labelled = [case for case in cases if "gold" in case]
    assert len(labelled) > 600
    drift = inertia = 0
    for case in labelled:
        grounds = case["grounds"]
        old = grounds.get("old", grounds)
        revised = grounds.get("revised", grounds)
        moved = generator.decide(old, "v1", "v1") != generator.decide(revised, "v2", "v2")
        meant = case["gold"]["old"] != case["gold"]["revised"]
        drift += moved and not meant
        inertia += meant and not moved
    assert drift > 0
    assert inertia > 0


def test_certification_finds_what_enumeration_finds(
    generator: ModuleType, cases: list[dict[str, Any]], tmp_path: Path
) -> None:
    old, revised = (load_evaluator(FOLDER / version) for version in ("v1", "v2"))
    summary = certify_run(old, revised, FOLDER / "cases.jsonl", tmp_path / "run")
    kinds = old.kinds
    rows = pq.read_table(tmp_path / "run" / "cases.parquet").to_pylist()
    assert len(rows) == len(cases) == summary.content["cases"]
    for case, row in zip(cases, rows, strict=True):
        grounds = case["grounds"]
        expected = generator.receipt(grounds.get("old", grounds), grounds.get("revised", grounds))
        found = row["status"]
        if found in ("no-op", "identical"):
            found = "no change"
        elif found == "certified":
            members = [names_of(mask, kinds) for mask in row["masks"]]
            found = " | ".join("".join(name[0].upper() for name in member) for member in members)
        assert (row["id"], found) == (case["id"], expected)
    assert summary.outcomes["identical"] > 20
    assert summary.content["cells"]["needed"] < summary.content["cells"]["full"] / 2
