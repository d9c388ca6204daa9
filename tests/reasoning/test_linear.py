"""A megabyte of anything is read in linear time: a tenth of it takes about a tenth of the time."""

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


def _seconds(text):
    begin = time.process_time()
    extract(
        read_output(text, masked=["End with\nVERDICT: YES or VERDICT: NO, nothing else."]), ECHR
    )
    spans = sentences(text)
    find_mentions(text, Names((Provision("8"),), ("criminal procedure",)), spans)
    return time.process_time() - begin


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_repetition(piece):
    # 30 kB each, and generous: quadratic work would take minutes on these.
    assert _seconds(piece * (30_000 // len(piece))) < 5


@pytest.mark.parametrize("piece", ["VERDICT: ", "therefore ", "\n"])
def test_a_megabyte(piece):
    text = piece * (1_000_000 // len(piece)) + "\nAll in all.\nVERDICT: NO"
    begin = time.process_time()
    assert extract(text, ECHR).verdict == "NO"
    assert time.process_time() - begin < 60


def test_ten_thousand_times_the_same_word_is_no_verdict():
    for word in ("yes ", "no ", "violation ", "VERDICT ", "YES. ", "3 "):
        assert extract(word * 10_000, ECHR).found is None
        assert extract(word * 10_000, choice_spec("01234")).found is None
    assert extract("VERDICT: NO\n" + "no " * 10_000, ECHR).verdict == "NO"
