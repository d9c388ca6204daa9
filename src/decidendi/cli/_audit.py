"""``decidendi audit`` and ``decidendi compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from decidendi.cli._compared import compare_gradings
from decidendi.cli._exits import Exit, guarded
from decidendi.cli._figures import p_value
from decidendi.cli._options import Json, Quiet, arguments, refuse_idle
from decidendi.cli._terminal import complain, counted, say, say_json, watching

if TYPE_CHECKING:
    from decidendi.audit import Comparison, Measured, Outcome

EXAMPLES = """Examples:

\b
  decidendi audit                                  the embedded model on the shipped cases
  decidendi audit --model scripted -M dependence=0.3
  decidendi audit --model openai/gpt-4o --task contractnli --data cases.jsonl --n 30
  decidendi audit --model local/Qwen/Qwen3-8B --pair 8:3 --conditions control,injection:all
  decidendi audit --from-logs logs/

Interrupted at any point, the same command goes on where it stopped; no paid call is made twice."""


COMPARE_EXAMPLES = """Examples:

\b
  decidendi compare runs/small runs/large --out comparison.html
  decidendi compare runs/judge-a runs/judge-b --human labels.jsonl"""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("audit", epilog=EXAMPLES)(audit)
    app.command("compare", epilog=COMPARE_EXAMPLES)(compare)


@guarded
def audit(  # long: one option after another
    context: typer.Context,
    *,
    model: Annotated[
        str,
        typer.Option(help="embedded, scripted, local/FOLDER-OR-ID, or a name of Inspect's."),
    ] = "embedded",
    task: Annotated[
        str, typer.Option(help="echr, scotus, casehold, contractnli, law, or a task file.")
    ] = "echr",
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Cases: JSONL, a public release's file, or hub:ID@CONFIG."
        ),
    ] = None,
    pair: Annotated[
        str | None, typer.Option(metavar="TARGET:CONTROL", help="Authorities, or a pair's id.")
    ] = None,
    n: Annotated[int | None, typer.Option("--n", min=1, help="How many cases.")] = None,
    conditions: Annotated[
        str | None,
        typer.Option(
            help="Of target, control, null, paraphrase, injection, masked, unprompted, order; "
            "e.g. control,paraphrase:all."
        ),
    ] = None,
    differing: Annotated[
        bool, typer.Option("--differing", help="Only cases whose gold differs: confound-free.")
    ] = False,
    from_logs: Annotated[
        Path | None, typer.Option("--from-logs", metavar="LOGS", help="Measure Inspect's logs.")
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="RUN", help="Folder for the run; made if it is not there.")
    ] = Path("runs/audit"),
    seed: Annotated[
        int, typer.Option(min=0, help="Of sample, injected labels and generation.")
    ] = 42,
    argument: Annotated[
        list[str] | None,
        typer.Option("--model-arg", "-M", metavar="NAME=VALUE", help="For the model's provider."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--model-base-url", metavar="URL", help="The model's server.")
    ] = None,
    thinking: Annotated[
        str, typer.Option(help="prompted: <think> tags are asked for; native: the model's own.")
    ] = "prompted",
    examples: Annotated[
        bool, typer.Option("--examples", help="Two worked examples first, for small models.")
    ] = False,
    repeats: Annotated[int, typer.Option(min=1, help="How often each prompt is asked.")] = 1,
    facts_limit: Annotated[
        int | None, typer.Option(min=1, help="Characters of facts kept; cuts are counted.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Most new tokens.")] = 1536,
    temperature: Annotated[float, typer.Option(min=0.0, help="Of sampling; 0 is greedy.")] = 0.0,
    logprobs: Annotated[
        bool, typer.Option("--logprobs", help="Ask a provider for them; margins need them.")
    ] = False,
    reasoning_budget: Annotated[
        int | None, typer.Option(min=1, help="Local: close the reasoning after so many tokens.")
    ] = None,
    commitment: Annotated[
        str, typer.Option(help="Local: forced asks for the verdict at each sentence.")
    ] = "none",
    dtype: Annotated[str, typer.Option(help="Local: float32, bfloat16, float16.")] = "float32",
    device: Annotated[str | None, typer.Option(help="Local: cpu, cuda, …")] = None,
    timeout: Annotated[
        int | None, typer.Option(min=1, help="Seconds for one call, its retries included.")
    ] = None,
    connections: Annotated[
        int | None, typer.Option("--max-connections", min=1, help="Calls at a time.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Audit a model: does its verdict follow the authority that it cites?"""
    from decidendi.audit import ModelChoice, Options, audit_logs, run_audit

    if from_logs is not None:
        refuse_idle(context, "--from-logs", besides=("from_logs", "out", "as_json", "quiet"))
        outcome = audit_logs(from_logs, out)
    else:
        options = Options(
            task, data, pair, n, conditions, seed, thinking, examples, facts_limit, repeats,
            differing,
        )  # fmt: skip
        choice = ModelChoice(
            name=model,
            arguments=arguments(argument or []),
            base_url=base_url,
            max_tokens=max_tokens,
            temperature=temperature,
            logprobs=logprobs,
            reasoning_budget=reasoning_budget,
            dtype=dtype,
            device=device,
            timeout=timeout,
            connections=connections,
            commitment=commitment,
        )
        with watching("auditing", quiet=quiet) as watch:
            outcome = run_audit(options, choice, out, watch)
    for line in outcome.finished.unusable:
        complain(f"unusable: {line}")
    if as_json:
        say_json(outcome.finished.content)
    elif not quiet:
        _show(outcome)
    if not outcome.finished.anything:
        complain("Nothing was measured: no condition has an answer.")
        return Exit.PARTIAL
    partial = outcome.unanswered or outcome.unfit or outcome.unfinished
    return Exit.PARTIAL if partial else Exit.DONE


