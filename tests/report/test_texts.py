"""Words, numbers and comparisons."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decidendi.report import Members, receipt_label
from decidendi.report._diff import Comparison, Piece, side_by_side
from decidendi.report._palette import Palette
from decidendi.report._text import fitted, percent, shown, visible, width

G, N, A = ("grounds",), ("norms",), ("authority",)


@pytest.mark.parametrize(
    ("members", "label"),
    [
        ((), "no receipt"),
        ((N,), "norms alone"),
        ((G + N,), "grounds and norms together"),
        ((G + N + A,), "grounds, norms and authority together"),
        ((G, N), "either grounds or norms"),
        ((G, N, A), "any one of grounds, norms or authority"),
        ((G, N + A), "either grounds alone, or norms and authority together"),
    ],
)
def test_receipt_in_words(members: Members, label: str) -> None:
    assert receipt_label(members) == label


def test_many_minimal_sets_are_counted() -> None:
    members = tuple((f"k{i}",) for i in range(6))
    assert receipt_label(members).endswith("or 2 other minimal sets")


@pytest.mark.parametrize(
    ("part", "whole", "says"),
    [
        (0, 0, "undefined"),
        (0, 9, "0.0%"),
        (1, 3, "33.3%"),
        (9, 9, "100.0%"),
        (1, 100_000, "under 0.1%"),
        (99_999, 100_000, "over 99.9%"),
    ],
)
def test_percent_never_rounds_to_all_or_nothing(part: int, whole: int, says: str) -> None:
    assert percent(part, whole) == says


@given(st.text(), st.integers(1, 30))
def test_fitted_text_fits(text: str, columns: int) -> None:
    assert width(fitted(text, columns)) <= columns


@given(st.text(st.characters()))
def test_visible_text_is_stable_and_can_be_written(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    visible(text).encode("utf-8")


def test_cut_says_how_much() -> None:
    cut = f'<bdi>{"x" * 100}</bdi><span class="cut">… 9,900 more characters</span>'
    assert shown("x" * 10_000, 100) == cut
    assert shown("a" * 105, 100) == f"<bdi>{'a' * 105}</bdi>"  # a note would be longer


def test_verdict_codes_differ() -> None:
    for labels in (("approve", "deny", "refer"), ("allow", "abstain"), ("0", "1", "2"), ("…", "—")):
        palette = Palette(labels)
        assert len({palette[label].code for label in labels}) == len(labels)


def old_text(comparison: Comparison) -> list[str]:
    return [_join(row.old) for row in comparison.rows if row.old_no]


def revised_text(comparison: Comparison) -> list[str]:
    return [_join(row.revised) for row in comparison.rows if row.revised_no]


def _join(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


lines = st.lists(st.sampled_from(["a b c", "a b d", "x", "", "limit <= 30", "limit <= 14"]))


@given(lines, lines)
def test_comparison_tells_both_texts_and_invents_nothing(old: list[str], new: list[str]) -> None:
    comparison = side_by_side("\n".join([*old, "end"]), "\n".join([*new, "end"]))
    seen_old = {row.old_no: _join(row.old) for row in comparison.rows if row.old_no}
    seen_new = {row.revised_no: _join(row.revised) for row in comparison.rows if row.revised_no}
    assert all([*old, "end"][no - 1] == text for no, text in seen_old.items())
    assert all([*new, "end"][no - 1] == text for no, text in seen_new.items())
    skipped = sum(row.skipped for row in comparison.rows)
    assert len(seen_old) + skipped == len(old) + 1
    assert len(seen_new) + skipped == len(new) + 1
    same = [row for row in comparison.rows if row.role == "same"]
    assert all(row.old == row.revised for row in same)
    if old != new:
        assert any(row.role == "change" for row in comparison.rows)


def test_only_the_changed_words_are_marked() -> None:
    (row,) = side_by_side("within 30 days of delivery", "within 14 days of delivery").rows
    assert [p.text for p in row.old if p.role == "mark"] == ["30"]
    assert [p.text for p in row.revised if p.role == "mark"] == ["14"]


def test_a_line_moved_in_is_no_change_of_its_neighbours() -> None:
    rows = side_by_side("one\ntwo\nthree", "one\nnew\ntwo\nthree").rows
    assert [(row.role, row.old_no, row.revised_no) for row in rows] == [
        ("same", 1, 1),
        ("change", None, 2),
        ("same", 2, 3),
        ("same", 3, 4),
    ]


def test_long_unchanged_stretches_fold() -> None:
    text = "\n".join(f"line {i}" for i in range(100))
    rows = side_by_side(text, text.replace("line 50", "line fifty")).rows
    assert [row.skipped for row in rows if row.role == "gap"] == [47, 46]
    assert len(rows) == 9


def test_a_change_deep_in_a_long_line_is_still_shown() -> None:
    words = "word " * 4_000
    (row,) = side_by_side(f"{words}old {words}", f"{words}new {words}").rows
    assert [p.text for p in row.old if p.role == "mark"] == ["old"]
    assert sum(len(p.text) for p in row.old) < 600
    assert next(p.text for p in row.old if p.role == "note") == "… 19,840 characters left out …"


def test_equal_texts_and_empty_texts_compare() -> None:
    assert side_by_side("", "").rows == ()
    assert [row.role for row in side_by_side("", "a").rows] == ["change"]
    assert old_text(side_by_side("a\nb", "")) == ["a", "b"]
    assert revised_text(side_by_side("a", "b\nc")) == ["b", "c"]


@pytest.mark.parametrize(
    "make",
    [
        lambda side: "\n".join(f"{side} {i % 7}" for i in range(200_000)),
        lambda side: f"{side} " * 1_000_000,
        lambda side: f"{side} " + "word " * 400_000 + side + " word" * 400_000,
        lambda side: "}\n" * 100_000 + side,
        lambda side: "".join("abcde"[i * len(side) ** 3 % 5] + " " for i in range(2_900)),
        lambda side: "\n".join("abcde"[i * i * len(side) % 5] for i in range(600)),
        lambda side: "\n".join(side + "ab"[i % 2] * 30 for i in range(3_000)),
    ],
    ids=[
        "many lines",
        "one huge line",
        "one huge line, alike",
        "alike lines",
        "few words",
        "few lines",
        "nothing in common",
    ],
)
def test_huge_texts_cost_no_more_than_a_page(make: Callable[[str], str]) -> None:
    old, new = make("old"), make("revised")
    start = time.perf_counter()
    comparison = side_by_side(old, new)
    assert time.perf_counter() - start < 5  # 0.1 to 1 s measured
    assert len(comparison.rows) <= 240
    shown_chars = sum(len(p.text) for row in comparison.rows for p in row.old + row.revised)
    assert shown_chars < 400_000
