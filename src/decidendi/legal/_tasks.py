"""The shipped tasks, and tasks from a user's own file."""

from __future__ import annotations

import codecs
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from decidendi.judgment import BadInputError, Place, digest_of, parse_json
from decidendi.legal._models import AuthorityModel, TaskModel
from decidendi.legal._question import Authority, Option, Pair, Task, Wording
from decidendi.legal._words import say

TASKS = ("echr", "scotus", "casehold", "contractnli", "law")
"""The shipped tasks, by id."""


@lru_cache(maxsize=len(TASKS))
def task(name: str) -> Task:
    """Return a shipped task.

    Raises:
        BadInputError: if there is none of this name.
    """
    if name not in TASKS:
        raise BadInputError(f"no task {name!r}", remedy=f"one of: {', '.join(TASKS)}, or a file")
    data = files("decidendi.legal").joinpath("data", "tasks", f"{name}.json").read_bytes()
    return _task_of(data, f"{name}.json")


def load_task(name_or_path: str | Path) -> Task:
    """Return a shipped task by its name, or the task in a JSON file.

    Raises:
        BadInputError: on an unknown name or a file that is not a task, with the field.
    """
    if isinstance(name_or_path, str) and name_or_path in TASKS:
        return task(name_or_path)
    path = Path(name_or_path)
    if not path.is_file():
        remedy = f"one of: {', '.join(TASKS)}, or the path of a task file"
        raise BadInputError(f"no task {str(name_or_path)!r}", remedy=remedy)
    return _task_of(path.read_bytes(), str(path))


def _task_of(data: bytes, file: str) -> Task:
    try:
        content = parse_json(data.removeprefix(codecs.BOM_UTF8))
        model = TaskModel.model_validate(content)
        return _typed(model, digest_of(content))
    except ValidationError as error:
        raise bad_input(error, file) from None
    except BadInputError as error:
        raise error.at(file=file) from None


def bad_input(error: ValidationError, file: str, line: int | None = None) -> BadInputError:
    """Return the first problem pydantic found, with its place."""
    first: Any = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    what = str(first["msg"]).removeprefix("Value error, ")
    return BadInputError(what, place=Place(file, line, field or None))


def authority_of(model: AuthorityModel) -> Authority:
    """Return the typed authority of a file's."""
    return Authority(
        id=model.id,
        name=model.name,
        citation=model.citation,
        text=say(model.text, model.terms) if model.terms else model.text,
        aliases=tuple(model.aliases),
        external=tuple(model.external),
        terms=model.terms,
        template=model.text if model.terms else "",
    )


def _typed(model: TaskModel, digest: str) -> Task:
    return Task(
        id=model.id,
        version=model.version,
        title=model.title,
        digest=digest,
        kind=model.kind,
        facts_are=model.facts_are,
        marker=model.marker,
        options=tuple(Option(option.label, option.text) for option in model.options),
        positive=model.positive,
        authorities=tuple(authority_of(authority) for authority in model.authorities),
        null=authority_of(model.null),
        pairs=tuple(Pair(pair.id, pair.target, pair.control) for pair in model.pairs),
        wordings=tuple(Wording(wording.id, wording.template) for wording in model.wordings),
        facts_limit=model.facts_limit,
    )
