"""``decidendi plant``: chains of reasoning whose errors are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._options import Json, Quiet
from decidendi.cli._terminal import say, say_json

if TYPE_CHECKING:
    from decidendi.grading import Planted

PLANT_EXAMPLES = """Examples:

\b
  decidendi plant --task law --n 200 --out planted.jsonl
  decidendi plant --n 60 --kind misinterpretation.temporal --difficulty hard --out dates.jsonl
  decidendi plant --n 100 --correct 0.5 --authority 12-a-1 --seed 7 --out answers.jsonl"""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("plant", epilog=PLANT_EXAMPLES)(plant)


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
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Write chains with one known error each, and correct ones, with their labels."""
    from decidendi.grading import plant_to

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
    if as_json:
        say_json({"chains": str(out), "labels": str(labels), "planted": _counts(planted)})
    elif not quiet:
        say(f"{len(planted):,} chains: {out}; their labels: {labels}", "bold")
        for code, levels in _counts(planted).items():
            say(f"  {code:32} {', '.join(f'{level} {count:,}' for level, count in levels.items())}")
    return Exit.DONE


def _counts(planted: list[Planted]) -> dict[str, dict[str, int]]:
    """Count chains by what was planted, and by difficulty."""
    counts: dict[str, dict[str, int]] = {}
    for one in planted:
        level = "" if one.place is None and one.code == "correct" else one.difficulty
        levels = counts.setdefault(one.code, {})
        levels[level or "no error"] = levels.get(level or "no error", 0) + 1
    return {code: dict(sorted(counts[code].items())) for code in sorted(counts)}
