"""The cases that come with the package, written for it: invented persons, firms and States."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import as_file, files

from decidendi.judgment import BadInputError
from decidendi.legal._loading import read_cases
from decidendi.legal._question import LegalCase
from decidendi.legal._tasks import task

SHIPPED = ("echr", "scotus", "casehold", "contractnli")
"""Tasks with shipped cases. Those of ``law`` are drawn: see ``law_cases``."""


@lru_cache(maxsize=len(SHIPPED))
def shipped_cases(name: str) -> tuple[LegalCase, ...]:
    """Return the shipped cases of a task.

    Raises:
        BadInputError: if none are shipped for it.
    """
    if name not in SHIPPED:
        remedy = f"one of: {', '.join(SHIPPED)}; cases of law are drawn"
        raise BadInputError(f"no cases are shipped for {name!r}", remedy=remedy)
    resource = files("decidendi.legal").joinpath("data", "cases", f"{name}.jsonl")
    with as_file(resource) as path:
        loaded = read_cases(path, task(name))
    assert not loaded.unusable, "a test reads every shipped case"
    return loaded.cases
