"""Two judges on the same items."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.judgment import Reason, Unmeasured
from decidendi.stats import Resampler, compare_judges, holm, mcnemar, mcnemar_p, sign_flip_p

labels = st.sampled_from("abc")


def test_classes_are_tested_one_by_one_and_held_as_a_family():
    human = ["sound"] * 20 + ["wrong"] * 20
    first = ["sound"] * 20 + ["wrong"] * 10 + ["sound"] * 10
    second = ["sound"] * 8 + ["wrong"] * 32
    overall, classes = compare_judges(human, first, second)
    assert (overall.counts.first_only, overall.counts.second_only) == (12, 10)
    assert overall.p == overall.adjusted == mcnemar_p(12, 10)
    sound, wrong = classes["sound"], classes["wrong"]
    assert (sound.counts.first_only, sound.counts.second_only) == (12, 0)
    assert (wrong.counts.first_only, wrong.counts.second_only) == (0, 10)
    # Over everything they look alike; within each class they differ, in opposite ways.
    assert overall.p > 0.8
    assert sound.adjusted == pytest.approx(2 * mcnemar_p(12, 0))
    assert wrong.adjusted == pytest.approx(mcnemar_p(0, 10))
    assert sound.difference.value == pytest.approx(0.6)
    assert sound.method == "exact McNemar"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(labels, labels, labels), min_size=1, max_size=40))
def test_it_is_mcnemar_within_each_class_and_holm_over_them(rows):
    human, first, second = zip(*rows, strict=True)
    draws = Resampler(range(len(rows)), replicates=10)
    overall, classes = compare_judges(human, first, second, labels="abc", resampler=draws)
    expected = {}
    for label in set(human):
        of = [row for row in rows if row[0] == label]
        expected[label] = mcnemar([g == a for g, a, _ in of], [g == b for g, _, b in of])
        assert classes[label].counts == expected[label]
    adjusted = holm({label: found.p for label, found in expected.items()})
    assert {k: v.adjusted for k, v in classes.items() if v.p is not None} == adjusted
    unseen = set("abc") - set(human)
    assert all(classes[label].p is classes[label].adjusted is None for label in unseen)
    assert sum(c.counts.first_only for c in classes.values()) == overall.counts.first_only


def test_units_of_several_items_are_not_taken_for_independent_ones():
    human = ["a"] * 60
    first, second = ["a"] * 60, ["b"] * 30 + ["a"] * 30
    apart, _ = compare_judges(human, first, second)
    together, classes = compare_judges(human, first, second, [i // 10 for i in range(60)])
    assert apart.p < 1e-8
    assert together.counts == apart.counts
    assert together.p == 2 * 0.5**3  # three units favour the first, none the second
    assert together.method == "exact sign-flip test over units"
    assert classes["a"].p == together.p
    single, _ = compare_judges(human, first, second, ["u"] * 60)
    assert single.p is None
    assert single.method == "no interval: a single unit"


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), max_size=8))
def test_signs_are_flipped_in_all_ways(differences):
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    share = sum(x >= abs(sum(differences)) for x in sums) / len(sums)
    assert sign_flip_p(differences) == pytest.approx(share)
    assert sign_flip_p([-d for d in differences]) == pytest.approx(share)


def test_few_items_that_differ_are_no_proof():
    """Eight items of 2,400 tell the judges apart: the bootstrap would say p < 0.001."""
    human = ["a"] * 2400
    second = ["b" if i % 300 == 0 else "a" for i in range(2400)]
    overall, _ = compare_judges(human, human, second, [i // 8 for i in range(2400)])
    assert overall.difference.p < 0.002
    assert overall.p == 2 * 0.5**8


def test_what_is_absent_is_counted():
    unread = Unmeasured(Reason.NOT_CONVERGED)
    overall, classes = compare_judges(
        ["a", "a", None, "b"], ["a", unread, "a", "b"], ["a", "b", "a", unread]
    )
    assert overall.excluded == {
        "first judge: not-converged": 1,
        "people: no label": 1,
        "second judge: not-converged": 1,
    }
    assert list(classes) == ["a"]
    nothing, none = compare_judges([], [], [])
    assert (nothing.p, nothing.method, none) == (None, "undefined: nothing compared", {})
