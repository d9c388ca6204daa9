"""Drilling into a source: its changed parts reproduce the verdict, exactly or labelled as not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import EITHER, OLD, Coin, Toy

from decidendi.judgment import MAX_INTEGER, BadInputError, Case, State, digest_of
from decidendi.receipts import (
    Parts,
    Transition,
    certify,
    drill,
    json_parts,
    to_statement,
    verify_statement,
)

documents = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.sampled_from("abc"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c.d", ""]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(documents, documents)
def test_parts_lead_from_the_old_to_the_revised_content(old, revised):
    parts = json_parts(old, revised)
    k = len(parts.names)
    assert len(set(parts.names)) == k
    assert digest_of(parts.build(0)) == digest_of(old)
    assert digest_of(parts.build(2**k - 1)) == digest_of(revised)
    assert (k == 0) == (digest_of(old) == digest_of(revised))


def test_part_names_say_where():
    old = {"a": {"b": 1, "x y": [1, 2]}, "gone": 1}
    new = {"a": {"b": 2, "x y": [1, 3]}, "new": 1}
    assert json_parts(old, new).names == ("a.b", "a['x y'][1]", "gone", "new")


def transition(old, revised):
    return Transition(Case("c"), State.of(old), State.of(revised))


WIDE_OLD = {**OLD, "norms": {"window": 14, "note": "a", "grace": 0, "minimum": 1}}
WIDE_NEW = {**OLD, "norms": {"window": 18, "note": "b", "grace": 3, "minimum": 1}}


def with_grace(state):
    norms = state["norms"]
    return "approve" if state["grounds"]["days"] <= norms["window"] + norms["grace"] else "deny"


def test_only_the_fields_that_matter_are_named():
    toy = Toy(with_grace)
    change = transition(WIDE_OLD, WIDE_NEW)
    assert certify(toy, change.old, change.revised).receipt.masks == (2,)
    parts = json_parts(WIDE_OLD["norms"], WIDE_NEW["norms"])
    found = drill(toy, change, 2, "norms", parts)
    assert found.complete
    assert found.proven
    assert found.minimal == (("grace", "window"),)
    assert found.parts == 3
    assert verify_statement(to_statement(found.certificate)) == []


def many_fields(n):
    old = {**OLD, "norms": {f"f{i:02}": 0 for i in range(n)}}
    return old, {**OLD, "norms": {f"f{i:02}": 1 for i in range(n)}}


def drilled(decide, n):
    old, new = many_fields(n)
    parts = json_parts(old["norms"], new["norms"])
    return drill(Toy(decide), transition(old, new), 2, "norms", parts)


def test_above_sixteen_parts_one_minimal_set_is_given_and_labelled_so():
    def decide(state):
        on = {name for name, value in state["norms"].items() if value}
        return "approve" if {"f03", "f17"} <= on or {"f05", "f06", "f07"} <= on else "deny"

    found = drilled(decide, 24)
    assert not found.complete
    assert found.proven
    assert len(found.minimal) == 1
    assert set(found.minimal[0]) in ({"f03", "f17"}, {"f05", "f06", "f07"})


def test_without_monotonicity_the_one_set_still_holds_no_smaller_one():
    """f00 alone reproduces, but any of f01 … f02 spoils it unless both are there."""

    def decide(state):
        on = [state["norms"][f"f{i:02}"] for i in range(3)]
        rest = all(state["norms"][f"f{i:02}"] == 0 for i in range(3, 20))
        if on == [1, 1, 1]:
            return "approve"
        return "approve" if on == [1, 0, 0] and rest else "deny"

    found = drilled(decide, 20)
    assert found.proven
    assert found.minimal == (("f00",),)


def test_when_more_than_sixteen_are_needed_the_set_is_not_called_proven():
    found = drilled(lambda s: "approve" if all(s["norms"].values()) else "deny", 20)
    assert not found.complete
    assert not found.proven
    assert found.certificate is None
    assert len(found.minimal[0]) == 20


def test_a_stochastic_judge_is_drilled_by_drawing():
    old, new = OLD, {**EITHER, "grounds": {"region": "EU", "days": 10, "note": "x"}}
    coin = Coin(1.0)
    parts = json_parts(old["grounds"], new["grounds"])
    found = drill(coin, transition(old, new), 1, "grounds", parts, budget=100)
    assert found.minimal == (("days",),)
    assert verify_statement(to_statement(found.certificate)) == []


def test_parts_that_do_not_fit_the_interface_are_said_to_fail():
    class Both:
        def problem(self, source, sides):
            days, window = source.content.get("days"), source.content.get("max")
            return "days without max" if (days is None) != (window is None) else None

    old = {**OLD, "grounds": {"region": "EU", "days": 20, "max": 30}}
    new = {**OLD, "grounds": {"region": "EU"}}
    toy = Toy(lambda s: "deny" if "days" in s["grounds"] else "approve")
    parts = json_parts(old["grounds"], new["grounds"])
    found = drill(toy, transition(old, new), 1, "grounds", parts, contract=Both())
    assert not found.proven
    assert found.minimal == ()
    assert found.certificate.status == "uncertifiable"


def test_a_kind_outside_the_member_cannot_be_drilled():
    parts = Parts(("x",), lambda mask: {})
    with pytest.raises(BadInputError, match="not in the receipt member"):
        drill(Toy(), transition(OLD, EITHER), 1, "norms", parts)
    with pytest.raises(BadInputError, match="no changed part"):
        drill(Toy(), transition(OLD, EITHER), 1, "grounds", Parts((), lambda mask: {}))
