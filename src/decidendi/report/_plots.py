"""Dots and whiskers in table rows: every figure is a table, and every row draws its own line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, log10

from decidendi.report._content import RateFigure
from decidendi.report._figures import DifferenceFigure
from decidendi.report._text import number, percent

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class Tick:
    """A grid line: where it stands in percent of the width, its label, and how that is aligned."""

    at: float
    label: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear axis from ``low`` to ``high``."""

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def at(self, value: float) -> float:
        """Return where a value stands, in percent of the width; values outside stand at an end."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)


@dataclass(frozen=True, slots=True)
class PlotRow:
    """One row: a label, a mark with its whiskers, and the same in words.

    Attributes:
        label: What it is.
        value: The value in words, or why there is none.
        at: Where the mark stands; None draws nothing.
        ends: Where the interval begins and ends.
        spread: Where the spread over seeds begins and ends.
        known: Whether there is a value.
        shape: ``dot``, ``ring``, ``square`` or ``diamond``.
        interval: The interval in words.
        count: The counts in words.
        note: A further remark.
    """

    label: str
    value: str
    at: float | None = None
    ends: tuple[float, float] | None = None
    spread: tuple[float, float] | None = None
    known: bool = True
    shape: str = "dot"
    interval: str = ""
    count: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class PlotGroup:
    """Rows under a heading; an empty heading is not shown."""

    heading: str
    rows: tuple[PlotRow, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure that is a table: its axis and its rows."""

    axis: Axis
    groups: tuple[PlotGroup, ...]


def share_axis(lowest: float = 0.0) -> Axis:
    """Return an axis of shares that ends at 100% and begins at a round share below ``lowest``."""
    low = next(start for start in (0.98, 0.95, 0.9, 0.8, 0.6, 0.0) if start <= max(0.0, lowest))
    return _axis(low, 1.0, lambda x: f"{_plain(100 * x)}%")


def upward_axis(highest: float) -> Axis:
    """Return an axis of shares from 0 to a round share not below ``highest``."""
    return _axis(0.0, min(1.0, _round_up(max(highest, 0.001))), lambda x: f"{_plain(100 * x)}%")


def difference_axis(size: float) -> Axis:
    """Return an axis of differences around 0, in percentage points."""
    size = next(end for end in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if end >= min(1.0, size))
    return _axis(-size, size, lambda x: _with_sign(100 * x))


def signed_axis(size: float) -> Axis:
    """Return an axis around 0 in the values' own unit."""
    size = _round_up(max(size, 0.01))
    return _axis(-size, size, _with_sign)


def _plain(value: float) -> str:
    return f"{round(value, 6):g}"


def _with_sign(value: float) -> str:
    sign = "" if value == 0 else MINUS if value < 0 else "+"
    return f"{sign}{_plain(abs(value))}"


def signed(value: float, digits: int) -> str:
    """Return a value with its sign: ``+1.4``, a minus sign below zero, ``0.0``."""
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    return f"{MINUS if value < 0 else '+'}{text}"


def _round_up(value: float) -> float:
    """Return the least value not below it of which a quarter is a short number."""
    unit = 10.0 ** floor(log10(value))
    return next(step * unit for step in (1, 2, 4, 8, 10) if step * unit >= value * (1 - 1e-9))


def _axis(low: float, high: float, words: Callable[[float], str]) -> Axis:
    ticks = []
    for i in range(5):
        anchor = "start" if i == 0 else "end" if i == 4 else "middle"
        ticks.append(Tick(25.0 * i, words(low + (high - low) * i / 4), anchor))
    return Axis(low, high, tuple(ticks))


def rate_row(label: str, rate: RateFigure | None, axis: Axis, shape: str = "dot") -> PlotRow:
    """Return a share's row; one that was not measured, or is undefined, says so."""
    if rate is None:
        return PlotRow(label, "not measured", known=False, shape=shape)
    at = axis.at(rate.numerator / rate.n) if rate.n else None
    return PlotRow(
        label,
        percent(rate.numerator, rate.n),
        at,
        _ends(axis, rate.low, rate.high) if rate.n else None,
        known=rate.n > 0,
        shape=shape,
        interval=interval_words(rate.low, rate.high) if rate.n else "",
        count=count_words(rate),
    )


def difference_row(label: str, difference: DifferenceFigure, axis: Axis) -> PlotRow:
    """Return a difference's row, in percentage points."""
    if difference.value is None:
        return PlotRow(label, "undefined", known=False, count=f"n = {number(difference.n)}")
    return PlotRow(
        label,
        points(difference.value),
        axis.at(difference.value),
        _ends(axis, difference.low, difference.high),
        interval=points_interval(difference.low, difference.high),
        count=f"n = {number(difference.n)}",
    )


def _ends(axis: Axis, low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (axis.at(low), axis.at(high))


def interval_words(low: float | None, high: float | None, digits: int = 1) -> str:
    """Return ``14.8 to 51.9%``; empty without an interval."""
    if low is None or high is None:
        return ""
    return f"{100 * low:.{digits}f} to {100 * high:.{digits}f}%"


def points(value: float, digits: int = 1) -> str:
    """Return a difference of shares: ``+1.4 points``."""
    return f"{signed(100 * value, digits)} points"


def points_interval(low: float | None, high: float | None, digits: int = 1) -> str:
    """Return ``+0.3 to +2.9``; empty without an interval."""
    if low is None or high is None:
        return ""
    return f"{signed(100 * low, digits)} to {signed(100 * high, digits)}"


def count_words(rate: RateFigure) -> str:
    """Return ``9 of 27``."""
    return f"{number(rate.numerator)} of {number(rate.n)}"


def left_out(excluded: Sequence[tuple[str, int]]) -> str:
    """Return ``left out: 3 control: not-converged; 1 target: refused``; empty for nothing."""
    if not excluded:
        return ""
    return "left out: " + "; ".join(f"{number(n)} {reason}" for reason, n in excluded)
