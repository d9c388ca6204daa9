"""A judge against people: counts, rates by class, kappa; by hand, by law, and by scikit-learn."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from decidendi.judgment import Reason, Unmeasured
from decidendi.stats import (
    ClassCounts,
    Confusion,
    NoAgreement,
    Resampler,
    confusion,
    judge_record,
    wilson_interval,
)

DATA = Path(__file__).parents[2].parent / "shared" / "data"
few = settings(max_examples=25, deadline=None)
labels = st.sampled_from("abc")
rows = st.lists(st.tuples(labels, labels, st.integers(0, 9)), min_size=1, max_size=50)


def published():
    """People and GPT-4 on 159 solutions: 36 of 76 sound ones called wrong, 80 of 83 found."""
    human = ["sound"] * 76 + ["wrong"] * 83
    judge = ["wrong"] * 36 + ["sound"] * 40 + ["wrong"] * 80 + ["sound"] * 3
    return human, judge


def test_published_counts_and_what_follows_from_them_by_hand():
    record = judge_record(*published())
    assert record.confusion == Confusion(("sound", "wrong"), ((40, 36), (3, 80)))
    assert record.confusion.counted("wrong") == ClassCounts(80, 3, 36, 40)
    assert record.confusion.counted("sound") == ClassCounts(40, 36, 3, 80)
    wrong = record.classes["wrong"]
    assert (wrong.precision.numerator, wrong.precision.n) == (80, 116)
    assert (wrong.recall.numerator, wrong.recall.n) == (80, 83)
    assert (wrong.specificity.numerator, wrong.specificity.n) == (40, 76)
    assert wrong.f1.share == pytest.approx(2 * 80 / (2 * 80 + 3 + 36))
    assert str(wrong.recall).startswith("80/83 = 96.4%")
    assert str(wrong.specificity).startswith("40/76 = 52.6%")
    assert (record.agreed.numerator, record.agreed.n) == (120, 159)
    # Agreement 120/159; by chance (83 * 116 + 76 * 43) / 159^2.
    assert record.kappa.value == pytest.approx(6184 / 12385, abs=1e-12)
    assert record.kappa.low < 6184 / 12385 < record.kappa.high
    assert (wrong.recall.low, wrong.recall.high) == wilson_interval(80, 83)
    assert wrong.f1.method.startswith("percentile bootstrap")


def plainly(verdict: str) -> str:
    """Read ``Wrong.`` and ``correct`` as what they mean."""
    return {"correct": "sound", "wrong": "wrong"}[verdict.strip("*. ").lower()]


@pytest.mark.skipif(not DATA.is_dir(), reason="the study data are not here")
def test_published_counts_from_the_rows_themselves():
    path = DATA / "steps" / "mrmath_invalid_human_and_judges.jsonl"
    items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    human = [plainly(item["model_output_solution_correctness"]) for item in items]
    judge = [plainly(item["judges"]["gpt4"]["correctness_pred"]) for item in items]
    assert confusion(human, judge) == confusion(*published())


@few
@given(rows)
def test_rates_are_those_of_scikit_learn(rows):
    human, judge, units = (list(column) for column in zip(*rows, strict=True))
    record = judge_record(human, judge, units, resampler=Resampler(range(10), replicates=20))
    names = record.confusion.labels
    theirs = precision_recall_fscore_support(human, judge, labels=names, zero_division=0)
    for name, precision, recall, f1, support in zip(names, *theirs, strict=True):
        ours = record.classes[name]
        assert ours.recall.n == support
        for one, other in ((ours.precision, precision), (ours.recall, recall), (ours.f1, f1)):
            assert (one.share is None) == (one.n == 0)
            assert (one.share or 0) == pytest.approx(other)


@few
@given(rows)
def test_the_counts_of_every_class_add_up(rows):
    human, judge, _ = zip(*rows, strict=True)
    found = confusion(human, judge, labels="abc")
    assert found.n == len(rows)
    assert found.agreed == sum(one == other for one, other in zip(human, judge, strict=True))
    said = Counter(judge)
    for label in "abc":
        counts = found.counted(label)
        assert counts.found + counts.missed == human.count(label)
        assert counts.found + counts.false_alarms == said[label]
        assert counts.found + counts.missed + counts.false_alarms + counts.spared == len(rows)


@few
@given(rows)
def test_exchanging_judge_and_people_exchanges_precision_and_recall(rows):
    human, judge, units = (list(column) for column in zip(*rows, strict=True))
    draws = Resampler(range(10), replicates=50)
    one = judge_record(human, judge, units, resampler=draws)
    other = judge_record(judge, human, units, resampler=draws)
    for label in one.confusion.labels:
        assert one.classes[label].precision == other.classes[label].recall
        assert one.classes[label].f1 == other.classes[label].f1
    assert one.agreed == other.agreed


def test_what_is_absent_is_counted_by_whose_it_is_and_never_wrong():
    unread, late = Unmeasured(Reason.NOT_CONVERGED), Unmeasured(Reason.TIMEOUT)
    human = ["a", "a", None, "b", "b", late]
    judge = ["a", unread, "a", late, "b", unread]
    record = judge_record(human, judge)
    left_out = {
        "judge: not-converged": 1,
        "people: no label": 1,
        "judge: timeout": 1,
        "people: timeout": 1,
    }
    assert record.confusion == Confusion(("a", "b"), ((1, 0), (0, 1)), left_out)
    assert record.agreed.excluded == record.classes["a"].f1.excluded == left_out
    assert record.kappa.excluded == record.alpha.excluded == left_out


def test_clusters_are_the_observations():
    human, judge = published()
    units = [i // 8 for i in range(159)]
    clustered = judge_record(human, judge, units)
    assert clustered.units == 20
    wrong = clustered.classes["wrong"]
    assert wrong.specificity.method == "percentile bootstrap 95%, 10 units, 10,000 replicates"
    # Sorted into units, the mistakes come together, and the interval must be wider for it.
    alone = judge_record(human, judge).classes["wrong"].specificity
    assert wrong.specificity.high - wrong.specificity.low > alone.high - alone.low


def test_what_nobody_said_has_undefined_rates_and_one_class_no_kappa():
    record = judge_record(["a", "a"], ["a", "a"], labels=["a", "b"])
    unsaid = record.classes["b"]
    assert all(rate.share is None for rate in (unsaid.precision, unsaid.recall, unsaid.f1))
    assert unsaid.specificity.share == 1
    assert isinstance(record.kappa, NoAgreement)
    assert str(record.kappa) == str(record.alpha) == "undefined (only one class)"
    nothing = judge_record([], [], labels=["a"])
    assert nothing.classes["a"].recall.share is None
    assert nothing.kappa == NoAgreement("Cohen's kappa", "nothing to compare", 0)
    unlabelled = judge_record(["a", "b"], [None, None])  # nor is there a class to speak of
    assert unlabelled.classes == {} and unlabelled.agreed.n == 0
    assert unlabelled.confusion.excluded == {"judge: no label": 2}


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="'c' is not among the classes a, b"):
        confusion(["a"], ["c"], labels="ab")
    with pytest.raises(ValueError, match="shorter"):
        confusion(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="square"):
        Confusion(("a", "b"), ((1, 2),))
    with pytest.raises(ValueError, match="never negative"):
        Confusion(("a",), ((-1,),))
    with pytest.raises(ValueError, match="named twice"):
        Confusion(("a", "a"), ((1, 0), (0, 1)))
