"""The ledger of bulk runs: Parquet segments, with their manifest in SQLite.

A segment is written under a temporary name, synced and renamed before its manifest row is
committed, so a kill leaves either a whole segment or none. Writing one again gives the same
bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from decidendi.ledger._database import LedgerError, storage_errors, transaction
from decidendi.ledger._ledger import SEGMENT_CASES, BadRow, Ledger, Segment
from decidendi.ledger._merkle import root
from decidendi.ledger._row import Row

SEGMENTS = "segments"
_TEXT = {"case_id", "unit", "gold_old", "gold_revised"}
_NUMBER = {"ordinal", "line", "size"}
_DIGESTS = ("old", "revised", "before")


class ParquetLedger(Ledger):
    """Commits a segment at a time; executed cells, where they last, with every batch."""

    bulk = True

    def __init__(self, folder: Path, *, writing: bool, segment: int = SEGMENT_CASES) -> None:
        super().__init__(folder, writing=writing, segment=segment)
        self._rows: list[Row] = []
        self._bad: list[BadRow] = []
        if writing:
            with storage_errors(folder):
                (folder / SEGMENTS).mkdir(exist_ok=True)

    def append(self, rows: Sequence[Row], bad: Sequence[BadRow], upto: int) -> None:
        """Add a batch; every segment that it fills is committed."""
        self.save_cells()
        self._rows.extend(rows)
        self._bad.extend(bad)
        while upto >= (end := (self.position // self.segment + 1) * self.segment):
            with transaction(self._db, self.path):
                self._commit(end)

    def _seal(self) -> None:
        if self._rows or self._bad:
            self._commit(1 + max([*[r.ordinal for r in self._rows], *[b[0] for b in self._bad]]))

    def _commit(self, end: int) -> None:
        """Write the buffered records before ``end`` as the next segment."""
        rows = [row for row in self._rows if row.ordinal < end]
        number = self.position // self.segment
        path = self._file(number)
        write_table(_table(rows), path)
        with path.open("rb") as stream:
            seal = file_digest(stream, "sha256").digest()
        self._write_bad([b for b in self._bad if b.ordinal < end])
        self._write_segment(Segment(number, len(rows), root([r.digest for r in rows]), seal))
        self._set_meta("position", str(end))
        self._rows = self._rows[len(rows) :]
        self._bad = [b for b in self._bad if b.ordinal >= end]

    def _file(self, number: int) -> Path:
        return self.folder / SEGMENTS / f"{number:06d}.parquet"

    def rows(self, segment: int | None = None) -> Iterator[Row]:
        """Return certificates in case order: all, or those of one segment."""
        wanted = [s.number for s in self.segments()] if segment is None else [segment]
        for number in wanted:
            yield from self._read(number)

    def _read(self, number: int) -> Iterator[Row]:
        with _FileErrors(self._file(number)):
            for batch in pq.ParquetFile(self._file(number)).iter_batches(8192):
                yield from _rows(batch)

    def find(self, case_id: str) -> Row | None:
        """Return the certificate of a case, reading only the column of ids until it is found."""
        for segment in self.segments():
            with _FileErrors(self._file(segment.number)):
                ids = pq.read_table(self._file(segment.number), columns=["case_id"])["case_id"]
                at = pc.index(ids, pa.scalar(case_id, pa.string())).as_py()
                if at >= 0:
                    table = pq.read_table(self._file(segment.number)).slice(at, 1)
                    return next(_rows(table.to_batches()[0]))
        return None

    def problems(self) -> Iterator[str]:
        """Return what is wrong with the ledger's own files; certificates are not looked at."""
        yield from super().problems()
        for segment in self.segments():
            path = self._file(segment.number)
            with _FileErrors(path), path.open("rb") as stream:
                if file_digest(stream, "sha256").digest() != segment.file:
                    yield f"{SEGMENTS}/{path.name}: not the bytes that were written"


class _FileErrors:
    """Turn damage in a Parquet file into a ``LedgerError`` naming it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (OSError, pa.ArrowException, KeyError)):
            raise LedgerError(f"{self._path}: cannot be read: {error}") from error


def write_table(table: pa.Table, path: Path) -> None:
    """Write a Parquet file so that it appears whole or not at all."""
    draft = path.with_name(path.name + ".part")
    with storage_errors(path):
        try:
            with draft.open("wb") as stream:
                pq.write_table(table, stream, compression="zstd", store_schema=False)
                stream.flush()
                os.fsync(stream.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _table(rows: Sequence[Row]) -> pa.Table:
    """Return rows as columns; joined digests become one column per kind, which repeat."""
    columns: dict[str, pa.Array] = {}
    by_field: dict[str, Any] = dict(
        zip(Row._fields, zip(*rows, strict=True), strict=True)
        if rows
        else ((name, ()) for name in Row._fields)
    )
    kinds = len(rows[0].old) // 32 if rows else 0
    for name, values in by_field.items():
        if name in _DIGESTS:
            for i in range(kinds):
                part = [value[i * 32 : i * 32 + 32] or None for value in values]
                columns[f"{name}_{i}"] = pa.array(part, pa.binary(32))
        elif name == "digest":
            columns[name] = pa.array(values, pa.binary(32))
        else:
            kind = pa.int64() if name in _NUMBER else pa.string()
            columns[name] = pa.array(
                values, kind if name in _TEXT or name in _NUMBER else pa.binary()
            )
    return pa.table(columns)


def _rows(batch: pa.RecordBatch) -> Iterator[Row]:
    names = batch.schema.names
    kinds = sum(1 for name in names if name.startswith("old_"))
    columns: list[list[Any]] = []
    for name in Row._fields:
        if name in _DIGESTS:
            parts = [batch.column(f"{name}_{i}").to_pylist() for i in range(kinds)]
            joined = zip(*parts, strict=True)
            columns.append([b"".join([part or b"" for part in row]) for row in joined])
        else:
            columns.append(batch.column(name).to_pylist())
    return map(Row._make, zip(*columns, strict=True))
