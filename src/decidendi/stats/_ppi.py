"""The arithmetic of prediction-powered means, clustered. Arrays in, numbers out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:  # numpy doubles the time of `import decidendi`: functions import it
    import numpy as np
    from numpy.typing import NDArray

    from decidendi.stats._resample import Floats

Weighting: TypeAlias = Literal["tuned", "classical", "labels alone"]
"""How much the judge counts: as much as pays (PPI++), fully (classical PPI), not at all."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Items, some of them labelled by people.

    Attributes:
        human: People's values, shape (labelled,).
        judge: The judge's values on the same items, shape (labelled, columns).
        unit: The unit of each, shape (labelled,), as whole numbers.
        other_judge: The judge's values on the remaining items, shape (others, columns).
        other_unit: The unit of each, shape (others,), numbered as ``unit`` is.
    """

    human: Floats
    judge: Floats
    unit: NDArray[np.intp]
    other_judge: Floats
    other_unit: NDArray[np.intp]


@dataclass(frozen=True)
class Fit:
    """An estimated mean and its uncertainty.

    Attributes:
        estimate: The corrected mean.
        variance: Of the estimate, by units.
        freedom: Degrees of freedom of that variance, rounded down.
        weights: What each of the judge's columns was multiplied by.
        human: Variance of people's values over items, with the same floor as below.
        residual: Variance of what the weighted judge leaves unexplained, likewise.
        design: The labelled part of the variance by units, over what independent items would
            give; at least 1.
    """

    estimate: float
    variance: float
    freedom: int
    weights: tuple[float, ...]
    human: float
    residual: float
    design: float


def tuned_weights(sample: Sample) -> Floats:
    """Return the weights that make the variance least if items are independent.

    One column: the estimator of PPI++ (section 6), kept in [0, 1]. Several: its regression form.
    A column that never varies gets 0.
    """
    import numpy as np

    n, others = len(sample.human), len(sample.other_judge)
    columns = sample.judge.shape[1]
    if not others:
        return np.zeros(columns)
    pooled = np.cov(np.concatenate([sample.judge, sample.other_judge]), rowvar=False)
    with_human = (sample.human - sample.human.mean()) @ (sample.judge - sample.judge.mean(0)) / n
    scaled = (1 + n / others) * pooled.reshape(columns, columns)
    weights: Floats = np.linalg.pinv(scaled, hermitian=True) @ with_human
    return np.clip(weights, 0, 1) if columns == 1 else weights


def as_good_as(units: NDArray[np.intp]) -> float:
    """Return how many units of equal size tell as much: items squared over squared sizes.

    Where one unit holds most of the items, there is hardly more than one observation.
    """
    import numpy as np

    sizes = np.bincount(units)
    return len(units) ** 2 / float(sizes @ sizes) if len(units) else 0.0


def fit(sample: Sample, weights: Floats, *, tuned: bool, doubt: float = 1.0) -> Fit:
    """Return the prediction-powered mean at given weights.

    The variance is that of the sums over units of the linearised estimate, so that items of one
    unit may be alike in any way, and labelled and other items of one unit too. Two things keep
    it honest where labels are few. Every weight that was tuned on the labels costs a degree of
    freedom. And the labelled part is never below what independent items would give with one
    more disagreement among them, half of it in either direction: a judge with no mistake in 20
    labels may still make some.

    Args:
        sample: Values in [0, 1], or differences of such; at least as good as two labelled
            units more than there are columns.
        weights: Shape (columns,).
        tuned: Whether the weights came from this sample.
        doubt: How much of that disagreement is added.
    """
    import numpy as np

    n, others = len(sample.human), len(sample.other_judge)
    units = int(max(sample.unit.max(initial=-1), sample.other_unit.max(initial=-1))) + 1
    residuals = sample.human - sample.judge @ weights
    estimate, residuals = float(residuals.mean()), residuals - residuals.mean()
    labelled_units = as_good_as(sample.unit)
    lost = 1 + (len(weights) if tuned else 0)
    by_unit = np.bincount(sample.unit, residuals, units) / n
    by_unit *= np.sqrt(labelled_units / (labelled_units - lost))
    squares = float(residuals @ residuals)
    independent = squares / (n - lost) / n
    clustered = float(by_unit @ by_unit)
    floor = (squares + doubt) / (n + 2) / n
    of_labels = max(clustered, floor)
    variance, freedom = of_labels, labelled_units - lost
    if others and np.any(weights):
        scores = sample.other_judge @ weights
        estimate += float(scores.mean())
        judged_units = as_good_as(sample.other_unit)
        of_judge = np.bincount(sample.other_unit, scores - scores.mean(), units) / others
        if judged_units > 1:
            of_judge *= np.sqrt(judged_units / (judged_units - 1))
        part = float(of_judge @ of_judge)
        variance = max(floor, of_labels + part + 2 * float(by_unit @ of_judge))
        bottom = of_labels**2 / freedom + part**2 / max(1.0, judged_units - 1)
        freedom = (of_labels + part) ** 2 / bottom
    human = (n * float(sample.human.var()) + doubt) / (n + 2)
    return Fit(
        estimate,
        variance,
        int(freedom + 1e-9),  # rounding must not cost a whole one
        tuple(map(float, weights)),
        human,
        min(human, floor * n),
        max(1.0, clustered / independent) if independent else 1.0,
    )
