"""A certification run: evaluators and cases in; certificates, summary and page out."""

from __future__ import annotations

import json
import stat
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from decidendi.certification._attempt import attempting
from decidendi.certification._bad import write_bad
from decidendi.certification._files import (
    SOURCES,
    CaseFile,
    SourceStore,
    few_collections,
    measure,
)
from decidendi.certification._firsts import Firsts
from decidendi.certification._page import write_page
from decidendi.certification._runfile import RUN, Options, RunFile, describe, refuse_other
from decidendi.certification._shape import Shapes
from decidendi.certification._summary import SUMMARY, Summary, summarise
from decidendi.certification._table import CaseTable
from decidendi.certification._tally import Tally
from decidendi.evaluators import BadCase, CaseRecord, Evaluator, Pair, pair, read_cases
from decidendi.folders import make_folder, move_aside, only_writer, write_whole
from decidendi.judgment import (
    Adjudicator,
    BadInputError,
    CanonicalError,
    Identity,
    JsonTextError,
    Place,
    Source,
    State,
    Verdict,
    digest_of,
)
from decidendi.ledger import BadRow, Binder, Ledger, Row, create_ledger
from decidendi.receipts import (
    Certificate,
    Replays,
    StochasticAdjudicator,
    Transition,
    certify_many,
)

CHUNK = 1024
"""Case records certified and committed together."""


ANSWERS = "answers.sqlite"
"""What a language model answered, in its run's folder; not there if none was asked."""

WORTH_STORING = 5
"""In bulk, cells are stored only while executing them takes so many times longer."""

Watch = Callable[[int, int], None]
"""Told how many case records are done, of at most how many."""


def certify_run(
    old: Evaluator,
    revised: Evaluator,
    cases: Path,
    out: Path,
    options: Options | None = None,
    watch: Watch | None = None,
    *,
    fresh: bool = False,
    tell: Callable[[str], None] | None = None,
) -> Summary:
    """Certify every case of a file into a run folder; go on if the folder holds part of it.

    Killed at any point and called again with the same arguments, it ends with the same bytes
    of summary, page and certificates as if it had never been interrupted.

    Args:
        old: The old evaluator.
        revised: The revised one.
        cases: JSONL file of cases.
        out: The run folder; made if it is not there.
        options: What else is asked.
        watch: Called after every chunk of cases.
        fresh: Move a run that the folder holds aside, instead of going on with it.
        tell: Called with what a user should know besides the result.

    Raises:
        NonComparableError: if the evaluators differ in something besides their sources.
        BadInputError: if the folder holds another run, or the cases cannot be read at all.
        StorageError: if the folder cannot be written; what was committed is kept.
    """
    options = options or Options()
    with few_collections(), pair(old, revised, timeout=options.timeout) as both:
        both.refuse_unreadable()
        before = _stamp(cases)
        file = measure(cases)
        if fresh and (out / RUN).exists():
            _set_aside(out, tell)
        make_folder(out, RUN, early=[SOURCES])
        with only_writer(out):
            run = _begin(out, both, cases, file, options)
            with create_ledger(out, bulk=run.bulk, segment=run.segment) as ledger:
                ledger.bind(digest_of(run.content))
                executed = checked = 0
                if not ledger.complete:
                    both.reach()
                    both.keep_answers(out / ANSWERS)
                    work = _Work(both, run, ledger, SourceStore(out))
                    with attempting(ledger, options.timeout, tell):
                        work.certify(cases, file.lines, watch)
                    if _stamp(cases) != before:
                        raise _changed(cases)
                    ledger.finish()
                    assert ledger.cells is not None
                    executed, checked = ledger.cells.executed, work.replays.sampled
                summary = _conclude(out, run, ledger, both, cases)
                return replace(summary, executed=executed, checked=checked)


def _set_aside(out: Path, tell: Callable[[str], None] | None) -> None:
    RunFile.read(out)  # nothing else is moved
    with only_writer(out):
        aside = move_aside(out)
    if tell is not None:
        tell(f"The run that was in {out} is now in {aside}.")


