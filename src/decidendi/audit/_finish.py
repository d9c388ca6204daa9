"""The end of a run: measures, ``summary.json`` and the page, from records alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from decidendi.audit._folder import PAGE, SUMMARY, UNUSABLE
from decidendi.audit._options import Ready
from decidendi.audit._page import Audited, audit_page
from decidendi.audit._plan import CasePlan, Design, plan
from decidendi.audit._prompts import breaks_frame
from decidendi.audit._record import Record
from decidendi.audit._summary import Measured, measure
from decidendi.folders import json_bytes, write_whole
from decidendi.legal import Unusable
from decidendi.report import render_audit

LISTED = 10
"""Unusable rows named on the page and by the command line; all are in the folder."""

COUNTED = {
    "unusable": "unusable cases",
    "gold_left_out": "gold left out",
    "missing": "cases fewer than asked for",
}
"""What is counted of a source by reason, and how the page calls it."""

DEMONSTRATIONS = ("embedded", "scripted")


@dataclass(frozen=True, slots=True)
class Finished:
    """A run's end, as the command line prints it.

    Attributes:
        measured: One per model.
        content: What ``summary.json`` holds.
        out: The run's folder.
        unusable: The first rows that became no case or lost gold, one line each.
    """

    measured: tuple[Measured, ...]
    content: Mapping[str, Any]
    out: Path
    unusable: tuple[str, ...] = ()

    @property
    def anything(self) -> bool:
        """Whether there was an answer to measure at all, in any model and condition."""
        return any(each.rate.n for model in self.measured for each in model.convergence)


def finish(
    ready: Ready, models: Mapping[str, Sequence[Record]], identity: Mapping[str, Any], out: Path
) -> Finished:
    """Measure, and write ``summary.json`` and the page.

    Args:
        ready: Design and cases.
        models: Records by model.
        identity: The content of ``run.json``.
        out: The run's folder.
    """
    design = ready.design
    if ready.rows:
        write_whole(out / UNUSABLE, map(_unusable_line, ready.rows))
    plans = list(plan(design, ready.cases))
    audited = [
        Audited(measure(name, records, design.task, seed=design.seed), records, demonstrates(name))
        for name, records in models.items()
    ]
    content = summary(ready, plans, [each.measured for each in audited], identity)
    write_whole(out / SUMMARY, json_bytes(content))
    page = audit_page(design, plans, audited, _facts(design, plans, identity, content, ready.rows))
    write_whole(out / PAGE, render_audit(page).encode())
    found = tuple(each.measured for each in audited)
    return Finished(found, content, out, tuple(unusable_lines(ready.rows)))


def _unusable_line(row: Unusable) -> bytes:
    content = {
        "file": row.place.file,
        "line": row.place.line,
        "field": row.place.field,
        "problem": str(row.problem),
        "detail": row.detail,
        "kept": row.kept,
    }
    return orjson.dumps(content) + b"\n"


def unusable_lines(rows: Sequence[Unusable]) -> list[str]:
    """Return the first rows that could not be used, for people, and how many more there are."""
    lines = [
        f"{row.place}: {row.problem}: {row.detail}{' (the rest of the row is used)' * row.kept}"
        for row in rows[:LISTED]
    ]
    more = len(rows) - LISTED
    return [*lines, f"and {more:,} more in {UNUSABLE}"] if more > 0 else lines


def demonstrates(model: str) -> bool:
    """Say whether a model only shows what an audit looks like."""
    return model.partition("/")[0] in DEMONSTRATIONS


def summary(
    ready: Ready,
    plans: Sequence[CasePlan],
    measured: Sequence[Measured],
    identity: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the content of ``summary.json``."""
    skipped: dict[str, dict[str, int]] = {}
    for each in plans:
        for skip in each.skipped:
            reasons = skipped.setdefault(skip.condition, {})
            reasons[skip.why] = reasons.get(skip.why, 0) + 1
    return {
        "format": "decidendi-audit-summary/1",
        "task": identity["task"],
        "pair": identity["pair"],
        "conditions": identity["conditions"],
        "cases": {
            **identity["cases"],
            "gold": _gold(ready),
            "unusable": dict(ready.unusable),
            "missing": dict(ready.missing),
            "without_gold": ready.without_gold,
            "frame_kept": sum(map(breaks_frame, ready.cases)),
            "gold_left_out": dict(ready.gold_left_out),
        },
        "skipped": skipped,
        "models": [
            {**each.as_json(), "demonstration": demonstrates(each.model)} for each in measured
        ],
    }


def _gold(ready: Ready) -> dict[str, int]:
    """Count the cases by their gold under the target; those without any are in no count."""
    design = ready.design
    found = [case.gold.get(design.pair.target) for case in ready.cases]
    return {label: found.count(label) for label in design.task.labels}


def _headline(plans: Sequence[CasePlan]) -> list[tuple[str, str]]:
    """Say which wordings and notes the figures without a variant's name are of."""
    found = []
    for condition, title in (("paraphrase", "rewordings"), ("injection", "injected notes")):
        calls = [call for each in plans for call in each.calls if call.condition == condition]
        names = list(dict.fromkeys(call.variant for call in calls))
        if names:
            most = max(len({c.variant for c in p.calls if c.condition == condition}) for p in plans)
            each = "one for each case" if most == 1 else "all together in the headline figures"
            found.append((title, f"{', '.join(names)} ({each})"))
    return found


def _facts(
    design: Design,
    plans: Sequence[CasePlan],
    identity: Mapping[str, Any],
    content: Mapping[str, Any],
    rows: Sequence[Unusable],
) -> list[tuple[str, str]]:
    cases = content["cases"]
    facts = [
        ("task", f"{design.task.id} {design.task.version}"),
        ("cases", f"{cases['count']} from {cases['source']}"),
        ("gold under the target", ", ".join(f"{k} {n}" for k, n in cases["gold"].items())),
        ("conditions", identity["conditions"].replace(",", ", ")),
        *_headline(plans),
        ("seed", str(design.seed)),
        ("repetitions", str(design.repeats)),
        ("reasoning", design.style.thinking),
        ("tool", f"{identity['tool']['name']} {identity['tool']['version']}"),
        ("task digest", design.task.digest),
        ("cases digest", cases["digest"]),
        *((f"{name} digest", digest) for name, digest in identity["prompts"]["digests"].items()),
    ]
    if cases["truncated"]:
        facts.insert(2, ("facts cut to the limit", f"{cases['truncated']} cases"))
    if cases["frame_kept"]:
        facts.insert(
            2, ("text that would break the prompt's frame", f"{cases['frame_kept']} cases")
        )
    if cases["without_gold"]:
        facts.insert(2, ("not drawn for want of gold", f"{cases['without_gold']} cases"))
    for name, title in COUNTED.items():
        if cases[name]:
            listed = ", ".join(f"{why} {n}" for why, n in cases[name].items())
            facts.insert(2, (title, listed))
    facts += [("unusable row", line) for line in unusable_lines(rows)]
    return facts
