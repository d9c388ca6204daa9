from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from decidendi.stats import evidence_above_half, fewest_draws, first_majority


@given(st.integers(0, 60), st.data())
def test_the_closed_form_is_the_integral_it_stands_for(n, data):
    hits = data.draw(st.integers(0, n))
    # mixture over p uniform on (1/2, 1]: density 2
    numeric, _ = quad(lambda p: 2 * (2 * p) ** hits * (2 * (1 - p)) ** (n - hits), 0.5, 1)
    assert float(evidence_above_half(hits, n)) == pytest.approx(numeric, rel=1e-7)


def test_at_one_half_the_evidence_is_a_martingale_exactly():
    for n in range(25):
        for hits in range(n + 1):
            up, down = evidence_above_half(hits + 1, n + 1), evidence_above_half(hits, n + 1)
            assert (up + down) / 2 == evidence_above_half(hits, n)


@given(st.integers(0, 40), st.data(), st.fractions(0, Fraction(1, 2)))
def test_below_one_half_the_evidence_does_not_grow_on_average(n, data, p):
    hits = data.draw(st.integers(0, n))
    up, down = evidence_above_half(hits + 1, n + 1), evidence_above_half(hits, n + 1)
    assert p * up + (1 - p) * down <= evidence_above_half(hits, n)


@given(st.integers(0, 30), st.fractions(0, Fraction(1, 2)))
def test_its_mean_over_all_outcomes_is_at_most_one(n, p):
    mean = sum(
        comb(n, h) * p**h * (1 - p) ** (n - h) * evidence_above_half(h, n) for h in range(n + 1)
    )
    assert mean <= 1
    if p == Fraction(1, 2):
        assert mean == 1


def test_false_alarms_over_every_sequence_stay_below_the_level():
    """Exact: all 2^14 sequences of a fair coin, looked at after every draw."""
    level = Fraction(1, 10)
    alarms = sum(
        first_majority(draws, level=level, labels=2) is not None
        for draws in product("ab", repeat=14)
    )
    assert 0 < Fraction(alarms, 2**14) <= level


def test_false_alarms_at_any_time_stay_below_the_level():
    level, labels, horizon, runs = Fraction(1, 10), 3, 300, 2_000
    bar = labels / level
    # The least number of hits that decides, after each number of draws.
    least = [
        next((h for h in range(n // 2, n + 1) if evidence_above_half(h, n) >= bar), n + 1)
        for n in range(1, horizon + 1)
    ]
    hits = np.cumsum(np.random.default_rng(7).random((runs, horizon)) < 0.5, axis=1)
    alarms = (hits >= np.array(least)).any(axis=1).mean()
    # One label at exactly one half is named with probability at most level / labels = 3.3%;
    # 4.5% leaves three standard errors of 2,000 runs.
    assert 0 < alarms <= 0.045


def test_a_clear_majority_is_found_and_missing_draws_are_passed_over():
    draws = ["x", None, "x", "x", None, "x", "x", "x", "x", "x", "x", "x"]
    label, after = first_majority(draws, level=Fraction(1, 10), labels=2)
    assert label == "x"
    unanimous = fewest_draws(level=Fraction(1, 10), labels=2)
    assert after == unanimous + 2
    assert evidence_above_half(unanimous, unanimous) >= 20
    assert evidence_above_half(unanimous - 1, unanimous - 1) < 20


def test_an_even_split_decides_nothing():
    assert first_majority("ab" * 200, level=Fraction(1, 20), labels=2) is None
    assert first_majority([None] * 50, level=Fraction(1, 20), labels=2) is None


@given(st.integers(1, 40), st.data())
def test_more_hits_are_more_evidence(n, data):
    hits = data.draw(st.integers(0, n - 1))
    assert evidence_above_half(hits, n) < evidence_above_half(hits + 1, n)
