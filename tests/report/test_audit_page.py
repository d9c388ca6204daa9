"""What an audit page says, and where its marks stand."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from _audit_pages import demonstration, one_model, six_models
from _report_pages import text_of

from decidendi.judgment import Reason, Unmeasured
from decidendi.report import (
    Answer,
    AuditPage,
    DifferenceFigure,
    InjectionFigures,
    ModelAudit,
    RateFigure,
    render_audit,
)


def share(hits: int, n: int) -> RateFigure:
    return RateFigure("", "", hits, n)


def with_model(**changes: Any) -> str:
    page = one_model()
    model = replace(demonstration(), **changes)
    return text_of(render_audit(replace(page, models=(model,))))


def row(text: str, name: str) -> str:
    """Return the text of a table's row up to a generous length."""
    return text.split(f" {name} ", 1)[1][:160]


def test_headline_answers_the_question() -> None:
    text = text_of(render_audit(one_model()))
    assert "Does the verdict follow the authority it cites? 9 of 27 verdicts changed" in text
    assert "named in 30 of 30 answers" in text
    assert "6 of 12 did." in text
    assert "got that verdict in 25 of 29 answers." in text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"swap": None}, "Whether the verdict follows the authority was not measured."),
        ({"swap": share(0, 0)}, "Undefined: no case has a verdict under both authorities."),
        ({"swap": share(0, 9)}, "None of 9 verdicts changed with the authority."),
        ({"swap": share(0, 1)}, "None of 1 verdict changed with the authority."),
        (
            {"swap": None, "masked": share(5, 24)},
            "5 of 24 verdicts changed when the name of the precedent was hidden.",
        ),
    ],
)
def test_headline_of_other_runs(changes: dict[str, Any], says: str) -> None:
    assert says in with_model(**changes)


@pytest.mark.parametrize(
    ("value", "ends", "says"),
    [
        (0.185, (0.02, 0.4), "That is more than a rewording of the question changes (by 18.5 "),
        (-0.1, (-0.2, -0.01), "That is less than a rewording of the question changes (by"),
        (0.185, (-0.04, 0.4), "That cannot be told apart from what a rewording"),
        (0.185, None, "Compared with a rewording of the question that is +18.5 points."),
    ],
)
def test_the_swap_is_set_against_a_rewording(
    value: float, ends: tuple[float, float] | None, says: str
) -> None:
    low, high = ends if ends else (None, None)
    net = DifferenceFigure("", "", value, 27, low, high)
    assert says in with_model(net=net)


def test_ranges_over_models() -> None:
    text = text_of(render_audit(six_models()))
    assert "31.0 to 58.6% of verdicts changed with the authority, over 6 models." in text
    assert "named in 80.0 to 100.0% of answers" in text
    assert "got that verdict in 73.3 to 96.4% of answers." in text


def test_paper_table_2_and_3() -> None:
    text = text_of(render_audit(six_models()))
    swaps = row(text, "Verdict-swap sensitivity")
    assert "33.3% 14.8 to 51.9% 9 of 27 3 left out 31.0% 13.8 to 48.3% 9 of 29" in swaps
    shares = "88.9% 24 of 27 82.8% 24 of 29 69.0% 20 of 29 48.1% 13 of 27 66.7% 20 of 30 83.3%"
    assert shares in text
    assert "13.8% 4 of 29 13.8% 4 of 29 23.3% 7 of 30 14.8% 4 of 27 16.7% 5 of 30" in text
    assert "86.2% 25 of 29 73.3% 22 of 30 90.0% 27 of 30 96.4% 27 of 28 86.7% 26 of 30" in text
    assert "16.7% 5 of 30 not measured" in text


def test_undefined_and_not_measured_are_told_apart() -> None:
    text = with_model(null=share(0, 0), unprompted=None, reengagement=share(3, 30))
    assert re.search(r"placeholder without legal standing undefined 0 of 0", text)
    assert "Not measured in this run: Unprompted; Committed before naming." in text
    assert "Post-commitment re-engagement" in text


def test_what_is_left_out_is_listed_by_reason() -> None:
    text = text_of(render_audit(one_model()))
    assert "Null authority null: not-converged 1" in text
    assert "Null authority target: not-converged 3" in text
    assert "5 of 26 4 left out" in text


def test_demonstrations_say_so() -> None:
    text = text_of(render_audit(one_model()))
    says = "SmolLM2-135M-Instruct demonstrates; its reasoning means nothing."
    assert f"A demonstration. {says}" in text
    assert "means nothing" not in with_model(demonstration=False)
    page = six_models()
    two = tuple(replace(m, demonstration=i < 2) for i, m in enumerate(page.models))
    both = text_of(render_audit(replace(page, models=two)))
    assert "Qwen3-8B, Qwen3-14B demonstrate; their reasoning means nothing." in both


def test_marks_stand_at_their_shares() -> None:
    html = render_audit(one_model())
    order = html.split('id="order"')[1].split("</table>")[0]
    assert re.findall(r'class="mark" x="([\d.]+)%"', order) == ["14.81", "33.33", "86.21", "73.33"]
    ends = re.findall(r'class="low-high" x1="([\d.]+)%" x2="([\d.]+)%"', order)
    assert ends[1] == ("14.8", "51.9")
    assert '<circle class="ring"' in order and '<rect class="at"' in order


