"""``decidendi check`` and ``schema``: what an evaluator must look like."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._options import Json
from decidendi.cli._terminal import complain, say, say_json

if TYPE_CHECKING:
    from decidendi.judgment import JSON


class Document(StrEnum):
    """What there is a JSON Schema of."""

    EVALUATOR = "evaluator"
    CASES = "cases"
    CERTIFICATE = "certificate"
    PREDICTIONS = "predictions"
    AUDIT_CASES = "audit-cases"
    AUDIT_TASK = "audit-task"
    CHAINS = "chains"
    LABELS = "labels"
    TAXONOMY = "taxonomy"


_CHECK = """Examples:

\b
  decidendi check ./evaluator
  decidendi check ./evaluator --cases cases.jsonl

The evaluator's code is imported, and so executed: check only what you would run."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("check", epilog=_CHECK)(check)
    app.command("schema", epilog="Example:\n\n\b\n  decidendi schema evaluator")(schema)


@guarded
def check(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of an evaluator.")],
    *,
    cases: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also its cases: lines that are none, what a prompt misses in them.",
        ),
    ] = None,
    as_json: Json = False,
) -> Exit:
    """Say what is wrong with an evaluator, and where."""
    from decidendi.evaluators import check_folder

    problems = check_folder(folder, cases)
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
    of: Annotated[Document, typer.Argument(metavar="DOCUMENT", help="What it is the schema of.")],
) -> Exit:
    """Print a JSON Schema."""
    say_json(_schema_of(of))
    return Exit.DONE


def _schema_of(document: Document) -> dict[str, JSON]:
    # Each room is imported only when it is asked: all of them together take a second.
    match document:
        case Document.EVALUATOR:
            from decidendi.evaluators import evaluator_schema

            return evaluator_schema()
        case Document.CASES:
            from decidendi.evaluators import case_schema

            return case_schema()
        case Document.CERTIFICATE:
            from decidendi.receipts import certificate_schema

            return certificate_schema()
        case Document.PREDICTIONS:
            from decidendi.reasonbench import prediction_schema

            return prediction_schema()
        case Document.AUDIT_CASES:
            from decidendi.legal import case_schema as audit_case_schema

            return audit_case_schema()
        case Document.AUDIT_TASK:
            from decidendi.legal import task_schema

            return task_schema()
        case Document.CHAINS:
            from decidendi.grading import chain_schema

            return chain_schema()
        case Document.LABELS:
            from decidendi.grading import labels_schema

            return labels_schema()
        case Document.TAXONOMY:
            from decidendi.grading import taxonomy_schema

            return taxonomy_schema()
