"""``decidendi certify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._options import Json, Old, Quiet, Revised
from decidendi.cli._terminal import (
    complain,
    evaluators_speak_aside,
    inert,
    say,
    say_json,
    watching,
)

if TYPE_CHECKING:
    from decidendi.certification import Summary
    from decidendi.evaluators import Evaluator

EXAMPLES = """Examples:

\b
  decidendi certify v1 v2 --cases cases.jsonl --out runs/refunds
  decidendi certify ./evaluator --old v1.4 --revised HEAD --cases cases.jsonl
  decidendi certify v1 v2 --cases cases.jsonl --fail-on changed --fail-on uncertifiable=5

Interrupted at any point, the same command goes on where it stopped.

With --timeout the evaluator runs in a process of its own, so that code which crashes or ends its
process costs one cell and not the run."""

LONGEST_ID = 60
"""Characters of an id that are shown in a list."""

GATES = ("changed", "certified", "no-op", "identical", "uncertifiable", "unmeasured", "bad",
         "ambiguous", "nondeterministic")  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("certify", epilog=EXAMPLES)(certify)


@guarded
def certify(  # long: one option after another
    old: Annotated[
        Path, typer.Argument(metavar="OLD", help="Folder of the old evaluator, or of both.")
    ],
    new: Annotated[
        Path | None, typer.Argument(metavar="[NEW]", help="Folder of the revised evaluator.")
    ] = None,
    *,
    cases: Annotated[Path, typer.Option(metavar="FILE", help="JSON Lines, one case a line.")],
    out: Annotated[
        Path, typer.Option(metavar="RUN", help="Folder for the run; made if it is not there.")
    ] = Path("runs/latest"),
    old_revision: Old = None,
    revised_revision: Revised = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, help="Seconds that one execution may take.")
    ] = None,
    confidence: Annotated[
        str, typer.Option(help="Of a stochastic evaluator's certificates, e.g. 0.95.")
    ] = "0.95",
    budget: Annotated[
        int, typer.Option(min=1, help="Most draws for one cell of a stochastic evaluator.")
    ] = 64,
    bulk: Annotated[
        bool | None,
        typer.Option("--bulk/--no-bulk", help="Parquet segments; by itself from 100,000 cases."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Move a run that is in RUN aside first, to RUN.1, …")
    ] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=MOST]", help=f"Exit 1 if any, or more than MOST: {', '.join(GATES)}."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Certify which change made each verdict change."""
    from decidendi.certification import Options, certify_run

    gates = [_gate(text) for text in fail_on or ()]
    before, after = _evaluators(old, new, old_revision, revised_revision)
    options = Options(timeout, confidence, budget, bulk)
    with watching("certifying", quiet=quiet) as watch, evaluators_speak_aside():
        summary = certify_run(before, after, cases, out, options, watch, fresh=fresh, tell=complain)
    if as_json:
        say_json(summary.content)
    elif not quiet:
        _show(summary, out)
    if summary.flickering:
        complain(
            f"NOT DETERMINISTIC: {summary.flickering:,} cases have a state that gave two different "
            "verdicts, though the evaluator is declared deterministic. Their certificates are "
            'open. Remove the cause, or declare "deterministic = false".'
        )
    return _verdict(summary, gates)


def _evaluators(
    old: Path, new: Path | None, old_revision: str | None, revised_revision: str | None
) -> tuple[Evaluator, Evaluator]:
    from decidendi.evaluators import load_evaluator, load_revision
    from decidendi.judgment import BadInputError

    if new is not None and not old_revision and not revised_revision:
        return load_evaluator(old), load_evaluator(new)
    if new is None and old_revision and revised_revision:
        return load_revision(old, old_revision), load_revision(old, revised_revision)
    raise BadInputError(
        "two versions are needed",
        remedy="name two folders, or one folder with both --old REV and --revised REV",
    )


def _gate(text: str) -> tuple[str, int]:
    from decidendi.judgment import BadInputError

    name, _, most = text.partition("=")
    if name not in GATES or (most and not most.isdecimal()):
        raise BadInputError(
            f"--fail-on: {text!r} is not a gate",
            remedy=f"write NAME or NAME=MOST, with a name among: {', '.join(GATES)}",
        )
    return name, int(most or 0)


