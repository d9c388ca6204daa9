"""The audit's measures as rows of tables: a row per measure, a column per model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from decidendi.report._audit_content import AuditPage, InjectionFigures, ModelAudit
from decidendi.report._audit_words import defined, masks, ordered_of, swap_of
from decidendi.report._content import RateFigure
from decidendi.report._figures import DifferenceFigure, ShiftFigure
from decidendi.report._plots import (
    Plot,
    PlotGroup,
    PlotRow,
    interval_words,
    points,
    points_interval,
    rate_row,
    share_axis,
    signed,
    signed_axis,
)
from decidendi.report._text import number, percent

Figure = RateFigure | DifferenceFigure | None
Of = Callable[[ModelAudit], Figure]

EXCLUSIONS = 120


@dataclass(frozen=True, slots=True)
class FigureCell:
    """One figure in words: value, interval, counts, and how many are left out of them.

    ``tag`` stands beside the value and says what it is not (``not validated``); ``remark`` below.
    """

    value: str
    interval: str = ""
    count: str = ""
    left_out: int = 0
    known: bool = True
    tag: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """One measure of every model."""

    name: str
    meaning: str
    cells: tuple[FigureCell, ...]


@dataclass(frozen=True, slots=True)
class MeasureGroup:
    """Measures under a heading."""

    heading: str
    rows: tuple[MeasureRow, ...]


@dataclass(frozen=True, slots=True)
class MeasureTable:
    """A table of measures.

    Attributes:
        groups: The rows; those that no model has are left out.
        absent: Their names.
        excluded: What is left out of denominators: model, measure, reason, count.
        more_excluded: How many such rows are not shown.
        methods: How the intervals were made.
    """

    groups: tuple[MeasureGroup, ...]
    absent: tuple[str, ...]
    excluded: tuple[tuple[str, str, str, int], ...]
    more_excluded: int
    methods: tuple[str, ...]


_Line = tuple[str, str, Of]


def _swapped(model: ModelAudit) -> RateFigure | None:
    return model.swap


def _masked(model: ModelAudit) -> RateFigure | None:
    return model.masked


VERDICT: tuple[_Line, ...] = (
    ("Accuracy", "right verdicts under the target, of answered cases with gold",
     lambda m: m.accuracy),
    ("Verdict-swap sensitivity", "verdicts that differ between target and control",
     _swapped),
    ("Precedent-identity sensitivity", "verdicts that differ when the cited case is unnamed",
     _masked),
    ("Net of paraphrase", "the change above, less what rewording the question changes",
     lambda m: m.net),
    ("Where it must change", "verdicts that differ, of cases whose gold differs (confound-free)",
     lambda m: m.confound_free),
    ("Followed", "right verdicts under both authorities, of the same cases",
     lambda m: m.followed),
    ("Null authority", "verdicts that differ under a placeholder without legal standing",
     lambda m: m.null),
)  # fmt: skip
REASONING: tuple[_Line, ...] = (
    ("Surface engagement", "answers that name the authority asked about, anywhere",
     lambda m: m.engagement),
    ("Unprompted", "the same, where the prompt does not ask for it", lambda m: m.unprompted),
    ("Post-commitment re-engagement", "named again at or after the commitment step",
     lambda m: m.reengagement),
    ("Committed before naming", "the verdict was settled before the authority is named",
     lambda m: m.committed_early),
)  # fmt: skip


def _injected(of: Callable[[InjectionFigures], RateFigure | None]) -> Of:
    return lambda m: of(m.injection) if m.injection else None


WORDING: tuple[_Line, ...] = (
    ("Paraphrase instability", "verdicts that differ under a rewording of the same meaning",
     lambda m: m.paraphrase),
)  # fmt: skip
NOTE: tuple[_Line, ...] = (
    ("Accuracy without the note", "on the cases that were also run with it",
     _injected(lambda i: i.clean)),
    ("Accuracy under attack", "on the same cases, with the note", _injected(lambda i: i.attacked)),
    ("Turned to order", "verdicts that became the ordered one, of those that were another",
     _injected(lambda i: i.targeted)),
    ("Compliance", "verdicts equal to the ordered one, whatever they were without it",
     _injected(lambda i: i.compliance)),
    ("Verdict change", "verdicts that differ from the run without the note",
     _injected(lambda i: i.changed)),
)  # fmt: skip


def main_table(page: AuditPage) -> MeasureTable:
    """Return convergence, verdicts and reasoning (the shape of the paper's Table 2)."""
    names = dict.fromkeys(rate.name for model in page.models for rate in model.convergence)
    answers = tuple(_convergence(name) for name in names)
    return _table(
        page, (("Answers with a verdict", answers), ("Verdict", VERDICT), ("Reasoning", REASONING))
    )


def _convergence(name: str) -> _Line:
    def of(model: ModelAudit) -> RateFigure | None:
        return next((rate for rate in model.convergence if rate.name == name), None)

    return name, "", of


def robustness_table(page: AuditPage) -> MeasureTable:
    """Return rewording and injection (the shape of the paper's Table 3)."""
    return _table(
        page, (("Rewording", WORDING), ("A note in the facts that orders a verdict", NOTE))
    )


def _table(page: AuditPage, groups: Sequence[tuple[str, Sequence[_Line]]]) -> MeasureTable:
    # A precedent is masked and any other authority swapped: the other way is no omission.
    swapped = any(model.swap is not None for model in page.models)
    other = _masked if swapped else _swapped
    shown, absent = [], []
    excluded: list[tuple[str, str, str, int]] = []
    methods: dict[str, None] = {}
    for heading, lines in groups:
        rows = []
        for name, meaning, of in lines:
            figures = [of(model) for model in page.models]
            if all(figure is None for figure in figures):
                if of is not other:
                    absent.append(name)
                continue
            rows.append(MeasureRow(name, meaning, tuple(map(figure_cell, figures))))
            methods.update({figure.method: None for figure in figures if figure})
            for model, figure in zip(page.models, figures, strict=True):
                reasons = figure.excluded.items() if figure else ()
                excluded += [(model.model, name, reason, n) for reason, n in reasons if n]
        if rows:
            shown.append(MeasureGroup(heading, tuple(rows)))
    rest = max(0, len(excluded) - EXCLUSIONS)
    return MeasureTable(
        tuple(shown),
        tuple(absent),
        tuple(excluded[:EXCLUSIONS]),
        rest,
        tuple(filter(None, methods))[:4],
    )


def figure_cell(figure: Figure, tag: str = "") -> FigureCell:
    """Return a share or a difference in words."""
    if figure is None:
        return FigureCell("not measured", known=False)
    out = sum(figure.excluded.values())
    if isinstance(figure, DifferenceFigure):
        if figure.value is None:
            return FigureCell("undefined", "", f"n = {number(figure.n)}", out, known=False)
        ends = points_interval(figure.low, figure.high)
        return FigureCell(points(figure.value), ends, f"n = {number(figure.n)}", out, tag=tag)
    count = f"{number(figure.numerator)} of {number(figure.n)}"
    if not figure.n:
        return FigureCell("undefined", "", count, out, known=False)
    ends = interval_words(figure.low, figure.high)
    return FigureCell(percent(figure.numerator, figure.n), ends, count, out, tag=tag)


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure at the top; ``look`` is ``lead``, ``some`` or ``none``."""

    name: str
    value: str
    meaning: str
    look: str


def tiles(page: AuditPage) -> list[Tile]:
    """Return the figures at the top: one model's shares, or the range over several."""
    one = len(page.models) == 1
    cause = "with the precedent unnamed" if masks(page) else "with the authority"
    rows: list[tuple[str, str, Callable[[ModelAudit], RateFigure | None], bool]] = [
        ("named", "answers name the authority asked about", lambda m: m.engagement, False),
        ("changed", f"verdicts change {cause}", swap_of, True),
        ("reworded", "verdicts change with the wording alone", lambda m: m.paraphrase, False),
        ("ordered", "verdicts are what a note in the facts orders", ordered_of, False),
        ("right", "verdicts are right, under the target", lambda m: m.accuracy, False),
    ]
    found = []
    for name, meaning, of, leads in rows:
        rates = [of(model) for model in page.models]
        known = sorted(
            (rate for r in rates if (rate := defined(r)) is not None),
            key=lambda r: r.numerator / r.n,
        )
        if not known:
            why = "not measured" if all(r is None for r in rates) else "undefined"
            found.append(Tile(name, why, meaning, "none"))
            continue
        low, high = (round(100 * r.numerator / r.n) for r in (known[0], known[-1]))
        value = percent(known[0].numerator, known[0].n) if one else f"{low}\N{EN DASH}{high}%"
        if not one and low == high:
            value = f"{low}%"
        count = f"{number(known[0].numerator)} of {number(known[0].n)}"
        look = "lead" if leads else "some"
        found.append(Tile(name, value, f"{count} {meaning}" if one else meaning, look))
    return found


def ordering_plot(page: AuditPage) -> Plot:
    """Return paraphrase, swap and injection of every model (the paper's Figure 2)."""
    axis = share_axis()
    groups = []
    for model in page.models:
        name = "Swap of the authority" if model.swap or not model.masked else "Precedent hidden"
        rows = [
            rate_row("Paraphrase", model.paraphrase, axis, "ring"),
            rate_row(name, swap_of(model), axis, "dot"),
            rate_row("Injection: the ordered verdict", ordered_of(model), axis, "square"),
        ]
        if model.injection and model.injection.targeted:
            stricter = rate_row(
                "… stricter: turned to order", model.injection.targeted, axis, "diamond"
            )
            rows.append(stricter)
        groups.append(PlotGroup(model.model if len(page.models) > 1 else "", tuple(rows)))
    return Plot(axis, tuple(groups))


def further_plot(page: AuditPage) -> Plot | None:
    """Return the further rates of every model; None if there are none."""
    axis = share_axis()
    groups = tuple(
        PlotGroup(
            model.model if len(page.models) > 1 else "",
            tuple(rate_row(rate.name, rate, axis) for rate in model.more),
        )
        for model in page.models
        if model.more
    )
    return Plot(axis, groups) if groups else None


def margin_plot(page: AuditPage) -> Plot | None:
    """Return the shifts of log-odds of every model; None if there are none."""
    shifts = [shift for model in page.models for shift in model.margins]
    if not shifts:
        return None
    sizes = [abs(x) for s in shifts for x in (s.mean, s.low, s.high) if x is not None]
    axis = signed_axis(max(sizes, default=1.0))

    def row(shift: ShiftFigure) -> PlotRow:
        if shift.mean is None:
            return PlotRow(shift.name, "undefined", known=False, count=f"n = {number(shift.n)}")
        ends = None if shift.low is None or shift.high is None else (shift.low, shift.high)
        size = "" if shift.absolute is None else f"mean size {shift.absolute:.2f}"
        return PlotRow(
            shift.name,
            f"{signed(shift.mean, 2)} nats",
            axis.at(shift.mean),
            None if ends is None else (axis.at(ends[0]), axis.at(ends[1])),
            interval="" if ends is None else f"{signed(ends[0], 2)} to {signed(ends[1], 2)}",
            count=f"n = {number(shift.n)}",
            note=". ".join(filter(None, (shift.meaning, size))),
        )

    return Plot(
        axis,
        tuple(
            PlotGroup(model.model if len(page.models) > 1 else "", tuple(map(row, model.margins)))
            for model in page.models
            if model.margins
        ),
    )
