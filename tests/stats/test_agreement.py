"""Kappa and alpha: two other implementations, worked examples, laws, and what is undefined."""

from dataclasses import replace

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from decidendi.judgment import Reason, Unmeasured
from decidendi.stats import (
    Agreement,
    NoAgreement,
    Resampler,
    cohen_kappa,
    kappa_and_alpha,
    krippendorff_alpha,
)

few = settings(max_examples=30, deadline=None)
labels = st.sampled_from("abcd")
pairs = st.lists(st.tuples(labels, labels), min_size=2, max_size=40)
ratings = st.lists(
    st.lists(st.one_of(st.none(), labels), min_size=4, max_size=4), min_size=2, max_size=30
)


def quick(n):
    return Resampler(range(n), replicates=20)


@few
@given(pairs, st.sampled_from(["none", "linear", "quadratic"]))
def test_kappa_is_that_of_scikit_learn(pairs, weights):
    one, other = zip(*pairs, strict=True)
    found = cohen_kappa(one, other, labels="abcd", weights=weights, resampler=quick(len(one)))
    if len(set(one + other)) == 1:
        assert found == NoAgreement(
            "Cohen's kappa" + found.coefficient[13:], "only one class", len(one)
        )
        return
    named = None if weights == "none" else weights
    theirs = cohen_kappa_score(one, other, labels=list("abcd"), weights=named)
    assert found.value == pytest.approx(theirs, abs=1e-12)


@few
@given(ratings, st.sampled_from(["nominal", "ordinal"]))
def test_alpha_is_that_of_krippendorff(ratings, scale):
    draws = quick(len(ratings))
    found = krippendorff_alpha(ratings, scale=scale, labels="abcd", resampler=draws)
    paired = [row for row in ratings if sum(label is not None for label in row) > 1]
    if len({label for row in paired for label in row if label is not None}) < 2:
        assert isinstance(found, NoAgreement)
        assert found.reason == ("only one class" if paired else "nothing to compare")
        return
    table = [[np.nan if x is None else "abcd".index(x) for x in row] for row in ratings]
    theirs = krippendorff.alpha(
        np.array(table).T, level_of_measurement=scale, value_domain=[0, 1, 2, 3]
    )
    assert found.value == pytest.approx(theirs, abs=1e-10)
    assert (found.n, sum(found.excluded.values())) == (len(paired), len(ratings) - len(paired))


def test_alpha_by_hand():
    # Pairs of labels: aa twice over, ab and ba once, bb twice. Said: a 3 times, b 3 times.
    found = krippendorff_alpha(["aa", "ab", "bb"])
    assert found.observed == pytest.approx(2 / 6)
    assert found.expected == pytest.approx(2 * 3 * 3 / (6 * 5))
    assert found.value == pytest.approx(1 - (2 / 6) / (18 / 30))


def test_the_interval_is_that_of_plain_resampling():
    rng = np.random.default_rng(5)
    one = rng.choice(list("abc"), 60)
    other = np.where(rng.random(60) < 0.6, one, rng.choice(list("abc"), 60))
    units = rng.integers(0, 12, 60)
    draws = Resampler(range(12), replicates=300)
    found = cohen_kappa(
        list(map(str, one)), list(map(str, other)), units.tolist(), labels="abc", resampler=draws
    )
    values = []
    for _, counts in draws.weights():
        for drawn in counts:
            rows = np.concatenate(
                [
                    np.flatnonzero(units == unit)
                    for unit, times in enumerate(drawn)
                    for _ in range(int(times))
                ]
            )
            values.append(cohen_kappa_score(one[rows], other[rows]))
    ends = np.quantile(values, [0.025, 0.975])
    assert (found.low, found.high) == pytest.approx(tuple(ends), abs=1e-12)
    assert found.undefined == 0
    assert str(found) == f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


@few
@given(ratings, st.randoms())
def test_neither_raters_nor_items_have_an_order(ratings, random):
    shuffled = [random.sample(row, len(row)) for row in random.sample(ratings, len(ratings))]
    one = krippendorff_alpha(ratings, labels="abcd", resampler=quick(len(ratings)))
    other = krippendorff_alpha(shuffled, labels="abcd", resampler=quick(len(ratings)))
    assert type(one) is type(other)
    if isinstance(one, Agreement):
        assert one.value == pytest.approx(other.value, abs=1e-12)


@few
@given(pairs)
def test_alpha_of_two_is_above_kappa_by_at_most_what_small_samples_make(pairs):
    """Alpha pools what both say and corrects for their number: 2n labels."""
    one, other = zip(*pairs, strict=True)
    assume(len(set(one + other)) > 1)
    draws = quick(len(one))
    alpha = krippendorff_alpha(pairs, labels="abcd", resampler=draws)
    kappa = cohen_kappa(one + other, other + one, labels="abcd", resampler=quick(2 * len(one)))
    n = 2 * len(one)
    assert 1 - alpha.value == pytest.approx((1 - kappa.value) * (n - 1) / n, abs=1e-12)


