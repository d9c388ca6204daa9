"""``decidendi bench``: build, audit and score the benchmark of explainers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._options import Json
from decidendi.cli._terminal import complain, say, say_json

if TYPE_CHECKING:
    from decidendi.reasonbench import Table

Folder = Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a built benchmark.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    bench = typer.Typer(
        no_args_is_help=True,
        help="ReasonBench: build, audit and score the benchmark of explainers.",
    )
    example = "Example:\n\n\b\n  decidendi bench "
    bench.command("build", epilog=f"{example}build --out bench/")(build)
    bench.command("audit", epilog=f"{example}audit bench/")(audit)
    bench.command("score", epilog=f"{example}score bench/ predictions.jsonl")(score)
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
        say_json({"digest": found.digest, "problems": found.problems, "figures": found.figures})
    else:
        for problem in found.problems:
            complain(problem)
        _say_figures(found.figures)
        say(f"{found.digest}: {'sound' if found.sound else 'NOT sound'}")
    return Exit.DONE if found.sound else Exit.FAILED


@guarded
def score(
    bench: Folder,
    predictions: Annotated[list[Path], typer.Argument(metavar="PREDICTIONS...", help="JSONL.")],
    *,
    seeds: Annotated[int | None, typer.Option(help="How many seeds each file should hold.")] = None,
    as_json: Json = False,
) -> Exit:
    """Score predictions: every table of the paper for them."""
    from decidendi.reasonbench import Scorer, all_tables, read_gold, read_predictions

    gold = read_gold(bench)
    read = [read_predictions(path, gold, seeds=seeds) for path in predictions]
    _say_tables(all_tables([Scorer(own, gold) for own in read], gold), as_json=as_json)
    for own in read:
        for fault in own.faults:
            complain(f"{own.method}: {fault}")
    return Exit.PARTIAL if any(own.faults for own in read) else Exit.DONE


@guarded
def baselines(bench: Folder, *, as_json: Json = False) -> Exit:
    """Fit and score the surface baselines: majority, random, character TF-IDF."""
    from decidendi.reasonbench import PUBLISHED_BASELINES, Scorer, diagnostics, read_gold
    from decidendi.reasonbench import baselines as fit

    gold = read_gold(bench)
    surface = [Scorer(predictions, gold) for predictions in fit(bench)]
    _say_tables([diagnostics(surface, gold)], as_json=as_json)
    if not as_json:
        for name, (verdict, receipt) in PUBLISHED_BASELINES.items():
            say(f"published: {name} {verdict}% verdict, {receipt}% receipt")
    return Exit.DONE


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


def _say_tables(tables: Sequence[Table], *, as_json: bool) -> None:
    if as_json:
        say_json(
            [
                {
                    "table": table.number,
                    "title": table.title,
                    "columns": table.columns,
                    "rows": table.texts,
                    "note": table.note,
                }
                for table in tables
            ]
        )
        return
    for table in tables:
        say(f"Table {table.number}. {table.title}", "bold")
        rows = [list(table.columns), *table.texts]
        widths = [max(len(row[i]) for row in rows) for i in range(len(table.columns))]
        for row in rows:
            say("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)))
        if table.note:
            say(table.note, "dim")
        say()