@pytest.mark.parametrize(
    ("hits", "says"),
    [((4, 9, 25), "holds in this sample"), ((9, 9, 25), "does not hold in this sample")],
)
def test_the_order_is_read_off_the_shares(hits: tuple[int, int, int], says: str) -> None:
    a, b, c = (share(n, 30) for n in hits)
    text = with_model(paraphrase=a, swap=b, injection=InjectionFigures(compliance=c))
    assert f"The order paraphrase < swap < injection {says}." in text.replace("&lt;", "<")


def test_hidden_precedents_have_words_of_their_own() -> None:
    text = with_model(swap=None, masked=share(9, 27)).replace("&lt;", "<")
    assert "9 of 27 verdicts change with the precedent unnamed" in text
    assert "moves when the precedent it rests on is hidden" in text
    assert "The order paraphrase < mask < injection holds in this sample." in text
    assert "Precedent hidden 33.3%" in text
    assert "Verdict-swap" not in text


def test_order_over_models_counts_only_those_that_have_all_three() -> None:
    text = text_of(render_audit(six_models())).replace("&lt;", "<")
    assert "holds in the sample for all of the 5 models that have all three." in text


def test_changes_in_prompts_are_marked_word_by_word() -> None:
    html = render_audit(one_model())
    plain = re.sub(r'<span class="hidden">[^<]*</span>', "", html)
    assert "Was Article <del>8</del><ins>3</ins> of the Convention" in plain
    assert "<ins>[Registry note:" in plain
    # whoever hears the page is told what the strokes show
    assert '<del><span class="hidden">[removed: </span>8<span class="hidden">]</span></del>' in html
    # the facts stand once as text, and once in the folded prompt
    assert html.count("removed two boxes of letters") == 2


def test_answers_say_how_the_verdict_was_found() -> None:
    text = text_of(render_audit(one_model()))
    for says in (
        "read from the marker; margin +1.92 nats",
        "read from its wording; as under the target; margin +1.55 nats",
        "forced: its reasoning was closed and the answer asked for",
        "no verdict not-converged: no marker and no conclusion",
        "no verdict error: the provider withheld the answer It wrote nothing.",
        "NO not as required read from the marker; another verdict than under the target",
    ):
        assert says in text


def test_mentions_are_marked_and_counted() -> None:
    html = render_audit(one_model())
    assert "<mark>Article 8</mark>. The flat was her home" in html
    assert '<mark class="found">VERDICT: YES</mark>' in html
    assert "<summary>Answer: names the authority twice</summary>" in html
    assert "<summary>Answer: does not name the authority</summary>" in html
    assert "<details open" not in html


def test_long_answers_are_cut_and_the_cut_is_said() -> None:
    text = text_of(render_audit(one_model()))
    assert "… 76,010 more characters" in text
    assert "All of the facts (6,379 characters)" in text
    assert text.count("because") < 600


def many_answers(cases: int) -> AuditPage:
    page = one_model()
    case = page.cases[0]
    rambling = tuple(
        replace(c, answers=(Answer("m", "YES", "word " * 2_000),)) for c in case.conditions
    )
    one = replace(case, conditions=rambling)
    many = tuple(replace(one, case=f"case {i}") for i in range(cases))
    return replace(page, cases=many, total=cases)


def test_many_cases_are_bounded_together() -> None:
    html = render_audit(many_answers(200))
    assert html.count('<article class="case"') == 60
    assert "140 further cases of this run are not shown." in html
    assert len(html) < 3_000_000


def test_cells_of_the_overview_name_model_and_verdict() -> None:
    html = render_audit(six_models())
    glance = html.split('class="glance"')[1].split("</table>")[0]
    cells = re.findall(r"<td>.*?</td>", glance)
    assert [cell.count('class="chip') for cell in cells] == [6, 6, 6, 6]
    assert "<bdi>Qwen3-14B</bdi>: <bdi>NO</bdi>" in cells[1]
    assert "<bdi>no verdict</bdi>" in cells[2]


def test_conditions_a_case_cannot_be_put_under_are_named() -> None:
    text = text_of(render_audit(one_model()))
    assert "Not put under: Injection (no gold under the target)." in text


def test_bare_run_has_a_page() -> None:
    page = AuditPage("own", "a clause", "", ("YES", "NO"), (ModelAudit("m", 0),), ())
    text = text_of(render_audit(page))
    assert "Whether the verdict follows the authority was not measured." in text
    assert "Neither a rewording nor an injection was run." in text
    assert "so no order is stated" in text


def test_a_case_without_target_shows_no_comparison() -> None:
    page = one_model()
    case = replace(page.cases[0], conditions=page.cases[0].conditions[1:2])
    html = render_audit(replace(page, cases=(case,)))
    assert "<del><span" not in html
    assert "asked about <bdi>Article 3</bdi>" in html


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_can_be_shown(reason: Reason) -> None:
    page = one_model()
    case = page.cases[0]
    answer = Answer("m", Unmeasured(reason), "")
    target = replace(case.conditions[0], answers=(answer,))
    html = render_audit(replace(page, cases=(replace(case, conditions=(target,)),)))
    assert f"no verdict {reason.value} It wrote nothing." in text_of(html)