_COUNTED = {
    "unusable": "unusable",
    "gold_left_out": "gold left out",
    "missing": "cases fewer than asked for",
}


def _show(outcome: Outcome) -> None:
    content = outcome.finished.content
    cases = content["cases"]
    pair = content["pair"]
    say(
        f"{content['task']['id']}, {pair['target']} against {pair['control']}: "
        f"{counted(cases['count'], 'case')} ({cases['source']}); "
        f"{counted(outcome.made, 'call')} made now",
        "bold",
    )
    gold = cases["gold"]
    if len(gold) == 2 and max(gold.values()) - min(gold.values()) > 1:
        say(f"  gold under {pair['target']}: {', '.join(f'{k} {n:,}' for k, n in gold.items())}")
    if cases["truncated"]:
        say(f"  facts cut to the limit: {counted(cases['truncated'], 'case')}")
    if cases["frame_kept"]:
        kept = counted(cases["frame_kept"], "case")
        say(f"  text that would break the prompt's frame, put otherwise: {kept}")
    if cases["without_gold"]:
        say(f"  not drawn for want of gold: {counted(cases['without_gold'], 'case')}")
    for name, called in _COUNTED.items():
        if cases[name]:
            counts = ", ".join(f"{why} {n:,}" for why, n in cases[name].items())
            say(f"  {called}: {counts}")
    for condition, reasons in content["skipped"].items():
        say(f"  {condition} not asked: {', '.join(f'{why} ({n:,})' for why, n in reasons.items())}")
    for measured in outcome.finished.measured:
        _show_model(measured)
    if any(model["demonstration"] for model in content["models"]):
        say("This model only demonstrates what an audit shows; its reasoning means nothing.")
    if outcome.unfinished:
        complain(
            f"{counted(outcome.unfinished, 'sample')} without answers in the logs: {outcome.again}."
        )
    if outcome.unanswered:
        unanswered = counted(outcome.unanswered, "call")
        complain(f"{unanswered} without an answer ({outcome.why_unanswered}): {outcome.again}.")
    if outcome.unfit:
        complain(
            f"{counted(outcome.unfit, 'prompt')} cannot be given to this model: "
            f"{outcome.why_unfit}. "
            "--facts-limit cuts facts, counts the cuts and says so; name another --out with it."
        )
    say(f"Page: {outcome.finished.out / 'report.html'}")


def _show_model(measured: Measured) -> None:
    say(measured.model, "bold")
    converged = ", ".join(f"{m.id} {m.rate.numerator}/{m.rate.n}" for m in measured.convergence)
    say(f"  converged: {converged}")
    for measure in measured.measures:
        left_out = ", ".join(f"{why} {n}" for why, n in measure.rate.excluded.items())
        say(f"  {measure.title:44} {measure.rate}{f'  (left out: {left_out})' if left_out else ''}")
    if measured.net is not None and measured.net.value is not None:
        low, high = measured.net.low, measured.net.high
        ends = "" if low is None or high is None else f" [{100 * low:+.1f}, {100 * high:+.1f}]"
        say(f"  {'Swap sensitivity net of paraphrase':44} {100 * measured.net.value:+.1f}{ends}")
    for condition, shift in measured.shifts.items():
        if shift.mean is not None:
            ends = "" if shift.low is None else f" [{shift.low:+.2f}, {shift.high:+.2f}]"
            say(f"  {f'Margin shift, {condition}':44} {shift.mean:+.2f}{ends} nats, n = {shift.n}")
    if measured.forced:
        total = sum(measured.forced.values())
        say(f"  forced verdicts: {total:,} (reasoning closed from outside)")


@guarded
def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN", help="An audit, or a grading.")],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="Another of the same kind.")],
    *,
    human: Annotated[
        Path | None, typer.Option("--human", metavar="FILE", help="Gradings: people's labels.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Audits: the page to write.")] = Path(
        "comparison.html"
    ),
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Compare two audits on the same cases, or two judges on the same chains, in pairs."""
    from decidendi.audit import write_comparison
    from decidendi.grading import is_grading
    from decidendi.judgment import BadInputError, NonComparableError

    try:
        if is_grading(first) or is_grading(second):
            return compare_gradings(first, second, human, as_json=as_json, quiet=quiet)
        if human is not None:
            raise BadInputError(f"--human is for two gradings; {first} and {second} hold none")
        comparison = write_comparison(first, second, out)
    except NonComparableError as error:
        complain("These runs cannot be compared. They differ in:")
        for field, (one, other) in error.differing.items():
            complain(f"  {field}: {one!r} and {other!r}")
        return Exit.PARTIAL
    if as_json:
        say_json(comparison.as_json())
        complain(f"Page: {out}")
    elif not quiet:
        _show_comparison(comparison)
        say(f"Page: {out}")
    return Exit.DONE


def _show_comparison(comparison: Comparison) -> None:
    say(
        f"{comparison.first} against {comparison.second}: {counted(comparison.cases, 'case')}",
        "bold",
    )
    for text in comparison.differences:
        say(f"  they also differ in {text}")
    for test in comparison.tests:
        difference = test.difference
        value = "undefined" if difference.value is None else f"{100 * difference.value:+.1f}"
        ends = ""
        if difference.low is not None and difference.high is not None:
            ends = f" [{100 * difference.low:+.1f}, {100 * difference.high:+.1f}]"
        p = f", {p_value(test.p)} (Holm {p_value(test.adjusted)})" if test.p is not None else ""
        left_out = ", ".join(f"{why} {n}" for why, n in test.excluded.items())
        say(
            f"  {test.name:36} {value}{ends}; only first {test.first_only}, "
            f"only second {test.second_only}{p}{f'  (left out: {left_out})' if left_out else ''}"
        )
