"""Counting certificates: one pass over the rows, memory bounded by what differs between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from decidendi.certification._shape import Shape
from decidendi.judgment import Verdict, is_measured
from decidendi.ledger import BadRow, Row
from decidendi.receipts import ChangeAccounting, Status

MOST_UNITS = 50_000
"""Units counted one by one. With more, cases.parquet has them, and the summary says so."""

EXAMPLES_PER_REASON = 3
MOST_EXAMPLES = 24
MOST_RECEIPTS_SHOWN = 18
"""Receipts shown by an example; three kinds have 18 possible ones."""


@dataclass(slots=True)
class Unit:
    """One unit's counts: its cases, how many changed or stayed open, its receipts."""

    cases: int = 0
    changed: int = 0
    uncertifiable: int = 0
    unmeasured: int = 0
    receipts: Counter[tuple[int, ...]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """A case that could be shown, the smallest sources first."""

    size: int
    ordinal: int


@dataclass(slots=True)
class Problems:
    """Cases open for one reason, and the first few of them."""

    cases: int = 0
    first: list[Row] = field(default_factory=list)


class Tally:
    """What the summary is made from. Everything in it is a function of the certificates."""

    def __init__(self) -> None:
        self.certificates = 0
        self.bad = 0
        self.statuses: Counter[Status] = Counter()
        self.changed = 0
        self.flickering = 0
        self.receipts: Counter[tuple[int, ...]] = Counter()
        self.transitions: Counter[tuple[str | None, str | None]] = Counter()
        self.cells = Counter({"needed": 0, "needed_changed": 0, "full_changed": 0})
        self.problems: dict[tuple[Status, str], Problems] = {}
        self.bad_reasons: dict[str, list[BadRow]] = {}
        self.bad_counts: Counter[str] = Counter()
        self.units: dict[str, Unit] | None = {}
        self.grouped = False
        self.gold = ChangeAccounting()
        self.any_gold = False
        self.candidates: dict[tuple[Status, tuple[int, ...], str], Candidate] = {}

    def add(self, row: Row, shape: Shape) -> None:
        """Count one certificate."""
        self.certificates += 1
        self.statuses[shape.status] += 1
        self.changed += shape.changed
        self.flickering += shape.flickers
        ends = _label(shape.old), _label(shape.revised)
        self.transitions[ends] += 1
        self.cells["needed"] += shape.executed
        if shape.changed:
            self.cells["needed_changed"] += shape.executed
            self.cells["full_changed"] += shape.full
        if shape.receipt:
            self.receipts[shape.receipt] += 1
        for reason in shape.reasons:
            group = self.problems.setdefault((shape.status, reason), Problems())
            group.cases += 1
            if len(group.first) < EXAMPLES_PER_REASON:
                group.first.append(row)
        self._add_to_unit(row, shape)
        self._add_gold(row, shape)
        self._offer(row, shape)

    def add_bad(self, rows: Iterable[BadRow]) -> None:
        """Count the records that could not be used."""
        for row in rows:
            self.bad += 1
            self.bad_counts[row.reason] += 1
            some = self.bad_reasons.setdefault(row.reason, [])
            if len(some) < EXAMPLES_PER_REASON:
                some.append(row)

    def _add_to_unit(self, row: Row, shape: Shape) -> None:
        if self.units is None:
            return
        self.grouped = self.grouped or row.unit != row.case_id
        unit = self.units.get(row.unit)
        if unit is None:
            if len(self.units) >= MOST_UNITS:
                self.units = None
                return
            unit = self.units[row.unit] = Unit()
        unit.cases += 1
        unit.changed += shape.changed
        unit.uncertifiable += shape.status is Status.UNCERTIFIABLE
        unit.unmeasured += shape.status is Status.UNMEASURED
        if shape.receipt:
            unit.receipts[shape.receipt] += 1

    def _add_gold(self, row: Row, shape: Shape) -> None:
        gold = None
        if row.gold_old is not None and row.gold_revised is not None:
            gold = row.gold_old, row.gold_revised
            self.any_gold = True
        self.gold.add(row.unit, (shape.old, shape.revised), gold)

    def _offer(self, row: Row, shape: Shape) -> None:
        """Keep the case as its kind's example if its sources are smaller than those so far."""
        if shape.status is Status.IDENTICAL:
            return
        kind = (shape.status, shape.receipt, shape.reasons[0] if shape.reasons else "")
        offered = Candidate(row.size, row.ordinal)
        if (best := self.candidates.get(kind)) is None or offered < best:
            self.candidates[kind] = offered


def _label(verdict: Verdict) -> str | None:
    return verdict if is_measured(verdict) else None
