"""Seeded draws that are the same on every machine, Python and numpy.

``random`` promises little about its derived draws across versions; a frozen benchmark needs
all of it. SplitMix64 (Steele, Lea and Flood, 2014), seeded by SHA-256 of a text that says what
is being drawn, so that every unit has its own stream and none depends on another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T")
_MASK = (1 << 64) - 1


class Draw:
    """One stream of draws, named by what it is for."""

    __slots__ = ("_state",)

    def __init__(self, *purpose: object) -> None:
        """Seed from the texts of ``purpose``, e.g. ``Draw(seed, "world", 17)``."""
        text = "\x1f".join(str(part) for part in purpose)
        self._state = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def bits(self) -> int:
        """Return 64 uniform bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return a uniform integer in [0, n); the bias of 64 bits is beyond notice."""
        return self.bits() * n >> 64

    def block(self, n: int, count: int) -> NDArray[np.int64]:
        """Return ``count`` uniform integers in [0, n), n < 2^31: the same stream, at once."""
        steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = steps + np.uint64(self._state)
        self._state = int(z[-1]) if count else self._state
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
        return ((z >> np.uint64(32)) * np.uint64(n) >> np.uint64(32)).astype(np.int64)

    def chance(self, percent: int) -> bool:
        """Return true in ``percent`` of 100."""
        return self.below(100) < percent

    def pick(self, items: Sequence[_T]) -> _T:
        """Return one item."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[_T], n: int) -> list[_T]:
        """Return ``n`` different items in random order."""
        return self.shuffled(items)[:n]

    def some(self, items: Sequence[_T], percent: int) -> list[_T]:
        """Return the items in order, each kept in ``percent`` of 100."""
        return [item for item in items if self.chance(percent)]

    def shuffled(self, items: Sequence[_T]) -> list[_T]:
        """Return the items in random order (Fisher and Yates)."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out
