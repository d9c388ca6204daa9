"""Accepting only confident claims: risk, coverage and recall, worked out by hand."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.stats import Claim, selective_risk, threshold_for


def claim(score, *, correct=False, positive=True, claimed=True, unit=None):
    return Claim(unit or object(), claimed, correct, positive, score)


CLAIMS = [
    claim(0.9, correct=True),
    claim(0.8, correct=True),
    claim(0.8),
    claim(0.5, correct=True),
    claim(0.4, positive=False),
    claim(None, claimed=False),
    claim(None, claimed=False, positive=False),
]


def counts(rate):
    return rate.numerator, rate.n


def test_by_hand():
    found = selective_risk(CLAIMS, 0.8)
    assert counts(found.risk) == (1, 3)
    assert counts(found.coverage) == (3, 5)
    assert counts(found.recall) == (2, 5)
    everything = selective_risk(CLAIMS, 0.0)
    assert counts(everything.risk) == (2, 5)
    assert counts(everything.coverage) == (5, 5)
    assert counts(everything.recall) == (3, 5)


def test_accepting_nothing_leaves_the_risk_undefined():
    found = selective_risk(CLAIMS, 1.0)
    assert found.risk.share is None
    assert counts(found.coverage) == (0, 5)
    assert counts(found.recall) == (0, 5)


def test_claims_without_a_score_leave_coverage_and_stay_in_recall():
    found = selective_risk([*CLAIMS, claim(None, correct=True)], 0.8)
    assert counts(found.coverage) == (3, 5)
    assert found.coverage.excluded == {"no score": 1}
    assert counts(found.recall) == (2, 6)


def test_thresholds_reach_their_coverage_and_ties_come_along():
    scores = [0.9, 0.8, 0.8, 0.5, 0.4]
    assert threshold_for(scores, 0.2) == 0.9
    assert threshold_for(scores, 0.4) == 0.8
    assert threshold_for(scores, 0.6) == 0.8
    assert threshold_for(scores, 0.61) == 0.5
    assert threshold_for(scores, 1) == 0.4
    assert threshold_for(range(10), 0.7) == 3
    assert threshold_for([], 0.5) is None
    for wrong in (0, 1.1, -0.5):
        with pytest.raises(ValueError, match="not in"):
            threshold_for(scores, wrong)


def test_impossible_claims_are_refused():
    with pytest.raises(ValueError, match="something to claim"):
        claim(0.5, correct=True, positive=False)
    with pytest.raises(ValueError, match="something to claim"):
        claim(0.5, correct=True, claimed=False)
    with pytest.raises(ValueError, match="not finite"):
        claim(float("nan"))


@given(
    st.lists(st.integers(0, 9).map(float), min_size=1, max_size=40), st.integers(1, 20), st.data()
)
def test_the_threshold_is_the_greatest_that_reaches_the_coverage(scores, twentieths, data):
    coverage = twentieths / 20
    found = threshold_for(scores, coverage)
    n = len(scores)
    assert sum(s >= found for s in scores) * 20 >= twentieths * n
    higher = [s for s in scores if s > found]
    assert not higher or len(higher) * 20 < twentieths * n


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5).map(float), st.booleans()), min_size=1, max_size=30))
def test_a_lower_threshold_never_loses_coverage_or_recall(rows):
    claims = [claim(score, correct=correct) for score, correct in rows]
    curve = [selective_risk(claims, float(t)) for t in range(6)]
    for lower, higher in pairwise(curve):
        assert lower.coverage.numerator >= higher.coverage.numerator
        assert lower.recall.numerator >= higher.recall.numerator
    for at in curve:  # risk, coverage and recall are one account
        assert at.recall.numerator == at.coverage.numerator - at.risk.numerator
