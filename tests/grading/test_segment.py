"""Chains of every layout come apart; what has no parts says so."""

import pytest

from decidendi.grading import MOST, content_matches, segment
from decidendi.judgment import Unmeasured
from decidendi.legal import Option

YES_NO = (Option("YES", "The requirements are met"), Option("NO", "The requirements are not met"))
LETTERS = (
    Option("A", "Yes, because the answer came in time"),
    Option("B", "No, because the answer came too late"),
    Option("C", "No, because service was waived"),
)
STEPS = (
    "The rule gives 21 days.",
    "The answer came on day 30, see Smith v. Jones.",
    "It was late.",
)


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("1. {}\n2. {}\n3. {}\n\nANSWER: B", "numbered"),
        ("(1) {}\n(2) {}\n(3) {}\nThe answer is B.", "numbered"),
        ("Let's think step by step.\n\n1) {}\n\n2) {}\n\n3) {}\n\n**Answer: (B)**", "numbered"),
        ("Step 1: {}\nStep 2: {}\nStep 3: {}\n\nFinal Answer: B", "numbered"),
        ("**Step 1:** {}\n**Step 2:** {}\n**Step 3:** {}\n\nANSWER: B", "numbered"),
        ("### Step 1: Rule\n{}\n### Step 2: Facts\n{}\n### Step 3: Result\n{}\n\nANSWER: B",
         "numbered"),
        ("**Analysis**\n\n- {}\n- {}\n- {}\n\n**Conclusion:** B", "bulleted"),
        ("* {}\n* {}\n* {}\n\nANSWER: B", "bulleted"),
        ("{} {} {}\n\nANSWER: B", "prose"),
        ("<think>{} {} {}</think>\n\nANSWER: B", "prose"),
        ("<think>\n1. {}\n2. {}\n3. {}\n</think>\n\\boxed{{B}}", "numbered"),
        ("Okay, let me reason about this.\n{}\n\n{}\n\n{}\n\nI choose option B.", "prose"),
    ],
)  # fmt: skip
def test_layouts(text, layout):
    found = segment(text.format(*STEPS), LETTERS)
    assert found.premises == STEPS
    assert (found.layout, found.chosen) == (layout, "B")
    assert "B" in found.conclusion


def test_spans_point_into_the_text():
    text = "1. {}\n2. {}\n3. {}\nANSWER: A".format(*STEPS)
    found = segment(text, LETTERS)
    assert [text[a:b].split(". ", 1)[1] for a, b in found.spans] == list(STEPS)


def test_lists_inside_items_stay_inside():
    text = "1. The rule has two parts.\n   - days\n   - service\n2. It was late.\nANSWER: B"
    assert segment(text, LETTERS).premises == (
        "The rule has two parts. - days - service",
        "It was late.",
    )


def test_years_and_quoted_numbers_do_not_begin_items():
    text = "1. Filed in\n2021. That is early.\n2. Served in June.\nANSWER: A"
    assert segment(text, LETTERS).premises == ("Filed in 2021. That is early.", "Served in June.")


def test_a_drawn_conclusion_belongs_to_the_choice_an_inference_stays_a_premise():
    words = (
        "It came on day 30. So it was late.\nTherefore, the requirements are not met.\nANSWER: NO"
    )
    found = segment(words, YES_NO)
    assert found.premises == ("It came on day 30.", "So it was late.")
    assert found.conclusion == "Therefore, the requirements are not met. ANSWER: NO"
    alone = segment("It came on day 30.\nThus it was late.\nANSWER: B", LETTERS)
    assert alone.premises == ("It came on day 30.", "Thus it was late.")


def test_the_answer_may_come_first_and_reasons_after_it():
    found = segment("ANSWER: B\n\n1. The rule gives 21 days.\n2. It came on day 30.", LETTERS)
    assert (found.chosen, found.conclusion) == ("B", "ANSWER: B")
    assert found.premises == ("The rule gives 21 days.", "It came on day 30.")


def test_an_option_is_found_by_its_text():
    found = segment("It came on day 30.\nANSWER: No, because the answer came too late.", LETTERS)
    assert found.chosen == "B"


@pytest.mark.parametrize("text", ["", "   \n ", "ANSWER: B", "## Analysis\n\nANSWER: B"])
def test_no_premises_is_a_reason_and_no_empty_chain(text):
    found = segment(text, LETTERS)
    assert isinstance(found.premises, Unmeasured)
    assert found.premises.detail in ("the output is empty", "a conclusion without premises")


def test_one_premise_is_a_chain():
    found = segment("1. The answer came on day 30.\nANSWER: B", LETTERS)
    assert found.premises == ("The answer came on day 30.",)


def test_no_conclusion_leaves_the_premises_and_no_choice():
    found = segment("The rule gives 21 days. It came on day 30.", LETTERS)
    assert len(found.premises) == 2
    assert isinstance(found.chosen, Unmeasured)
    assert found.conclusion == ""
    both = segment("The rule gives 21 days.\nANSWER: A or B", LETTERS)
    assert isinstance(both.chosen, Unmeasured)


def test_without_options_a_drawn_last_sentence_concludes():
    found = segment("Half of it is 6. So the answer is 6.")
    assert found.premises == ("Half of it is 6.",)
    assert found.conclusion == "So the answer is 6."
    assert isinstance(found.chosen, Unmeasured)


def test_too_many_premises_are_unmeasured_and_never_cut():
    lines = [f"{n}. Premise number {n} is said." for n in range(1, MOST + 2)]
    full = segment("\n".join(lines[:MOST]) + "\nANSWER: B", LETTERS)
    assert len(full.premises) == MOST
    more = segment("\n".join(lines) + "\nANSWER: B", LETTERS)
    assert isinstance(more.premises, Unmeasured)
    assert "201" in more.premises.detail
    assert more.chosen == "B"


def test_content_is_compared_by_words():
    said = "So no, because service was waived. ANSWER: B"
    assert content_matches(said, LETTERS, "B") is False
    assert content_matches(said, LETTERS, "C") is True
    assert content_matches("ANSWER: B", LETTERS, "B") is None
    assert content_matches("The requirements are NOT met.", YES_NO, "NO") is True
    assert content_matches("The requirements are NOT met.", YES_NO, "YES") is False


def test_of_two_texts_one_within_the_other_the_longer_counts():
    options = (Option("A", "the claim is barred"), Option("B", "the claim is barred by waiver"))
    assert content_matches("Thus the claim is barred by waiver.", options, "B") is True
    assert content_matches("Thus the claim is barred by waiver.", options, "A") is False
    assert content_matches("Thus the claim is barred.", options, "A") is True
