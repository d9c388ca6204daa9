"""From a graded run's figures to what its template draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from decidendi.report._content import RateFigure
from decidendi.report._figures import DifferenceFigure
from decidendi.report._grading_chains import CHAINS, chain_views, palette_of
from decidendi.report._grading_content import (
    AgreementFigure,
    ClassFigure,
    CorrectedFigure,
    GradedFigure,
    GradingPage,
    JudgeRecordFigures,
    MatrixFigure,
    Measured,
)
from decidendi.report._grading_words import (
    POOR,
    POOR_ALPHA,
    POOR_KAPPA,
    WIDE,
    coefficient,
    decimal,
    first_says,
    headline,
    kinds_say,
    sentences,
    share_of,
    too_few,
)
from decidendi.report._measures import (
    EXCLUSIONS,
    FigureCell,
    MeasureGroup,
    MeasureRow,
    MeasureTable,
    Tile,
    figure_cell,
)
from decidendi.report._plots import (
    Axis,
    Plot,
    PlotGroup,
    PlotRow,
    interval_words,
    left_out,
    points,
    points_interval,
    rate_row,
    upward_axis,
)
from decidendi.report._text import counted, fitted, number, share_words

CLASSES = 12
"""Classes of a confusion matrix that are shown …"""

ERRORS = 40
"""… kinds and sub-kinds of error, and rows of any other list."""

UNCHECKED = "not validated"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table of rates: whose figures it holds."""

    model: str
    remark: str
    demonstration: bool = False


@dataclass(frozen=True, slots=True)
class MatrixView:
    """A confusion matrix, the rates of its classes, and the rest in words."""

    title: str
    labels: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    more: int
    agreed: FigureCell
    beyond_chance: str
    rates: MeasureTable | None
    left_out: str


def grading_view(page: GradingPage) -> dict[str, Any]:
    """Return the template's variables."""
    figure, rest = headline(page)
    view: dict[str, Any] = {
        "page": page,
        "figure": figure,
        "headline": rest,
        "sentences": sentences(page),
        "checked": page.record is not None,
        "tiles": list(_tiles(page)),
        "columns": _columns(page),
        "rates": _rates(page),
        "kinds": _plot(page, page.kinds),
        "sub_kinds": _plot(page, page.sub_kinds[:ERRORS]),
        "kinds_say": kinds_say(page),
        "classes": _plot(page, page.classes),
        "bounds": {"share": POOR, "kappa": POOR_KAPPA, "alpha": POOR_ALPHA, "wide": WIDE},
        "record": None,
        "record_columns": RATES,
        "chains": chain_views(page),
        "not_shown": max(0, page.count - len(page.chains[:CHAINS])),
        "legend": palette_of(page).legend,
    }
    if page.record is not None:
        view["record"] = _record(page)
    return view


def _columns(page: GradingPage) -> tuple[Column, ...]:
    alone = Column("The judge alone", "all chains" if page.record else f"all chains; {UNCHECKED}")
    if page.record is None:
        return (alone,)
    return (
        alone,
        Column("Corrected", "prediction-powered"),
        Column("Corrected otherwise", "Rogan and Gladen"),
        Column("People alone", f"{counted(page.record.labelled, 'labelled chain')}"),
    )


def _rates(page: GradingPage) -> MeasureTable:
    figures = (page.accuracy, page.soundness, page.correctness, page.gap)
    columns = _columns(page)
    rows, excluded, methods = [], [], dict[str, None]()
    for figure in figures:
        made = (figure.judged, figure.corrected, figure.other, figure.people)[: len(columns)]
        cells = tuple(_cells(page, figure, made))
        rows.append(MeasureRow(figure.name, fitted(figure.meaning, 200), cells))
        for column, one in zip(columns, made, strict=True):
            if one is not None:
                methods |= {one.method: None} if _defined(one) else {}
                reasons = one.excluded.items()
                excluded += [(column.model, figure.name, why, n) for why, n in reasons if n]
    return MeasureTable(
        (MeasureGroup("", tuple(rows)),),
        (),
        tuple(excluded[:EXCLUSIONS]),
        max(0, len(excluded) - EXCLUSIONS),
        tuple(filter(None, methods))[:6],
    )


def _cells(
    page: GradingPage, figure: GradedFigure, made: Sequence[Measured | CorrectedFigure]
) -> Iterator[FigureCell]:
    for at, one in enumerate(made):
        if not figure.judge_needed and at in (1, 2):
            yield FigureCell("needs no judge", known=False)
        elif isinstance(one, CorrectedFigure):
            yield _corrected_cell(one, figure)
        elif one is None:
            yield FigureCell("not given", known=False)
        else:
            unchecked = at == 0 and figure.judge_needed and page.record is None
            yield figure_cell(one, UNCHECKED if unchecked else "")


