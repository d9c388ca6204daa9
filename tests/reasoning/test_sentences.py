"""Sentence boundaries of legal text and of models' output."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decidendi.judgment import MissingExtraError
from decidendi.reasoning import Span, _sentences, sentences

TABLE = {
    "": [],
    " \n\t ": [],
    "<think></think>": [],
    "One.": ["One."],
    "No stop": ["No stop"],
    "Art. 8 § 1 applies. So does Art. 6.": ["Art. 8 § 1 applies.", "So does Art. 6."],
    "See Roe v. Wade, 410 U.S. 113 (1973). It held so.": [
        "See Roe v. Wade, 410 U.S. 113 (1973).",
        "It held so.",
    ],
    "Application no. 12345/06 was lodged. It failed.": [
        "Application no. 12345/06 was lodged.",
        "It failed.",
    ],
    "<think>\nFirst.\nSecond.</think>\nVERDICT: YES": ["First.", "Second.", "VERDICT: YES"],
    "<think>Open and": ["Open and"],
    "- one\n- two\n  - three": ["- one", "- two", "- three"],
    "1. Test\n2. Facts. They matter.": ["1. Test", "2. Facts.", "They matter."],
    "# Heading\nText begins here.": ["# Heading", "Text begins here."],
    "**Step 1**\nText.": ["**Step 1**", "Text."],
    "A paragraph\n\nanother": ["A paragraph", "another"],
    "Short line\nAnother line": ["Short line", "Another line"],
    "A line that was wrapped\nin the middle.": ["A line that was wrapped\nin the middle."],
    "A line long enough to have been wrapped by the European\nCourt of Human Rights.": [
        "A line long enough to have been wrapped by the European\nCourt of Human Rights."
    ],
    "Is $a. B$ fine? Yes.": ["Is $a. B$ fine?", "Yes."],
    r"Is \(a. B\) fine? Yes.": [r"Is \(a. B\) fine?", "Yes."],
    "It cost $5. Then $6. No maths.": ["It cost $5.", "Then $6.", "No maths."],
    "He said “No.” She left.": ["He said “No.”", "She left."],
    "| a | b |\n| c | d |": ["| a | b |", "| c | d |"],
}


@pytest.mark.parametrize(("text", "expected"), TABLE.items(), ids=repr)
def test_sentences(text, expected):
    assert [span.of(text) for span in sentences(text)] == expected


@given(
    st.lists(
        st.sampled_from(
            [
                "Art. 8 ",
                "word ",
                ". ",
                "\n",
                "\n\n",
                "- ",
                "$",
                "<think>",
                "</think>",
                "“a.” ",
                "\ud800",
                "No. ",
                "\\(",
                "\\)",
                "x\u200b",
                "? ",
                "A",
                "1. ",
            ]
        ),
        max_size=50,
    ).map("".join)
)
def test_offsets_are_exact_and_only_space_and_tags_are_left_out(text):
    spans = sentences(text)
    assert spans == sentences(text)
    position, gaps = 0, ""
    for span in spans:
        assert position <= span.start < span.end
        assert span.of(text) == span.of(text).strip()
        gaps += text[position : span.start]
        position = span.end
    gaps += text[position:]
    assert gaps.replace("<think>", "").replace("</think>", "").strip() == ""


def test_sums_of_money_are_no_formulas():
    text = (
        "The rule asks for more than $75,000. She claims $32,500 and $30,000. The sum is $62,500."
    )
    assert [span.of(text) for span in sentences(text)] == [
        "The rule asks for more than $75,000.",
        "She claims $32,500 and $30,000.",
        "The sum is $62,500.",
    ]
    formula = "Thus $x = 1. Then y = 2$ holds. Done."
    assert [span.of(formula) for span in sentences(formula)] == [formula[:-6], "Done."]


@pytest.mark.parametrize("word", ["sent", "met", "found", "Utah"])
def test_words_that_look_like_abbreviations_end_sentences(word):
    first, second = f"That is what was {word}.", "Here, Bram Farrow came late."
    text = f"{first} {second}"
    assert [span.of(text) for span in sentences(text)] == [first, second]


def test_a_very_long_sentence_is_kept_in_pieces():
    text = "word " * 100_000
    assert "".join(span.of(text) for span in sentences(text)).count("word") == 100_000


def test_says_which_extra_is_missing(monkeypatch):
    _sentences._tokenizer.cache_clear()
    monkeypatch.setitem(sys.modules, "nupunkt.models", None)
    with pytest.raises(MissingExtraError, match="install the extra legal"):
        sentences("One. Two.")
    monkeypatch.undo()
    _sentences._tokenizer.cache_clear()
    assert sentences("One. Two.") == [Span(0, 4), Span(5, 9)]
