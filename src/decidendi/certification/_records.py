"""Finding single cases of a case file again, without reading the others' JSON."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

from decidendi.evaluators import CaseRecord, read_cases


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
    """Copy lines; return their numbers in the order of the copy."""
    found = []
    with cases.open("rb") as stream, excerpt.open("wb") as copy:
        for number, line in enumerate(stream, 1):
            if number in wanted:
                copy.write(line if line.endswith(b"\n") else line + b"\n")
                found.append(number)
                if len(found) == len(wanted):
                    break
    return found
