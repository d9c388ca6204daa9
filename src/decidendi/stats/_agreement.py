"""Agreement beyond chance: Cohen's kappa of two, Krippendorff's alpha of any number.

Both are one minus what is observed over what chance gives, and undefined where chance gives
nothing: if only one class is ever said, agreement shows nothing. Their intervals are percentile
bootstraps over units; counts are summed by unit first, so a replicate is one product. Of two
raters both come from the same counts, and so from the same draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
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
            return f"{self.value:z.2f}"
        return f"{self.value:z.2f} [{self.low:z.2f}, {self.high:z.2f}]"


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
    _need_order(weights != "none", labels)
    counts, found = _two_raters(human, judge, units, labels, resampler)
    return _kappa(counts, found, weights, level)


def kappa_and_alpha(
    human: Sequence[Label],
    judge: Sequence[Label],
    units: Sequence[Hashable] | None = None,
    *,
    labels: Sequence[str] | None = None,
    resampler: Resampler | None = None,
    level: float = LEVEL,
) -> tuple[Agreement | NoAgreement, Agreement | NoAgreement]:
    """Return Cohen's kappa and Krippendorff's nominal alpha of two columns, from the same draws.

    Of two raters alpha needs no more than kappa's table. With n items, and m_c the labels c that
    either gave, what is seen is the share of items they differ on, and what chance gives is
    1 - sum of m_c (m_c - 1) / (2n (2n - 1)): two of all 2n labels, drawn without replacement
    (Krippendorff, Content Analysis, 2nd ed., section 11.3.1). Arguments and errors as for
    ``cohen_kappa``; both leave out the same items.
    """
    counts, found = _two_raters(human, judge, units, labels, resampler)

    def disagreement(totals: Floats) -> tuple[Floats, Floats]:
        import numpy as np

        table = totals.reshape(-1, counts.size, counts.size)
        said = table.sum(axis=1) + table.sum(axis=2)
        of = said.sum(axis=1)  # twice the items; 0 where a replicate has none
        alike = 2 * np.trace(table, axis1=1, axis2=2)
        chance = of * (of - 1) - (said * (said - 1)).sum(axis=1)
        n = np.maximum(of, 2)
        return (of - alike) / n, chance / (n * (n - 1))

    alpha = replace(found, coefficient="Krippendorff's alpha, nominal")
    return _kappa(counts, found, "none", level), _with_interval(alpha, counts, disagreement, level)


def _two_raters(
    human: Sequence[Label],
    judge: Sequence[Label],
    units: Sequence[Hashable] | None,
    labels: Sequence[str] | None,
    resampler: Resampler | None,
) -> tuple[_Counts, _Found]:
    """Count pairs of labels by unit, and say what was left out."""
    of = list(range(len(human))) if units is None else list(units)
    pairs, left_out = compared(human, judge, of)
    classes = counted(pairs, left_out, labels).labels
    at = {label: i for i, label in enumerate(classes)}
    rows = [(unit, at[one] * len(classes) + at[other], 1.0) for one, other, unit in pairs]
    found = _Found("Cohen's kappa", len(pairs), len({unit for *_, unit in pairs}), left_out)
    return _Counts(resampler or Resampler(of), rows, len(classes)), found


def _kappa(
    counts: _Counts, found: _Found, weights: Weights, level: float
) -> Agreement | NoAgreement:
    """Return kappa from the counts of pairs."""
    import numpy as np

    size = counts.size
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    power = {"none": 0, "linear": 1, "quadratic": 2}[weights]
    distance = np.where(apart > 0, apart**power, 0.0)

    def disagreement(totals: Floats) -> tuple[Floats, Floats]:
        table = totals.reshape(-1, size, size)
        n = np.maximum(table.sum(axis=(1, 2)), 1)
        chance = np.einsum("ri,rj,ij->r", table.sum(axis=2), table.sum(axis=1), distance)
        return np.einsum("rij,ij->r", table, distance) / n, chance / n**2

    name = found.coefficient + ("" if weights == "none" else f", {weights} weights")
    return _with_interval(replace(found, coefficient=name), counts, disagreement, level)


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
    counts = _Counts(resampler or Resampler(of), rows, size)
    return _with_interval(found, counts, disagreement, level)


@dataclass(frozen=True)
class _Found:
    """What every outcome says of the items it rests on."""

    coefficient: str
    n: int
    units: int
    excluded: Mapping[str, int]


class _Counts:
    """Counts of pairs of classes by unit, and what the draws make of them, drawn once."""

    def __init__(
        self, draws: Resampler, rows: Sequence[tuple[Hashable, int, float]], size: int
    ) -> None:
        """Sum (unit, pair of classes, weight) to shape (classes squared, 1, units)."""
        import numpy as np

        self.draws, self.size = draws, size
        index = {unit: i for i, unit in enumerate(draws.units)}
        self.columns = np.zeros((size * size, 1, len(draws.units)))
        for unit, pair, weight in rows:
            self.columns[pair, 0, index[unit]] += weight

    @property
    def totals(self) -> Floats:
        """All units together, shape (1, classes squared)."""
        whole: Floats = self.columns.sum(axis=(1, 2))[None]
        return whole

    @cached_property
    def drawn(self) -> Floats:
        """Every replicate's totals, shape (replicates, classes squared)."""
        return self.draws.totals(list(self.columns))


def _with_interval(
    found: _Found,
    counts: _Counts,
    disagreement: Callable[[Floats], tuple[Floats, Floats]],
    level: float,
) -> Agreement | NoAgreement:
    """Return one minus observed over expected, with a percentile interval over units.

    Args:
        found: The items.
        counts: Counts of pairs of classes.
        disagreement: Observed and expected, one per row of totals (rows, classes squared).
        level: Confidence level.
    """
    import numpy as np

    if not found.n:
        return NoAgreement(found.coefficient, "nothing to compare", 0, found.excluded)
    observed, expected = (x.item() for x in disagreement(counts.totals))
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
        seen, chance = disagreement(counts.drawn)
        defined = chance > 0
        undefined = int((~defined).sum())
        values = 1 - seen[defined] / chance[defined]
        method = "no interval: no replicate has two classes"
        if len(values):
            low, high = map(float, np.quantile(values, [(1 - level) / 2, (1 + level) / 2]))
            over = f"{found.units:,} units, {counts.draws.replicates:,} replicates"
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
