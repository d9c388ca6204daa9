"""An anytime-valid test of "this label has probability above one half"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import comb


def evidence_above_half(hits: int, n: int) -> Fraction:
    """Return the e-value against "probability at most 1/2" after ``hits`` in ``n`` draws.

    The likelihood ratio of every p > 1/2 against 1/2, mixed uniformly over p in (1/2, 1]. Each
    ratio is a non-negative supermartingale under any true probability up to 1/2, hence so is
    the mixture, and by Ville's inequality it ever reaches 1/alpha with probability at most
    alpha, at whatever draw one chooses to look. In closed form it is a ratio of integers:
    sum of C(n+1, i) for i <= hits, over (n+1) C(n, hits).
    """
    return Fraction(sum(comb(n + 1, i) for i in range(hits + 1)), (n + 1) * comb(n, hits))


def first_majority(
    draws: Iterable[str | None], *, level: Fraction, labels: int
) -> tuple[str, int] | None:
    """Return the first label shown to have probability above one half, or None.

    Args:
        draws: Labels in the order drawn; None is a draw that gave no label, and is passed over.
        level: The probability of naming a label whose probability is at most one half.
        labels: How many labels there are; the level is shared equally among them.

    Returns:
        The label whose evidence first reaches ``labels / level``, and after how many draws
        (those passed over included); None if none does.
    """
    bar = labels / level
    seen: Counter[str] = Counter()
    n = 0
    for drawn, label in enumerate(draws, 1):
        if label is None:
            continue
        seen[label] += 1
        n += 1
        if 2 * seen[label] > n and evidence_above_half(seen[label], n) >= bar:
            return label, drawn
    return None


@lru_cache(maxsize=64)
def fewest_draws(*, level: Fraction, labels: int) -> int:
    """Return how many unanimous draws decide: the least n with (2^(n+1) - 1)/(n+1) at the bar."""
    n = 1
    while evidence_above_half(n, n) < labels / level:
        n += 1
    return n
