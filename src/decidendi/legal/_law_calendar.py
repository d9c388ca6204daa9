"""Computing time: Fed. R. Civ. P. 6(a)(1), which Fed. R. App. P. 26(a)(1) repeats.

The day of the event is left out, every day after it is counted, and if the last one is a
Saturday, a Sunday or a legal holiday, the period runs to the end of the next day that is none.

Legal holidays are those of Rule 6(a)(6)(A), with Juneteenth (28 U.S.C. and 5 U.S.C. § 6103 as
amended in 2021). One that falls on a Saturday is taken as observed on the Friday before
(5 U.S.C. § 6103(b)(1)), one on a Sunday on the Monday after (Executive Order 11582). State
holidays, Rule 6(a)(6)(C), and days on which the clerk's office is inaccessible are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

_ONE = timedelta(days=1)

_FIXED = {
    (1, 1): "New Year's Day",
    (6, 19): "Juneteenth National Independence Day",
    (7, 4): "Independence Day",
    (11, 11): "Veterans Day",
    (12, 25): "Christmas Day",
}
# Month, weekday (Monday is 0), and which one of the month (-1: the last).
_FLOATING = {
    (1, 0, 3): "Martin Luther King, Jr.'s Birthday",
    (2, 0, 3): "Washington's Birthday",
    (5, 0, -1): "Memorial Day",
    (9, 0, 1): "Labor Day",
    (10, 0, 2): "Columbus Day",
    (11, 3, 4): "Thanksgiving Day",
}


@dataclass(frozen=True, slots=True)
class Period:
    """A counted period.

    Attributes:
        start: The day of the event, which is not counted. ISO, as all here.
        last: The last day of the plain count.
        end: The last day on which to act.
        skipped: Why the end is later than ``last``: each skipped day with its reason.
    """

    start: str
    last: str
    end: str
    skipped: tuple[tuple[str, str], ...]


def days_after(start: str, count: int) -> Period:
    """Count ``count`` days from the event on ``start``."""
    return _rolled(start, date.fromisoformat(start) + timedelta(days=count))


def years_after(start: str, count: int) -> Period:
    """Go to the same date ``count`` years later; from February 29 to February 28."""
    day = date.fromisoformat(start)
    try:
        last = day.replace(year=day.year + count)
    except ValueError:
        last = day.replace(year=day.year + count, day=28)
    return _rolled(start, last)


def shifted(day: str, count: int) -> str:
    """Return the day ``count`` days later; earlier if negative. Nothing is skipped."""
    return (date.fromisoformat(day) + timedelta(days=count)).isoformat()


def closed(day: str) -> str | None:
    """Say why a period cannot end on this day; None if it can."""
    return _closed(date.fromisoformat(day))


def _rolled(start: str, last: date) -> Period:
    end, skipped = last, []
    while why := _closed(end):
        skipped.append((end.isoformat(), why))
        end += _ONE
    return Period(start, last.isoformat(), end.isoformat(), tuple(skipped))


def _closed(day: date) -> str | None:
    if day.weekday() >= 5:
        return "a Saturday" if day.weekday() == 5 else "a Sunday"
    return _holidays(day.year).get(day)


@lru_cache(maxsize=64)
def _holidays(year: int) -> dict[date, str]:
    """The weekdays of a year on which a legal holiday is observed."""
    found: dict[date, str] = {}
    # New Year's Day of the next year may be observed on December 31 of this one.
    for of in (year, year + 1):
        for (month, number), name in _FIXED.items():
            day = date(of, month, number)
            moved = {5: day - _ONE, 6: day + _ONE}.get(day.weekday(), day)
            said = name if moved == day else f"the observance of {name}"
            if moved.year == year:
                found[moved] = said
    for (month, weekday, which), name in _FLOATING.items():
        found[_nth(year, month, weekday, which)] = name
    return found


def _nth(year: int, month: int, weekday: int, which: int) -> date:
    first = date(year, month, 1)
    day = first + timedelta(days=(weekday - first.weekday()) % 7)
    if which > 0:
        return day + timedelta(weeks=which - 1)
    while (day + timedelta(weeks=1)).month == month:
        day += timedelta(weeks=1)
    return day
