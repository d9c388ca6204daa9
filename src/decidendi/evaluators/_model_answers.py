"""Answers of a model, kept on disk as they come: nothing that was paid for is asked again."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from threading import Lock

from decidendi.judgment import DecidendiError, Reason, Unmeasured
from decidendi.models import Reply

_SCHEMA = """CREATE TABLE IF NOT EXISTS answers (
    call TEXT, repeat INTEGER, reply TEXT, PRIMARY KEY (call, repeat)) WITHOUT ROWID"""


class Answers:
    """A file of answers by call and index of the draw. Failures that may pass are not kept."""

    def __init__(self, path: Path, *, writing: bool) -> None:
        """Open the file if it is there; one to be written is made when the first answer comes.

        Raises:
            DecidendiError: if it is there and is no file of answers.
        """
        self._path = path
        self.writing = writing
        self._lock = Lock()  # replies come from the thread of the model's loop
        self._problem: str | None = None
        self._db: sqlite3.Connection | None = None
        if path.exists():
            if not path.is_file():
                raise DecidendiError(f"{path}: not a regular file")
            try:
                self._db = self._opened()
            except sqlite3.Error as error:
                raise DecidendiError(f"{path}: {error}") from None

    def _opened(self) -> sqlite3.Connection:
        mode = "rwc" if self.writing else "ro"
        db = sqlite3.connect(
            f"{self._path.absolute().as_uri()}?mode={mode}",
            isolation_level=None, check_same_thread=False, uri=True,
        )  # fmt: skip
        if self.writing:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute(_SCHEMA)
        db.execute("SELECT 1 FROM answers LIMIT 1")
        return db

    def get(self, call: str, repeat: int) -> Reply | None:
        """Return a kept answer."""
        with self._lock:
            if self._db is None:
                return None
            found = self._db.execute(
                "SELECT reply FROM answers WHERE call = ? AND repeat = ?", [call, repeat]
            ).fetchone()
        if found is None:
            return None
        text, reasoning, cut, declined = json.loads(found[0])
        failure = Unmeasured(Reason.NOT_CONVERGED, declined) if declined is not None else None
        return Reply(text, reasoning, cut, failure)

    def put(self, call: str, repeat: int, reply: Reply) -> None:
        """Keep an answer. If that fails, ``check`` says so; the answer itself is not lost."""
        declined = None
        if reply.failure is not None:
            if reply.failure.reason is not Reason.NOT_CONVERGED:
                return
            declined = reply.failure.detail
        data = json.dumps([reply.text, reply.reasoning, reply.cut, declined])
        with self._lock:
            try:
                self._db = self._db or self._opened()
                self._db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)",
                                 [call, repeat, data])  # fmt: skip
            except sqlite3.Error as error:
                self._problem = str(error)

    def check(self) -> None:
        """Raise ``DecidendiError`` if an answer could not be kept."""
        if self._problem is not None:
            raise DecidendiError(f"{self._path}: {self._problem}")

    def close(self) -> None:
        """Close the file; what was written is left in one plain file."""
        with self._lock:
            if self._db is None:
                return
            if self.writing:
                try:
                    self._db.execute("PRAGMA journal_mode = DELETE")
                except sqlite3.Error as error:
                    self._problem = self._problem or str(error)
            self._db.close()
            self._db = None
