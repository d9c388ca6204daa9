"""What the benchmark is made of, beside what the published one is made of."""

from __future__ import annotations

from collections import Counter
from math import log2

from decidendi.judgment import JSON
from decidendi.reasonbench._records import GoldCase
from decidendi.reasonbench._splits import holdout

EXPECTED_CASES: dict[tuple[str, str], int] = {
    ("policy", "train"): 2592,
    ("policy", "calibration"): 576,
    ("policy", "locked"): 576,
    ("policy", "shift-operator"): 288,
    ("policy", "shift-language"): 288,
    ("logic", "train"): 9120,
    ("logic", "calibration"): 1520,
    ("logic", "locked"): 1824,
    ("logic", "shift-language"): 912,
    ("logic", "shift-structural"): 912,
    ("logic", "shift-depth"): 912,
}
"""Main cases by stratum and split (Chen & Zhang, section 5.3)."""

PUBLISHED: dict[str, int] = {
    "cases": 19520,
    "changed": 10888,
    "stable": 8632,
    "size 1": 7366,
    "size 2": 2693,
    "size 3": 829,
    "ambiguous": 3470,
    "locked: cases": 2400,
    "locked: changed": 1340,
    "locked: size 1": 904,
    "locked: size 2": 335,
    "locked: size 3": 101,
    "locked: ambiguous": 420,
    "composition: cases": 1440,
    "composition: changed": 968,
    "composition with depth: cases": 576,
    "composition with depth: changed": 384,
    "operator: exception rules": 192,
}
"""Sections 5.3, 7.4, 7.5 and 7.8."""


class Mix:
    """Counts main cases by everything the published mix is given by."""

    def __init__(self) -> None:
        self.figures: Counter[str] = Counter()
        self.by_split: Counter[tuple[str, str]] = Counter()
        self.verdicts: Counter[tuple[str, str]] = Counter()
        self.by_depth: Counter[tuple[int, str]] = Counter()
        self.masks: Counter[int] = Counter()

    def add(self, case: GoldCase) -> None:
        """Count one main case."""
        self.by_split[case.stratum, case.split] += 1
        self.verdicts[case.split, case.revised] += 1
        self.masks[case.mask] += 1
        if case.stratum == "logic":
            self.by_depth[case.depth, case.revised] += 1
        scopes = ["", *(["locked: "] if case.split == "locked" else [])]
        for scope in scopes:
            self.figures[f"{scope}cases"] += 1
            self.figures[f"{scope}{'changed' if case.changed else 'stable'}"] += 1
            if case.changed:
                self.figures[f"{scope}size {case.size}"] += 1
                self.figures[f"{scope}ambiguous"] += case.ambiguous
        if (part := holdout(case)) in ("test", "test-depth"):
            name = "composition" if part == "test" else "composition with depth"
            self.figures[f"{name}: cases"] += 1
            self.figures[f"{name}: changed"] += case.changed
        if case.family == "exception":
            self.figures["operator: exception rules"] += 1

    def as_json(self) -> dict[str, JSON]:
        """Return our figures beside the published ones, and the balance of verdicts."""
        beside: dict[str, JSON] = {
            name: {"ours": self.figures[name], "published": PUBLISHED.get(name)}
            for name in sorted(set(PUBLISHED) | set(self.figures))
        }
        return {
            "figures": beside,
            "revised verdicts": {
                f"{split}: {verdict}": n for (split, verdict), n in sorted(self.verdicts.items())
            },
            "masks": {str(mask): n for mask, n in sorted(self.masks.items())},
            "depth by revised verdict": {
                f"{depth}: {verdict}": n for (depth, verdict), n in sorted(self.by_depth.items())
            },
            "bits that depth tells of the verdict": f"{information(self.by_depth):.6f}",
        }


def information(table: Counter[tuple[int, str]]) -> float:
    """Return the mutual information of the two parts of the keys, in bits; 0 for none.

    Zero if depth is independent of the verdict; the plug-in estimate is never below zero.
    """
    total = sum(table.values())
    rows: Counter[int] = Counter()
    columns: Counter[str] = Counter()
    for (row, column), n in table.items():
        rows[row] += n
        columns[column] += n
    parts = (
        n / total * log2(n * total / (rows[row] * columns[column]))
        for (row, column), n in table.items()
        if n
    )
    return max(0.0, sum(parts))
