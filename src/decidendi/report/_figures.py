"""Figures that several pages share: differences between shares, and paired shifts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DifferenceFigure:
    """One share minus another on the same cases.

    Attributes:
        name: ``net of paraphrase``, …
        meaning: One sentence: what is taken from what.
        value: The difference, in [-1, 1]; None where either share is undefined.
        n: Cases that have both.
        low: Lower end of its interval; None if there is none.
        high: Upper end.
        p: Two-sided p-value of "no difference"; None if there is none.
        adjusted: The same, adjusted over its family of tests.
        method: How interval and test were made.
        excluded: What is left out of ``n``, by reason.
    """

    name: str
    meaning: str
    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted: float | None = None
    method: str = ""
    excluded: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShiftFigure:
    """A mean paired change of log-odds between a condition and the target.

    Attributes:
        name: The condition's title.
        meaning: One sentence: towards what a positive shift goes.
        mean: In nats; None where nothing was measured.
        n: Cases with a margin in both.
        low: Lower end of its interval; None if there is none.
        high: Upper end.
        absolute: Mean size of the change, whatever its direction; None where unmeasured.
    """

    name: str
    meaning: str
    mean: float | None
    n: int
    low: float | None = None
    high: float | None = None
    absolute: float | None = None
