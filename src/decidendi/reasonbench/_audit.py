"""The independent audit: nothing in a benchmark is believed because the builder wrote it.

Every cell is executed again by engines that share no code with the adjudicators; every receipt,
target, control, split, count and digest is derived again from what is stored, and every prompt
put into words again from the stored sources, by the templates that wrote it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from decidendi.judgment import JSON, canonical_bytes, digest_of, parse_json, sha256
from decidendi.reasonbench._executors import Cell, by_clingo, by_rego
from decidendi.reasonbench._mix import EXPECTED_CASES, PUBLISHED, Mix
from decidendi.reasonbench._prompts import Again
from decidendi.reasonbench._records import CONTROLS, GoldCase
from decidendi.reasonbench._render import ORDER
from decidendi.reasonbench._rows import column_of
from decidendi.reasonbench._splits import FROZEN
from decidendi.reasonbench._store import SCHEMAS, core_of, gold_of, read_manifest, read_rows
from decidendi.reasonbench._targets import Target, write_target

_SHOWN = 20
"""Problems of one kind that are named; the rest are counted."""

Row = dict[str, Any]


@dataclass
class BenchmarkAudit:
    """What the audit of a benchmark found.

    Attributes:
        digest: The benchmark's digest, as recomputed.
        problems: What is wrong, one sentence each; empty for a sound benchmark.
        figures: What was counted and measured.
    """

    digest: str = ""
    problems: list[str] = field(default_factory=list)
    figures: dict[str, JSON] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    @property
    def frozen(self) -> bool:
        """Whether this is the frozen benchmark; another may be sound too."""
        return self.digest == FROZEN


class _Findings:
    """Problems by kind, so that one broken table does not drown the others."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.named: list[str] = []

    def note(self, kind: str, where: str) -> None:
        """Note one problem of a kind."""
        self.counts[kind] += 1
        if self.counts[kind] <= _SHOWN:
            self.named.append(f"{kind}: {where}")

    def all(self) -> list[str]:
        """Return every problem named, and how many more there are of each kind."""
        more = [(kind, n - _SHOWN) for kind, n in sorted(self.counts.items()) if n > _SHOWN]
        return [*self.named, *(f"{kind}: and {n} more" for kind, n in more)]


def audit_benchmark(folder: Path) -> BenchmarkAudit:
    """Audit the benchmark in ``folder``.

    Returns:
        The problems (none, for a sound one) and the figures.

    Raises:
        BadInputError: if the folder holds no benchmark, or a table cannot be read at all.
        MissingExtraError: without the engines of the extras ``rego`` and ``bench``.
    """
    manifest = read_manifest(folder)
    findings = _Findings()
    audit = BenchmarkAudit(digest=_check_digests(folder, manifest, findings))
    units = {row["unit"]: row for row in read_rows(folder, "units")}
    contents = _read_sources(folder, findings)
    prompts, again = _Prompts(), Again(contents)
    mix = Mix()
    cells = 0
    counted: Counter[tuple[str, str]] = Counter()
    for unit, main, controls in _by_unit(folder):
        _check_unit(unit, units.get(unit), main, controls, findings)
        sound = [row for row in chain(main, controls) if _check_row(row, contents, findings)]
        cells += _check_cells(sound, contents, findings)
        for row in sound:
            _check_prompt(row, again, findings)
        for row in main:
            counted[row["stratum"], row["split"]] += 1
            prompts.add(row)
            if (gold := _gold(row, findings)) is not None:
                mix.add(gold)
        parents = {row["id"]: row for row in main}
        for row in controls:
            prompts.add(row)
            _check_control(row, parents.get(row["control_of"]), contents, findings)
    _check_counts(counted, mix, units, findings)
    prompts.check(findings)
    audit.problems = findings.all()
    audit.figures = {
        "cells executed by Rego and clingo": cells,
        **prompts.figures(),
        **mix.as_json(),
    }
    return audit


def _check_digests(folder: Path, manifest: Mapping[str, Any], findings: _Findings) -> str:
    """Digest every table again; return the digest of what is really there."""
    tables: dict[str, dict[str, JSON]] = {}
    for name in SCHEMAS:
        seen, rows = hashlib.sha256(), 0
        for row in read_rows(folder, name):
            seen.update(canonical_bytes(row) + b"\n")
            rows += 1
        tables[name] = {"rows": rows, "digest": f"sha256:{seen.hexdigest()}"}
        if tables[name] != manifest["core"]["tables"].get(name):
            findings.note("digest", f"the table {name} is not the one in the manifest")
    core = core_of(manifest["core"]["seed"], tables)
    if core["data"] != manifest["core"]["data"]:
        findings.note("digest", "made from other data files than this version's")
    digest = digest_of({**core, "data": manifest["core"]["data"]})
    if digest != manifest["digest"]:
        findings.note("digest", f"the manifest says {manifest['digest']}, the rows {digest}")
    return digest


