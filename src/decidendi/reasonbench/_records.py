"""The rows of the benchmark: one gold case, main or control."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from decidendi.judgment import GROUNDS_NORMS_AUTHORITY
from decidendi.receipts import receipt_of_cube

KINDS = GROUNDS_NORMS_AUTHORITY
"""The kinds of source, in the order of the bits of every mask: 1, 2 and 4."""

Stratum: TypeAlias = Literal["policy", "logic"]
Split: TypeAlias = Literal[
    "train",
    "calibration",
    "locked",
    "shift-operator",
    "shift-language",
    "shift-structural",
    "shift-depth",
]
Control: TypeAlias = Literal["inverse", "order", "distractor"]

STRATA: tuple[Stratum, ...] = get_args(Stratum)
SPLITS: tuple[Split, ...] = get_args(Split)
CONTROLS: tuple[Control, ...] = get_args(Control)

LABELS: Mapping[Stratum, tuple[str, ...]] = {
    "policy": ("approve", "deny", "refer"),
    "logic": ("approve", "deny", "refer"),
}
"""The verdicts of each stratum; a target that names another is malformed."""


@dataclass(frozen=True, slots=True)
class GoldCase:
    """One case with its executed cube and exact receipt.

    Attributes:
        id: Unique in the benchmark.
        stratum: ``policy`` or ``logic``.
        unit: The clause or world it was made from: the independent observation.
        split: Where its unit went before any prompt was rendered. A control stands in its
            parent's split.
        mask: The kinds that were changed (grounds 1, norms 2, authority 4).
        cube: Eight verdicts, by mask of replaced kinds 0 … 7.
        receipt: The members of the exact family as masks, by size and then kind order; empty
            where the endpoints agree.
        control_of: The id of the locked case this transforms; None for a main case.
        control: How it was transformed; None for a main case.
        depth: Proof depth (logic); 0 where there is none.
        family: The family of rules it was made with, for the operator shift.
    """

    id: str
    stratum: Stratum
    unit: str
    split: Split
    mask: int
    cube: tuple[str, ...]
    receipt: tuple[int, ...]
    control_of: str | None = None
    control: Control | None = None
    depth: int = 0
    family: str = ""

    def __post_init__(self) -> None:
        if len(self.cube) != 1 << len(KINDS):
            raise ValueError(f"{self.id}: a cube of {len(self.cube)} cells")
        if stray := set(self.cube) - set(LABELS[self.stratum]):
            raise ValueError(f"{self.id}: {sorted(stray)} are no verdicts of {self.stratum}")
        if any(self.cube[cell] != self.cube[cell & self.mask] for cell in range(len(self.cube))):
            raise ValueError(f"{self.id}: replacing an unchanged source changes the verdict")
        if (self.control_of is None) != (self.control is None):
            raise ValueError(f"{self.id}: a control names its parent and its kind, or neither")
        exact = receipt_of_cube(dict(enumerate(self.cube)), KINDS)
        if self.receipt != (exact.masks if exact else ()):
            raise ValueError(f"{self.id}: the receipt {self.receipt} is not that of its cube")

    @property
    def old(self) -> str:
        """The verdict before the revision."""
        return self.cube[0]

    @property
    def revised(self) -> str:
        """The verdict after the revision."""
        return self.cube[-1]

    @property
    def changed(self) -> bool:
        """Whether the revision changed the verdict."""
        return self.old != self.revised

    @property
    def size(self) -> int:
        """The size of the smallest member of the receipt; 0 where nothing changed."""
        return self.receipt[0].bit_count() if self.receipt else 0

    @property
    def ambiguous(self) -> bool:
        """Whether the receipt has more than one member."""
        return len(self.receipt) > 1


@dataclass(frozen=True)
class GoldSet:
    """What predictions are scored against.

    Attributes:
        digest: The benchmark's one digest.
        cases: Main cases and controls by id.
    """

    digest: str
    cases: Mapping[str, GoldCase]

    @classmethod
    def of(cls, digest: str, cases: Iterable[GoldCase]) -> GoldSet:
        """Gather cases under their ids.

        Raises:
            ValueError: if an id stands twice, or a control's parent is absent or itself one.
        """
        by_id: dict[str, GoldCase] = {}
        for case in cases:
            if case.id in by_id:
                raise ValueError(f"{case.id} stands twice")
            by_id[case.id] = case
        for case in by_id.values():
            if case.control_of is None:
                continue
            parent = by_id.get(case.control_of)
            if parent is None or parent.control is not None:
                raise ValueError(f"{case.id}: its parent {case.control_of} is no main case")
        return cls(digest, by_id)
