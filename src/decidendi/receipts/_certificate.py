"""Certificates: the executed cells, the minimality computation, and what binds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from decidendi.judgment import Identity, Reason, Unmeasured, Verdict, is_measured
from decidendi.receipts._lattice import in_order, levels
from decidendi.receipts._receipt import Receipt
from decidendi.receipts._walk import Walk


class Status(StrEnum):
    """What certification established about one transition."""

    CERTIFIED = "certified"
    """The verdict changed, and the complete receipt family is known."""
    NO_OP = "no-op"
    """Sources changed, the verdict did not: there is no receipt."""
    IDENTICAL = "identical"
    """No source that can affect this case changed."""
    UNCERTIFIABLE = "uncertifiable"
    """The verdict changed, but a cell that the receipt needs has no verdict."""
    UNMEASURED = "unmeasured"
    """An endpoint has no verdict, so it is not known whether the verdict changed."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One executed hybrid.

    Attributes:
        mask: Which kinds were replaced by their revised source.
        verdict: What the adjudicator said, or why there is no verdict.
        draws: For a stochastic adjudicator, every draw in order; empty otherwise.
    """

    mask: int
    verdict: Verdict
    draws: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Migration:
    """An old state carried into the revised form before hybrids were built.

    Attributes:
        old: Digests of the old sources as they were, one per kind.
        verdict: The verdict on those; it must equal the old endpoint's, or the migration
            itself changed the outcome and nothing is certified.
    """

    old: tuple[str, ...]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the cells of a stochastic adjudicator were decided.

    Attributes:
        confidence: The certificate's confidence 1 - delta, as a decimal string.
        budget: The most draws spent on one cell.
    """

    confidence: str
    budget: int


@dataclass(frozen=True, slots=True)
class Finding:
    """What follows from executed cells, and nothing else.

    Attributes:
        status: The outcome.
        receipt: The complete family, if certified.
        open: Cells without a verdict that leave the outcome open.
        known: Members that stand whatever the open cells would have said (uncertifiable only).
    """

    status: Status
    receipt: Receipt | None = None
    open: tuple[int, ...] = ()
    known: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Certificate:
    """The executed cells of one transition and what follows from them.

    Attributes:
        case_id: The case.
        unit: The case's unit.
        adjudicator: Identity of what was executed.
        old: Digests of the (migrated) old local sources, one per kind.
        revised: Digests of the revised local sources, one per kind.
        cells: The executed cells by size and kind order; the endpoints among them.
        finding: What follows; recomputed by verification.
        tool_version: The version of this package that executed the cells.
        migration: Set if declared migrations carried the old state over.
        sampling: Set if the adjudicator is stochastic.
    """

    case_id: str
    unit: str
    adjudicator: Identity
    old: tuple[str, ...]
    revised: tuple[str, ...]
    cells: tuple[Cell, ...]
    finding: Finding
    tool_version: str
    migration: Migration | None = None
    sampling: Sampling | None = None

    @property
    def status(self) -> Status:
        """The outcome."""
        return self.finding.status

    @property
    def receipt(self) -> Receipt | None:
        """The complete family, if certified."""
        return self.finding.receipt

    @property
    def changed(self) -> int:
        """The mask of kinds whose digests differ."""
        return changed_mask(self.old, self.revised)

    @property
    def old_verdict(self) -> Verdict:
        """Q(empty set)."""
        return self.cells[0].verdict

    @property
    def revised_verdict(self) -> Verdict:
        """Q(K)."""
        return self.cells[-1].verdict


def changed_mask(old: tuple[str, ...], revised: tuple[str, ...]) -> int:
    """Return the mask of positions at which two tuples of digests differ."""
    mask, bit = 0, 1
    for before, after in zip(old, revised, strict=True):
        if before != after:
            mask |= bit
        bit <<= 1
    return mask


class IncompleteTableError(ValueError):
    """The executed cells are not exactly those that the outcome needs."""


def derive(
    kinds: tuple[str, ...],
    changed: int,
    cells: Mapping[int, Verdict],
    migration: Migration | None = None,
) -> Finding:
    """Derive the outcome from executed cells; the one place where receipts come from.

    Args:
        kinds: The evaluator's kinds.
        changed: Mask of the kinds that differ.
        cells: The executed cells by mask; exactly those the outcome needs.
        migration: Set if the old state was migrated.

    Raises:
        IncompleteTableError: if a needed cell is missing, or one stands there unneeded.
    """
    used = {0, changed}
    ends = _at(cells, 0, kinds), _at(cells, changed, kinds)
    finding = _from_endpoints(ends, changed, migration)
    if finding is None:
        walk = Walk(changed, str(ends[1]))
        while needed := walk.needed():
            for mask in needed:
                walk.record(mask, _at(cells, mask, kinds))
            used.update(needed)
        finding = _from_walk(walk, kinds)
    if unneeded := in_order(set(cells) - used):
        raise IncompleteTableError(f"cells {list(unneeded)} are not needed by the outcome")
    return finding


def _at(cells: Mapping[int, Verdict], mask: int, kinds: tuple[str, ...]) -> Verdict:
    try:
        return cells[mask]
    except KeyError:
        names = [kind for i, kind in enumerate(kinds) if mask >> i & 1]
        raise IncompleteTableError(f"the cell replacing {names} was not executed") from None


def _from_endpoints(
    ends: tuple[Verdict, Verdict], changed: int, migration: Migration | None
) -> Finding | None:
    """Return the finding if the endpoints settle it; None if the lattice must be walked."""
    open_ends = tuple(
        mask
        for mask, verdict in dict(zip((0, changed), ends, strict=True)).items()
        if not is_measured(verdict)
    )
    if open_ends:
        return Finding(Status.UNMEASURED, open=open_ends)
    if migration is not None and migration.verdict != ends[0]:
        return Finding(Status.UNCERTIFIABLE, open=(0,))
    if not changed:
        return Finding(Status.IDENTICAL)
    if ends[0] == ends[1]:
        return Finding(Status.NO_OP)
    return None


def _from_walk(walk: Walk, kinds: tuple[str, ...]) -> Finding:
    family = walk.family()
    if walk.open:
        return Finding(Status.UNCERTIFIABLE, open=in_order(walk.open), known=family)
    return Finding(Status.CERTIFIED, Receipt(kinds, family))


def worst_case_cells(changed: int) -> int:
    """Return 2^k, the cells of the whole lattice over the changed kinds."""
    return 1 << changed.bit_count()


def interior_cells(changed: int) -> int:
    """Return how many interior cells the lattice over the changed kinds has."""
    return sum(map(len, levels(changed)))


def why_open(certificate: Certificate) -> dict[int, Unmeasured]:
    """Return, for each open cell, why it has no verdict."""
    verdicts = {cell.mask: cell.verdict for cell in certificate.cells}
    found: dict[int, Unmeasured] = {}
    for mask in certificate.finding.open:
        verdict = verdicts[mask]
        if isinstance(verdict, Unmeasured):
            found[mask] = verdict
        else:  # only a migration leaves a measured cell open
            found[mask] = Unmeasured(
                Reason.INTERFACE, "the migration changes the old state's verdict"
            )
    return found
