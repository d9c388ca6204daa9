"""Receipts. An executed one and a predicted one are different types, on purpose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from decidendi.receipts._lattice import in_order, levels, mask_of, names_of
from decidendi.receipts._walk import Walk


@dataclass(frozen=True, slots=True)
class Receipt:
    """The complete family of inclusion-minimal reproducing sets, from executed cells.

    Chen & Zhang, section 3.2. Only certification makes one.

    Attributes:
        kinds: The evaluator's kinds, in declared order.
        masks: The members as bit masks over ``kinds``, by size and then kind order.
    """

    kinds: tuple[str, ...]
    masks: tuple[int, ...]

    @property
    def members(self) -> tuple[tuple[str, ...], ...]:
        """The members as names of kinds."""
        return tuple(names_of(mask, self.kinds) for mask in self.masks)

    @property
    def complexity(self) -> int:
        """The size of the smallest member."""
        return self.masks[0].bit_count()

    @property
    def multiplicity(self) -> int:
        """The number of members; at most C(k, floor(k/2))."""
        return len(self.masks)

    @property
    def ambiguous(self) -> bool:
        """Whether more than one minimal set reproduces the revised verdict."""
        return len(self.masks) > 1

    def __str__(self) -> str:
        """Render as in ``grounds | norms + authority``."""
        return " | ".join(" + ".join(member) for member in self.members)


@dataclass(frozen=True, slots=True)
class PredictedReceipt:
    """What somebody *says* the receipt is. Never a certificate, whatever it holds.

    Attributes:
        kinds: The evaluator's kinds, in declared order.
        masks: The claimed members, by size and then kind order; empty claims "no change".
    """

    kinds: tuple[str, ...]
    masks: tuple[int, ...]

    @classmethod
    def of(cls, members: Iterable[Iterable[str]], kinds: Sequence[str]) -> PredictedReceipt:
        """Make one from names of kinds; raises ``ValueError`` on an unknown kind."""
        return cls(tuple(kinds), in_order({mask_of(member, kinds) for member in members}))

    def matches(self, executed: Receipt | None) -> bool:
        """Whether it equals the executed receipt; an empty prediction matches "no receipt"."""
        return self.masks == (executed.masks if executed else ())


def receipt_of_cube(cube: Mapping[int, str], kinds: Sequence[str]) -> Receipt | None:
    """Derive the receipt of a fully executed cube by definition, not by the walk.

    Args:
        cube: A label for every subset of ``kinds``, by mask.
        kinds: The evaluator's kinds.

    Returns:
        The receipt, or None where the endpoints agree.
    """
    whole = (1 << len(kinds)) - 1
    if cube[0] == cube[whole]:
        return None
    reproducing = [mask for row in levels(whole) for mask in row if cube[mask] == cube[whole]]
    reproducing.append(whole)
    minimal = [
        mask
        for mask in reproducing
        if not any(other != mask and other & ~mask == 0 for other in reproducing)
    ]
    return Receipt(tuple(kinds), in_order(minimal))


def receipt_by_walk(cube: Mapping[int, str], kinds: Sequence[str]) -> tuple[Receipt | None, int]:
    """Derive the receipt by the walk; also return how many interior cells it looked at."""
    whole = (1 << len(kinds)) - 1
    if cube[0] == cube[whole]:
        return None, 0
    walk = Walk(whole, cube[whole])
    executed = 0
    while needed := walk.needed():
        executed += len(needed)
        for mask in needed:
            walk.record(mask, cube[mask])
    return Receipt(tuple(kinds), walk.family()), executed
