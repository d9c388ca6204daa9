"""Figures as the commands print them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decidendi.stats import Difference


def p_value(value: float | None) -> str:
    """Return a p-value; below 0.001 only that it is."""
    if value is None:
        return "no p"
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def points(difference: Difference, unit: str = " points") -> str:
    """Return a difference of shares in percentage points, with its interval if there is one."""
    if difference.value is None:
        return "undefined"
    ends = ""
    if difference.low is not None and difference.high is not None:
        ends = f" [{100 * difference.low:+.1f}, {100 * difference.high:+.1f}]"
    return f"{100 * difference.value:+.1f}{unit}{ends}"
