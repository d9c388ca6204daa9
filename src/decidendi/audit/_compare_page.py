"""Fills the comparison page; the report draws it and computes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from decidendi.audit._compare import MEASURES, Comparison, compare
from decidendi.audit._finish import demonstrates
from decidendi.audit._folder import load_identity, load_records
from decidendi.audit._measures import Key, Table
from decidendi.audit._record import Record, latest
from decidendi.audit._summary import Compared
from decidendi.folders import write_whole
from decidendi.judgment import BadInputError, Place, Unmeasured
from decidendi.legal import load_task
from decidendi.report import (
    ComparisonPage,
    DifferenceFigure,
    Discordant,
    Fact,
    PairedTest,
    render_comparison,
)


def write_comparison(first: Path, second: Path, page: Path) -> Comparison:
    """Compare two run folders and draw the comparison.

    Raises:
        BadInputError: if either is no run of an audit, or the page is another file of yours.
        NonComparableError: if task, pair or cases differ.
    """
    _refuse_foreign(page)
    found = compare(first, second)
    tables = [Table(latest(load_records(folder)).values()) for folder in (first, second)]
    about = load_identity(first)
    content = comparison_page(found, (tables[0], tables[1]), about)
    write_whole(page, render_comparison(content).encode())
    return found


_SECTION = b'<section aria-labelledby="differences">'
"""Stands in every page of a comparison and in no other page of ours."""


def _refuse_foreign(page: Path) -> None:
    """Raise if a file would be lost that is no earlier comparison."""
    if page.exists() and not (page.is_file() and _SECTION in page.read_bytes()):
        raise BadInputError(
            "there is a file already, and it is no page of a comparison",
            remedy="name another file with --out",
            place=Place(str(page)),
        )


def comparison_page(
    found: Comparison, tables: tuple[Table, Table], about: Mapping[str, Any]
) -> ComparisonPage:
    """Return the page of a comparison.

    Args:
        found: The tests.
        tables: Of the two runs' records.
        about: ``run.json`` of the first.
    """
    first, second = found.first, found.second
    names = {"task": about["task"]["id"], **about["pair"]}
    try:  # a task file of the user's may have gone; the ids say enough then
        task = load_task(names["task"])
        names = {
            "task": task.title,
            "target": task.authority(names["target"]).name,
            "control": task.authority(names["control"]).name,
        }
    except Exception:  # noqa: S110 - names are for people only
        pass
    return ComparisonPage(
        task=names["task"],
        target=names["target"],
        control=names["control"],
        first=first,
        second=second,
        cases=found.cases,
        tests=tuple(_test(test) for test in found.tests),
        discordant=tuple(_discordant(tables)),
        family=f"Holm over {sum(test.p is not None for test in found.tests)} measures",
        differences=found.differences,
        demonstration=tuple(n for n in (first, second) if demonstrates(n.partition(" ")[0])),
        facts=(Fact("cases digest", about["cases"]["digest"], code=True),),
    )


def _test(test: Compared) -> PairedTest:
    meaning = next(measure.meaning for measure in MEASURES if measure.title == test.name)
    difference = test.difference
    return PairedTest(
        measure=test.name,
        meaning=meaning,
        both=test.both,
        first_only=test.first_only,
        second_only=test.second_only,
        neither=test.neither,
        difference=DifferenceFigure(
            test.name, "first less second", difference.value, difference.units, difference.low,
            difference.high, method=difference.method,
        ),
        p=test.p,
        adjusted=test.adjusted,
        excluded=test.excluded,
    )  # fmt: skip


def _discordant(tables: tuple[Table, Table]) -> Iterator[Discordant]:
    for measure in MEASURES:
        if not all(measure.condition in table for table in tables):
            continue
        one, other = (measure.observe(table, measure.condition) for table in tables)
        for key, hit in one.hits.items():
            if key in other.hits and other.hits[key] != hit:
                yield Discordant(
                    measure=measure.title,
                    case=_case_name(key, several=bool(tables[0].variants(measure.condition))),
                    first=_did(tables[0], measure.condition, key),
                    second=_did(tables[1], measure.condition, key),
                    hit="first" if hit else "second",
                    unit=one.units[key[:2]],
                )


def _case_name(key: Key, *, several: bool) -> str:
    """Name an observation: its case, and its repetition and variant where there are several."""
    case, repeat, variant = key
    more = [str(repeat + 1)] * bool(repeat) + [variant] * several
    return f"{case} ({', '.join(more)})" if more else case


def _did(table: Table, condition: str, key: Key) -> str:
    """Say in words what a model did: its verdict, and what became of it."""
    record = table.column(condition)[key]
    base = table.column("target").get((*key[:2], ""))
    if base is None or condition == "target":
        return f"{_word(record)}{', named' if record.named else ', not named'}"
    return f"{_word(base)} → {_word(record)}"


def _word(record: Record) -> str:
    if isinstance(record.verdict, Unmeasured):
        return f"unmeasured ({record.verdict.reason})"
    return record.verdict
