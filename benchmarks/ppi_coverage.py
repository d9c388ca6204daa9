"""How often the intervals of corrected rates hold the truth, by simulation.

Worlds are drawn with a known rate, a judge of known quality, and labels by people on a few
items; each interval is asked whether it holds the rate. Also printed: how often an answer was
given at all (below the least labels there is none), and the mean half-width of those given.

    python benchmarks/ppi_coverage.py [--worlds 100] [--only corrected] [--design whole]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from decidendi.stats import (
    CorrectedRate,
    Judgments,
    NotEnoughLabels,
    corrected_difference,
    corrected_rate,
    labels_needed,
    rogan_gladen,
)

Floats = NDArray[np.float64]

LABELLED = 20, 50, 100, 300
JUDGED = 1_000
JUDGES = {"good": (0.95, 0.95), "mediocre": (0.8, 0.7), "useless": (0.5, 0.5)}
"""Sensitivity and specificity."""
RATES = 0.7, 0.05
ALIKE = 0.3
"""Correlation within units, of the truth and of the judge's mistakes."""
GAP = 0.15
"""Accuracy less correctness in the worlds for differences: accuracy 0.7, correctness 0.55."""


@dataclass(frozen=True)
class Design:
    """How items form units, and which of them people label.

    Attributes:
        name: In words for people.
        sizes: The sizes of units, repeated until there are enough items.
        label: "items" or "units" at random, or "flagged": items the judge calls hits come
            first, which no method here allows.
    """

    name: str
    sizes: tuple[int, ...]
    label: str


DESIGNS = (
    Design("independent items", (1,), "items"),
    Design("units of 5, items labelled", (5,), "items"),
    Design("units of 5, whole units labelled", (5,), "units"),
    Design("units of 1 to 20, whole units labelled", (1, 1, 1, 2, 20), "units"),
    Design("independent, labelled where flagged", (1,), "flagged"),
)


@dataclass(frozen=True, eq=False)
class World:
    """One drawn world: the truth, the judge, what else is known, and who was labelled."""

    truth: Floats
    judge: Floats
    accurate: Floats
    units: NDArray[np.int64]
    labelled: NDArray[np.bool_]

    def judgments(self) -> Judgments:
        """Return what an analysis would see."""
        rows = zip(self.truth.tolist(), self.labelled.tolist(), strict=True)
        return Judgments(self.judge.tolist(), [value if seen else None for value, seen in rows])


def chances(rng: np.random.Generator, p: float, sizes: Floats) -> Floats:
    """Return each item's chance: a beta draw for its unit, or p where units are single items."""
    if sizes.max() == 1:
        return np.full(len(sizes), p)
    k = 1 / ALIKE - 1
    return np.repeat(rng.beta(p * k, (1 - p) * k, len(sizes)), sizes.astype(int))


def draw(
    rng: np.random.Generator, design: Design, rate: float, judge: tuple[float, float], n: int
) -> World:
    """Draw a world. Where truth is correctness, some further items are accurate only."""
    sizes = np.resize(np.array(design.sizes, dtype=np.float64), JUDGED)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), JUDGED)) + 1]
    units = np.repeat(np.arange(len(sizes)), sizes.astype(int))
    truth = rng.random(len(units)) < chances(rng, rate, sizes)
    found, spared = (chances(rng, quality, sizes) for quality in judge)
    judged = np.where(truth, rng.random(len(units)) < found, rng.random(len(units)) >= spared)
    lucky = rng.random(len(units)) < GAP / (1 - rate)
    order = rng.permutation(len(units))
    if design.label == "units":
        order = np.argsort(rng.permutation(len(sizes))[units], kind="stable")
    elif design.label == "flagged":
        order = order[np.argsort(~judged[order], kind="stable")]
    labelled = np.zeros(len(units), dtype=np.bool_)
    labelled[order[:n]] = True
    if design.label == "units":  # a unit is labelled as a whole or not at all
        labelled = np.isin(units, units[order[:n]])
    return World(
        truth.astype(np.float64),
        judged.astype(np.float64),
        (truth | lucky).astype(np.float64),
        units,
        labelled,
    )