def _begin(out: Path, both: Pair, cases: Path, file: CaseFile, options: Options) -> RunFile:
    """Write ``run.json``, or check that the one there is of the same run."""
    wanted = describe(both, file, options)
    if (out / RUN).exists():
        run = RunFile.read(out)
        refuse_other(out, run, wanted)
        return run
    where = {
        "cases": str(cases.absolute()),
        "old": str(both.old.origin),
        "revised": str(both.revised.origin),
    }
    store = SourceStore(out)
    for evaluator in (both.old, both.revised):
        store.keep(evaluator.sources.values())
    run = RunFile(wanted, where)
    run.write(out)
    return run


def _stamp(path: Path) -> tuple[int, int]:
    """Return what tells that a case file has changed; refuse what cannot be read twice."""
    place = Place(file=str(path))
    try:
        status = path.stat()
    except OSError as error:
        raise BadInputError(
            f"cannot be read: {error.strerror}", remedy="name a JSONL file of cases", place=place
        ) from None
    if stat.S_ISDIR(status.st_mode):
        raise BadInputError("a folder", remedy="name a JSONL file of cases", place=place)
    if not stat.S_ISREG(status.st_mode):
        raise BadInputError(
            "not a regular file: what comes through a pipe can be read only once",
            remedy="write the cases to a file",
            place=place,
        )
    return status.st_size, status.st_mtime_ns


def _changed(cases: Path) -> BadInputError:
    return BadInputError(
        "the file changed while it was read, so this run cannot be finished",
        remedy="certify the file as it is now into a new folder",
        place=Place(file=str(cases)),
    )


class _Keeping:
    """An adjudicator that has what was executed kept before it executes more."""

    def __init__(self, adjudicator: Adjudicator, keep: Callable[[], None]) -> None:
        self._adjudicator = adjudicator
        self._keep = keep

    @property
    def identity(self) -> Identity:
        return self._adjudicator.identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        self._keep()
        return self._adjudicator.adjudicate(states)


class _KeepingDraws(_Keeping):
    """The same for one that can be drawn from."""

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        self._keep()
        assert isinstance(self._adjudicator, StochasticAdjudicator)
        return self._adjudicator.draw(states, repeats)


def _keeping(adjudicator: Adjudicator, ledger: Ledger) -> Adjudicator:
    stochastic = isinstance(adjudicator, StochasticAdjudicator)
    return (_KeepingDraws if stochastic else _Keeping)(adjudicator, ledger.save_due_cells)


