"""Verification names what is wrong in a certificate, whatever was changed in it."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import EITHER, OLD, Coin, Toy

from decidendi.judgment import canonical_bytes, digest_of, parse_json
from decidendi.receipts import (
    CertificateError,
    certify,
    from_predicate,
    read_statement,
    statement_of,
    to_statement,
    verify_statement,
)


def statement(adjudicator=None, **options):
    return to_statement(certify(adjudicator or Toy(), OLD, EITHER, "case 1", **options))


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key), None
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    else:
        yield path, value


def put(document, path, value):
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value


def resealed(document):
    """What a forger does: recompute the digest that binds the predicate."""
    return statement_of(document["predicate"])


SAMPLED = statement(Coin(0.95), budget=200)


@pytest.mark.parametrize("document", [statement(), SAMPLED])
def test_round_trip(document):
    assert verify_statement(document) == []
    again = parse_json(canonical_bytes(document))
    assert to_statement(read_statement(again)) == document
    assert to_statement(from_predicate(document["predicate"])) == document


@pytest.mark.parametrize("document", [statement(), SAMPLED])
def test_any_changed_leaf_is_found(document):
    for path, value in list(leaves(document)):
        changed = copy.deepcopy(document)
        if isinstance(value, bool):
            put(changed, path, not value)
        elif isinstance(value, int):
            put(changed, path, value ^ 1)
        elif isinstance(value, str):
            put(changed, path, value[:-1] + chr(ord(value[-1]) ^ 1))
        else:
            put(changed, path, None)
        assert verify_statement(changed), f"{path} was changed and nobody noticed"


@settings(max_examples=200)
@given(st.data())
def test_a_forged_outcome_is_found_even_when_resealed(data):
    document = copy.deepcopy(statement())
    outcome = document["predicate"]["outcome"]
    kinds = ["grounds", "norms", "authority"]
    forged = data.draw(
        st.lists(st.lists(st.sampled_from(kinds), unique=True), min_size=1, max_size=3)
    )
    honest = outcome["receipt"]
    outcome["receipt"] = forged
    problems = verify_statement(resealed(document))
    assert bool(problems) == (forged != honest)


def test_the_message_says_what_the_cells_give_instead():
    document = statement()
    document["predicate"]["outcome"]["receipt"] = [["authority"]]
    problems = verify_statement(resealed(document))
    assert problems == ["outcome.receipt: claims “authority”, but the cells give “grounds | norms”"]


def test_a_dropped_cell_is_found():
    document = statement()
    del document["predicate"]["cells"][1]
    assert any("was not executed" in p for p in verify_statement(resealed(document)))


def test_an_unneeded_cell_is_found():
    document = statement()
    cells = document["predicate"]["cells"]
    cells.insert(4, {"replaced": ["grounds", "norms"], "verdict": "approve"})
    assert any("not needed" in p for p in verify_statement(resealed(document)))


def test_cells_out_of_order_are_found():
    document = statement()
    document["predicate"]["cells"].reverse()
    assert any("out of order" in p for p in verify_statement(resealed(document)))


def test_draws_must_establish_the_verdict():
    document = copy.deepcopy(SAMPLED)
    cell = document["predicate"]["cells"][0]
    cell["draws"] = ["deny"] * 5
    assert any("draws establish" in p for p in verify_statement(resealed(document)))
    cell["draws"] = []
    assert verify_statement(resealed(document))


def test_more_draws_than_needed_are_found():
    document = copy.deepcopy(SAMPLED)
    document["predicate"]["cells"][0]["draws"] *= 2
    assert any("more draws" in p for p in verify_statement(resealed(document)))


@pytest.mark.parametrize(
    "junk", [None, 3, "certificate", [], {}, {"predicate": {}}, {"_type": ["x"] * 3}]
)
def test_a_stranger_s_junk_is_refused_not_raised(junk):
    assert verify_statement(junk)
    with pytest.raises(CertificateError):
        read_statement(junk)


def test_junk_predicates_raise_one_error():
    for junk in ({}, {"adjudicator": {"kinds": 3}}, {"adjudicator": None}):
        with pytest.raises(CertificateError):
            from_predicate(junk)


def test_two_tools_agree_on_the_digest():
    document = statement()
    bound = document["subject"][0]["digest"]["sha256"]
    assert digest_of(document["predicate"]) == f"sha256:{bound}"