def textbook(world: World) -> tuple[float, float]:
    """Return the interval of PPI++ as published: normal, items independent, nothing added."""
    y, f, g = (
        world.truth[world.labelled],
        world.judge[world.labelled],
        world.judge[~world.labelled],
    )
    n, others = len(y), len(g)
    pooled = float(np.concatenate([f, g]).var(ddof=1))
    shared = float(((y - y.mean()) * (f - f.mean())).mean())
    weight = min(1.0, max(0.0, shared / ((1 + n / others) * pooled))) if pooled else 0.0
    centre = float((y - weight * f).mean() + weight * g.mean())
    error = float((y - weight * f).var() / n + (weight * g).var() / others) ** 0.5
    reach = NormalDist().inv_cdf(0.975) * error
    return centre - reach, centre + reach


def ends(found: CorrectedRate) -> tuple[float, float] | None:
    """Return the interval, if there is one."""
    return None if isinstance(found, NotEnoughLabels) else (found.low, found.high)


def gap(world: World) -> CorrectedRate:
    """Estimate accuracy less correctness."""
    known = Judgments.known(world.accurate.tolist())
    return corrected_difference(known, world.judgments(), world.units.tolist())


METHODS: dict[str, Callable[[World], tuple[float, float] | None]] = {
    "textbook PPI++": textbook,
    "corrected": lambda w: ends(corrected_rate(w.judgments(), w.units.tolist())),
    "classical": lambda w: ends(
        corrected_rate(w.judgments(), w.units.tolist(), weighting="classical")
    ),
    "labels alone": lambda w: ends(
        corrected_rate(w.judgments(), w.units.tolist(), weighting="labels alone")
    ),
    "Rogan-Gladen": lambda w: ends(rogan_gladen(w.judgments(), w.units.tolist())),
    "gap": lambda w: ends(gap(w)),
}


def settings() -> Iterator[tuple[Design, str, float]]:
    """Yield every design with every judge and rate."""
    for design in DESIGNS:
        for judge in JUDGES:
            for rate in RATES:
                yield design, judge, rate


def covered(
    method: str, design: Design, judge: str, rate: float, n: int, worlds: int
) -> tuple[float, float, float]:
    """Return coverage among answers, share answered, and mean half-width, as percentages."""
    rng = np.random.default_rng(n)  # every method and judge sees the same worlds
    goal = rate
    if method == "gap":
        rate, goal = rate - GAP, GAP
    hits = answers = 0
    width = 0.0
    for _ in range(worlds):
        found = METHODS[method](draw(rng, design, rate, JUDGES[judge], n))
        if found is not None:
            answers += 1
            hits += found[0] <= goal <= found[1]
            width += (found[1] - found[0]) / 2
    if not answers:
        return float("nan"), 0.0, float("nan")
    return 100 * hits / answers, 100 * answers / worlds, 100 * width / answers


def planned(worlds: int) -> None:
    """Print what the planned number of labels gives."""
    print("\nplanned for a half-width of 5 points, independent items, rate 0.7")
    for judge, quality in JUDGES.items():
        rng = np.random.default_rng(0)
        pilot = corrected_rate(draw(rng, DESIGNS[0], 0.7, quality, 300).judgments())
        assert not isinstance(pilot, NotEnoughLabels)
        needed = labels_needed(0.05, pilot.spread, judged=JUDGED)
        if needed.labels is None:
            print(f"  {judge:10s} {needed}")
            continue
        _, _, width = covered("corrected", DESIGNS[0], judge, 0.7, needed.labels, worlds)
        print(f"  {judge:10s} {needed}; got ±{width:.1f}")


def main() -> int:
    """Print one table per design."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=100, help="drawn per figure")
    parser.add_argument("--only", choices=METHODS, help="one method")
    parser.add_argument("--design", default="", help="designs whose name contains this")
    given = parser.parse_args()
    start = perf_counter()
    shown = None
    for design, judge, rate in settings():
        if given.design not in design.name:
            continue
        if design.name != shown:
            shown = design.name
            print(f"\n{shown}: coverage % (answered %, ± points) with {LABELLED} labelled")
        for method in [given.only] if given.only else METHODS:
            if method == "gap" and rate <= GAP:
                continue
            cells = [covered(method, design, judge, rate, n, given.worlds) for n in LABELLED]
            row = "  ".join(f"{c:5.1f} ({a:3.0f}, {w:4.1f})" for c, a, w in cells)
            print(f"  {judge:9s} {rate:4.2f} {method:15s} {row}", flush=True)
    planned(given.worlds)
    error = 100 * (0.95 * 0.05 / given.worlds) ** 0.5
    print(f"\n{given.worlds} worlds a figure: ±{error:.1f} points (standard error) at 95%")
    print(f"{perf_counter() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
