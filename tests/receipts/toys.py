"""Toy adjudicators for the tests of this room."""

from collections.abc import Callable
from random import Random

from decidendi.judgment import Identity, State, digest_of

KINDS = ("grounds", "norms", "authority")


def identity(**change):
    about = {
        "name": "toy",
        "engine": "python",
        "digest": digest_of("toy"),
        "verdicts": ("approve", "deny", "refer"),
        "kinds": KINDS,
    }
    return Identity(**{**about, **change})


def refunds(state: State) -> str:
    grounds, norms, authority = (state[kind] for kind in KINDS)
    if grounds["region"] not in authority:
        return "refer"
    return "approve" if grounds["days"] <= norms["window"] else "deny"


class Toy:
    """A deterministic adjudicator over a function; counts its batches and executions."""

    def __init__(self, decide: Callable[[State], object] = refunds, **change):
        self.identity = identity(**change)
        self.decide = decide
        self.batches: list[int] = []
        self.executed: list[State] = []

    def adjudicate(self, states):
        self.batches.append(len(states))
        self.executed.extend(states)
        return [self.decide(state) for state in states]


class Coin(Toy):
    """Says what the toy says with probability ``p``, else a uniformly drawn label."""

    def __init__(self, p: float, seed: int = 0, **change):
        super().__init__(deterministic=False, **change)
        self.p = p
        self.random = Random(seed)
        self.repeats: dict[State, list[int]] = {}

    def draw(self, states, repeats):
        out = []
        for state, repeat in zip(states, repeats, strict=True):
            self.repeats.setdefault(state, []).append(repeat)
            sure = self.random.random() < self.p
            out.append(refunds(state) if sure else self.random.choice(self.identity.verdicts))
        return out


class Table:
    """An adjudicator that reads its verdict from a cube: source contents are 0 and 1."""

    def __init__(self, cube, k):
        self.cube = cube
        self.identity = identity(
            kinds=tuple(f"kind{i}" for i in range(k)), verdicts=tuple(sorted(set(cube.values())))
        )

    def adjudicate(self, states):
        return [
            self.cube[sum(1 << i for i, source in enumerate(state) if source.content)]
            for state in states
        ]

    def end(self, value):
        return {kind: value for kind in self.identity.kinds}


OLD = {"grounds": {"region": "EU", "days": 20}, "norms": {"window": 14}, "authority": ["EU"]}
EITHER = {
    "grounds": {"region": "EU", "days": 10},
    "norms": {"window": 30},
    "authority": ["EU", "US"],
}