def _read_sources(folder: Path, findings: _Findings) -> dict[str, str]:
    contents: dict[str, str] = {}
    for row in read_rows(folder, "sources"):
        contents[row["digest"]] = row["content"]
        if sha256(row["content"].encode()) != row["digest"]:
            findings.note("source", f"{row['digest'][:19]} does not have this digest")
        elif canonical_bytes(parse_json(row["content"])).decode() != row["content"]:
            findings.note("source", f"{row['digest'][:19]} is not in canonical form")
        elif row["kind"] == "norms" and _trivial(parse_json(row["content"])):
            findings.note(
                "trivial", f"{row['digest'][:19]} has a rule that concludes what it needs"
            )
    return contents


def _trivial(norms: Any) -> bool:  # noqa: ANN401 - any JSON document
    """Whether the norms of a world have a rule whose conclusion is one of its conditions."""
    return isinstance(norms, list) and any(rule["then"] in rule["if"] for rule in norms)


def _by_unit(folder: Path) -> Iterator[tuple[str, list[Row], list[Row]]]:
    """Yield each unit's main rows and controls; both tables stand in the order of units."""
    grouped = groupby(read_rows(folder, "controls"), key=lambda row: str(row["unit"]))
    controls = next(grouped, None)
    for unit, rows in groupby(read_rows(folder, "cases"), key=lambda row: str(row["unit"])):
        own: list[Row] = []
        if controls is not None and controls[0] == unit:
            own = list(controls[1])
            controls = next(grouped, None)
        yield unit, list(rows), own
    if controls is not None:
        yield controls[0], [], list(controls[1])


def _check_unit(
    unit: str, known: Row | None, main: list[Row], controls: list[Row], findings: _Findings
) -> None:
    if known is None:
        findings.note("unit", f"{unit} is not in the table of units")
        return
    for row in chain(main, controls):
        if any(row[name] != known[name] for name in ("stratum", "split", "family", "depth")):
            findings.note("leakage", f"{row['id']} is not where its unit {unit} is")
    if (len(main), len(controls)) != (known["cases"], known["controls"]):
        findings.note("unit", f"{unit} has {len(main)} cases and {len(controls)} controls")
    parents = Counter(row["control_of"] for row in controls)
    for row in main:
        if parents[row["id"]] != (len(CONTROLS) if row["split"] == "locked" else 0):
            findings.note("control", f"{row['id']} has {parents[row['id']]} controls")


def _gold(row: Row, findings: _Findings) -> GoldCase | None:
    """Return the row's gold case; its constructor derives the receipt from the cube again."""
    try:
        return gold_of(row)
    except ValueError as error:
        findings.note("receipt", str(error))
        return None


def _check_row(row: Row, contents: Mapping[str, str], findings: _Findings) -> bool:
    """Check a row's mask and targets; return whether its cells can be executed."""
    if missing := [d for d in (*row["old"], *row["revised"]) if d not in contents]:
        findings.note("source", f"{row['id']}: {missing[0][:19]} is not in the table of sources")
        return False
    pairs = zip(row["old"], row["revised"], strict=True)
    changed = sum((old != new) << i for i, (old, new) in enumerate(pairs))
    if changed != row["mask"]:
        findings.note("mask", f"{row['id']}: says {row['mask']}, its sources {changed}")
    if row["control"] is not None:  # a main row's gold is derived by the caller
        _gold(row, findings)
    if (gold := _quiet_gold(row)) is not None:
        for target in Target:
            if row[column_of(target)] != write_target(target, gold):
                findings.note("target", f"{row['id']}: {target.value}")
    return True


def _check_prompt(row: Row, again: Again, findings: _Findings) -> None:
    """Check that a prompt says what its row's sources say: put into words again, it is the same."""
    words = "memo" if row["split"] == "shift-language" else "plain"
    if row["rendering"] != words:
        findings.note("prompt", f"{row['id']}: in the rendering {row['rendering']}, not {words}")
    if row["control"] != "order" and row["order"] != list(ORDER):
        findings.note("prompt", f"{row['id']}: its sections stand in another order")
    try:
        rendered = again.prompt(row)
    except Exception as error:  # a template may fail in any way on altered sources
        why = f"{type(error).__name__}: {error}"
        findings.note("prompt", f"{row['id']} cannot be put into words: {why[:200]}")
        return
    if rendered != row["prompt"]:
        findings.note("prompt", f"{row['id']} does not say what its sources say")


def _quiet_gold(row: Row) -> GoldCase | None:
    try:
        return gold_of(row)
    except ValueError:
        return None


