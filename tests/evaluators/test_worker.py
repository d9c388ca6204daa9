"""A process per engine: states that never end or that kill it cost their own verdict only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from evaluator_folders import python_folder

from decidendi.evaluators import Pair, load_evaluator, pair
from decidendi.judgment import BadInputError, Source, State, Unmeasured, Verdict

DECIDE = """
import os, signal, sys, time
calls = 0
def decide(grounds, norms, authority):
    global calls
    calls += 1
    do = grounds["do"]
    if do == "hang":
        while True:
            pass
    if do == "sleep": time.sleep(60)
    if do == "exit": os._exit(3)
    if do == "crash": os.kill(os.getpid(), signal.SIGSEGV)
    if do == "quit": sys.exit("bye")
    if do == "print":
        print("to nobody"); sys.stdout.flush(); os.write(1, b"noise")
        return "approve" if sys.stdin.read() == "" else "deny"
    if do == "close": os.close(0), os.close(1)
    if do == "interrupt": os.kill(os.getpid(), signal.SIGINT)
    if do == "panic": raise BaseException("at the bottom")
    return "approve"
"""


def both(folder: Path, decide: str = DECIDE, timeout: float = 0.4, more: str = "") -> Pair:
    one = load_evaluator(python_folder(folder, decide, more))
    return pair(one, one, timeout=timeout)


def told(verdict: Verdict) -> str:
    return verdict if isinstance(verdict, str) else f"{verdict.reason.value}: {verdict.detail}"


def states(one: Pair, *dos: str) -> list[State]:
    fixed = one.revised.sources
    return [
        State([Source("grounds", {"do": do}), fixed["norms"], fixed["authority"]]) for do in dos
    ]


def test_only_the_state_at_fault_has_no_verdict(tmp_path: Path) -> None:
    with both(tmp_path) as one:
        asked = states(
            one, "go", "hang", "go", "exit", "crash", "quit", "go", "sleep", "print", "go"
        )
        found = [told(verdict) for verdict in one.adjudicator.adjudicate(asked)]
    assert found == [
        "approve",
        "timeout: no verdict within 0.4 s",
        "approve",
        "error: the process deciding this state ended: exit code 3",
        "error: the process deciding this state ended: killed by SIGSEGV",
        "error: decide.py:14: SystemExit: bye",
        "approve",
        "timeout: no verdict within 0.4 s",
        "approve",
        "approve",
    ]


def test_what_reaches_for_the_pipes_does_no_harm(tmp_path: Path) -> None:
    with both(tmp_path) as one:
        found = one.adjudicator.adjudicate(states(one, "close", "go", "interrupt", "panic"))
    assert [told(v) for v in found] == [
        "approve",
        "approve",
        "approve",
        "error: decide.py:20: BaseException: at the bottom",
    ]


def test_the_same_errors_are_told_without_a_process(tmp_path: Path) -> None:
    one = load_evaluator(python_folder(tmp_path, DECIDE))
    with pair(one, one) as inside, pair(one, one, timeout=20) as outside:
        asked = states(inside, "go", "quit", "panic")
        assert inside.adjudicator.adjudicate(asked) == outside.adjudicator.adjudicate(asked)


def test_a_stochastic_evaluator_is_drawn_from_in_the_process(tmp_path: Path) -> None:
    decide = """def decide(grounds, norms, authority, repeat=0):
        return ['approve', 'deny'][repeat % 2]
    """
    folder = python_folder(tmp_path, decide)
    toml = (folder / "evaluator.toml").read_text()
    (folder / "evaluator.toml").write_text("deterministic = false\n" + toml)
    one = load_evaluator(folder)
    with pair(one, one, timeout=5) as outside, pair(one, one) as inside:
        for each in (outside, inside):
            draw = each.adjudicator.draw  # type: ignore[attr-defined]  # it is stochastic
            assert draw(states(each, "a", "a", "a"), [0, 1, 2]) == ["approve", "deny", "approve"]


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), float("inf")])
def test_a_timeout_is_a_time(tmp_path: Path, timeout: float) -> None:
    with pytest.raises(BadInputError, match="not a time"):
        both(tmp_path, timeout=timeout)


def test_code_that_cannot_be_loaded_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"decide.py:1: ZeroDivisionError") as caught:
        both(tmp_path / "a", "x = 1 / 0\n")
    assert caught.value.place.file is not None
    with pytest.raises(BadInputError, match="exit code 7"):
        both(tmp_path / "b", "import os\nos._exit(7)\n")


def _children() -> set[int]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                found.add(int(entry.name))
    return found


def test_closing_leaves_no_process_and_no_zombie(tmp_path: Path) -> None:
    before = _children()
    one = both(tmp_path)
    assert len(_children() - before) == 1
    one.adjudicator.adjudicate(states(one, "hang"))
    assert not _children() - before, "what was late is gone"
    assert one.adjudicator.adjudicate(states(one, "go")) == ["approve"]
    one.close()
    one.close()
    assert not _children() - before
    del one


def test_a_pair_that_is_forgotten_ends_its_process(tmp_path: Path) -> None:
    before = _children()
    one = both(tmp_path)
    del one
    assert not _children() - before


def test_a_busy_process_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    folder = python_folder(tmp_path / "e", DECIDE)
    script = textwrap.dedent(f"""
        from decidendi.evaluators import load_evaluator, pair
        from decidendi.judgment import Source, State
        one = load_evaluator({str(folder)!r})
        both = pair(one, one, timeout=60)
        print(both.adjudicator._process._child.pid, flush=True)
        fixed = one.sources
        both.adjudicator.adjudicate(
            [State([Source("grounds", {{"do": "hang"}}), fixed["norms"], fixed["authority"]])]
        )
    """)
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    with parent, parent.stdout:
        child = int(parent.stdout.readline())
        time.sleep(0.2)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    for _ in range(100):
        if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text():
            break
        time.sleep(0.1)
    else:
        pytest.fail("the process goes on without a parent")


def test_an_unmeasured_verdict_keeps_its_reason(tmp_path: Path) -> None:
    with both(tmp_path, "def decide(**sources):\n    return 'perhaps'\n") as one:
        verdict = one.adjudicator.adjudicate(states(one, "x"))[0]
    assert isinstance(verdict, Unmeasured) and verdict.reason == "label"
