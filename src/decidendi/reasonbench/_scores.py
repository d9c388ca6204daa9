"""Scores of one method, differences between two, and what each counts.

Chen & Zhang, sections 3.5, 4 and 6.3. A malformed answer is an error wherever it is eligible:
it is never right, says nothing of a change, and attributes nothing correctly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import mean, stdev
from typing import NamedTuple, TypeAlias

from decidendi.reasonbench._predictions import Predicted, Predictions
from decidendi.reasonbench._records import GoldCase, GoldSet
from decidendi.reasonbench._targets import Answer, Target
from decidendi.stats import Difference, Rate, Resampler, Tally

Where: TypeAlias = Callable[[GoldCase], bool]
"""Which main cases an analysis looks at."""


class Metric(StrEnum):
    """What is counted. Failures count what went wrong; all others what went right."""

    VALID = "valid format"
    REVISED = "revised verdict"
    ENDPOINTS = "both endpoints"
    RECEIPT = "exact receipt"
    CUBE = "exact cube"
    DRIFT = "drift"
    """A change is predicted where gold is stable, over all cases."""
    INERTIA = "inertia"
    """No change is predicted where gold changes, over all cases."""
    REVISED_CHANGED = "revised verdict, changes only"
    RECEIPT_CHANGED = "exact receipt, changes only"
    MISATTRIBUTION = "misattribution"
    """On gold changes, the predicted receipt is not the exact one."""
    MISATTRIBUTION_GIVEN = "misattribution given both endpoints right"


class Scored(NamedTuple):
    """One prediction beside its gold case; everything that is counted derives from these."""

    gold: GoldCase
    seed: str
    answer: Answer | None

    @property
    def revised(self) -> bool:
        """Whether the revised verdict is right."""
        return self.answer is not None and self.answer.revised == self.gold.revised

    @property
    def endpoints(self) -> bool:
        """Whether both endpoint verdicts are right."""
        return self.revised and self.answer is not None and self.answer.old == self.gold.old

    @property
    def receipt(self) -> bool:
        """Whether the family is exact; empty families match where nothing changed."""
        predicted = self.answer.receipt if self.answer else None
        return predicted is not None and predicted.masks == self.gold.receipt

    @property
    def changed(self) -> bool:
        """Whether a change is predicted: membership in M."""
        return self.answer is not None and self.answer.changed


class _Definition(NamedTuple):
    eligible: Callable[[Scored], bool]
    hit: Callable[[Scored], bool]


def _every(_: Scored) -> bool:
    return True


def _gold_change(row: Scored) -> bool:
    return row.gold.changed


_DEFINITIONS: Mapping[Metric, _Definition] = {
    Metric.VALID: _Definition(_every, lambda row: row.answer is not None),
    Metric.REVISED: _Definition(_every, lambda row: row.revised),
    Metric.ENDPOINTS: _Definition(_every, lambda row: row.endpoints),
    Metric.RECEIPT: _Definition(_every, lambda row: row.receipt),
    Metric.CUBE: _Definition(
        _every, lambda row: row.answer is not None and row.answer.cube == row.gold.cube
    ),
    Metric.DRIFT: _Definition(_every, lambda row: row.changed and not row.gold.changed),
    Metric.INERTIA: _Definition(_every, lambda row: row.gold.changed and not row.changed),
    Metric.REVISED_CHANGED: _Definition(_gold_change, lambda row: row.revised),
    Metric.RECEIPT_CHANGED: _Definition(_gold_change, lambda row: row.receipt),
    Metric.MISATTRIBUTION: _Definition(_gold_change, lambda row: not row.receipt),
    Metric.MISATTRIBUTION_GIVEN: _Definition(
        lambda row: row.gold.changed and row.endpoints, lambda row: not row.receipt
    ),
}

_OF_RECEIPTS = {
    Metric.RECEIPT,
    Metric.RECEIPT_CHANGED,
    Metric.MISATTRIBUTION,
    Metric.MISATTRIBUTION_GIVEN,
}


@dataclass(frozen=True)
class Unscored:
    """The absence of a score, and why. Never a zero."""

    why: str


@dataclass(frozen=True)
class SeedShare:
    """Hits and observations of one seed."""

    seed: str
    numerator: int
    n: int

    @property
    def share(self) -> float | None:
        """``numerator / n``; None if nothing was eligible."""
        return self.numerator / self.n if self.n else None


@dataclass(frozen=True)
class Score:
    """A share over seeds and units.

    Attributes:
        rate: Pooled over seeds, with its hierarchical bootstrap interval.
        by_seed: Each seed's own.
    """

    rate: Rate
    by_seed: tuple[SeedShare, ...]

    @property
    def mean(self) -> float | None:
        """Mean of the seeds' shares, as the paper's tables show; None if none is defined."""
        shares = [share for seed in self.by_seed if (share := seed.share) is not None]
        return mean(shares) if shares else None

    @property
    def spread(self) -> float | None:
        """Sample standard deviation over seeds; None for fewer than two."""
        shares = [share for seed in self.by_seed if (share := seed.share) is not None]
        return stdev(shares) if len(shares) > 1 else None


class Observation(NamedTuple):
    """One measured 0 or 1, with the unit and seed it belongs to."""

    hit: bool
    unit: str
    seed: str


def score_of(
    observations: Sequence[Observation], *, replicates: int = 10_000, seed: int = 42
) -> Score:
    """Return the share of hits, by seed and over seeds and units."""
    sampler = _resampler([observations], replicates, seed)
    tally = _tally(sampler, observations)
    shares = zip(sampler.seeds, tally.by_seed, strict=True)
    by_seed = tuple(SeedShare(str(name), hits, n) for name, (hits, n) in shares)
    return Score(sampler.rate(tally), by_seed)


def difference_of(
    first: Sequence[Observation],
    second: Sequence[Observation],
    *,
    replicates: int = 10_000,
    seed: int = 42,
) -> Difference | Unscored:
    """Return the first share minus the second over the seeds that both have, pairs kept."""
    shared = {row.seed for row in first} & {row.seed for row in second}
    if not shared:
        return Unscored("no seed in common, so nothing is paired")
    first, second = ([row for row in rows if row.seed in shared] for rows in (first, second))
    sampler = _resampler([first, second], replicates, seed)
    return sampler.difference(_tally(sampler, first), _tally(sampler, second))


def _resampler(groups: Sequence[Sequence[Observation]], replicates: int, seed: int) -> Resampler:
    # Sorted: the draws then do not depend on the order of lines in a file.
    units = sorted({row.unit for rows in groups for row in rows})
    seeds = sorted({row.seed for rows in groups for row in rows})
    return Resampler(units, seeds, replicates=replicates, seed=seed)


def _tally(sampler: Resampler, rows: Sequence[Observation]) -> Tally:
    return sampler.tally(
        [row.hit for row in rows], [row.unit for row in rows], [row.seed for row in rows]
    )


class Scorer:
    """The predictions of one method beside the gold cases."""

    def __init__(
        self,
        predictions: Predictions,
        gold: GoldSet,
        *,
        replicates: int = 10_000,
        seed: int = 42,
    ) -> None:
        """Pair predictions with gold; ``seed`` is that of the bootstrap."""
        self.predictions = predictions
        self.gold = gold
        self.replicates = replicates
        self.seed = seed
        self._main: list[Scored] = [
            Scored(case, name, answer if isinstance(answer, Answer) else None)
            for name, answers in predictions.by_seed.items()
            for identity, predicted in answers.items()
            if (case := gold.cases[identity]).control is None
            for answer in (predicted.answer,)
        ]

    @property
    def method(self) -> str:
        """The method's name in tables."""
        return self.predictions.method

    @property
    def target(self) -> Target:
        """What it was asked for."""
        return self.predictions.target

    def predicted(self, seed: str, identity: str) -> Predicted | None:
        """Return one prediction; None where its split or kind of control was not predicted."""
        return self.predictions.by_seed.get(seed, {}).get(identity)

    def rows(self, where: Where) -> list[Scored]:
        """Return the predicted main cases that an analysis looks at, of every seed."""
        return [row for row in self._main if where(row.gold)]

    def observations(self, metric: Metric, where: Where) -> list[Observation] | Unscored:
        """Return what a metric counts; ``Unscored`` if it does not apply or nothing is there."""
        if metric in _OF_RECEIPTS and not self.target.has_receipt:
            return Unscored(f"the {self.target} target has no receipt")
        if metric is Metric.CUBE and self.target is not Target.JUDGMENT_CUBE:
            return Unscored(f"the {self.target} target has no cube")
        rows = self.rows(where)
        if not rows:
            return self._nothing(where)
        eligible, hit = _DEFINITIONS[metric]
        return [Observation(hit(row), row.gold.unit, row.seed) for row in rows if eligible(row)]

    def _nothing(self, where: Where) -> Unscored:
        there = any(case.control is None and where(case) for case in self.gold.cases.values())
        return Unscored("not predicted" if there else "the benchmark has no such case")

    def score(self, metric: Metric, where: Where) -> Score | Unscored:
        """Return one metric over the main cases that ``where`` selects."""
        counted = self.observations(metric, where)
        return counted if isinstance(counted, Unscored) else self.score_of(counted)

    def score_of(self, observations: Sequence[Observation]) -> Score:
        """Return the share of hits with this scorer's replicates and seed."""
        return score_of(observations, replicates=self.replicates, seed=self.seed)


