"""Rogan-Gladen: the formula, its uncertainty against resampling, and where it has no answer."""

import numpy as np
import pytest

from decidendi.stats import Judgments, NotEnoughLabels, rogan_gladen


def made(seed, *, n=3_000, labelled=400, rate=0.4, se=0.9, sp=0.8, size=1):
    rng = np.random.default_rng(seed)
    truth = np.repeat(rng.random(n // size) < rate, size)
    judge = np.where(truth, rng.random(n) < se, rng.random(n) >= sp)
    human = [bool(t) if i < labelled else None for i, t in enumerate(truth)]
    return Judgments(judge.tolist(), human)


def by_formula(judge, human, seen):
    se, sp = judge[seen & human].mean(), 1 - judge[seen & ~human].mean()
    return (judge.mean() + sp - 1) / (se + sp - 1)


def test_by_hand():
    # Sensitivity 9/10, specificity 8/10, and 44 of 100 judged hits: (0.44 - 0.2) / 0.7.
    judge = [1] * 9 + [0] + [1] * 2 + [0] * 8 + [1] * 33 + [0] * 47
    found = rogan_gladen(Judgments(judge, [1] * 10 + [0] * 10 + [None] * 80))
    assert found.estimate == pytest.approx(0.24 / 0.7)
    assert found.method.startswith("Rogan-Gladen (sensitivity 90.0%, specificity 80.0%), 95%")
    assert found.weights == ()
    assert found.raw == pytest.approx(0.44)


@pytest.mark.parametrize("size", [1, 5])
def test_the_standard_error_is_that_of_resampled_units(size):
    judgments = made(3, size=size)
    units = np.arange(3_000) // size
    found = rogan_gladen(judgments, units.tolist())
    judge = np.array(judgments.judge, dtype=float)
    seen = np.array([h is not None for h in judgments.human])
    human = np.array([bool(h) for h in judgments.human])
    assert found.estimate == pytest.approx(by_formula(judge, human, seen))
    rng = np.random.default_rng(0)
    of = units.max() + 1
    values = []
    for _ in range(600):
        drawn = rng.integers(0, of, of)
        rows = (drawn[:, None] * size + np.arange(size)).ravel()
        values.append(by_formula(judge[rows], human[rows], seen[rows]))
    assert found.standard_error == pytest.approx(np.std(values), rel=0.12)
    assert found.low < 0.4 < found.high


def test_a_judge_no_better_than_chance_gives_no_answer():
    found = rogan_gladen(made(5, se=0.5, sp=0.5))
    assert isinstance(found, NotEnoughLabels)
    assert "cannot be told from chance" in found.reason
    assert isinstance(rogan_gladen(made(5, se=0.1, sp=0.2)), NotEnoughLabels)


def test_a_class_that_is_hardly_labelled_gives_no_answer():
    judge = [1] * 3 + [0] * 97 + [0] * 400
    found = rogan_gladen(Judgments(judge, [1] * 3 + [0] * 97 + [None] * 400))
    assert isinstance(found, NotEnoughLabels)
    assert found.reason == (
        "of 100 labelled, 3 are of the rarer class, at least 5 needed, as among about 167 labelled"
    )
    assert found.needed.labels < found.labelled
    assert str(found) == f"not enough labels: {found.reason}"  # "20 labels" would mislead
    none = rogan_gladen(Judgments([1] * 3 + [0] * 97, [0] * 100))
    assert none.reason == "of 100 labelled, 0 are of the rarer class, at least 5 needed"
    few = rogan_gladen(Judgments([1, 0], [1, 0]))
    assert few.reason == "2 labelled, at least 20 needed"


def test_a_judge_without_a_mistake_in_few_labels_still_leaves_room():
    judge = [1] * 10 + [0] * 10 + [1] * 40 + [0] * 40
    found = rogan_gladen(Judgments(judge, [1] * 10 + [0] * 10 + [None] * 80))
    assert found.estimate == pytest.approx(0.5)
    assert found.low < 0.35
    assert found.high > 0.65


def test_outside_the_range_it_is_cut():
    # The judge's share lies below its own false alarms.
    judge = [1] * 40 + [0] * 10 + [1] * 10 + [0] * 40 + [1] * 20 + [0] * 380
    found = rogan_gladen(Judgments(judge, [1] * 50 + [0] * 50 + [None] * 400))
    assert found.estimate == found.low == 0
    assert 0 < found.high < 0.2


def test_shares_are_refused():
    with pytest.raises(ValueError, match="hits and misses"):
        rogan_gladen(Judgments([0.5], [None]))
