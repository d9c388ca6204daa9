"""Rates that a judge gave, corrected by the items that people labelled too.

Prediction-powered inference: the judge's mean over many items, moved by how far people and
judge differ where both labelled (Angelopoulos et al., arXiv 2301.09633); with the weight on
the judge tuned so that a useless one costs nothing (PPI++, arXiv 2311.01453). It holds if the
labelled items, or the units they come from, are a random draw from the judged ones. What is
added for small samples and for units of several items is measured in
design/corrected-rates.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from decidendi.stats._items import Items, Judgments, gather
from decidendi.stats._needed import (
    HALF_WIDTH,
    MIN_LABELS,
    MIN_UNITS,
    LabelsNeeded,
    Spread,
    labels_needed,
)
from decidendi.stats._ppi import Fit, Sample, Weighting, as_good_as, fit, tuned_weights
from decidendi.stats._rate import LEVEL
from decidendi.stats._student import t_quantile

_PILOT = 10, 5
"""Fewer labels, or from fewer units, say nothing about how many more are needed."""

_STANDS_IN = "without the judge's label: its mean stands in"

_WORDS: dict[Weighting, str] = {
    "tuned": "prediction-powered, tuned (PPI++)",
    "classical": "prediction-powered (PPI)",
    "labels alone": "people's labels alone",
}


@dataclass(frozen=True)
class Corrected:
    """A rate, or a difference of two, from many judged items and some that people labelled.

    Attributes:
        estimate: In [0, 1], or [-1, 1] for a difference.
        low: Lower end of the interval.
        high: Upper end.
        standard_error: Of the estimate, by units.
        labelled: Items with a value for the judge and by people.
        judged: Items with a value for the judge, those included.
        labelled_units: Units the labelled items come from.
        units: Units of all judged items.
        raw: What the judge alone says, over all judged items.
        people: What people alone say, over the labelled items.
        weights: How much of the judge's values entered: 1 fully, 0 not at all. Two for a
            difference; none where the method has no such weight.
        spread: What further labels can be planned with.
        method: How it was made, in words for people.
        excluded: How many items were left out, by reason.
        stood_in: How many of the judged items the judge gave no value; another stands in.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    labelled: int
    judged: int
    labelled_units: int
    units: int
    raw: float
    people: float
    weights: tuple[float, ...]
    spread: Spread
    method: str
    excluded: Mapping[str, int] = field(default_factory=dict)
    stood_in: int = 0

    def __str__(self) -> str:
        """Render as ``71.2% [65.0, 76.9] (100 labelled of 1,000 judged)``."""
        low, value, high = (100 * x for x in (self.low, self.estimate, self.high))
        without = f", {self.stood_in:,} {_STANDS_IN}" if self.stood_in else ""
        return (
            f"{value:.1f}% [{low:.1f}, {high:.1f}] "
            f"({self.labelled:,} labelled of {self.judged:,} judged{without})"
        )


@dataclass(frozen=True)
class NotEnoughLabels:
    """No corrected rate: what people labelled does not carry one.

    Attributes:
        reason: Why not, in words for people.
        labelled: Items with a value for the judge and by people.
        judged: Items with a value for the judge.
        labelled_units: Units the labelled items come from.
        units: Units of all judged items.
        raw: What the judge alone says; None where nothing was judged. Not corrected.
        needed: How many labels would be needed for the interval asked for.
        excluded: How many items were left out, by reason.
        stood_in: How many of the judged items the judge gave no value; another stands in.
    """

    reason: str
    labelled: int
    judged: int
    labelled_units: int
    units: int
    raw: float | None
    needed: LabelsNeeded
    excluded: Mapping[str, int] = field(default_factory=dict)
    stood_in: int = 0

    def __str__(self) -> str:
        """Render as ``not enough labels: 12 labelled, at least 20 needed; …``.

        A number of labels is given only where it is what is lacking.
        """
        why = f"not enough labels: {self.reason}"
        enough = self.needed.labels is not None and self.needed.labels <= self.labelled
        told = why if enough or not self.judged else f"{why}; {self.needed}"
        return f"{told} ({self.stood_in:,} {_STANDS_IN})" if self.stood_in else told


CorrectedRate: TypeAlias = Corrected | NotEnoughLabels
"""A corrected rate, or why there is none."""


def corrected_rate(
    judgments: Judgments,
    units: Sequence[Hashable] | None = None,
    *,
    weighting: Weighting = "tuned",
    half_width: float = HALF_WIDTH,
    level: float = LEVEL,
) -> CorrectedRate:
    """Return the mean that people's values would have over all items of this kind.

    The interval is Wilson's, at the number of independent labels that would give the same
    variance, with Student's t; for ``classical``, whose variance does not fall towards 0 and 1,
    it is the symmetric one cut to [0, 1].

    Args:
        judgments: Values in [0, 1]: hits and misses, or shares such as soundness.
        units: The unit of each item; each its own where left out.
        weighting: How much the judge counts.
        half_width: What ``NotEnoughLabels.needed`` is computed for.
        level: Confidence level.

    Raises:
        ValueError: if a value is outside [0, 1], or ``units`` has another length.
    """
    items = gather([("", judgments)], [1.0], units)

    def ends(made: Fit, reach: float) -> tuple[float, float]:
        if weighting == "classical":
            return _symmetric(made, reach, 0.0)
        return _wilson(made, reach, len(items.sample.human))

    return _corrected(items, weighting, half_width, level, ends, Spread(0.25, 0.25))


