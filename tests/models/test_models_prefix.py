"""Prompts side by side: what they share, and how they are packed. Pure, so laws."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from decidendi.models._prefix import batches, common_prefix, lay_out

PROMPTS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=5)


@given(PROMPTS)
def test_the_common_prefix_is_common_longest_and_leaves_a_token_each(prompts):
    cut = common_prefix(prompts)
    assert all(prompt[:cut] == prompts[0][:cut] for prompt in prompts)
    assert all(len(prompt) > cut for prompt in prompts)
    if all(len(prompt) > cut + 1 for prompt in prompts):
        assert len({prompt[cut] for prompt in prompts}) > 1


@given(st.lists(PROMPTS, min_size=1, max_size=4), st.booleans())
def test_a_layout_holds_every_prompt_and_lines_up(cases, share):
    layout = lay_out(cases, share=share)
    flat = [prompt for case in cases for prompt in case]
    for row, prompt in enumerate(flat):
        prefix = layout.prefixes[layout.case_of[row]]
        assert [*prefix, *layout.suffixes[row]] == prompt
        assert layout.length(row) == len(prompt)
        left, middle = layout.padding(row)
        assert left + len(prefix) == layout.prefix_width
        assert middle + len(layout.suffixes[row]) == layout.suffix_width
    assert share or layout.prefix_width == 0


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(1, 10))
def test_batches_hold_every_prompt_once_in_order_and_split_only_what_is_too_large(sizes, rows):
    packed = list(batches(sizes, rows))
    assert all(0 < sum(len(piece) for _, piece in batch) <= rows for batch in packed)
    seen = [(case, prompt) for batch in packed for case, piece in batch for prompt in piece]
    assert seen == [(case, prompt) for case, size in enumerate(sizes) for prompt in range(size)]
    for case, size in enumerate(sizes):
        pieces = [piece for batch in packed for c, piece in batch if c == case]
        assert len(pieces) == -(-size // rows)
