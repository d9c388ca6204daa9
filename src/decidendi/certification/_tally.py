"""Counting certificates: one pass over the rows, memory bounded by what differs between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from decidendi.certification._shape import Shape
from decidendi.certification._words import receipt_order
from decidendi.judgment import Verdict, is_measured
from decidendi.ledger import BadRow, Row
from decidendi.receipts import ChangeAccounting, Status

MOST_UNITS = 50_000
"""Units counted one by one. With more, cases.parquet has them, and the summary says so."""

FOLDED_AT = 50_000
"""Distinct ways in which rows count, kept before they are folded."""

EXAMPLES_PER_REASON = 3
BAD_LISTED = 10
"""Bad records told one by one in the summary."""
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
    case_id: str


@dataclass(slots=True)
class Problems:
    """Cases open for one reason, and the first few of them."""

    cases: int = 0
    first: list[Row] = field(default_factory=list)


_SHOWN_ORDER = (Status.CERTIFIED, Status.UNCERTIFIABLE, Status.UNMEASURED, Status.NO_OP)
_WHY = {
    Status.CERTIFIED: "the smallest case with this receipt",
    Status.NO_OP: "the smallest case whose sources changed and whose verdict did not",
}

_Alike = tuple[str | None, Shape, str | None, str | None]
"""Unit, shape, gold verdicts: rows that agree in these count alike."""

_Kind = tuple[Status, tuple[int, ...], str]
"""Status, receipt and first reason: what an example stands for."""


class Tally:
    """What the summary is made from. Everything in it is a function of the certificates.

    Rows that count alike are counted together, and folded into the figures later; call
    ``fold`` before reading those.
    """

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
        self.first_bad: list[BadRow] = []
        self.units: dict[str, Unit] | None = {}
        self.grouped = False
        self.gold = ChangeAccounting()
        self.any_gold = False
        self.candidates: dict[_Kind, Candidate] = {}
        self._alike: dict[_Alike, int] = {}
        self._smallest: dict[Shape, Row] = {}

    def add(self, row: Row, shape: Shape) -> None:
        """Count one certificate. Rows come in the order of the cases."""
        gold_old = row.gold_old
        unit = row.unit if self.units is not None or gold_old is not None else None
        alike = (unit, shape, gold_old, row.gold_revised)
        self._alike[alike] = self._alike.get(alike, 0) + 1
        smallest = self._smallest.get(shape)
        if smallest is None or row.size < smallest.size:
            self._smallest[shape] = row
        if shape.reasons:
            self._add_problem(row, shape)
        if not self.grouped and row.unit != row.case_id:
            self.grouped = True
        if len(self._alike) >= FOLDED_AT:
            self.fold()

    def _add_problem(self, row: Row, shape: Shape) -> None:
        for reason in shape.reasons:
            group = self.problems.setdefault((shape.status, reason), Problems())
            group.cases += 1
            if len(group.first) < EXAMPLES_PER_REASON:
                group.first.append(row)

    def add_bad(self, rows: Iterable[BadRow]) -> None:
        """Count the records that could not be used."""
        for row in rows:
            self.bad += 1
            self.bad_counts[row.reason] += 1
            if len(self.first_bad) < BAD_LISTED:
                self.first_bad.append(row)
            some = self.bad_reasons.setdefault(row.reason, [])
            if len(some) < EXAMPLES_PER_REASON:
                some.append(row)

    def fold(self) -> None:
        """Bring the figures up to date."""
        for (unit, shape, gold_old, gold_revised), cases in self._alike.items():
            self._count(shape, cases)
            if unit is not None:
                self._count_in_unit(unit, shape, cases)
            gold = None
            if gold_old is not None and gold_revised is not None:
                gold = gold_old, gold_revised
                self.any_gold = True
            for _ in range(cases):
                self.gold.add(unit or "", (shape.old, shape.revised), gold)
        for shape, row in self._smallest.items():
            self._offer(row, shape)
        self._alike.clear()
        self._smallest.clear()

    def _count(self, shape: Shape, cases: int) -> None:
        self.certificates += cases
        self.statuses[shape.status] += cases
        self.transitions[_label(shape.old), _label(shape.revised)] += cases
        self.cells["needed"] += shape.executed * cases
        if shape.flickers:
            self.flickering += cases
        if shape.changed:
            self.changed += cases
            self.cells["needed_changed"] += shape.executed * cases
            self.cells["full_changed"] += shape.full * cases
        if shape.receipt:
            self.receipts[shape.receipt] += cases

    def _count_in_unit(self, name: str, shape: Shape, cases: int) -> None:
        if self.units is None:
            return
        unit = self.units.get(name)
        if unit is None:
            if len(self.units) >= MOST_UNITS:
                self.units = None
                return
            unit = self.units[name] = Unit()
        unit.cases += cases
        if shape.changed:
            unit.changed += cases
        if shape.status is Status.UNCERTIFIABLE:
            unit.uncertifiable += cases
        if shape.status is Status.UNMEASURED:
            unit.unmeasured += cases
        if shape.receipt:
            unit.receipts[shape.receipt] += cases

    def _offer(self, row: Row, shape: Shape) -> None:
        """Keep the case as its kind's example if its sources are smaller than those so far."""
        if shape.status is Status.IDENTICAL:
            return
        kind = (shape.status, shape.receipt, shape.reasons[0] if shape.reasons else "")
        offered = Candidate(row.size, row.ordinal, row.case_id)
        if (best := self.candidates.get(kind)) is None or offered < best:
            self.candidates[kind] = offered

    def examples(self) -> list[tuple[str, Candidate]]:
        """Return which cases to show and why: the smallest of every kind of outcome.

        Receipts in their order first, then what stayed open, then a no-op.
        """
        shown = []
        for status in _SHOWN_ORDER:
            of = [(kind, best) for kind, best in self.candidates.items() if kind[0] is status]
            of.sort(key=lambda item: (receipt_order(item[0][1]) if item[0][1] else (), item[0][2]))
            most = MOST_RECEIPTS_SHOWN if status is Status.CERTIFIED else 4
            for (_, _, reason), best in of[:most]:
                why = _WHY.get(status, f"the smallest case that is {status}: {reason}")
                shown.append((why, best))
        return shown[:MOST_EXAMPLES]


def _label(verdict: Verdict) -> str | None:
    return verdict if is_measured(verdict) else None
