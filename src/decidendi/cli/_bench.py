"""``decidendi bench``: build, audit and score the benchmark of explainers."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._options import Json
from decidendi.cli._terminal import complain, say, say_json

if TYPE_CHECKING:
    from decidendi.reasonbench import Scoring, Table

_TARGETS = "direct-verdict, direct-receipt, rationale-receipt or judgment-cube"
_PROMPTS = """Examples:

\b
  decidendi bench prompts bench/ --split all > prompts.jsonl
  decidendi bench prompts bench/ --split train --bare --answers > train.jsonl"""

Folder = Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a built benchmark.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    bench = typer.Typer(
        no_args_is_help=True,
        help="ReasonBench: build, audit and score the benchmark of explainers.",
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    example = "Example:\n\n\b\n  decidendi bench "
    bench.command("build", epilog=f"{example}build --out bench/")(build)
    bench.command("audit", epilog=f"{example}audit bench/")(audit)
    bench.command("prompts", epilog=_PROMPTS)(prompts)
    bench.command("score", epilog=f"{example}score bench/ predictions.jsonl")(score)
    bench.command("report", epilog=f"{example}report bench/ --predictions a.jsonl b.jsonl")(report)
    bench.command("baselines", epilog=f"{example}baselines bench/")(baselines)
    app.add_typer(bench, name="bench")


@guarded
def build(
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where it goes.")],
    *,
    seed: Annotated[
        int | None, typer.Option(help="Another seed: another benchmark, not the frozen one.")
    ] = None,
) -> Exit:
    """Build every unit, case and control; print the one digest."""
    from decidendi.reasonbench import FROZEN, SEED, build_benchmark, read_manifest

    digest = build_benchmark(out, seed=SEED if seed is None else seed)
    for name, table in read_manifest(out)["core"]["tables"].items():
        say(f"{table['rows']:>7,} {name}")
    say(digest)
    if seed is None and digest != FROZEN:
        complain(f"this is not the frozen benchmark, {FROZEN}")
        return Exit.FAILED
    return Exit.DONE


@guarded
def audit(bench: Folder, *, as_json: Json = False) -> Exit:
    """Execute every cell again by other engines, and check everything that is stored."""
    from decidendi.reasonbench import audit_benchmark

    found = audit_benchmark(bench)
    if as_json:
        say_json(
            {
                "digest": found.digest,
                "frozen": found.frozen,
                "problems": found.problems,
                "figures": found.figures,
            }
        )
    else:
        for problem in found.problems:
            complain(problem)
        _say_figures(found.figures)
        note = "" if found.frozen else " (this is not the frozen benchmark)"
        say(f"{found.digest}: {'sound' if found.sound else 'NOT sound'}{note}")
    return Exit.DONE if found.sound else Exit.FAILED


Predictions = Annotated[
    list[Path],
    typer.Argument(metavar="PREDICTIONS", help="JSONL, one file per method; see the schema."),
]
Asked = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="NAME",
        help=f"What was asked for, where lines do not say it: {_TARGETS}.",
    ),
]
Seeds = Annotated[int | None, typer.Option(help="How many seeds each file should hold.", min=1)]
Surface = Annotated[
    bool, typer.Option("--baselines", help="Fit the surface baselines too: half a minute.")
]


@guarded
def score(
    bench: Folder,
    predictions: Predictions,
    *,
    target: Asked = None,
    seeds: Seeds = None,
    surface: Surface = False,
    as_json: Json = False,
) -> Exit:
    """Score predictions: every table of the paper for them."""
    scoring = _scored(bench, predictions, target, seeds, surface)
    if as_json:
        say_json(scoring.as_json())
    else:
        _say_tables(scoring.tables)
    _say_faults(scoring)
    return Exit.DONE if scoring.whole else Exit.PARTIAL


@guarded
def report(
    bench: Folder,
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="PREDICTIONS", help="The same.")
    ] = None,
    *,
    predictions: Annotated[
        list[Path] | None,
        typer.Option(
            "--predictions",
            metavar="FILE...",
            help="JSONL, one file per method; differences are against the first.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The page. [default: BENCH/report.html]")
    ] = None,
    target: Asked = None,
    seeds: Seeds = None,
    surface: Surface = False,
) -> Exit:
    """Score predictions and write the tables and figures as one page."""
    from decidendi.reasonbench import write_page

    # What follows the first file of --predictions reaches us as arguments.
    files = [*(predictions or []), *(more or [])]
    if not files:
        complain("error: no predictions (add --predictions FILE...)")
        return Exit.BAD_INPUT
    page = out or bench / "report.html"
    if not page.parent.is_dir():  # said now, and not after half a minute of scoring
        complain(f"error: {page.parent}: no such folder")
        return Exit.BAD_INPUT
    scoring = _scored(bench, files, target, seeds, surface)
    _say_faults(scoring)
    if not scoring.scorers:
        return Exit.PARTIAL
    write_page(scoring, page, shlex.join(["decidendi", *sys.argv[1:]]))
    say(page)
    return Exit.DONE if scoring.whole else Exit.PARTIAL


@guarded
def prompts(
    bench: Folder,
    *,
    target: Annotated[
        str, typer.Option(metavar="NAME", help=f"What to ask for: {_TARGETS}.")
    ] = "direct-receipt",
    split: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPLIT",
            help="May be repeated; all: every one but train. [default: locked]",
        ),
    ] = None,
    controls: Annotated[bool, typer.Option(help="The controls of the locked split too.")] = True,
    rendering: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Other words: plain, memo or table. Another test."),
    ] = None,
    bare: Annotated[
        bool, typer.Option("--bare", help="Without the instruction, for a trained predictor.")
    ] = False,
    exact: Annotated[
        bool, typer.Option("--answers", help="With the exact answer, to train on.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write here.")] = None,
) -> Exit:
    """Print the prompts as JSON Lines, for whatever is to answer them."""
    from decidendi import reasonbench

    lines = reasonbench.prompts(
        bench,
        reasonbench.target_named(target),
        splits=reasonbench.splits_named(split or ["locked"]),
        controls=controls,
        rendering=rendering,
        ask=not bare,
        exact=exact,
    )
    with nullcontext(sys.stdout) if out is None else out.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return Exit.DONE


@guarded
def baselines(bench: Folder, *, as_json: Json = False) -> Exit:
    """Fit and score the surface baselines: majority, random, character TF-IDF."""
    from decidendi.reasonbench import Scorer, diagnostics, read_gold, table_as_json
    from decidendi.reasonbench import baselines as fit

    gold = read_gold(bench)
    table = diagnostics([Scorer(predictions, gold) for predictions in fit(bench)], gold)
    if as_json:
        say_json({"benchmark": gold.digest, "tables": [table_as_json(table)]})
    else:
        _say_tables([table])
    return Exit.DONE


def _scored(
    bench: Path, files: Sequence[Path], target: str | None, seeds: int | None, surface: bool
) -> Scoring:
    from decidendi.reasonbench import score_files, target_named

    asked = None if target is None else target_named(target)
    return score_files(bench, files, target=asked, seeds=seeds, surface=surface)


def _say_faults(scoring: Scoring) -> None:
    """Name what was wrong with the files, on standard error."""
    for file, digest in scoring.strangers.items():
        complain(
            f"{file}: non-comparable, and not scored: it predicts the benchmark {digest}, "
            f"and this one is {scoring.gold.digest}"
        )
    for scorer in scoring.scorers:
        for fault in scorer.predictions.faults:
            complain(f"{scorer.method}: {fault}")
    for scorer in scoring.scorers:
        if scorer.predictions.renderings:
            complain(
                f"note: {scorer.method}: prompts in other words than the benchmark's, "
                "so another test; not paired with methods that read different words"
            )
        if not scorer.predictions.bound:
            complain(f"note: {scorer.method}: no line names the benchmark that it answers")


def _say_figures(figures: dict[str, Any]) -> None:
    for name, value in figures.items():
        if not isinstance(value, dict):
            say(f"{name}: {value}")
            continue
        say(f"{name}:")
        for key, item in value.items():
            if isinstance(item, dict):
                item = ", ".join(f"{word} {n}" for word, n in item.items() if n is not None)
            say(f"  {key}: {item}")


def _say_tables(tables: Sequence[Table]) -> None:
    for table in tables:
        number = f"Table {table.number}. " if table.number.isdigit() else ""
        say(f"{number}{table.title}", "bold")
        rows = [list(table.columns), *table.texts]
        widths = [max(len(row[i]) for row in rows) for i in range(len(table.columns))]
        for row in rows:
            line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
            say(line.rstrip())
        if table.note:
            say(table.note, "dim")
        say()
