"""Verifying the certificates of a bulk run.

    python benchmarks/verify_bulk.py [--cases 100000]

Certifies a file in which no two cases share a state, then verifies the run: every certificate's
receipt derived from its cells, every digest, every Merkle root, the summary.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from certify_bulk import certify, write_cases, write_evaluator

from decidendi.certification import verify_run


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for version in ("v1", "v2"):
            write_evaluator(folder / version, "python", 0)
        write_cases(folder / "cases.jsonl", asked.cases, repeating=False)
        certify(folder, folder / "cases.jsonl", folder / "run")
        size = sum(p.stat().st_size for p in (folder / "run" / "segments").iterdir())
        wall, cpu = time.perf_counter(), time.process_time()
        found = verify_run(folder / "run")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert found.verified, found.problems
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{found.certificates:,} certificates verified in {wall:.1f} s ({cpu:.1f} s of processor "
        f"time), {found.certificates / cpu:,.0f}/s; {size / found.certificates:.0f} bytes each "
        f"on disk; peak {peak:.0f} MB, certifying included"
    )


if __name__ == "__main__":
    main()
