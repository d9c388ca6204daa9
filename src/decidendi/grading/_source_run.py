"""The run of a verdict audit as chains. Its folder is read by its format, which is public."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict

from decidendi.grading._chain import Chain
from decidendi.grading._files import Refused, checked
from decidendi.grading._source_chain import Written, chain_of, of_audit
from decidendi.judgment import BadInputError, Place, Reason, Unmeasured, parse_json
from decidendi.legal import Task, UnknownAuthorityError, load_task

_R = TypeVar("_R", bound=BaseModel)

AUDIT = "decidendi-audit/"
"""How the format of an audit's ``run.json`` begins."""


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _GivenModel(_Loose):
    text: str
    reasoning: str | None
    stop: str
    detail: str


class _UnmeasuredModel(_Loose):
    reason: Reason
    detail: str


class _RecordModel(_Loose):
    case: str
    unit: str
    condition: str
    variant: str
    repeat: int
    authority: str
    gold: str | None
    question: str
    generation: _GivenModel
    verdict: str | None
    unmeasured: _UnmeasuredModel | None = None


class _CaseModel(_Loose):
    id: str
    facts: str
    options: list[str]
    why: dict[str, str]
    matter: dict[str, Any] | None = None


def of_run(folder: Path, condition: str, task: str | Path | None) -> Iterator[Chain | Refused]:
    """Yield the chains of a run, in the order of its records."""
    about = _identity(folder)
    asked = _task(about, task, folder)
    model = str(about["model"]["name"])
    cases: dict[str, _CaseModel] = {}
    for row in _lines(folder / "cases.jsonl"):
        case = row if isinstance(row, Refused) else _read(_CaseModel, row, folder / "cases.jsonl")
        if isinstance(case, Refused):
            yield case
        else:
            cases[case.id] = case
    records = folder / "records.jsonl"
    conditions: set[str] = set()
    for row in _lines(records):
        record = row if isinstance(row, Refused) else _read(_RecordModel, row, records)
        if isinstance(record, Refused):
            yield record
            continue
        conditions.add(record.condition)
        if record.condition != condition:
            continue
        assert not isinstance(row, Refused)
        place = Place(str(records), row[0], "case")
        if (problem := _altered(row[1])) is not None:
            yield Refused(Place(str(records), row[0], "digests"), problem)
        elif record.case not in cases:
            yield Refused(place, f"no case {record.case!r} in cases.jsonl")
        else:
            yield chain_of(_written(record, cases[record.case], asked, model), place)
    if condition not in conditions:
        raise BadInputError(
            f"the audit has no answer under the condition {condition!r}",
            remedy=f"there are: {', '.join(sorted(conditions)) or 'none'}",
            place=Place(str(folder)),
        )


def _written(record: _RecordModel, case: _CaseModel, task: Task, model: str) -> Written:
    try:
        authority = task.authority(record.authority)
        law = (authority.name, authority.text)
    except UnknownAuthorityError:
        law = ("", "")  # a cited precedent: the case's own
    absent = record.unmeasured
    return of_audit(
        record.model_dump(),
        case.model_dump(),
        task,
        law=law,
        model=model,
        verdict=Unmeasured(absent.reason, absent.detail) if absent else record.verdict,
    )


def _identity(folder: Path) -> dict[str, Any]:
    place = Place(str(folder / "run.json"))
    about = parse_json((folder / "run.json").read_bytes())
    known = isinstance(about, dict) and str(about.get("format", "")).startswith(AUDIT)
    if not known:
        raise BadInputError(
            "not the run of an audit",
            remedy="name a run of decidendi audit, or logs of Inspect",
            place=place,
        )
    for outer, inner in (("model", "name"), ("task", "id"), ("task", "digest")):
        part = about.get(outer)
        if not isinstance(part, dict) or not isinstance(part.get(inner), str):
            raise BadInputError("is missing", place=Place(place.file, None, f"{outer}.{inner}"))
    found: dict[str, Any] = about
    return found


def _task(about: Mapping[str, Any], given: str | Path | None, folder: Path) -> Task:
    wanted = about["task"]
    place = Place(str(folder / "run.json"), field="task")
    try:
        task = load_task(wanted["id"] if given is None else given)
    except BadInputError:
        if given is not None:
            raise
        what = f"the task {wanted['id']!r} is none of those shipped"
        raise BadInputError(what, remedy="name its file: --task FILE", place=place) from None
    if task.digest != wanted["digest"]:
        what = f"the audit was made with another version of the task {wanted['id']!r}"
        raise BadInputError(what, remedy="name the file of that version: --task FILE", place=place)
    return task


def _lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]] | Refused]:
    """Yield the objects of a file one by one; a last line that was cut off is left out."""
    if not path.is_file():
        remedy = "of several models in one folder, name the logs themselves"
        raise BadInputError("no such file", remedy=remedy, place=Place(str(path)))
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return
            try:
                row = parse_json(line)
                if not isinstance(row, dict):
                    raise BadInputError("not an object")
            except BadInputError as error:
                yield Refused(Place(str(path), number), error.what)
            else:
                yield number, row


def _read(model: type[_R], row: tuple[int, Mapping[str, Any]], path: Path) -> _R | Refused:
    try:
        return checked(model, dict(row[1]), str(path), row[0])
    except BadInputError as error:
        return Refused(error.place, error.what)


def _altered(row: Mapping[str, Any]) -> str | None:
    """Say what of a record disagrees with its digest; None if nothing does.

    Each digest is over the one before: of what was asked, what came, and what was read from it.
    """
    reading = ("verdict", "unmeasured", "how", "at", "named")
    apart = {*reading, "generation", "digests"}
    parts = {
        "call": {k: v for k, v in row.items() if k not in apart},
        "generation": row["generation"],
        "verdict": {k: row.get(k) for k in reading},
    }
    digests = row.get("digests")
    before = ""
    for name, part in parts.items():
        data = orjson.dumps([before, part], option=orjson.OPT_SORT_KEYS)
        before = f"sha256:{hashlib.sha256(data).hexdigest()}"
        if not isinstance(digests, dict) or digests.get(name) != before:
            return f"the {name} is not what was written: it disagrees with its digest"
    return None
