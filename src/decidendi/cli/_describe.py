"""``decidendi check`` and ``schema``: what an evaluator must look like."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._options import Json
from decidendi.cli._terminal import complain, say, say_json


class Document(StrEnum):
    """What there is a JSON Schema of."""

    EVALUATOR = "evaluator"
    CASES = "cases"
    CERTIFICATE = "certificate"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("check", epilog="Example:\n\n\b\n  decidendi check ./evaluator")(check)
    app.command("schema", epilog="Example:\n\n\b\n  decidendi schema evaluator")(schema)


@guarded
def check(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of an evaluator.")],
    *,
    as_json: Json = False,
) -> Exit:
    """Say what is wrong with an evaluator, and where."""
    from decidendi.evaluators import check_folder

    problems = check_folder(folder)
    wrong = [problem for problem in problems if not problem.hint]
    if as_json:
        say_json(
            {
                "problems": [str(problem) for problem in wrong],
                "hints": [str(problem) for problem in problems if problem.hint],
            }
        )
    else:
        for problem in problems:
            complain(f"{'hint: ' if problem.hint else ''}{problem}")
        if not wrong:
            say(f"{folder}: nothing wrong", "green")
    return Exit.BAD_INPUT if wrong else Exit.DONE


@guarded
def schema(
    of: Annotated[Document, typer.Argument(metavar="evaluator|cases|certificate")],
) -> Exit:
    """Print a JSON Schema."""
    from decidendi.evaluators import case_schema, evaluator_schema
    from decidendi.receipts import certificate_schema

    makers = {
        Document.EVALUATOR: evaluator_schema,
        Document.CASES: case_schema,
        Document.CERTIFICATE: certificate_schema,
    }
    say_json(makers[of]())
    return Exit.DONE
