"""What the audit costs besides the model: cases through the plain engine and through Inspect.

    python benchmarks/audit_overhead.py [CASES]

Cases are drawn from executable law and put to the scripted model under six conditions.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from decidendi.audit import Engine, FunctionEngine, Options, Ready, ScriptedModel, audit, prepared
from decidendi.audit._finish import finish  # the measures are a stage of their own here
from decidendi.audit._inspect import InspectEngine, generate_config
from decidendi.audit._plan import plan
from decidendi.audit._run import identity


def timed(what: str, work: Callable[[], object], calls: int) -> None:
    """Run some work and print how long it took."""
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    print(f"{what:28}{seconds:8.2f} s{1000 * seconds / calls:9.2f} ms a call")


def main(cases: int) -> None:
    """Time each stage once."""
    options = Options(task="law", n=cases)
    ready: Ready = prepared(options)
    calls = sum(len(each.calls) for each in plan(ready.design, ready.cases))
    print(f"{cases:,} cases, {calls:,} calls")
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        plain: Engine = FunctionEngine(ScriptedModel(ready.design.task), "scripted")
        config = generate_config(seed=42, max_tokens=64, logprobs=False)
        through = InspectEngine("scripted/law", logs=root / "logs", config=config, options=options)
        timed("plans", lambda: list(plan(ready.design, ready.cases)), calls)
        timed("plain engine", lambda: audit(ready.design, ready.cases, plain, root / "a"), calls)
        timed("the same again: nothing to do",
              lambda: audit(ready.design, ready.cases, plain, root / "a"), calls)  # fmt: skip
        timed(
            "through Inspect", lambda: audit(ready.design, ready.cases, through, root / "b"), calls
        )
        records = audit(ready.design, ready.cases, plain, root / "a").records
        about = identity(ready.design, ready.cases, plain, "law")
        timed("measures, summary and page",
              lambda: finish(ready, {"scripted": records}, about, root / "a"), calls)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
