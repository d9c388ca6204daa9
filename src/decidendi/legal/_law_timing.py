"""The shape that most of procedure has: an act, and a time for it counted from an event."""

from __future__ import annotations

from decidendi.legal._law_calendar import Period, days_after
from decidendi.legal._law_trace import Trace

MAIL_DAYS = 3
"""Added after service by mail, Fed. R. Civ. P. 6(d)."""


def after(trace: Trace, element: str, use: int, start: str, count: int) -> tuple[int, Period]:
    """Count days from an event, as a step."""
    period = days_after(start, count)
    return trace.period(element, (use,), "days", count, period), period


def with_mail(
    trace: Trace, element: str, use: int, path: str, period: Period
) -> tuple[int, Period]:
    """Add the days that service by mail gives (Rule 6(d)): after the period has run out.

    The period so lengthened again does not end on a day that Rule 6(a) skips.
    """
    mailed = trace.fact(
        element,
        path,
        "Service was made by mail, which under Rule 6(d) adds {more:days} after the period would "
        "otherwise end on {end:date}.",
        more=MAIL_DAYS,
        end=period.end,
    )
    longer = days_after(period.end, MAIL_DAYS)
    return trace.period(element, (use, mailed), "days", MAIL_DAYS, longer), longer


def in_time(  # one sentence needs all of these
    trace: Trace, element: str, uses: tuple[int, ...], act: str, done: str, end: str
) -> tuple[int, bool]:
    """Compare the day of an act with the last day for it, and say whether it was in time."""
    seen, timely = trace.compare(
        element,
        uses,
        ("done", "<=", "end"),
        "{done:date} is not later than {end:date}.",
        "{done:date} is later than {end:date}.",
        done=done,
        end=end,
    )
    text = "{act} was in time." if timely else "{act} was too late."
    return trace.element(element, timely, (seen,), text, act=act)
