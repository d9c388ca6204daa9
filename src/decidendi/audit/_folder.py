"""The folder of a run: what it is bound to, its records as they come, and its end.

``run.json`` says everything that could change a record; a run that is started again must agree
with it. ``records.jsonl`` grows by whole lines while the run goes on, and is sorted at the end,
so that a run that was stopped anywhere ends with the same bytes as one that was not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from decidendi.audit._record import Record, latest, read_records, record_line
from decidendi.folders import bind, cut_torn_line, only_writer, write_whole
from decidendi.judgment import BadInputError, Place, parse_json
from decidendi.legal import LegalCase

RUN = "run.json"
CASES = "cases.jsonl"
RECORDS = "records.jsonl"
SUMMARY = "summary.json"
PAGE = "report.html"
UNUSABLE = "unusable.jsonl"
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
        with only_writer(self.path):
            self._bind(identity, cases)
            cut_torn_line(self.path / RECORDS)
            with (self.path / RECORDS).open("ab") as self._journal:
                yield self
            self._journal = None

    def _bind(self, identity: Mapping[str, Any], cases: Sequence[LegalCase]) -> None:
        if not (self.path / RUN).exists():
            if (self.path / RECORDS).exists():
                raise BadInputError("records without a run.json", place=Place(str(self.path)))
            write_whole(self.path / CASES, map(case_line, cases))
        bind(self.path / RUN, identity, free=[_TOOL])

    def records(self) -> list[Record]:
        """Return the records written so far, the last of each place."""
        return list(latest(load_records(self.path)).values())

    def write(self, record: Record) -> None:
        """Append a record; what was paid for outlives the process from here on."""
        self._journal.write(record_line(record))
        self._journal.flush()

    def finish(self, records: Sequence[Record]) -> None:
        """Write the records in their final order."""
        write_whole(self.path / RECORDS, map(record_line, records))


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
