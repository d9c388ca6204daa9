"""What a log sees of a long run: a line now and then, and none of a quick one."""

import io
import sys

import pytest

from decidendi.cli._terminal import EVERY, now_and_then, watching


def test_a_line_is_said_every_half_minute_and_no_more(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    watch = now_and_then("auditing", lambda: now)
    for done in range(1, 11):
        now = done * EVERY / 4
        watch(done, 1200)
    assert capsys.readouterr().err == "auditing: 4 of 1,200 (0%)\nauditing: 8 of 1,200 (1%)\n"


def test_a_quick_run_says_nothing_to_a_log_and_a_quiet_one_is_not_watched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    with watching("auditing") as watch:
        assert watch is not None
        watch(1, 1)
    assert log.getvalue() == ""
    with watching("auditing", quiet=True) as watch:
        assert watch is None
