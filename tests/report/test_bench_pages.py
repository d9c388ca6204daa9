"""What the benchmark's page and the comparison's say."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from _bench_pages import benchmark, comparison, score
from _report_pages import text_of

from decidendi.report import (
    BenchmarkPage,
    ComparisonPage,
    MixRow,
    ScoreFigure,
    ScoreRow,
    SelectiveCurve,
    TableFigure,
    render_benchmark,
    render_comparison,
)
from decidendi.report._plots import MINUS, difference_axis, share_axis, signed, upward_axis
from decidendi.report._text import share_words


def test_benchmark_says_what_its_figures_say() -> None:
    text = text_of(render_benchmark(benchmark()))
    for says in (
        "97.0 to 98.4% of locked cases get their exact receipt, by 2 methods.",
        "Direct receipt gives the right revised verdict in 99.3% of cases, and the exact receipt "
        "in 98.4%.",
        "Judgment cube fails most by “Misattribution, of gold changes” (4.5%).",
        "Direct receipt is exact least often at “Minimum size 2” (95.4%)",
        "Judgment cube falls from 97.0% (Locked) to 68.4% (Language).",
        "Direct receipt keeps the relation of “Inverse” in 47.2% of pairs, so on average it is "
        "wrong on at least 26.4% of their answers.",
        "Accepting 19.4% of its changes, Direct receipt has a debt of under 0.1% and explains "
        "19.5% of gold changes; accepting over 99.9%, a debt of 2.3% and 98.6%.",
        "1 of 7 published counts is met. The furthest from its published count is “ambiguous”: "
        "3,395 against 3,470.",
    ):
        assert says in text


def test_published_floor_of_the_order_control() -> None:
    # A consistency of 54.77% forces a mean error of at least 22.6% (Chen & Zhang, 7.5).
    page = benchmark()
    order = ScoreRow("Order", (score(54.77),) * 3)
    text = text_of(render_benchmark(replace(page, consistency=(order,))))
    assert "in 54.8% of pairs, so on average it is wrong on at least 22.6%" in text


def test_spread_and_interval_stand_where_they_belong() -> None:
    html = render_benchmark(benchmark())
    accuracy = html.split('id="accuracy"')[1].split("</table>")[0]
    # axis from 90 to 100%: a mean of 97.42 ± 0.33, an interval from 95.2 to 99.1
    assert re.findall(r'<text[^>]*>([^<]*)</text>', accuracy) == [
        "90%", "92.5%", "95%", "97.5%", "100%",
    ]  # fmt: skip
    assert 'class="low-high" x1="52.0%" x2="91.0%"' in accuracy
    assert 'class="spread" x1="70.9%" x2="77.5%"' in accuracy
    assert 'class="mark" x="74.2%"' in accuracy
    text = text_of(accuracy)
    assert "97.42% ± 0.33 95.20 to 99.10% n = 12,000" in text


def test_a_method_without_scores_is_said_once_per_figure() -> None:
    html = render_benchmark(benchmark())
    structure = text_of(html.split('id="structure"')[1].split("<section")[0])
    says = "Direct verdict: not measured, the direct verdict target has no receipt."
    assert structure.count("not measured") == structure.count(says) == 1


def test_a_score_that_is_missing_in_one_row_is_said_there() -> None:
    page = benchmark()
    broken = ScoreRow("Language", (ScoreFigure(None, missing="not predicted"), score(68.4)))
    html = render_benchmark(replace(page, shifts=(*page.shifts[:2], broken)))
    assert "Direct receipt not predicted not measured" in text_of(html)


def test_one_method_has_one_row_per_score() -> None:
    page = benchmark()

    def first(rows: tuple[ScoreRow, ...]) -> tuple[ScoreRow, ...]:
        return tuple(replace(row, scores=row.scores[:1]) for row in rows)

    alone = replace(
        page,
        methods=page.methods[:1],
        accuracy=first(page.accuracy),
        failures=first(page.failures),
        structure=first(page.structure),
        shifts=first(page.shifts),
        consistency=first(page.consistency),
        selective=page.selective[:1],
    )
    html = render_benchmark(alone)
    assert "98.4% of locked cases get their exact receipt." in text_of(html)
    assert 'class="group"' not in html


def test_every_point_of_the_curves_is_drawn_and_listed() -> None:
    html = render_benchmark(benchmark())
    assert html.count("<polyline points") == 2 * 2 + 2  # two methods in two charts and a key
    charts = html.split('class="pair-of-charts"')[1].split("</ul>")[0]
    assert charts.count('transform="translate(') == 2 * 10 + 2
    table = text_of(html.split("The points as a table")[1].split("</table>")[0])
    assert "Direct receipt 20% 19.40% 0.02% 19.50% 0" in table
    assert "Judgment cube 100% 99.98% 3.48% 94.58% 0" in table


def test_points_stay_in_the_frame() -> None:
    html = render_benchmark(benchmark())
    for figure in re.findall(r'<svg class="curves".*?</svg>', html, re.S):
        places = re.findall(r"translate\(([\d.]+) ([\d.]+)\)", figure)
        assert len(places) == 10
        for x, y in places:
            assert 54 <= float(x) <= 326 and 14 <= float(y) <= 192


def test_without_confidences_there_is_no_curve_but_a_reason() -> None:
    page = benchmark()
    none = SelectiveCurve("Direct receipt", missing="no confidences")
    html = render_benchmark(replace(page, selective=(none,)))
    assert "<polyline" not in html
    assert "Direct receipt: not measured, no confidences." in text_of(html)


def test_another_benchmark_is_not_compared() -> None:
    assert "This is not the frozen ReasonBench" not in render_benchmark(benchmark())
    other = render_benchmark(replace(benchmark(), frozen=False))
    assert "This is not the frozen ReasonBench" in other


def test_tables_of_any_size_are_bounded_and_said_to_be() -> None:
    rows = tuple((f"row {i}", *("x",) * 19) for i in range(230))
    table = TableFigure("9", "Wide and long", tuple(f"column {i}" for i in range(20)), rows)
    text = text_of(render_benchmark(replace(benchmark(), tables=(table,) * 30)))
    assert "30 more rows not shown." in text
    assert "4 more columns not shown." in text
    assert "6 more tables not shown." in text


def test_faults_of_the_files_are_named() -> None:
    text = text_of(render_benchmark(benchmark()))
    assert "Judgment cube, unknown ids: 12" in text and "p-0001/x, line 44" in text
    assert "412 (0.9%)" in text


def test_only_tables_of_a_paper_have_a_number() -> None:
    page = benchmark()
    named = replace(page.tables[0], number="failures", title="Failures on the locked test")
    headings = re.findall(
        r"<h3>(.*?)</h3>", render_benchmark(replace(page, tables=(named, page.tables[1])))
    )
    assert [text_of(h) for h in headings if "locked" in h.lower()] == [
        "Failures on the locked test",
        "Table 2. Locked-test outcomes",
    ]


def test_empty_benchmark_page() -> None:
    text = text_of(render_benchmark(BenchmarkPage("sha256:0", True, ())))
    assert "No exact receipts were scored." in text


def test_mix_without_published_counts() -> None:
    text = text_of(render_benchmark(replace(benchmark(), mix=(MixRow("cases", 7),))))
    assert "7 not published" in text
    assert "No count has a published one beside it." in text


def test_comparison_headline_and_tests() -> None:
    # Sadhu et al., Table 14: 0 and 12 discordant cases give p below 0.001.
    text = text_of(render_comparison(comparison()))
    assert "1 of 3 measures tells Qwen3-14B and Legal-Delta-14B apart." in text
    assert "30 cases 30.0% 70.0% 0 12 under 0.001 0.001 exact McNemar" in text
    assert "29 cases; left out: 1 first: not-converged 82.8% 93.1% 2 5 0.453 0.906" in text
    assert "0 cases; left out: 30 second: not run undefined undefined 0 0 none none none" in text
    assert f"{MINUS}40.0 points {MINUS}56.7 to {MINUS}23.3 n = 30" in text


@pytest.mark.parametrize(
    ("adjusted", "says"),
    [
        ((0.2, 0.9, 1.0, None), "No measure tells Qwen3-14B and Legal-Delta-14B apart."),
        ((0.01, 0.05, 1.0, None), "2 of 3 measures tell Qwen3-14B and Legal-Delta-14B apart."),
        ((None,) * 4, "Qwen3-14B and Legal-Delta-14B could not be tested against each other."),
    ],
)
def test_comparison_headline_of_other_runs(adjusted: tuple[float | None, ...], says: str) -> None:
    page = comparison()
    tests = tuple(replace(t, adjusted=p) for t, p in zip(page.tests, adjusted, strict=True))
    assert says in text_of(render_comparison(replace(page, tests=tests)))


def test_discordant_cases_are_listed_under_their_measure() -> None:
    html = render_comparison(comparison())
    first, second = html.split("<details")[1:]
    assert first.count('<th scope="row">') == 12 and second.count('<th scope="row">') == 1
    assert "<strong><bdi>YES, NO</bdi></strong>" in first
    assert "<strong><bdi>named</bdi></strong>" in second
    assert "unit docket 7" in text_of(second)


def test_many_discordant_cases_are_counted() -> None:
    page = comparison()
    many = tuple(replace(page.discordant[0], case=str(i)) for i in range(75))
    text = text_of(render_comparison(replace(page, discordant=many)))
    assert "Verdict-swap sensitivity: 75 cases" in text and "15 more cases not listed." in text


def test_a_bootstrap_test_says_so() -> None:
    page = comparison()
    (test, *rest) = page.tests
    other = replace(test, p=None, difference=replace(test.difference, p=0.004))
    text = text_of(render_comparison(replace(page, tests=(other, *rest))))
    assert "0 12 0.004 0.001 bootstrap" in text


def test_empty_comparison_page() -> None:
    text = text_of(render_comparison(ComparisonPage("t", "a", "", "one", "two", 0, ())))
    assert "one and two could not be tested against each other." in text
    assert "No measure was tested." in text


def test_axes_have_round_ends_and_hold_their_values() -> None:
    assert [t.label for t in share_axis().ticks] == ["0%", "25%", "50%", "75%", "100%"]
    assert share_axis(0.94).low == 0.9 and share_axis(0.3).low == 0.0
    assert [t.label for t in upward_axis(0.0348).ticks] == ["0%", "1%", "2%", "3%", "4%"]
    assert upward_axis(0.004).high == 0.004 and upward_axis(0.99).high == 1.0
    assert [t.label for t in difference_axis(0.15).ticks] == [
        f"{MINUS}20",
        f"{MINUS}10",
        "0",
        "+10",
        "+20",
    ]
    for size in (0.001, 0.02, 0.3, 1.0, 7.0):
        assert difference_axis(size).high >= min(1.0, size)
    assert difference_axis(0.1).at(0.0) == 50.0
    assert share_axis().at(1.7) == 100.0


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (0.0, "0.0%"),
        (0.0002, "under 0.1%"),
        (0.9998, "over 99.9%"),
        (1.0, "100.0%"),
        (0.5, "50.0%"),
    ],
)
def test_shares_never_round_to_all_or_nothing(value: float, says: str) -> None:
    assert share_words(value) == says


def test_signs() -> None:
    assert (signed(1.44, 1), signed(-2.0, 1), signed(-0.001, 1)) == ("+1.4", f"{MINUS}2.0", "0.0")
