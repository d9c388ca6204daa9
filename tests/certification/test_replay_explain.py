"""Replaying with the evaluators handed over, explaining without any, drilling down."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from toyrun import DECIDE, World, some_cases, write_cases, write_evaluator

from decidendi.certification import (
    Options,
    certify_run,
    drill_case,
    explain,
    replay_run,
    verify_run,
)
from decidendi.judgment import BadInputError


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, count=120)
    cases = some_cases(120)
    cases[3]["grounds"]["old"]["boom"] = True
    write_cases(world.cases, cases)
    certify_run(world.old, world.revised, world.cases, world.out)
    return world


def case_with(world: World, receipt: str) -> str:
    rows = pq.read_table(world.out / "cases.parquet").to_pylist()
    return str(next(row["id"] for row in rows if row["receipt"] == receipt))


def test_replaying_compares_every_cell(world: World) -> None:
    found = replay_run(world.out, world.old, world.revised)
    summary = json.loads((world.out / "summary.json").read_text())
    assert found.same
    assert found.certificates == 120
    assert found.cells == summary["cells"]["needed"]
    assert 0 < found.executed <= found.cells


def test_only_the_runs_own_evaluators_are_executed(world: World, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    code = f"open({str(trap)!r}, 'w')\n{DECIDE}"
    write_evaluator(world.v1, revised=False, code=code)
    write_evaluator(world.v2, revised=True, code=code)
    with pytest.raises(BadInputError, match="not the old evaluator of this run"):
        replay_run(world.out, world.old, world.revised)
    assert not trap.exists()
    with pytest.raises(BadInputError, match="not the old evaluator"):
        drill_case(world.out, "c0", "norms", world.revised, world.old)


def test_a_verdict_that_comes_out_otherwise_is_reported(tmp_path: Path) -> None:
    # It depends on a file that is no source of it: what replaying is there to find.
    code = f"from pathlib import Path\nMOOD = Path({str(tmp_path / 'mood')!r})\n" + DECIDE.replace(
        '    if grounds["region"]', '    if MOOD.exists():\n        return "deny"\n'
        '    if grounds["region"]', 1,
    )  # fmt: skip
    world = World(tmp_path, count=30, code=code)
    certify_run(world.old, world.revised, world.cases, world.out)
    assert replay_run(world.out, world.old, world.revised).same
    (tmp_path / "mood").write_text("bad")
    found = replay_run(world.out, world.old, world.revised)
    assert found.count and not found.same
    assert all(cell.replayed == "deny" != cell.certified for cell in found.differing)
    rows = pq.read_table(world.out / "cases.parquet").to_pylist()
    expected = {row["id"] for row in rows if {row["old"], row["revised"]} != {"deny"}}
    assert expected <= {cell.case for cell in found.differing}


def test_a_run_that_is_not_finished_or_empty_does_not_pass(tmp_path: Path) -> None:
    world = World(tmp_path, count=20)
    certify_run(world.old, world.revised, world.cases, world.out)
    unfinish(world.out)
    found = replay_run(world.out, world.old, world.revised)
    assert not found.same and "not finished: 20 case records" in found.lacking
    world = World(tmp_path / "none", count=0, tail="[]\n")
    certify_run(world.old, world.revised, world.cases, world.out)
    found = replay_run(world.out, world.old, world.revised)
    assert not found.same and "no certificates" in found.lacking


def unfinish(out: Path) -> None:
    db = sqlite3.connect(out / "ledger.sqlite")
    db.execute("DELETE FROM meta WHERE name = 'complete'")
    db.commit()
    db.close()


def test_a_row_whose_record_is_lost_is_not_passed_over(world: World) -> None:
    db = sqlite3.connect(world.out / "ledger.sqlite")
    db.execute("UPDATE certificates SET line = 999 WHERE ordinal = 2")
    db.commit()
    db.close()
    found = replay_run(world.out, world.old, world.revised)
    assert "c2" in found.strayed and found.certificates == 120


DRAWN = """
import random
from pathlib import Path
RNG = random.Random(7)

def decide(grounds, norms, authority):
    share = float(Path({share!r}).read_text()) if norms["days"] == 14 else 1.0
    return "approve" if RNG.random() < share else "deny"
