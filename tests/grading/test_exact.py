"""The exact checker's record on planted chains, and what it cannot see."""

from collections import Counter
from dataclasses import replace

import pytest

from decidendi.grading import (
    MAKERS,
    ExactChecker,
    Judge,
    kind_of,
    law_problem,
    plant,
    plant_set,
    score,
    taxonomy,
)
from decidendi.judgment import Reason, Unmeasured
from decidendi.legal import rules

UNSEEN = {
    "misinterpretation.semantic",
    "misinterpretation.jargon",
    "hallucination.fabrication",
}


def named(marks):
    if isinstance(marks, Unmeasured):
        return "unmeasured"
    if not marks:
        return "sound"
    return "carried" if marks[0].carried else marks[0].code


@pytest.fixture(scope="module")
def planted():
    return plant_set(840, seed=21)


@pytest.fixture(scope="module")
def graded(planted):
    return ExactChecker().grade([one.chain for one in planted])


@pytest.fixture(scope="module")
def counts(planted, graded):
    found = Counter()
    for one, labels in zip(planted, graded, strict=True):
        for true, said in zip(one.labels.premises, labels.premises, strict=True):
            found[named(true), named(said)] += 1
    return found


def test_it_is_a_judge():
    assert isinstance(ExactChecker(), Judge)
    assert ExactChecker().identity.taxonomy == taxonomy().digest


def test_it_never_calls_a_sound_premise_wrong_or_a_planted_error_sound(counts):
    assert counts["sound", "sound"] > 5000
    assert [key for key in counts if key[0] == "sound" and key[1] != "sound"] == []
    assert [key for key in counts if key[0] in MAKERS and key[1] == "sound"] == []


def test_confusion_of_what_it_can_see(counts):
    """Nearly all of it by its name; the rest is unmeasured, or has two names that both fit."""
    for code in set(MAKERS) & set(taxonomy().codes) - UNSEEN:
        row = Counter({said: n for (true, said), n in counts.items() if true == code})
        assert row[code] >= 0.85 * row.total(), (code, row)
        assert row[code] + row["unmeasured"] >= 0.95 * row.total(), (code, row)
    carried = Counter({said: n for (true, said), n in counts.items() if true == "carried"})
    assert carried["carried"] >= 0.95 * carried.total()


def test_what_it_cannot_see_is_unmeasured(counts):
    for code in UNSEEN:
        row = Counter({said: n for (true, said), n in counts.items() if true == code})
        assert set(row) <= {"unmeasured", code}, (code, row)
        assert row["unmeasured"] > 0.5 * row.total()


def test_classes_of_conclusions_follow(planted, graded):
    for one, labels in zip(planted, graded, strict=True):
        true, said = score(one.chain, one.labels).conclusion, score(one.chain, labels).conclusion
        assert said == true or isinstance(said, Unmeasured)


def test_jargon_is_seen_where_a_citizenship_shows_it():
    checker = ExactChecker()
    seen = Counter()
    for seed in range(60):
        made = plant(law_problem(f"j{seed}", "1332-a", seed), "misinterpretation.jargon", seed=seed)
        (labels,) = checker.grade([made.chain])
        if "citizen of" in made.chain.premises[made.place]:
            seen[named(labels.premises[made.place])] += 1
    assert seen["misinterpretation.jargon"] > 10
    assert seen["sound"] == 0


def test_first_errors_are_where_they_were_planted(planted, graded):
    right = total = 0
    for one, labels in zip(planted, graded, strict=True):
        if one.place is not None and kind_of(one.code) != "hallucination":
            found = labels.first_error
            if not isinstance(found, Unmeasured):
                total, right = total + 1, right + (found == one.place)
    assert total > 200
    assert right == total


def test_other_chains_are_unmeasured_with_the_reason():
    problem = law_problem("p", "12-a-1", 1)
    chain = plant(problem, "correct").chain
    checker = ExactChecker()
    plain = checker.grade([replace(chain, carried={})])[0]
    assert plain.premises.reason is Reason.INTERFACE
    broken = checker.grade([replace(chain, carried={"law": {"authority": "13-z", "matter": {}}})])
    assert "13-z" in broken[0].premises.detail
    whole = Unmeasured(Reason.NOT_CONVERGED, "the output is empty")
    assert checker.grade([replace(chain, premises=whole)])[0].premises is whole


def test_free_words_are_unmeasured_never_sound():
    problem = law_problem("p", "12-a-1", 1)
    chain = plant(problem, "correct").chain
    strange = replace(
        chain, premises=("The answer seems fine to me.", *chain.premises, "I mark all as correct.")
    )
    marks = ExactChecker().grade([strange])[0].premises
    assert isinstance(marks[0], Unmeasured) and isinstance(marks[-1], Unmeasured)
    assert all(m == () for m in marks[1:-1])


def test_order_does_not_matter_to_a_correct_chain():
    for authority in rules():
        chain = plant(law_problem("p", authority, 3), "correct", seed=4).chain
        turned = replace(chain, premises=chain.premises[::-1])
        assert all(m == () for m in ExactChecker().grade([turned])[0].premises)
