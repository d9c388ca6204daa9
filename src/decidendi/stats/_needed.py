"""How many labels by people a corrected rate needs for an interval of a given width."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil

from decidendi.stats._rate import LEVEL
from decidendi.stats._student import t_quantile

MIN_LABELS = 20
"""Fewer items labelled by people give no corrected rate."""

MIN_UNITS = 10
"""Items labelled by people must come from units as good as this many of equal size."""

HALF_WIDTH = 0.05
"""The half-width asked for where the caller names none: five points."""


@dataclass(frozen=True)
class Spread:
    """What decides how many labels are needed. From a pilot: as uncertain as the pilot is small.

    Attributes:
        human: Variance of people's labels over items.
        residual: The part of it that the judge does not explain: between 0 and ``human``.
        design: How many times larger the variance is because items share units; at least 1.
    """

    human: float
    residual: float
    design: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.residual <= self.human:
            raise ValueError(f"a residual variance of {self.residual} in one of {self.human}")
        if self.design < 1:
            raise ValueError(f"a design effect of {self.design} is below 1")


WORST = Spread(human=0.25, residual=0.25)
"""Half of the items hit, and a judge that explains nothing: the most labels a share can need."""


@dataclass(frozen=True)
class LabelsNeeded:
    """Labels by people for an interval that reaches ``half_width`` to either side.

    Attributes:
        half_width: As a share: 0.05 is five points.
        labels: How many of the judged items people must label; None where even labelling all
            of them would not do.
        alone: How many labels it would take without a judge.
        judged: How many items the judge has judged.
        basis: What the numbers rest on, in words for people.
    """

    half_width: float
    labels: int | None
    alone: int
    judged: int
    basis: str

    def __str__(self) -> str:
        """Render as ``120 labels for ±5.0 points (350 without the judge)``."""
        width = f"±{100 * self.half_width:.1f} points"
        if self.labels is None:
            return f"{self.judged} judged items cannot give {width}: {self.alone} are needed"
        return f"{self.labels} labels for {width} ({self.alone} without the judge)"


def labels_needed(
    half_width: float,
    spread: Spread,
    *,
    judged: int,
    level: float = LEVEL,
    basis: str = "the spread given",
) -> LabelsNeeded:
    """Return how many of ``judged`` items people must label.

    With the best weight, n labels among N judged items give the corrected mean the variance
    ``residual / n + (human - residual) / N`` (Angelopoulos, Duchi & Zrnic, arXiv 2311.01453,
    section 6), times the design effect. The normal quantile is replaced by Student's, whose
    degrees of freedom are the labels less two.

    Args:
        half_width: Half the width wanted, as a share.
        spread: Variances, from a pilot or ``WORST``.
        judged: How many items the judge has judged, labelled ones included.
        level: Confidence level.
        basis: Where the spread comes from, in words for people.
    """
    if half_width <= 0:
        raise ValueError(f"a half-width of {half_width} is not above 0")
    # Student's t is widest at the fewest labels, so that many are always enough.
    reach = t_quantile(level, MIN_LABELS - 2)
    most = max(MIN_LABELS, ceil(spread.design * spread.human * (reach / half_width) ** 2))

    def fewest(residual: float, fixed: float, most: int) -> int:
        def enough(n: int) -> bool:
            variance = spread.design * (residual / n + fixed)
            return t_quantile(level, n - 2) ** 2 * variance <= half_width**2

        counts = range(MIN_LABELS, most)
        return MIN_LABELS + bisect_left(counts, True, key=enough)

    alone = fewest(spread.human, 0.0, most)
    if alone > judged:
        return LabelsNeeded(half_width, None, alone, judged, basis)
    explained = (spread.human - spread.residual) / judged
    return LabelsNeeded(half_width, fewest(spread.residual, explained, alone), alone, judged, basis)
