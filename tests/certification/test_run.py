"""A run from end to end, interrupted and not."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from toyrun import DECIDE, World, some_cases, write_cases, write_evaluator

from decidendi.certification import (
    Options,
    certify_run,
    export_certificate,
    verify_run,
)
from decidendi.evaluators import function_adjudicator
from decidendi.folders import StorageError
from decidendi.judgment import JSON, BadInputError, Case, NonComparableError, State
from decidendi.receipts import Transition, certify_many

BAD_LINES = (
    '{"id": "c1", "grounds": {}}\n'
    '{"id": "float", "grounds": {"region": "north", "days": 1.5}}\n'
    '{"id": "e\\u0301", "grounds": {}}\n'
    '{"id": "cut", "grou'
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def run(world: World, out: str = "run", **options: Any) -> dict[str, Any]:
    made = certify_run(
        world.old, world.revised, world.cases, world.folder / out, Options(**options)
    )
    return made.content


def test_a_small_run_counts_what_certifying_one_by_one_gives(world: World) -> None:
    summary = run(world)
    namespace: dict[str, Any] = {}
    exec(DECIDE, namespace)
    adjudicator = function_adjudicator(
        namespace["decide"], name="toy", verdicts=["approve", "deny", "refer"]
    )
    norms: list[JSON] = [{"days": 30, "cents": 10_000}, {"days": 14, "cents": 20_000}]
    authority: list[JSON] = [{"regions": ["north", "south"]}, {"regions": ["north", "east"]}]
    certificates = list(
        certify_many(
            adjudicator,
            [
                Transition(
                    Case(case["id"]),
                    State.of({"grounds": case["grounds"]["old"], "norms": norms[0],
                              "authority": authority[0]}),
                    State.of({"grounds": case["grounds"]["revised"], "norms": norms[1],
                              "authority": authority[1]}),
                )
                for case in some_cases(120)
            ],
        )
    )  # fmt: skip
    receipts: dict[str, int] = {}
    for certificate in certificates:
        if certificate.receipt is not None:
            members = json.dumps([list(member) for member in certificate.receipt.members])
            receipts[members] = receipts.get(members, 0) + 1
    assert {json.dumps(r["members"]): r["cases"] for r in summary["receipts"]} == receipts
    assert summary["cases"] == 120
    changed = sum(c.old_verdict != c.revised_verdict for c in certificates)
    assert summary["outcomes"]["changed"] == changed == summary["outcomes"]["certified"]
    assert summary["cells"]["needed"] == sum(len(c.cells) for c in certificates)
    assert summary["cells"]["full"] == 120 * 8
    assert sum(t["cases"] for t in summary["transitions"]) == 120
    assert [unit["unit"] for unit in summary["units"]["listed"]].sort() is None
    assert sum(unit["cases"] for unit in summary["units"]["listed"]) == 120


def test_golden_run(world: World) -> None:
    """Pins the figures of the toy world, so that a change of any of them is seen."""
    summary = run(world)
    assert summary["outcomes"] == {
        "changed": 65, "certified": 65, "no-op": 55, "identical": 0,
        "uncertifiable": 0, "unmeasured": 0, "bad": 0,
    }  # fmt: skip
    assert {r["receipt"]: r["cases"] for r in summary["receipts"]} == GOLDEN_RECEIPTS
    assert summary["gold"]["drift"]["n"] + summary["gold"]["inertia"]["n"] == 120


GOLDEN_RECEIPTS = {
    "grounds alone": 10,
    "norms alone": 3,
    "authority alone": 24,
    "either grounds or authority": 7,
    "either norms alone, or grounds and authority together": 1,
    "grounds and authority together": 16,
    "norms and authority together": 2,
    "either grounds and authority together, or norms and authority together": 1,
    "grounds, norms and authority together": 1,
}


def test_bad_cases_are_listed_and_stop_nothing(tmp_path: Path) -> None:
    world = World(tmp_path, count=20, tail=BAD_LINES)
    made = certify_run(world.old, world.revised, world.cases, world.out)
    assert made.content["open"]["bad"] == {
        "duplicate id": 1,
        "no canonical form": 2,
        "not valid JSON": 1,
    }
    assert made.outcomes["bad"] == 4 and made.content["cases"] == 24
    assert not made.finished_whole
    assert verify_run(world.out).verified


def test_errors_leave_cases_open_with_their_reason(tmp_path: Path) -> None:
    cases = some_cases(30)
    for case in cases[:5]:
        case["grounds"]["old"]["boom"] = True
    world = World(tmp_path)
    write_cases(world.cases, cases)
    summary = run(world)
    opened = summary["outcomes"]["uncertifiable"] + summary["outcomes"]["unmeasured"]
    reasons = summary["open"]
    assert opened and set(reasons["uncertifiable"]) | set(reasons["unmeasured"]) == {"error"}
    assert verify_run(world.out).verified
    table = pq.read_table(world.out / "cases.parquet").to_pylist()
    assert sum(row["unmeasured"] == "error" for row in table) == opened


def test_the_table_has_a_row_per_case(world: World) -> None:
    summary = run(world)
    rows = pq.read_table(world.out / "cases.parquet").to_pylist()
    assert [row["id"] for row in rows] == [f"c{n}" for n in range(120)]
    assert sum(row["status"] == "certified" for row in rows) == summary["outcomes"]["certified"]
    one = next(row for row in rows if row["receipt"] == "norms alone")
    assert one["masks"] == [2] and one["old"] != one["revised"]


OUTPUTS = ("summary.json", "report.html", "cases.parquet")


def outputs(out: Path) -> dict[str, bytes]:
    found = {name: (out / name).read_bytes() for name in OUTPUTS}
    if (out / "bad.jsonl").exists():
        found["bad"] = (out / "bad.jsonl").read_bytes()
    for case in ("c0", "c7", "c100"):
        found[case] = export_certificate(out, case)
    for segment in sorted(out.glob("segments/*.parquet")):
        found[segment.name] = segment.read_bytes()
    return found


KILLED = """
import os, signal, sys
sys.path.insert(0, {here!r})
from pathlib import Path
import decidendi.certification._run as running, decidendi.certification._runfile as runfile
import decidendi.ledger._database as database
running.CHUNK, runfile.SEGMENT_CASES = 16, 32
limit, count = int(sys.argv[1]), 0
def tick(*_):
    global count
    count += 1
    if count == limit:
        os.kill(os.getpid(), signal.SIGKILL)