def _defined(figure: Measured | CorrectedFigure) -> bool:
    """Say whether there is a value that may have an interval."""
    if isinstance(figure, RateFigure):
        return figure.n > 0
    return figure is not None and figure.value is not None


def _corrected_cell(figure: CorrectedFigure, of: GradedFigure) -> FigureCell:
    count = f"{number(figure.labelled)} labelled of {number(figure.judged)}"
    out, remark = sum(figure.excluded.values()), _stands_in(figure)
    if figure.value is None:
        remark = ". ".join(filter(None, (remark, too_few(figure, of.items))))
        return FigureCell("not enough labels", "", count, out, known=False, remark=remark)
    if isinstance(of.judged, DifferenceFigure):
        ends = points_interval(figure.low, figure.high)
        return FigureCell(points(figure.value), ends, count, out, remark=remark)
    ends = interval_words(figure.low, figure.high)
    return FigureCell(share_words(figure.value), ends, count, out, remark=remark)


def _stands_in(figure: CorrectedFigure) -> str:
    """Say for how many items the judge's mean stands in; nothing where for none."""
    if not figure.stood_in:
        return ""
    return f"{number(figure.stood_in)} without a label by the judge: its mean stands in"


def _tiles(page: GradingPage) -> Iterator[Tile]:
    accuracy = page.accuracy.judged
    yield _tile("accurate", "chains choose the right option; no judge is needed", accuracy, "some")
    unchecked = f", {UNCHECKED}" if page.record is None else ""
    means = f"chains are correct by the judge alone{unchecked}"
    yield _tile("judged correct", means, page.correctness.judged, "some")
    means = "of chains correct, by the judge and by what people labelled together"
    corrected = page.correctness.corrected
    if corrected is None:
        yield Tile("corrected", "no record", means, "none")
    elif corrected.value is None:
        yield Tile("corrected", "not enough labels", means, "none")
    else:
        ends = interval_words(corrected.low, corrected.high)
        yield Tile("corrected", share_words(corrected.value), f"{means}; {ends}", "lead")
    means = "chains are correct by people alone, of those they labelled"
    if page.record is not None:
        yield _tile("by people", means, page.correctness.people, "some")
    means = "agreement of judge and people on premises, beyond chance"
    kappa = page.record.premises.kappa if page.record else None
    if kappa is None or kappa.value is None:
        yield Tile("kappa", "undefined" if kappa else "no record", means, "none")
    else:
        low, high = kappa.low, kappa.high
        ends = "" if low is None or high is None else f"; {decimal(low)} to {decimal(high)}"
        yield Tile("kappa", decimal(kappa.value), means + ends, "some")


def _tile(name: str, meaning: str, figure: Measured, look: str) -> Tile:
    if not isinstance(figure, RateFigure):
        return Tile(name, "not given", meaning, "none")
    if not figure.n:
        return Tile(name, "undefined", meaning, "none")
    count = f"{number(figure.numerator)} of {number(figure.n)}"
    return Tile(name, share_of(figure), f"{count} {meaning}", look)


def _plot(page: GradingPage, figures: Sequence[GradedFigure]) -> Plot | None:
    """Return kinds or classes, each by the judge alone, corrected, and by people."""
    if not figures:
        return None
    axis = upward_axis(max(_highest(figures), default=0.0))
    return Plot(axis, tuple(_group(page, figure, axis) for figure in figures))


def _highest(figures: Iterable[GradedFigure]) -> Iterator[float]:
    for figure in figures:
        for one in (figure.judged, figure.people, figure.corrected):
            if isinstance(one, RateFigure) and one.n:
                yield max(one.numerator / one.n, one.high or 0.0)
            elif isinstance(one, CorrectedFigure) and one.value is not None:
                yield max(one.value, one.high or 0.0)


def _group(page: GradingPage, figure: GradedFigure, axis: Axis) -> PlotGroup:
    rows = []
    if isinstance(figure.judged, RateFigure):
        label = "the judge alone" if page.record else f"the judge alone, {UNCHECKED}"
        rows.append(rate_row(label, figure.judged, axis, "ring"))
    if figure.corrected is not None:
        rows.append(_corrected_row(figure.corrected, axis))
    if isinstance(figure.people, RateFigure):
        rows.append(rate_row("people, where they labelled", figure.people, axis, "square"))
    return PlotGroup(figure.name, tuple(rows), figure.meaning)


def _corrected_row(figure: CorrectedFigure, axis: Axis) -> PlotRow:
    count = f"{number(figure.labelled)} labelled of {number(figure.judged)}"
    if figure.value is None:
        note = _stands_in(figure)
        return PlotRow("corrected", "not enough labels", known=False, count=count, note=note)
    low, high = figure.low, figure.high
    ends = None if low is None or high is None else (axis.at(low), axis.at(high))
    return PlotRow(
        "corrected",
        share_words(figure.value),
        axis.at(figure.value),
        ends,
        interval=interval_words(low, high),
        count=count,
        note=_stands_in(figure),
    )


