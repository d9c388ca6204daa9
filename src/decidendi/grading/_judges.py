"""Two judges on the same chains: which of them agrees with people more often, and how far apart.

Questions that labels answer (is a premise wrong, has it this kind of error, where is the first
error, which class is the conclusion) are compared in pairs: an item counts if all who are
compared labelled it. Without people there is only what the two say, and no better or worse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from decidendi.grading._chain import Chain
from decidendi.grading._compare import NO, YES, class_of, has_code, human_marks, marks_of
from decidendi.grading._labels import Labels, codes_of, stops_at_first_error
from decidendi.grading._people import by_chain, consensus, of_these
from decidendi.grading._runs import FORMAT, RUN, GradingRun, refuse_dry_run
from decidendi.grading._validate import keep_apart
from decidendi.judgment import BadInputError, NonComparableError, Unmeasured, parse_json
from decidendi.stats import (
    Agreement,
    Difference,
    JudgeComparison,
    Label,
    NoAgreement,
    Resampler,
    cohen_kappa,
    compare_judges,
    holm,
    krippendorff_alpha,
)

PREMISE, FIRST, WHOLE, CLASS = (
    "a premise is wrong",
    "the first error",
    "a chain is wrong anywhere",
    "the class of the conclusion",
)
FEWER = 1_000
"""Replicates for kappa and alpha of the first error, which has a class for every place."""

Columns: TypeAlias = tuple[list[Label], list[Label], list[Label], list[str]]
"""What people, the first and the second judge say of each item, and the item's unit."""


@dataclass(frozen=True)
class JudgesDiffer:
    """One question, as two judges answer it.

    Attributes:
        kappa: Cohen's kappa of the two, on all items that both labelled.
        alpha: Krippendorff's alpha, likewise.
        raw: For a question with a rate of its own, the first judge's less the second's, on the
            same items; by the answer that is counted, if either gives it. Uncorrected: neither need
            be right.
        overall: Whose answers agree with people's more often; None without people. Adjusted by
            Holm over the questions, those about sub-kinds being a family of their own; None
            where no item tells the two apart.
        within: The same among the items that people answer so; adjusted within the question.
    """

    kappa: Agreement | NoAgreement
    alpha: Agreement | NoAgreement
    raw: Mapping[str, Difference]
    overall: JudgeComparison | None
    within: Mapping[str, JudgeComparison]


@dataclass(frozen=True)
class TwoJudges:
    """Two judges compared.

    Attributes:
        first: The first one's run.
        second: The second one's.
        chains: How many chains both runs hold.
        only_first: How many only the first holds.
        only_second: How many only the second.
        labelled: How many of the common ones people labelled; None without people.
        stopping: Some labels end with the first error. Which premises have a label then depends
            on the labels, so questions about premises are not asked.
        questions: By question.
    """

    first: GradingRun
    second: GradingRun
    chains: int
    only_first: int
    only_second: int
    labelled: int | None
    stopping: bool
    questions: Mapping[str, JudgesDiffer]


def two_judges(
    first: GradingRun,
    second: GradingRun,
    human: Sequence[Labels] = (),
    *,
    designed_on: Sequence[str] = (),
) -> TwoJudges:
    """Compare two judges on the chains that both graded.

    Args:
        first: One judge's labels.
        second: The other's.
        human: People's labels of some of the chains, and perhaps of others, which count nowhere;
            none if left out.
        designed_on: Further collections that either judge was designed on.

    Raises:
        BadInputError: if one is a dry run, they graded no chain in common, people's labels do
            not fit or touch no common chain, or chains of a judge's design are among those
            labelled.
        NonComparableError: if they labelled with different taxonomies, or a chain of one name
            differs between them.
    """
    for run in (first, second):
        refuse_dry_run(run)
    chains = _common(first, second)
    others = [chain for chain in second.chains if chain.id not in {c.id for c in first.chains}]
    known = {chain.id for chain in chains}
    here = of_these([*first.chains, *others], human)
    everyone = by_chain([*first.chains, *others], here)
    people = {
        chain.id: consensus(chain, everyone[chain.id]) for chain in chains if chain.id in everyone
    }
    if human and not people:
        raise BadInputError("people labelled no chain that both judges graded")
    keep_apart(
        [chain for chain in chains if chain.id in people],
        (*first.judge.designed_on, *second.judge.designed_on, *designed_on),
    )
    by_judge = tuple({row.chain: row for row in run.labels} for run in (first, second))
    rows = [(c, people.get(c.id), by_judge[0].get(c.id), by_judge[1].get(c.id)) for c in chains]
    # Everyone's labels: `human` may hold several people's, whose consensus hides where they stop.
    given = [*first.labels, *second.labels, *here]
    stopping = any(
        stops_at_first_error(row.premises)
        for row in given
        if row.chain in known and not isinstance(row.premises, Unmeasured)
    )
    questions = _questions(rows, first, stopping, bool(people))
    return TwoJudges(
        first,
        second,
        len(chains),
        len(first.chains) - len(chains),
        len(second.chains) - len(chains),
        len(people) if human else None,
        stopping,
        questions,
    )


def is_grading(folder: Path) -> bool:
    """Say whether a folder holds a run of a grading (and not one of an audit, or nothing)."""
    if not (folder / RUN).is_file():
        return False
    content = parse_json((folder / RUN).read_bytes())
    return isinstance(content, dict) and content.get("format") == FORMAT


