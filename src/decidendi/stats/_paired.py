"""Tests of two answers on the same cases, and of several at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

K = TypeVar("K")


@dataclass(frozen=True)
class McNemar:
    """Two methods, right or wrong on the same cases, and the exact test that neither is better.

    Attributes:
        both: Cases both have right.
        first_only: Cases only the first has right.
        second_only: Cases only the second has right.
        neither: Cases neither has right.
        p: Exact two-sided p-value; 1 where no case tells them apart.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    p: float


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Compare two methods on the same independent cases, in the same order.

    Cases of one unit are not independent: compare those with ``paired_difference``.
    """
    cells = [[0, 0], [0, 0]]
    for one, other in zip(first, second, strict=True):
        cells[bool(one)][bool(other)] += 1
    (neither, second_only), (first_only, both) = cells
    p = mcnemar_p(first_only, second_only)
    return McNemar(both, first_only, second_only, neither, p)


def mcnemar_p(first_only: int, second_only: int) -> float:
    """Return the exact two-sided p-value from the discordant counts alone.

    Under "neither is better" each discordant case is a fair coin: twice the smaller tail.
    """
    if min(first_only, second_only) < 0:
        raise ValueError("counts are never negative")
    n = first_only + second_only
    term, tail = 1, 0  # term is C(n, i)
    for i in range(min(first_only, second_only) + 1):
        tail += term
        term = term * (n - i) // (i + 1)
    return float(min(Fraction(1), Fraction(2 * tail, 2**n)))


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """Return Holm's step-down adjusted p-values, under the same names and in the same order.

    Rejecting those at most alpha keeps the chance of any false rejection in the family at most
    alpha, whatever the dependence. A test that could not be measured is no member: leave it out.
    """
    adjusted: dict[K, float] = {}
    reached = 0.0
    for rank, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        if not 0 <= p <= 1:
            raise ValueError(f"{name!r}: {p} is not a p-value")
        reached = max(reached, min(1.0, (len(p_values) - rank) * p))
        adjusted[name] = reached
    return {name: adjusted[name] for name in p_values}
