"""From what a user asks for to a design and its cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from decidendi.audit._conditions import (
    Chosen,
    NotApplicableError,
    conditions,
    default_conditions,
    parse_conditions,
    vary,
)
from decidendi.audit._plan import Design
from decidendi.audit._prompts import Style, Thinking
from decidendi.judgment import BadInputError
from decidendi.legal import (
    LegalCase,
    Loaded,
    Pair,
    Sample,
    Task,
    UnknownAuthorityError,
    Unusable,
    balanced,
    confound_free,
    drawn,
    law_cases,
    load_hub,
    load_release,
    load_task,
    shipped_cases,
)

HUB = "hub:"
"""Before the id of a data set: ``hub:coastalcph/lex_glue@ecthr_a:test``."""
OF_A_FILE = 30
"""Cases drawn from a user's file where no number is given (Sadhu et al., section 5)."""
OF_THE_LAW = 30
"""Cases generated from executable law where no number is given."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a user can ask of an audit. Plain values, so that a log or a command can hold them.

    Attributes:
        task: A shipped task, or the path of a task file.
        data: A file in this project's schema or of a public release, or ``hub:ID@CONFIG:SPLIT``;
            the shipped cases where None.
        pair: ``target:control``, or a pair's id; the task's first where None.
        n: How many cases.
        conditions: As ``parse_conditions`` reads them; the task's default where None.
        seed: Of samples, injected labels and generation.
        thinking: ``prompted`` or ``native``.
        examples: Two worked examples as turns.
        facts_limit: Characters of facts kept; the task's own limit where None.
        repeats: How often each prompt is asked.
        differing: Only cases whose gold differs under target and control.
    """

    task: str = "echr"
    data: str | None = None
    pair: str | None = None
    n: int | None = None
    conditions: str | None = None
    seed: int = 42
    thinking: str = "prompted"
    examples: bool = False
    facts_limit: int | None = None
    repeats: int = 1
    differing: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """A design with its cases.

    Attributes:
        design: What is varied.
        cases: The sample, in its order.
        source: Where they come from, for people.
        unusable: Rows of the source that became no case, by reason.
        missing: Cases that a stratum lacked of the number asked for, by stratum.
        without_gold: Cases left out of the sample for want of gold.
        gold_left_out: Gold that rows lost which became a case all the same, by reason.
        rows: What ``unusable`` and ``gold_left_out`` count, each with its place.
    """

    design: Design
    cases: tuple[LegalCase, ...]
    source: str
    unusable: Mapping[str, int] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    without_gold: int = 0
    gold_left_out: Mapping[str, int] = field(default_factory=dict)
    rows: tuple[Unusable, ...] = ()


def prepared(options: Options) -> Ready:
    """Load the task and draw the sample.

    Raises:
        BadInputError: on anything that cannot be used, with what can.
    """
    design = design_of(options)
    task, pair = design.task, design.pair
    if task.id == "law" and options.data is None:
        return _generated(design, options)
    loaded, source = _loaded(task, options)
    sample = _sampled(loaded, task, pair, options)
    if not sample.cases:
        why = _why_none(loaded, sample, options, pair)
        raise BadInputError(f"{source}: no case to audit", remedy=why)
    _refuse_inapplicable(design, sample.cases, options)
    return Ready(
        design=design,
        cases=sample.cases,
        source=source,
        unusable=loaded.reasons,
        # Of a default size nobody asked for: whatever the file has is enough.
        missing={} if options.n is None else sample.missing,
        without_gold=sample.without_gold,
        gold_left_out=loaded.gold_left_out,
        rows=loaded.unusable,
    )


