"""A judge that errs at known rates has just that record."""

import pytest

from decidendi.grading import ErrorRates, Judge, ScriptedJudge, kind_of, plant_set
from decidendi.judgment import BadInputError, Unmeasured


@pytest.fixture(scope="module")
def planted():
    return plant_set(900, seed=8, correct=0.2)


def graded(planted, rates, **keywords):
    judge = ScriptedJudge([one.labels for one in planted], rates, **keywords)
    return judge, judge.grade([one.chain for one in planted])


def test_without_errors_it_says_the_truth(planted):
    judge, labels = graded(planted, None)
    assert isinstance(judge, Judge)
    assert [x.premises for x in labels] == [one.labels.premises for one in planted]
    assert {x.by for x in labels} == {"scripted/1"}


def test_its_rates_are_as_scripted(planted):
    rates = ErrorRates({"misinterpretation": 0.4, "": 0.1}, 0.15, 0.25, 0.05)
    _, labels = graded(planted, rates)
    seen = {"failed": [], "false": [], "missed": [], "other": [], "confused": []}
    for one, said in zip(planted, labels, strict=True):
        for true, marks in zip(one.labels.premises, said.premises, strict=True):
            seen["failed"].append(isinstance(marks, Unmeasured))
            if isinstance(marks, Unmeasured):
                continue
            if not true:
                seen["false"].append(bool(marks))
                continue
            kind = kind_of(true[0].code)
            seen["missed" if kind == "misinterpretation" else "other"].append(not marks)
            if marks:
                seen["confused"].append(kind_of(marks[0].code) != kind)
    expected = {"failed": 0.05, "false": 0.15, "missed": 0.4, "other": 0.1, "confused": 0.25}
    for name, chance in expected.items():
        n = len(seen[name])
        assert n > 150
        assert abs(sum(seen[name]) / n - chance) < 3.5 * (chance * (1 - chance) / n) ** 0.5, name


def test_what_it_says_depends_on_the_chain_alone(planted):
    rates = ErrorRates({"": 0.5}, 0.5)
    judge, labels = graded(planted, rates)
    assert judge.grade([one.chain for one in planted][::-1]) == labels[::-1]
    assert graded(planted, rates, seed=1)[1] != labels
    assert graded(planted, rates, seed=1)[0].identity.digest != judge.identity.digest
    assert graded(planted, ErrorRates({"": 0.4}, 0.5))[0].identity.digest != judge.identity.digest


def test_a_chain_it_does_not_know_is_unmeasured(planted):
    judge = ScriptedJudge([planted[0].labels])
    known, unknown = judge.grade([planted[0].chain, planted[1].chain])
    assert known.premises == planted[0].labels.premises
    assert isinstance(unknown.premises, Unmeasured)


def test_rates_are_chances():
    with pytest.raises(BadInputError, match="between 0 and 1"):
        ErrorRates(false_alarms=1.5)
