"""Exact McNemar and Holm, against their definitions and two other implementations."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as theirs
from statsmodels.stats.multitest import multipletests

from decidendi.stats import holm, mcnemar, mcnemar_p

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_published_p_values():
    assert mcnemar_p(2, 10) == pytest.approx(0.039, abs=5e-4)
    assert mcnemar_p(0, 12) < 0.001
    assert mcnemar_p(0, 12) == 2 / 2**12


def test_the_four_counts():
    first = [True, True, True, False, False, True]
    second = [True, False, False, True, False, True]
    found = mcnemar(first, second)
    assert (found.both, found.first_only, found.second_only, found.neither) == (2, 2, 1, 1)
    assert found.p == 1.0
    with pytest.raises(ValueError, match="shorter"):
        mcnemar([True, False], [True])
    with pytest.raises(ValueError, match="never negative"):
        mcnemar_p(-1, 3)


@settings(deadline=None)
@given(st.integers(0, 150), st.integers(0, 150))
def test_mcnemar_is_that_of_scipy_and_statsmodels(b, c):
    p = mcnemar_p(b, c)
    assert p == mcnemar_p(c, b)
    assert 0 < p <= 1
    if b + c:
        assert p == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-9)
        assert p == pytest.approx(theirs([[0, b], [c, 0]], exact=True).pvalue, rel=1e-9)
    else:
        assert p == 1


@settings(max_examples=25, deadline=None)  # statsmodels takes 75 ms a call
@given(p_values)
def test_holm_is_that_of_statsmodels(ps):
    ours = list(holm(dict(enumerate(ps))).values())
    assert ours == pytest.approx(list(multipletests(ps, method="holm")[1]), abs=1e-12)


@given(p_values)
def test_holm_keeps_the_order_and_never_lowers_a_p_value(ps):
    adjusted = holm(dict(enumerate(ps)))
    assert all(
        p <= adjusted[i] <= min(1, len(ps) * p) or p == adjusted[i] for i, p in enumerate(ps)
    )
    ranked = sorted(range(len(ps)), key=lambda i: ps[i])
    assert all(adjusted[a] <= adjusted[b] for a, b in pairwise(ranked))


@given(p_values, st.randoms())
def test_holm_does_not_depend_on_the_order_of_tests(ps, random):
    named = list(enumerate(ps))
    shuffled = random.sample(named, len(named))
    assert holm(dict(named)) == holm(dict(shuffled))


@given(p_values, st.floats(0, 1))
def test_another_test_in_the_family_never_helps(ps, extra):
    alone = holm(dict(enumerate(ps)))
    joined = holm(dict(enumerate([*ps, extra])))
    assert all(alone[i] <= joined[i] for i in alone)


def test_holm_by_hand():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx(
        {"a": 0.03, "b": 0.06, "c": 0.06}
    )
    assert holm({}) == {}
    for wrong in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="not a p-value"):
            holm({"a": wrong})