def _common(first: GradingRun, second: GradingRun) -> list[Chain]:
    """Return the chains of both runs, in the order of the first."""
    if first.taxonomy.digest != second.taxonomy.digest:
        raise NonComparableError({"taxonomy": (first.taxonomy.name, second.taxonomy.name)})
    others = {chain.id: chain for chain in second.chains}
    common = [chain for chain in first.chains if chain.id in others]
    for chain in common:
        other = others[chain.id]
        for field in ("premises", "chosen", "gold", "unit"):
            one, two = getattr(chain, field), getattr(other, field)
            if one != two:
                raise NonComparableError({f"chain {chain.id}, {field}": (one, two)})
    if not common:
        raise BadInputError(
            "the two judges graded no chain in common",
            remedy="grade the same file of chains with both",
        )
    return common


_Row: TypeAlias = tuple[Chain, Labels | None, Labels | None, Labels | None]
"""A chain with the labels of people, of the first and of the second judge."""


def _questions(
    rows: Sequence[_Row], run: GradingRun, stopping: bool, people: bool
) -> dict[str, JudgesDiffer]:
    draws = Resampler([chain.unit for chain, *_ in rows])
    asked: dict[str, tuple[Columns, Sequence[str] | None, tuple[str, ...]]] = {}
    if not stopping:
        for code in ("", *_codes(rows)):
            asked[code or PREMISE] = (_of_premises(rows, code), (NO, YES), (YES,))
    classes = [entry.code for entry in run.taxonomy.classes]
    asked[FIRST] = (_of_chains(rows, _first), (), ())
    asked[WHOLE] = (_of_chains(rows, lambda _, labels: labels.whole), None, ("wrong",))
    asked[CLASS] = (_of_chains(rows, class_of), classes, tuple(classes))
    fewer = Resampler(draws.units, replicates=FEWER)
    found = {
        name: _differ(columns, draws, fewer if name == FIRST else draws, labels, counted, people)
        for name, (columns, labels, counted) in asked.items()
    }
    # Sub-kinds are many, and rare each: they are a family of their own.
    families: tuple[dict[str, float], dict[str, float]] = ({}, {})
    for name, one in found.items():
        if one.overall and one.overall.p is not None and _apart(one.overall):
            families["." in name][name] = one.overall.p
    adjusted = {name: p for family in families for name, p in holm(family).items()}
    return {
        name: replace(one, overall=replace(one.overall, adjusted=adjusted.get(name)))
        if one.overall
        else one
        for name, one in found.items()
    }


def _apart(found: JudgeComparison) -> bool:
    """Say whether any item tells the judges apart; where none does there is nothing to test."""
    return found.counts.first_only + found.counts.second_only > 0


def _differ(
    columns: Columns,
    draws: Resampler,
    of_agreement: Resampler,
    labels: Sequence[str] | None,
    counted: tuple[str, ...],
    people: bool,
) -> JudgesDiffer:
    human, first, second, units = columns
    pairs = [list(pair) for pair in zip(first, second, strict=True)]
    both = [
        (one, two, unit)
        for one, two, unit in zip(first, second, units, strict=True)
        if isinstance(one, str) and isinstance(two, str)
    ]
    of = [unit for *_, unit in both]
    overall: JudgeComparison | None = None
    within: Mapping[str, JudgeComparison] = {}
    if people:
        # Items nobody labelled are no part of the comparison: they are not left out of it.
        kept = [i for i, said in enumerate(human) if said is not None]
        overall, within = compare_judges(
            [human[i] for i in kept],
            [first[i] for i in kept],
            [second[i] for i in kept],
            [units[i] for i in kept],
            labels=labels,
            resampler=draws,
        )
    return JudgesDiffer(
        cohen_kappa(first, second, units, resampler=of_agreement),
        krippendorff_alpha(pairs, units, resampler=of_agreement),
        {
            said: draws.difference(
                draws.tally([one == said for one, _, _ in both], of),
                draws.tally([two == said for _, two, _ in both], of),
            )
            for said in counted
            if any(said in pair for *pair, _ in both)
        },
        overall,
        {label: one for label, one in within.items() if one.p is not None},
    )


def _of_premises(rows: Sequence[_Row], code: str) -> Columns:
    say = has_code(code)
    places = [(row, place) for row in rows for place in range(row[0].length or 0)]
    return (
        [say(human_marks(people, place)) for (_, people, _, _), place in places],
        [say(marks_of(first, place, code)) for (_, _, first, _), place in places],
        [say(marks_of(second, place, code)) for (_, _, _, second), place in places],
        [row[0].unit for row, _ in places],
    )


def _of_chains(rows: Sequence[_Row], say: Callable[[Chain, Labels], Label]) -> Columns:
    def said(chain: Chain, labels: Labels | None) -> Label:
        return None if labels is None else say(chain, labels)

    return (
        [said(chain, people) for chain, people, _, _ in rows],
        [said(chain, first) for chain, _, first, _ in rows],
        [said(chain, second) for chain, _, _, second in rows],
        [chain.unit for chain, *_ in rows],
    )


def _first(_: Chain, labels: Labels) -> Label:
    place = labels.first_error
    if isinstance(place, Unmeasured):
        return place
    return "none" if place is None else f"premise {place + 1}"


def _codes(rows: Sequence[_Row]) -> list[str]:
    """Return every kind and sub-kind that anybody uses."""
    given = [labels for _, *all_of_them in rows for labels in all_of_them if labels]
    return sorted(
        {
            code
            for labels in given
            if not isinstance(labels.premises, Unmeasured)
            for marks in labels.premises
            if isinstance(marks, tuple)
            for code in codes_of(marks)
        }
    )
