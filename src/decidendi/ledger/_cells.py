"""Executed cells on disk, with a bounded memory in front."""

from __future__ import annotations

import sqlite3
from time import monotonic
from typing import Any

import orjson

from decidendi.judgment import Reason, Unmeasured, Verdict

REMEMBERED = 300_000
"""States kept in memory: roughly 100 MB at three kinds."""

KEPT_WITHIN = 1.0
"""Seconds that executed verdicts may stay unwritten while more are executed."""


class Cells:
    """Executed verdicts by state, for one adjudicator: a ``receipts.CellStore``.

    Verdicts put here are on disk after ``write``, which is ``due`` about every second: they may
    have been slow, or paid for. While memory holds every state there is, a
    state not in memory is known to be new, so the database is asked only after an overflow.

    Attributes:
        lasting: Whether new verdicts are written to disk. Turned off where executing a state
            again is cheaper than looking it up; never for a stochastic adjudicator.
        executed: How many states were put that were not there before (this process only).
    """

    def __init__(self, connection: sqlite3.Connection, remembered: int = REMEMBERED) -> None:
        self._connection = connection
        self._written = monotonic()
        self._half = max(1, remembered // 2)
        self._young: dict[tuple[str, ...], tuple[Verdict, ...]] = {}
        self._old: dict[tuple[str, ...], tuple[Verdict, ...]] = {}
        self._unwritten: dict[tuple[str, ...], tuple[Verdict, ...]] = {}
        self.lasting = True
        self.executed = 0
        self._on_disk = self._load()

    def _load(self) -> bool:
        """Read the cells into memory; say whether there are more on disk than fit there."""
        rows = self._connection.execute("SELECT state, verdicts FROM cells LIMIT ?", [self._half])
        for state, verdicts in rows:
            self._young[_key(state)] = read_verdicts(verdicts)
        return len(self._young) >= self._half

    def get(self, key: tuple[str, ...]) -> tuple[Verdict, ...] | None:
        """Return what was executed for this state."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is None and self._on_disk:
                found = self._unwritten.get(key) or self._read(key)
            if found is not None:
                self._remember(key, found)
        return found

    def put(self, key: tuple[str, ...], verdicts: tuple[Verdict, ...]) -> None:
        """Keep what was executed for this state."""
        self.executed += 1
        if self.lasting:
            self._unwritten[key] = verdicts
        self._remember(key, verdicts)

    def write(self) -> None:
        """Write what is new to the database; the caller's transaction commits it."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO cells VALUES (?, ?)",
            [(_state(key), written_verdicts(v)) for key, v in self._unwritten.items()],
        )
        self._unwritten.clear()
        self._written = monotonic()

    @property
    def unwritten(self) -> int:
        """How many executed states are not on disk yet."""
        return len(self._unwritten)

    @property
    def due(self) -> bool:
        """Whether there are any that should be written before more is executed."""
        return bool(self._unwritten) and monotonic() - self._written > KEPT_WITHIN

    def _remember(self, key: tuple[str, ...], verdicts: tuple[Verdict, ...]) -> None:
        if len(self._young) >= self._half and key not in self._young:
            self._on_disk = self._on_disk or bool(self._old)
            self._old, self._young = self._young, {}
        self._young[key] = verdicts

    def _read(self, key: tuple[str, ...]) -> tuple[Verdict, ...] | None:
        asked = self._connection.execute(
            "SELECT verdicts FROM cells WHERE state = ?", [_state(key)]
        ).fetchone()
        return read_verdicts(asked[0]) if asked else None


def _state(key: tuple[str, ...]) -> bytes:
    return bytes.fromhex("".join([digest[7:] for digest in key]))


def _key(state: bytes) -> tuple[str, ...]:
    text = state.hex()
    return tuple(["sha256:" + text[at : at + 64] for at in range(0, len(text), 64)])


def written_verdicts(verdicts: tuple[Verdict, ...]) -> bytes:
    """Return verdicts as JSON: labels as text, the unmeasured as [reason, detail]."""
    return orjson.dumps([v if isinstance(v, str) else [v.reason.value, v.detail] for v in verdicts])


def read_verdicts(data: bytes) -> tuple[Verdict, ...]:
    """Read them back."""
    values: list[Any] = orjson.loads(data)
    return tuple(v if isinstance(v, str) else Unmeasured(Reason(v[0]), v[1]) for v in values)
