"""Who goes where: every unit gets its split, family, depth and quotas before it is drawn.

The table of section 5.3, and what it implies. A clause has 96 cases, twelve per intervention
mask; a world has 19, seven of them with at most one revised source. The shift-only units are
three clauses of the operator shift (two of them with exception rules) and three of the language
shift, and 48 worlds each for language, structure and depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from decidendi.reasonbench._draw import Draw
from decidendi.reasonbench._logic_worlds import JOIN, WorldPlan
from decidendi.reasonbench._logic_worlds import ORDINARY as CHAIN
from decidendi.reasonbench._policy_worlds import (
    DOMAINS,
    EXCEPTION,
    ORDINARY,
    SINGLES_CHANGED,
    ClausePlan,
    clauses,
)
from decidendi.reasonbench._records import GoldCase, Split, Stratum

SEED = 20_938
"""The seed of the frozen benchmark."""

FROZEN = "sha256:9e3b9d18b1959bf827ebe4fa06f45a31e44a748b62d5f59775157390107cde3c"
"""The digest of the frozen benchmark: what ``SEED`` gives, on every machine."""

WORLDS: dict[Split, int] = {
    "train": 480,
    "calibration": 80,
    "locked": 96,
    "shift-language": 48,
    "shift-structural": 48,
    "shift-depth": 48,
}
CLAUSES_PER_DOMAIN: dict[Split, int] = {
    "train": 9,
    "calibration": 2,
    "locked": 2,
    "shift-operator": 1,
    "shift-language": 1,
}

# The published mix of the policy stratum, less the decisive single sources (14 of 36 in each
# clause): changed compositions, of these with minimum size two and three, and ambiguous ones.
# Locked and all-clause totals are published (section 5.3, table 4, section 7.8), the language
# total by section 7.9; each group's is shared out evenly over its clauses.
_LOCKED = (6, 200, 47, 5, 36)
_LANGUAGE = (3, 92, 20, 2, 18)
_ALL = (45, 2088 - 14 * 45, 293, 29, 270)

Holdout: TypeAlias = Literal["train", "test", "test-depth"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One independent unit and what was decided about it."""

    name: str
    stratum: Stratum
    split: Split
    plan: ClausePlan | WorldPlan

    @property
    def family(self) -> str:
        """The family of norms or of worlds."""
        return self.plan.family

    @property
    def depth(self) -> int:
        """The proof depth of a world; 0 for a clause."""
        return self.plan.depth if isinstance(self.plan, WorldPlan) else 0

    @property
    def rendering(self) -> str:
        """How its cases are put into words."""
        return "memo" if self.split == "shift-language" else "plain"


def units(seed: int = SEED) -> list[Unit]:
    """Assign every clause and world; clauses first, each stratum by name."""
    found = [*_clauses(seed), *_worlds(seed)]
    return sorted(found, key=lambda unit: (unit.stratum != "policy", unit.name))


def holdout(case: GoldCase) -> Holdout | None:
    """Return the part a main case has in the composition holdout (section 7.8), if any.

    Trained on at most one revised source, tested on two or three: on locked units, and on the
    units of greater depth.
    """
    if case.control is not None:
        return None
    composed = case.mask.bit_count() >= 2
    if case.split == "train" and not composed:
        return "train"
    if case.split == "locked" and composed:
        return "test"
    if case.split == "shift-depth" and composed:
        return "test-depth"
    return None


def _clauses(seed: int) -> Iterator[Unit]:
    draw = Draw(seed, "clauses")
    groups: dict[Split, list[str]] = {split: [] for split in CLAUSES_PER_DOMAIN}
    for domain in DOMAINS:
        names = draw.shuffled([c.id for c in clauses().values() if c.domain == domain])
        for split, n in CLAUSES_PER_DOMAIN.items():
            groups[split] += [names.pop() for _ in range(n)]
    ordinary = draw.pick(groups["shift-operator"])
    rest = tuple(a - b - c for a, b, c in zip(_ALL, _LOCKED, _LANGUAGE, strict=True))
    others = [name for split in groups for name in groups[split]]
    quotas: dict[str, tuple[int, ...]] = {}
    for split, totals in (("locked", _LOCKED), ("shift-language", _LANGUAGE)):
        for i, name in enumerate(groups[split]):
            quotas[name] = _share(totals, i)
            others.remove(name)
    quotas |= {name: _share(rest, i) for i, name in enumerate(others)}
    for split, names in groups.items():
        for name in names:
            held_out = split == "shift-operator" and name != ordinary
            plan = ClausePlan(name, EXCEPTION if held_out else ORDINARY, *quotas[name])
            yield Unit(name, "policy", split, plan)


def _share(totals: tuple[int, ...], i: int) -> tuple[int, ...]:
    """Return the i-th even share of each total; the first number is how many share."""
    n = totals[0]
    return tuple(total * (i + 1) // n - total * i // n for total in totals[1:])


def _worlds(seed: int) -> Iterator[Unit]:
    names = Draw(seed, "worlds").shuffled([f"world-{i:03}" for i in range(1, 801)])
    depths = {"shift-depth": (4, 5), "shift-structural": (2, 3)}
    for split, n in WORLDS.items():
        family = JOIN if split == "shift-structural" else CHAIN
        for i in range(n):
            name = names.pop()
            own = depths.get(split, (1, 2, 3))
            yield Unit(name, "logic", split, WorldPlan(name, own[i % len(own)], family))


SINGLES = sum(SINGLES_CHANGED.values())
assert SINGLES == 14, "the quotas above take 14 decisive single sources from every clause"
