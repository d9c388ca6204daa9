"""The hierarchical bootstrap by counts against plain resampling loops, in one run.

Five seeds x 2,400 cases of 102 units, 10,000 replicates, one metric. The loops get the very
draws of the fast way, so that all three must give the same numbers, not just similar ones.

    python benchmarks/hierarchical_bootstrap.py
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from decidendi.stats import Resampler

SEEDS, UNITS, CASES, REPLICATES = (11, 23, 37, 53, 71), 102, 2_400, 10_000
LOOPED, RUNS = 2_000, 9


def made_up() -> tuple[list[bool], list[int], list[int]]:
    """Return hits, units and seeds of 12,000 observations, units of unequal size and difficulty."""
    rng = np.random.default_rng(0)
    sizes = np.array([96] * 6 + [19] * 96)  # clauses and worlds of the locked split
    assert sizes.sum() == CASES
    of_case = np.repeat(np.arange(UNITS), sizes)
    skill = rng.beta(8, 1, UNITS)
    hits = rng.random((len(SEEDS), CASES)) < skill[of_case]
    units = np.tile(of_case, len(SEEDS))
    seeds = np.repeat(SEEDS, CASES)
    return hits.ravel().tolist(), units.tolist(), seeds.tolist()


def python_loop(
    hits: list[bool], units: list[int], seeds: list[int], resampler: Resampler, replicates: int
) -> list[float]:
    """Resample as one writes it first: go through the drawn seeds and units, collect cases."""
    cases: dict[tuple[int, int], list[bool]] = {}
    for hit, unit, seed in zip(hits, units, seeds, strict=True):
        cases.setdefault((seed, unit), []).append(hit)
    means = []
    for of_seeds, of_units in draws(resampler, replicates):
        sample: list[bool] = []
        for seed in of_seeds:
            for unit in of_units:
                sample.extend(cases[SEEDS[seed], unit])
        means.append(sum(sample) / len(sample))
    return means


def numpy_loop(
    hits: list[bool], units: list[int], resampler: Resampler, replicates: int
) -> list[float]:
    """Resample with one array index per replicate: the usual quick way."""
    table = np.array(hits).reshape(len(SEEDS), CASES)
    rows = [np.flatnonzero(np.array(units[:CASES]) == unit) for unit in range(UNITS)]
    means = []
    for of_seeds, of_units in draws(resampler, replicates):
        cases = np.concatenate([rows[unit] for unit in of_units])
        means.append(float(table[np.ix_(of_seeds, cases)].mean()))
    return means


def draws(
    resampler: Resampler, replicates: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Turn the first draws of a resampler back into lists of seeds and units."""
    out = []
    for of_seeds, of_units in resampler.weights():
        for s, u in zip(of_seeds, of_units, strict=True):
            out.append(
                (
                    np.repeat(np.arange(len(s)), s.astype(int)),
                    np.repeat(np.arange(len(u)), u.astype(int)),
                )
            )
            if len(out) == replicates:
                return out
    return out


def main() -> int:
    """Time the three ways, compare their numbers, print the ratios."""
    hits, units, seeds = made_up()
    resampler = Resampler(units, seeds, replicates=REPLICATES)
    resampler.rate(resampler.tally(hits, units, seeds))  # load numpy before timing

    took = []
    for _ in range(RUNS):
        start = perf_counter()
        tally = resampler.tally(hits, units, seeds)
        rate = resampler.rate(tally)
        took.append(perf_counter() - start)
    fast = median(took)
    totals = resampler.totals([tally.hits, tally.counts])
    means = totals[:, 0] / totals[:, 1]

    print(f"by counts      {fast:8.3f} s   (median of {RUNS}; summing 12,000 cases included)")
    print(f"               {rate}")
    agreed = True
    loops: dict[str, Callable[[], list[float]]] = {
        "plain loop": lambda: python_loop(hits, units, seeds, resampler, LOOPED),
        "indexing loop": lambda: numpy_loop(hits, units, resampler, LOOPED),
    }
    for name, loop in loops.items():
        start = perf_counter()
        looped = np.array(loop())
        slow = (perf_counter() - start) * REPLICATES / LOOPED
        same = bool(np.abs(looped - means[:LOOPED]).max() < 1e-12)
        agreed &= same
        print(
            f"{name:14s} {slow:8.2f} s   {slow / fast:6.0f} times as long "
            f"({LOOPED:,} replicates, scaled); same numbers: {same}"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory    {peak:8.0f} MB")
    return 0 if agreed and fast < 2 else 1


if __name__ == "__main__":
    sys.exit(main())
