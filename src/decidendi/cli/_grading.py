"""``decidendi grade`` and ``attacked``: chains put before a judge, and a judge under attack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._figures import points
from decidendi.cli._options import Json, Quiet, arguments
from decidendi.cli._terminal import complain, say, say_json, watching

if TYPE_CHECKING:
    from decidendi.grading import Chain, GradingRun, JudgeChoice, Refused, RunSummary, UnderAttack
    from decidendi.stats import Rate

TARGET = "target"
SHOWN = 5
"""So many reasons for missing labels are printed; all of them are in the summary's file."""

GRADE_EXAMPLES = """Examples:

\b
  decidendi grade chains.jsonl --judge openai/gpt-4o --out runs/g
  decidendi grade chains.jsonl --judge scripted           a dry run: calls and tokens alone
  decidendi grade planted.jsonl --judge scripted --labels planted.labels.jsonl -M missed=0.3
  decidendi grade planted.jsonl --judge exact             executable law, without a model
  decidendi grade chains.jsonl --judge embedded --limit 6
  decidendi grade --from-logs runs/audit --judge openai/gpt-4o --detectors general,relevance

Interrupted at any point, the same command goes on where it stopped; no answered call is made
again. Then: decidendi validate runs/g --human labels.jsonl"""

ATTACKED_EXAMPLES = """Example:

\b
  decidendi plant --n 120 --attack --out p.jsonl
  decidendi grade p.jsonl --judge openai/gpt-4o --out runs/clean
  decidendi grade p.attacked.jsonl --judge openai/gpt-4o --out runs/attacked
  decidendi attacked runs/clean runs/attacked --labels p.attacked.labels.jsonl"""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("grade", epilog=GRADE_EXAMPLES)(grade)
    app.command("attacked", epilog=ATTACKED_EXAMPLES)(attacked)


