"""A few units of the real benchmark, so that tests need not wait for all 845."""

from collections import Counter

from decidendi.reasonbench import units

FEW = {"policy": 1, "logic": 2}
"""How many units of each split: a clause has five times the cases of a world."""


def few_units(seed):
    seen = Counter()
    for unit in units(seed):
        seen[unit.stratum, unit.split] += 1
        if seen[unit.stratum, unit.split] <= FEW[unit.stratum]:
            yield unit
