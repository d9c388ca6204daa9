"""What a certification page is made from: finished figures and texts, nothing to compute.

Every field that holds text may hold anything a case file can hold; the page makes it inert.
Order is meaning: rows appear in the order given here, so the caller ranks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from decidendi.judgment import Verdict

Members = tuple[tuple[str, ...], ...]
"""Minimal sets as names of kinds, by size and kind order: ``(("grounds",), ("norms", "x"))``."""


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """How many cases ended in each way. The six outcomes add up to ``cases``.

    Attributes:
        cases: Records in the case file, unreadable ones included.
        changed: Cases with both endpoint verdicts measured and different.
        certified: Changed cases whose complete receipt is known.
        no_op: Sources changed, the verdict did not.
        identical: No source that can affect the case changed.
        uncertifiable: A cell that the receipt needs has no verdict.
        unmeasured: An endpoint has no verdict.
        unreadable: Records that could not be read as a case.
    """

    cases: int
    changed: int
    certified: int
    no_op: int
    identical: int
    uncertifiable: int
    unmeasured: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class ReceiptCount:
    """How many certified cases have this receipt. Listed largest first."""

    members: Members
    cases: int


@dataclass(frozen=True, slots=True)
class VerdictPair:
    """How many cases went from one verdict to another; None is unmeasured."""

    old: str | None
    revised: str | None
    cases: int


@dataclass(frozen=True, slots=True)
class UnitCount:
    """One unit's cases. Listed by changed cases, largest first.

    Attributes:
        unit: The clause, world, document or person.
        cases: Its readable cases.
        changed: Those whose verdict changed.
        uncertifiable: Those of which a needed cell has no verdict.
        unmeasured: Those of which an endpoint has no verdict; in no share.
        main_receipt: Its most frequent receipt; None if it has none.
    """

    unit: str
    cases: int
    changed: int
    uncertifiable: int = 0
    unmeasured: int = 0
    main_receipt: Members | None = None


@dataclass(frozen=True, slots=True)
class RateFigure:
    """A share with its interval, as ``stats`` gives it.

    Attributes:
        name: ``drift``, ``inertia``, …
        meaning: One sentence: the share of what, over what.
        numerator: The count.
        n: The denominator; the rate is undefined where it is 0.
        low: Lower bound of the interval, 0 to 1; None if there is none.
        high: Upper bound.
        method: How the interval was made (``"95% Wilson"``).
        excluded: What is left out of ``n``, by reason.
    """

    name: str
    meaning: str
    numerator: int
    n: int
    low: float | None = None
    high: float | None = None
    method: str = ""
    excluded: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProblemCase:
    """One case behind a reason.

    Attributes:
        case: Its id, or where it stands (``cases.jsonl:17``) if it has none.
        detail: What happened.
        cells: The cells it happened in, as names of replaced kinds; empty if not about cells.
    """

    case: str
    detail: str
    cells: Members = ()


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Cases without a full answer for one reason. Listed largest first.

    Attributes:
        outcome: ``uncertifiable``, ``unmeasured`` or ``unreadable``.
        reason: The class of cause (``interface``, ``timeout``, ``duplicate id``).
        cases: How many.
        examples: A few of them.
    """

    outcome: str
    reason: str
    cases: int
    examples: tuple[ProblemCase, ...] = ()


@dataclass(frozen=True, slots=True)
class CellCounts:
    """What certification took.

    Attributes:
        full: Cells of the full cubes, 2^k for each readable case (k: declared kinds).
        needed: Cells that stand in the certificates.
        executed: Executions: one per distinct local state. None if not counted.
    """

    full: int
    needed: int
    executed: int | None = None


@dataclass(frozen=True, slots=True)
class CellFigure:
    """One executed cell: the kinds replaced by their revised source, and what came out.

    Attributes:
        replaced: Names of kinds, in declared order; empty is the old state.
        verdict: The label, or why there is none.
        draws: For a stochastic adjudicator, how many draws decided it; 0 otherwise.
    """

    replaced: tuple[str, ...]
    verdict: Verdict
    draws: int = 0


@dataclass(frozen=True, slots=True)
class SourcePair:
    """One kind's source before and after, as text for people (JSON indented, one key a line).

    Attributes:
        kind: The kind.
        old: Its old text.
        revised: Its revised text.
        old_digest: ``sha256:…`` of the old source.
        revised_digest: Of the revised one; equal digests mean an unchanged source.
    """

    kind: str
    old: str
    revised: str
    old_digest: str
    revised_digest: str


@dataclass(frozen=True, slots=True)
class ExampleCase:
    """One case shown in full.

    Attributes:
        case: Its id.
        unit: Its unit.
        status: ``certified``, ``no-op``, ``identical``, ``uncertifiable`` or ``unmeasured``.
        changed: The kinds whose sources differ, in declared order: the axes of the lattice.
        cells: The executed cells, endpoints among them. A cell not listed was not needed.
        receipt: The minimal sets; empty unless certified.
        known: For an uncertifiable case, the sets that are minimal whatever the open cells say.
        words: The outcome in a sentence or two.
        sources: Old and revised sources, in declared order.
        why: Why this case is shown (``"the largest receipt"``); may be empty.
    """

    case: str
    unit: str
    status: str
    changed: tuple[str, ...]
    cells: tuple[CellFigure, ...]
    receipt: Members
    words: str
    sources: tuple[SourcePair, ...]
    known: Members = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact about the run.

    Attributes:
        name: What it is (``"old evaluator"``, ``"cases"``).
        value: The fact.
        code: Whether it is to be read as code (a command, a digest, a path).
    """

    name: str
    value: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class CertificationPage:
    """Everything that a certification page shows.

    Attributes:
        evaluator: The evaluator's name.
        old_version: Its old version (or revision), as people know it.
        revised_version: Its revised version.
        verdicts: The declared labels in order; colours and letters follow this order.
        kinds: The declared kinds in order.
        outcomes: How many cases ended how.
        receipts: Receipts of the certified cases.
        transitions: Old and revised verdicts of all readable cases.
        units: One row per unit; the page shows the first and counts the rest.
        cells: What it took.
        rates: Rates against gold verdicts; empty if cases carry none.
        problems: Cases without a full answer, by reason.
        examples: Cases shown in full.
        facts: Digests, versions, the command.
        confidence: For a stochastic adjudicator, the certificates' confidence ("0.95").
    """

    evaluator: str
    old_version: str
    revised_version: str
    verdicts: tuple[str, ...]
    kinds: tuple[str, ...]
    outcomes: OutcomeCounts
    receipts: tuple[ReceiptCount, ...]
    transitions: tuple[VerdictPair, ...]
    units: tuple[UnitCount, ...]
    cells: CellCounts
    rates: tuple[RateFigure, ...] = ()
    problems: tuple[ProblemGroup, ...] = ()
    examples: tuple[ExampleCase, ...] = ()
    facts: tuple[Fact, ...] = ()
    confidence: str | None = None
