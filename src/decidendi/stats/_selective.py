"""Selective prediction: what is gained by accepting only confident claims, and what is lost."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isfinite

from decidendi.stats._rate import Rate
from decidendi.stats._resample import rate


@dataclass(frozen=True, slots=True)
class Claim:
    """One case, what was claimed of it, and how confidently.

    Attributes:
        unit: The independent observation it belongs to.
        claimed: Whether a claim was made at all; only claims can be accepted.
        correct: Whether the claim is right. Never true where none was made.
        positive: Whether there was something to claim.
        score: The confidence, of any scale; None where none came with it.
    """

    unit: Hashable
    claimed: bool
    correct: bool
    positive: bool
    score: float | None

    def __post_init__(self) -> None:
        if self.correct and not (self.claimed and self.positive):
            raise ValueError("a correct claim was made, and there was something to claim")
        if self.score is not None and not isfinite(self.score):
            raise ValueError(f"the score {self.score} is not finite")


@dataclass(frozen=True)
class Selective:
    """Accepting the claims whose score reaches a threshold.

    The three belong together: a low risk at partial coverage is bought with lost recall.

    Attributes:
        threshold: The least score accepted.
        risk: Share of accepted claims that are wrong; undefined where none is accepted. For
            receipts this is reason debt (Chen & Zhang, section 4).
        coverage: Share of scored claims that are accepted.
        recall: Share of positives whose claim is accepted and correct.
    """

    threshold: float
    risk: Rate
    coverage: Rate
    recall: Rate


def threshold_for(scores: Iterable[float], coverage: float) -> float | None:
    """Return the greatest threshold that accepts at least ``coverage`` of the scored claims.

    Scores tied with it are accepted too, so the realized coverage can be higher. Fit it on a
    calibration split, never on the cases it is then reported for. None where there is no score.
    """
    if not 0 < coverage <= 1:
        raise ValueError(f"a coverage of {coverage} is not in (0, 1]")
    ranked = sorted(scores, reverse=True)
    if not ranked:
        return None
    # The tolerance undoes what binary fractions do to 0.7 x 10, which must accept 7, not 8.
    return ranked[max(1, ceil(coverage * len(ranked) - 1e-9)) - 1]


@dataclass(frozen=True)
class Accepting:
    """What is counted when the claims that reach a threshold are accepted.

    Attributes:
        risk: For each accepted claim, whether it is wrong, and its unit.
        coverage: For each scored claim, whether it is accepted, and its unit.
        recall: For each positive, whether its claim is accepted and correct, and its unit.
        unscored: Claims without a score.
    """

    risk: Sequence[tuple[bool, Hashable]]
    coverage: Sequence[tuple[bool, Hashable]]
    recall: Sequence[tuple[bool, Hashable]]
    unscored: int


def accepting(claims: Iterable[Claim], threshold: float) -> Accepting:
    """Accept the claims that reach ``threshold``.

    A claim without a score is never accepted; it leaves coverage, counted, and stays in recall,
    which holds every positive.
    """
    risk, coverage, recall = [], [], []
    unscored = 0
    for claim in claims:
        accepted = claim.claimed and claim.score is not None and claim.score >= threshold
        if accepted:
            risk.append((not claim.correct, claim.unit))
        if claim.claimed:
            if claim.score is None:
                unscored += 1
            else:
                coverage.append((accepted, claim.unit))
        if claim.positive:
            recall.append((accepted and claim.correct, claim.unit))
    return Accepting(risk, coverage, recall, unscored)


def selective_risk(
    claims: Iterable[Claim], threshold: float, *, seed: int = 42, replicates: int = 10_000
) -> Selective:
    """Measure ``accepting`` the claims that reach ``threshold``.

    Claims without a score are excluded from coverage under ``no score``.
    """

    def over(
        rows: Sequence[tuple[bool, Hashable]], left_out: Mapping[str, int] | None = None
    ) -> Rate:
        hits, units = [hit for hit, _ in rows], [unit for _, unit in rows]
        return rate(hits, units, excluded=left_out, seed=seed, replicates=replicates)

    taken = accepting(claims, threshold)
    unscored = {"no score": taken.unscored} if taken.unscored else {}
    return Selective(
        threshold, over(taken.risk), over(taken.coverage, unscored), over(taken.recall)
    )
