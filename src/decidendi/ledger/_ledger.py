"""What both kinds of ledger share: position, bad cases, executed cells, segment roots."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from decidendi.ledger._cells import Cells
from decidendi.ledger._database import FORMAT, LedgerError, connect, storage_errors, transaction
from decidendi.ledger._merkle import SEGMENT, Inclusion, path, root
from decidendi.ledger._row import Row

SEGMENT_CASES = 65_536
"""Case records per segment: one Merkle root, and in bulk one Parquet file."""

DATABASE = "ledger.sqlite"


class BadRow(NamedTuple):
    """A case record that could not be used.

    Attributes:
        ordinal: 0-based position among the records of the case file.
        line: 1-based line, if known.
        reason: The class of cause, for counting.
        case_id: The case's id, if it could be read.
        field: The field path, if known.
        what: What is wrong.
        remedy: What to do about it.
    """

    ordinal: int
    line: int | None
    reason: str
    case_id: str | None
    field: str | None
    what: str
    remedy: str


class Segment(NamedTuple):
    """A fixed range of case records, sealed.

    Attributes:
        number: 0-based.
        certificates: How many certificates it holds.
        root: Their Merkle root.
        file: SHA-256 of its Parquet file; empty where certificates lie in SQLite.
    """

    number: int
    certificates: int
    root: bytes
    file: bytes


class Ledger(ABC):
    """Certificates of one run, in case order, with the cells they came from.

    INVARIANT: after ``append`` returns, and after a kill at any point, the ledger holds exactly
    the records before ``position``; appending again from there gives the same bytes.
    """

    bulk: bool

    def __init__(self, folder: Path, *, writing: bool, segment: int = SEGMENT_CASES) -> None:
        self.folder = folder
        self.path = folder / DATABASE
        self.segment = segment
        self._db = connect(self.path, writing=writing)
        with storage_errors(self.path):
            self._check_format(writing)
            self.cells = Cells(self._db) if writing else None

    def _check_format(self, writing: bool) -> None:
        if writing and not self._meta("format"):
            self._set_meta("format", FORMAT)
            self._set_meta("segment", str(self.segment))
            self._set_meta("kind", "parquet" if self.bulk else "sqlite")
        if (found := self._meta("format")) != FORMAT:
            raise LedgerError(f"{self.path}: has format {found!r}; this version reads {FORMAT!r}")
        self.segment = int(self._meta("segment") or self.segment)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files. Of what was not committed, executed cells are kept, the rest forgotten.

        A finished ledger is left as one plain file, readable where nothing can be written.
        """
        try:
            if self.cells is not None:
                self.save_cells()
            if self.cells is not None and self.complete:
                with storage_errors(self.path):
                    self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    self._db.execute("PRAGMA journal_mode = DELETE")
        finally:
            self._db.close()

    # -- how far ---------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """How many case records are committed, bad ones counted."""
        return int(self._meta("position") or 0)

    @property
    def complete(self) -> bool:
        """Whether every record of the case file is in."""
        return self._meta("complete") == "yes"

    def _meta(self, name: str) -> str | None:
        asked = self._db.execute("SELECT value FROM meta WHERE name = ?", [name]).fetchone()
        return str(asked[0]) if asked else None

    def _set_meta(self, name: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [name, value])

    def bind(self, run: str) -> None:
        """Write down the digest of the run that this ledger belongs to, once."""
        with transaction(self._db, self.path):
            if self._meta("run") is None:
                self._set_meta("run", run)

    @property
    def bound(self) -> str | None:
        """The digest of the run that this ledger belongs to."""
        return self._meta("run")

    @property
    def attempt(self) -> str | None:
        """What was noted of an attempt at executing that did not end in order."""
        return self._meta("attempt")

    def note_attempt(self, how: str | None) -> None:
        """Note that executing begins, or how it ended; None if in order."""
        with transaction(self._db, self.path):
            if how is None:
                self._db.execute("DELETE FROM meta WHERE name = 'attempt'")
            else:
                self._set_meta("attempt", how)

    # -- writing ---------------------------------------------------------------------------

    @abstractmethod
    def append(self, rows: Sequence[Row], bad: Sequence[BadRow], upto: int) -> None:
        """Add the records from the position up to ordinal ``upto``, in order."""

    def finish(self) -> None:
        """Seal the ledger: every record is in, every segment has its root."""
        with transaction(self._db, self.path):
            self._seal()
            self._set_meta("complete", "yes")

    @abstractmethod
    def _seal(self) -> None:
        """Bring the table of segments up to date."""

    def _write_bad(self, bad: Iterable[BadRow]) -> None:
        self._db.executemany("INSERT INTO bad VALUES (?, ?, ?, ?, ?, ?, ?)", bad)

    def _write_segment(self, segment: Segment) -> None:
        self._db.execute("INSERT OR REPLACE INTO segments VALUES (?, ?, ?, ?)", segment)

    def save_cells(self) -> None:
        """Commit executed cells ahead of the certificates that need them."""
        assert self.cells is not None
        if self.cells.unwritten:
            with transaction(self._db, self.path):
                self.cells.write()

    def save_due_cells(self) -> None:
        """Commit executed cells if some have waited for about a second."""
        if self.cells is not None and self.cells.due:
            self.save_cells()

    # -- reading ---------------------------------------------------------------------------

    @abstractmethod
    def rows(self, segment: int | None = None) -> Iterator[Row]:
        """Return certificates in case order: all, or those of one segment."""

    @abstractmethod
    def find(self, case_id: str) -> Row | None:
        """Return the certificate of a case."""

    def bad(self) -> Iterator[BadRow]:
        """Return the records that could not be used, in order."""
        with storage_errors(self.path):
            yield from map(BadRow._make, self._db.execute("SELECT * FROM bad ORDER BY ordinal"))

    def segments(self) -> list[Segment]:
        """Return the sealed segments."""
        with storage_errors(self.path):
            asked = self._db.execute("SELECT * FROM segments ORDER BY number")
            return list(map(Segment._make, asked))

    def problems(self) -> Iterator[str]:
        """Return what is wrong with the ledger's own files; certificates are not looked at."""
        with storage_errors(self.path):
            for (said,) in self._db.execute("PRAGMA integrity_check"):
                if said != "ok":
                    yield f"{self.path.name}: {said}"

    def inclusion(self, row: Row) -> Inclusion:
        """Prove that a certificate belongs to this run."""
        segments = self.segments()
        at = row.ordinal // self.segment
        digests: list[bytes] = []
        index = 0
        for other in self.rows(at):
            if other.ordinal == row.ordinal:
                index = len(digests)
            digests.append(digest_in(other))
        roots = [segment.root for segment in segments]
        return Inclusion(
            index, len(digests), path(digests, index), at, len(roots), path(roots, at, SEGMENT)
        )


def digest_in(row: Row) -> bytes:
    """Return a row's digest; nothing if what stands there cannot be one."""
    return row.digest if isinstance(row.digest, bytes) else b""


def run_root(segments: Sequence[Segment]) -> bytes:
    """Return the Merkle root of a run from the roots of its segments."""
    return root([segment.root for segment in segments], SEGMENT)


def database_errors(path: Path, rows: sqlite3.Cursor) -> Iterator[Row]:
    """Yield rows, turning damage met on the way into a ``LedgerError``."""
    with storage_errors(path):
        yield from map(Row._make, rows)
