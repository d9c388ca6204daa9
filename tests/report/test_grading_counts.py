"""What stands beside the figures of a graded run's page: both coefficients, and honest counts."""

from __future__ import annotations

from dataclasses import replace

from _grading_pages import corrected, graded, too_few
from _report_pages import text_of

from decidendi.report import AgreementFigure, GradingPage, render_grading


def says(page: GradingPage) -> str:
    return text_of(render_grading(page))


def test_alpha_stands_beside_kappa_and_one_reason_is_given_once() -> None:
    page = graded()
    text = says(page)
    assert (
        "Agreement beyond chance: kappa = 0.41 (0.28 to 0.53); alpha = 0.40 (0.27 to 0.52)." in text
    )
    assert page.record is not None
    nothing = replace(
        page.record.premises,
        kappa=AgreementFigure("", "kappa", None, 604, why="only one class"),
        alpha=AgreementFigure("", "alpha", None, 604, why="only one class"),
    )
    assert "Agreement beyond chance: undefined: only one class." in says(
        replace(page, record=replace(page.record, premises=nothing))
    )


def test_what_the_judges_mean_stands_in_for_is_counted() -> None:
    said = "without a label by the judge: its mean stands in"
    assert said not in says(graded())
    page = graded()
    assert page.soundness.corrected is not None and page.kinds[0].corrected is not None
    page = replace(
        page,
        correctness=replace(
            page.correctness, corrected=replace(corrected(35, 27, 45, 75, 272), stood_in=28)
        ),
        soundness=replace(
            page.soundness, corrected=replace(too_few(12, 2388, 91, 350), stood_in=29)
        ),
        kinds=(
            replace(page.kinds[0], corrected=replace(page.kinds[0].corrected, stood_in=1_030)),
            *page.kinds[1:],
        ),
    )
    text = says(page)
    assert f"75 labelled of 272 28 left out 28 {said}" in text
    assert f"12 labelled of 2,388 29 {said}. 12 labelled, at least 20 needed" in text
    assert f"corrected 1,030 {said}" in text
