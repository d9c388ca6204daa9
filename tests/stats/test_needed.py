"""How many labels it takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from decidendi.stats import MIN_LABELS, WORST, LabelsNeeded, Spread, labels_needed

spreads = st.builds(
    lambda human, part, design: Spread(human, human * part, design),
    st.floats(0.01, 0.25),
    st.floats(0, 1),
    st.floats(1, 5),
)


def width(n, residual, fixed, design):
    return t.ppf(0.975, n - 2) * (design * (residual / n + fixed)) ** 0.5


@given(spreads, st.floats(0.01, 0.3), st.integers(0, 20_000))
def test_it_is_the_least_number_that_gives_the_width(spread, half_width, judged):
    found = labels_needed(half_width, spread, judged=judged)
    near = half_width * (1 + 1e-7)
    assert width(found.alone, spread.human, 0, spread.design) <= near
    if found.alone > MIN_LABELS:
        assert width(found.alone - 1, spread.human, 0, spread.design) > half_width * (1 - 1e-7)
    if found.labels is None:
        assert found.alone > judged
        return
    assert MIN_LABELS <= found.labels <= found.alone <= judged
    fixed = (spread.human - spread.residual) / judged
    assert width(found.labels, spread.residual, fixed, spread.design) <= near
    if found.labels > MIN_LABELS:
        fewer = width(found.labels - 1, spread.residual, fixed, spread.design)
        assert fewer > half_width * (1 - 1e-7)


def test_a_judge_that_explains_nothing_saves_nothing():
    found = labels_needed(0.05, WORST, judged=10_000)
    assert found.labels == found.alone == 387
    assert str(found) == "387 labels for ±5.0 points (387 without the judge)"


def test_a_better_judge_saves_more_and_a_narrower_interval_costs_more():
    needs = [labels_needed(0.05, Spread(0.2, r), judged=5_000).labels for r in (0.2, 0.1, 0.02)]
    assert needs == sorted(needs, reverse=True)
    assert needs[0] > 1.9 * needs[1] > 3.8 * needs[2]
    finer = labels_needed(0.025, Spread(0.2, 0.1), judged=5_000)
    assert finer.labels > 3.5 * needs[1]


def test_too_few_judged_items_are_said_to_be():
    found = labels_needed(0.01, WORST, judged=1_000)
    assert (found.labels, found.judged) == (None, 1_000)
    assert str(found) == f"1000 judged items cannot give ±1.0 points: {found.alone} are needed"
    assert labels_needed(0.05, WORST, judged=0) == LabelsNeeded(
        0.05, None, 387, 0, "the spread given"
    )


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="residual variance"):
        Spread(0.1, 0.2)
    with pytest.raises(ValueError, match="design effect"):
        Spread(0.2, 0.1, 0.9)
    with pytest.raises(ValueError, match="half-width"):
        labels_needed(0, WORST, judged=10)
