"""The share of positives behind an imperfect judge, by its sensitivity and specificity."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from decidendi.stats._corrected import (
    Corrected,
    CorrectedRate,
    not_enough,
    spread_of,
    too_few,
)
from decidendi.stats._items import Items, Judgments, gather
from decidendi.stats._needed import HALF_WIDTH, Spread
from decidendi.stats._ppi import as_good_as
from decidendi.stats._rate import LEVEL
from decidendi.stats._student import t_quantile

if TYPE_CHECKING:  # numpy doubles the time of `import decidendi`: functions import it
    import numpy as np
    from numpy.typing import NDArray

    from decidendi.stats._resample import Floats

MIN_OF_CLASS = 5
"""Sensitivity and specificity each need this many labelled items."""

_WORST = Spread(0.25, 0.25)


@dataclass(frozen=True, eq=False)
class _Part:
    """A share of the judge's positives, smoothed, with what each unit adds to its error."""

    share: float
    smoothed: float
    by_unit: Floats
    lacking: float
    """What the variance by units lacks to that of independent items at the smoothed share."""


def rogan_gladen(
    judgments: Judgments,
    units: Sequence[Hashable] | None = None,
    *,
    half_width: float = HALF_WIDTH,
    level: float = LEVEL,
) -> CorrectedRate:
    """Return ``(q + sp - 1) / (se + sp - 1)``, cut to [0, 1], with its uncertainty.

    q is the judge's share of positives over all judged items; sensitivity se and specificity
    sp come from the labelled ones (Rogan & Gladen 1978). The interval holds the shares that
    are compatible with all three (Fieller), their errors summed over units, so that what they
    share is counted once; se and sp enter it smoothed by one item each way, after Lang &
    Reiczigel (2014). It has no weight to tune: with a poor judge it is far wider than
    ``corrected_rate``, and where the judge cannot be told from chance there is none.

    Args:
        judgments: Hits and misses: every value 0 or 1.
        units: The unit of each item; each its own where left out.
        half_width: What ``NotEnoughLabels.needed`` is computed for: the labels that
            ``corrected_rate`` would need, which are fewer.
        level: Confidence level.

    Raises:
        ValueError: if a value is neither 0 nor 1, or ``units`` has another length.
    """
    import numpy as np

    items = gather([("", judgments)], [1.0], units)
    sample = items.sample
    judge, others = sample.judge[:, 0], sample.other_judge[:, 0]
    if not all(bool(np.isin(column, (0, 1)).all()) for column in (sample.human, judge, others)):
        raise ValueError("Rogan-Gladen needs hits and misses, not shares")
    if (refusal := too_few(items, half_width, level, _WORST)) is not None:
        return refusal
    positives = sample.human == 1
    fewest = int(min(positives.sum(), (~positives).sum()))
    if fewest < MIN_OF_CLASS:
        why = (
            f"of {len(positives):,} labelled, {fewest} are of the rarer class, at least "
            f"{MIN_OF_CLASS} needed"
        )
        if fewest:
            why += f", as among about {-(-MIN_OF_CLASS * len(positives) // fewest):,} labelled"
        return not_enough(items, why, half_width, level, _WORST)
    se = _part(judge[positives], sample.unit[positives], items.units)
    sp = _part(1 - judge[~positives], sample.unit[~positives], items.units)
    every = np.concatenate([judge, others])
    q = _part(every, np.concatenate([sample.unit, sample.other_unit]), items.units)
    in_class = [as_good_as(sample.unit[mask]) for mask in (positives, ~positives)]
    freedom = max(1, int(min(in_class) - 1 + 1e-9))
    found = _fieller(q, se, sp, t_quantile(level, freedom))
    if found is None:
        why = "by these labels the judge cannot be told from chance"
        return not_enough(items, why, half_width, level, _WORST)
    return _made(items, q.share, se.share, sp.share, found, freedom, level)


def _part(hits: Floats, units: NDArray[np.intp], size: int) -> _Part:
    """Sum the errors of a share over units, with the small-sample factor of its units."""
    import numpy as np

    n = len(hits)
    share, smoothed = float(hits.mean()), float((hits.sum() + 1) / (n + 2))
    by_unit = np.bincount(units, hits - share, size) / n
    of = as_good_as(units)
    if of > 1:
        by_unit *= np.sqrt(of / (of - 1))
    independent = smoothed * (1 - smoothed) / n
    return _Part(share, smoothed, by_unit, max(0.0, independent - float(by_unit @ by_unit)))


def _fieller(q: _Part, se: _Part, sp: _Part, reach: float) -> tuple[float, float, float] | None:
    """Return the interval and the delta-method standard error.

    A share p is compatible if ``q + sp - 1 - p (se + sp - 1)`` is within ``reach`` of its
    standard errors from zero: a quadratic in p. None where the factor of p may be zero or
    less, or no share in [0, 1] is compatible.
    """
    top, bottom = q.share + sp.smoothed - 1, se.smoothed + sp.smoothed - 1
    of_top, of_bottom = q.by_unit + sp.by_unit, se.by_unit + sp.by_unit
    top_variance = float(of_top @ of_top) + q.lacking + sp.lacking
    bottom_variance = float(of_bottom @ of_bottom) + se.lacking + sp.lacking
    shared = float(of_top @ of_bottom) + sp.lacking
    a = bottom**2 - reach**2 * bottom_variance
    if bottom <= 0 or a <= 0:
        return None
    b = top * bottom - reach**2 * shared
    c = top**2 - reach**2 * top_variance
    root = max(0.0, b * b - a * c) ** 0.5
    low, high = max(0.0, (b - root) / a), min(1.0, (b + root) / a)
    if low >= high:
        return None
    p = min(1.0, max(0.0, top / bottom))
    variance = top_variance - 2 * p * shared + p * p * bottom_variance
    return low, high, max(0.0, variance) ** 0.5 / bottom


def _made(
    items: Items,
    q: float,
    se: float,
    sp: float,
    found: tuple[float, float, float],
    freedom: int,
    level: float,
) -> Corrected:
    low, high, standard_error = found
    estimate = min(1.0, max(0.0, (q + sp - 1) / (se + sp - 1)))
    return Corrected(
        estimate,
        min(low, estimate),
        max(high, estimate),
        standard_error,
        len(items.sample.human),
        items.judged,
        items.labelled_units,
        items.units,
        q,
        float(items.sample.human.mean()),
        (),
        spread_of(items.sample),
        f"Rogan-Gladen (sensitivity {se:.1%}, specificity {sp:.1%}), {level:.0%}, Fieller, "
        f"t with {freedom:,} degrees of freedom",
        items.excluded,
    )
