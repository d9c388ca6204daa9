"""Choosing a unit's cases: a pool of versions, an executed table, and quotas to fill from it.

A unit (clause or world) has a pool of versions of each source. Every pair of states drawn from
it is a transition whose cube is read off the executed table; the cases are those that fill the
unit's quotas over intervention masks and outcome classes. Because old and revised sources come
from one pool, no trait of a single version says on which side of the revision it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from decidendi.judgment import Adjudicator, Source, State
from decidendi.reasonbench._draw import Draw
from decidendi.reasonbench._policy import VERDICTS
from decidendi.reasonbench._records import KINDS
from decidendi.receipts import receipt_of_cube

MASKS = tuple(range(1 << len(KINDS)))
SINGLE = (1, 2, 4)
PAIRS = (3, 5, 6)
WHOLE = 7

Slot: TypeAlias = tuple[int, str]
"""A mask, and an outcome class: ``=`` stable, or the minimum size with ``u`` (one member) or
``a`` (ambiguous), as in ``1a``."""

_CLASSES = ("=", "1u", "1a", "2u", "2a", "3u")
_PAIRS = tuple(product(range(3), repeat=2))
_FIRST, _MOST = 1024, 16384
"""Transitions drawn per mask: at first, and at most, doubling while a quota stands empty."""

Indices: TypeAlias = NDArray[np.int64]


class InfeasibleError(Exception):
    """A pool in which some quota cannot be filled; the unit is drawn again from another pool."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One transition: its states and its executed cube."""

    old: State
    revised: State
    mask: int
    cube: tuple[str, ...]
    receipt: tuple[int, ...]


class Pool:
    """Versions of each kind of source, and the table of verdicts of all their combinations."""

    def __init__(
        self, adjudicator: Adjudicator, versions: Sequence[Sequence[Source]], cluster: int = 0
    ) -> None:
        """Execute every combination.

        Args:
            adjudicator: Executes the cells.
            versions: The versions of each kind, in the order of the kinds.
            cluster: Grounds come in runs of this length; a revision stays inside its run, as a
                revised record is still about the same matter. 0 for one run.
        """
        self.versions = tuple(tuple(own) for own in versions)
        self.sizes = tuple(map(len, self.versions))
        self.cluster = cluster or self.sizes[0]
        states = [State(sources) for sources in product(*self.versions)]
        # An unmeasured cell is no verdict: index raises, and the world is at fault.
        labels = [VERDICTS.index(verdict) for verdict in adjudicator.adjudicate(states)]
        self.table = np.array(labels, np.int64).reshape(self.sizes)

    def state(self, place: Sequence[int]) -> State:
        """Return the state made of the versions at ``place``."""
        return State(own[i] for own, i in zip(self.versions, place, strict=True))

    def draw(self, mask: int, n: int, draw: Draw) -> tuple[Indices, Indices]:
        """Draw ``n`` transitions that change exactly the kinds in ``mask``; two arrays (3, n)."""
        old = np.stack([draw.block(size, n) for size in self.sizes])
        new = old.copy()
        for kind, size in enumerate(self.sizes):
            if mask >> kind & 1:
                run = self.cluster if kind == 0 else size
                start = old[kind] - old[kind] % run
                new[kind] = start + (old[kind] - start + 1 + draw.block(run - 1, n)) % run
        return old, new

    def codes(self, old: Indices, new: Indices) -> Indices:
        """Return the cube of each transition as a number in base three, cell 0 highest."""
        code = np.zeros(old.shape[1], np.int64)
        for mask in MASKS:
            g, n, a = (new[i] if mask >> i & 1 else old[i] for i in range(3))
            code = 3 * code + self.table[g, n, a]
        return code


def cube_of(code: int) -> tuple[str, ...]:
    """Return the eight verdicts that a code stands for."""
    return tuple(VERDICTS[code // 3 ** (7 - mask) % 3] for mask in MASKS)


@lru_cache(maxsize=1)
def _outcomes() -> tuple[Indices, Indices]:
    """Return, for every possible cube, its outcome class and its endpoints as numbers."""
    classes, pairs = [], []
    for code in range(3**8):
        cube = cube_of(code)
        receipt = receipt_of_cube(dict(enumerate(cube)), KINDS)
        shape = f"{receipt.complexity}{'a' if receipt.ambiguous else 'u'}" if receipt else "="
        classes.append(_CLASSES.index(shape))
        pairs.append(3 * VERDICTS.index(cube[0]) + VERDICTS.index(cube[7]))
    return np.array(classes), np.array(pairs)


class _Candidates:
    """The transitions drawn for one mask, by outcome class and endpoints."""

    def __init__(self, pool: Pool, mask: int, wanted: set[int], draw: Draw) -> None:
        """Draw until each wanted class has occurred; raises ``InfeasibleError``."""
        n = _FIRST
        while True:
            self.old, self.new = pool.draw(mask, n, draw)
            self.codes = pool.codes(self.old, self.new)
            classes, pairs = (table[self.codes] for table in _outcomes())
            if wanted <= set(classes.tolist()):
                break
            n *= 2
            if n > _MOST:
                raise InfeasibleError(f"mask {mask}: no {[_CLASSES[i] for i in wanted]}")
        self.queues: dict[tuple[int, int], list[int]] = {}
        keys = 9 * classes + pairs
        for key in set(keys.tolist()):
            self.queues[divmod(key, 9)] = np.flatnonzero(keys == key)[::-1].tolist()

    def take(self, kind: int, pair: int, taken: set[tuple[int, ...]]) -> int | None:
        """Take the first transition of this class and these endpoints not taken before."""
        queue = self.queues.get((kind, pair), [])
        while queue:
            i = queue.pop()
            move = (*self.old[:, i].tolist(), *self.new[:, i].tolist())
            if move not in taken:
                taken.add(move)
                return i
        return None


def fill(pool: Pool, slots: Sequence[Slot], draw: Draw) -> list[Chosen]:
    """Choose one transition per slot, without repeats, evening out the endpoint pairs.

    Raises:
        InfeasibleError: if the pool does not yield some slot in a bounded number of draws.
    """
    wanted: dict[int, set[int]] = {}
    for mask, kind in slots:
        wanted.setdefault(mask, set()).add(_CLASSES.index(kind))
    candidates = {mask: _Candidates(pool, mask, wanted[mask], draw) for mask in sorted(wanted)}
    order = draw.shuffled(range(len(_PAIRS)))
    used: Counter[int] = Counter()
    taken: set[tuple[int, ...]] = set()
    chosen = []
    for mask, kind in slots:
        own = candidates[mask]
        for pair in sorted(order, key=lambda pair: used[pair]):
            if (i := own.take(_CLASSES.index(kind), pair, taken)) is not None:
                break
        else:
            raise InfeasibleError(f"mask {mask}: too few {kind}")
        used[pair] += 1
        cube = cube_of(int(own.codes[i]))
        exact = receipt_of_cube(dict(enumerate(cube)), KINDS)
        old, new = pool.state(own.old[:, i].tolist()), pool.state(own.new[:, i].tolist())
        chosen.append(Chosen(old, new, mask, cube, exact.masks if exact else ()))
    return chosen
