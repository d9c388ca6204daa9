"""Agreement beyond chance: Cohen's kappa of two, Krippendorff's alpha of any number.

Both are one minus what is observed over what chance gives, and undefined where chance gives
nothing: if only one class is ever said, agreement shows nothing. Their intervals are percentile
bootstraps over units; counts are summed by unit first, so a replicate is one product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from decidendi.stats._absent import Label
from decidendi.stats._confusion import compared, counted
from decidendi.stats._rate import LEVEL
from decidendi.stats._resample import Resampler

if TYPE_CHECKING:  # numpy doubles the time of `import decidendi`: functions import it
    from decidendi.stats._resample import Floats

Scale: TypeAlias = Literal["nominal", "ordinal"]
"""Whether labels merely differ, or have an order and may differ more or less."""

Weights: TypeAlias = Literal["none", "linear", "quadratic"]
"""How the seriousness of a disagreement grows with its distance in the order of labels."""

_FEW = "fewer than two labels"


@dataclass(frozen=True)
class Agreement:
    """A coefficient of agreement: 1 if perfect, 0 if as chance would have it.

    Attributes:
        coefficient: Its name.
        value: At most 1; negative where people and judge agree less than by chance.
        low: Lower end of the interval; None where there is none.
        high: Upper end, likewise.
        observed: The disagreement seen, per item (kappa) or pair of labels (alpha), weighted.
        expected: The disagreement that chance gives, likewise; never 0.
        n: How many items were compared.
        units: How many units they come from.
        undefined: How many replicates had a single class, and were left out.
        method: How the interval was made, in words for people.
        excluded: Items left out, by reason.
    """

    coefficient: str
    value: float
    low: float | None
    high: float | None
    observed: float
    expected: float
    n: int
    units: int
    undefined: int
    method: str
    excluded: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """Render as ``0.50 [0.37, 0.62]``."""
        if self.low is None or self.high is None:
            return f"{self.value:.2f}"
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


@dataclass(frozen=True)
class NoAgreement:
    """Agreement is undefined. Neither perfect nor none.

    Attributes:
        coefficient: The name of what is undefined.
        reason: Why, in words for people.
        n: How many items were compared.
        excluded: Items left out, by reason.
    """

    coefficient: str
    reason: str
    n: int
    excluded: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """Render as ``undefined (only one class)``."""
        return f"undefined ({self.reason})"


def cohen_kappa(
    human: Sequence[Label],
    judge: Sequence[Label],
    units: Sequence[Hashable] | None = None,
    *,
    labels: Sequence[str] | None = None,
    weights: Weights = "none",
    resampler: Resampler | None = None,
    level: float = LEVEL,
) -> Agreement | NoAgreement:
    """Return Cohen's kappa of two columns of labels.

    Args:
        human: What one says of each item.
        judge: What the other says, in the same order.
        units: The unit of each item; each its own where left out.
        labels: The classes, in order if ``weights`` needs one; those seen, sorted, where left out.
        weights: How disagreements count.
        resampler: The draws, over units that hold all of these.
        level: Confidence level.

    Raises:
        ValueError: if the columns differ in length, or a label is not among ``labels``.
    """
    import numpy as np

    _need_order(weights != "none", labels)
    of = list(range(len(human))) if units is None else list(units)
    pairs, left_out = compared(human, judge, of)
    classes = counted(pairs, left_out, labels).labels
    name = "Cohen's kappa" + ("" if weights == "none" else f", {weights} weights")
    size = len(classes)
    at = {label: i for i, label in enumerate(classes)}
    draws = resampler or Resampler(of)
    rows = [(unit, at[one] * size + at[other], 1.0) for one, other, unit in pairs]
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    power = {"none": 0, "linear": 1, "quadratic": 2}[weights]
    distance = np.where(apart > 0, apart**power, 0.0)

    def disagreement(totals: Floats) -> tuple[Floats, Floats]:
        table = totals.reshape(-1, size, size)
        n = np.maximum(table.sum(axis=(1, 2)), 1)
        chance = np.einsum("ri,rj,ij->r", table.sum(axis=2), table.sum(axis=1), distance)
        return np.einsum("rij,ij->r", table, distance) / n, chance / n**2

    found = _Found(name, len(pairs), len({unit for *_, unit in pairs}), left_out)
    return _with_interval(found, draws, _by_unit(draws, rows, size), disagreement, level)


def krippendorff_alpha(
    ratings: Sequence[Sequence[Label]],
    units: Sequence[Hashable] | None = None,
    *,
    scale: Scale = "nominal",
    labels: Sequence[str] | None = None,
    resampler: Resampler | None = None,
    level: float = LEVEL,
) -> Agreement | NoAgreement:
    """Return Krippendorff's alpha of several raters, not all of whom label every item.

    Args:
        ratings: The labels of each item, one per rater, absent ones among them or not. Who gave
            which does not matter. An item with fewer than two is left out, and counted.
        units: The unit of each item; each its own where left out.
        scale: Whether labels have an order; ``labels`` gives it.
        labels: The classes; those seen, sorted, where left out.
        resampler: The draws, over units that hold all of these.
        level: Confidence level.

    Raises:
        ValueError: if the lengths differ, or a label is not among ``labels``.
    """
    import numpy as np

    _need_order(scale == "ordinal", labels)
    of = list(range(len(ratings))) if units is None else list(units)
    if len(of) != len(ratings):
        raise ValueError(f"{len(ratings)} items, but {len(of)} units")
    given = [[label for label in row if isinstance(label, str)] for row in ratings]
    kept = [(row, unit) for row, unit in zip(given, of, strict=True) if len(row) > 1]
    few = len(given) - len(kept)
    classes = tuple(sorted({x for row in given for x in row}) if labels is None else labels)
    size = len(classes)
    at = {label: i for i, label in enumerate(classes)}
    rows = []
    for row, unit in kept:
        if unknown := sorted(set(row) - set(at)):
            raise ValueError(f"{unknown[0]!r} is not among the classes {', '.join(classes)}")
        seen = Counter(row)
        for one, times in seen.items():
            for other, again in seen.items():
                pairs = times * (again - (one == other)) / (len(row) - 1)
                rows.append((unit, at[one] * size + at[other], pairs))
    draws = resampler or Resampler(of)

    def disagreement(totals: Floats) -> tuple[Floats, Floats]:
        table = totals.reshape(-1, size, size)
        said = table.sum(axis=2)
        n = np.maximum(said.sum(axis=1), 2)
        distance = _ordinal(said) if scale == "ordinal" else 1 - np.eye(size)[None]
        chance = np.einsum("ri,rj,rij->r", said, said, np.broadcast_to(distance, table.shape))
        return (table * distance).sum(axis=(1, 2)) / n, chance / (n * (n - 1))

    left_out = {_FEW: few} if few else {}
    name = f"Krippendorff's alpha, {scale}"
    found = _Found(name, len(kept), len({unit for _, unit in kept}), left_out)
    return _with_interval(found, draws, _by_unit(draws, rows, size), disagreement, level)


@dataclass(frozen=True)
class _Found:
    """What every outcome says of the items it rests on."""

    coefficient: str
    n: int
    units: int
    excluded: Mapping[str, int]


def _with_interval(
    found: _Found,
    draws: Resampler,
    columns: Floats,
    disagreement: Callable[[Floats], tuple[Floats, Floats]],
    level: float,
) -> Agreement | NoAgreement:
    """Return one minus observed over expected, with a percentile interval over units.

    Args:
        found: The items.
        draws: The draws.
        columns: Counts of pairs of classes, shape (classes squared, 1, units).
        disagreement: Observed and expected, one per row of totals (rows, classes squared).
        level: Confidence level.
    """
    import numpy as np

    if not found.n:
        return NoAgreement(found.coefficient, "nothing to compare", 0, found.excluded)
    observed, expected = (x.item() for x in disagreement(columns.sum(axis=(1, 2))[None]))
    if expected <= 0:
        return NoAgreement(found.coefficient, "only one class", found.n, found.excluded)
    value = 1 - observed / expected
    low: float | None = None
    high: float | None = None
    undefined = 0
    if found.units == 1:
        method = "no interval: a single unit"
    elif observed == 0:
        method = "no interval: no disagreement was seen"
    else:
        seen, chance = disagreement(draws.totals(list(columns)))
        defined = chance > 0
        undefined = int((~defined).sum())
        values = 1 - seen[defined] / chance[defined]
        method = "no interval: no replicate has two classes"
        if len(values):
            low, high = map(float, np.quantile(values, [(1 - level) / 2, (1 + level) / 2]))
            over = f"{found.units:,} units, {draws.replicates:,} replicates"
            method = f"percentile bootstrap {level:.0%}, {over}"
    return Agreement(
        found.coefficient,
        value,
        low,
        high,
        observed,
        expected,
        found.n,
        found.units,
        undefined,
        method,
        found.excluded,
    )


def _by_unit(draws: Resampler, rows: Sequence[tuple[Hashable, int, float]], size: int) -> Floats:
    """Sum (unit, pair of classes, weight) to an array of shape (pairs of classes, 1, units)."""
    import numpy as np

    index = {unit: i for i, unit in enumerate(draws.units)}
    out = np.zeros((size * size, 1, len(draws.units)))
    for unit, pair, weight in rows:
        out[pair, 0, index[unit]] += weight
    return out


def _ordinal(said: Floats) -> Floats:
    """Return the squared ordinal distances, shape (rows, classes, classes).

    Between two classes lie all labels said of those in between, and half of their own.
    """
    import numpy as np

    middle = np.cumsum(said, axis=1) - said / 2
    distance: Floats = (middle[:, :, None] - middle[:, None, :]) ** 2
    return distance


def _need_order(ordered: bool, labels: Sequence[str] | None) -> None:
    if ordered and labels is None:
        raise ValueError("an order is needed: name the labels from least to most")