def corrected_difference(
    first: Judgments,
    second: Judgments,
    units: Sequence[Hashable] | None = None,
    *,
    weighting: Weighting = "tuned",
    half_width: float = HALF_WIDTH,
    level: float = LEVEL,
) -> CorrectedRate:
    """Return the first mean less the second, on the same items.

    The gap between accuracy and correctness has ``Judgments.known`` accuracy first. An item
    counts as labelled if people gave both values. ``tuned`` weights each side's judge by
    itself, so that what is known of every item also steadies what is not. The interval is
    symmetric, with Student's t, cut to [-1, 1]. Arguments and errors as for ``corrected_rate``.
    """
    items = gather([("first ", first), ("second ", second)], [1.0, -1.0], units)

    def ends(made: Fit, reach: float) -> tuple[float, float]:
        return _symmetric(made, reach, -1.0)

    return _corrected(items, weighting, half_width, level, ends, Spread(1.0, 1.0))


def too_few(items: Items, half_width: float, level: float, worst: Spread) -> NotEnoughLabels | None:
    """Return why these items cannot be corrected, if there are fewer than the least."""
    labelled, of_units = len(items.sample.human), as_good_as(items.sample.unit)
    if not items.judged:
        why = "the judge has judged none"
    elif labelled < MIN_LABELS:
        why = f"{labelled} labelled, at least {MIN_LABELS} needed"
    elif of_units < MIN_UNITS:
        even = "" if of_units == items.labelled_units else f", as good as {of_units:.1f} even ones"
        why = f"labelled items of {items.labelled_units} units{even}, at least {MIN_UNITS} needed"
    else:
        return None
    return not_enough(items, why, half_width, level, worst)


def not_enough(
    items: Items, reason: str, half_width: float, level: float, worst: Spread
) -> NotEnoughLabels:
    """Say that there are not enough labels, and how many there should be."""
    sample, of_units = items.sample, items.labelled_units
    labelled = len(sample.human)
    spread, basis = worst, "the largest spread possible: too few labels to estimate it"
    if labelled >= _PILOT[0] and as_good_as(sample.unit) >= _PILOT[1]:
        spread = spread_of(sample)
        basis = f"the spread of {labelled} labels from {of_units} units"
    needed = labels_needed(half_width, spread, judged=items.judged, level=level, basis=basis)
    return NotEnoughLabels(
        reason,
        labelled,
        items.judged,
        of_units,
        items.units,
        items.raw,
        needed,
        items.excluded,
        items.stood_in,
    )


def spread_of(sample: Sample) -> Spread:
    """Return what further labels can be planned with: the judge at its best weight."""
    made = fit(sample, tuned_weights(sample), tuned=True)
    return Spread(made.human, made.residual, made.design)


def _corrected(
    items: Items,
    weighting: Weighting,
    half_width: float,
    level: float,
    ends: Callable[[Fit, float], tuple[float, float]],
    worst: Spread,
) -> CorrectedRate:
    """Fit, and put an interval around it; or say why not."""
    import numpy as np

    if (refusal := too_few(items, half_width, level, worst)) is not None:
        return refusal
    sample = items.sample
    if not len(sample.other_judge):
        weighting = "labels alone"  # everything is labelled: there is nothing to correct
    if weighting == "tuned":
        weights = tuned_weights(sample)
    else:
        weights = np.full(sample.judge.shape[1], float(weighting == "classical"))
    doubt = float(weights[0]) if len(weights) == 1 else 1.0
    made = fit(sample, weights, tuned=weighting == "tuned", doubt=doubt)
    made = _steadied(made, len(sample.human))
    low, high = ends(made, t_quantile(level, made.freedom))
    if low >= high:
        why = "the corrected value lies outside what is possible"
        return not_enough(items, why, half_width, level, worst)
    least = 0.0 if sample.judge.shape[1] == 1 else -1.0
    estimate = min(1.0, max(least, made.estimate))
    over = "each item its own unit" if items.units == items.judged else f"{items.units:,} units"
    assert items.raw is not None
    return Corrected(
        estimate,
        min(low, estimate),
        max(high, estimate),
        made.variance**0.5,
        len(sample.human),
        items.judged,
        items.labelled_units,
        items.units,
        items.raw,
        float(sample.human.mean()),
        made.weights,
        spread_of(sample),
        f"{_WORDS[weighting]}, {level:.0%}, {over}, t with {made.freedom:,} degrees of freedom",
        items.excluded,
        items.stood_in,
    )


def _symmetric(made: Fit, reach: float, least: float) -> tuple[float, float]:
    half = reach * made.variance**0.5
    return max(least, made.estimate - half), min(1.0, made.estimate + half)


def _steadied(made: Fit, labelled: int) -> Fit:
    """Keep what the judge leaves to people from being more certain than their labels are."""
    if len(made.weights) > 1:
        return made
    share = _inside(made.estimate, labelled)
    least = (1 - made.weights[0]) ** 2 * share * (1 - share) / labelled
    return replace(made, variance=max(made.variance, least))


def _wilson(made: Fit, reach: float, labelled: int) -> tuple[float, float]:
    """Return Wilson's interval at the independent labels that would give this variance."""
    share = _inside(made.estimate, labelled)
    squared = reach**2 * made.variance / (share * (1 - share))  # t^2 over the number of labels
    centre = (share + squared / 2) / (1 + squared)
    half = (share * (1 - share) * squared + squared**2 / 4) ** 0.5 / (1 + squared)
    return max(0.0, centre - half), min(1.0, centre + half)


def _inside(estimate: float, labelled: int) -> float:
    """Move an estimate at or beyond 0 or 1 inside by half an item, where shares vary."""
    return min(max(estimate, 0.5 / labelled), 1 - 0.5 / labelled)
