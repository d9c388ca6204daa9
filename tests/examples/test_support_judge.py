"""The judge of support replies: every kind is the reason somewhere, and no key is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq

from decidendi.certification import certify_run, replay_run, verify_run
from decidendi.evaluators import check_folder, load_evaluator

FOLDER = Path(__file__).parents[2] / "examples" / "support-judge"
EXPECTED = {
    "t-01": "rubric alone", "t-02": None, "t-03": "scope alone", "t-04": "scope alone",
    "t-05": "model alone", "t-06": "prompt alone", "t-07": "rubric alone", "t-08": "grounds alone",
    "t-09": "rubric and model together", "t-10": "either rubric or prompt",
    "t-11": "grounds and model together", "t-12": "grounds and scope together",
    "t-13": "either scope or prompt", "t-14": None, "t-15": None,
    "t-16": "either grounds or rubric", "t-17": "prompt alone", "t-18": None,
    "t-19": "scope alone", "t-20": None,
}  # fmt: skip


def test_receipts_tell_the_kinds_apart(tmp_path: Path) -> None:
    old, revised = (load_evaluator(FOLDER / version) for version in ("v1", "v2"))
    out = tmp_path / "run"
    summary = certify_run(old, revised, FOLDER / "cases.jsonl", out)
    assert summary.finished_whole
    rows = {row["id"]: row["receipt"] for row in pq.read_table(out / "cases.parquet").to_pylist()}
    assert rows == EXPECTED
    assert verify_run(out).verified
    again = replay_run(out, old, revised)
    assert again.same and not again.undecided


def test_nothing_is_wrong_with_it() -> None:
    assert [check_folder(FOLDER / version) for version in ("v1", "v2")] == [[], []]
    lines = (FOLDER / "cases.jsonl").read_text().splitlines()
    assert len({json.loads(line)["unit"] for line in lines}) > 15
