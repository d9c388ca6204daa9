"""Strategies against zero-shot chain of thought, in pairs: pure functions of chains and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from decidendi.grading._chain import Chain
from decidendi.grading._labels import Labels
from decidendi.grading._measures import Graded, measure
from decidendi.grading._mitigate_prompts import Condition
from decidendi.grading._records import difference_json, rate_json
from decidendi.grading._score import accuracy_of, score
from decidendi.grading._taxonomy import Taxonomy
from decidendi.judgment import Reason, Unmeasured
from decidendi.stats import Difference, Rate, Value, holm, mcnemar_p, paired_difference, rate

Chains: TypeAlias = Mapping[str, Sequence[Chain]]
"""The chains of each condition; the questions are the same, in the same order."""


@dataclass(frozen=True)
class Against:
    """A condition against the baseline, on the questions measured under both.

    Attributes:
        n: How many those are.
        only_this: Right under the condition alone.
        only_base: Right under the baseline alone.
        difference: The condition's share less the baseline's, with its interval by unit.
        p: Two-sided p-value of "no difference"; None where it is undefined.
        test: Exact McNemar, or the bootstrap by unit where questions share a unit.
        adjusted: By Holm, over all conditions.
    """

    n: int
    only_this: int
    only_base: int
    difference: Difference
    p: float | None
    test: str
    adjusted: float | None = None


@dataclass(frozen=True)
class Figures:
    """What one condition shows.

    Attributes:
        condition: Which.
        n: How many questions were asked.
        convergence: Answers from which a choice can be read, of all; failed calls are left out.
        accuracy: Right choices, of those that can be read.
        against: Its accuracy against the baseline's; None for the baseline.
        soundness: Premises without an error, as judged; None without a judge.
        correctness: Chains without any error, as judged; None without a judge.
        correct_against: Its correctness against the baseline's; None without a judge.
    """

    condition: Condition
    n: int
    convergence: Rate
    accuracy: Rate
    against: Against | None = None
    soundness: Rate | None = None
    correctness: Rate | None = None
    correct_against: Against | None = None


def figures_of(
    chosen: Sequence[Condition],
    chains: Chains,
    labels: Mapping[str, Sequence[Labels]],
    kinds: Taxonomy,
    *,
    seed: int,
) -> list[Figures]:
    """Measure every condition; the first is the baseline.

    Args:
        chosen: The conditions.
        chains: Of each, by its id.
        labels: A judge's, of each condition by its id, in the order of its chains; empty without.
        kinds: The taxonomy of the labels.
        seed: Of the resamples.
    """
    right = {name: [accuracy_of(chain) for chain in found] for name, found in chains.items()}
    correct = {
        name: [
            score(chain, row).correctness for chain, row in zip(chains[name], found, strict=True)
        ]
        for name, found in labels.items()
    }
    units = [chain.unit for chain in chains[chosen[0].id]]
    tests = _adjusted(_tests(chosen, right, units, seed))
    judged = _adjusted(_tests(chosen, correct, units, seed)) if correct else {}
    return [
        _figures(c, chains[c.id], right[c.id], labels.get(c.id), kinds, seed, tests, judged)
        for c in chosen
    ]


def _figures(
    condition: Condition,
    chains: Sequence[Chain],
    right: Sequence[Value],
    labels: Sequence[Labels] | None,
    kinds: Taxonomy,
    seed: int,
    tests: Mapping[str, Against],
    judged: Mapping[str, Against],
) -> Figures:
    found = Figures(
        condition,
        len(chains),
        _rate([_converged(chain) for chain in chains], chains, seed),
        _rate(right, chains, seed),
        tests.get(condition.id),
    )
    if labels is None:
        return found
    graded: list[Graded] = list(zip(chains, labels, strict=True))
    measures = measure(graded, kinds)
    return replace(
        found,
        soundness=measures.soundness,
        correctness=measures.correctness,
        correct_against=judged.get(condition.id),
    )


def _converged(chain: Chain) -> Value:
    """Say whether a choice can be read; unmeasured where no answer came to read it in."""
    if not isinstance(chain.chosen, Unmeasured):
        return 1.0
    return 0.0 if chain.chosen.reason is Reason.NOT_CONVERGED else chain.chosen


def _rate(values: Sequence[Value], chains: Sequence[Chain], seed: int) -> Rate:
    left_out = Counter(
        "no gold" if value is None else str(value.reason)
        for value in values
        if not isinstance(value, float)
    )
    kept = [
        (chain.unit, bool(value))
        for chain, value in zip(chains, values, strict=True)
        if isinstance(value, float)
    ]
    hits, units = [hit for _, hit in kept], [unit for unit, _ in kept]
    return rate(hits, units, excluded=dict(left_out), seed=seed)


def _tests(
    chosen: Sequence[Condition],
    values: Mapping[str, Sequence[Value]],
    units: Sequence[str],
    seed: int,
) -> dict[str, Against]:
    base = values[chosen[0].id]
    return {c.id: _against(values[c.id], base, units, seed) for c in chosen[1:]}


def _against(
    this: Sequence[Value], base: Sequence[Value], units: Sequence[str], seed: int
) -> Against:
    rows = [
        (unit, bool(a), bool(b))
        for unit, a, b in zip(units, this, base, strict=True)
        if isinstance(a, float) and isinstance(b, float)
    ]
    of = [unit for unit, _, _ in rows]
    ours, theirs = [a for _, a, _ in rows], [b for _, _, b in rows]
    difference = paired_difference(ours, theirs, of, seed=seed)
    only_this = sum(a and not b for a, b in zip(ours, theirs, strict=True))
    only_base = sum(b and not a for a, b in zip(ours, theirs, strict=True))
    if len(set(of)) < len(of):
        p, test = difference.p, "bootstrap by unit"
    else:
        p, test = (mcnemar_p(only_this, only_base) if rows else None), "exact McNemar"
    return Against(len(rows), only_this, only_base, difference, p, test)


def _adjusted(tests: Mapping[str, Against]) -> dict[str, Against]:
    """Adjust for the number of tests; one that could not be made is no member."""
    found = holm({name: test.p for name, test in tests.items() if test.p is not None})
    return {name: replace(test, adjusted=found.get(name)) for name, test in tests.items()}


def figures_json(found: Figures) -> dict[str, Any]:
    """Return one condition's figures as JSON; figures as decimal text."""
    row: dict[str, Any] = {
        "id": found.condition.id,
        "strategy": found.condition.strategy,
        "feedback": found.condition.feedback,
        "n": found.n,
        "convergence": rate_json(found.convergence),
        "accuracy": rate_json(found.accuracy),
        "against_baseline": _against_json(found.against),
    }
    if found.soundness is not None and found.correctness is not None:
        row["judged"] = {
            "soundness": rate_json(found.soundness),
            "correctness": rate_json(found.correctness),
            "against_baseline": _against_json(found.correct_against),
        }
    return row


def _against_json(found: Against | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "n": found.n,
        "only_this": found.only_this,
        "only_baseline": found.only_base,
        "difference": difference_json(found.difference),
        "p": None if found.p is None else f"{found.p:.6f}",
        "adjusted": None if found.adjusted is None else f"{found.adjusted:.6f}",
        "test": found.test,
    }
