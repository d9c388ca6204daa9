"""``decidendi plant``, ``import-steps``, ``validate``, ``referee``: what a judge is worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._options import Json, Quiet, Run
from decidendi.cli._terminal import complain, say, say_json

if TYPE_CHECKING:
    from decidendi.grading import Planted

PLANT_EXAMPLES = """Examples:

\b
  decidendi plant --task law --n 200 --out planted.jsonl
  decidendi plant --n 60 --kind misinterpretation.temporal --difficulty hard --out dates.jsonl
  decidendi plant --n 100 --correct 0.5 --authority 12-a-1 --seed 7 --out answers.jsonl
  decidendi plant --n 120 --attack --out p.jsonl         and twins that talk to their judge"""


IMPORT_EXAMPLES = """Examples:

\b
  decidendi import-steps logical_deduction.jsonl --out mistakes
  decidendi import-steps mr-math_invalid_errors.json --judge gpt4=gpt4_eval_results.json
      --out mrmath
  decidendi validate mrmath/gpt4 --human mrmath/human.jsonl"""

CIVPRO_EXAMPLES = """Examples:

\b
  decidendi import-civpro train.csv dev.csv test.csv --out questions.jsonl
  decidendi mitigate --data questions.jsonl --model openai/gpt-4o
  decidendi import-civpro train.csv dev.csv test.csv --answers answers.jsonl --out chains.jsonl
  decidendi grade chains.jsonl --judge openai/gpt-4o --out runs/g"""

VALIDATE_EXAMPLES = """Examples:

\b
  decidendi validate runs/g --human labels.jsonl
  decidendi validate runs/g --human labels.jsonl --design pilot-2025 --records judges.jsonl"""

REFEREE_EXAMPLES = """Example, with the figures of arXiv 2502.05675 as its review has them:

\b
  decidendi referee --judged 27 --people mistral=13.3/30 --people llama=16.7/30
      --people gpt-3.5=9.7/30 --people gpt-4-turbo=10.0/30"""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("plant", epilog=PLANT_EXAMPLES)(plant)
    app.command("import-steps", epilog=IMPORT_EXAMPLES)(import_steps)
    app.command("import-civpro", epilog=CIVPRO_EXAMPLES)(import_civpro)
    app.command("validate", epilog=VALIDATE_EXAMPLES)(validate)
    app.command("referee", epilog=REFEREE_EXAMPLES)(referee)


@guarded
def plant(  # long: one option after another
    *,
    task: Annotated[str, typer.Option(help="law: questions that executable law decides.")] = "law",
    n: Annotated[int, typer.Option("--n", min=1, help="How many chains.")] = 200,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="The chains; their labels go beside them.")
    ] = Path("planted.jsonl"),
    seed: Annotated[int, typer.Option(help="Equal seeds give equal chains.")] = 42,
    correct: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of chains without an error.")
    ] = 1 / 3,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", help="What to plant; every kind if left out.")
    ] = None,
    difficulty: Annotated[
        list[str] | None, typer.Option("--difficulty", help="easy, medium or hard; all of them.")
    ] = None,
    authority: Annotated[
        list[str] | None, typer.Option("--authority", help="Which rules are asked about; all.")
    ] = None,
    collection: Annotated[
        str, typer.Option(help="The set's name: no judge is validated on what it was designed on.")
    ] = "planted",
    attack: Annotated[
        bool, typer.Option("--attack", help="Also write twins that tell the judge to find nothing.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Write chains with one known error each, and correct ones, with their labels."""
    from decidendi.grading import attack_to, plant_to

    planted, labels = plant_to(
        out,
        n,
        task=task,
        seed=seed,
        correct=correct,
        codes=kind,
        difficulties=difficulty,
        authorities=authority,
        collection=collection,
    )
    twins = attack_to(out, planted, seed=seed) if attack else None
    if as_json:
        written = {"attacked": str(twins[0])} if twins else {}
        files = {"chains": str(out), "labels": str(labels), **written}
        say_json({**files, "planted": _counts(planted)})
    elif not quiet:
        say(f"{len(planted):,} chains: {out}; their labels: {labels}", "bold")
        for code, levels in _counts(planted).items():
            say(f"  {code:32} {', '.join(f'{level} {count:,}' for level, count in levels.items())}")
        if twins:
            say(f"{twins[1]:,} attacked twins: {twins[0]}, their labels beside them")
    return Exit.DONE


def _counts(planted: list[Planted]) -> dict[str, dict[str, int]]:
    """Count chains by what was planted, and by difficulty."""
    counts: dict[str, dict[str, int]] = {}
    for one in planted:
        level = "" if one.place is None and one.code == "correct" else one.difficulty
        levels = counts.setdefault(one.code, {})
        levels[level or "no error"] = levels.get(level or "no error", 0) + 1
    return {code: dict(sorted(counts[code].items())) for code in sorted(counts)}


