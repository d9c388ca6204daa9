"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from decidendi.evaluators import Evaluator

Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
Cases = Annotated[
    Path | None, typer.Option("--cases", metavar="FILE", help="The case file, if it has moved.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Evaluators = Annotated[
    tuple[Path, Path] | None,
    typer.Option(
        "--evaluators",
        metavar="OLD NEW",
        help="The two evaluator folders. Their code is executed, after their digests matched.",
    ),
]
Old = Annotated[
    str | None, typer.Option("--old", metavar="REV", help="Git revision of the old evaluator.")
]
Revised = Annotated[
    str | None, typer.Option("--revised", metavar="REV", help="Git revision of the revised one.")
]


def two_evaluators(folders: tuple[Path, Path] | None) -> tuple[Evaluator, Evaluator]:
    """Load the evaluators that a user handed over.

    Raises:
        BadInputError: if none were, or one cannot be read.
    """
    from decidendi.evaluators import load_evaluator
    from decidendi.judgment import BadInputError

    if folders is None:
        raise BadInputError(
            "no evaluators were handed over, and none are executed that were not",
            remedy="add --evaluators OLD NEW",
        )
    return load_evaluator(folders[0]), load_evaluator(folders[1])


def refuse_idle(context: typer.Context, given: str, *, besides: Collection[str]) -> None:
    """Refuse options of a command line that have no effect there.

    Args:
        context: Of the command.
        given: The option that leaves them without one.
        besides: Names of the parameters that keep theirs.

    Raises:
        BadInputError: naming the options.
    """
    from decidendi.judgment import BadInputError

    idle = [
        each.opts[0]
        for each in context.command.params
        if each.name is not None
        and each.name not in besides
        and (source := context.get_parameter_source(each.name)) is not None
        and source.name == "COMMANDLINE"
    ]
    if idle:
        what = f"{', '.join(idle)}: no effect with {given}"
        raise BadInputError(what, remedy="leave it out" if len(idle) == 1 else "leave them out")


def arguments(texts: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE; numbers and booleans are what they look like.

    Raises:
        BadInputError: on a text that is not of this form.
    """
    import json

    from decidendi.judgment import BadInputError

    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadInputError(f"--model-arg: {text!r} is not NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found
