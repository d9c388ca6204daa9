"""The Cedar example certifies whole, and shows receipts of every size."""

from __future__ import annotations

from pathlib import Path

import pytest

from decidendi.certification import certify_run
from decidendi.evaluators import load_evaluator

pytest.importorskip("cedarpy", reason="needs the extra cedar")

FOLDER = Path(__file__).parents[2] / "examples" / "loans-cedar"


def test_it_certifies(tmp_path: Path) -> None:
    old, revised = (load_evaluator(FOLDER / version) for version in ("v1", "v2"))
    summary = certify_run(old, revised, FOLDER / "cases.jsonl", tmp_path / "run")
    assert summary.finished_whole
    assert summary.outcomes["certified"] == 20
    assert summary.outcomes["no-op"] == 6
    assert set(summary.content["complexity"]) == {"1", "2", "3"}
    assert summary.content["ambiguous"] == 6
    moved = {(row["old"], row["revised"]) for row in summary.content["transitions"]}
    assert len(moved) > 3
