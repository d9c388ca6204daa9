"""The command ``decidendi``. Each group of commands is one file; see ``GROUPS``."""

from __future__ import annotations

from typing import Annotated

import typer

from decidendi.cli import (
    _agreement,
    _audit,
    _bench,
    _certify,
    _describe,
    _grade,
    _grading,
    _inspect,
    _mitigate,
)

GROUPS = (_certify, _inspect, _describe, _bench, _audit, _grade, _grading, _agreement, _mitigate)
"""Modules with a function ``register(app)`` that adds their commands."""

app = typer.Typer(
    name="decidendi",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=(
        "Find out which change made a verdict change, and prove it.\n\n"
        "Exit codes: 0 done; 1 a gate failed or verification found something wrong; "
        "2 bad input or usage; 3 finished, with parts uncertifiable, unmeasured, bad or "
        "non-comparable."
    ),
)


def _version(asked: bool) -> None:
    if asked:
        from decidendi._version import __version__

        typer.echo(f"decidendi {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    pass


for group in GROUPS:
    group.register(app)


def main() -> None:
    """Run the command line."""
    app()
