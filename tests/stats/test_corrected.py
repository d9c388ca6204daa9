"""Corrected rates: against ppi-python, against their definitions, and where they must refuse."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.judgment import Reason, Unmeasured
from decidendi.stats import (
    MIN_LABELS,
    MIN_UNITS,
    Corrected,
    Judgments,
    NotEnoughLabels,
    corrected_difference,
    corrected_rate,
)

few = settings(max_examples=40, deadline=None)

# Items by (both say hit, people alone, judge alone, neither) and, unlabelled, (hit, miss); then
# estimate and 95% interval of ppi-python 0.2.3, first tuned, then with the weight 1.
REFERENCE = [
    (
        (80, 3, 36, 40, 500, 400),
        (0.44775364835571485, 0.3801789423495805, 0.5153283543618492),
        (0.3480083857442348, 0.27094187004946346, 0.42507490143900617),
    ),
    (
        (30, 10, 5, 55, 260, 640),
        (0.3577295347998558, 0.28480832291334535, 0.43065074668636627),
        (0.33888888888888885, 0.25800010699721004, 0.41977767078056766),
    ),
    (
        (3, 2, 4, 91, 60, 840),
        (0.04872949560877286, 0.010643179837525572, 0.08681581138002015),
        (0.04666666666666666, -0.003881249169246162, 0.09721458250257949),
    ),
    (
        (20, 20, 20, 20, 100, 100),
        (0.5, 0.39043468242792734, 0.6095653175720727),
        (0.5, 0.3302621398885742, 0.6697378601114258),
    ),
    (
        (5, 45, 45, 5, 300, 300),
        (0.5, 0.4020018007729973, 0.5979981992270027),
        (0.5, 0.30980605364995706, 0.6901939463500429),
    ),
    (
        (12, 0, 0, 8, 420, 280),
        (0.5999999999999999, 0.5642149091638882, 0.6357850908361116),
        (0.6, 0.5637085189656503, 0.6362914810343496),
    ),
]


def items(both, people, judge, neither, hits, misses):
    human = [1] * (both + people) + [0] * (judge + neither) + [None] * (hits + misses)
    judged = [1] * both + [0] * people + [1] * judge + [0] * neither + [1] * hits + [0] * misses
    return Judgments(judged, human)


def arrays(judgments):
    """Return people's values, the judge's on the same items, and on the others."""
    pairs = list(zip(judgments.human, judgments.judge, strict=True))
    return (
        np.array([h for h, _ in pairs if h is not None], dtype=float),
        np.array([j for h, j in pairs if h is not None], dtype=float),
        np.array([j for h, j in pairs if h is None], dtype=float),
    )


@pytest.mark.parametrize("weighting", ["tuned", "classical"])
@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: str(case[0]))
def test_ppi_python_gives_the_same_estimate_and_the_same_parts_of_the_variance(case, weighting):
    tuned = weighting == "tuned"
    estimate, low, high = case[1 if tuned else 2]
    found = corrected_rate(items(*case[0]), weighting=weighting)
    assert found.estimate == pytest.approx(estimate, abs=1e-12)
    y, f, g = arrays(items(*case[0]))
    n, others, (weight,) = len(y), len(g), found.weights
    of_labels, of_judge = (y - weight * f).var(), (weight * g).var()
    theirs = ((high - low) / 2 / 1.959963984540054) ** 2
    assert theirs == pytest.approx(of_labels / n + of_judge / others, rel=1e-9)
    # Ours loses a degree of freedom more to the tuned weight, and adds a disagreement as far as
    # the judge is weighted; and the part left to people varies as their labels alone would.
    first = max((n * of_labels + weight) / (n + 2), n * of_labels / (n - 1 - tuned)) / n
    least = (1 - weight) ** 2 * estimate * (1 - estimate) / n
    ours = max(first + of_judge / (others - 1), least)
    assert found.standard_error**2 == pytest.approx(ours, rel=1e-12)


def test_ppi_python_itself_where_it_is_installed():
    theirs = pytest.importorskip("ppi_py", reason="extra crosscheck")
    rng = np.random.default_rng(8)
    for _ in range(20):
        y = (rng.random(60) < 0.4).astype(float)
        f, g = np.abs(y - (rng.random(60) < 0.2)), (rng.random(500) < 0.45).astype(float)
        judgments = Judgments([*f, *g], [*y, *[None] * 500])
        found = corrected_rate(judgments)
        assert found.estimate == pytest.approx(theirs.ppi_mean_pointestimate(y, f, g).item())


@few
@given(st.tuples(*[st.integers(0, 30)] * 4), st.integers(1, 200), st.integers(1, 200))
def test_tuning_never_leaves_the_judge_with_more_than_it_is_worth(cells, hits, misses):
    judgments = items(*cells, hits, misses)
    found = corrected_rate(judgments)
    if sum(cells) < MIN_LABELS:
        assert isinstance(found, NotEnoughLabels)
        return
    (weight,) = found.weights
    assert 0 <= weight <= 1
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.low < found.high
    both, people, judge, neither = cells
    if both * neither <= people * judge:  # the judge is no better than chance
        assert weight == pytest.approx(0, abs=1e-12)
        alone = corrected_rate(judgments, weighting="labels alone")
        assert found.estimate == pytest.approx(alone.estimate)
    assert found.raw == pytest.approx((both + judge + hits) / (sum(cells) + hits + misses))
    assert found.people == pytest.approx((both + people) / sum(cells))


@few
@given(st.tuples(*[st.integers(5, 30)] * 4), st.integers(1, 200), st.integers(1, 200))
def test_exchanging_hits_and_misses_mirrors_the_interval(cells, hits, misses):
    both, people, judge, neither = cells
    one = corrected_rate(items(*cells, hits, misses))
    other = corrected_rate(items(neither, judge, people, both, misses, hits))
    assert (1 - other.high, 1 - other.estimate, 1 - other.low) == pytest.approx(
        (one.low, one.estimate, one.high), abs=1e-9
    )


@few
@given(st.tuples(*[st.integers(8, 30)] * 4), st.randoms())
def test_the_order_of_items_does_not_matter(cells, random):
    given_items = items(*cells, 100, 100)
    rows = list(
        zip(given_items.judge, given_items.human, range(len(given_items.judge)), strict=True)
    )
    shuffled = random.sample(rows, len(rows))
    one = corrected_rate(given_items, [i // 3 for i in range(len(rows))])
    other = corrected_rate(
        Judgments([row[0] for row in shuffled], [row[1] for row in shuffled]),
        [row[2] // 3 for row in shuffled],
    )
    assert (one.low, one.estimate, one.high) == pytest.approx(
        (other.low, other.estimate, other.high), abs=1e-12
    )


def test_doubled_items_are_no_more_than_their_units():
    """Every item twice, in one unit with its copy: the interval must not shrink."""
    given_items = items(40, 10, 15, 35, 200, 200)
    size = len(given_items.judge)
    doubled = Judgments([*given_items.judge] * 2, [*given_items.human] * 2)
    once = corrected_rate(given_items)
    twice = corrected_rate(doubled, [*range(size)] * 2)
    blind = corrected_rate(doubled)
    assert twice.estimate == pytest.approx(once.estimate, abs=1e-4)
    assert (twice.labelled, twice.labelled_units, twice.units) == (200, 100, 500)
    assert twice.standard_error == pytest.approx(once.standard_error, rel=0.02)
    assert blind.standard_error < 0.75 * once.standard_error
    assert twice.spread.design == pytest.approx(2, rel=0.02)
    assert once.spread.design == 1


def test_labelled_and_other_items_of_a_unit_are_not_taken_for_independent():
    """Units alike within: what the labelled items have in common the others have too."""
    rng = np.random.default_rng(2)
    judge, human, units = [], [], []
    for unit in range(40):
        hit = int(rng.random() < 0.5)
        judge += [hit] * 6
        human += [1 - hit, 1 - hit, None, None, None, None]  # a judge that is always wrong
        units += [unit] * 6
    # With full weight the unit enters as (1 - hit) - hit + hit: its errors nearly cancel.
    found = corrected_rate(Judgments(judge, human), units, weighting="classical")
    apart = corrected_rate(
        Judgments(judge, human),
        [(u, h is None) for u, h in zip(units, human, strict=True)],
        weighting="classical",
    )
    assert found.standard_error < 0.75 * apart.standard_error


def test_a_perfect_judge_in_few_labels_is_not_believed_to_be_perfect():
    found = corrected_rate(items(12, 0, 0, 8, 4200, 2800))
    assert found.estimate == pytest.approx(0.6)
    assert found.high - found.low > 0.19  # the textbook says 0.02
    same = corrected_rate(items(30, 0, 0, 0, 300, 0))
    assert (same.estimate, same.weights) == (1.0, (0.0,))
    assert same.high == 1
    assert 0.8 < same.low < 0.9


def test_below_the_least_there_is_no_rate_but_a_number_of_labels():
    found = corrected_rate(items(5, 2, 2, 5, 500, 486))
    assert isinstance(found, NotEnoughLabels)
    assert found.reason == f"14 labelled, at least {MIN_LABELS} needed"
    assert found.raw == pytest.approx(0.507)
    assert found.needed.basis == "the spread of 14 labels from 14 units"
    assert MIN_LABELS < found.needed.labels < found.needed.alone < 1_000
    assert str(found) == f"not enough labels: {found.reason}; {found.needed}"
    fewer = corrected_rate(items(2, 0, 1, 1, 500, 496))
    assert fewer.needed.basis.startswith("the largest spread possible")
    assert fewer.needed.labels == fewer.needed.alone == 387  # 0.25 (1.966 / 0.05)^2
    clustered = corrected_rate(items(20, 5, 5, 20, 500, 450), [i // 10 for i in range(1000)])
    assert clustered.reason == f"labelled items of 5 units, at least {MIN_UNITS} needed"
    # Most labelled items in one unit: twenty-one units, but hardly more than one observation.
    uneven = corrected_rate(items(20, 20, 20, 20, 500, 450), [max(0, i - 59) for i in range(1030)])
    assert (
        uneven.reason == "labelled items of 21 units, as good as 1.8 even ones, at least 10 needed"
    )
    nothing = corrected_rate(Judgments([], []))
    assert (nothing.raw, nothing.judged, nothing.needed.labels) == (None, 0, None)
    assert str(nothing) == "not enough labels: the judge has judged none"


def test_items_the_judge_could_not_read_leave_and_are_counted():
    whole = items(30, 10, 10, 30, 100, 100)
    unread = Unmeasured(Reason.NOT_CONVERGED)
    more = Judgments([*whole.judge, unread, unread, None], [*whole.human, 1, None, 0])
    found = corrected_rate(more)
    assert found.excluded == {"judge: not-converged": 2, "judge: no label": 1}
    assert (found.low, found.high) == pytest.approx(
        (corrected_rate(whole).low, corrected_rate(whole).high)
    )
    skipped = Judgments(whole.judge, [Unmeasured(Reason.TIMEOUT), *whole.human[1:]])
    assert corrected_rate(skipped).labelled == found.labelled - 1
    assert corrected_rate(skipped).judged == found.judged


def test_with_everything_labelled_there_is_nothing_to_correct():
    for weighting in ("tuned", "classical", "labels alone"):
        found = corrected_rate(items(30, 10, 10, 30, 0, 0), weighting=weighting)
        assert found.estimate == found.people == 0.5
        assert found.method.startswith("people's labels alone, 95%, each item its own unit")
        assert found.weights == (0.0,)


def test_what_classical_correction_throws_out_of_range_is_refused():
    # Labelled: the judge calls all 20 misses hits. Unlabelled: it calls all of them misses.
    found = corrected_rate(items(0, 0, 200, 0, 0, 400), weighting="classical")
    assert isinstance(found, NotEnoughLabels)
    assert "outside what is possible" in found.reason


def test_shares_are_values_too():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 6, 400) / 5
    judge = np.clip(truth + rng.choice([-0.2, 0, 0.2], 400), 0, 1)
    judgments = Judgments(judge.tolist(), [*truth[:80].tolist(), *[None] * 320])
    found = corrected_rate(judgments)
    assert found.low < truth.mean() < found.high
    assert found.weights[0] > 0.6


class TestDifference:
    def made(self, seed, n=600, labelled=150, right=0.8):
        rng = np.random.default_rng(seed)
        correct = rng.random(n) < 0.55
        accurate = correct | (rng.random(n) < 1 / 3)
        judged = correct ^ (rng.random(n) > right)
        human = [bool(c) if i < labelled else None for i, c in enumerate(correct)]
        return accurate.tolist(), judged.tolist(), human

    def test_a_known_side_enters_with_all_its_items(self):
        accurate, judged, human = self.made(1)
        found = corrected_difference(Judgments.known(accurate), Judgments(judged, human))
        correct = corrected_rate(Judgments(judged, human))
        assert found.low < found.estimate < found.high
        assert found.raw == pytest.approx(np.mean(accurate) - np.mean(judged))
        assert found.estimate == pytest.approx(np.mean(accurate) - correct.estimate, abs=0.04)
        # Accuracy of every item is known and foretells correctness: it steadies the estimate.
        assert found.standard_error < correct.standard_error

    def test_at_fixed_weights_it_is_the_rate_of_the_differences(self):
        accurate, judged, human = self.made(2)
        found = corrected_difference(
            Judgments.known(accurate), Judgments(judged, human), weighting="classical"
        )
        # Halved and moved into [0, 1], the difference is a rate.
        halves = [(a - j + 1) / 2 for a, j in zip(accurate, judged, strict=True)]
        people = [
            None if h is None else (a - h + 1) / 2 for a, h in zip(accurate, human, strict=True)
        ]
        half = corrected_rate(Judgments(halves, people), weighting="classical")
        assert found.estimate == pytest.approx(2 * half.estimate - 1)

    def test_two_judged_sides(self):
        _, judged, human = self.made(3)
        _, other, others = self.made(4, labelled=100)
        one, two = Judgments(judged, human), Judgments(other, others)
        found = corrected_difference(one, two)
        back = corrected_difference(two, one)
        assert found.labelled == 100
        assert (found.low, found.high) == pytest.approx((-back.high, -back.low))
        same = corrected_difference(one, one)
        assert same.estimate == pytest.approx(0)

    def test_what_cannot_be_is_refused(self):
        with pytest.raises(ValueError, match="different numbers"):
            corrected_difference(Judgments.known([1]), Judgments.known([1, 0]))
        few = corrected_difference(Judgments.known([1]), Judgments([1], [1]))
        assert isinstance(few, NotEnoughLabels)
        assert few.needed.alone > 1_500  # differences can spread four times as far
        accurate, judged, human = self.made(5)
        found = corrected_difference(
            Judgments([None, *accurate[1:]], accurate), Judgments(judged, human)
        )
        assert found.excluded == {"first judge: no label": 1}


def test_what_cannot_be_is_refused():
    for wrong in (1.5, -0.1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not a share"):
            corrected_rate(Judgments([wrong], [None]))
    with pytest.raises(ValueError, match="2 items judged, 1 by people"):
        Judgments([1, 0], [1])
    with pytest.raises(ValueError, match="1 items, but 2 units"):
        corrected_rate(Judgments([1], [1]), ["a", "b"])


def test_values_that_stand_in_are_counted_among_those_judged():
    plain = items(30, 10, 5, 55, 260, 640)
    replaced = [i % 10 == 0 for i in range(1_000)]
    found = corrected_rate(Judgments(plain.judge, plain.human, replaced))
    without = corrected_rate(plain)
    assert (found.judged, found.stood_in, without.stood_in) == (1_000, 100, 0)
    assert replace(found, stood_in=0) == without  # counted, and nothing else
    said = "(100 labelled of 1,000 judged, 100 without the judge's label: its mean stands in)"
    assert str(found).endswith(said)
    # An item that is left out is not counted, and one that either side stands in for is, once.
    first = Judgments([None, *plain.judge[1:]], plain.human, replaced)
    assert corrected_difference(first, Judgments(plain.judge, plain.human, replaced)).stood_in == 99
    few = corrected_rate(Judgments([0.5, 1, 0], [1, None, None], [True, False, False]))
    assert isinstance(few, NotEnoughLabels)
    assert str(few).endswith("(1 without the judge's label: its mean stands in)")
    with pytest.raises(ValueError, match="3 items judged, 1 stood in for"):
        Judgments([1, 1, 1], [1, 1, 1], [True])


def test_words():
    found = corrected_rate(items(30, 10, 5, 55, 260, 640))
    assert isinstance(found, Corrected)
    assert str(found).endswith("(100 labelled of 1,000 judged)")
    assert found.stood_in == 0
    assert str(found).startswith("35.8% [")
    assert found.method.startswith("prediction-powered, tuned (PPI++), 95%, each item its own")
