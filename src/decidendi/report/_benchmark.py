"""From a benchmark page's content to what its template draws."""

from __future__ import annotations

from collections.abc import Sequence
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
from decidendi.report._text import number

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
            ("accuracy", score_plot(page, page.accuracy, focused=True), accuracy_says(page)),
            ("failures", score_plot(page, page.failures, upward=True), failures_say(page)),
            ("structure", score_plot(page, page.structure, focused=True), structure_says(page)),
            ("shifts", score_plot(page, page.shifts), shifts_say(page)),
            ("consistency", score_plot(page, page.consistency), consistency_says(page)),
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


def score_plot(
    page: BenchmarkPage, rows: Sequence[ScoreRow], *, focused: bool = False, upward: bool = False
) -> Plot | None:
    """Return scores by row and method; None without rows.

    Args:
        page: The page, for its methods.
        rows: The scores.
        focused: Whether the axis may begin above zero, where the scores are high.
        upward: Whether it may end below one, where they are low.
    """
    if not rows:
        return None
    ends = [end for row in rows for score in row.scores for end in _extent(score)]
    if upward:
        axis = upward_axis(max(ends, default=1.0))
    else:
        axis = share_axis(min(ends, default=0.0) if focused else 0.0)
    names = [method.name for method in page.methods]
    if len(names) == 1:
        lines = [_row(row.label, s, axis, row.note) for row in rows for s in row.scores[:1]]
        return Plot(axis, (PlotGroup("", tuple(lines)),))
    groups = [
        PlotGroup(
            row.label,
            tuple(
                _row(name, score, axis)
                for name, score in list(zip(names, row.scores, strict=False))[:METHODS]
            ),
            row.note,
        )
        for row in rows
    ]
    return Plot(axis, tuple(groups))


def _extent(score: ScoreFigure) -> list[float]:
    if score.mean is None:
        return []
    spread = score.spread or 0.0
    ends = [score.mean - spread, score.mean + spread, score.low, score.high]
    return [end for end in ends if end is not None]


def _row(label: str, score: ScoreFigure, axis: Axis, note: str = "") -> PlotRow:
    if score.mean is None:
        value = "not measured" if score.missing else "undefined"
        return PlotRow(label, value, note="; ".join(filter(None, (note, score.missing))))
    value, spread, ends = f"{100 * score.mean:.2f}%", None, None
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
