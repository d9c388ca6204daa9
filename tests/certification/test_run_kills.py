"""What a killed run has kept."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from toyrun import DECIDE, World

from decidendi.certification import Options, certify_run

COUNTED = """
import os, signal, sys, time
sys.path.insert(0, {here!r})
from pathlib import Path
from decidendi.evaluators import load_evaluator
from decidendi.certification import Options, certify_run
import decidendi.ledger._cells as cells
cells.KEPT_WITHIN = 0.2  # a second, at a fifth of the time
certify_run(load_evaluator({v1!r}), load_evaluator({v2!r}), Path({cases!r}), Path({out!r}),
            Options(confidence="0.9", budget=12))
"""


@pytest.mark.parametrize("stochastic", [False, True])
def test_a_kill_loses_about_a_second_of_what_was_executed(tmp_path: Path, stochastic: bool) -> None:
    calls = tmp_path / "calls"
    code = DECIDE.replace(
        "(grounds, norms, authority):",
        f"(grounds, norms, authority):\n    import time; time.sleep(0.01)"
        f"\n    with open({str(calls)!r}, 'a') as file:\n        file.write('.')",
    )
    extra = "deterministic = false\n" if stochastic else ""
    world = World(tmp_path, count=4 if stochastic else 120, code=code, extra=extra)
    script = COUNTED.format(
        here=str(Path(__file__).parent), v1=str(world.v1), v2=str(world.v2),
        cases=str(world.cases), out=str(world.out),
    )  # fmt: skip
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        while not calls.exists() or calls.stat().st_size < 100:
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    before = calls.stat().st_size
    options = Options(confidence="0.9", budget=12)
    made = certify_run(world.old, world.revised, world.cases, world.out, options)
    both = calls.stat().st_size
    calls.unlink()
    certify_run(world.old, world.revised, world.cases, tmp_path / "whole", options)
    whole = calls.stat().st_size
    assert summary_of(world.out) == summary_of(tmp_path / "whole")
    # Lost: a fifth and the slice under way. A deterministic one checks 16 states once more.
    assert before >= 100 and both - whole <= 100
    assert made.executed <= whole - 32


def summary_of(out: Path) -> bytes:
    return (out / "summary.json").read_bytes()


DIES = """
import sys
sys.argv = ["decidendi", "certify", {v1!r}, {v2!r}, "--cases", {cases!r}, "--out", {out!r},
            *sys.argv[1:]]
from decidendi.cli import main
main()
"""


@pytest.mark.parametrize(
    ("death", "code", "said"),
    [
        ("import os; os._exit(7)", 7, "The last attempt ended while executing, after 0 case"),
        ("raise KeyboardInterrupt", 130, "the evaluator's code raised KeyboardInterrupt"),
    ],
)
def test_code_that_ends_the_process_is_told_of_and_can_be_contained(
    tmp_path: Path, death: str, code: int, said: str
) -> None:
    dying = DECIDE.replace(
        "authority):\n", f"authority):\n    if grounds['days'] == 40: {death}\n", 1
    )
    world = World(tmp_path, count=4, code=dying)
    script = DIES.format(
        v1=str(world.v1), v2=str(world.v2), cases=str(world.cases), out=str(world.out)
    )

    def attempt(*more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", script, *more]
        return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)

    first, again = attempt(), attempt()
    assert (first.returncode, again.returncode) == (code, code)
    assert "last attempt" not in first.stderr
    assert said in again.stderr and "--timeout SECONDS runs" in again.stderr
    contained = attempt("--timeout", "20", "--fresh")
    assert contained.returncode == 3
    assert "(error " in contained.stdout
    assert "Traceback" not in contained.stderr and "last attempt" not in contained.stderr
