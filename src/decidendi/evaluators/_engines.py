"""From a program to what executes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from decidendi.evaluators._answers import error_cell
from decidendi.evaluators._cedar import CedarAdjudicator
from decidendi.evaluators._evaluator import Program
from decidendi.evaluators._model import ModelAdjudicator, Reading
from decidendi.evaluators._opa import OpaAdjudicator
from decidendi.evaluators._python import (
    FunctionAdjudicator,
    ModuleAdjudicator,
    problem_with,
    python_function,
)
from decidendi.evaluators._rego import RegoAdjudicator
from decidendi.evaluators._rules import RulesAdjudicator
from decidendi.judgment import Adjudicator, BadInputError


def adjudicator_of(program: Program, timeout: float | None = None) -> Adjudicator:
    """Build what executes a program in this process, loading its code.

    Args:
        program: The program.
        timeout: Seconds to wait for answers of a server or a model; other engines here have no
            limit.

    Raises:
        BadInputError: if the entry cannot be loaded, or called as it will be.
        MissingExtraError: if the engine is not installed.
    """
    engine = program.identity.engine
    if engine == "opa":
        query, url = str(program.settings["query"]), str(program.settings["url"])
        policies = _policies(program)
        return OpaAdjudicator(program.identity, query, policies, url, timeout=timeout)
    if engine == "model":
        reading = Reading.of(program.settings, program.identity.verdicts)
        return ModelAdjudicator(program.identity, reading, timeout=timeout)
    return _ENGINES[engine](program)


def _python(program: Program) -> Adjudicator:
    entry = str(program.settings["entry"])
    modules = [kind for kind, told in program.formats.items() if told == "python"]
    if not program.code:
        return ModuleAdjudicator(program.identity, modules, None, entry)
    function = loaded(program.code, entry)
    kinds, stochastic = program.identity.kinds, not program.identity.deterministic
    if (problem := problem_with(function, kinds, repeat=stochastic)) is not None:
        raise BadInputError(
            f"{entry} {problem}",
            remedy=f"write def {entry.partition(':')[2]}({', '.join(kinds)})",
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


def _rego(program: Program) -> Adjudicator:
    return RegoAdjudicator(program.identity, str(program.settings["query"]), _policies(program))


def _cedar(program: Program) -> Adjudicator:
    return CedarAdjudicator(program.identity, program.settings, _policies(program))


def _policies(program: Program) -> list[str]:
    engine = "cedar" if program.identity.engine == "cedar" else "rego"
    return [kind for kind, told in program.formats.items() if told == engine]


def _rules(program: Program) -> Adjudicator:
    identity = program.identity
    return RulesAdjudicator(identity.name, identity.verdicts, identity.kinds)


_ENGINES: dict[str, Callable[[Program], Adjudicator]] = {
    "python": _python,
    "rego": _rego,
    "cedar": _cedar,
    "rules": _rules,
}
