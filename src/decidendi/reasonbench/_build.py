"""Building the whole benchmark, the same on every machine."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from decidendi.judgment import JSON
from decidendi.reasonbench._mix import Mix
from decidendi.reasonbench._policy_worlds import clauses
from decidendi.reasonbench._rows import rows_of, sources_of
from decidendi.reasonbench._splits import SEED, Unit, units
from decidendi.reasonbench._store import (
    SCHEMAS,
    TableWriter,
    core_of,
    ready_folder,
    write_manifest,
)


def build_benchmark(out: Path, *, seed: int = SEED) -> str:
    """Build every unit, case and control into ``out``; return the one digest.

    An old manifest is removed first and the new one written last, so a folder with a manifest
    is a whole benchmark.

    Args:
        out: The folder; made if it is not there.
        seed: Another seed makes another benchmark, with another digest.

    Raises:
        BadInputError: if ``out`` cannot hold a benchmark.
    """
    ready_folder(out)
    mix = Mix()
    with ExitStack() as stack:
        writers = {name: stack.enter_context(TableWriter(out, name)) for name in SCHEMAS}
        written: set[str] = set()
        for unit in units(seed):
            main, controls = rows_of(unit, seed)
            writers["units"].write(_unit_row(unit, len(main), len(controls)))
            for name, rows in (("cases", main), ("controls", controls)):
                for row in rows:
                    writers[name].write(row.as_json())
            for row in main:
                mix.add(row.gold)
            for source in sources_of([*main, *controls]):
                if source.digest not in written:  # worlds share lists of authoritative rules
                    written.add(source.digest)
                    content: JSON = source.data.decode()
                    writers["sources"].write(
                        {"kind": source.kind, "digest": source.digest, "content": content}
                    )
    tables: dict[str, dict[str, JSON]] = {
        name: {"rows": writer.rows, "digest": writer.digest} for name, writer in writers.items()
    }
    return write_manifest(out, {"core": core_of(seed, tables), "mix": mix.as_json()})


def _unit_row(unit: Unit, cases: int, controls: int) -> dict[str, JSON]:
    clause = clauses().get(unit.name)
    return {
        "unit": unit.name,
        "stratum": unit.stratum,
        "split": unit.split,
        "family": unit.family,
        "depth": unit.depth,
        "cases": cases,
        "controls": controls,
        "restates": clause.source if clause else None,
    }
