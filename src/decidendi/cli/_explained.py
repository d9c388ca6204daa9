"""Drawing one explained case, and what replaying found, in text."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from rich.text import Text

from decidendi.cli._terminal import inert, output, say
from decidendi.judgment import Unmeasured, Verdict

if TYPE_CHECKING:
    from decidendi.certification import Explanation, Replay
    from decidendi.receipts import Drilled
    from decidendi.report import ExampleCase, SourcePair

DRAWN_KINDS = 4
"""Lattices of more changed kinds are listed cell by cell rather than drawn."""

DIFF_LINES = 80


def show(found: Explanation, drilled: Sequence[Drilled]) -> None:
    """Print an explanation."""
    case = found.shown
    say(f"case {case.case} (unit {case.unit}): {case.status}", "bold")
    say(case.words)
    if case.receipt:
        say(f"receipt: {found.certificate.receipt}", "bold")
    say()
    _lattice(case)
    for pair in case.sources:
        if pair.old_digest != pair.revised_digest:
            say()
            _difference(pair)
    for one in drilled:
        say()
        _drilled(one)


def _verdict(verdict: Verdict | None) -> tuple[str, str]:
    """Return a cell's text and style."""
    if verdict is None:
        return "not needed", "dim"
    if isinstance(verdict, Unmeasured):
        return f"? {verdict.reason.value}", "yellow"
    return inert(verdict), ""


def _lattice(case: ExampleCase) -> None:
    """Draw the cells, the revised state on top; minimal sets are marked with ◉."""
    cells = {cell.replaced: cell.verdict for cell in case.cells}
    minimal = set(case.receipt) | set(case.known)
    if len(case.changed) > DRAWN_KINDS:
        rows = [[cell.replaced] for cell in reversed(case.cells)]
    else:
        sizes = range(len(case.changed), -1, -1)
        rows = [list(combinations(case.changed, size)) for size in sizes]
    console = output()
    width = min(console.width, 100)
    revised = cells.get(case.changed)
    for row in rows:
        line = Text(justify="center")
        for i, names in enumerate(row):
            text, style = _verdict(cells.get(names))
            if not style:
                style = "bold cyan" if cells.get(names) == revised else ""
            mark = "◉ " if names in minimal else ""
            line.append("     " if i else "")
            line.append(f"{mark}{_cell_name(names, case.changed)}: ", "dim")
            line.append(text, style)
        line.align("center", max(width, line.cell_len))
        console.print(Text(line.plain.rstrip(), spans=line.spans))


def _cell_name(names: tuple[str, ...], changed: tuple[str, ...]) -> str:
    if not names:
        return "old"
    return "revised" if names == changed and len(names) > 1 else inert("+".join(names))


def _difference(pair: SourcePair) -> None:
    say(f"{pair.kind}: {pair.old_digest[:19]}… → {pair.revised_digest[:19]}…", "bold")
    lines = list(
        difflib.unified_diff(
            _lines(pair.old), _lines(pair.revised), "old", "revised", lineterm="", n=2
        )
    )
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in lines[2 : DIFF_LINES + 2]:
        say(f"  {line}", styles.get(line[:1], ""))
    if len(lines) > DIFF_LINES + 2:
        say(f"  … {len(lines) - DIFF_LINES - 2:,} more lines", "dim")


def _lines(text: str) -> list[str]:
    return text.expandtabs(4).split("\n")


def _drilled(one: Drilled) -> None:
    member = " + ".join(one.member)
    say(
        f"inside {one.kind} (in the member {member}), {counted(one.parts, 'changed part')}:", "bold"
    )
    for names in one.minimal:
        say(f"  {' + '.join(names)}")
    if not one.minimal:
        say("  no set of parts reproduces it for certain")
    if not one.complete:
        proven = "" if one.proven else ", of which removing any one part loses the verdict"
        say(f"  one minimal set{proven}; not the complete family", "dim")


def as_document(found: Explanation, drilled: Sequence[Drilled]) -> dict[str, Any]:
    """Return an explanation as JSON."""
    case = found.shown
    return {
        "case": case.case,
        "unit": case.unit,
        "status": case.status,
        "words": case.words,
        "changed": list(case.changed),
        "receipt": [list(member) for member in case.receipt],
        "cells": list(_cells(case)),
        "sources": [
            {
                "kind": pair.kind,
                "old": pair.old,
                "revised": pair.revised,
                "old_digest": pair.old_digest,
                "revised_digest": pair.revised_digest,
            }
            for pair in case.sources
        ],
        "missing": list(found.missing),
        "problems": list(found.problems),
        "drilled": [
            {
                "kind": one.kind,
                "member": list(one.member),
                "parts": one.parts,
                "complete": one.complete,
                "minimal": [list(names) for names in one.minimal],
            }
            for one in drilled
        ],
    }


def _cells(case: ExampleCase) -> Iterator[dict[str, Any]]:
    for cell in case.cells:
        entry: dict[str, Any] = {"replaced": list(cell.replaced)}
        if isinstance(cell.verdict, Unmeasured):
            entry["unmeasured"] = {
                "reason": cell.verdict.reason.value,
                "detail": cell.verdict.detail,
            }
        else:
            entry["verdict"] = cell.verdict
        yield entry


def verdict_text(verdict: Verdict) -> str:
    """Return a verdict as people say it."""
    if isinstance(verdict, Unmeasured):
        detail = f": {verdict.detail}" if verdict.detail else ""
        return f"unmeasured ({verdict.reason.value}{detail})"
    return verdict


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 certificate``, ``1,024 certificates``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def replay_outcome(found: Replay) -> str:
    """Return what replaying found, in a line."""
    looked = ", ".join(
        (
            counted(found.certificates, "certificate"),
            counted(found.cells, "cell"),
            counted(found.executed, "state") + " executed",
        )
    )
    said = []
    if found.count:
        said.append(counted(found.count, "cell differs", "cells differ"))
    if found.strayed:
        said.append(counted(len(found.strayed), "case") + " could not be replayed")
    if found.lacking:
        said.append("not a whole run")
    if not said:
        said.append(
            "none contradicts what was certified" if found.undecided else "all as certified"
        )
    if found.undecided:
        cells = counted(found.undecided, "cell")
        said.append(f"{cells} decided by drawing at one time only, which contradicts nothing")
    return f"{looked}: {'; '.join(said)}"


def replay_document(found: Replay) -> dict[str, Any]:
    """Return what replaying found as JSON."""
    return {
        "same": found.same,
        "certificates": found.certificates,
        "cells": found.cells,
        "executed": found.executed,
        "count": found.count,
        "differing": [
            {
                "case": one.case,
                "cell": list(one.cell),
                "certified": verdict_text(one.certified),
                "replayed": verdict_text(one.replayed),
            }
            for one in found.differing
        ],
        "strayed": found.strayed,
        "undecided": found.undecided,
        "lacking": found.lacking,
    }
