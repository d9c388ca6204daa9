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


def sign_flip_p(differences: Sequence[int]) -> float:
    """Return the exact two-sided p-value that units favour neither of two methods.

    If neither is better, each unit's difference is as likely as its negative, whatever the
    dependence inside the unit. p is the chance, over all signs, of a sum at least as far from
    zero. Where each unit has one item this is McNemar's exact test.

    Args:
        differences: Per unit, how many items only the first has right less how many only the
            second has.
    """
    sizes = [abs(d) for d in differences if d]
    if all(size == 1 for size in sizes):
        return mcnemar_p(sum(d > 0 for d in differences), sum(d < 0 for d in differences))
    import numpy as np

    total = sum(sizes)
    chances = np.zeros(2 * total + 1)  # of each sum from -total to total
    chances[total] = 1.0
    for size in sizes:
        both = np.zeros_like(chances)
        both[size:] += chances[:-size] / 2
        both[:-size] += chances[size:] / 2
        chances = both
    sums = np.arange(-total, total + 1)
    return min(1.0, float(chances[abs(sums) >= abs(sum(differences))].sum()))


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