genuine = database.sqlite3.connect
def connect(*args, **kwargs):
    made = genuine(*args, **kwargs)
    made.set_trace_callback(tick)
    return made
database.sqlite3.connect = connect
out = {out!r}
sys.addaudithook(lambda event, args: tick() if event in ("open", "os.rename", "os.remove")
                 and str(args[0]).startswith(out) else None)
from toyrun import World
from decidendi.evaluators import load_evaluator
from decidendi.certification import Options, certify_run
old, new = load_evaluator({v1!r}), load_evaluator({v2!r})
certify_run(old, new, Path({cases!r}), Path(out), Options(bulk={bulk}))
print(count)
"""


@pytest.mark.parametrize("bulk", [False, True])
def test_killed_at_any_point_it_goes_on_and_ends_with_the_same_bytes(
    tmp_path: Path, bulk: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, tail='{"id": "c1", "grounds": {}}\n')

    def script(out: str) -> str:
        return KILLED.format(
            here=str(Path(__file__).parent), out=str(tmp_path / out), v1=str(world.v1),
            v2=str(world.v2), cases=str(world.cases), bulk=bulk,
        )  # fmt: skip

    def start(out: str, limit: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", script(out), str(limit)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    whole = start("whole", 0)
    assert whole.returncode == 0, whole.stderr
    expected = outputs(tmp_path / "whole")
    events = int(whole.stdout)
    assert events > 40
    monkeypatch.setattr("decidendi.certification._run.CHUNK", 16)
    monkeypatch.setattr("decidendi.certification._runfile.SEGMENT_CASES", 32)
    rng = random.Random(5)
    for limit in sorted(rng.sample(range(2, events * 3 // 4), 3)):
        out = f"killed{limit}"
        # Whether cells are worth storing is timed, so a run may have fewer events than another.
        assert start(out, limit).returncode in (-signal.SIGKILL, 0)
        made = certify_run(
            world.old, world.revised, world.cases, tmp_path / out, Options(bulk=bulk)
        )
        assert made.content["cases"] == 121
        assert outputs(tmp_path / out) == expected, f"killed at event {limit} of {events}"
        assert verify_run(tmp_path / out).problems == []


def test_killed_twice_in_a_row_by_the_clock(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = (
        "import sys; from pathlib import Path\n"
        "from decidendi.evaluators import load_evaluator\n"
        "from decidendi.certification import certify_run\n"
        "print('ready', flush=True)\n"
        f"a, b = load_evaluator({str(world.v1)!r}), load_evaluator({str(world.v2)!r})\n"
        f"certify_run(a, b, Path({str(world.cases)!r}), Path({str(world.out)!r}))\n"
    )
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            os.kill(process.pid, signal.SIGKILL)
    run(world)
    run(world, "other")
    assert outputs(world.out) == outputs(world.folder / "other")


def test_a_finished_run_is_not_executed_again(world: World) -> None:
    first = certify_run(world.old, world.revised, world.cases, world.out)
    before = outputs(world.out)
    again = certify_run(world.old, world.revised, world.cases, world.out)
    assert first.executed and not again.executed
    assert outputs(world.out) == before


@pytest.mark.parametrize(
    ("what", "named"),
    [
        ("norms", "evaluators.revised.sources.norms"),
        ("cases", "cases.digest"),
        ("timeout", "options.timeout"),
        ("storage", "options.storage"),
    ],
)
def test_another_run_into_the_same_folder_is_refused(world: World, what: str, named: str) -> None:
    run(world)
    before = outputs(world.out)
    options: dict[str, Any] = {}
    if what == "norms":
        (world.v2 / "norms.json").write_text('{"days": 13, "cents": 20000}')
    elif what == "cases":
        with world.cases.open("a") as stream:
            stream.write('{"id": "late", "grounds": {"region": "north"}}\n')
    elif what == "timeout":
        options["timeout"] = 2.5
    else:
        options["bulk"] = True
    with pytest.raises(BadInputError, match="holds another run") as caught:
        run(world, **options)
    assert named in str(caught.value)
    assert outputs(world.out) == before


def test_two_runs_do_not_write_one_folder(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from decidendi.folders import only_writer

    world.out.mkdir()
    with only_writer(world.out), pytest.raises(BadInputError, match="another run is writing"):
        run(world)
    run(world)


def test_other_code_is_non_comparable_and_makes_no_folder(world: World) -> None:
    write_evaluator(world.v2, revised=True, code=DECIDE + "\n# another\n")
    with pytest.raises(NonComparableError, match=r"decide\.py"):
        run(world)
    assert not world.out.exists()


def test_a_folder_that_cannot_be_made(world: World) -> None:
    (world.folder / "file").write_text("")
    with pytest.raises((BadInputError, StorageError), match="file"):
        run(world, "file/run")
    with pytest.raises(BadInputError, match="not a folder"):
        run(world, "file")


def test_a_disk_that_fills_up_loses_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    run(world, "other")
    genuine = os.fsync
    left = 2

    def full(handle: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(28, "No space left on device")
        genuine(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="free some space and run the same command again"):
        run(world)
    monkeypatch.undo()
    run(world)
    assert outputs(world.out) == outputs(world.folder / "other")


def test_a_false_claim_of_determinism_is_found(tmp_path: Path) -> None:
    code = "import random\nMOOD = random.Random(3)\n" + DECIDE.replace(
        '    if grounds.get("boom")',
        '    if MOOD.random() < 0.3:\n        return "refer"\n    if grounds.get("boom")',
    )
    world = World(tmp_path, count=40, code=code)
    made = certify_run(world.old, world.revised, world.cases, world.out)
    assert made.flickering and not made.finished_whole
    assert verify_run(world.out).verified


def test_a_case_file_that_changes_meanwhile_is_noticed(world: World) -> None:
    def meddle(done: int, total: int) -> None:
        with world.cases.open("a") as stream:
            stream.write("\n")

    with pytest.raises(BadInputError, match="changed while it was read"):
        certify_run(world.old, world.revised, world.cases, world.out, watch=meddle)


def test_how_cells_would_be_drawn_is_no_part_of_a_run_that_draws_none(world: World) -> None:
    first = certify_run(world.old, world.revised, world.cases, world.out, Options(budget=7))
    again = certify_run(world.old, world.revised, world.cases, world.out, Options(confidence="0.9"))
    assert first.content == again.content


def test_a_stochastic_evaluator_is_drawn_and_verified(tmp_path: Path) -> None:
    code = DECIDE.replace("def decide(grounds, norms, authority):",
                          "def decide(grounds, norms, authority, repeat=0):")  # fmt: skip
    world = World(tmp_path, count=12, code=code, extra="deterministic = false\n")
    summary = run(world, confidence="0.9", budget=40)
    assert summary["outcomes"]["certified"] > 0
    assert verify_run(world.out).problems == []
    run(world, "other", confidence="0.9", budget=40)
    assert outputs_of(world.out) == outputs_of(world.folder / "other")


def outputs_of(out: Path) -> list[bytes]:
    return [(out / name).read_bytes() for name in OUTPUTS]
