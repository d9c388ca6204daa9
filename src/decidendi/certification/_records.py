"""Finding single cases of a case file again, without reading the others' JSON."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

from decidendi.certification._runfile import RunFile
from decidendi.evaluators import CaseRecord, read_cases
from decidendi.judgment import BadInputError, Place

_PIECE = 2**20
"""Bytes of a line that are held at once."""


def case_file(run: RunFile, named: Path | None) -> Path:
    """Return the case file of a run: the one that a user names, or the one the run names.

    A run may be a stranger's, and name anything. So that file is looked at before it is opened.

    Raises:
        BadInputError: if it is not there, no regular file, empty, or, where the run names it,
            of another size than the certified one.
    """
    said = run.where.get("cases")
    path = named or Path(said if isinstance(said, str) else "cases.jsonl")
    remedy = "name the right one with --cases"
    place = Place(file=str(path))
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not a path"
        raise BadInputError(f"cannot be read: {why}", remedy=remedy, place=place) from None
    if not stat.S_ISREG(status.st_mode):
        raise BadInputError("not a regular file", remedy=remedy, place=place)
    certified = run.content["cases"]["bytes"]
    if not status.st_size or (named is None and status.st_size != certified):
        what = (
            "not the case file that this run was made with: "
            f"it has {status.st_size:,} bytes, the certified one {certified:,}"
        )
        raise BadInputError(what, remedy=remedy, place=place)
    return path


def records_at(cases: Path, lines: Collection[int], kinds: Sequence[str]) -> dict[int, CaseRecord]:
    """Return the good records at 1-based line numbers, by line."""
    wanted = sorted(set(lines))
    if not wanted:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        excerpt = Path(folder) / "cases.jsonl"
        found = _copy_lines(cases, set(wanted), excerpt)
        records = read_cases(excerpt, kinds)
        return {
            found[record.line - 1]: record for record in records if isinstance(record, CaseRecord)
        }


def _copy_lines(cases: Path, wanted: set[int], excerpt: Path) -> list[int]:
    """Copy lines; return their numbers in the order of the copy. No line is held as a whole."""
    found: list[int] = []
    number, begins = 0, True
    with cases.open("rb") as stream, excerpt.open("wb") as copy:
        while part := stream.readline(_PIECE):
            number += begins
            begins = part.endswith(b"\n")
            if number in wanted:
                copy.write(part)
                if len(found) == 0 or found[-1] != number:
                    found.append(number)
                if begins and len(found) == len(wanted):
                    break
    return found