def contrast(
    first: tuple[Scorer, Metric], second: tuple[Scorer, Metric], where: Where
) -> Difference | Unscored:
    """Return one score minus another on the same cases, pairs kept.

    Two methods on one metric, or two metrics of one method. Answers to other words are answers
    to another test, so methods whose prompts were in different words are not paired.
    """
    words = [scorer.predictions.renderings for scorer, _ in (first, second)]
    if words[0] != words[1]:
        named = [", ".join(names) or "the benchmark's own" for names in words]
        return Unscored(f"not paired: prompts in different words ({named[0]}; {named[1]})")
    sides = [scorer.observations(metric, where) for scorer, metric in (first, second)]
    for side in sides:
        if isinstance(side, Unscored):
            return side
    one, other = (side for side in sides if not isinstance(side, Unscored))
    scorer = first[0]
    return difference_of(one, other, replicates=scorer.replicates, seed=scorer.seed)


# Which cases -------------------------------------------------------------------------------


def in_split(split: str) -> Where:
    """Select the cases of a split."""
    return lambda case: case.split == split


def both(first: Where, second: Where) -> Where:
    """Select the cases that two conditions select."""
    return lambda case: first(case) and second(case)


def of_size(size: int) -> Where:
    """Select gold changes by the size of their smallest member."""
    return lambda case: case.size == size


def ambiguous(case: GoldCase) -> bool:
    """Select cases with more than one minimal receipt."""
    return case.ambiguous


def unambiguous(case: GoldCase) -> bool:
    """Select cases with at most one, stable cases included."""
    return not case.ambiguous


def of_mask(mask: int) -> Where:
    """Select cases by the kinds that were changed."""
    return lambda case: case.mask == mask


def of_stratum(stratum: str) -> Where:
    """Select one stratum."""
    return lambda case: case.stratum == stratum


def revised_source(case: GoldCase) -> bool:
    """Select cases that change any source; the others read like their own inverse."""
    return case.mask != 0


def composed(case: GoldCase) -> bool:
    """Select cases that change two or three kinds: unseen by a method trained on one at most."""
    return case.mask.bit_count() >= 2
