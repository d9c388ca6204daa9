"""What every loader shares: rows in; cases, and a list of what could not be used, out."""

from __future__ import annotations

import codecs
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from decidendi.judgment import BadInputError, Place, parse_json
from decidendi.legal._models import CaseModel
from decidendi.legal._question import LegalCase, Task, UnknownAuthorityError
from decidendi.legal._tasks import authority_of, bad_input


class Problem(StrEnum):
    """Why a row, or a part of one, cannot be used."""

    NOT_READABLE = "not-readable"
    """Not JSON, or not a record."""
    FIELD = "field"
    """A field is missing or has the wrong type."""
    NO_FACTS = "no-facts"
    """The text to decide from is empty."""
    NO_GOLD = "no-gold"
    """Nothing says what the right answer is."""
    UNKNOWN_AUTHORITY = "unknown-authority"
    """Gold under an authority that the task does not know."""
    UNKNOWN_LABEL = "unknown-label"
    """A label the task does not allow."""
    OPTIONS = "options"
    """Not one text for each label, or two texts the same."""
    DUPLICATE_ID = "duplicate-id"
    """The id stood before in the same file."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A row that became no case; or, where ``kept``, a part of a row that did.

    Attributes:
        place: File, line (or 1-based row of a table) and field.
        problem: The class of cause, for counting.
        detail: What is wrong, for people.
        kept: Whether the rest of the row is used.
    """

    place: Place
    problem: Problem
    detail: str
    kept: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.detail}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a file gave.

    Attributes:
        cases: The usable cases, in the file's order.
        unusable: Everything else, in the file's order. Nothing is dropped without an entry.
    """

    cases: tuple[LegalCase, ...]
    unusable: tuple[Unusable, ...]

    @property
    def truncated(self) -> int:
        """How many cases had their facts cut to the limit."""
        return sum(case.cut > 0 for case in self.cases)

    @property
    def reasons(self) -> dict[str, int]:
        """Rows that became no case, counted by reason."""
        return dict(Counter(str(u.problem) for u in self.unusable if not u.kept))

    @property
    def gold_left_out(self) -> dict[str, int]:
        """Gold that rows lost which became a case all the same, counted by reason."""
        return dict(Counter(str(u.problem) for u in self.unusable if u.kept))


EMPTY = "the facts are empty"


class RowError(Exception):
    """One row cannot be used; raised by converters, listed by ``collect``."""

    def __init__(self, problem: Problem, field: str, detail: str) -> None:
        self.problem = problem
        self.field = field
        self.detail = detail
        super().__init__(detail)


Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Iterable[tuple[int, Row | RowError]]
Convert: TypeAlias = Callable[[Row, Task, int], LegalCase]
"""From a row, the task and the row's number to a case; raises ``RowError``."""


def collect(rows: Rows, convert: Convert, task: Task, file: str, limit: int | None) -> Loaded:
    """Turn rows into cases, listing what cannot be used.

    Args:
        rows: Numbered records, or why there is none.
        convert: Makes a case of one record.
        task: Decides which authorities and labels there are.
        file: For places.
        limit: Characters of facts to keep; None keeps all.
    """
    cases: list[LegalCase] = []
    unusable: list[Unusable] = []
    seen: set[str] = set()
    for number, row in rows:
        try:
            if isinstance(row, RowError):
                raise row
            case, partial = _checked(convert(row, task, number), task)
            if case.id in seen:
                raise RowError(Problem.DUPLICATE_ID, "id", f"the id {case.id!r} stood before")
        except RowError as error:
            place = Place(file, number, error.field or None)
            unusable.append(Unusable(place, error.problem, error.detail))
            continue
        seen.add(case.id)
        cases.append(case.limited(limit))
        for part in partial:
            place = Place(file, number, part.field)
            unusable.append(Unusable(place, part.problem, part.detail, kept=True))
    return Loaded(tuple(cases), tuple(unusable))


def _checked(case: LegalCase, task: Task) -> tuple[LegalCase, list[RowError]]:
    """Hold a case against its task: known authorities, allowed labels, one text a label."""
    if not case.facts.strip():
        raise RowError(Problem.NO_FACTS, "facts", EMPTY)
    if not case.gold:
        raise RowError(Problem.NO_GOLD, "gold", "no gold under any authority")
    gold: dict[str, str] = {}
    partial: list[RowError] = []
    for name, label in case.gold.items():
        try:
            known = task.authority(name, case).id
        except UnknownAuthorityError as error:
            partial.append(RowError(Problem.UNKNOWN_AUTHORITY, f"gold.{name}", str(error)))
            continue
        if label not in task.labels:
            what = f"{label!r} is not one of {', '.join(task.labels)}"
            raise RowError(Problem.UNKNOWN_LABEL, f"gold.{name}", what)
        gold[known] = label
    if not gold:
        raise partial[0]
    if case.options and len(case.options) != len(task.labels):
        what = f"{len(case.options)} options for {len(task.labels)} labels"
        raise RowError(Problem.OPTIONS, "options", what)
    if len(set(case.options)) != len(case.options):
        raise RowError(Problem.OPTIONS, "options", "two options have the same text")
    facts = unicodedata.normalize("NFC", case.facts)
    return replace(case, facts=facts, gold=gold), partial


def case_of(row: Row, task: Task, number: int) -> LegalCase:
    """Make a case of a record in this project's own schema (see ``case_schema``)."""
    try:
        model = CaseModel.model_validate(row)
    except ValidationError as error:
        bad = bad_input(error, "", number)
        field = bad.place.field or ""
        if field == "facts" and row.get("facts") == "":
            raise RowError(Problem.NO_FACTS, field, EMPTY) from None
        problem = Problem.NO_GOLD if field == "gold" else Problem.FIELD
        raise RowError(problem, field, bad.what) from None
    return LegalCase(
        id=model.id,
        unit=model.unit,
        facts=model.facts,
        gold=model.gold,
        options=tuple(model.options),
        authorities=tuple(authority_of(authority) for authority in model.authorities),
        why=model.why,
        clarity=model.clarity,
        carried=model.__pydantic_extra__ or {},
    )


def jsonl_rows(path: Path) -> Iterator[tuple[int, Row | RowError]]:
    """Read a file of one JSON object a line; blank lines and a byte order mark are skipped."""
    with path.open("rb") as lines:
        for number, raw in enumerate(lines, 1):
            line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
            if not line.strip():
                continue
            try:
                value = parse_json(line)
            except BadInputError as error:
                yield number, RowError(Problem.NOT_READABLE, "", error.what)
                continue
            yield number, record(value)


def record(value: object) -> Row | RowError:
    """Return ``value`` if it is an object, else why not."""
    if isinstance(value, dict):
        return value
    return RowError(Problem.NOT_READABLE, "", f"a {type(value).__name__}, not an object")


def read_cases(path: Path, task: Task, *, limit: int | None = None) -> Loaded:
    """Read a JSONL file in this project's own schema.

    Args:
        path: The file.
        task: What the cases are asked.
        limit: Characters of facts to keep; the task's own limit where None.

    Raises:
        BadInputError: if the file cannot be opened.
    """
    require_file(path)
    return collect(jsonl_rows(path), case_of, task, str(path), limit or task.facts_limit)


def require_file(path: Path) -> None:
    """Raise ``BadInputError`` if there is no such file."""
    if not path.is_file():
        what = "a folder, not a file" if path.is_dir() else "no such file"
        raise BadInputError(what, place=Place(str(path)))
