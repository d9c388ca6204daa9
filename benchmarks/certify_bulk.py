"""A bulk certification against a plain loop that executes all eight cells of every case.

    python benchmarks/certify_bulk.py [--cases 100000] [--engine python|rego|refunds] [--work 0]

Both sides read the same file with the same reader and decide with the same engine, one after
the other, each in a process of its own. The plain loop builds the eight hybrids of each case,
decides them in batches, derives the receipt by definition and writes one line per case. Certify
does all that a run does: walk, certificates with their digests, ledger, summary, page.

Two files: one whose states repeat (a few hundred distinct ones), one in which no two cases have
a state in common. ``--work`` makes each verdict of the Python evaluator cost so many more
microseconds, since what is gained depends on what a verdict costs. ``refunds`` is the shipped
example with its real policy, schema and local selection, its cases over and over under new ids.
Processor time is shown beside wall-clock time; ratios are of processor time, which other
processes disturb less.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

PYTHON = """
import time

WORK = {work}


def decide(grounds, norms, authority):
    if WORK:
        end = time.perf_counter() + WORK * 1e-6
        while time.perf_counter() < end:
            pass
    if grounds["region"] not in authority["regions"]:
        return "refer"
    if grounds["days"] > norms["days"] or grounds["cents"] > norms["cents"]:
        return "deny"
    return "approve"
"""

REGO = """package bench

default verdict := "deny"

verdict := "refer" if not input.grounds.region in input.authority.regions