"""


def test_drawn_cells_contradict_only_with_another_verdict(tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.write_text("0.5")
    world = World(
        tmp_path, count=6, code=DRAWN.format(share=str(share)), extra="deterministic = false\n"
    )
    certify_run(world.old, world.revised, world.cases, world.out, Options(budget=24))
    share.write_text("1.0")
    found = replay_run(world.out, world.old, world.revised)
    assert found.same and found.undecided and not found.count
    certified = world.folder / "certified"
    certify_run(world.old, world.revised, world.cases, certified, Options(budget=24))
    share.write_text("0.5")
    found = replay_run(certified, world.old, world.revised)
    assert found.same and found.undecided
    share.write_text("0.0")
    found = replay_run(certified, world.old, world.revised)
    assert not found.same and not found.undecided
    assert {(one.certified, one.replayed) for one in found.differing} == {("approve", "deny")}


def test_another_case_file_is_refused_and_a_moved_one_found(world: World) -> None:
    moved = world.cases.rename(world.folder / "moved.jsonl")
    with pytest.raises(BadInputError, match="cannot be read"):
        replay_run(world.out, world.old, world.revised)
    assert replay_run(world.out, world.old, world.revised, moved).same
    write_cases(world.cases, some_cases(121))
    with pytest.raises(BadInputError, match="not the case file"):
        replay_run(world.out, world.old, world.revised)


def test_a_case_explains_itself_without_evaluators(world: World) -> None:
    case = case_with(world, "norms alone")
    for folder in (world.v1, world.v2):
        for file in folder.glob("*.json"):
            file.unlink()
    found = explain(world.out, case)
    assert found.missing == () and found.problems == ()
    assert found.shown.receipt == (("norms",),)
    assert "norms alone" in found.shown.words
    norms = next(pair for pair in found.shown.sources if pair.kind == "norms")
    assert '"days": 30' in norms.old and '"days": 14' in norms.revised
    grounds = next(pair for pair in found.shown.sources if pair.kind == "grounds")
    assert "region" in grounds.old


def test_grounds_are_shown_only_with_their_certified_digest(world: World) -> None:
    case = case_with(world, "norms alone")
    cases = some_cases(120)
    next(c for c in cases if c["id"] == case)["grounds"] = {"region": "forged"}
    write_cases(world.cases, cases)
    found = explain(world.out, case)
    assert "not the case file that this run was made with: it has" in found.missing[0]
    assert all("forged" not in pair.old + pair.revised for pair in found.shown.sources)
    found = explain(world.out, case, world.cases)
    assert "now says something else" in found.missing[0]
    world.cases.unlink()
    assert "cannot be read" in explain(world.out, case).missing[0]


@pytest.mark.parametrize("named", ["/dev/zero", "pipe", "a\0b", 3, "huge"])
def test_what_a_strangers_run_names_is_not_simply_opened(world: World, named: object) -> None:
    os.mkfifo(world.folder / "pipe")
    with (world.folder / "huge").open("wb") as huge:
        huge.truncate(1 << 40)
    document = json.loads((world.out / "run.json").read_text())
    path = str(world.folder / named) if named in ("pipe", "huge") else named
    document["where"]["cases"] = path
    (world.out / "run.json").write_text(json.dumps(document))
    case = case_with(world, "norms alone")
    assert explain(world.out, case).missing
    with pytest.raises(BadInputError, match=r"regular file|cannot be read|not the case file"):
        replay_run(world.out, world.old, world.revised)
    with pytest.raises(BadInputError, match=r"regular file|cannot be read|not the case file"):
        drill_case(world.out, case, "norms", world.old, world.revised)


@pytest.mark.parametrize("name", ["run.json", "summary.json", "ledger.sqlite-wal", "sources/a"])
def test_a_run_folder_with_pipes_or_devices_is_refused(world: World, name: str) -> None:
    (world.out / name).unlink(missing_ok=True)
    (world.out / name).symlink_to("/dev/zero")
    with pytest.raises(BadInputError, match="not a regular file"):
        explain(world.out, "c1")
    with pytest.raises(BadInputError, match="not a regular file"):
        verify_run(world.out)


def test_a_line_without_end_is_not_held(world: World, tmp_path: Path) -> None:
    long = tmp_path / "long.jsonl"
    long.write_bytes(b"x" * 5_000_000 + b"\n" + world.cases.read_bytes())
    assert "now says something else" in explain(world.out, "c0", long).missing[0]
    same = tmp_path / "same.jsonl"
    text = world.cases.read_text().splitlines(keepends=True)
    same.write_text("".join([text[0], "y" * 3_000_000 + "\n", *text[2:]]))
    assert explain(world.out, "c0", same).missing == ()
    assert explain(world.out, "c2", same).missing == ()
    assert "now says something else" in explain(world.out, "c1", same).missing[0]


def test_drilling_finds_the_changed_part(world: World) -> None:
    case = case_with(world, "norms alone")
    (found,) = drill_case(world.out, case, "norms", world.old, world.revised)
    assert found.complete and found.proven
    assert found.minimal
    assert {name for names in found.minimal for name in names} <= {"days", "cents"}
    with pytest.raises(BadInputError, match="in no member"):
        drill_case(world.out, case, "authority", world.old, world.revised)
    with pytest.raises(BadInputError, match="no kind 'weather'"):
        drill_case(world.out, case, "weather", world.old, world.revised)
    no_op = next(
        row["id"]
        for row in pq.read_table(world.out / "cases.parquet").to_pylist()
        if row["status"] == "no-op"
    )
    with pytest.raises(BadInputError, match="has no receipt"):
        drill_case(world.out, no_op, "norms", world.old, world.revised)
