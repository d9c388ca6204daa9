"""From a program to what executes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from decidendi.evaluators._answers import error_cell
from decidendi.evaluators._evaluator import Program
from decidendi.evaluators._python import (
    FunctionAdjudicator,
    ModuleAdjudicator,
    problem_with,
    python_function,
)
from decidendi.evaluators._rules import RulesAdjudicator
from decidendi.judgment import Adjudicator, BadInputError


def adjudicator_of(program: Program) -> Adjudicator:
    """Build what executes a program, loading its code.

    Raises:
        BadInputError: if the entry cannot be loaded, or called as it will be.
        MissingExtraError: if the engine is not installed.
    """
    return _ENGINES[program.identity.engine](program)


def _python(program: Program) -> Adjudicator:
    entry = str(program.settings["entry"])
    modules = [kind for kind, told in program.formats.items() if told == "python"]
    if not program.code:
        return ModuleAdjudicator(program.identity, modules, None, entry)
    function = loaded(program.code, entry)
    if (problem := problem_with(function, program.identity.kinds)) is not None:
        raise BadInputError(
            f"{entry} {problem}",
            remedy=f"write def {entry.partition(':')[2]}({', '.join(program.identity.kinds)})",
        ).at(field="adjudicator.entry")
    if modules:
        return ModuleAdjudicator(program.identity, modules, function, entry)
    return FunctionAdjudicator(program.identity, function)


def loaded(bundle: Any, entry: str) -> Callable[..., object]:  # noqa: ANN401 - path to text
    """Load the function of an entry.

    Raises:
        BadInputError: if importing its module fails, or the module has no such function.
    """
    module, _, name = entry.partition(":")
    try:
        return python_function(bundle, entry)
    except AttributeError as error:
        if f"has no attribute {name!r}" in str(error) and error.name == name:
            what = f"the module {module!r} has no {name!r}"
            raise BadInputError(what, remedy="define it, or correct the entry") from None
        cell = error_cell(error)
    except BaseException as error:  # importing runs the user's code
        cell = error_cell(error)
    what = f"importing the module {module!r} failed: {cell.detail}"
    raise BadInputError(what, remedy="run it by itself to see the whole error")


def _rules(program: Program) -> Adjudicator:
    identity = program.identity
    return RulesAdjudicator(identity.name, identity.verdicts, identity.kinds)


_ENGINES: dict[str, Callable[[Program], Adjudicator]] = {
    "python": _python,
    "rules": _rules,
}