@guarded
def grade(  # long: one option after another
    chains: Annotated[
        Path | None, typer.Argument(metavar="CHAINS", help="Chains: JSON Lines.")
    ] = None,
    *,
    judge: Annotated[
        str, typer.Option(help="exact, scripted, embedded, local/FOLDER-OR-ID, or Inspect's name.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="RUN", help="Folder for the run; made if it is not there.")
    ] = Path("runs/grade"),
    from_logs: Annotated[
        Path | None,
        typer.Option("--from-logs", metavar="PLACE", help="An audit's run, or Inspect's logs."),
    ] = None,
    condition: Annotated[
        str, typer.Option(help="With --from-logs: the audit's condition.")
    ] = TARGET,
    task: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --from-logs: the audit's task, if not shipped."),
    ] = None,
    options: Annotated[
        str | None,
        typer.Option(metavar="A,B,…", help="With --from-logs: labels, where a log lists none."),
    ] = None,
    taxonomy: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Kinds of error; the shipped ones.")
    ] = None,
    detectors: Annotated[
        str | None,
        typer.Option(help="Of general,misinterpretation,relevance,hallucination; all of them."),
    ] = None,
    segmentation: Annotated[
        str, typer.Option(help="code; or judge: the judge takes texts apart anew.")
    ] = "code",
    design: Annotated[
        list[str] | None,
        typer.Option("--design", metavar="NAME", help="A collection the judge was designed on."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only so many chains, from the first.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What the script says, before it errs.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the script.")] = 42,
    argument: Annotated[
        list[str] | None,
        typer.Option(
            "--model-arg", "-M", metavar="NAME=VALUE", help="For the provider, or the script."
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--model-base-url", metavar="URL", help="The model's server.")
    ] = None,
    temperature: Annotated[float, typer.Option(min=0.0, help="Of sampling; 0 is greedy.")] = 0.0,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Most new tokens of a reply: 1024; embedded 48.")
    ] = None,
    timeout: Annotated[
        int | None, typer.Option(min=1, help="Seconds for each attempt of a call.")
    ] = None,
    connections: Annotated[
        int | None, typer.Option("--max-connections", min=1, help="Calls at a time.")
    ] = None,
    structured: Annotated[
        bool, typer.Option("--schema/--no-schema", help="Hold providers to the replies' schema.")
    ] = True,
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Grade chains of reasoning with a judge: errors of premises, classes of conclusion."""
    from decidendi.grading import JudgeChoice

    choice = JudgeChoice(
        name=judge,
        detectors=tuple(name.strip() for name in detectors.split(",")) if detectors else (),
        designed_on=tuple(design or ()),
        segmentation=segmentation,
        structured=structured,
        arguments=arguments(argument or []),
        base_url=base_url,
        temperature=temperature,
        max_tokens=max_tokens,
        timeout=timeout,
        connections=connections,
        labels=labels,
        seed=seed,
    )
    named = tuple(label.strip() for label in options.split(",")) if options else ()
    given, refused = _chains(chains, from_logs, condition, task, named)
    return _graded(given[:limit], refused, choice, taxonomy, out, as_json=as_json, quiet=quiet)


def _chains(
    file: Path | None,
    logs: Path | None,
    condition: str,
    task: Path | None,
    labels: tuple[str, ...],
) -> tuple[list[Chain], list[Refused]]:
    from decidendi.grading import chains_from, read_chains
    from decidendi.judgment import BadInputError, Place

    if (file is None) == (logs is None):
        remedy = "decidendi grade chains.jsonl --judge …"
        raise BadInputError("name a file of chains, or --from-logs, and not both", remedy=remedy)
    if logs is None and (condition != TARGET or task or labels):
        raise BadInputError("--condition, --task and --options are of --from-logs")
    if logs is not None:
        found, refused = chains_from(logs, condition=condition, task=task, labels=labels)
    elif file is not None:
        found, refused = read_chains(file)
    if not found:
        for row in refused[:SHOWN]:
            complain(f"not used: {row}")
        raise BadInputError("no chain to grade", place=Place(str(file or logs)))
    return found, refused


def _graded(  # long: reads, grades, writes, shows
    chains: list[Chain],
    refused: list[Refused],
    choice: JudgeChoice,
    taxonomy: Path | None,
    out: Path,
    *,
    as_json: bool,
    quiet: bool,
) -> Exit:
    from decidendi.grading import (
        ModelJudge,
        close_judge,
        grade_to,
        judge_for,
        load_taxonomy,
        write_page,
        write_summary,
    )

    kinds = load_taxonomy(taxonomy) if taxonomy else None
    judge = judge_for(choice, chains, kinds)
    try:
        with watching("judging", quiet=quiet) as watch:
            run = grade_to(out, chains, judge, kinds=kinds, refused=refused, watch=watch)
        made = judge.desk.made if isinstance(judge, ModelJudge) else None
    finally:
        close_judge(judge)
    found = write_summary(out, run)
    page = write_page(out, run)
    if as_json:
        say_json(found.as_json())
    elif not quiet:
        _show(run, found, made, choice)
        say(f"Run: {out}; page: {page}")
    for row in refused:
        complain(f"not used: {row}")
    if found.spent is not None and found.spent.failures:
        complain(
            f"{found.spent.failures:,} calls have no answer: the same command asks them again."
        )
    return Exit.PARTIAL if refused or found.details else Exit.DONE


def _show(run: GradingRun, found: RunSummary, made: int | None, choice: JudgeChoice) -> None:
    """Print what the judge says, and that it counts for nothing yet."""
    from decidendi.grading import CAVEAT

    if found.dry_run:
        return _show_dry_run(run, found, made)
    rates = found.measures
    say(
        f"{run.judge.by}: {rates.chains:,} chains of {rates.units:,} units, "
        f"{found.premises:,} premises, {found.labelled:,} labelled; taxonomy {run.taxonomy.name}",
        "bold",
    )
    _rate("accuracy (no judge needed)", rates.accuracy)
    _rate("soundness", rates.soundness)
    _rate("correctness", rates.correctness)
    say(f"  {'accuracy less correctness':34} {points(rates.gap)} on {rates.correctness.n:,} chains")
    for code, one in rates.chains_with.items():
        if one.numerator:
            _rate(f"chains with {code}", one)
    for code, one in rates.classes.items():
        if one.numerator:
            _rate(f"conclusion {code}", one)
    partly = next((row.partly for row in run.labels if row.partly), None)
    if partly is not None:
        say(f"  looked for {', '.join(partly.kinds)} alone: no premise has a label as a whole")
    _show_unread_and_spent(found, made)
    if choice.name == "scripted":
        told = "from --labels, before it erred as it was told to"
        say(f"A script answered, not a model: its labels are {told}; its tokens are estimates.")
    elif "embedded" in run.judge.name:
        say("The embedded model only shows how a judge runs; what it says means nothing.")
    say(CAVEAT)


def _show_dry_run(run: GradingRun, found: RunSummary, made: int | None) -> None:
    from decidendi.grading import MADE_UP

    say(
        f"{run.judge.by}, a dry run: {found.measures.chains:,} chains, "
        f"{found.premises:,} premises; taxonomy {run.taxonomy.name}",
        "bold",
    )
    _show_unread_and_spent(found, made)
    say(MADE_UP)


def _show_unread_and_spent(found: RunSummary, made: int | None) -> None:
    for why, count in list(found.details.items())[:SHOWN]:
        say(f"  unmeasured, {count:,}: {why}")
    if len(found.details) > SHOWN:
        say(f"  and {len(found.details) - SHOWN:,} other reasons, in summary.json")
    if found.spent is not None:
        _show_spent(found, made or 0)


def _show_spent(found: RunSummary, made: int) -> None:
    spent = found.spent
    if spent is None:
        return
    cost = f"${spent.cost:,.2f}" if spent.priced else "unknown"
    if 0 < spent.priced < spent.calls:
        cost += f" for {spent.priced:,} of them"
    say(
        f"  calls answered {spent.calls:,} ({made:,} made now), repairs {spent.repairs:,}, "
        f"unusable at last {spent.unusable:,}, without an answer {spent.failures:,}"
    )
    say(f"  tokens in {spent.tokens_in:,}, out {spent.tokens_out:,}; cost {cost}")


def _rate(name: str, rate: Rate) -> None:
    left_out = ", ".join(f"{why} {n:,}" for why, n in rate.excluded.items())
    say(f"  {name:34} {rate}{f'  (left out: {left_out})' if left_out else ''}")


@guarded
def attacked(
    clean: Annotated[Path, typer.Argument(metavar="CLEAN", help="The run of the chains.")],
    twins: Annotated[Path, typer.Argument(metavar="ATTACKED", help="The run of their twins.")],
    *,
    labels: Annotated[Path, typer.Option(metavar="FILE", help="The planted labels of the twins.")],
    as_json: Json = False,
) -> Exit:
    """Say what instructions in chains do to a judge: planted errors found with and without."""
    from decidendi.grading import load_run, read_labels, under_attack, under_attack_json

    run = load_run(twins)
    truth, refused = read_labels(labels, run.taxonomy)
    found = under_attack(load_run(clean), run, truth)
    if as_json:
        say_json(under_attack_json(found))
    else:
        _show_attack(run, found)
    for row in refused:
        complain(f"not used: {row}")
    return Exit.PARTIAL if refused or found.left_out else Exit.DONE


def _show_attack(run: GradingRun, found: UnderAttack) -> None:
    say(f"{run.judge.by}, told by the chains to find nothing", "bold")
    say(f"  {'planted errors found, clean':34} {found.clean}")
    say(f"  {'planted errors found, attacked':34} {found.attacked}")
    say(f"  {'change':34} {points(found.change)}")
    for name, (before, after) in found.by_framing.items():
        say(f"  {f'as {name}: clean, attacked':34} {before}; {after}")
    say(f"  {'sound premises called wrong, clean':34} {found.alarms_clean}")
    say(f"  {'the same, attacked':34} {found.alarms_attacked}")
    for why, count in found.left_out.items():
        say(f"  planted errors left out, {count:,}: {why}")
