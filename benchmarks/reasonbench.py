"""How long ReasonBench takes to build and to audit, and what the surface baselines reach.

    python benchmarks/reasonbench.py [--baselines]

Wall and processor seconds, and the peak memory so far in MB.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from decidendi.reasonbench import (
    FROZEN,
    Scorer,
    audit_benchmark,
    baselines,
    build_benchmark,
    diagnostics,
    read_gold,
)

_T = TypeVar("_T")


def timed(what: str, work: Callable[[], _T]) -> _T:
    """Run ``work`` and print what it took."""
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:10} {wall:6.1f} s wall, {processor:6.1f} s processor, {peak:5.0f} MB")
    return result


def main() -> None:
    """Build, audit, and if asked fit the baselines."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        digest = timed("build", lambda: build_benchmark(folder))
        print(f"           {digest} {'is' if digest == FROZEN else 'is NOT'} the frozen one")
        audit = timed("audit", lambda: audit_benchmark(folder))
        print(f"           {len(audit.problems)} problems")
        if "--baselines" in sys.argv:
            surface = timed("baselines", lambda: baselines(folder))
            gold = read_gold(folder)
            table = diagnostics([Scorer(own, gold) for own in surface], gold)
            for row in table.texts:
                print("           " + " | ".join(row))


if __name__ == "__main__":
    main()
