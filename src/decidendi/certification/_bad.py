"""``bad.jsonl``: the records of a case file that could not be used, one a line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from decidendi.folders import storage_errors
from decidendi.ledger import BadRow

BAD = "bad.jsonl"


def bad_record(row: BadRow) -> dict[str, Any]:
    """Return what is told of a bad record: where it stands, what is wrong, what to do."""
    return {
        "line": row.line,
        "id": row.case_id,
        "field": row.field,
        "reason": row.reason,
        "what": row.what,
        "remedy": row.remedy,
    }


def write_bad(folder: Path, rows: Iterable[BadRow]) -> None:
    """Write all bad records, in the order of the file; no file if there is none.

    Raises:
        StorageError: if it cannot be written.
    """
    path = folder / BAD
    draft = folder / f"{BAD}.part"
    with storage_errors(path):
        try:
            with draft.open("wb") as stream:
                for row in rows:
                    stream.write(orjson.dumps(bad_record(row), option=orjson.OPT_APPEND_NEWLINE))
                stream.flush()
                os.fsync(stream.fileno())
            if draft.stat().st_size:
                draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
