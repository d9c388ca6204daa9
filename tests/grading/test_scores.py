"""Classes, soundness, correctness, accuracy and their rates, by hand and by law."""

import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from grading_toys import FAILED, FALSE, TIME, chain, labels

from decidendi.grading import (
    Finding,
    Labels,
    conclusion_class,
    measure,
    pair_up,
    score,
    taxonomy,
    up_to_first_error,
)
from decidendi.judgment import BadInputError, Unmeasured


@pytest.mark.parametrize(
    ("chosen", "premises", "content", "expected"),
    [
        ("YES", [(), ()], None, "correct"),
        ("YES", [(), ()], True, "correct"),
        ("YES", [TIME, ()], True, "correct-from-false"),
        ("YES", [TIME, ()], False, "correct-hallucinated"),
        ("YES", [(), ()], False, "correct-hallucinated"),
        ("NO", [TIME, FALSE], None, "wrong-from-false"),
        ("NO", [(), ()], None, "wrong-from-incomplete"),
        ("NO", [(), ()], False, "wrong-from-incomplete"),
        ("NO", [TIME, ()], FAILED, "wrong-from-false"),
        ("YES", [(), FAILED], None, FAILED),
        ("YES", [TIME, FAILED], None, FAILED),
        ("YES", [(), ()], FAILED, FAILED),
        ("YES", [(), None], None, None),
        ("YES", [None, TIME], None, None),
        ("YES", [(), TIME, None], None, "correct-from-false"),
        ("NO", [TIME, None, None], None, "wrong-from-false"),
        ("NO", [TIME, None, ()], None, None),
        ("NO", [TIME, None, FAILED], None, None),
        (FAILED, [(), ()], None, FAILED),
        ("YES", FAILED, None, FAILED),
    ],
)
def test_classes_by_hand(chosen, premises, content, expected):
    assert conclusion_class(chosen, "YES", premises, content) == expected
    assert conclusion_class(chosen, None, premises, content) == (
        FAILED if chosen is FAILED else None
    )


@given(
    right=st.booleans(),
    wrong=st.lists(st.booleans(), min_size=1, max_size=6),
    content=st.sampled_from([True, False, None]),
)
def test_scores_follow_from_the_definitions(right, wrong, content):
    marks = tuple(TIME if bad else () for bad in wrong)
    found = score(
        chain(size=len(wrong), chosen="YES" if right else "NO"), Labels("c", "j", marks, content)
    )
    assert found.accuracy == right
    assert found.soundness == pytest.approx(1 - sum(wrong) / len(wrong))
    assert found.correctness == (right and not any(wrong) and content is not False)
    assert (found.conclusion == "correct") == bool(found.correctness)
    assert found.conclusion.startswith("correct") == right


def test_unmeasured_leaves_numerators_and_denominators_whatever_else_is_known():
    graded = [
        (chain("a"), labels("a", (), (), ())),
        (chain("b"), labels("b", TIME, (), FAILED)),
        (chain("c", chosen=FAILED), labels("c", (), (), ())),
        (chain("d", chosen="NO"), labels("d", TIME, FALSE, ())),
        (chain("e"), None),
    ]
    found = measure(graded, taxonomy())
    assert (found.accuracy.numerator, found.accuracy.n) == (3, 4)
    assert found.accuracy.excluded == {"not-converged": 1}
    assert (found.soundness.numerator, found.soundness.n) == (8, 11)
    assert found.soundness.excluded == {"not-converged": 1, "no label": 3}
    assert (found.correctness.numerator, found.correctness.n) == (1, 2)
    assert found.correctness.excluded == {"not-converged": 2, "no label": 1}
    assert found.gap.value == pytest.approx(0.0)
    assert found.classes["wrong-from-false"].numerator == 1
    errors = found.errors
    assert errors["misinterpretation"].numerator == 2
    assert errors["misinterpretation.temporal"].numerator == 2
    assert errors["hallucination.fabrication"].numerator == 1
    assert errors["irrelevance"].numerator == 0
    assert found.chains_with["misinterpretation"].numerator == 1
    assert found.chains_with["misinterpretation"].n == 3


def test_a_judge_that_fails_at_random_does_not_make_chains_wrong():
    """Every premise fails with chance 1/2: over all outcomes the rate stays what it is."""
    true = [((), ()), ((), ()), (TIME, ()), (TIME, TIME)]
    hits = total = 0
    for fails in product([False, True], repeat=2):
        for marks in true:
            seen = tuple(FAILED if f else m for f, m in zip(fails, marks, strict=True))
            value = score(chain(size=2), Labels("c", "j", seen)).correctness
            if not isinstance(value, Unmeasured):
                hits, total = hits + value, total + 1
    assert hits / total == 2 / 4


def test_an_error_of_a_kind_nobody_said_may_be_of_any_kind():
    rows = [labels("a", (), (Finding("unspecified"),), TIME), labels("b", (), (), ())]
    found = measure([(chain("a"), rows[0]), (chain("b"), rows[1])], taxonomy())
    assert (found.errors["misinterpretation"].numerator, found.errors["misinterpretation"].n) == (
        1,
        5,
    )
    assert found.errors["hallucination"].excluded == {"no label": 1}
    assert found.errors["unspecified"].n == 6
    assert (found.soundness.numerator, found.soundness.n) == (4, 6)


def test_intervals_are_by_unit():
    graded = [
        (chain(f"c{n}", unit=f"u{n // 4}"), labels(f"c{n}", *(((),) if n < 8 else (TIME,)) * 3))
        for n in range(16)
    ]
    found = measure(graded, taxonomy())
    assert found.units == 4
    assert found.correctness.share == found.soundness.share == 0.5
    assert "4 units" in found.correctness.method
    assert found.correctness.high - found.correctness.low > 0.6
    assert found.gap.value == pytest.approx(0.5)
    assert found.gap.units == 4


def test_one_missing_kind_of_chain_is_counted_and_breaks_nothing():
    whole = chain("x")
    object.__setattr__(whole, "premises", FAILED)
    found = measure([(whole, None)], taxonomy())
    assert found.soundness.n == found.correctness.n == 0
    assert found.soundness.excluded == {"not-converged": 1}
    assert found.accuracy.n == 1
    assert measure([], taxonomy()).accuracy.share is None


def test_first_errors():
    assert labels("c", (), TIME, None).first_error == 1
    assert labels("c", (), (), ()).first_error is None
    assert isinstance(labels("c", None, TIME).first_error, Unmeasured)
    assert labels("c", FAILED, TIME).first_error is FAILED
    assert isinstance(labels("c", (), (), said="wrong").first_error, Unmeasured)
    assert Labels("c", "p", up_to_first_error(4, 2)).first_error == 2
    assert Labels("c", "p", up_to_first_error(4, 2)).whole == "wrong"
    assert Labels("c", "p", up_to_first_error(4, None)).whole == "sound"
    assert labels("c", TIME, FAILED).whole is FAILED
    assert labels("c", (), None).whole is None
    with pytest.raises(ValueError, match="no step 4"):
        up_to_first_error(4, 4)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([labels("z", ())], "not there"),
        ([labels("a", ())], "1 premises"),
        ([labels("a", (), (), ()), labels("a", (), (), ())], "twice"),
    ],
)
def test_labels_that_do_not_fit_are_refused(rows, said):
    with pytest.raises(BadInputError, match=said):
        pair_up([chain("a")], rows)
