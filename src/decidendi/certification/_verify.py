"""Verifying a run folder offline: every certificate, every digest, nothing executed.

What stands in a run is checked from the bottom up: each certificate's receipt follows from its
cells; its bytes have its digest; the digests have the segment's root, the roots the run's; the
summary, the table and the page are what the certificates give. Who vouches for the root is for
a signature to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any

from decidendi.certification._files import SourceStore, few_collections
from decidendi.certification._page import page_again
from decidendi.certification._runfile import RunFile, differing
from decidendi.certification._shape import Shape, Shapes
from decidendi.certification._summary import SUMMARY, summarise
from decidendi.certification._table import TableCheck
from decidendi.certification._tally import Tally
from decidendi.judgment import BadInputError, DecidendiError, digest_of, parse_json
from decidendi.ledger import Binder, Ledger, Row, digest_in, open_ledger, root, run_root
from decidendi.receipts import statement_of, verify_statement

LISTED = 1_000
"""Problems told one by one; the others are counted."""

_COMPARED = 10_000
"""Ids that an unknown one is compared with, to find what was meant."""


@dataclass
class Verification:
    """What verification found.

    Attributes:
        certificates: How many certificates were looked at.
        count: How many problems there are.
        problems: The first of them, each saying what is wrong where.
        root: The run's Merkle root as recomputed; empty for a single case.
        notes: What could not be looked at, and why.
    """

    certificates: int = 0
    count: int = 0
    problems: list[str] = field(default_factory=list)
    root: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def verified(self) -> bool:
        """Whether nothing is wrong."""
        return not self.count

    def found(self, problem: str) -> None:
        """Note a problem."""
        self.count += 1
        if len(self.problems) < LISTED:
            self.problems.append(problem)


def verify_run(
    out: Path,
    case: str | None = None,
    watch: Callable[[int, int], None] | None = None,
    root: str | None = None,
) -> Verification:
    """Verify a whole run, or the certificate of one case.

    Args:
        out: The run folder.
        case: Only the certificate of this case.
        watch: Called now and then with how many certificates are done, of how many.
        root: The run's Merkle root as known from elsewhere, ``sha256:<hex>``.

    Raises:
        BadInputError: if the folder holds no run, or no such case.
        LedgerError: if the ledger cannot be read at all.
    """
    run = RunFile.read(out)
    with few_collections(), open_ledger(out) as ledger:
        found = Verification()
        if ledger.bound != digest_of(run.content):
            found.found("run.json: altered after the run was made, or of another run")
        if case is not None:
            _verify_case(run, ledger, case, found)
        else:
            _Whole(out, run, ledger, found, watch).verify()
        actual = "sha256:" + run_root(ledger.segments()).hex()
        if root is not None and root != actual:
            found.found(f"another run: its root is {actual}, not {root}")
        return found


def unfinished(ledger: Ledger) -> str:
    """Say that a run is not finished, and what to do about it."""
    position = ledger.position
    records = "1 case record is" if position == 1 else f"{position:,} case records are"
    return (
        f"the run is not finished: {records} in; run the same certify command again and it goes on"
    )


def _verify_case(run: RunFile, ledger: Ledger, case: str, found: Verification) -> None:
    row = row_of(ledger, case)
    found.certificates = 1
    for problem in row_problems(run.binder, row):
        found.found(f"case {case!r}: {problem}")
    sealed = [segment.root for segment in ledger.segments()]
    if sealed:
        proof = ledger.inclusion(row)
        if proof.root(digest_in(row)) != run_root(ledger.segments()):
            found.found(f"case {case!r}: does not belong to the run's Merkle root")


def row_of(ledger: Ledger, case: str) -> Row:
    """Return a case's row.

    Raises:
        BadInputError: if the run has no certificate of this case, saying why.
    """
    if (row := ledger.find(case)) is not None:
        return row
    for bad in ledger.bad():
        if bad.case_id == case:
            raise BadInputError(
                f"the case {case!r}, on line {bad.line} of the case file, could not be certified: "
                f"{f'{bad.field}: ' if bad.field else ''}{bad.what}",
                remedy=bad.remedy,
            )
    if not ledger.complete:
        raise BadInputError(f"this run has no case {case!r} yet", remedy=unfinished(ledger))
    known = (row.case_id for row in islice(ledger.rows(), _COMPARED))
    close = get_close_matches(case, [one for one in known if isinstance(one, str)])
    meant = f"perhaps {', '.join(map(repr, close))}; " if close else ""
    raise BadInputError(
        f"this run has no case {case!r}", remedy=f"{meant}all ids stand in cases.parquet"
    )


def row_problems(binder: Binder, row: Row) -> list[str]:
    """Return everything that is wrong with one certificate, by the slow and complete way."""
    try:
        statement = statement_of(parse_json(binder.predicate_bytes(row)))
        problems = verify_statement(statement)
        if not binder.matches(row):
            problems.append("altered after it was made: its bytes do not have its digest")
    except (BadInputError, TypeError, ValueError, AttributeError) as error:
        return [f"not a certificate: {error}"]
    return problems


class _Whole:
    """Verifies every certificate of a run in one pass."""

    def __init__(
        self,
        out: Path,
        run: RunFile,
        ledger: Ledger,
        found: Verification,
        watch: Callable[[int, int], None] | None,
    ) -> None:
        self._out = out
        self._run = run
        self._ledger = ledger
        self._found = found
        self._watch = watch
        self._binder = run.binder
        self._shapes = Shapes(self._binder)
        self._tally = Tally()
        self._table = TableCheck(out, run.identity.kinds) if ledger.complete else None
        self._width = 32 * len(run.identity.kinds)
        self._total = sum(segment.certificates for segment in ledger.segments())

    def verify(self) -> None:
        found = self._found
        if not self._ledger.complete:
            found.found(unfinished(self._ledger))
        for problem in self._ledger.problems():
            found.found(problem)
        for problem in SourceStore(self._out).problems():
            found.found(problem)
        whole = not found.count
        for segment in self._ledger.segments():
            try:
                digests = [digest_in(row) for row in self._checked(segment.number)]
            except DecidendiError as error:
                found.found(str(error))
                whole = False
                continue
            if len(digests) != segment.certificates or root(digests) != segment.root:
                found.found(f"segment {segment.number}: its certificates do not have its root")
                whole = False
        found.root = "sha256:" + run_root(self._ledger.segments()).hex()
        if self._ledger.complete:
            sound = not found.count
            self._tally.add_bad(self._ledger.bad())
            expected = summarise(self._run, self._ledger, self._tally)
            self._check_summary(expected, whole)
            # What altered certificates give differs for sure, and says nothing more.
            if sound:
                self._check_drawn(expected)

    def _check_drawn(self, summary: dict[str, Any]) -> None:
        """Compare the table and the page with what the certificates give."""
        assert self._table is not None
        page, note = page_again(self._out, self._run, self._ledger, self._tally, summary)
        for problem in (self._table.finish(), page):
            if problem:
                self._found.found(problem)
        if note:
            self._found.notes.append(note)

    def _checked(self, segment: int) -> Iterator[Row]:
        """Yield the rows of a segment, noting what is wrong with them."""
        found = self._found
        first = True
        for row in self._ledger.rows(segment):
            found.certificates += 1
            if self._watch is not None and not found.certificates % 1024:
                self._watch(found.certificates, self._total)
            try:
                sound = self._sound(row, first)
            except (BadInputError, TypeError, ValueError, AttributeError):
                sound = False
            if not sound:
                where = f"case {row.case_id!r} (line {row.line})"
                for problem in row_problems(self._binder, row):
                    found.found(f"{where}: {problem}")
            first = False
            yield row

    def _sound(self, row: Row, first: bool) -> bool:
        """Say whether a row is sound: its shape, once per shape, and its own bytes."""
        shape: Shape = self._shapes.of(row)
        self._tally.add(row, shape)
        if self._table is not None:
            self._table.add(row, shape)
        fits = (
            not shape.problems
            and type(row.case_id) is str
            and type(row.unit) is str
            and len(row.old) == len(row.revised) == self._width
            and len(row.before) == (self._width if row.moved else 0)
            and self._binder.matches(row)
        )
        # The schema is asked once per segment: what it says of the parts that all rows share
        # is settled by one, and the parts that differ are pinned by the checks above.
        return fits and not (first and row_problems(self._binder, row))

    def _check_summary(self, expected: dict[str, Any], whole: bool) -> None:
        """Compare ``summary.json`` with what the certificates give."""
        try:
            written: Any = parse_json((self._out / SUMMARY).read_bytes())
            if not isinstance(written, dict):
                raise BadInputError("not an object")
        except OSError:
            self._found.found(f"{SUMMARY}: missing; run the same certify command again")
            return
        except BadInputError as error:
            self._found.found(f"{SUMMARY}: {error}")
            return
        if fields := list(differing(written, expected)):
            because = "" if whole else " (or the certificates were altered)"
            self._found.found(
                f"{SUMMARY}: differs from what the certificates give{because}, in: "
                + ", ".join(fields)
            )
