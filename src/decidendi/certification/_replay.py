"""Executing a run's cells again, with evaluators that the user hands over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from decidendi.certification._files import few_collections, measure
from decidendi.certification._records import case_file
from decidendi.certification._run import ANSWERS
from decidendi.certification._runfile import RunFile
from decidendi.certification._verify import unfinished
from decidendi.evaluators import CaseRecord, Evaluator, Pair, pair, read_cases
from decidendi.judgment import (
    BadInputError,
    Case,
    Place,
    Reason,
    State,
    Unmeasured,
    Verdict,
    is_measured,
)
from decidendi.ledger import Binder, Row, open_ledger
from decidendi.receipts import (
    Certificate,
    RecentCells,
    Replays,
    Sampling,
    Transition,
    certify_many,
    names_of,
)

CHUNK = 512
LISTED = 1_000


@dataclass(frozen=True)
class DifferingCell:
    """A cell that came out otherwise.

    Attributes:
        case: The case.
        cell: The replaced kinds; ``before migration`` for the unmigrated old state.
        certified: The verdict in the certificate.
        replayed: The verdict now.
    """

    case: str
    cell: tuple[str, ...]
    certified: Verdict
    replayed: Verdict


@dataclass
class Replay:
    """What replaying found.

    Attributes:
        certificates: How many certificates were replayed.
        cells: How many of their cells were compared.
        executed: How many distinct states were executed for that.
        count: How many cells differ.
        differing: The first of those.
        strayed: Cases whose record no longer gives the certified sources.
        undecided: How many drawn cells found a verdict at one time only. Drawing may end
            undetermined by chance, so this is no contradiction.
        lacking: Why this was not a whole run, if it was none: it is not finished, or there is
            nothing in it to compare.
    """

    certificates: int = 0
    cells: int = 0
    executed: int = 0
    count: int = 0
    differing: list[DifferingCell] = field(default_factory=list)
    strayed: list[str] = field(default_factory=list)
    undecided: int = 0
    lacking: str = ""

    @property
    def same(self) -> bool:
        """Whether a whole run was replayed and no cell contradicts what was certified."""
        return not self.count and not self.strayed and not self.lacking


def replay_run(
    out: Path,
    old: Evaluator,
    revised: Evaluator,
    cases: Path | None = None,
    watch: Callable[[int, int], None] | None = None,
    *,
    anew: bool = False,
) -> Replay:
    """Execute every cell of every certificate again and compare.

    Only the evaluators handed over are executed, after their digests have been matched with
    the run's. A stochastic evaluator is drawn from anew: its labels may differ as often as the
    run's confidence allows; a cell that finds a verdict only now, or none any more, is counted
    apart. A language model is not asked: prompts are made and verdicts read and decided again,
    and its answers are those that the run recorded.

    Args:
        out: The run folder.
        old: The old evaluator.
        revised: The revised one.
        cases: The case file, if it has moved.
        watch: Called after every chunk of certificates.
        anew: Ask a language model again all the same.

    Raises:
        BadInputError: if the evaluators or the cases are not those of the run, or a model that
            is to be asked cannot be reached.
    """
    run = RunFile.read(out)
    refuse_strangers(run, old, revised)
    file = case_file(run, cases)
    if measure(file).digest != run.content["cases"]["digest"]:
        raise BadInputError(
            "not the case file that this run was made with: its digest differs",
            remedy="name the right one with --cases",
            place=Place(file=str(file)),
        )
    allowed = run.content["options"]["timeout"]
    with (
        few_collections(),
        pair(old, revised, timeout=None if allowed is None else float(allowed)) as both,
        open_ledger(out) as ledger,
    ):
        found = Replay(lacking="" if ledger.complete else unfinished(ledger))
        total = sum(segment.certificates for segment in ledger.segments())
        recorded = not anew and both.keep_answers(out / ANSWERS, writing=False)
        if not recorded:
            both.reach()
        again = _Again(both, run, found, recorded=recorded)
        matched = _matched(ledger.rows(), read_cases(file, run.case_kinds))
        while chunk := list(islice(matched, CHUNK)):
            again.compare(chunk)
            if watch is not None:
                watch(found.certificates, total)
        if recorded and found.undecided and both.missing_answers:
            what = f"{both.missing_answers:,} answers of the model are not among those recorded"
            found.lacking = f"{what}; --anew asks it again"
        if not found.certificates and not found.lacking:
            found.lacking = "the run has no certificates: nothing was compared"
        return found


def refuse_strangers(run: RunFile, old: Evaluator, revised: Evaluator) -> None:
    """Raise unless these are the very evaluators that a run was made with."""
    for side, evaluator in (("old", old), ("revised", revised)):
        wanted = run.content["evaluators"][side]["digest"]
        if evaluator.digest != wanted:
            raise BadInputError(
                f"not the {side} evaluator of this run: its digest is {evaluator.digest}, "
                f"the run's is {wanted}",
                remedy="hand over the evaluators that the run was made with, the old one first",
                place=Place(file=evaluator.origin),
            )


def _matched(
    rows: Iterator[Row], records: Iterator[object]
) -> Iterator[tuple[Row, CaseRecord | None]]:
    """Pair rows with their records, None for lost ones; both come in the order of the file."""
    good = (record for record in records if isinstance(record, CaseRecord))
    record = next(good, None)
    for row in rows:
        while record is not None and record.line < row.line:
            record = next(good, None)
        yield row, record if record is not None and record.line == row.line else None


class _Again:
    """Executes the cells of chunks of certificates."""

    def __init__(self, both: Pair, run: RunFile, found: Replay, *, recorded: bool) -> None:
        self._both = both
        self._run = run
        self._binder: Binder = run.binder
        self._found = found
        self._known = RecentCells()
        self._decided: dict[tuple[str, ...], Verdict] = {}
        # Recorded answers hold one execution of each state; a second would not be among them.
        self._twice = Replays(first=0, every=2**62) if recorded else Replays()

    def compare(self, chunk: Sequence[tuple[Row, CaseRecord | None]]) -> None:
        """Replay a chunk."""
        wanted: list[tuple[Certificate, Transition]] = []
        for row, record in chunk:
            self._found.certificates += 1
            certificate = self._binder.certificate(row)
            transition = self._transition(record, certificate)
            if transition is None:
                self._found.strayed.append(certificate.case_id)
            else:
                wanted.append((certificate, transition))
        if self._run.sampling is not None:
            self._compare_drawn(wanted, self._run.sampling)
            return
        states = {
            state.key: state
            for certificate, transition in wanted
            for state in _states(certificate, transition)
        }
        self._decided = self._execute(list(states.values()))
        for certificate, transition in wanted:
            self._compare(certificate, transition)

    def _transition(self, record: CaseRecord | None, certificate: Certificate) -> Transition | None:
        """Build the transition again; None if it is not the certified one."""
        if record is None or record.case.id != certificate.case_id:
            return None
        try:
            made = self._both.transition(record)
        except BadInputError:
            return None
        base = made.migrated or made.old
        if (base.key, made.revised.key) != (certificate.old, certificate.revised):
            return None
        if certificate.migration is not None and certificate.migration.old != made.old.key:
            return None
        return made

    def _execute(self, states: list[State]) -> dict[tuple[str, ...], Verdict]:
        """Decide states: each as both endpoints of a transition that changes nothing."""
        made = certify_many(
            self._both.adjudicator,
            [Transition(Case("replay"), state, state) for state in states],
            store=_Counting(self._known, self._found),
            replays=self._twice,
        )
        return {
            state.key: certificate.old_verdict
            for state, certificate in zip(states, made, strict=True)
        }

    def _compare_drawn(
        self, wanted: Sequence[tuple[Certificate, Transition]], sampling: Sampling
    ) -> None:
        """Certify again as before, each cell at its old level; compare what both needed."""
        made = certify_many(
            self._both.adjudicator,
            [transition for _, transition in wanted],
            contract=self._both.contract,
            store=_Counting(self._known, self._found),
            confidence=sampling.confidence,
            budget=sampling.budget,
        )
        for (certificate, _), again in zip(wanted, made, strict=True):
            case, kinds = certificate.case_id, certificate.adjudicator.kinds
            now = {cell.mask: cell.verdict for cell in again.cells}
            for cell in certificate.cells:
                if cell.mask in now:
                    self._note(case, names_of(cell.mask, kinds), cell.verdict, now[cell.mask])
            if certificate.migration is not None and again.migration is not None:
                before, after = certificate.migration.verdict, again.migration.verdict
                self._note(case, ("before migration",), before, after)

    def _compare(self, certificate: Certificate, transition: Transition) -> None:
        kinds = certificate.adjudicator.kinds
        for cell in certificate.cells:
            sides = _sides(cell.mask, certificate)
            now = self._verdict(_hybrid(transition, cell.mask), sides)
            self._note(certificate.case_id, names_of(cell.mask, kinds), cell.verdict, now)
        if certificate.migration is not None:
            now = self._verdict(transition.old, 1)
            before = certificate.migration.verdict
            self._note(certificate.case_id, ("before migration",), before, now)

    def _verdict(self, state: State, sides: int) -> Verdict:
        contract = self._both.contract
        if contract is not None:
            for source in state:
                if (problem := contract.problem(source, sides)) is not None:
                    return Unmeasured(Reason.INTERFACE, f"{source.kind}: {problem}")
        return self._decided[state.key]

    def _note(self, case: str, cell: tuple[str, ...], certified: Verdict, now: Verdict) -> None:
        self._found.cells += 1
        if _same(certified, now):
            return
        if _only_once(certified, now):
            self._found.undecided += 1
            return
        self._found.count += 1
        if len(self._found.differing) < LISTED:
            self._found.differing.append(DifferingCell(case, cell, certified, now))


def _same(certified: Verdict, now: Verdict) -> bool:
    """Labels must be equal; of two failures, only the reason counts, not its wording."""
    if is_measured(certified) or is_measured(now):
        return certified == now
    assert isinstance(certified, Unmeasured)
    assert isinstance(now, Unmeasured)
    return certified.reason is now.reason


def _only_once(certified: Verdict, now: Verdict) -> bool:
    """Say whether drawing found a verdict at one time and none at the other."""
    return any(
        isinstance(one, Unmeasured) and one.reason is Reason.UNDETERMINED and is_measured(other)
        for one, other in ((certified, now), (now, certified))
    )


def _states(certificate: Certificate, transition: Transition) -> Iterator[State]:
    for cell in certificate.cells:
        yield _hybrid(transition, cell.mask)
    if certificate.migration is not None:
        yield transition.old


def _hybrid(transition: Transition, mask: int) -> State:
    base = (transition.migrated or transition.old).sources
    revised = transition.revised.sources
    return State([revised[i] if mask >> i & 1 else base[i] for i in range(len(base))])


def _sides(mask: int, certificate: Certificate) -> int:
    """Which versions a hybrid draws from: 1 old, 2 revised, 3 both; see ``receipts``."""
    if certificate.migration is not None:
        return 2
    changed = certificate.changed
    return (mask != changed or not changed) | (mask != 0) << 1


class _Counting:
    """A cell store that counts executions."""

    def __init__(self, inner: RecentCells, found: Replay) -> None:
        self._inner = inner
        self._found = found

    def get(self, key: tuple[str, ...]) -> tuple[Verdict, ...] | None:
        return self._inner.get(key)

    def put(self, key: tuple[str, ...], verdicts: tuple[Verdict, ...]) -> None:
        self._found.executed += 1
        self._inner.put(key, verdicts)
