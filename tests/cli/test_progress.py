"""What a log sees of a long run: a line now and then, and none of a quick one."""

import io
import sys
import threading

import pytest

from decidendi.cli._terminal import EVERY, Beat, watching


def test_a_line_is_said_after_every_wait_also_where_nothing_moved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    beat = Beat("auditing")
    steps = iter([None, (0, 1200), (12, 1200), (12, 1200)])

    def wait(seconds: float) -> bool:
        assert seconds == EVERY
        try:
            if told := next(steps):
                beat.watch(*told)
        except StopIteration:
            return True
        return False

    beat.go(wait)
    said = capsys.readouterr().err.splitlines()
    assert said == ["auditing: 0 of 1,200 (0%)"] + ["auditing: 12 of 1,200 (1%)"] * 2


def test_a_quick_run_says_nothing_to_a_log_and_a_quiet_one_is_not_watched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log, before = io.StringIO(), threading.active_count()
    monkeypatch.setattr(sys, "stderr", log)
    with watching("auditing") as watch:
        assert watch is not None
        watch(1, 1)
    assert log.getvalue() == ""
    assert threading.active_count() == before
    with watching("auditing", quiet=True) as watch:
        assert watch is None
