"""Paired consistency and selective acceptance: two accounts that need more than one prediction.

Chen & Zhang, sections 3.5 and 7.7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from decidendi.judgment import BadInputError
from decidendi.reasonbench._predictions import Predicted
from decidendi.reasonbench._records import Control, GoldCase, GoldSet
from decidendi.reasonbench._scores import Observation, Score, Scorer, Unscored, Where, in_split
from decidendi.reasonbench._targets import Answer
from decidendi.stats import Claim, accepting, threshold_for

RELATIONS: Mapping[Control, str] = {
    "inverse": "endpoints swap",
    "order": "endpoints and receipt unchanged",
    "distractor": "endpoints and receipt unchanged",
}
"""What each control requires of a pair of predictions; of a direct verdict, its endpoints."""

COVERAGES = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Accepted-change coverage aimed at on the calibration split."""


@dataclass(frozen=True)
class Consistency:
    """How often a relation holds between the predictions of a case and of its control.

    Attributes:
        control: The transformation.
        score: PC: the share of pairs whose relation holds. A malformed answer breaks it.
        pair_error: Mean share of wrong predictions in a pair, by gold; at least the floor.
    """

    control: Control
    score: Score
    pair_error: float

    @property
    def floor(self) -> float | None:
        """(1 - PC)/2: the least mean pairwise error, which needs no gold label of the control."""
        share = self.score.rate.share
        return None if share is None else (1 - share) / 2


def consistency(
    scorer: Scorer, control: Control, where: Where = lambda _: True
) -> Consistency | Unscored:
    """Return the paired consistency of one kind of control.

    Args:
        scorer: The method.
        control: The kind of control.
        where: Which parents are looked at.

    Raises:
        BadInputError: if a gold pair breaks the relation; the floor would then not hold.
    """
    pairs = _pairs(scorer.gold, control, where)
    observations: list[Observation] = []
    wrong = 0
    for seed in scorer.predictions.by_seed:
        for parent, child in pairs:
            one, other = scorer.predicted(seed, parent.id), scorer.predicted(seed, child.id)
            if one is None or other is None:
                continue  # its split, or this kind of control, was not predicted
            held = _holds(control, _said(one), _said(other))
            observations.append(Observation(held, parent.unit, seed))
            wrong += _wrong(control, one, parent) + _wrong(control, other, child)
    if not observations:
        return Unscored("not predicted")
    return Consistency(control, scorer.score_of(observations), wrong / (2 * len(observations)))


def _pairs(gold: GoldSet, control: Control, where: Where) -> list[tuple[GoldCase, GoldCase]]:
    pairs = []
    for child in gold.cases.values():
        if child.control != control or child.control_of is None:
            continue
        parent = gold.cases[child.control_of]
        if not where(parent):
            continue
        if not _holds(control, _gold_said(parent), _gold_said(child)):
            raise BadInputError(
                f"the {control} control {child.id} does not keep its relation to {parent.id}",
                remedy="audit the benchmark",
            )
        pairs.append((parent, child))
    return pairs


_Said = tuple[str, str, tuple[int, ...] | None]
"""Old verdict, revised verdict, and the family where the target has one."""


def _said(predicted: Predicted) -> _Said | None:
    answer = predicted.answer
    if not isinstance(answer, Answer):
        return None
    return answer.old, answer.revised, answer.receipt.masks if answer.receipt else None


def _gold_said(case: GoldCase) -> _Said:
    return case.old, case.revised, case.receipt


def _holds(control: Control, one: _Said | None, other: _Said | None) -> bool:
    if one is None or other is None:
        return False
    if control == "inverse":
        return one[:2] == (other[1], other[0])
    return one == other


def _wrong(control: Control, predicted: Predicted, case: GoldCase) -> bool:
    """Whether the part of the answer that the relation speaks of is wrong."""
    said, gold = _said(predicted), _gold_said(case)
    if said is None:
        return True
    if control == "inverse" or said[2] is None:
        return said[:2] != gold[:2]
    return said != gold


@dataclass(frozen=True)
class OperatingPoint:
    """Accepting predicted changes whose confidence reaches a threshold fitted per seed.

    Attributes:
        aim: Coverage aimed at on the calibration split.
        thresholds: The threshold of each seed.
        debt: Reason debt; its share is undefined where nothing is accepted.
        coverage: Share of predicted changes that are accepted.
        recall: Share of gold changes whose prediction is accepted and whose receipt is exact.
        unscored: Predicted changes without a confidence: never accepted, and not in coverage.
    """

    aim: float
    thresholds: Mapping[str, float]
    debt: Score
    coverage: Score
    recall: Score
    unscored: int


def reason_debt(
    scorer: Scorer, *, aims: Sequence[float] = COVERAGES, where: Where | None = None
) -> list[OperatingPoint] | Unscored:
    """Return debt, coverage and recall at thresholds fitted on the calibration split.

    Args:
        scorer: The method.
        aims: Coverages aimed at, each in (0, 1].
        where: Which cases it is reported for; the locked split, where left out.
    """
    if not scorer.target.has_receipt:
        return Unscored(f"the {scorer.target} target has no receipt")
    fitted = _claims(scorer, in_split("calibration"))
    reported = _claims(scorer, where or in_split("locked"))
    if not fitted:
        return Unscored("the calibration split is not predicted, so no threshold can be fitted")
    if not reported:
        return Unscored("not predicted")
    points = []
    for aim in aims:
        thresholds = {
            seed: threshold
            for seed, claims in fitted.items()
            if (threshold := threshold_for(_scores(claims), aim)) is not None
        }
        seeds = [seed for seed in reported if seed in thresholds]
        if not seeds:
            return Unscored("no confidences, so nothing can be accepted by them")
        points.append(_point(scorer, aim, thresholds, {s: reported[s] for s in seeds}))
    return points


def _claims(scorer: Scorer, where: Where) -> dict[str, list[Claim]]:
    claims: dict[str, list[Claim]] = {}
    for row in scorer.rows(where):
        predicted = scorer.predicted(row.seed, row.gold.id)
        assert predicted is not None
        claims.setdefault(row.seed, []).append(
            Claim(
                row.gold.unit,
                claimed=row.changed,
                # A predicted change with the exact family of a gold change. On a stable case
                # an empty family "matches", but there is nothing to attribute.
                correct=row.changed and row.gold.changed and row.receipt,
                positive=row.gold.changed,
                score=predicted.confidence,
            )
        )
    return claims


def _scores(claims: Sequence[Claim]) -> list[float]:
    return [claim.score for claim in claims if claim.claimed and claim.score is not None]


def _point(
    scorer: Scorer,
    aim: float,
    thresholds: Mapping[str, float],
    reported: Mapping[str, Sequence[Claim]],
) -> OperatingPoint:
    parts: dict[str, list[Observation]] = {"risk": [], "coverage": [], "recall": []}
    unscored = 0
    for seed, claims in reported.items():
        taken = accepting(claims, thresholds[seed])
        unscored += taken.unscored
        for name, observations in parts.items():
            found: Sequence[tuple[bool, object]] = getattr(taken, name)
            observations.extend(Observation(hit, str(unit), seed) for hit, unit in found)
    debt, coverage, recall = (scorer.score_of(parts[name]) for name in parts)
    used = {seed: thresholds[seed] for seed in reported}
    return OperatingPoint(aim, used, debt, coverage, recall, unscored)
