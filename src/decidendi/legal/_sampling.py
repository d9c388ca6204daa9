"""Seeded samples: balanced by gold, and confound-free (gold differs under target and control).

A sample depends on the seed and on the set of cases, not on their order in a file.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from decidendi.legal._question import LegalCase, Pair, Task

SEED = 42
"""The paper's seed (Sadhu et al., section 5)."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Chosen cases, and what stood in the way of choosing as many as asked.

    Attributes:
        cases: In seeded random order.
        missing: For each stratum that had too few cases, how many were lacking.
        without_gold: Cases left out since an authority that matters has no gold there.
    """

    cases: tuple[LegalCase, ...]
    missing: Mapping[str, int] = field(default_factory=dict)
    without_gold: int = 0


def balanced(
    cases: Iterable[LegalCase],
    task: Task,
    target: str,
    *,
    positives: int = 15,
    negatives: int = 15,
    seed: int = SEED,
) -> Sample:
    """Draw cases positive and negative under ``target`` (Sadhu et al., section 5: 15 and 15)."""
    _needs_positive(task)
    everything = list(cases)
    known = [case for case in everything if target in case.gold]
    strata = {
        "positive": [case for case in known if case.gold[target] == task.positive],
        "negative": [case for case in known if case.gold[target] != task.positive],
    }
    sizes = {"positive": positives, "negative": negatives}
    return _draw(strata, sizes, seed, len(everything) - len(known))


def confound_free(
    cases: Iterable[LegalCase],
    task: Task,
    pair: Pair,
    *,
    positives: int = 15,
    negatives: int = 15,
    seed: int = SEED,
) -> Sample:
    """Draw cases whose gold differs under target and control (Sadhu et al., section 4.2).

    On these a model that follows the authority must change its verdict. ``positives`` counts
    the cases that are positive under the target and so negative under the control.
    """
    _needs_positive(task)
    everything = list(cases)
    known = [c for c in everything if pair.target in c.gold and pair.control in c.gold]
    differing = [case for case in known if case.gold[pair.target] != case.gold[pair.control]]
    strata = {
        "positive": [case for case in differing if case.gold[pair.target] == task.positive],
        "negative": [case for case in differing if case.gold[pair.control] == task.positive],
    }
    sizes = {"positive": positives, "negative": negatives}
    return _draw(strata, sizes, seed, len(everything) - len(known))


def drawn(cases: Iterable[LegalCase], count: int, *, seed: int = SEED) -> Sample:
    """Draw ``count`` cases without regard to gold (CaseHOLD has no positive label)."""
    return _draw({"any": list(cases)}, {"any": count}, seed, 0)


def _needs_positive(task: Task) -> None:
    if task.positive is None:
        raise ValueError(f"{task.id} has no positive label: draw without balance")


def _draw(
    strata: Mapping[str, list[LegalCase]], sizes: Mapping[str, int], seed: int, without: int
) -> Sample:
    rng = random.Random(seed)  # noqa: S311 - a sample must be repeatable, not unpredictable
    chosen: list[LegalCase] = []
    missing = {}
    for name, pool in strata.items():
        ordered = sorted(pool, key=lambda case: case.id)
        if lacking := max(0, sizes[name] - len(ordered)):
            missing[name] = lacking
        chosen += rng.sample(ordered, min(sizes[name], len(ordered)))
    rng.shuffle(chosen)
    return Sample(tuple(chosen), missing, without)
