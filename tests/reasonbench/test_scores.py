"""Scores worked out by hand, and the laws they obey for any predictions."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.judgment import BadInputError
from decidendi.reasonbench import (
    CONTROLS,
    GoldSet,
    Metric,
    Scorer,
    Target,
    Unscored,
    consistency,
    contrast,
    controls,
    reason_debt,
)

sys.path.insert(0, str(Path(__file__).parent))
from small_gold import (
    CALIBRATION,
    GOLD,
    L1,
    L2,
    LOCKED,
    answers,
    case,
    control_of,
    exact,
    gold_sets,
    predictions,
)

few = settings(max_examples=40, deadline=None)
with_receipt = st.sampled_from([t for t in Target if t.has_receipt])


def locked(case):
    return case.split == "locked"


def scorer(by_seed, **more):
    gold = more.get("gold", GOLD)
    return Scorer(predictions(by_seed, **more), gold, replicates=100)


# Seed 11: L1 exact; L2 drifts; L3 has its endpoints right and its receipt wrong; L4 malformed.
ELEVEN = exact(LOCKED) | {
    "L2": "old=deny new=approve receipt=grounds",
    "L3": "old=deny new=approve receipt=grounds",
    "L4": "approve to deny",
}
MIXED = {"11": ELEVEN, "23": exact(LOCKED)}

BY_HAND = {
    Metric.VALID: (3, 4),
    Metric.REVISED: (2, 4),
    Metric.ENDPOINTS: (2, 4),
    Metric.RECEIPT: (1, 4),
    Metric.DRIFT: (1, 4),
    Metric.INERTIA: (1, 4),  # the malformed answer reports no change where there is one
    Metric.REVISED_CHANGED: (2, 3),
    Metric.RECEIPT_CHANGED: (1, 3),
    Metric.MISATTRIBUTION: (2, 3),
    Metric.MISATTRIBUTION_GIVEN: (1, 2),
}


@pytest.mark.parametrize("metric", list(BY_HAND))
def test_each_metric_by_hand(metric):
    score = scorer({"11": ELEVEN}).score(metric, locked)
    assert (score.rate.numerator, score.rate.n) == BY_HAND[metric]
    assert score.spread is None


def test_seeds_are_shown_apart_and_pooled():
    score = scorer(MIXED).score(Metric.RECEIPT, locked)
    assert [(s.seed, s.numerator, s.n) for s in score.by_seed] == [("11", 1, 4), ("23", 4, 4)]
    assert (score.rate.numerator, score.rate.n) == (5, 8)
    assert score.mean == 5 / 8
    assert score.spread == pytest.approx(0.5303, abs=1e-4)  # of 0.25 and 1
    given = scorer(MIXED).score(Metric.MISATTRIBUTION_GIVEN, locked)
    assert (given.rate.numerator, given.rate.n) == (1, 5)  # pooled: 2 and 3 eligible
    assert given.mean == (1 / 2 + 0) / 2


def test_the_cube_target_has_cells_of_its_own():
    wrong = {"L1": "cube=deny,approve,deny,approve,deny,deny,approve,approve"}
    cubes = scorer({"": exact(LOCKED, Target.JUDGMENT_CUBE) | wrong}, target=Target.JUDGMENT_CUBE)
    score = cubes.score(Metric.CUBE, locked)
    assert (score.rate.numerator, score.rate.n) == (3, 4)
    # The wrong cell (grounds with authority) is no minimal set, so the receipt is still exact.
    assert cubes.score(Metric.RECEIPT, locked).rate.numerator == 4


def test_what_does_not_apply_is_unscored_with_its_reason():
    verdicts = scorer({"": exact(LOCKED, Target.DIRECT_VERDICT)}, target=Target.DIRECT_VERDICT)
    assert verdicts.score(Metric.REVISED, locked).mean == 1
    for metric in (Metric.RECEIPT, Metric.MISATTRIBUTION, Metric.MISATTRIBUTION_GIVEN):
        unscored = verdicts.score(metric, locked)
        assert unscored == Unscored("the direct-verdict target has no receipt")
    assert isinstance(verdicts.score(Metric.CUBE, locked), Unscored)
    assert isinstance(reason_debt(verdicts), Unscored)
    depth = verdicts.score(Metric.REVISED, lambda c: c.split == "shift-depth")
    assert depth == Unscored("not predicted")
    assert consistency(verdicts, "order") == Unscored("not predicted")


def test_a_metric_with_nothing_eligible_is_undefined_not_zero():
    stable = scorer({"": exact(LOCKED)}).score(Metric.RECEIPT_CHANGED, lambda c: c.id == "L2")
    assert stable.rate.share is None
    assert stable.mean is None


def test_differences_keep_pairs_and_only_shared_seeds():
    mixed, right = scorer(MIXED), scorer({"11": exact(LOCKED), "37": exact(LOCKED)})
    gap = contrast((right, Metric.RECEIPT), (mixed, Metric.RECEIPT), locked)
    assert gap.value == 3 / 4  # seed 11 alone: 4/4 against 1/4
    assert gap.units == 3
    apart = scorer({"99": exact(LOCKED)})
    unpaired = contrast((apart, Metric.RECEIPT), (mixed, Metric.RECEIPT), locked)
    assert unpaired == Unscored("no seed in common, so nothing is paired")
    within = contrast((mixed, Metric.REVISED_CHANGED), (mixed, Metric.RECEIPT_CHANGED), locked)
    assert within.value == pytest.approx(5 / 6 - 4 / 6)


def controls_answered(**wrong):
    answered = exact(c for c in GOLD.cases.values() if c.control or c.split == "locked")
    return answered | wrong


def test_consistency_by_hand():
    # Order: L1's control keeps the wrong receipt; L3's answer and its control's are wrong alike.
    same_mistake = "old=deny new=approve receipt=norms"
    answered = controls_answered(
        **{
            "L1/order": same_mistake,
            "L3": same_mistake,
            "L3/order": same_mistake,
            "L4/inverse": "old=yes new=no receipt=norms",
            "L2/distractor": "?",
        }
    )
    mine = scorer({"": answered})
    order = consistency(mine, "order")
    assert (order.score.rate.numerator, order.score.rate.n) == (3, 4)
    assert order.floor == 1 / 8
    assert order.pair_error == 3 / 8  # L1/order, L3 and L3/order of eight predictions
    inverse = consistency(mine, "inverse")
    assert inverse.score.rate.numerator == 3
    # The inverse speaks of endpoints alone: L3's wrong receipt is no error here.
    assert inverse.pair_error == 1 / 8
    distractor = consistency(mine, "distractor")
    assert distractor.score.rate.numerator == 2  # L3's differs, L2's is malformed
    assert distractor.pair_error == 2 / 8
    only = consistency(mine, "order", where=lambda c: c.stratum == "logic")
    assert (only.score.rate.numerator, only.score.rate.n) == (1, 1)


def test_a_broken_control_is_refused():
    wrong = control_of(L1, "order")
    moved = case("L1/order", "u1", "dddddddd", 7, (), control_of="L1", control="order")
    gold = GoldSet.of("", [L1, moved])
    mine = Scorer(predictions({"": {"L1": "?", wrong.id: "?"}}, gold=gold), gold)
    with pytest.raises(BadInputError, match="does not keep its relation"):
        consistency(mine, "order")


def test_the_inverse_of_what_was_not_revised_can_be_left_out():
    still = case("S", "u9", "dddddddd", 0, ())
    main = [L1, still]
    gold = GoldSet.of("", [*main, *(control_of(c, "inverse") for c in main)])
    stays = {identity: "old=deny new=deny receipt=none" for identity in gold.cases}
    mine = Scorer(predictions({"": stays}, gold=gold), gold, replicates=100)
    row = {row.label: row.cells[1].score.rate for row in controls([mine]).rows[:2]}
    # Constant verdicts swap with themselves; a constant change would swap with nothing.
    assert (row["Inverse"].numerator, row["Inverse"].n) == (2, 2)
    assert (row["Inverse, sources revised"].numerator, row["Inverse, sources revised"].n) == (1, 1)
    stays |= {"L1/inverse": "?"}
    mine = Scorer(predictions({"": stays}, gold=gold), gold, replicates=100)
    row = {row.label: row.cells[1].score.rate for row in controls([mine]).rows[:2]}
    assert (row["Inverse"].numerator, row["Inverse"].n) == (1, 2)
    assert (row["Inverse, sources revised"].numerator, row["Inverse, sources revised"].n) == (0, 1)


def test_answers_to_different_words_are_not_paired():
    plain = scorer(MIXED)
    table = scorer(MIXED)
    table.predictions = replace(table.predictions, renderings=("table",))
    gap = contrast((table, Metric.RECEIPT), (plain, Metric.RECEIPT), locked)
    assert gap == Unscored("not paired: prompts in different words (table; the benchmark's own)")
    within = contrast((table, Metric.REVISED_CHANGED), (table, Metric.RECEIPT_CHANGED), locked)
    assert within.value == pytest.approx(5 / 6 - 4 / 6)
    assert contrast((table, Metric.RECEIPT), (table, Metric.RECEIPT), locked).value == 0


def test_reason_debt_by_hand():
    scored = {
        "C1": (exact(CALIBRATION)["C1"], 0.9),
        "C2": (exact(CALIBRATION)["C2"], 0.6),
        "L1": (ELEVEN["L1"], 0.8),
        "L2": (ELEVEN["L2"], 0.7),
        "L3": (ELEVEN["L3"], 0.5),
        "L4": (exact(LOCKED)["L4"], 0.95),
    }
    half, whole = reason_debt(scorer({"": scored}), aims=(0.5, 1.0))
    assert half.thresholds == {"": 0.9}
    assert (half.debt.rate.numerator, half.debt.rate.n) == (0, 1)
    assert (half.coverage.rate.numerator, half.coverage.rate.n) == (1, 4)
    assert (half.recall.rate.numerator, half.recall.rate.n) == (1, 3)
    assert whole.thresholds == {"": 0.6}  # L3 falls below what calibration has seen
    assert (whole.debt.rate.numerator, whole.debt.rate.n) == (1, 3)  # L2 drifted
    assert (whole.coverage.rate.numerator, whole.coverage.rate.n) == (3, 4)
    assert (whole.recall.rate.numerator, whole.recall.rate.n) == (2, 3)


def test_reason_debt_says_what_it_lacks():
    mine = scorer({"": exact(LOCKED)})
    assert "calibration split is not predicted" in reason_debt(mine).why
    unsure = scorer({"": exact([*LOCKED, *CALIBRATION])})
    assert "no confidences" in reason_debt(unsure).why
    some = {k: (v, 0.5) for k, v in exact([L1, *CALIBRATION]).items()}
    (point,) = reason_debt(scorer({"": exact(LOCKED) | some}), aims=(1.0,))
    assert point.unscored == 2
    assert (point.coverage.rate.numerator, point.coverage.rate.n) == (1, 1)
    assert (point.recall.rate.numerator, point.recall.rate.n) == (1, 3)


def test_accepting_nothing_leaves_debt_undefined():
    scored = {k: (v, 0.9) for k, v in exact(CALIBRATION).items()}
    scored |= {k: (v, 0.1) for k, v in exact(LOCKED).items()}
    (point,) = reason_debt(scorer({"": scored}), aims=(0.2,))
    assert point.debt.rate.share is None
    assert point.debt.mean is None
    assert point.coverage.rate.share == 0


@few
@given(gold_sets(), with_receipt)
def test_exact_predictions_are_perfect_everywhere(gold, target):
    mine = scorer({"": exact(gold.cases.values(), target)}, target=target, gold=gold)
    perfect = {Metric.VALID, Metric.REVISED, Metric.ENDPOINTS, Metric.RECEIPT}
    perfect |= {Metric.REVISED_CHANGED, Metric.RECEIPT_CHANGED, Metric.CUBE}
    for metric in Metric:
        score = mine.score(metric, locked)
        if not isinstance(score, Unscored):
            assert score.rate.share in (None, 1 if metric in perfect else 0)
    for control in CONTROLS:
        found = consistency(mine, control)
        assert (found.score.rate.share, found.floor, found.pair_error) == (1, 0, 0)


@few
@given(gold_sets(), with_receipt, st.data())
def test_laws_of_any_predictions(gold, target, data):
    mine = scorer({"": data.draw(answers(gold, target))}, target=target, gold=gold)

    def count(metric):
        score = mine.score(metric, locked)
        return score.rate.numerator, score.rate.n

    n = count(Metric.RECEIPT)[1]
    endpoints, revised, valid = (
        count(m)[0] for m in (Metric.ENDPOINTS, Metric.REVISED, Metric.VALID)
    )
    assert endpoints <= revised <= valid <= n == len(mine.rows(locked))
    right, changes = count(Metric.RECEIPT_CHANGED)
    assert count(Metric.MISATTRIBUTION) == (changes - right, changes)
    assert changes == sum(c.changed for c in gold.cases.values() if not c.control)
    # The change-set identity: whoever neither drifts nor is inert sees exactly the changes.
    rows = mine.rows(locked)
    differ = sum(row.changed != row.gold.changed for row in rows)
    assert count(Metric.DRIFT)[0] + count(Metric.INERTIA)[0] == differ
    for control in CONTROLS:
        found = consistency(mine, control)
        assert found.floor <= found.pair_error + 1e-12
    # No receipt that is read contradicts its own endpoints.
    assert all(bool(r.answer.receipt.masks) == r.changed for r in rows if r.answer)


@few
@given(gold_sets(), st.data())
def test_the_order_of_predictions_does_not_matter(gold, data):
    answered = data.draw(answers(gold, Target.DIRECT_RECEIPT))
    shuffled = dict(data.draw(st.permutations(list(answered.items()))))
    one, other = scorer({"": answered}, gold=gold), scorer({"": shuffled}, gold=gold)
    for metric in (Metric.RECEIPT, Metric.MISATTRIBUTION_GIVEN):
        assert one.score(metric, locked) == other.score(metric, locked)
    assert consistency(one, "inverse") == consistency(other, "inverse")


def test_the_inverse_of_the_inverse_is_the_case():
    for parent in LOCKED:
        child = control_of(parent, "inverse")
        assert (child.old, child.revised) == (parent.revised, parent.old)
        assert child.cube[::-1] == parent.cube
    assert L2.cube == control_of(L2, "inverse").cube
