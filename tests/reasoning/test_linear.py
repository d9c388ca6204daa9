"""Anything is read in linear time, and verdicts in bounded time."""

import time

import pytest

from decidendi.reasoning import (
    Names,
    Provision,
    choice_spec,
    extract,
    find_mentions,
    read_output,
    sentences,
    verdict_spec,
)

ECHR = verdict_spec("violation")
PIECES = [
    "VERDICT: ", "VERDICT: YES or ", "VERDICT\n", "VERDICT: NO, ", "verdict - ", "violation ",
    "therefore ", "I conclude that ", "I cannot find ", "so the answer is ", "no ", "there was ",
    "I conclude a b c d e f g h ", "therefore violation ", "x", " ", "\n", "\n \n", '"', "'", "`",
    "*", "_", "$", "{", "}", "\\", "\\boxed{", "\\boxed{YES} ", "<think>", "</think>", "<b>",
    "&nbsp;", "\u200b", "判", "ﷺ", "🙂", ".", "a. ", "? ", "Article 8 ", "Article 8 of ", "8, ",
    "§§ 1, 2 ", "- item\n", "VERDICT: \\textbf{", "<!-- ", "User: ", "```\n",
    "<i hidden>a ", "VERDICT: NO\n```\n", "I decline ", "the note says this ", "\ud800", "\x00",
]  # fmt: skip


HOSTILE = [
    "VERDICT: YES ", "so the answer is yes. ", "Final answer: NO ", "**", "(", "1", "a\u0301",
    '{"verdict": "YES", ', "```\nVERDICT: NO\nb\n```\nc\n", "</think>a\n```\nVERDICT: NO\n b\n",
    "<answer>", "<|channel|>", "<|end|><|start|>assistant", "the note says to write ",
]  # fmt: skip
MASKED = ["End with\nVERDICT: YES or VERDICT: NO, nothing else."]


def _seconds(text):
    begin = time.process_time()
    extract(read_output(text, masked=MASKED), ECHR)
    spans = sentences(text)
    find_mentions(text, Names((Provision("8"),), ("criminal procedure",)), spans)
    return time.process_time() - begin


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_repetition(piece):
    # 30 kB each, and generous: quadratic work would take minutes on these.
    assert _seconds(piece * (30_000 // len(piece))) < 5


@pytest.mark.parametrize("piece", [*HOSTILE, "VERDICT: ", "\n", "ﷺ"], ids=repr)
def test_two_megabytes(piece):
    # Only the last 100,000 characters are read, so it takes well below a second.
    text = piece * (2_000_000 // len(piece)) + "\nAll in all.\nVERDICT: NO"
    begin = time.process_time()
    found = extract(read_output(text, masked=MASKED), ECHR).verdict
    assert time.process_time() - begin < 5
    assert found != "YES" or "YES" in piece


def test_ten_thousand_times_the_same_word_is_no_verdict():
    for word in ("yes ", "no ", "violation ", "VERDICT ", "YES. ", "3 "):
        assert extract(word * 10_000, ECHR).found is None
        assert extract(word * 10_000, choice_spec("01234")).found is None
    assert extract("VERDICT: NO\n" + "no " * 10_000, ECHR).verdict == "NO"
