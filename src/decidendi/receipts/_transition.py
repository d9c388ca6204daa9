"""Transitions, and one transition under way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from decidendi.judgment import Case, Reason, Source, State, Unmeasured, Verdict
from decidendi.receipts._certificate import changed_mask
from decidendi.receipts._walk import Walk

Key = tuple[str, ...]
"""The digests of a state's sources, in order."""


@dataclass(frozen=True, slots=True)
class Transition:
    """A case with an old and a revised local state.

    Attributes:
        case: The case.
        old: The old state; the parts of it that can affect this case.
        revised: The revised state, likewise.
        migrated: The old state in the revised form, where migrations are declared. Hybrids are
            then built from it, and its verdict must equal the old state's.
    """

    case: Case
    old: State
    revised: State
    migrated: State | None = None


class Contract(Protocol):
    """The interface that hybrids must fit: schemas, checked before the engine sees a source."""

    def problem(self, source: Source, sides: int) -> str | None:
        """Return what makes ``source`` ill-typed in a hybrid, or None.

        Args:
            source: One source of the hybrid.
            sides: Which versions the hybrid draws sources from: 1 old, 2 revised, 3 both. A
                hybrid of both must be well-typed in both.
        """
        ...


class Progress:
    """One transition under way: its executed cells so far."""

    __slots__ = ("base", "before", "cells", "changed", "draws", "interior", "transition", "walk")

    def __init__(self, transition: Transition) -> None:
        self.transition = transition
        self.base = transition.migrated or transition.old
        self.changed = changed_mask(self.base.key, transition.revised.key)
        self.cells: dict[int, Verdict] = {}
        self.draws: dict[int, tuple[Verdict, ...]] = {}
        self.interior: list[int] = []
        self.before: Verdict | None = None
        self.walk: Walk | None = None

    def key(self, mask: int) -> Key:
        """Return the key of the hybrid that replaces the kinds in ``mask``."""
        if mask == 0:
            return self.base.key
        if mask == self.changed:
            return self.transition.revised.key
        old, new = self.base.key, self.transition.revised.key
        return tuple([new[i] if mask >> i & 1 else old[i] for i in range(len(old))])

    def state(self, mask: int, key: Key | None = None) -> State:
        """Build the hybrid that replaces the kinds in ``mask``; ``key`` is its key, if at hand."""
        if mask == 0:
            return self.base
        if mask == self.changed:
            return self.transition.revised
        old, new = self.base.sources, self.transition.revised.sources
        return State([new[i] if mask >> i & 1 else old[i] for i in range(len(old))], key)

    def sides(self, mask: int) -> int:
        """Which versions the hybrid draws from: 1 old, 2 revised, 3 both.

        A migrated old source is in the revised form, so its hybrids answer to it alone.
        """
        if self.transition.migrated is not None:
            return 2
        return (mask != self.changed or not self.changed) | (mask != 0) << 1


def ill_typed(contract: Contract, progress: Progress, mask: int) -> Unmeasured | None:
    """Return the error cell of a hybrid that does not fit its interface; None if it fits."""
    sides = progress.sides(mask)
    old, new = progress.base.sources, progress.transition.revised.sources
    for i in range(len(old)):
        source = new[i] if mask >> i & 1 else old[i]
        if (problem := contract.problem(source, sides)) is not None:
            return Unmeasured(Reason.INTERFACE, f"{source.kind}: {problem}")
    return None
