"""From a page's content to what its template draws: ranked, bounded, laid out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from decidendi.judgment import Reason
from decidendi.report._content import (
    CertificationPage,
    ExampleCase,
    ProblemGroup,
    ReceiptCount,
    SourcePair,
    UnitCount,
    VerdictPair,
)
from decidendi.report._diff import Comparison, Piece, plain_rows, side_by_side
from decidendi.report._lattice import CellRow, Lattice, cell_rows, lattice_of
from decidendi.report._palette import Palette, Swatch

RECEIPTS = 24
UNITS = 10
MORE_UNITS = 300
MATRIX = 10
PAIRS = 24
PROBLEM_EXAMPLES = 5

OUTCOMES = (
    ("certified", "the verdict changed, and it is proved which changes were enough"),
    ("uncertifiable", "a hybrid that the proof needs could not be decided"),
    ("no_op", "sources changed, the verdict did not"),
    ("identical", "no source that can affect the case changed"),
    ("unmeasured", "the old or the revised state has no verdict"),
    ("unreadable", "the record could not be read as a case"),
)

REASONS = {
    Reason.ERROR: "the evaluator raised or reported an error",
    Reason.TIMEOUT: "no answer within the time allowed",
    Reason.INTERFACE: "the hybrid is not a well-typed input",
    Reason.LABEL: "the answer is not one of the declared verdicts",
    Reason.NONDETERMINISTIC: "declared deterministic, but equal states gave different verdicts",
    Reason.UNDETERMINED: "the draws allowed did not settle a verdict",
    Reason.NOT_CONVERGED: "the model gave no verdict that could be read",
}

ADVICE = {
    "uncertifiable": "A hybrid of old and revised sources that the receipt needs gave no verdict, "
    "so which change was enough stays open under this interface. A declared migration, from the "
    "old form of a source to the new, can make such cases certifiable.",
    "unmeasured": "The old or the revised state itself has no verdict, so it is not known whether "
    "the verdict changed. These cases are in no share on this page.",
    "unreadable": "These records could not be read as cases and were left out. All others ran.",
}


@dataclass(frozen=True, slots=True)
class Matrix:
    """Verdict pairs as a table: a row for each old verdict, a column for each revised one."""

    columns: tuple[Swatch, ...]
    rows: tuple[tuple[Swatch, tuple[tuple[int, bool], ...], int], ...]


@dataclass(frozen=True, slots=True)
class SourceView:
    """One source of an example: compared if it changed, quoted if it did not."""

    pair: SourcePair
    comparison: Comparison | None
    quoted: tuple[tuple[Piece, ...], ...]
    more_lines: int


@dataclass(frozen=True, slots=True)
class ExampleView:
    """One example case, laid out."""

    example: ExampleCase
    lattice: Lattice | None
    rows: tuple[CellRow, ...]
    more_rows: int
    not_run: int
    ends: tuple[Swatch, Swatch]
    legend: tuple[Swatch, ...]
    failed: bool
    sources: tuple[SourceView, ...]


def view_of(page: CertificationPage) -> dict[str, Any]:
    """Return the template's variables."""
    palette = Palette(page.verdicts)
    out = page.outcomes
    return {
        "page": page,
        "palette": palette,
        "compared": out.cases - out.unmeasured - out.unreadable,
        "outcomes": [
            (key.replace("_", "-"), getattr(out, key), meaning) for key, meaning in OUTCOMES
        ],
        "receipts": page.receipts[:RECEIPTS],
        "other_receipts": _rest_of_receipts(page.receipts[RECEIPTS:]),
        "longest": max((row.cases for row in page.receipts), default=0),
        "matrix": _matrix(page.transitions, palette),
        "pairs": _pairs(page.transitions, palette),
        "units": page.units[:UNITS],
        "more_units": page.units[UNITS : UNITS + MORE_UNITS],
        "other_units": _rest_of_units(page.units[UNITS + MORE_UNITS :]),
        "problems": _problems(page.problems),
        "examples": [_example(example, palette) for example in page.examples],
    }


def _rest_of_receipts(rest: Sequence[ReceiptCount]) -> tuple[int, int]:
    return len(rest), sum(row.cases for row in rest)


def _rest_of_units(rest: Sequence[UnitCount]) -> tuple[int, int, int]:
    return len(rest), sum(row.cases for row in rest), sum(row.changed for row in rest)


def _matrix(pairs: Sequence[VerdictPair], palette: Palette) -> Matrix | None:
    """Return the pairs as a matrix over the labels that occur; None if they are too many."""
    labels = sorted({label for p in pairs for label in (p.old, p.revised)}, key=palette.rank)
    if not 1 <= len(labels) <= MATRIX:
        return None
    counts: dict[tuple[str | None, str | None], int] = {}
    for p in pairs:
        counts[p.old, p.revised] = counts.get((p.old, p.revised), 0) + p.cases
    rows = []
    for old in labels:
        row = tuple((counts.get((old, new), 0), old == new) for new in labels)
        rows.append((palette[old], row, sum(n for n, _ in row)))
    return Matrix(tuple(palette[label] for label in labels), tuple(rows))


def _pairs(pairs: Sequence[VerdictPair], palette: Palette) -> dict[str, Any]:
    """Return the changed pairs, largest first, and how many are left out."""
    changed = sorted((p for p in pairs if p.old != p.revised), key=lambda p: -p.cases)
    return {
        "rows": [(palette[p.old], palette[p.revised], p.cases) for p in changed[:PAIRS]],
        "rest": len(changed[PAIRS:]),
        "rest_cases": sum(p.cases for p in changed[PAIRS:]),
    }


def _problems(groups: Sequence[ProblemGroup]) -> list[tuple[str, str, list[Any]]]:
    """Return the groups under their outcomes, each reason explained where it is known."""
    known: dict[str, str] = {reason.value: text for reason, text in REASONS.items()}
    found = []
    for outcome, advice in ADVICE.items():
        rows = [
            (group, known.get(group.reason, ""), group.examples[:PROBLEM_EXAMPLES])
            for group in groups
            if group.outcome == outcome
        ]
        if rows:
            found.append((outcome, advice, rows))
    return found


def _example(example: ExampleCase, palette: Palette) -> ExampleView:
    rows, more = cell_rows(example, palette)
    verdicts = {frozenset(cell.replaced): cell.verdict for cell in example.cells}

    def end(names: Sequence[str]) -> Swatch:
        verdict = verdicts.get(frozenset(names))
        return palette[verdict if isinstance(verdict, str) else None]

    labels = {v for v in verdicts.values() if isinstance(v, str)}
    return ExampleView(
        example=example,
        lattice=lattice_of(example, palette),
        rows=rows,
        more_rows=more,
        not_run=(1 << len(example.changed)) - len(example.cells),
        ends=(end(()), end(example.changed)),
        legend=tuple(palette[label] for label in sorted(labels, key=palette.rank)),
        failed=any(not isinstance(v, str) for v in verdicts.values()),
        sources=tuple(_source(pair) for pair in example.sources),
    )


def _source(pair: SourcePair) -> SourceView:
    if pair.old_digest != pair.revised_digest:
        return SourceView(pair, side_by_side(pair.old, pair.revised), (), 0)
    return SourceView(pair, None, *plain_rows(pair.old))