def design_of(options: Options) -> Design:
    """Return what is varied, whatever the cases.

    Raises:
        BadInputError: on anything that cannot be used, with what can.
    """
    task = load_task(options.task)
    pair = pair_of(task, options.pair)
    if options.thinking not in ("prompted", "native"):
        raise BadInputError(f"thinking: {options.thinking!r}", remedy="prompted or native")
    for name in ("n", "repeats", "facts_limit"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise BadInputError(f"{name}: {value} is less than 1")
    if options.seed < 0:
        raise BadInputError(f"seed: {options.seed} is less than 0")
    if options.differing and task.positive is None:
        raise BadInputError(
            f"--differing: {task.id} has gold under one authority only", remedy="leave it out"
        )
    chosen = (
        default_conditions(task)
        if options.conditions is None
        else parse_conditions(options.conditions, task)
    )
    thinking: Thinking = "native" if options.thinking == "native" else "prompted"
    style = Style(thinking, options.examples)
    return Design(task, pair, chosen, style, options.seed, options.repeats)


def pair_of(task: Task, name: str | None) -> Pair:
    """Return a pair by id or as ``target:control``; the task's first where None.

    Raises:
        BadInputError: if the task has none, or an authority is unknown.
    """
    if name is None:
        if not task.pairs:
            raise BadInputError(f"{task.id} has no pair", remedy="name one: --pair target:control")
        return task.pairs[0]
    if ":" not in name and name not in {pair.id for pair in task.pairs}:
        pairs = ", ".join(f"{pair.id} ({pair.target}:{pair.control})" for pair in task.pairs)
        raise BadInputError(f"pair: no pair {name!r}", remedy=f"target:control, or of: {pairs}")
    try:
        pair = task.pair(name)
    except UnknownAuthorityError as error:
        raise BadInputError(f"pair: {error}") from None
    if pair.target == pair.control:
        raise BadInputError(f"pair: {name!r} names one authority twice")
    asked = (pair.target, pair.control)
    if task.null.id in asked and asked not in {(p.target, p.control) for p in task.pairs}:
        raise BadInputError(
            f"pair: {name!r} names the placeholder", remedy="the condition null asks about it"
        )
    return pair


def _generated(design: Design, options: Options) -> Ready:
    count = options.n or OF_THE_LAW
    cases = law_cases(count, design.pair, seed=options.seed, differing=options.differing)
    limited = tuple(case.limited(options.facts_limit) for case in cases)
    _refuse_inapplicable(design, limited, options)
    return Ready(design, limited, f"executable law, seed {options.seed}")


def _loaded(task: Task, options: Options) -> tuple[Loaded, str]:
    if options.data is None:
        cases = tuple(case.limited(options.facts_limit) for case in shipped_cases(task.id))
        return Loaded(cases, ()), f"shipped cases, {task.id}"
    if options.data.startswith(HUB):
        name, _, rest = options.data.removeprefix(HUB).partition("@")
        config, _, split = rest.partition(":")
        loaded = load_hub(
            name, config or None, split or "test", task=task, limit=options.facts_limit
        )
        return loaded, options.data
    path = Path(options.data)
    return load_release(path, task=task, limit=options.facts_limit), path.name


def _sampled(loaded: Loaded, task: Task, pair: Pair, options: Options) -> Sample:
    cases, seed = loaded.cases, options.seed
    n = options.n or (len(cases) if options.data is None else OF_A_FILE)
    if task.positive is None:
        return drawn(cases, min(n, len(cases)) if options.n is None else n, seed=seed)
    if options.n is None and options.data is None and not options.differing:
        # All shipped cases; where gold is missing only what needs gold is unmeasured.
        return drawn(cases, len(cases), seed=seed)
    draw = confound_free if options.differing else None
    halves = {"positives": n - n // 2, "negatives": n // 2}
    if draw:
        return draw(cases, task, pair, seed=seed, **halves)
    return balanced(cases, task, pair.target, seed=seed, **halves)


def _refuse_inapplicable(design: Design, cases: Sequence[LegalCase], options: Options) -> None:
    """Refuse conditions asked for by name if no case can be put under any besides the target.

    Where only some of them fit, the others are reported as skipped.

    Raises:
        BadInputError: with the reason, and the conditions that fit.
    """
    if options.conditions is None:
        return
    compared = [chosen for chosen in design.chosen if chosen.condition != "target"]
    reasons = [_why_nowhere(chosen, design, cases) for chosen in compared]
    if not compared or None in reasons:
        return
    fitting = [name for name in conditions() if _why_nowhere(Chosen(name), design, cases) is None]
    raise BadInputError(
        f"conditions: {compared[0]} applies to no case: {reasons[0]}",
        remedy=f"these do: {', '.join(fitting)}",
    )


def _why_nowhere(chosen: Chosen, design: Design, cases: Sequence[LegalCase]) -> str | None:
    """Return why no case can be put under a condition; None if one can."""
    why: str | None = None
    for case in cases:
        try:
            vary(chosen, case, design.task, design.pair, design.seed)
        except NotApplicableError as reason:
            why = why or str(reason)
        else:
            return None
    return why


def _why_none(loaded: Loaded, sample: Sample, options: Options, pair: Pair) -> str:
    if not loaded.cases:
        reasons = ", ".join(f"{why} {n}" for why, n in loaded.reasons.items())
        first = next((f"; the first: {row}" for row in loaded.unusable), "")
        return f"rows that cannot be used: {reasons}{first}" if reasons else "the file is empty"
    if options.differing and any(pair.target in case.gold for case in loaded.cases):
        both = any({pair.target, pair.control} <= set(case.gold) for case in loaded.cases)
        if not both:
            return (
                f"--differing needs gold under both authorities, and none has it under "
                f"{pair.target} and {pair.control}; leave --differing out, or name another --pair"
            )
        return f"none has gold that differs between {pair.target} and {pair.control}"
    if sample.without_gold:
        having = Counter(name for case in loaded.cases for name in case.gold)
        listed = ", ".join(f"{name} ({n})" for name, n in having.most_common())
        return f"none has gold under {pair.target}; name a --pair whose target is of: {listed}"
    return "no case fits"
