"""Typed values in words: dates as ISO text, money in integer cents, lists, counts of days.

One template and its values make one sentence, so that a sentence with another value (an
amended rule, a planted error) is the same template filled again.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any


def say(template: str, values: Mapping[str, Any]) -> str:
    """Fill a template: ``{x}`` is a text or an integer as it is, ``{x:money}`` cents in words.

    The formats are date, weekday, money, list, or, days, years and times.

    Raises:
        KeyError: if a value is missing.
    """
    return _FORMATTER.vformat(template, (), values)


def in_words(iso: str) -> str:
    """``2024-07-05`` as "July 5, 2024"."""
    day = date.fromisoformat(iso)
    return f"{MONTHS[day.month - 1]} {day.day}, {day.year}"


def weekday(iso: str) -> str:
    """The day of the week, as "Friday"."""
    return WEEKDAYS[date.fromisoformat(iso).weekday()]


def money(cents: int) -> str:
    """Cents as dollars: "$75,000" or "$75,000.01"."""
    dollars, rest = divmod(cents, 100)
    return f"${dollars:,}" + (f".{rest:02d}" if rest else "")


def joined(items: Sequence[str], word: str = "and") -> str:
    """Join names: "A", "A and B", "A, B and C"."""
    if len(items) < 2:
        return items[0] if items else "none"
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def days(count: int) -> str:
    """Count days: "1 day", "21 days"."""
    return f"{count} day" if count == 1 else f"{count} days"


def years(count: int) -> str:
    """Count years: "1 year", "2 years"."""
    return f"{count} year" if count == 1 else f"{count} years"


def times(count: int) -> str:
    """Count occasions: "never", "once", "twice", "3 times"."""
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


# Not strftime: its names follow the machine's locale.
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_FORMATS: dict[str, Callable[[Any], str]] = {
    "date": in_words,
    "weekday": weekday,
    "money": money,
    "list": joined,
    "or": lambda items: joined(items, "or"),
    "days": days,
    "years": years,
    "times": times,
}


class _Formatter(string.Formatter):
    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: ANN401 - the base class says so
        return kwargs[str(key)]

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 - see above
        if format_spec:
            return _FORMATS[format_spec](value)
        if type(value) not in (str, int):
            raise TypeError(f"{value!r} needs a format")
        return str(value)


_FORMATTER = _Formatter()
