"""The folder of a run: what it is bound to, its records as they come, and its end.

``run.json`` says everything that could change a record; a run that is started again must agree
with it. ``records.jsonl`` grows by whole lines while the run goes on, and is sorted at the end,
so that a run that was stopped anywhere ends with the same bytes as one that was not.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from decidendi.audit._record import Record, latest, read_records, record_line
from decidendi.judgment import BadInputError, Place, parse_json
from decidendi.legal import LegalCase

RUN = "run.json"
CASES = "cases.jsonl"
RECORDS = "records.jsonl"
SUMMARY = "summary.json"
PAGE = "report.html"
UNUSABLE = "unusable.jsonl"
LOCK = ".lock"
FORMAT = "decidendi-audit/1"
MATTER = "matter"
"""The typed facts of a case of executable law: what a checker needs to decide it again."""
_TOOL = "tool"
"""The one part of ``run.json`` in which a continued run may differ."""


class RunFolder:
    """A folder that one run is written to."""

    def __init__(self, path: Path) -> None:
        """Name the folder; ``begin`` makes it."""
        self.path = path
        self._journal: Any = None

    @contextmanager
    def begin(self, identity: Mapping[str, Any], cases: Sequence[LegalCase]) -> Iterator[RunFolder]:
        """Open the folder for one writer, and bind it to a run.

        Raises:
            BadInputError: if it holds another run, or another process writes to it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / LOCK).open("w") as lock:
            try:
                _lock(lock.fileno())
            except OSError:
                place = Place(str(self.path))
                raise BadInputError("another run is writing to this folder", place=place) from None
            self._bind(identity, cases)
            cut_torn_line(self.path / RECORDS)
            with (self.path / RECORDS).open("ab") as self._journal:
                yield self
            self._journal = None

    def _bind(self, identity: Mapping[str, Any], cases: Sequence[LegalCase]) -> None:
        path = self.path / RUN
        if not path.exists():
            if (self.path / RECORDS).exists():
                raise BadInputError("records without a run.json", place=Place(str(self.path)))
            write_whole(self.path / CASES, b"".join(map(case_line, cases)))
            write_whole(path, json_bytes(identity))
            return
        there = parse_json(path.read_bytes())
        asked = parse_json(json_bytes(identity))
        if not isinstance(there, dict) or there.get("format") != FORMAT:
            raise BadInputError("not the run of an audit", place=Place(str(path)))
        fields = {*there, *asked} - {_TOOL}
        differing = sorted(name for name in fields if there.get(name) != asked.get(name))
        if differing:
            raise BadInputError(
                f"the folder holds another run; they differ in: {', '.join(differing)}",
                remedy="name another folder with --out, or ask for the same again",
                place=Place(str(self.path)),
            )

    def records(self) -> list[Record]:
        """Return the records written so far, the last of each place."""
        return list(latest(load_records(self.path)).values())

    def write(self, record: Record) -> None:
        """Append a record; what was paid for outlives the process from here on."""
        self._journal.write(record_line(record))
        self._journal.flush()

    def finish(self, records: Sequence[Record]) -> None:
        """Write the records in their final order."""
        write_whole(self.path / RECORDS, b"".join(map(record_line, records)))


def _lock(handle: int) -> None:
    if sys.platform == "win32":  # pragma: no cover - the other branch is tested
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def cut_torn_line(path: Path) -> None:
    """Cut off what a killed process left of a last line."""
    if not path.exists():
        return
    data = path.read_bytes()
    whole_lines = data.rfind(b"\n") + 1
    if whole_lines != len(data):
        with path.open("r+b") as stream:
            stream.truncate(whole_lines)


def load_records(folder: Path) -> list[Record]:
    """Read the records of a run folder.

    Raises:
        BadInputError: if there are none, or a line is no record.
    """
    path = folder / RECORDS
    if not path.is_file():
        raise BadInputError("no records of an audit", place=Place(str(path)))
    return read_records(path.read_bytes(), file=str(path))


def load_identity(folder: Path) -> dict[str, Any]:
    """Read ``run.json`` of a run folder.

    Raises:
        BadInputError: if there is none, or it is another kind of run.
    """
    path = folder / RUN
    if not path.is_file():
        raise BadInputError("no run.json", remedy="name a run's folder", place=Place(str(path)))
    content = parse_json(path.read_bytes())
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadInputError("not the run of an audit", place=Place(str(path)))
    return content


def case_line(case: LegalCase) -> bytes:
    """Return the line of ``cases.jsonl`` for a case: what the page and a reader need of it."""
    row: dict[str, Any] = {
        "id": case.id,
        "unit": case.unit,
        "facts": case.facts,
        "gold": dict(case.gold),
        "options": list(case.options),
        "why": dict(case.why),
        "clarity": case.clarity,
        "cut": case.cut,
    }
    if MATTER in case.carried:
        row[MATTER] = case.carried[MATTER]
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS) + b"\n"


def load_cases(folder: Path) -> dict[str, Mapping[str, Any]]:
    """Read ``cases.jsonl`` of a run folder, by id."""
    path = folder / CASES
    if not path.is_file():
        raise BadInputError("no cases", place=Place(str(path)))
    rows: Iterable[Any] = (parse_json(line) for line in path.read_bytes().splitlines())
    return {row["id"]: row for row in rows}


def json_bytes(content: Mapping[str, Any]) -> bytes:
    """Return a document as it is written to a file for people and machines."""
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it appears whole or not at all."""
    draft = path.with_name(path.name + ".part")
    try:
        with draft.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
