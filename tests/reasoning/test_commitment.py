"""Commitment: the published rule, and what is undefined stays undefined."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decidendi.judgment import BadInputError
from decidendi.reasoning import (
    BOTTOM,
    Committed,
    Undefined,
    Why,
    commitment,
    committed_before_naming,
    decode,
    named_after,
    reengaged,
)

DECODED = [
    ({"YES": 0.75, "NO": 0.5}, "YES"),  # exactly 1.5 times
    ({"YES": 3, "NO": 2}, "YES"),
    ({"YES": 0.59, "NO": 0.4}, BOTTOM),
    ({"YES": 0.0, "NO": 0.2}, "NO"),
    ({"YES": 0.0, "NO": 0.0}, BOTTOM),
    ({"YES": 0.3, "NO": 0.3}, BOTTOM),
    ({"0": 0.1, "1": 0.1, "2": 0.5, "3": 0.1, "4": 0.2}, "2"),
    ({"0": 0.4, "1": 0.1, "2": 0.5}, BOTTOM),
    ({"YES": 1e-300, "NO": 0.0}, "YES"),
    ({"YES": 3}, "YES"),
]


@pytest.mark.parametrize(("scores", "label"), DECODED)
def test_decoding(scores, label):
    assert decode(scores) == label


@pytest.mark.parametrize(
    ("scores", "ratio"),
    [({}, 1.5), ({"YES": -1.0}, 1.5), ({"YES": math.nan}, 1.5), ({"YES": math.inf}, 1.5),
     ({"YES": 1.0}, 1.0), ({"YES": 1.0}, math.nan)],
)  # fmt: skip
def test_scores_that_cannot_be_are_refused(scores, ratio):
    with pytest.raises(BadInputError):
        decode(scores, ratio=ratio)


STEPS = [
    (["YES"], Committed(0, "YES")),
    (["NO", "YES", "YES"], Committed(1, "YES")),
    (["YES", BOTTOM, "YES"], Committed(2, "YES")),
    (["YES", "NO", "YES"], Committed(2, "YES")),
    ([BOTTOM, BOTTOM, "NO"], Committed(2, "NO")),
    (["YES", BOTTOM], Undefined(Why.UNDECIDED_AT_END)),
    ([BOTTOM], Undefined(Why.UNDECIDED_AT_END)),
    ([], Undefined(Why.NO_SENTENCES)),
]


@pytest.mark.parametrize(("decoded", "expected"), STEPS)
def test_commitment_step(decoded, expected):
    assert commitment(decoded) == expected


@given(st.lists(st.sampled_from(["YES", "NO", BOTTOM]), max_size=12))
def test_the_step_is_the_earliest_that_the_definition_allows(decoded):
    n = len(decoded) - 1
    steps = [i for i in range(n + 1) if all(decoded[j] == decoded[n] for j in range(i, n + 1))]
    when = commitment(decoded)
    if not decoded or decoded[n] is BOTTOM:
        assert isinstance(when, Undefined)
    else:
        assert when == Committed(min(steps), decoded[n])


NAMING = [
    # step, sentences that name; before naming, again, sentences at or after
    (2, [0], False, False, 0),
    (2, [0, 2], False, True, 1),
    (2, [0, 1], False, False, 0),
    (2, [2], False, False, 1),
    (0, [0, 1], False, True, 2),
    (2, [3], True, False, 1),
    (2, [3, 5], True, True, 2),
    (2, [], Undefined(Why.NEVER_NAMED), False, 0),
]


@pytest.mark.parametrize(("step", "named", "before", "again", "after"), NAMING)
def test_naming(step, named, before, again, after):
    when = Committed(step, "YES")
    assert committed_before_naming(when, named) == before
    assert reengaged(when, named) == again
    assert named_after(when, named) == after


def test_what_depends_on_an_undefined_step_is_undefined():
    none = Undefined(Why.UNDECIDED_AT_END)
    for measure in (committed_before_naming, reengaged, named_after):
        assert measure(none, [0, 1]) is none


def test_undefined_is_neither_true_nor_false():
    with pytest.raises(TypeError, match="neither"):
        bool(Undefined(Why.NO_SENTENCES))
