"""``decidendi agreement``: how far preferences or answers agree with people's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._options import Json, Quiet
from decidendi.cli._terminal import complain, say, say_json

if TYPE_CHECKING:
    from decidendi.grading import AnswersRecord, PositionBias, Refused

EXAMPLES = """Examples:

\b
  decidendi agreement pairs.jsonl
  decidendi agreement LLMBar/Dataset/LLMBar/Natural --judge GPT-4/Vanilla
  decidendi agreement unfair_tos_predictions.jsonl --task unfair_tos"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("agreement", epilog=EXAMPLES)(agreement)


@guarded
def agreement(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Pairs that judges saw in both orders (or LLMBar's folder), or answers with gold.",
        ),
    ],
    *,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAME", help="Which judges of pairs; all."),
    ] = None,
    task: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which task of the answers; each.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Say how far preferences or answers agree with people, and what the order of pairs does."""
    from dataclasses import asdict

    found: dict[str, Any]
    if file.is_dir() or not _answers(file):
        found, refused = _pairs(file, judge)
    else:
        found, refused = _tasks(file, task)
    if as_json:
        say_json({name: asdict(one) for name, one in found.items()})
    elif not quiet:
        for name, one in found.items():
            say(name or "answers", "bold")
            _show(one)
    for line in refused:
        complain(f"not used: {line}")
    return Exit.PARTIAL if refused else Exit.DONE


def _answers(file: Path) -> bool:
    """Say whether a file holds answers: by its first line."""
    from decidendi.judgment import parse_json

    with file.open("rb") as stream:
        first = next((line for line in stream if line.strip()), b"{}")
    row = parse_json(first)
    return isinstance(row, dict) and {"input_text", "prediction"} <= set(row)


def _pairs(file: Path, judges: list[str] | None) -> tuple[dict[str, Any], list[Refused]]:
    from decidendi.grading import position_bias, read_pairwise
    from decidendi.judgment import BadInputError

    pairs, refused = read_pairwise(file)
    names = judges or sorted({name for pair in pairs for name in pair.judges})
    if not names:
        remedy = (
            'pairs as {"id", "human_label", "judges"}, or {"input_text", "answer", "prediction"}'
        )
        raise BadInputError(f"{file}: no pairs that a judge saw, and no answers", remedy=remedy)
    return {name: position_bias(pairs, name) for name in names}, refused


def _tasks(file: Path, task: str | None) -> tuple[dict[str, Any], list[Refused]]:
    from decidendi.grading import answers_record, read_answers
    from decidendi.judgment import BadInputError

    answers, refused = read_answers(file)
    names = sorted({answer.task for answer in answers if task in (None, answer.task)})
    if not names:
        raise BadInputError(f"{file}: no answers" + (f" to the task {task!r}" if task else ""))
    of = {name: [answer for answer in answers if answer.task == name] for name in names}
    return {name: answers_record(rows) for name, rows in of.items()}, refused


def _show(one: PositionBias | AnswersRecord) -> None:
    from decidendi.grading import PositionBias

    if isinstance(one, PositionBias):
        left_out = "".join(f"; left out: {why} {n}" for why, n in one.consistent.excluded.items())
        say(f"  {'the same in both orders':34} {one.consistent}{left_out}")
        say(f"  {'of the others, what was shown first':34} {one.first_shown}")
        for name, record in (
            ("agrees with people, as shown", one.as_shown),
            ("shown the other way round", one.turned),
            ("where both orders agree", one.agreeing),
        ):
            say(f"  {name:34} {record.agreed}; kappa {record.kappa}")
        return
    whole = one.whole
    left_out = "".join(f"; left out: {why} {n}" for why, n in whole.confusion.excluded.items())
    say(f"  {'agrees with gold':34} {whole.agreed}; kappa {whole.kappa}{left_out}")
    for option, record in one.options.items():
        rates = record.classes["yes"]
        say(f"  {option:34} precision {rates.precision}; recall {rates.recall}")
