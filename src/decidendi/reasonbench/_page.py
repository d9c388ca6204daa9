"""Filling in the report's page from tables that are already computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from decidendi._version import __version__
from decidendi.reasonbench._cells import Cell, Expected
from decidendi.reasonbench._consistency import Consistency, OperatingPoint, reason_debt
from decidendi.reasonbench._mix import PUBLISHED, Mix
from decidendi.reasonbench._predictions import Predictions
from decidendi.reasonbench._scores import Score, Scorer, Unscored
from decidendi.reasonbench._scoring import Scoring
from decidendi.reasonbench._tables import Row, Table
from decidendi.report import (
    BenchmarkPage,
    Fact,
    FaultCount,
    MethodFigure,
    MixRow,
    ScoreFigure,
    ScoreRow,
    SelectiveCurve,
    SelectivePoint,
    TableFigure,
    render_benchmark,
)


def page_of(scoring: Scoring, command: str = "") -> BenchmarkPage:
    """Return the page's content.

    Args:
        scoring: At least one method, scored.
        command: How the page was made; left out where empty.

    Raises:
        ValueError: if no method was scored.
    """
    if not scoring.scorers:
        raise ValueError("a page needs at least one method")
    tables = {table.number: table for table in scoring.tables}
    methods = len(scoring.scorers)
    return BenchmarkPage(
        digest=scoring.gold.digest,
        frozen=scoring.frozen,
        methods=tuple(_method(scorer.predictions) for scorer in scoring.scorers),
        accuracy=_accuracy(tables["2"], tables["1"], methods),
        failures=_rows(tables["failures"], methods),
        structure=_rows(tables["4"], methods),
        shifts=_rows(tables["5"], methods),
        consistency=tuple(
            ScoreRow(row.label, _scores(row, methods), _text(row.cells[0]))
            for row in tables["6"].rows
        ),
        selective=tuple(map(_curve, scoring.scorers)),
        mix=_mix(scoring),
        tables=tuple(map(_table, scoring.tables)),
        faults=tuple(_faults(scoring)),
        facts=tuple(_facts(scoring, command)),
    )


def write_page(scoring: Scoring, out: Path, command: str = "") -> None:
    """Write the page whole or not at all."""
    html = render_benchmark(page_of(scoring, command))
    draft = out.with_name(out.name + ".part")
    try:
        draft.write_text(html, encoding="utf-8")
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)


def _method(read: Predictions) -> MethodFigure:
    target = read.target.value.replace("-", " ")
    if read.renderings:
        target += f", prompts in other words than the benchmark's: {', '.join(read.renderings)}"
    return MethodFigure(read.method, target, len(read.by_seed), read.malformed, read.answers)


def _accuracy(outcomes: Table, diagnostics: Table, methods: int) -> tuple[ScoreRow, ...]:
    """Turn the first columns of Table 2 into rows; what surface statistics reach stands by."""
    rows = []
    for column, label in enumerate(("Revised-verdict accuracy", "Exact receipt accuracy")):
        scores = tuple(_score(row.cells[column]) for row in outcomes.rows[:methods])
        beside = "; ".join(
            f"{row.label} {100 * share:.2f}%"
            for row in diagnostics.rows
            if (share := _share(row.cells[column])) is not None
        )
        rows.append(ScoreRow(label, scores, beside))
    return tuple(rows)


def _rows(table: Table, methods: int) -> tuple[ScoreRow, ...]:
    """Return a table that has the cases per seed first, then each method."""
    return tuple(
        ScoreRow(row.label, _scores(row, methods), _cases(_text(row.cells[0])))
        for row in table.rows
    )


def _cases(text: str) -> str:
    """Put a count into words; the one denominator that is each method's own has none."""
    if not text.replace(",", "").isdigit():
        return "of gold changes whose endpoints are both right"
    return f"{text} case per seed" if text == "1" else f"{text} cases per seed"


def _scores(row: Row, methods: int) -> tuple[ScoreFigure, ...]:
    return tuple(map(_score, row.cells[1 : 1 + methods]))


def _score(cell: Cell) -> ScoreFigure:
    if isinstance(cell, Consistency):
        cell = cell.score
    if isinstance(cell, Unscored):
        return ScoreFigure(None, missing=cell.why)
    assert isinstance(cell, Score), "figures are made from columns of scores"
    rate = cell.rate
    return ScoreFigure(cell.mean, cell.spread, rate.low, rate.high, rate.n)


def _share(cell: Cell) -> float | None:
    match cell:
        case Expected(share):
            return share
        case Score():
            return cell.mean
    return None


def _text(cell: Cell) -> str:
    return getattr(cell, "text", "")


def _curve(scorer: Scorer) -> SelectiveCurve:
    points = reason_debt(scorer)
    if isinstance(points, Unscored):
        return SelectiveCurve(scorer.method, missing=points.why)
    return SelectiveCurve(scorer.method, tuple(map(_point, points)))


def _point(point: OperatingPoint) -> SelectivePoint:
    return SelectivePoint(
        aim=point.aim,
        coverage=point.coverage.mean,
        debt=point.debt.mean,
        recall=point.recall.mean,
        unscored=point.unscored,
    )


def _mix(scoring: Scoring) -> tuple[MixRow, ...]:
    mix = Mix()
    for case in scoring.gold.cases.values():
        if case.control is None:
            mix.add(case)
    names = [*PUBLISHED, *sorted(set(mix.figures) - set(PUBLISHED))]
    return tuple(MixRow(name, mix.figures[name], PUBLISHED.get(name)) for name in names)


def _table(table: Table) -> TableFigure:
    rows = tuple(map(tuple, table.texts))
    return TableFigure(table.number, table.title, table.columns, rows, table.note)


def _faults(scoring: Scoring) -> Iterator[FaultCount]:
    for scorer in scoring.scorers:
        for fault in scorer.predictions.faults:
            yield FaultCount(scorer.method, fault.kind.value, fault.count, fault.examples)
    for file, digest in scoring.strangers.items():
        what = "file of another benchmark: non-comparable, and not scored"
        yield FaultCount(file, what, 1, (digest,))


def _facts(scoring: Scoring, command: str) -> Iterator[Fact]:
    yield Fact("tool", f"decidendi {__version__}")
    if command:
        yield Fact("command", command, code=True)
    for scorer in scoring.scorers:
        read = scorer.predictions
        if read.digest:
            yield Fact(f"predictions of {read.method}", read.digest, code=True)
        if named := [name for name in read.by_seed if name]:
            yield Fact(f"seeds of {read.method}", ", ".join(named))
        if not read.bound:
            yield Fact(f"benchmark of {read.method}", "its lines do not say which one they answer")
    yield Fact("intervals", _intervals(scoring.scorers))
    yield Fact(
        "beside the paper",
        "The mix, the splits and the definitions are the paper's; the worlds and their words are "
        "not. Accuracies here and there are of different texts and do not compare. Differences "
        "between methods on this page do.",
    )


def _intervals(scorers: Sequence[Scorer]) -> str:
    first = scorers[0]
    return (
        f"95%, percentile bootstrap over seeds and units, pairs kept: {first.replicates:,} "
        f"replicates, seed {first.seed}"
    )
