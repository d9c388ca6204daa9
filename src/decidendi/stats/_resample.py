"""The percentile bootstrap over seeds and units, by counts.

Units (clauses, worlds, persons) are the independent observations, and seeds are runs of the
same method on the same units; a replicate draws both with replacement, independently of each
other, and every metric of every method is computed from the same draw, which keeps pairs
(Chen & Zhang, section 6.3). Without seeds it is the ordinary cluster bootstrap.

A replicate needs only how often each seed and unit was drawn. Cases are therefore summed to
one number per seed and unit first, and a replicate's total is a product with those counts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from decidendi.stats._rate import LEVEL, Rate, wilson_interval, wilson_rate

if TYPE_CHECKING:  # numpy doubles the time of `import decidendi`: functions import it
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

_BLOCK = 1 << 17
"""Draws held at a time: about a megabyte, whatever the number of replicates."""

_PRODUCT = 1 << 18
"""Multiplications handed to BLAS at a time. OpenBLAS spreads larger products over threads and
waits for all of them, which takes five times as long where others use the cores too."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Hits and observations of one metric of one method, by seed and unit.

    Attributes:
        hits: Array of shape (seeds, units).
        counts: Array of the same shape: the denominators.
    """

    hits: Floats
    counts: Floats

    @property
    def total(self) -> tuple[int, int]:
        """Hits and observations over everything."""
        return int(self.hits.sum()), int(self.counts.sum())

    @property
    def by_seed(self) -> list[tuple[int, int]]:
        """Hits and observations of each seed."""
        pairs = zip(self.hits.sum(axis=1), self.counts.sum(axis=1), strict=True)
        return [(int(hits), int(count)) for hits, count in pairs]


@dataclass(frozen=True)
class Difference:
    """The first share minus the second, on the same seeds and units.

    Attributes:
        value: The difference, in [-1, 1]; None where either share is undefined.
        low: Lower end of the percentile interval; None where undefined.
        high: Upper end, likewise.
        p: Two-sided bootstrap p-value of "no difference"; None where undefined.
        units: How many units were resampled.
        undefined: How many replicates had an empty denominator, and were left out.
        method: How it was made, in words for people.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    units: int
    undefined: int
    method: str