RATES = tuple(Column(name, "") for name in ("Precision", "Recall", "F1", "kappa", "alpha"))


def _record(page: GradingPage) -> dict[str, Any]:
    record = page.record
    assert record is not None
    shares = tuple(rate for rate in record.by_agreement if rate.n)
    axis = upward_axis(1.0)
    return {
        "among": [(figure, _coefficient(figure)) for figure in record.among],
        "matrices": [
            _matrix("Is a premise in error?", record.premises),
            _matrix("Which kind of error?", record.kinds),
            _matrix("Which class of conclusion?", record.conclusions),
            _matrix("Is a chain in error anywhere?", record.wholes),
        ],
        "errors": _classes(record.errors[:ERRORS], beyond_chance=True),
        "sub_errors": _classes(record.sub_errors[:ERRORS], beyond_chance=True),
        "more_errors": len(record.errors[ERRORS:]) + len(record.sub_errors[ERRORS:]),
        "methods": _methods(record),
        "first_plot": Plot(axis, (PlotGroup("", (
            rate_row("found at the same premise", record.first.on_wrong, axis),
            rate_row("none found where people see none", record.first.on_sound, axis),
        )),)),
        "first_says": first_says(record.first),
        "first_f1": "undefined" if record.first.f1 is None else decimal(record.first.f1),
        "first_out": _out(record.first.excluded),
        "agreement": Plot(axis, (PlotGroup("", tuple(
            rate_row(rate.name, rate, axis) for rate in shares)),)) if shares else None,
    }  # fmt: skip


def _coefficient(figure: AgreementFigure) -> FigureCell:
    if figure.value is None:
        return FigureCell("undefined", "", f"n = {number(figure.n)}", known=False,
                          remark=figure.why)  # fmt: skip
    low, high = figure.low, figure.high
    ends = "" if low is None or high is None else f"{decimal(low)} to {decimal(high)}"
    return FigureCell(decimal(figure.value), ends, f"n = {number(figure.n)}")


def _methods(record: JudgeRecordFigures) -> list[str]:
    """Return how the intervals of a record were made, whatever the counts."""
    matrices = (record.premises, record.kinds, record.conclusions, record.wholes)
    classes = [c for m in matrices for c in m.classes] + [*record.errors, *record.sub_errors]
    rates = [rate for c in classes for rate in (c.precision, c.recall, c.f1) if rate.n]
    rates += [m.agreed for m in matrices if m.agreed.n]
    return [*filter(None, dict.fromkeys(rate.method.partition(",")[0] for rate in rates))][:6]


def _matrix(title: str, matrix: MatrixFigure) -> MatrixView:
    counts = matrix.counts
    used = [i for i, row in enumerate(counts) if sum(row) or any(other[i] for other in counts)]
    shown = used[:CLASSES]
    agreed = figure_cell(matrix.agreed)
    classes = [c for c in matrix.classes if c.recall.n or c.precision.n]
    return MatrixView(
        title,
        tuple(matrix.labels[i] for i in shown),
        tuple((matrix.labels[i], tuple(counts[i][j] for j in shown)) for i in shown),
        len(used) - len(shown),
        agreed,
        # Where one is undefined so is the other, for the same reason.
        "; ".join(dict.fromkeys(map(coefficient, (matrix.kappa, matrix.alpha)))),
        _classes(classes, beyond_chance=any(one.kappa for one in classes)),
        _out(matrix.excluded),
    )


def _out(excluded: Mapping[str, int]) -> str:
    return left_out([(why, n) for why, n in excluded.items() if n][:ERRORS])


def _classes(classes: Sequence[ClassFigure], *, beyond_chance: bool) -> MeasureTable | None:
    """Return precision, recall, F1, and of one class against all others kappa and alpha."""
    if not classes:
        return None
    rows = []
    for one in classes:
        cells = [_share(one.precision), _share(one.recall), _f1(one.f1)]
        for figure in (one.kappa, one.alpha) if beyond_chance else ():
            cells.append(FigureCell("not given", known=False) if figure is None
                         else _coefficient(figure))  # fmt: skip
        rows.append(MeasureRow(one.name, "", tuple(cells)))
    return MeasureTable((MeasureGroup("", tuple(rows)),), (), (), 0, ())


def _share(rate: RateFigure) -> FigureCell:
    """Return a share without what is left out of it, which is the same for a whole table."""
    return replace(figure_cell(rate), left_out=0)


def _f1(rate: RateFigure) -> FigureCell:
    if not rate.n:
        return FigureCell("undefined", known=False)
    low, high = rate.low, rate.high
    ends = "" if low is None or high is None else f"{decimal(low)} to {decimal(high)}"
    return FigureCell(decimal(rate.numerator / rate.n), ends)
