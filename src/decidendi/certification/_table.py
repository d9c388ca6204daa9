"""``cases.parquet``: one row per case, for those who go on with other tools."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from decidendi.certification._shape import Shape
from decidendi.folders import storage_errors
from decidendi.judgment import Unmeasured, Verdict
from decidendi.ledger import Row, changed_kinds

TABLE = "cases.parquet"
_BLOCK = 65_536


class CaseTable:
    """Writes the table in flat memory; it appears whole, or not at all."""

    def __init__(self, folder: Path, kinds: Sequence[str]) -> None:
        """Begin it."""
        self._path = folder / TABLE
        self._draft = folder / (TABLE + ".part")
        self._schema = _schema(kinds)
        self._rows: list[tuple[Any, ...]] = []
        self._writer: Any = None

    def __enter__(self) -> Self:
        import pyarrow.parquet as pq

        with storage_errors(self._path):
            self._stream = self._draft.open("wb")
            self._writer = pq.ParquetWriter(self._stream, self._schema, compression="zstd")
        return self

    def add(self, row: Row, shape: Shape) -> None:
        """Add one case."""
        self._rows.append(_entry(row, shape))
        if len(self._rows) >= _BLOCK:
            self._flush()

    def _flush(self) -> None:
        with storage_errors(self._path):
            self._writer.write_table(_block(self._rows, self._schema))
        self._rows.clear()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with storage_errors(self._path):
            if error is None and self._rows:
                self._flush()
            self._writer.close()
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self._stream.close()
            if error is None:
                self._draft.replace(self._path)
            self._draft.unlink(missing_ok=True)


class TableCheck:
    """Compares the table with what it would be if it were written now, in flat memory."""

    def __init__(self, folder: Path, kinds: Sequence[str]) -> None:
        """Open it."""
        self._path = folder / TABLE
        self._schema = _schema(kinds)
        self._rows: list[tuple[Any, ...]] = []
        self._blocks = 0
        self._file: Any = None
        self._problem = ""
        self._try(self._open)

    def add(self, row: Row, shape: Shape) -> None:
        """Compare one case."""
        if not self._problem:
            self._rows.append(_entry(row, shape))
            if len(self._rows) >= _BLOCK:
                self._try(self._compare)

    def finish(self) -> str:
        """Return what is wrong; empty if nothing is."""
        if self._rows and not self._problem:
            self._try(self._compare)
        if not self._problem and self._blocks != self._file.num_row_groups:
            self._differs("it has more cases")
        if self._file is not None:
            self._file.close()
        return self._problem

    def _try(self, step: Callable[[], None]) -> None:
        from pyarrow import ArrowException

        try:
            step()
        except FileNotFoundError:
            self._problem = f"{TABLE}: missing; run the same certify command again"
        except (OSError, ArrowException) as error:
            self._problem = f"{TABLE}: cannot be read: {str(error).splitlines()[0]}"

    def _open(self) -> None:
        import pyarrow.parquet as pq

        self._file = pq.ParquetFile(self._path)
        found = self._file.schema_arrow
        kinds = (found.metadata or {}).get(b"kinds")
        if not found.equals(self._schema) or kinds != self._schema.metadata[b"kinds"]:
            self._differs("in its columns")

    def _compare(self) -> None:
        expected = _block(self._rows, self._schema)
        first = self._blocks * _BLOCK
        self._rows.clear()
        self._blocks += 1
        if self._blocks > self._file.num_row_groups:
            return self._differs(f"it ends after {first:,} cases")
        found = self._file.read_row_group(self._blocks - 1)
        if not found.equals(expected):
            columns = [n for n in expected.column_names if not found[n].equals(expected[n])]
            to = first + expected.num_rows
            self._differs(f"in rows {first + 1:,} to {to:,}, in: {', '.join(columns)}")
        return None

    def _differs(self, how: str) -> None:
        self._problem = f"{TABLE}: differs from what the certificates give: {how}"


def _schema(kinds: Sequence[str]) -> Any:  # noqa: ANN401 - pyarrow is imported late
    import pyarrow as pa  # takes long to import, and help needs none of it

    return pa.schema(
        {
            "id": pa.string(),
            "unit": pa.string(),
            "line": pa.int64(),
            "status": pa.string(),
            "old": pa.string(),
            "revised": pa.string(),
            "receipt": pa.string(),
            "masks": pa.list_(pa.int64()),
            "changed": pa.int64(),
            "unmeasured": pa.string(),
            "gold_old": pa.string(),
            "gold_revised": pa.string(),
            "certificate": pa.string(),
        },
        metadata={"kinds": ",".join(kinds)},
    )


def _entry(row: Row, shape: Shape) -> tuple[Any, ...]:
    return (
        row.case_id,
        row.unit,
        row.line,
        shape.status.value,
        _label(shape.old),
        _label(shape.revised),
        shape.words or None,
        shape.receipt,
        changed_kinds(row.old, row.revised),
        ", ".join(shape.reasons) or None,
        row.gold_old,
        row.gold_revised,
        "sha256:" + row.digest.hex(),
    )


def _block(rows: Sequence[tuple[Any, ...]], schema: Any) -> Any:  # noqa: ANN401 - as above
    import pyarrow as pa

    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


def _label(verdict: Verdict) -> str | None:
    return None if isinstance(verdict, Unmeasured) else verdict