@guarded
def import_steps(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The set, as it was released.")],
    *,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where chains and labels go.")],
    format: Annotated[
        str,
        typer.Option(
            help="bigbench-mistake, processbench, mrmath, roscoe, inferential-strategies; "
            "auto recognises them."
        ),
    ] = "auto",
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAME=FILE", help="mrmath: a judge's verdicts."),
    ] = None,
    quiet: Quiet = False,
) -> Exit:
    """Turn a public set of labelled chains into chains, people's labels, and judges' runs."""
    from decidendi.grading import import_steps as read
    from decidendi.grading import write_imported

    found = read(file, format, judges=dict(_named_file(text) for text in judge or ()))
    runs = write_imported(out, found)
    if not quiet:
        say(f"{found.format}: {len(found.chains):,} chains and people's labels in {out}", "bold")
        for run in runs:
            say(f"  a judge's run: {run}")
    for line in found.refused:
        complain(f"not used: {line}")
    return Exit.PARTIAL if found.refused else Exit.DONE


def _named_file(text: str) -> tuple[str, Path]:
    """Read NAME=FILE."""
    from decidendi.judgment import BadInputError

    name, equals, file = text.partition("=")
    if not (name and equals and file):
        raise BadInputError(f"--judge: {text!r} is not NAME=FILE")
    return name, Path(file)


@guarded
def import_civpro(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="CSV", help="All files of the set: answers may be divided."),
    ],
    *,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="The questions; with --answers, the chains.")
    ],
    answers: Annotated[
        Path | None,
        typer.Option(
            "--answers", metavar="FILE", help='Models\' answers: {"id", "text", "model"}.'
        ),
    ] = None,
    quiet: Quiet = False,
) -> Exit:
    """Turn the CSV files of the civil-procedure set into questions, or join answers with them."""
    from decidendi.folders import write_whole
    from decidendi.grading import answered, question_line, read_civpro

    questions, refused = read_civpro(files)
    what = "questions"
    lines = [question_line(question) for question in questions]
    if answers is not None:
        what = "chains"
        lines, unused = answered(questions, answers)
        refused += unused
    write_whole(out, lines)
    if not quiet:
        say(f"{len(lines):,} {what if len(lines) != 1 else what[:-1]}: {out}", "bold")
    for line in refused:
        complain(f"not used: {line}")
    if len(files) == 1:
        complain("Only one file: if the set has others, questions may lack answers that lie there.")
    return Exit.PARTIAL if refused else Exit.DONE


@guarded
def validate(
    run: Run,
    *,
    human: Annotated[Path, typer.Option("--human", metavar="FILE", help="People's labels.")],
    design: Annotated[
        list[str] | None,
        typer.Option("--design", metavar="NAME", help="A collection the judge was designed on."),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where records of judges are kept; RUN/records.jsonl."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Compare a judge with people on chains it was not designed on, and correct its rates."""
    from decidendi.cli._validated import show
    from decidendi.folders import StorageError
    from decidendi.grading import append_record, load_run, read_labels, validation_json, write_page
    from decidendi.grading import validate as compare
    from decidendi.stats import NotEnoughLabels

    graded = load_run(run)
    labels, refused = read_labels(human, graded.taxonomy, graded.chains)
    for line in refused:
        complain(f"not used: {line}")
    found = compare(graded, labels, designed_on=design or ())
    path = records or run / "records.jsonl"
    new = append_record(path, found)
    page: Path | None = None
    try:
        page = write_page(run, graded, found, labels)
    except StorageError as error:  # the record is written, and is what matters
        complain(f"The page was not written. {error}")
    if as_json:
        say_json(validation_json(found))
    elif not quiet:
        show(found)
        say(f"Record: {path}{'' if new else ' (it was there already)'}")
        if page is not None:
            say(f"Page: {page}")
    short = any(
        isinstance(rate, NotEnoughLabels) for rate in (*found.corrected.values(), found.gap)
    )
    return Exit.PARTIAL if refused or short or page is None else Exit.DONE


@guarded
def referee(
    *,
    judged: Annotated[
        float, typer.Option(min=0.0, max=100.0, help="The gap by the judge, in points.")
    ],
    people: Annotated[
        list[str],
        typer.Option("--people", metavar="MODEL=POINTS/CHAINS", help="The gap by people."),
    ],
    as_json: Json = False,
) -> Exit:
    """Say whether a gap that a judge measured stands before what people measured."""
    from decidendi.cli._validated import referee_json, show_referee
    from decidendi.grading import PeoplesGap
    from decidendi.grading import referee as test

    found = test([PeoplesGap(*_gap(text)) for text in people], judged / 100)
    if as_json:
        say_json(referee_json(found))
    else:
        show_referee(found)
    ends = {"stands": Exit.DONE, "does not stand": Exit.FAILED}
    return ends.get(found.outcome, Exit.PARTIAL)


def _gap(text: str) -> tuple[str, float, int]:
    """Read MODEL=POINTS/CHAINS."""
    from decidendi.judgment import BadInputError

    model, _, rest = text.rpartition("=")
    points, _, chains = rest.partition("/")
    try:
        return model, float(points) / 100, int(chains)
    except ValueError:
        raise BadInputError(f"--people: {text!r} is not MODEL=POINTS/CHAINS") from None
