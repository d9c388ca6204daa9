"""Shares with intervals. A share of nothing is undefined, never zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist

LEVEL = 0.95
"""The confidence level of every interval, unless the caller says otherwise."""


@dataclass(frozen=True)
class Rate:
    """A share of measured observations, with its interval.

    Attributes:
        numerator: How many of them hit.
        n: How many were measured: the denominator. Excluded ones are not in it.
        low: Lower end of the interval, as a share in [0, 1]; None where it is undefined.
        high: Upper end, likewise.
        method: How the interval was made, in words for people.
        excluded: How many observations were left out, by reason.
    """

    numerator: int
    n: int
    low: float | None
    high: float | None
    method: str
    excluded: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.numerator <= self.n:
            raise ValueError(f"{self.numerator} hits of {self.n} observations")
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has both ends or none")

    @property
    def share(self) -> float | None:
        """``numerator / n``; None if nothing was measured."""
        return self.numerator / self.n if self.n else None

    def __str__(self) -> str:
        """Render as ``9/27 = 33.3% [14.8, 51.9]``."""
        if (share := self.share) is None:
            return "undefined (n = 0)"
        shown = f"{self.numerator}/{self.n} = {100 * share:.1f}%"
        if self.low is None or self.high is None:
            return shown
        return f"{shown} [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def wilson_interval(numerator: int, n: int, *, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's score interval for ``numerator`` of ``n`` independent observations.

    Raises:
        ValueError: if ``n`` is 0: nothing was observed.
    """
    if n == 0:
        raise ValueError("no observation, no interval")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = numerator / n
    centre = share + z * z / (2 * n)
    spread = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    scale = 1 + z * z / n
    # At 0 and n the ends are exactly 0 and 1; rounding must not put the share outside.
    low = 0.0 if numerator == 0 else (centre - spread) / scale
    high = 1.0 if numerator == n else (centre + spread) / scale
    return low, high


def wilson_rate(
    numerator: int, n: int, *, excluded: Mapping[str, int] | None = None, level: float = LEVEL
) -> Rate:
    """Return the rate of ``numerator`` in ``n`` independent observations."""
    left_out = dict(excluded or {})
    if n == 0:
        return Rate(0, 0, None, None, "undefined: nothing measured", left_out)
    low, high = wilson_interval(numerator, n, level=level)
    return Rate(numerator, n, low, high, f"Wilson {level:.0%}", left_out)
