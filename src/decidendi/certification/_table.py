"""``cases.parquet``: one row per case, for those who go on with other tools."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from decidendi.certification._shape import Shape
from decidendi.judgment import Unmeasured, Verdict
from decidendi.ledger import Row, changed_kinds, storage_errors

TABLE = "cases.parquet"
_BLOCK = 65_536


class CaseTable:
    """Writes the table in flat memory; it appears whole, or not at all."""

    def __init__(self, folder: Path, kinds: Sequence[str]) -> None:
        """Begin it."""
        import pyarrow as pa  # takes long to import, and help needs none of it

        self._path = folder / TABLE
        self._draft = folder / (TABLE + ".part")
        self._pa = pa
        self._schema = pa.schema(
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
        self._rows.append(
            (
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
        )
        if len(self._rows) >= _BLOCK:
            self._flush()

    def _flush(self) -> None:
        columns = zip(*self._rows, strict=True)
        arrays = [
            self._pa.array(column, field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        with storage_errors(self._path):
            self._writer.write_table(self._pa.table(arrays, schema=self._schema))
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


def _label(verdict: Verdict) -> str | None:
    return None if isinstance(verdict, Unmeasured) else verdict
