"""Rule 6(a): leave out the day of the event, count every day, end on a day that counts."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decidendi.legal import closed, days_after, years_after

DAYS = st.dates(date(2000, 1, 1), date(2060, 1, 1)).map(date.isoformat)


@pytest.mark.parametrize(
    ("day", "why"),
    [
        ("2024-01-01", "New Year's Day"),
        ("2024-01-15", "Martin Luther King, Jr.'s Birthday"),
        ("2024-02-19", "Washington's Birthday"),
        ("2024-05-27", "Memorial Day"),
        ("2021-05-31", "Memorial Day"),
        ("2024-06-19", "Juneteenth National Independence Day"),
        ("2024-07-04", "Independence Day"),
        ("2024-09-02", "Labor Day"),
        ("2024-10-14", "Columbus Day"),
        ("2024-11-11", "Veterans Day"),
        ("2024-11-28", "Thanksgiving Day"),
        ("2024-12-25", "Christmas Day"),
        ("2021-07-05", "the observance of Independence Day"),  # the 4th was a Sunday
        ("2020-07-03", "the observance of Independence Day"),  # the 4th was a Saturday
        ("2021-12-31", "the observance of New Year's Day"),  # January 1, 2022 was a Saturday
        ("2024-03-16", "a Saturday"),
        ("2024-03-17", "a Sunday"),
        ("2024-03-18", None),
        ("2024-11-29", None),
        ("2024-05-20", None),
    ],
)
def test_days_on_which_no_period_ends(day, why) -> None:
    assert closed(day) == why


@pytest.mark.parametrize(
    ("start", "count", "last", "end"),
    [
        ("2025-03-03", 21, "2025-03-24", "2025-03-24"),
        ("2025-05-05", 21, "2025-05-26", "2025-05-27"),  # Memorial Day
        ("2025-03-01", 14, "2025-03-15", "2025-03-17"),  # a Saturday
        ("2025-06-05", 30, "2025-07-05", "2025-07-07"),  # the weekend after the 4th
        ("2024-12-04", 21, "2024-12-25", "2024-12-26"),
        ("2024-01-30", 30, "2024-02-29", "2024-02-29"),
        ("2025-11-07", 20, "2025-11-27", "2025-11-28"),  # Thanksgiving
    ],
)
def test_known_deadlines(start, count, last, end) -> None:
    period = days_after(start, count)
    assert (period.last, period.end) == (last, end)


def test_a_year() -> None:
    assert years_after("2023-03-15", 1).end == "2024-03-15"
    assert years_after("2024-02-29", 1).last == "2025-02-28"
    assert years_after("2024-06-15", 1).end == "2025-06-16"  # a Sunday


@given(DAYS, st.integers(1, 400))
def test_the_laws_of_counting(start, count) -> None:
    period = days_after(start, count)
    plain = (date.fromisoformat(start) + timedelta(days=count)).isoformat()
    assert period.last == plain
    assert closed(period.end) is None
    assert plain <= period.end <= (date.fromisoformat(plain) + timedelta(days=5)).isoformat()
    assert [day for day, _ in period.skipped] == [
        (date.fromisoformat(plain) + timedelta(days=i)).isoformat()
        for i in range(len(period.skipped))
    ]
    assert all(why == closed(day) for day, why in period.skipped)
    assert (period.end == plain) == (closed(plain) is None)
    assert days_after(start, count + 1).end >= period.end, "a longer period never ends earlier"