verdict := "approve" if {{
	input.grounds.region in input.authority.regions
	input.grounds.days <= {days}
	input.grounds.cents <= {cents}
}}
"""

NORMS = {"v1": {"days": 30, "cents": 10_000}, "v2": {"days": 14, "cents": 20_000}}
REGIONS = {"v1": ["north", "south"], "v2": ["north", "east"]}


def write_evaluator(folder: Path, engine: str, work: float) -> None:
    """Write one version."""
    folder.mkdir()
    how = {"python": 'entry = "decide:decide"', "rego": 'query = "data.bench.verdict"'}[engine]
    norms = {"python": "norms.json", "rego": "norms.rego"}[engine]
    (folder / "evaluator.toml").write_text(
        f'name = "bench"\nversion = "{folder.name}"\nverdicts = ["approve", "deny", "refer"]\n'
        f'[adjudicator]\nengine = "{engine}"\n{how}\n[sources.grounds]\nfrom = "case"\n'
        f'[sources.norms]\nfiles = ["{norms}"]\n[sources.authority]\nfiles = ["authority.json"]\n'
    )
    if engine == "python":
        (folder / "decide.py").write_text(PYTHON.format(work=work))
        (folder / norms).write_text(json.dumps(NORMS[folder.name]))
    else:
        (folder / norms).write_text(REGO.format(**NORMS[folder.name]))
    (folder / "authority.json").write_text(json.dumps({"regions": REGIONS[folder.name]}))


def write_cases(path: Path, count: int, *, repeating: bool) -> None:
    """Write cases, about two thirds of which change their verdict."""
    rng = random.Random(7)

    def grounds(n: int) -> dict[str, Any]:
        made: dict[str, Any] = {
            "region": rng.choice(["north", "south", "east", "west"]),
            "days": rng.choice([5, 20, 40]),
            "cents": rng.choice([5_000, 15_000, 30_000]),
        }
        return made if repeating else {**made, "reference": f"r{n}"}

    with path.open("w") as stream:
        for n in range(count):
            old, new = grounds(2 * n), grounds(2 * n + 1)
            case = {"id": f"c{n}", "unit": f"u{n % 45}", "grounds": {"old": old, "revised": new}}
            stream.write(json.dumps(case) + "\n")


def write_refunds(folder: Path, cases: Path, count: int) -> None:
    """Put the shipped example there, with its cases repeated up to ``count``."""
    shipped = Path(__file__).parents[1] / "examples" / "refunds"
    for version in ("v1", "v2"):
        shutil.copytree(shipped / version, folder / version)
    lines = [json.loads(line) for line in (shipped / "cases.jsonl").open()]
    with cases.open("w") as stream:
        for n in range(count):
            stream.write(json.dumps({**lines[n % len(lines)], "id": f"c{n}"}) + "\n")


def plain(folder: Path, cases: Path, out: Path) -> None:
    """Execute all eight cells of every case."""
    from decidendi.evaluators import CaseRecord, load_evaluator, pair, read_cases
    from decidendi.judgment import State
    from decidendi.receipts import receipt_of_cube

    def transitions() -> Iterator[Any]:
        for record in read_cases(cases, both.case_kinds):
            assert isinstance(record, CaseRecord)
            yield both.transition(record)

    old, revised = load_evaluator(folder / "v1"), load_evaluator(folder / "v2")
    with pair(old, revised) as both, out.open("w") as stream:
        kinds = both.identity.kinds
        made = transitions()
        while chunk := list(islice(made, 1024)):
            states = [
                State([t.revised.sources[i] if m >> i & 1 else t.old.sources[i] for i in range(3)])
                for t in chunk
                for m in range(8)
            ]
            verdicts = both.adjudicator.adjudicate(states)
            for n, t in enumerate(chunk):
                cube = {m: str(verdicts[8 * n + m]) for m in range(8)}
                stream.write(f"{t.case.id}\t{receipt_of_cube(cube, kinds)}\n")


def certify(folder: Path, cases: Path, out: Path) -> None:
    """Certify in bulk."""
    from decidendi.certification import Options, certify_run
    from decidendi.evaluators import load_evaluator

    old, revised = load_evaluator(folder / "v1"), load_evaluator(folder / "v2")
    certify_run(old, revised, cases, out, Options(bulk=True))


def child(task: str, folder: Path, cases: Path, out: Path) -> None:
    """Do one task, and print what it took."""
    {"plain": plain, "certify": certify}[task](folder, cases, out)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "rss": used.ru_maxrss / 1024}))


def measured(task: str, folder: Path, cases: Path) -> dict[str, float]:
    """Run one task in a process of its own."""
    arguments = ["--child", task, str(folder), str(cases), str(folder / f"{task}-{cases.stem}")]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, *arguments], check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return {**found, "wall": time.perf_counter() - start}


def main() -> None:
    """Measure both files and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--engine", choices=["python", "rego", "refunds"], default="python")
    parser.add_argument("--work", type=float, default=0, help="microseconds a verdict costs")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        child(asked.child[0], *map(Path, asked.child[1:]))
        return
    print(f"{asked.cases:,} cases, {asked.engine}, {asked.work:g} µs of work in each verdict")
    print("states       loop cpu/wall s   certify cpu/wall s   loop/certify   cases/s   peak MB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.engine == "refunds":
            write_refunds(folder, folder / "shipped.jsonl", asked.cases)
            compare(folder, folder / "shipped.jsonl", asked.cases)
            return
        for version in ("v1", "v2"):
            write_evaluator(folder / version, asked.engine, asked.work)
        for repeating in (True, False):
            cases = folder / ("repeat.jsonl" if repeating else "unique.jsonl")
            write_cases(cases, asked.cases, repeating=repeating)
            compare(folder, cases, asked.cases)


def compare(folder: Path, cases: Path, count: int) -> None:
    """Measure both sides on one file, one after the other, and print a line."""
    loop, run = (measured(task, folder, cases) for task in ("plain", "certify"))
    print(
        f"{cases.stem:10} {loop['cpu']:8.1f} /{loop['wall']:6.1f} "
        f"{run['cpu']:11.1f} /{run['wall']:6.1f} {loop['cpu'] / run['cpu']:14.2f} "
        f"{count / run['cpu']:9,.0f} {run['rss']:9.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
