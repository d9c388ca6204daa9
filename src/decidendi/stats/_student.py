"""Student's t, from its closed form for whole degrees of freedom."""

from __future__ import annotations

from functools import lru_cache
from math import atan2, cos, pi, sin, sqrt, tan
from statistics import NormalDist

_MANY = 1_000
"""Above this the expansion around the normal quantile is good to eight digits."""


def t_within(t: float, freedom: int) -> float:
    """Return the probability that ``|T|`` is at most ``t`` with ``freedom`` degrees of freedom."""
    return _within(atan2(t, sqrt(freedom)), freedom)


@lru_cache(maxsize=4096)
def t_quantile(level: float, freedom: int) -> float:
    """Return the t with ``P(|T| <= t) = level``: how many standard errors an interval reaches.

    Raises:
        ValueError: if there is no degree of freedom.
    """
    if freedom < 1:
        raise ValueError("no degree of freedom is left")
    if freedom > _MANY:
        z = NormalDist().inv_cdf((1 + level) / 2)
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        return z + first / freedom + second / freedom**2
    low, high = 0.0, pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < level else (low, middle)
    return tan((low + high) / 2) * sqrt(freedom)


def _within(angle: float, freedom: int) -> float:
    """Sum the finite series in ``angle = atan(t / sqrt(freedom))`` (Abramowitz & Stegun 26.7.3)."""
    squared = cos(angle) ** 2
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= squared * (k - 1) / k
        total += term
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
