"""Marked passages and compared prompts: everything is told, nothing is invented."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decidendi.report._passage import changes, marked
from decidendi.report._text import visible

words = st.lists(st.sampled_from(["Article", "8", "3", "of", "the", "violated", "?"]), max_size=9)
prompts = st.lists(words.map(" ".join), min_size=1, max_size=6).map("\n".join)


@given(prompts, prompts)
def test_changed_lines_hold_both_versions(old: str, revised: str) -> None:
    found = changes(f"{old}\nend", f"{revised}\nend")
    left, right = f"{old}\nend".split("\n"), f"{revised}\nend".split("\n")
    for line in found.lines:
        if line is None:
            continue
        before = "".join(p.text for p in line if p.role != "ins")
        after = "".join(p.text for p in line if p.role != "del")
        assert before in ("", *left)
        assert after in ("", *right)
        assert any(p.role in ("del", "ins") for p in line) or before == after == ""
    assert bool(found.lines) == (old != revised)


def test_only_the_swapped_words_are_marked() -> None:
    old = "facts\n\nWas Article 8 of the Convention violated?"
    found = changes(old, old.replace("8", "3"))
    (line,) = found.lines
    assert line is not None
    assert [(p.text, p.role) for p in line if p.role != "same"] == [("8", "del"), ("3", "ins")]


def test_a_word_put_in_stands_where_it_belongs() -> None:
    (line,) = changes("one two three", "one more two three").lines
    assert line is not None
    assert "".join(p.text for p in line if p.role != "del") == "one more two three"
    assert [p.role for p in line if p.role != "same"] == ["ins"]


def test_what_stands_between_changes_is_only_hinted_at() -> None:
    old = "a b c d\nsame\nsame too\ne f g h"
    found = changes(old, old.replace("b", "x").replace("g", "y"))
    assert [line is None for line in found.lines] == [False, True, False]


def test_many_changed_lines_are_cut_and_counted() -> None:
    found = changes("\n".join(map(str, range(90))), "\n".join(f"{i} more" for i in range(90)))
    assert len(found.lines) == 24
    assert found.left_out == "66 further changed lines not shown."


spans = st.lists(st.tuples(st.integers(-3, 40), st.integers(-3, 40)), max_size=6)


@given(st.text(max_size=30), spans, st.integers(1, 40))
def test_any_spans_mark_and_change_nothing(
    text: str, named: list[tuple[int, int]], limit: int
) -> None:
    pieces, cut = marked(text, named, limit, (0, 3))
    assert "".join(piece.text for piece in pieces) == visible(text[:limit])
    assert bool(cut) == (len(text) > limit)
    inside = set()
    for start, end in named:
        inside.update(range(max(0, start), min(end, len(text), limit)))
    shown = "".join(piece.text for piece in pieces if piece.role == "named")
    assert shown == visible("".join(text[i] for i in sorted(inside)))


def test_mentions_beyond_the_cut_are_counted() -> None:
    text = "Article 8 " * 100
    named = [(i * 10, i * 10 + 9) for i in range(100)]
    pieces, cut = marked(text, named, 200)
    assert sum(piece.role == "named" for piece in pieces) == 20
    assert cut == "… 800 more characters, with 80 further mentions"


@pytest.mark.parametrize("text", ["because " * 200_000, "x" * 2_000_000, "a\n" * 300_000])
def test_huge_texts_cost_no_more_than_a_page(text: str) -> None:
    start = time.perf_counter()
    marked(text, [(i, i + 2) for i in range(0, len(text), 100)], 4_000)
    found = changes(text, text.replace("a", "b", 2))
    assert time.perf_counter() - start < 5
    assert sum(len(p.text) for line in found.lines if line for p in line) < 100_000
