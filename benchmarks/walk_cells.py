"""How many cells the walk executes, against the whole cube.

    python benchmarks/walk_cells.py [--tables 200]

Random cubes for k = 3 … 16 changed kinds, under four ways in which verdicts may depend on the
sources. "Interior" counts hybrids only, the endpoints being known to any method.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator

from decidendi.receipts import receipt_by_walk

Cube = dict[int, str]


def one_reason(k: int, rng: random.Random) -> Cube:
    """One random set of one to three kinds is what it takes."""
    target = sum(1 << i for i in rng.sample(range(k), rng.randint(1, min(3, k))))
    return {mask: "new" if mask & target == target else "old" for mask in range(1 << k)}


def either_reason(k: int, rng: random.Random) -> Cube:
    """Any of three random sets suffices."""
    sets = [sum(1 << i for i in rng.sample(range(k), rng.randint(1, min(3, k)))) for _ in range(3)]
    return {mask: "new" if any(mask & s == s for s in sets) else "old" for mask in range(1 << k)}


def noise(k: int, rng: random.Random) -> Cube:
    """Every hybrid is a fair coin: no structure at all."""
    cube = {mask: rng.choice(("old", "new")) for mask in range(1 << k)}
    return {**cube, 0: "old", (1 << k) - 1: "new"}


def all_needed(k: int, rng: random.Random) -> Cube:
    """Only the whole revision reproduces the verdict: the worst case."""
    return {mask: "old" if mask < (1 << k) - 1 else "new" for mask in range(1 << k)}


WORLDS: tuple[Callable[[int, random.Random], Cube], ...] = (
    one_reason,
    either_reason,
    noise,
    all_needed,
)


def measure(k: int, tables: int) -> Iterator[tuple[str, float, float]]:
    """Yield, per world, the mean share of interior cells executed and seconds per walk."""
    kinds = [f"k{i}" for i in range(k)]
    for world in WORLDS:
        rng = random.Random(k)
        executed, spent = 0, 0.0
        for _ in range(tables):
            cube = world(k, rng)
            start = time.perf_counter()
            executed += receipt_by_walk(cube, kinds)[1]
            spent += time.perf_counter() - start
        yield world.__name__, executed / tables / (2**k - 2), spent / tables


def main() -> None:
    """Print one row per k."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200, help="random cubes per k below 11")
    tables = parser.parse_args().tables
    print("interior cells executed by the walk, as a share of 2^k - 2 (and time of one walk)")
    print("  k " + "".join(f"{world.__name__:>24}" for world in WORLDS))
    for k in range(3, 17):
        row = measure(k, tables if k < 11 else max(3, tables // 2 ** (k - 9)))
        cells = "".join(f"{share:>13.1%} {1e3 * spent:8.2f}ms" for _, share, spent in row)
        print(f"{k:>3} {cells}", flush=True)


if __name__ == "__main__":
    main()
