"""``decidendi mitigate``: strategies of prompting against zero-shot chain of thought, in pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._figures import p_value, points
from decidendi.cli._options import Json, Quiet, arguments
from decidendi.cli._terminal import complain, say, say_json, watching

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decidendi.grading import Against, Figures, Mitigated, StoredRecord
    from decidendi.stats import Rate

EXAMPLES = """Examples:

\b
  decidendi mitigate --model openai/gpt-4o --n 100
  decidendi mitigate --model scripted -M fixes=0.4         a dry run, with known gains
  decidendi mitigate --model local/Qwen/Qwen3-8B --strategies self-correct --feedback short,long
  decidendi mitigate --model openai/gpt-4o --data questions.jsonl --judge openai/gpt-4o-mini
  decidendi mitigate --model scripted --judge exact        executable law, judged without a model

Interrupted at any point, the same command goes on where it stopped; no answered call is made
again. The chains lie in RUN/chains, for decidendi grade."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mitigate", epilog=EXAMPLES)(mitigate)


@guarded
def mitigate(  # long: one option after another
    *,
    model: Annotated[
        str, typer.Option(help="scripted, embedded, local/FOLDER-OR-ID, or a name of Inspect's.")
    ],
    strategies: Annotated[
        str, typer.Option(help="Of cot,plan-and-solve,self-correct,self-discover.")
    ] = "cot,plan-and-solve,self-correct,self-discover",
    feedback: Annotated[
        str, typer.Option(help="Of none,generic,short,long; made from the taxonomy.")
    ] = "generic,short,long",
    task: Annotated[
        str, typer.Option(help="law: drawn from executable law; or a task with shipped cases.")
    ] = "law",
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Questions: JSON Lines, in place of a task.")
    ] = None,
    n: Annotated[int | None, typer.Option("--n", min=1, help="How many questions.")] = None,
    out: Annotated[
        Path, typer.Option(metavar="RUN", help="Folder for the run; made if it is not there.")
    ] = Path("runs/mitigate"),
    judge: Annotated[
        str | None,
        typer.Option(help="Also grade the chains: exact, scripted, embedded, or a model."),
    ] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where records of judges are kept.")
    ] = None,
    taxonomy: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Kinds of error; the shipped ones.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of questions and resamples.")] = 42,
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
        int | None, typer.Option(min=1, help="Most new tokens of an answer: 1536; embedded 96.")
    ] = None,
    timeout: Annotated[
        int | None, typer.Option(min=1, help="Seconds for each attempt of a call.")
    ] = None,
    connections: Annotated[
        int | None, typer.Option("--max-connections", min=1, help="Calls at a time.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Try strategies of prompting, with feedback from the taxonomy, on the same questions."""
    from decidendi.grading import JudgeChoice, MitigationChoice, run_mitigation

    choice = MitigationChoice(
        model=model,
        strategies=_names(strategies),
        feedback=_names(feedback),
        task=task,
        data=data,
        n=n,
        seed=seed,
        taxonomy=taxonomy,
        arguments=arguments(argument or []),
        base_url=base_url,
        temperature=temperature,
        max_tokens=max_tokens,
        timeout=timeout,
        connections=connections,
        judge=JudgeChoice(judge, seed=seed) if judge else None,
        records=records,
    )
    with watching("asking", quiet=quiet) as watch:
        found = run_mitigation(choice, out, watch)
    if as_json:
        say_json(found.content)
    elif not quiet:
        _show(found, model)
    for line in found.content["refused"]:
        complain(f"not used: {line}")
    if found.unanswered:
        complain(f"{found.unanswered:,} calls have no answer: the same command asks them again.")
        if judge:
            complain("Nothing was judged: chains are graded once all calls have an answer.")
    nothing = not any(figures.accuracy.n for figures in found.figures)
    if nothing:
        complain("Nothing was measured: no answer chooses an option.")
    return Exit.PARTIAL if found.unanswered or nothing or found.content["refused"] else Exit.DONE


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _show(found: Mitigated, model: str) -> None:
    asked = found.content["questions"]
    count = f"{asked['count']:,} question{'' if asked['count'] == 1 else 's'}"
    say(
        f"{count} ({asked['source']}) under {len(found.figures)} conditions; "
        f"{found.made:,} calls made now",
        "bold",
    )
    if found.content["without_gold"]:
        say(f"  without gold, not asked: {found.content['without_gold']:,}")
    for figures in found.figures:
        _show_condition(figures, found.content["baseline"])
    if found.judge is not None:
        made_up = "a dry run: its labels are made up, so no rate of them is given."
        worth = made_up if found.judge.dry_run else _worth(found.record)
        say(f"Judged by {found.judge.by}; {worth}")
    if model in ("scripted", "embedded"):
        say("This model only shows what a run looks like; what it writes means nothing.")
    say(f"Chains: {found.out / 'chains'}")


def _worth(record: StoredRecord | None) -> str:
    """Say what a judge's labels are worth, as far as anybody knows."""
    if record is None:
        return "not validated: no record of it was named, so its figures count for nothing yet."
    premises = record.content["premises"]
    wrong = premises["classes"]["yes"]
    chains = record.content["chains"]["labelled"]
    return (
        f"its record, line {record.line}: {chains:,} labelled chains; premises in error "
        f"found {_of(wrong['recall'])}, rightly called so "
        f"{_of(wrong['precision'])}; kappa {premises['kappa']['value'] or 'undefined'}."
    )


def _of(rate: Mapping[str, Any]) -> str:
    return f"{rate['numerator']:,} of {rate['n']:,}"


def _show_condition(figures: Figures, baseline: str) -> None:
    say(figures.condition.id, "bold")
    _rate("convergence", figures.convergence)
    _rate("accuracy", figures.accuracy)
    _against(figures.against, baseline)
    if figures.soundness is not None and figures.correctness is not None:
        _rate("soundness, judged", figures.soundness)
        _rate("correctness, judged", figures.correctness)
        _against(figures.correct_against, baseline, "correct")


def _rate(name: str, rate: Rate) -> None:
    left_out = ", ".join(f"{why} {n:,}" for why, n in rate.excluded.items())
    say(f"  {name:22} {rate}{f'  (left out: {left_out})' if left_out else ''}")


def _against(found: Against | None, baseline: str, hit: str = "right") -> None:
    if found is None:
        return
    gap = found.difference
    if gap.value is None:
        say(f"    against {baseline}: undefined, no question is measured under both")
        return
    p = (
        f"; {p_value(found.p)} (Holm {p_value(found.adjusted)}, {found.test})"
        if found.p is not None
        else ""
    )
    say(
        f"    against {baseline}: {points(gap)} on {found.n:,}; "
        f"{hit} here alone {found.only_this:,}, there alone {found.only_base:,}{p}"
    )
