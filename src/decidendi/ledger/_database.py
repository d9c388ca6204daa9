"""The SQLite file of a run: opened so that nothing committed is ever lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from decidendi.folders import StorageError, remedy_of

FORMAT = "decidendi-ledger/1"

TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cells (state BLOB PRIMARY KEY, verdicts BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS certificates (
    ordinal INTEGER PRIMARY KEY, line INTEGER NOT NULL, case_id TEXT NOT NULL UNIQUE,
    unit TEXT NOT NULL, old BLOB NOT NULL, revised BLOB NOT NULL, before BLOB NOT NULL,
    cells BLOB NOT NULL, outcome BLOB NOT NULL, moved BLOB NOT NULL, digest BLOB NOT NULL,
    size INTEGER NOT NULL, gold_old TEXT, gold_revised TEXT);
CREATE TABLE IF NOT EXISTS bad (
    ordinal INTEGER PRIMARY KEY, line INTEGER, reason TEXT NOT NULL, case_id TEXT, field TEXT,
    what TEXT NOT NULL, remedy TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS segments (
    number INTEGER PRIMARY KEY, certificates INTEGER NOT NULL, root BLOB NOT NULL,
    file BLOB NOT NULL);
"""


class LedgerError(StorageError):
    """The ledger cannot be read or written: disk full, no permission, damaged file."""


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system or SQLite says into a message a user can act on."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise LedgerError(f"{path}: {error}. {remedy_of(str(error))}") from error
    except OSError as error:
        what = error.strerror or str(error)
        raise LedgerError(f"{error.filename or path}: {what}. {remedy_of(what)}") from error


def connect(path: Path, *, writing: bool) -> sqlite3.Connection:
    """Open the file; read-only connections see a consistent snapshot beside a writer."""
    with storage_errors(path):
        if writing:
            connection = sqlite3.connect(path, timeout=30, isolation_level=None)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.executescript(TABLES)
        elif not path.is_file():
            raise FileNotFoundError(2, "there is no ledger here", str(path))
        else:
            uri = f"{path.resolve().as_uri()}?mode=ro"
            connection = sqlite3.connect(uri, uri=True, timeout=30, isolation_level=None)
            connection.execute("SELECT count(*) FROM meta").fetchone()
        return connection


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Commit everything inside, or nothing."""
    with storage_errors(path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
