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

import numpy as np
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
_REPEATED = {"unit", "cells", "outcome", "moved", "gold_old", "gold_revised"}


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
        if isinstance(error, (OSError, pa.ArrowException, LookupError, TypeError, ValueError)):
            gone = isinstance(error, FileNotFoundError)
            what = (
                "this segment of the certificates is gone" if gone else f"cannot be read: {error}"
            )
            raise LedgerError(
                f"{self._path}: {what}. Put it back from a copy (decidendi verify "
                f"{self._path.parent.parent} says whether it is the right one), or certify into "
                "a new folder."
            ) from error


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
    if not rows:
        return pa.table({})
    columns: dict[str, pa.Array] = {}
    kinds = len(rows[0].old) // 32
    for name, values in zip(Row._fields, zip(*rows, strict=True), strict=True):
        if name in _DIGESTS:
            for i, column in enumerate(_split(values, kinds)):
                columns[f"{name}_{i}"] = column
        elif name == "digest":
            columns[name] = next(_split(values, 1))
        elif name in _REPEATED:
            columns[name] = _coded(values, pa.string() if name in _TEXT else pa.binary())
        else:
            kind = pa.int64() if name in _NUMBER else pa.string()
            columns[name] = pa.array(
                values, kind if name in _TEXT or name in _NUMBER else pa.binary()
            )
    return pa.table(columns)


def _coded(values: Sequence[str | bytes | None], kind: pa.DataType) -> pa.Array:
    """Return a column of few distinct values; no value is looked at more than once."""
    codes: dict[str | bytes | None, int] = {}
    indices = [codes.setdefault(value, len(codes)) for value in values]
    if None in codes:
        return pa.array(values, kind)
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, pa.int32()), pa.array(list(codes), kind)
    )


def _split(joined: Sequence[bytes], kinds: int) -> Iterator[pa.Array]:
    """Cut joined digests into one column per kind. Missing ones are null."""
    missing = not all(joined)
    data = b"".join([one or bytes(32 * kinds) for one in joined] if missing else joined)
    table = np.frombuffer(data, dtype=np.uint8).reshape(len(joined), kinds, 32)
    nulls = None
    if missing:
        nulls = pa.array([bool(one) for one in joined], pa.bool_()).buffers()[1]
    for i in range(kinds):
        column = np.ascontiguousarray(table[:, i]) if kinds > 1 else table
        buffers = [nulls, pa.py_buffer(column.tobytes())]
        yield pa.FixedSizeBinaryArray.from_buffers(pa.binary(32), len(joined), buffers)


def _rows(batch: pa.RecordBatch) -> Iterator[Row]:
    if not batch.num_columns:
        return iter(())
    names = batch.schema.names
    kinds = sum(1 for name in names if name.startswith("old_"))
    columns: list[Sequence[Any]] = []
    for name in Row._fields:
        if name in _DIGESTS:
            columns.append(_joined([batch.column(f"{name}_{i}") for i in range(kinds)]))
        elif name in _REPEATED:
            columns.append(_repeated(batch.column(name)))
        else:
            columns.append(batch.column(name).to_pylist())
    return map(Row._make, zip(*columns, strict=True))


def _joined(columns: Sequence[pa.Array]) -> Sequence[bytes]:
    """Put digests together again."""
    count, width = len(columns[0]), 32 * len(columns)
    if columns[0].null_count == count:
        return [b""] * count
    parts = [np.frombuffer(c.buffers()[1], dtype=np.uint8) for c in columns]
    parts = [
        part[32 * c.offset : 32 * (c.offset + count)].reshape(count, 32)
        for part, c in zip(parts, columns, strict=True)
    ]
    data = np.concatenate(parts, axis=1).tobytes()
    made = [data[at : at + width] for at in range(0, width * count, width)]
    if columns[0].null_count:
        there = columns[0].is_valid().to_pylist()
        made = [one if valid else b"" for one, valid in zip(made, there, strict=True)]
    return made


def _repeated(column: pa.Array) -> Sequence[Any]:
    """Return a column of few distinct values, each as one object: quicker to make and use."""
    coded = column.dictionary_encode()
    values = coded.dictionary.to_pylist()
    if coded.null_count:
        return [None if code is None else values[code] for code in coded.indices.to_pylist()]
    return [values[code] for code in coded.indices.to_pylist()]
