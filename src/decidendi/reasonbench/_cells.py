"""What can stand in a table, and its text for people. Shares stay exact until they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from decidendi.reasonbench._consistency import Consistency
from decidendi.reasonbench._scores import Score, Unscored
from decidendi.stats import Difference


@dataclass(frozen=True)
class Text:
    """Words or a count."""

    text: str


@dataclass(frozen=True)
class Expected:
    """A share that follows from the gold labels alone; nothing was run, so it has no interval."""

    share: float


@dataclass(frozen=True)
class Compared:
    """A difference that belongs to a family of tests.

    Attributes:
        difference: The difference, with its own p-value.
        adjusted: Its p-value adjusted over the family by Holm's procedure.
    """

    difference: Difference
    adjusted: float


Cell: TypeAlias = Score | Consistency | Difference | Compared | Expected | Text | Unscored


def shown(cell: Cell) -> str:
    """Return a cell as text: percentages, percentage points, intervals, and why one is absent."""
    match cell:
        case Text(text):
            return text
        case Unscored(why):
            return f"not measured: {why}"
        case Expected(share):
            return f"{100 * share:.1f}%"
        case Score():
            return _score(cell)
        case Consistency(score=score, floor=floor):
            return f"{_score(score)}, error ≥ {_percent(floor)}"
        case Compared(difference, adjusted):
            return f"{_points(difference)}, {_p(adjusted)}"
        case Difference():
            return _points(cell)


def _score(score: Score) -> str:
    """Render as ``98.41% (0.06) [97.20, 99.30]``: mean, spread over seeds, interval."""
    if score.mean is None:
        return "undefined (n = 0)"
    spread = "" if score.spread is None else f" ({100 * score.spread:.2f})"
    low, high = score.rate.low, score.rate.high
    ends = "" if low is None or high is None else f" [{100 * low:.2f}, {100 * high:.2f}]"
    return f"{_percent(score.mean)}{spread}{ends}"


def _points(difference: Difference) -> str:
    """Render as ``-1.42 pp [-2.87, -0.30]``."""
    if difference.value is None:
        return difference.method
    low, high = difference.low, difference.high
    ends = "" if low is None or high is None else f" [{100 * low:.2f}, {100 * high:.2f}]"
    return f"{100 * difference.value:+.2f} pp{ends}"


def _percent(share: float | None) -> str:
    return "undefined" if share is None else f"{100 * share:.2f}%"


def _p(p: float) -> str:
    return f"p = {p:.4f}" if p >= 0.0001 else "p < 0.0001"
