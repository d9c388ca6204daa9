"""From a comparison page's content to what its template draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from decidendi.report._comparison_content import ComparisonPage, Discordant, PairedTest
from decidendi.report._plots import (
    Plot,
    PlotGroup,
    difference_axis,
    difference_row,
    left_out,
)
from decidendi.report._text import counted, fitted, percent

ALPHA = 0.05
LISTED = 60
TESTS = 40


@dataclass(frozen=True, slots=True)
class TestView:
    """One measure: both shares, the discordant counts, the test in words, the cases."""

    test: PairedTest
    n: int
    first: str
    second: str
    p: str
    adjusted: str
    by: str
    left_out: str
    cases: tuple[Discordant, ...]
    more_cases: int


def comparison_view(page: ComparisonPage) -> dict[str, Any]:
    """Return the template's variables."""
    tests = [_test(test, page) for test in page.tests[:TESTS]]
    figure, rest = _headline(page)
    return {
        "page": page,
        "figure": figure,
        "headline": rest,
        "tests": tests,
        "more_tests": len(page.tests[TESTS:]),
        "plot_rows": _plot(page),
        "listed": [view for view in tests if view.cases],
    }


def _told_apart(page: ComparisonPage) -> list[PairedTest]:
    return [test for test in page.tests if test.adjusted is not None and test.adjusted <= ALPHA]


def _headline(page: ComparisonPage) -> tuple[str, str]:
    """Return the answer: a figure that begins it (may be empty), and the rest."""
    first, second = fitted(page.first, 40), fitted(page.second, 40)
    tested = [test for test in page.tests if test.adjusted is not None]
    if not tested:
        return "", f"{first} and {second} could not be tested against each other."
    apart = _told_apart(page)
    if not apart:
        return "", f"No measure tells {first} and {second} apart."
    verb = "tells" if len(apart) == 1 else "tell"
    measures = counted(len(tested), "measure")
    return str(len(apart)), f"of {measures} {verb} {first} and {second} apart."


def _plot(page: ComparisonPage) -> Plot | None:
    if not page.tests:
        return None
    shown = [test.difference for test in page.tests[:TESTS]]
    sizes = [abs(x) for d in shown for x in (d.value, d.low, d.high) if x is not None]
    axis = difference_axis(max(sizes, default=1.0))
    rows = tuple(difference_row(test.measure, test.difference, axis) for test in page.tests[:TESTS])
    return Plot(axis, (PlotGroup("", rows),))


def _test(test: PairedTest, page: ComparisonPage) -> TestView:
    n = test.both + test.first_only + test.second_only + test.neither
    cases = [item for item in page.discordant if item.measure == test.measure]
    p = test.p if test.p is not None else test.difference.p
    by = "exact McNemar" if test.p is not None else "bootstrap" if p is not None else "none"
    return TestView(
        test,
        n,
        percent(test.both + test.first_only, n),
        percent(test.both + test.second_only, n),
        p_words(p),
        p_words(test.adjusted),
        by,
        left_out(list(test.excluded.items())),
        tuple(cases[:LISTED]),
        len(cases[LISTED:]),
    )


def p_words(p: float | None) -> str:
    """Return a p-value to three digits; never a zero that it is not."""
    if p is None:
        return "none"
    return "under 0.001" if p < 0.001 else f"{p:.3f}"