@few
@given(pairs)
def test_of_two_raters_alpha_comes_from_kappas_table(pairs):
    one, other = zip(*pairs, strict=True)
    kappa, alpha = kappa_and_alpha(one, other, labels="abcd", resampler=quick(len(one)))
    assert kappa == cohen_kappa(one, other, labels="abcd", resampler=quick(len(one)))
    general = krippendorff_alpha(pairs, labels="abcd", resampler=quick(len(one)))
    if len(set(one + other)) == 1:
        assert alpha == general
        assert isinstance(alpha, NoAgreement)
        return
    numbers = [["abcd".index(label) for label in said] for said in (one, other)]
    theirs = krippendorff.alpha(numbers, level_of_measurement="nominal", value_domain=range(4))
    assert alpha.value == pytest.approx(theirs, abs=1e-12)
    for name in ("value", "low", "high", "observed", "expected"):  # the same draws, too
        assert getattr(alpha, name) == pytest.approx(getattr(general, name), abs=1e-12)
    assert (alpha.coefficient, alpha.n, alpha.units, alpha.undefined, alpha.method) == (
        (general.coefficient, general.n, general.units, general.undefined, general.method)
    )


def test_alpha_of_two_raters_has_clusters_and_exclusions_as_kappa_has():
    human = ["a", "a", "b", None, "b", "a", "c", "b"] * 10
    judge = ["a", "b", "b", "a", "b", "a", "c", Unmeasured(Reason.TIMEOUT)] * 10
    units = [i // 4 for i in range(80)]
    kappa, alpha = kappa_and_alpha(human, judge, units)
    left_out = {"people: no label": 10, "judge: timeout": 10}
    assert kappa.excluded == alpha.excluded == left_out
    assert kappa.method == alpha.method == "percentile bootstrap 95%, 20 units, 10,000 replicates"
    assert (alpha.n, alpha.units) == (kappa.n, kappa.units) == (60, 20)
    general = krippendorff_alpha(list(zip(human, judge, strict=True)), units)
    assert (alpha.value, alpha.low, alpha.high) == pytest.approx(
        (general.value, general.low, general.high), abs=1e-12
    )


@few
@given(pairs)
def test_renaming_changes_nothing(pairs):
    one, other = zip(*pairs, strict=True)
    renamed = [label.upper() for label in one], [label.upper() for label in other]
    draws = quick(len(one))
    first = cohen_kappa(one, other, labels="abcd", resampler=draws)
    second = cohen_kappa(*renamed, labels="ABCD", resampler=draws)
    assert first == second


def test_what_is_certain_only_because_little_was_seen_has_no_interval():
    same = cohen_kappa("abab", "abab")
    assert (same.value, same.low, same.high) == (1, None, None)
    assert same.method == "no interval: no disagreement was seen"
    assert str(same) == "1.00"
    assert str(replace(same, value=-0.001, low=-0.004, high=0.0)) == "0.00 [0.00, 0.00]"
    single = cohen_kappa("abab", "abba", ["u"] * 4)
    assert (single.low, single.method) == (None, "no interval: a single unit")


def test_replicates_with_one_class_are_left_out_and_counted():
    found = cohen_kappa("aab", "aaa", ["u", "u", "v"])
    assert 2_000 < found.undefined < 3_000  # u drawn twice: a quarter of 10,000
    never = cohen_kappa("ab", "ba", ["u", "v"], resampler=Resampler("uvw", replicates=1, seed=0))
    assert never.value == -1


def test_absent_labels_are_counted():
    unread = Unmeasured(Reason.NOT_CONVERGED)
    found = krippendorff_alpha([["a", unread, None], ["a", "b"], ["b", "b", None], []])
    assert (found.n, found.excluded) == (2, {"fewer than two labels": 2})
    assert cohen_kappa(["a", None, "b"], ["a", "a", unread]).excluded == {
        "people: no label": 1,
        "judge: not-converged": 1,
    }


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="an order is needed"):
        krippendorff_alpha(["ab"], scale="ordinal")
    with pytest.raises(ValueError, match="an order is needed"):
        cohen_kappa("ab", "ab", weights="linear")
    with pytest.raises(ValueError, match="'c' is not among"):
        krippendorff_alpha(["ac"], labels="ab")
    with pytest.raises(ValueError, match="2 items, but 1 units"):
        krippendorff_alpha(["ab", "ab"], ["u"])
