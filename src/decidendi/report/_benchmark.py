"""From a benchmark page's content to what its template draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from decidendi.report._benchmark_content import BenchmarkPage, MixRow, ScoreFigure, ScoreRow
from decidendi.report._benchmark_words import (
    accuracy_says,
    consistency_says,
    failures_say,
    headline,
    mix_says,
    selective_says,
    shifts_say,
    structure_says,
)
from decidendi.report._curves import Chart, Series, chart
from decidendi.report._plots import (
    Axis,
    Plot,
    PlotGroup,
    PlotRow,
    difference_axis,
    interval_words,
    share_axis,
    signed,
    upward_axis,
)
from decidendi.report._text import number, share_words

METHODS = 12
TABLES = 24
ROWS = 200
COLUMNS = 16
FAULTS = 60


def benchmark_view(page: BenchmarkPage) -> dict[str, Any]:
    """Return the template's variables."""
    figure, rest = headline(page)
    return {
        "page": page,
        "figure": figure,
        "headline": rest,
        "figures": [
            _figure("accuracy", page, page.accuracy, accuracy_says(page), "focused"),
            _figure("failures", page, page.failures, failures_say(page), "upward"),
            _figure("structure", page, page.structure, structure_says(page), "focused"),
            _figure("shifts", page, page.shifts, shifts_say(page)),
            _figure("consistency", page, page.consistency, consistency_says(page)),
        ],
        "curves": curves(page),
        "selective_says": selective_says(page),
        "points": [
            (curve.method, point) for curve in page.selective[:METHODS] for point in curve.points
        ],
        "uncurved": [(c.method, c.missing) for c in page.selective if not c.points],
        "mix": mix_plot(page.mix),
        "mix_says": mix_says(page),
        "tables": page.tables[:TABLES],
        "more_tables": len(page.tables[TABLES:]),
        "rows": ROWS,
        "faults": page.faults[:FAULTS],
        "more_faults": len(page.faults[FAULTS:]),
    }


@dataclass(frozen=True, slots=True)
class FigureView:
    """A figure of scores: its sentence, and the methods it has nothing of, with the reason."""

    id: str
    plot: Plot
    says: str
    absent: tuple[tuple[str, str], ...]


def _figure(
    name: str, page: BenchmarkPage, rows: Sequence[ScoreRow], says: str, ends: str = ""
) -> FigureView | None:
    """Return scores by row and method; None without rows.

    Args:
        name: The section's id.
        page: The page, for its methods.
        rows: The scores.
        says: What they say.
        ends: ``focused`` if the axis may begin above zero, where all scores are high;
            ``upward`` if it may end below one, where they are low.
    """
    if not rows:
        return None
    values = [end for row in rows for score in row.scores for end in _extent(score)]
    if ends == "upward":
        axis = upward_axis(max(values, default=1.0))
    else:
        axis = share_axis(min(values, default=0.0) if ends == "focused" else 0.0)
    names = [method.name for method in page.methods[:METHODS]]
    if len(names) == 1:
        lines = [_row(row.label, s, axis, row.note) for row in rows for s in row.scores[:1]]
        return FigureView(name, Plot(axis, (PlotGroup("", tuple(lines)),)), says, ())
    absent = _absent(names, rows)
    groups = [
        PlotGroup(
            row.label,
            tuple(
                _row(names[i], row.scores[i], axis)
                for i in range(min(len(names), len(row.scores)))
                if i not in absent
            ),
            row.note,
        )
        for row in rows
    ]
    left = tuple((names[i], why) for i, why in absent.items())
    return FigureView(name, Plot(axis, tuple(groups)), says, left)


def _absent(names: Sequence[str], rows: Sequence[ScoreRow]) -> dict[int, str]:
    """Return the methods that no row has a score of, for one reason: it is said once."""
    found = {}
    for i in range(len(names)):
        scores = [row.scores[i] for row in rows if i < len(row.scores)]
        reasons = {score.missing for score in scores}
        if scores and all(score.mean is None for score in scores) and len(reasons) == 1:
            found[i] = reasons.pop()
    return found


def _extent(score: ScoreFigure) -> list[float]:
    if score.mean is None:
        return []
    spread = score.spread or 0.0
    ends = [score.mean - spread, score.mean + spread, score.low, score.high]
    return [end for end in ends if end is not None]


def _row(label: str, score: ScoreFigure, axis: Axis, note: str = "") -> PlotRow:
    if score.mean is None:
        value = "not measured" if score.missing else "undefined"
        why = "; ".join(filter(None, (note, score.missing)))
        return PlotRow(label, value, known=False, note=why)
    value, spread, ends = share_words(score.mean, 2), None, None
    if score.spread is not None:
        value += f" ± {100 * score.spread:.2f}"
        spread = (axis.at(score.mean - score.spread), axis.at(score.mean + score.spread))
    if score.low is not None and score.high is not None:
        ends = (axis.at(score.low), axis.at(score.high))
    return PlotRow(
        label,
        value,
        axis.at(score.mean),
        ends,
        spread,
        interval=interval_words(score.low, score.high, 2),
        count=f"n = {number(score.n)}" if score.n else "",
        note=note,
    )


def curves(page: BenchmarkPage) -> list[Chart]:
    """Return debt and recall against coverage."""
    debt: list[Series] = []
    recall: list[Series] = []
    for curve in page.selective[:METHODS]:
        if not curve.points:
            continue
        known = [(p.coverage, p) for p in curve.points if p.coverage is not None]
        debt.append((curve.method, [(x, p.debt) for x, p in known if p.debt is not None]))
        recall.append((curve.method, [(x, p.recall) for x, p in known if p.recall is not None]))
    across = "predicted changes accepted"
    says = "The table below the figures lists every point."
    charts = (
        chart("Reason debt by accepted coverage", across, "reason debt", debt, says, whole=False),
        chart("Recall by accepted coverage", across, "gold changes explained", recall, says,
              whole=True),
    )  # fmt: skip
    return [one for one in charts if one]


def mix_plot(mix: Sequence[MixRow]) -> Plot | None:
    """Return our counts beside the published ones; a mark is their difference in percent."""
    if not mix:
        return None
    parts = [_part(row) for row in mix]
    axis = difference_axis(max((abs(part) for part in parts if part is not None), default=0.05))
    rows = []
    for row, part in zip(mix, parts, strict=True):
        beside = "" if row.published is None else f"published {number(row.published)}"
        gap = "not published" if part is None else f"{signed(100 * part, 1)}%"
        at = None if part is None else axis.at(part)
        rows.append(PlotRow(row.name, number(row.ours), at, interval=beside, count=gap))
    return Plot(axis, (PlotGroup("", tuple(rows)),))


def _part(row: MixRow) -> float | None:
    return (row.ours - row.published) / row.published if row.published else None
