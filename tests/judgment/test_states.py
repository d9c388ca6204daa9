"""Sources, states, cases, errors and identities."""

import pytest

from decidendi.judgment import (
    BadInputError,
    Case,
    Identity,
    NonComparableError,
    Place,
    Reason,
    Source,
    State,
    Unmeasured,
    digest_of,
    is_measured,
)


def test_a_source_is_its_content():
    assert Source("norms", {"b": 1, "a": 2}) == Source("norms", {"a": 2, "b": 1})
    assert Source("norms", [1]) != Source("norms", [2])
    assert Source("norms", [1]) != Source("grounds", [1])


def test_a_bad_source_names_its_kind_and_field():
    with pytest.raises(BadInputError) as caught:
        Source("grounds", {"amount": 1.5})
    assert caught.value.place.field == "grounds.amount"


def test_states_are_read_by_kind():
    state = State.of({"grounds": {"x": 1}, "norms": "text"})
    assert state["norms"] == "text"
    assert state.kinds == ("grounds", "norms")
    with pytest.raises(KeyError):
        state["authority"]
    assert state == State.of({"grounds": {"x": 1}, "norms": "text"})


def test_a_case_without_a_unit_is_its_own():
    assert Case("c1").unit == "c1"
    assert Case("c1", unit="order 7").unit == "order 7"


def test_unmeasured_is_never_a_label():
    missing = Unmeasured(Reason.ERROR, "approve")
    assert not is_measured(missing)
    assert is_measured("approve")
    assert missing != "approve"


@pytest.mark.parametrize(
    "change",
    [
        {"name": "b"},
        {"engine": "rego"},
        {"digest": digest_of(2)},
        {"verdicts": ("no", "yes")},
        {"kinds": ("g",)},
        {"deterministic": False},
    ],
)
def test_an_identity_key_holds_everything(change):
    about = {"name": "a", "engine": "python", "digest": digest_of(1), "verdicts": ("yes", "no")}
    assert Identity(**about).key != Identity(**{**about, **change}).key


def test_errors_say_where_and_what_to_do():
    error = BadInputError("is a float", remedy="use cents", place=Place(field="amount"))
    error.at(file="cases.jsonl", line=7, field="grounds")
    assert str(error) == "cases.jsonl:7: grounds.amount: is a float (use cents)"


def test_non_comparable_names_the_differing_fields():
    error = NonComparableError({"verdicts": (("a",), ("b",))})
    assert "verdicts" in str(error)
    assert error.differing == {"verdicts": (("a",), ("b",))}


@pytest.mark.parametrize("change", [{"id": ""}, {"id": 5}, {"id": "e\u0301"}, {"unit": "\ud800"}])
def test_an_id_that_no_certificate_could_hold_is_refused(change):
    with pytest.raises(BadInputError) as caught:
        Case(**{"id": "c1", **change})
    assert caught.value.place.field == next(iter(change))
