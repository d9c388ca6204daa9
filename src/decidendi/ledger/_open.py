"""Opening the ledger of a run folder, whichever kind it is."""

from __future__ import annotations

from pathlib import Path

from decidendi.ledger._database import connect, storage_errors
from decidendi.ledger._ledger import DATABASE, SEGMENT_CASES, Ledger
from decidendi.ledger._sqlite import SqliteLedger


def create_ledger(folder: Path, *, bulk: bool, segment: int = SEGMENT_CASES) -> Ledger:
    """Open a ledger for writing: a new one, or one left off by an interrupted run."""
    return _kind(bulk)(folder, writing=True, segment=segment)


def open_ledger(folder: Path) -> Ledger:
    """Open a ledger for reading.

    Raises:
        LedgerError: if there is none, or it cannot be read.
    """
    database = folder / DATABASE
    connection = connect(database, writing=False)
    with storage_errors(database):
        asked = connection.execute("SELECT value FROM meta WHERE name = 'kind'").fetchone()
    connection.close()
    return _kind(asked == ("parquet",))(folder, writing=False)


def _kind(bulk: bool) -> type[Ledger]:
    if not bulk:
        return SqliteLedger
    from decidendi.ledger._parquet import ParquetLedger  # pyarrow takes long to import

    return ParquetLedger