def _check_cells(rows: list[Row], contents: Mapping[str, str], findings: _Findings) -> int:
    """Execute every distinct cell of a unit elsewhere; return how many there were."""
    hybrids = {row["id"]: _hybrids(row) for row in rows}
    cells = list(dict.fromkeys(chain.from_iterable(hybrids.values())))
    if not cells:
        return 0
    decide = by_rego if rows[0]["stratum"] == "policy" else by_clingo
    try:
        verdicts = decide(cells, contents)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        # Sources that no engine can read are a finding, not a failure of the audit.
        unit, why = rows[0]["unit"], f"{type(error).__name__}: {error}"
        findings.note("label", f"{unit} cannot be executed: {why[:200]}")
        return 0
    for row in rows:
        again = [verdicts.get(cell) for cell in hybrids[row["id"]]]
        if again != row["cube"]:
            findings.note("label", f"{row['id']}: stored {row['cube']}, executed {again}")
    return len(cells)


def _hybrids(row: Row) -> list[Cell]:
    sides = (row["old"], row["revised"])
    return [
        (sides[mask & 1][0], sides[mask >> 1 & 1][1], sides[mask >> 2 & 1][2]) for mask in range(8)
    ]


def _check_control(
    row: Row, parent: Row | None, contents: Mapping[str, str], findings: _Findings
) -> None:
    """Check that a control is the transformation of its parent that it claims to be."""
    if parent is None:
        findings.note("control", f"{row['id']}: no parent {row['control_of']}")
        return
    control = row["control"]
    same = (row["old"], row["revised"]) == (parent["old"], parent["revised"])
    if control == "inverse":
        good = (row["revised"], row["old"]) == (parent["old"], parent["revised"])
        good = good and row["cube"] == parent["cube"][::-1]
    elif control == "order":
        good = same and row["cube"] == parent["cube"] and row["order"] != parent["order"]
        good = good and sorted(row["order"]) == list(ORDER)
        good = good and _lines(row["prompt"]) == _lines(parent["prompt"])
    else:
        good = row["cube"] == parent["cube"] and all(
            _only_memo(row[side], parent[side], contents) for side in ("old", "revised")
        )
    if not good or row["id"] != f"{parent['id']}/{control}":
        findings.note("control", f"{row['id']} is not the {control} of its parent")


def _lines(prompt: str) -> list[str]:
    return sorted(prompt.splitlines())


def _only_memo(state: list[str], parent: list[str], contents: Mapping[str, str]) -> bool:
    """Whether a state is its parent with an irrelevant record added to the grounds."""
    if state[1:] != parent[1:] or state[0] not in contents or parent[0] not in contents:
        return False
    more = parse_json(contents[state[0]])
    return bool(more.pop("memo", None)) and more == parse_json(contents[parent[0]])


class _Prompts:
    """Looks for one prompt in two splits, exactly and after normalising."""

    def __init__(self) -> None:
        self.exact: dict[bytes, str] = {}
        self.normal: dict[bytes, str] = {}
        self.across: list[tuple[str, str]] = []
        self.rows = 0
        self.repeated = 0

    def add(self, row: Row) -> None:
        """Take a prompt; a control counts for the split of its parent."""
        self.rows += 1
        normal = " ".join(re.findall(r"[^\W_]+", row["prompt"].casefold()))
        for kind, seen, text in (
            ("exact", self.exact, row["prompt"]),
            ("normalised", self.normal, normal),
        ):
            key = hashlib.sha256(text.encode()).digest()[:16]
            other = seen.setdefault(key, row["split"])
            if other != row["split"]:
                self.across.append((kind, row["id"]))
        self.repeated = self.rows - len(self.exact)

    def check(self, findings: _Findings) -> None:
        """Note every prompt that stands in two splits."""
        for kind, case in self.across:
            findings.note("overlap", f"{case}: its prompt ({kind}) stands in another split")

    def figures(self) -> dict[str, JSON]:
        """Return what was compared."""
        return {
            "prompts": self.rows,
            "prompts repeated within a split": self.repeated,
            "prompts in two splits": len(self.across),
        }


def _check_counts(
    counted: Counter[tuple[str, str]], mix: Mix, units: Mapping[str, Row], findings: _Findings
) -> None:
    """Compare the counts with the table, and those that are promised with the published mix."""
    for key in sorted({*counted, *EXPECTED_CASES}):
        if counted[key] != EXPECTED_CASES.get(key, 0):
            findings.note(
                "count", f"{' '.join(key)}: {counted[key]}, not {EXPECTED_CASES.get(key, 0)}"
            )
    strata = Counter(str(row["stratum"]) for row in units.values())
    if strata != {"policy": 45, "logic": 800}:
        findings.note("count", f"units: {dict(strata)}, not 45 clauses and 800 worlds")
    for name in sorted(name for name in PUBLISHED if name.endswith(("cases", "rules"))):
        if mix.figures[name] != PUBLISHED[name]:
            findings.note("count", f"{name}: {mix.figures[name]}, not {PUBLISHED[name]}")
    if set(mix.masks) != set(range(8)):
        findings.note("count", f"only the masks {sorted(mix.masks)} occur")