def _count(summary: Summary, outcome: str) -> int:
    more = {"ambiguous": summary.content["ambiguous"], "nondeterministic": summary.flickering}
    return int({**summary.outcomes, **more}[outcome])


def _verdict(summary: Summary, gates: list[tuple[str, int]]) -> Exit:
    counts = {name: _count(summary, name) for name in GATES}
    failed = [(name, most) for name, most in gates if counts[name] > most]
    for name, most in failed:
        many = f"{_counted(counts[name], 'case')} {'is' if counts[name] == 1 else 'are'} {name}"
        complain(f"gate failed: {many}, at most {most:,} may be: {_named(summary, name)}")
    if failed:
        return Exit.FAILED
    return Exit.DONE if summary.finished_whole else Exit.PARTIAL


def _named(summary: Summary, outcome: str) -> str:
    """Return the first cases that ended so."""
    some = summary.first.get(outcome, ())
    names = [inert(case if len(case) <= LONGEST_ID else f"{case[:LONGEST_ID]}…") for case in some]
    return ", ".join([*names, "…"] if _count(summary, outcome) > len(some) else names)


def _show(summary: Summary, out: Path) -> None:
    found = summary.content
    versions = found["versions"]
    outcomes = summary.outcomes
    say(
        f"{found['evaluator']} {versions['old']} → {versions['revised']}: "
        f"{_counted(found['cases'], 'case')}, {_counted(outcomes['changed'], 'verdict')} changed",
        "bold",
    )
    for name in ("certified", "uncertifiable", "unmeasured", "no-op", "identical", "bad"):
        if outcomes[name]:
            reasons = found["open"].get(name, {})
            why = ", ".join(f"{reason} {n:,}" for reason, n in reasons.items())
            say(f"  {name:14}{outcomes[name]:>9,}{f'  ({why})' if why else ''}")
    _show_bad(found["bad"], outcomes["bad"], out)
    if found["receipts"]:
        say("What it took to reproduce the revised verdict", "bold")
        most = max(receipt["cases"] for receipt in found["receipts"])
        for receipt in sorted(found["receipts"], key=lambda receipt: -receipt["cases"]):
            bar = "█" * max(1, round(20 * receipt["cases"] / most))
            say(f"  {receipt['cases']:>9,}  {bar:20}  {receipt['receipt']}")
    cells = found["cells"]
    say(f"Cells: {cells['needed']:,} needed of {cells['full']:,}; {_executed(summary)}")
    _show_gold(found["gold"])
    say(f"Page: {out / 'report.html'}   Next: decidendi explain {out} CASE")


def _executed(summary: Summary) -> str:
    """Say what this process executed: states once each, the sampled second times apart."""
    if not summary.executed:
        return "nothing executed now"
    if summary.drawn:
        return f"{_counted(summary.executed, 'draw')} made now"
    again = f", {summary.checked:,} of them once more as a check" if summary.checked else ""
    return f"{_counted(summary.executed, 'distinct state')} executed now{again}"


def _show_bad(bad: dict[str, Any] | None, count: int, out: Path) -> None:
    if bad is None:
        return
    for one in bad["first"]:
        case = f" ({one['id'][:LONGEST_ID]})" if one["id"] else ""
        where = [f"line {one['line']}{case}", one["field"]]
        remedy = f" ({one['remedy']})" if one["remedy"] else ""
        say(f"    {': '.join(part for part in where if part)}: {one['what']}{remedy}")
    more = count - len(bad["first"])
    say(f"    {f'and {more:,} more; ' if more else ''}all in {out / bad['file']}")


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _show_gold(gold: dict[str, Any] | None) -> None:
    for name in ("drift", "inertia") if gold else ():
        assert gold is not None
        rate = gold[name]
        if not rate["n"]:
            say(f"{name}: undefined, no case to measure it on")
            continue
        interval = ""
        if rate["low"] is not None:
            interval = f" [{100 * rate['low']:.1f}, {100 * rate['high']:.1f}], {rate['method']}"
        say(f"{name}: {rate['numerator']:,}/{rate['n']:,} = {100 * rate['share']:.1f}%{interval}")
