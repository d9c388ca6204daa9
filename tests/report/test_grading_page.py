"""What the page of a graded run says, and that it says what its figures are worth."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from _grading_pages import corrected, gap, graded, kappa, many_premises, rate, served, too_few
from _report_pages import text_of

from decidendi.judgment import Reason, Unmeasured
from decidendi.report import (
    AgreementFigure,
    ClassFigure,
    GradedFigure,
    GradingPage,
    JudgeFigure,
    MarkFigure,
    MatrixFigure,
    PremiseFigure,
    RateFigure,
    render_grading,
)

UNCHECKED = "not validated"


def unvalidated(page: GradingPage | None = None) -> GradingPage:
    """The page of a run whose judge nobody has compared with people."""
    page = page or graded()

    def alone(figure: GradedFigure) -> GradedFigure:
        return replace(figure, corrected=None, other=None, people=None)

    return replace(
        page,
        record=None,
        accuracy=alone(page.accuracy),
        soundness=alone(page.soundness),
        correctness=alone(page.correctness),
        gap=alone(page.gap),
        kinds=tuple(map(alone, page.kinds)),
        sub_kinds=tuple(map(alone, page.sub_kinds)),
        classes=tuple(map(alone, page.classes)),
        chains=tuple(replace(chain, labelled=False) for chain in page.chains),
    )


def with_record(**changes: Any) -> GradingPage:
    page = graded()
    assert page.record is not None
    return replace(page, record=replace(page.record, **changes))


def lede(page: GradingPage) -> str:
    return text_of(render_grading(page).split("<h1>")[1].split("<nav")[0])


def says(page: GradingPage) -> str:
    return text_of(render_grading(page))


def one_class(recall: RateFigure, precision: RateFigure) -> tuple[ClassFigure, ...]:
    return (ClassFigure("in error", precision, recall, rate(1, 2, 10, 90)),)


def matrix(recall: RateFigure, precision: RateFigure, agreement: AgreementFigure) -> MatrixFigure:
    old = graded().record
    assert old is not None
    return replace(old.premises, classes=one_class(recall, precision), kappa=agreement)


def test_headline_sets_the_corrected_figure_beside_the_judges() -> None:
    text = lede(graded())
    assert text.startswith(
        " 35.8% of chains are correct, once corrected. The judge alone says 28.3%."
    )
    assert (
        "Against people, on 80 chains: it finds 34 of 39 chains in which they see an error" in text
    )
    assert "and sees one in 11 of 36 in which they see none." in text


def test_a_poor_record_is_called_poor_with_its_figures() -> None:
    text = lede(graded())
    assert "Its record is poor, and its own figures are not to be relied on" in text
    assert "of the premises that people call wrong it finds 56.1% (40.5 to 71.1%)" in text
    assert "of the premises that it calls wrong, people agree on 38.3% (27.8 to 50.0%)" in text
    assert "agreement beyond chance is kappa = 0.41 (0.28 to 0.53)" in text
    # what may be above the bound as well as below it does not make a record poor
    assert "75.6%" not in text


def test_a_record_that_may_be_good_or_poor_is_called_open() -> None:
    unsure = matrix(rate(6, 8, 40, 93), rate(6, 8, 40, 93), kappa(0.7, 0.3, 0.9))
    text = lede(with_record(premises=unsure, wholes=unsure))
    assert "Its record leaves open whether its own figures can be relied on" in text
    assert "it finds 75.0% (40.0 to 93.0%)" in text
    assert "poor" not in text


def test_agreement_without_any_spread_proves_nothing() -> None:
    good = matrix(rate(190, 200, 91, 97), rate(190, 200, 91, 97), kappa(0.0, 0.0, 0.0, 14))
    text = lede(with_record(premises=good, wholes=good))
    assert "Its record leaves open whether" in text
    assert "agreement beyond chance is kappa = 0.00 (0.00 to 0.00)" in text


def test_a_good_record_is_not_praised_beyond_its_bounds() -> None:
    good = matrix(rate(190, 200, 91, 97), rate(190, 200, 91, 97), kappa(0.93, 0.9, 0.96))
    text = lede(with_record(premises=good, wholes=good))
    assert "By the bounds that this page uses its record is neither poor nor open." in text


def test_a_record_of_nothing_is_neither() -> None:
    page = graded()
    assert page.record is not None
    nothing = MatrixFigure(
        ("sound", "in error"),
        ((0, 0), (0, 0)),
        RateFigure("", "", 0, 0),
        AgreementFigure("", "kappa", None, 0, why="fewer than two labels"),
        AgreementFigure("", "alpha", None, 0, why="fewer than two labels"),
        one_class(RateFigure("", "", 0, 0), RateFigure("", "", 0, 0)),
        {"judge: error": 7},
    )
    page = with_record(premises=nothing, wholes=nothing)
    text = says(page)
    assert "the two never labelled the same chain whole." in text
    assert "neither poor nor open" not in text
    assert "Nothing to compare: no item has a label by both." in text
    assert "Left out: 7 judge: error." in text


@pytest.mark.parametrize(
    ("stands", "words"),
    [
        (True, "by the judge alone stands: corrected"),
        (False, "by the judge alone does not stand: corrected"),
        (None, "by the judge alone is neither confirmed nor refuted: corrected"),
    ],
)
def test_the_judged_gap_is_set_against_people(stands: bool | None, words: str) -> None:
    text = lede(with_record(gap_stands=stands))
    assert "The gap of 56.2 points between accuracy and correctness" in text
    assert f"{words} by what people labelled it is 40.3 points (30.0 to 50.6)." in text


def test_too_few_labels_say_how_many_there_should_be() -> None:
    page = graded()
    text = says(page)
    needed = "12 labelled, at least 20 needed; labels of 91 of 2,388 judged premises would give ±5"
    assert f"Not enough labels for soundness: {needed} points." in text
    assert f"12 labelled of 2,388 {needed} points." in text  # in its cell of the table
    beyond = "2,388 judged premises would be too few for ±5 points: 4,000 are needed."
    assert beyond in text
    rare = replace(page, soundness=replace(page.soundness, corrected=too_few(952, 2388, 20, 300)))
    assert "labels of 20 of" not in says(rare)  # there are more: their number is not lacking
    short = replace(page, correctness=replace(page.correctness, corrected=too_few(8, 272, 90, 300)),
                    gap=replace(page.gap, corrected=too_few(8, 272, 90, 300)))  # fmt: skip
    text = lede(short)
    assert (
        "The judge calls 28.3% of chains correct. What is so is not known: too few chains" in text
    )
    assert "is not confirmed: too few chains have a label by both." in text


def test_without_a_record_every_judged_figure_is_marked() -> None:
    html = render_grading(unvalidated())
    text = text_of(html)
    assert "Not validated: no record of this judge. Raw figures are what the judge says" in text
    assert "What is so is not known: nobody has checked this judge." in text
    assert "There is no record of this judge." in text
    table = html.split('id="rates"')[1].split("</table>")[0]
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", table, re.S)
    marked = [UNCHECKED in row for row in rows]
    assert marked == [False, True, True, True]  # accuracy needs no judge
    for section in ("kinds", "classes"):
        plot = html.split(f'id="{section}"')[1].split("</section>")[0]
        for row in re.findall(r"<tr><th scope=\"row\">.*?</tr>", plot, re.S):
            assert "the judge alone, not validated" in row
    assert "Premises, by the judge, not validated" in text
    assert "Nobody has compared it with people on these chains" in text
    assert "People among themselves" not in text


def test_with_a_record_nothing_is_called_unvalidated() -> None:
    assert UNCHECKED not in says(graded()).lower()


def test_raw_corrected_and_human_figures_stand_side_by_side() -> None:
    text = says(graded())
    row = text.split("whose conclusion is correct ")[1][:220]
    assert "28.3% 23.3 to 33.9% 77 of 272 28 left out" in row
    assert "35.8% 27.4 to 45.3% 75 labelled of 272 28 left out" in row
    assert re.findall(r"([\d.]+%) [\d.]+ to", row) == ["28.3%", "35.8%", "33.1%", "37.5%"]
    heads = ("The judge alone", "Corrected", "Corrected otherwise", "People alone")
    order = [text.index(f" {head} ", text.index("Rate The judge alone")) for head in heads]
    assert order == sorted(order)
    assert "37.5% 27.7 to 48.5% 30 of 80" in row
    assert "The judge alone Soundness not-converged 29" in text
    assert "84.3% 79.8 to 88.0% 253 of 300 needs no judge needs no judge 85.0%" in text


def test_kinds_are_drawn_by_judge_corrected_and_people() -> None:
    html = render_grading(graded())
    kinds = html.split('id="kinds"')[1].split("</table>")[0]
    assert re.findall(r'class="mark" x="([\d.]+)%"', kinds)[:2] == ["65.95", "63.75"]
    assert "not enough labels" in kinds
    assert "Most frequent, as the judge says: misinterpretation" in says(graded())
    whole = tuple(replace(k, corrected=corrected(2, 1, 3, 600, 2388)) for k in graded().kinds)
    assert "Most frequent, as corrected:" in says(replace(graded(), kinds=whole))


def test_a_judge_that_looked_for_some_kinds_alone_calls_nothing_sound() -> None:
    nothing = RateFigure("", "", 0, 0)
    page = unvalidated()
    partly = replace(
        page,
        soundness=replace(page.soundness, judged=nothing),
        correctness=replace(page.correctness, judged=nothing),
        kinds=(page.kinds[0], *(replace(kind, judged=nothing) for kind in page.kinds[1:])),
        chains=(
            replace(
                served(),
                premises=(
                    PremiseFigure("One.", None, limits="looked for and not found: a kind"),
                    PremiseFigure("Two.", (MarkFigure("Misinterpretation"),), limits="alone"),
                ),
            ),
        ),
    )
    html = render_grading(partly)
    text = text_of(html)
    assert "No premise is known to be sound: only some kinds of error were looked for." in text
    assert "no label looked for and not found: a kind" in text
    assert "M Misinterpretation alone" in text
    assert "Most frequent" not in text
    assert "Sound" not in html.split('<ol class="premises">')[1].split("</ol>")[0]


def test_labels_that_end_with_the_first_error_give_no_shares_of_premises() -> None:
    page = graded()
    bare = GradedFigure("Soundness", "premises", None, items="premise")
    text = says(replace(page, stopping=True, kinds=(), sub_kinds=(), soundness=bare))
    assert "Labels here end with the first error and say nothing of what follows." in text
    assert "a share of premises would count what nobody looked at" in text
    assert "premises not given not given not given not given" in text
    unnamed = says(replace(page, kinds=(), sub_kinds=()))
    assert "Errors were labelled without their kinds, so there is no share of any." in unnamed


def test_the_record_is_shown_people_first() -> None:
    text = says(graded())
    order = [
        "People among themselves",
        "The judge against most people",
        "Each kind of error against all else",
        "The first error Of 39",
        "Where people agree, and where they do not",
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    assert "ann labelled 80 chains; bea labelled 60 chains" in text
    assert "People agree little among themselves on Factual hallucination, alpha = 0.37" in text
    assert "Irrelevant premise alpha undefined n = 602 only one class" in text
    assert "21 premises left out of the record because they follow from an earlier error" in text
    assert "names the same premise first in 19, an earlier one in 10, a later one in 5" in text
    assert "designed on pilot-2025 compared with people on 80 chains of planted-2026" in text
    assert "detectors general, misinterpretation, relevance, hallucination" in text


def test_confusion_matrices_have_people_in_rows() -> None:
    html = render_grading(graded())
    table = html.split("Is a premise in error?</h4>")[1].split("</table>")[0]
    rows = [re.findall(r">([\d,]+)</td>", row) for row in table.split("<tr>")[2:]]
    assert rows == [["526", "37"], ["18", "23"]]
    assert table.count("both") == 2


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        (JudgeFigure("embedded/1", demonstration=True),
         "embedded/1 demonstrates; its reasoning means nothing, and nor do its labels."),
        (JudgeFigure("scripted/1", scripted=True, dry_run=True),
         "A dry run. The labels of scripted/1 are made up"),
        (JudgeFigure("scripted/1", scripted=True), "A script answered as scripted/1, not a model"),
        (JudgeFigure("exact/1", exact=True), "leaves all others unmeasured."),
    ],
)  # fmt: skip
def test_judges_that_are_no_models_say_so(judge: JudgeFigure, words: str) -> None:
    assert words in says(replace(graded(), judge=judge))
    assert words not in says(graded())


def test_premises_are_marked_in_words_by_judge_and_people() -> None:
    html = render_grading(replace(graded(), chains=(served(),)))
    items = [text_of(item) for item in html.split('<ol class="premises">')[1].split("<li")[1:]]
    premises = "".join(items).split("She was served on March 3.")[1]
    assert premises.lstrip().startswith("judge and people differ")
    text = text_of(html)
    assert "judge S Sound people first error M Misinterpretation: Temporal 2 of 3 see" in text
    assert "Reason March 3 is the day of the waiver; service was on March 9." in text
    assert "M Misinterpretation: Temporal I Irrelevant premise Reason" in text
    assert "follows from an earlier error" in text
    assert "! unmeasured not-converged: prose where labels were asked for" in text
    assert "class by the judge unmeasured, not-converged: prose" in text
    assert "class by people Wrong from false premises (what the conclusion says" in text
    assert "right option YES" in text


def test_unmeasured_is_never_shown_as_sound() -> None:
    failed = PremiseFigure("One.", Unmeasured(Reason.TIMEOUT, "no answer"), None)
    html = render_grading(replace(graded(), chains=(replace(served(), premises=(failed,)),)))
    marks = html.split('<ol class="premises">')[1].split("</ol>")[0]
    assert "Sound" not in marks
    assert "timeout: no answer" in marks and "no label" in marks


def test_nobody_is_said_to_differ_where_one_side_has_no_label() -> None:
    error = (MarkFigure("Misinterpretation"),)
    closer = (MarkFigure("Misinterpretation", "Temporal", "it was March 9"),)
    rows = (PremiseFigure("One.", error, None), PremiseFigure("Two.", error, closer))
    html = render_grading(replace(graded(), chains=(replace(served(), premises=rows),)))
    assert "judge and people differ" not in html


def test_a_question_shared_by_chains_is_shown_once() -> None:
    html = render_grading(graded())
    assert html.count("<bdi>Rule 12(a): 21 days after being served.") == 1
    again = '<p class="note">Question and source are those of the <a href="#chain-1">'
    assert html.count(again) == 1


def test_long_chains_and_many_of_them_are_bounded_and_the_rest_is_counted() -> None:
    page = graded()
    text = says(replace(page, chains=(many_premises(),)))
    assert "19 more premises not shown, 1 of them in error by the judge." in text
    assert "unmeasured, not-converged: no option in what it wrote" in text
    big = replace(
        served(),
        premises=tuple(PremiseFigure("word " * 2_000, ()) for _ in range(200)),
        source="source " * 20_000,
    )
    many = tuple(replace(big, chain=f"chain {i}", source=f"{i}{big.source}") for i in range(400))
    html = render_grading(replace(page, count=10_000, chains=many))
    assert html.count('<article class="case"') == 40
    assert "9,960 further chains of this run are not shown; chains.jsonl and labels.jsonl" in html
    assert len(html) < 4_000_000


def test_premises_that_could_not_be_told_apart_show_what_was_written() -> None:
    text = says(graded())
    assert "its premises could not be told apart (not-converged: more than 200 premises)" in text
    assert "What it wrote (7,200 characters)" in text
    assert "none told apart" in text


def test_a_bare_run_has_a_page() -> None:
    nothing = RateFigure("", "", 0, 0)
    figure = GradedFigure("Rate", "of nothing", nothing)
    page = GradingPage(
        JudgeFigure("j/1"), "t/1", 0, 0, figure, figure, figure,
        GradedFigure("Gap", "", gap(0, 0, 0, 0)), (), (), (), stopping=False, marks=("A kind",),
    )  # fmt: skip
    text = says(page)
    assert "Nothing here could be scored." in text
    assert "undefined 0 of 0" in text
