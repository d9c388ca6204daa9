"""Shares with intervals: undefined where nothing was measured, and right where something was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from decidendi.stats import Rate, bootstrap_rate, rate, wilson_interval, wilson_rate


def test_a_share_of_nothing_is_undefined():
    for nothing in (rate([], excluded={"timeout": 3}), wilson_rate(0, 0, excluded={"timeout": 3})):
        assert nothing.share is None
        assert (nothing.low, nothing.high) == (None, None)
        assert nothing.excluded == {"timeout": 3}
        assert str(nothing) == "undefined (n = 0)"
    assert bootstrap_rate([]).share is None
    with pytest.raises(ValueError, match="no observation"):
        wilson_interval(0, 0)


def test_a_rate_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="3 hits of 2"):
        Rate(3, 2, None, None, "")
    with pytest.raises(ValueError, match="both ends"):
        Rate(1, 2, 0.1, None, "")
    with pytest.raises(ValueError, match="2 observations, but 1 units"):
        rate([True, False], ["a"])


def test_published_interval_of_9_in_27():
    found = bootstrap_rate([True] * 9 + [False] * 18)
    assert str(found) == "9/27 = 33.3% [14.8, 51.9]"
    assert "10,000 replicates" in found.method
    assert str(bootstrap_rate([True] * 9 + [False] * 18, replicates=1_000, seed=1)).startswith(
        "9/27"
    )


@given(st.integers(1, 500), st.data())
def test_wilson_is_the_one_of_scipy_and_statsmodels_and_holds_its_share(n, data):
    hits = data.draw(st.integers(0, n))
    low, high = wilson_interval(hits, n)
    assert 0 <= low <= hits / n <= high <= 1
    assert (low, high) == pytest.approx(proportion_confint(hits, n, method="wilson"), abs=1e-12)
    theirs = binomtest(hits, n).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(st.integers(1, 200), st.data())
def test_wilson_mirrors_when_hits_and_misses_are_exchanged(n, data):
    hits = data.draw(st.integers(0, n))
    low, high = wilson_interval(hits, n)
    assert (1 - high, 1 - low) == pytest.approx(wilson_interval(n - hits, n), abs=1e-12)


def test_independent_observations_get_wilson_and_clustered_ones_the_bootstrap():
    hits = [True, False, True, True]
    assert rate(hits) == rate(hits, ["a", "b", "c", "d"]) == wilson_rate(3, 4)
    clustered = rate(hits, ["a", "a", "b", "b"])
    assert clustered.method.startswith("percentile bootstrap 95%, 2 units")
    assert (clustered.low, clustered.high) == (0.5, 1.0)


def test_unanimous_clusters_claim_no_certainty():
    """Twenty rendered cases of four units are four observations, not twenty, and not proof."""
    found = rate([True] * 20, [i // 5 for i in range(20)])
    assert (found.low, found.high) == wilson_interval(4, 4)
    assert found.low < 0.6
    assert found.method == "Wilson 95%, 4 units"
    none = rate([False] * 20, [i // 5 for i in range(20)])
    assert (none.low, none.high) == wilson_interval(0, 4)


def test_one_unit_gives_no_interval():
    found = rate([True, False, True], ["a", "a", "a"])
    assert found.share == pytest.approx(2 / 3)
    assert (found.low, found.high) == (None, None)
    assert str(found) == "2/3 = 66.7%"
    assert found.method == "no interval: a single unit"
