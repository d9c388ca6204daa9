"""The ledger of ordinary runs: everything in one SQLite file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from decidendi.ledger._database import storage_errors, transaction
from decidendi.ledger._ledger import BadRow, Ledger, Segment, database_errors
from decidendi.ledger._merkle import root
from decidendi.ledger._row import Row

_INSERT = "INSERT INTO certificates VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class SqliteLedger(Ledger):
    """Commits every batch: certificates, bad cases and cells together."""

    bulk = False

    def append(self, rows: Sequence[Row], bad: Sequence[BadRow], upto: int) -> None:
        """Commit one batch."""
        assert self.cells is not None
        with transaction(self._db, self.path):
            self.cells.write()
            self._db.executemany(_INSERT, rows)
            self._write_bad(bad)
            self._set_meta("position", str(upto))

    def _seal(self) -> None:
        for number in range(-(-self.position // self.segment)):
            asked = self._db.execute(
                "SELECT digest FROM certificates WHERE ordinal >= ? AND ordinal < ? "
                "ORDER BY ordinal",
                [number * self.segment, (number + 1) * self.segment],
            )
            digests = [digest for (digest,) in asked]
            self._write_segment(Segment(number, len(digests), root(digests), b""))

    def rows(self, segment: int | None = None) -> Iterator[Row]:
        """Return certificates in case order: all, or those of one segment."""
        first, last = 0, 2**62
        if segment is not None:
            first, last = segment * self.segment, (segment + 1) * self.segment
        with storage_errors(self.path):
            asked = self._db.execute(
                "SELECT * FROM certificates WHERE ordinal >= ? AND ordinal < ? ORDER BY ordinal",
                [first, last],
            )
        return database_errors(self.path, asked)

    def find(self, case_id: str) -> Row | None:
        """Return the certificate of a case."""
        with storage_errors(self.path):
            asked = self._db.execute("SELECT * FROM certificates WHERE case_id = ?", [case_id])
            found = asked.fetchone()
        return Row._make(found) if found else None
