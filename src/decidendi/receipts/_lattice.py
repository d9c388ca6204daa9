"""Subsets of kinds as bit masks: bit i stands for the i-th declared kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache


@lru_cache(maxsize=256)
def levels(changed: int) -> tuple[tuple[int, ...], ...]:
    """Return the strict, non-empty subsets of ``changed``, one tuple per size 1 … k-1."""
    k = changed.bit_count()
    by_size: list[list[int]] = [[] for _ in range(k + 1)]
    subset = changed
    while subset:
        by_size[subset.bit_count()].append(subset)
        subset = (subset - 1) & changed
    return tuple(tuple(sorted(masks)) for masks in by_size[1:k])


def strictly_inside(member: int, mask: int) -> bool:
    """Say whether ``member`` is a strict subset of ``mask``."""
    return member != mask and member & ~mask == 0


def in_order(masks: Iterable[int]) -> tuple[int, ...]:
    """Sort masks by size, then by kind order."""
    return tuple(sorted(masks, key=lambda mask: (mask.bit_count(), mask)))


def names_of(mask: int, kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds in ``mask``, in declared order."""
    return tuple(kind for i, kind in enumerate(kinds) if mask >> i & 1)


def mask_of(names: Iterable[str], kinds: Sequence[str]) -> int:
    """Return the mask of ``names``; raises ``ValueError`` for an unknown or repeated kind."""
    mask = 0
    for name in names:
        if name not in kinds:
            raise ValueError(f"{name!r} is not one of the kinds {', '.join(kinds)}")
        bit = 1 << list(kinds).index(name)
        if mask & bit:
            raise ValueError(f"{name!r} stands twice")
        mask |= bit
    return mask