class _Work:
    """The certifying itself: batch by batch, in the order of the file."""

    def __init__(self, both: Pair, run: RunFile, ledger: Ledger, sources: SourceStore) -> None:
        self._both = both
        self._run = run
        self._ledger = ledger
        self.replays = Replays()
        self._sources = sources
        self._binder: Binder = run.binder
        fixed = set(run.identity.kinds) - set(run.case_kinds)
        self._fixed = [i for i, kind in enumerate(run.identity.kinds) if kind in fixed]
        self._seen: set[str] = set()
        self._waiting: deque[tuple[int, CaseRecord, Transition]] = deque()
        self._rows: list[Row] = []
        self._bad: list[BadRow] = []
        self._upto = ledger.position
        self._began = time.perf_counter()

    def certify(self, cases: Path, total: int, watch: Watch | None) -> None:
        """Certify every record after the ledger's position."""
        sampling = self._run.sampling
        for certificate in certify_many(
            _keeping(self._both.adjudicator, self._ledger),
            self._transitions(cases),
            contract=self._both.contract,
            store=self._ledger.cells,
            replays=self.replays,
            confidence=sampling.confidence if sampling else "0.95",
            budget=sampling.budget if sampling else 1,
            chunk=CHUNK,
        ):
            self._rows.append(self._row(certificate))
            if not self._waiting:  # the batch is through: every record read is accounted for
                self._commit()
                if watch is not None:
                    watch(self._upto, total)
        self._commit()

    def _transitions(self, cases: Path) -> Iterator[Transition]:
        """Yield the transitions of good records; note the bad ones."""
        position = self._upto
        # Records before the position are read again, not executed again: an id that stands
        # twice is found across the whole file.
        for ordinal, record in enumerate(read_cases(cases, self._run.case_kinds)):
            if ordinal < position:
                continue
            self._upto = ordinal + 1
            if isinstance(record, BadCase):
                self._bad.append(_bad_row(ordinal, record.line, record.case_id, record.error))
                continue
            try:
                transition = self._both.transition(record)
            except BadInputError as problem:
                self._bad.append(_bad_row(ordinal, record.line, record.case.id, problem))
                continue
            self._waiting.append((ordinal, record, transition))
            yield transition

    def _row(self, certificate: Certificate) -> Row:
        ordinal, record, transition = self._waiting.popleft()
        size = 0
        for source in transition.old.sources + transition.revised.sources:
            size += len(source.data)
        self._keep_sources(transition)
        return self._binder.row(
            certificate, ordinal=ordinal, line=record.line, size=size, gold=_gold(record)
        )

    def _keep_sources(self, transition: Transition) -> None:
        """Copy the local sources that the case does not carry itself."""
        new: list[Source] = []
        for state in (transition.old, transition.revised, transition.migrated):
            if state is None:
                continue
            for i in self._fixed:
                source = state.sources[i]
                if source.digest not in self._seen:
                    self._seen.add(source.digest)
                    new.append(source)
        if new:
            self._sources.keep(new)

    def _commit(self) -> None:
        self._both.check_answers()
        self._save_cells()
        if self._upto > self._ledger.position:
            self._ledger.append(self._rows, self._bad, self._upto)
        self._rows, self._bad = [], []
        self._began = time.perf_counter()

    def _save_cells(self) -> None:
        """In bulk, commit executed cells, and find out whether storing them is worth its time.

        A state that is executed again faster than it is stored and looked up need not be kept:
        results do not depend on it. Both are timed here, since both depend on the machine.
        """
        cells = self._ledger.cells
        if cells is None or not self._ledger.bulk:
            return  # an ordinary ledger commits them with the certificates
        fresh = cells.unwritten
        executing = time.perf_counter() - self._began
        self._ledger.save_cells()
        storing = time.perf_counter() - self._began - executing
        if self._run.sampling is None and fresh:
            cells.lasting = executing > WORTH_STORING * storing


def _gold(record: CaseRecord) -> tuple[str | None, str | None]:
    gold = record.case.carried.get("gold")
    if not isinstance(gold, dict):
        return None, None
    old, revised = gold.get("old"), gold.get("revised")
    return (
        old if isinstance(old, str) else None,
        revised if isinstance(revised, str) else None,
    )


def _bad_row(ordinal: int, line: int, case_id: str | None, error: BadInputError) -> BadRow:
    if error.what.startswith("the migration "):
        reason = "migration failed"
    elif isinstance(error, JsonTextError):
        reason = "not valid JSON"
    elif isinstance(error, CanonicalError):
        reason = "no canonical form"
    else:
        reason = "duplicate id" if "already stands" in error.what else "not a case"
    field = error.place.field
    return BadRow(ordinal, line, reason, case_id, field, error.what, error.remedy)


def _conclude(out: Path, run: RunFile, ledger: Ledger, both: Pair, cases: Path) -> Summary:
    """Count the certificates and write what people and machines read."""
    tally = Tally()
    firsts = Firsts()
    shapes = Shapes(run.binder)
    with CaseTable(out, run.identity.kinds) as table:
        for row in ledger.rows():
            shape = shapes.of(row)
            tally.add(row, shape)
            firsts.add(row, shape)
            table.add(row, shape)
    tally.add_bad(ledger.bad())
    for bad in tally.first_bad:
        firsts.add_bad(bad)
    write_bad(out, ledger.bad())
    content = summarise(run, ledger, tally)
    write_page(out, run, ledger, tally, content, both, cases)
    data = json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n"
    write_whole(out / SUMMARY, data)
    return Summary(content, first=firsts.cases)