class Resampler:
    """Draws of seeds and units, the same for every metric that is asked for.

    Draws depend on the number of seeds and units, the replicates and the random seed alone, so
    two resamplers with the same of each are paired.
    """

    def __init__(
        self,
        units: Sequence[Hashable],
        seeds: Sequence[Hashable] = ("",),
        *,
        replicates: int = 10_000,
        seed: int = 42,
    ) -> None:
        """Name the units and seeds; both are taken once each, in the order given."""
        if replicates < 1:
            raise ValueError("at least one replicate is needed")
        self.units = tuple(dict.fromkeys(units))
        self.seeds = tuple(dict.fromkeys(seeds))
        self.replicates = replicates
        self.seed = seed
        self._unit_index = {unit: i for i, unit in enumerate(self.units)}
        self._seed_index = {seed: i for i, seed in enumerate(self.seeds)}

    def tally(
        self,
        hits: Sequence[bool],
        units: Sequence[Hashable],
        seeds: Sequence[Hashable] | None = None,
    ) -> Tally:
        """Sum observations to one number per seed and unit.

        Args:
            hits: One per measured observation.
            units: The unit of each, which must be among this resampler's.
            seeds: The seed of each, likewise; may be left out where there is only one.
        """
        import numpy as np

        shape = len(self.seeds), len(self.units)
        if seeds is None:
            if len(self.seeds) > 1:
                raise ValueError("several seeds: say which each observation belongs to")
            seeds = [self.seeds[0]] * len(hits)
        rows = [
            self._seed_index[seed] * shape[1] + self._unit_index[unit]
            for seed, unit in zip(seeds, units, strict=True)
        ]
        cells = np.asarray(rows, dtype=np.int64)
        weights = np.asarray(hits, dtype=np.float64)
        size = shape[0] * shape[1]
        summed = np.bincount(cells, weights, minlength=size).reshape(shape)
        counted = np.bincount(cells, minlength=size).reshape(shape)
        return Tally(summed.astype(np.float64), counted.astype(np.float64))

    def weights(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield the draws in blocks: counts of shape (block, seeds) and (block, units).

        Each row of either sums to its number of columns. Every call yields the same draws.
        """
        import numpy as np

        # Streams of their own: the units drawn do not depend on how many seeds there are.
        of_seeds, of_units = np.random.default_rng(self.seed).spawn(2)
        step = max(1, _BLOCK // max(1, len(self.units)))
        for start in range(0, self.replicates, step):
            rows = min(step, self.replicates - start)
            yield _counts(of_seeds, rows, len(self.seeds)), _counts(of_units, rows, len(self.units))

    def totals(self, columns: Sequence[Floats]) -> Floats:
        """Return every replicate's total of every column.

        Args:
            columns: Arrays of shape (seeds, units).

        Returns:
            An array of shape (replicates, columns).
        """
        import numpy as np

        if not self.units or not self.seeds or not columns:
            return np.zeros((self.replicates, len(columns)))
        by_unit = np.stack(columns).reshape(-1, len(self.units)).T
        out = np.empty((self.replicates, len(columns)))
        step = max(1, _PRODUCT // max(1, by_unit.size))
        done = 0
        for seeds, units in self.weights():
            for start in range(0, len(units), step):
                by_seed = units[start : start + step] @ by_unit
                rows = by_seed.reshape(-1, len(columns), len(self.seeds))
                stop = start + len(rows)
                np.einsum("rcs,rs->rc", rows, seeds[start:stop], out=out[done : done + len(rows)])
                done += len(rows)
        return out

    def rate(
        self, tally: Tally, *, excluded: Mapping[str, int] | None = None, level: float = LEVEL
    ) -> Rate:
        """Return the pooled share of a tally with its percentile interval over seeds and units."""
        return self.rates([tally], excluded=excluded, level=level)[0]

    def rates(
        self,
        tallies: Sequence[Tally],
        *,
        excluded: Mapping[str, int] | None = None,
        level: float = LEVEL,
    ) -> list[Rate]:
        """Return the rates of several tallies from one pass over the draws.

        Where every unit is all hits, or every unit all misses, no resample differs from the
        sample and a bootstrap would claim certainty: the interval is then Wilson's with as many
        observations as there are units that have any.
        """
        left_out = dict(excluded or {})
        shares = _shares(self.totals([a for t in tallies for a in (t.hits, t.counts)]))
        out = []
        for i, tally in enumerate(tallies):
            hits, n = tally.total
            low: float | None = None
            high: float | None = None
            observed = int((tally.counts.sum(axis=0) > 0).sum())
            if n == 0:
                method = "undefined: nothing measured"
            elif hits in (0, n):
                low, high = wilson_interval(observed * (hits > 0), observed, level=level)
                method = f"Wilson {level:.0%}, {_counted(observed, 'unit')}"
            elif observed == 1:
                method = "no interval: a single unit"
            else:
                low, high = _percentiles(shares[:, i], level) or (None, None)
                method = self._method(observed, level)
            out.append(Rate(hits, n, low, high, method, left_out))
        return out

    def difference(self, first: Tally, second: Tally, *, level: float = LEVEL) -> Difference:
        """Return the first share minus the second, on the same draws."""
        units = int(((first.counts + second.counts).sum(axis=0) > 0).sum())
        (a, n), (b, m) = first.total, second.total
        if not n or not m:
            why = "undefined: nothing measured"
            return Difference(None, None, None, None, units, self.replicates, why)
        value = a / n - b / m
        if units == 1:
            return Difference(value, None, None, None, 1, 0, "no interval: a single unit")
        shares = _shares(self.totals([first.hits, first.counts, second.hits, second.counts]))
        gaps = shares[:, 0] - shares[:, 1]
        gaps = gaps[gaps == gaps]  # NaN: an empty denominator
        undefined = self.replicates - len(gaps)
        ends = _percentiles(gaps, level)
        if ends is None:
            why = "no interval: no replicate has both shares"
            return Difference(value, None, None, None, units, undefined, why)
        method = self._method(units, level)
        return Difference(value, *ends, bootstrap_p(gaps), units, undefined, method)

    def _method(self, units: int, level: float) -> str:
        over = _counted(units, "unit")
        if len(self.seeds) > 1:
            over = f"{_counted(len(self.seeds), 'seed')} and {over}"
        return f"percentile bootstrap {level:.0%}, {over}, {self.replicates:,} replicates"


def bootstrap_p(differences: Floats) -> float:
    """Return the two-sided p-value of "no difference" from bootstrap differences.

    Twice the smaller share of replicates at or beyond zero, the sample itself counted as one,
    so that it is never zero and at least ``2 / (replicates + 1)``.
    """
    below, above = int((differences <= 0).sum()), int((differences >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(differences) + 1))


def paired_difference(
    first: Sequence[bool],
    second: Sequence[bool],
    units: Sequence[Hashable] | None = None,
    *,
    seed: int = 42,
    replicates: int = 10_000,
    level: float = LEVEL,
) -> Difference:
    """Return the first share minus the second, both measured on the same cases, in order."""
    of = list(units) if units is not None else list(range(len(first)))
    resampler = Resampler(of, replicates=replicates, seed=seed)
    return resampler.difference(
        resampler.tally(first, of), resampler.tally(second, of), level=level
    )


def bootstrap_rate(
    hits: Sequence[bool],
    units: Sequence[Hashable] | None = None,
    *,
    excluded: Mapping[str, int] | None = None,
    seed: int = 42,
    replicates: int = 10_000,
    level: float = LEVEL,
) -> Rate:
    """Return the share of ``hits`` with a percentile bootstrap interval over units.

    Args:
        hits: One per measured observation.
        units: The unit of each, in the same order; each its own where left out.
        excluded: How many observations were left out, by reason.
        seed: Seed of the draws.
        replicates: How many resamples are drawn.
        level: Confidence level.
    """
    of = list(units) if units is not None else list(range(len(hits)))
    if not of:
        return Rate(0, 0, None, None, "undefined: nothing measured", dict(excluded or {}))
    resampler = Resampler(of, replicates=replicates, seed=seed)
    return resampler.rate(resampler.tally(hits, of), excluded=excluded, level=level)


def rate(
    hits: Sequence[bool],
    units: Sequence[Hashable] | None = None,
    *,
    excluded: Mapping[str, int] | None = None,
    seed: int = 42,
    replicates: int = 10_000,
    level: float = LEVEL,
) -> Rate:
    """Return the share of ``hits``, with an interval that respects the units.

    Independent observations (no units, or each its own) get Wilson's interval; clustered ones
    a percentile bootstrap over units. Arguments as for ``bootstrap_rate``.
    """
    if units is not None and len(units) != len(hits):
        raise ValueError(f"{len(hits)} observations, but {len(units)} units")
    if units is None or len(set(units)) == len(hits):
        return wilson_rate(sum(map(bool, hits)), len(hits), excluded=excluded, level=level)
    return bootstrap_rate(
        hits, units, excluded=excluded, seed=seed, replicates=replicates, level=level
    )


def _counts(rng: np.random.Generator, rows: int, n: int) -> Floats:
    """Draw ``rows`` multinomial counts over ``n`` equal chances, n draws each.

    Counting uniform draws is three to ten times faster than ``rng.multinomial``, which draws a
    binomial per column.
    """
    import numpy as np

    drawn = rng.integers(0, n, size=(rows, n))
    drawn += np.arange(0, rows * n, n)[:, None]
    counts: Floats = np.bincount(drawn.ravel(), minlength=rows * n).astype(np.float64)
    return counts.reshape(rows, n)


def _shares(totals: Floats) -> Floats:
    """Divide columns 0, 2, … by columns 1, 3, …; NaN where the denominator is empty."""
    import numpy as np

    hits, counts = totals[:, 0::2], totals[:, 1::2]
    shares: Floats = np.divide(hits, counts, out=np.full(hits.shape, np.nan), where=counts > 0)
    return shares


def _percentiles(values: Floats, level: float) -> tuple[float, float] | None:
    """Return the ends of the percentile interval; None if no replicate has a value."""
    import numpy as np

    defined = values[values == values]  # NaN: the replicate's denominator was empty
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")
