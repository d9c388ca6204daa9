"""Policy rules: the clauses as decided, the gate, mutations, and Rego as a second opinion."""

import json

import pytest
import regorus

from decidendi.judgment import Reason, State, Unmeasured
from decidendi.reasonbench import PolicyRules, clauses, rego_of
from decidendi.reasonbench._draw import Draw
from decidendi.reasonbench._mutations import FAMILIES, exceptions, mutants
from decidendi.reasonbench._policy import IllTypedError, compile_norms
from decidendi.reasonbench._rego import QUERY

EVERYWHERE = {"scope": {}}


def usual(clause, **fields):
    record = {name: spec["of"][0] for name, spec in clause.inputs.items()} | fields
    assert set(record) == set(clause.inputs), fields
    return {
        "request": {name: values[0] for name, values in clause.context.items()},
        "record": record,
    }


def decide(name, authority=EVERYWHERE, **fields):
    clause = clauses()[name]
    state = {"grounds": usual(clause, **fields), "norms": clause.norms, "authority": authority}
    return PolicyRules().adjudicate([State.of(state)])[0]


def test_there_are_fifteen_of_each():
    assert len(clauses()) == 45
    for domain, letter in (("airline", "A"), ("retail", "R"), ("telecom", "T")):
        own = [clause for clause in clauses().values() if clause.domain == domain]
        assert [clause.source for clause in own] == [f"{letter}{i:02}" for i in range(1, 16)]


# One line per point at which the clauses leave room, and the decision taken.
UNFLOWN = {"airline_cancelled": False, "cabin": "economy", "insured": False}
SUSPENDED = {"line": "suspended", "days_left": 20}


@pytest.mark.parametrize(
    ("name", "fields", "verdict"),
    [
        ("airline-01", {"travellers": 5}, "approve"),
        ("airline-01", {"travellers": 6}, "deny"),
        ("airline-14", {"hours": 24, **UNFLOWN}, "approve"),  # the 24th hour still counts
        ("airline-14", {"hours": 25, **UNFLOWN}, "deny"),
        ("airline-14", {"hours": 40, **UNFLOWN, "insured": True, "reason": "health"}, "approve"),
        ("airline-14", {"hours": 40, **UNFLOWN, "insured": True, "reason": "other"}, "deny"),
        # A part flown: the cabin cannot change, but a cancellation goes to a person.
        ("airline-08", {"part_flown": True}, "deny"),
        ("airline-13", {"flights_flown": 1}, "refer"),
        ("airline-11", {"before": 2, "after": 3}, "deny"),  # never handed over
        # A delayed customer who neither changes nor cancels gets nothing.
        ("airline-15", {"cause": "delayed", "membership": "gold", "gave_up": False}, "deny"),
        ("airline-15", {"cause": "delayed", "membership": "gold", "claimed": 50}, "approve"),
        ("airline-15", {"cause": "cancelled", "membership": "regular"}, "approve"),  # insured
        # Only the exact status counts as pending.
        ("retail-03", {"status": "pending (items changed)"}, "deny"),
        ("retail-05", {"status": "pending (items changed)"}, "deny"),
        ("retail-09", {"modified": 1, "request": "change address"}, "deny"),
        ("retail-12", {"destination": "gift card", "is_original": False}, "approve"),
        (
            "retail-12",
            {"destination": "gift card", "is_original": False, "on_file": False},
            "deny",
        ),
        ("retail-15", {"within_tools": False, "forbidden": True}, "deny"),  # refused, not handed on
        ("retail-15", {"within_tools": False, "forbidden": False}, "refer"),
        ("telecom-04", {"overdue": 0, **SUSPENDED}, "approve"),
        ("telecom-04", {"overdue": 1, **SUSPENDED}, "deny"),
        # A contract that has ended: by how the matter came in.
        ("telecom-05", {"days_past_end": 3, "asked_as": "request to lift"}, "deny"),
        ("telecom-05", {"days_past_end": 3, "asked_as": "report of no service"}, "refer"),
        ("telecom-06", {"megabytes": 2000}, "approve"),  # the cap is per purchase
        ("telecom-09", {"abroad": False, "roaming_on": False}, "deny"),  # at home: not switched on
        # Data bought on top counts toward the limit.
        ("telecom-12", {"used": 6, "limit": 5, "added": 2, "remedy": "none"}, "approve"),
        ("telecom-12", {"used": 9, "limit": 5, "added": 2, "remedy": "none"}, "refer"),
    ],
)
def test_a_clause_is_decided_as_written_down(name, fields, verdict):
    assert decide(name, **fields) == verdict


def test_the_gate_comes_before_the_merits():
    clause = clauses()["airline-01"]
    region, other = clause.context["region"][:2]
    assert decide("airline-01", {"scope": {"region": [region]}}) == "approve"
    assert decide("airline-01", {"scope": {"region": [other]}}) == "refer"
    assert decide("airline-01", {"scope": {"region": [other]}}, travellers=9) == "refer"


def test_every_verdict_equals_that_of_the_rego_engine():
    adjudicator = PolicyRules()
    for clause in clauses().values():
        draw = Draw("rego", clause.id)
        revised = [norms for _, norms in mutants(clause.norms, clause.inputs)]
        several = [clause.norms, *draw.sample(revised, 3)]
        several += draw.sample(exceptions(clause.norms, clause.inputs), 1)
        for norms in several:
            engine = regorus.Engine()
            engine.add_policy("norms.rego", rego_of(norms))
            for _ in range(15):
                grounds = usual(clause, **{n: draw.pick(s["of"]) for n, s in clause.inputs.items()})
                values = clause.context[clause.scope[0]]
                authority = {"scope": {clause.scope[0]: draw.sample(values, 2)}}
                state = {"grounds": grounds, "norms": norms, "authority": authority}
                (verdict,) = adjudicator.adjudicate([State.of(state)])
                engine.set_input_json(json.dumps({"grounds": grounds, "authority": authority}))
                assert engine.eval_rule(QUERY) == verdict, (clause.id, norms, grounds)


def test_mutations_are_single_distinct_and_of_three_families():
    families = set()
    for clause in clauses().values():
        found = mutants(clause.norms, clause.inputs)
        texts = [json.dumps(norms, sort_keys=True) for _, norms in found]
        assert len(set(texts)) == len(texts) >= 3
        assert json.dumps(clause.norms, sort_keys=True) not in texts
        families |= {family for family, _ in found}
        for _, norms in found:
            compile_norms(norms)
            assert len(norms["rules"]) == len(clause.norms["rules"])
    assert families == set(FAMILIES)


def test_exceptions_stand_before_the_clause():
    clause = clauses()["retail-04"]
    for norms in exceptions(clause.norms, clause.inputs):
        assert norms["rules"][1:] == clause.norms["rules"]
        compile_norms(norms)


@pytest.mark.parametrize(
    "broken",
    [
        {"grounds": "text"},
        {"grounds": {"request": {}, "record": []}},
        {"grounds": {"request": {"region": "domestic"}, "record": {}}},  # a field is missing
        {"grounds": {"request": {"region": "domestic"}, "record": {"travellers": "5"}}},
        {"grounds": {"request": {"region": "domestic"}, "record": {"travellers": True}}},
        {"norms": []},
        {"norms": {"rules": [{"then": "approve", "when": ["about", ".travellers", 5]}]}},
        {"norms": {"rules": [{"then": "perhaps", "when": ["is", 1, 1]}], "otherwise": "deny"}},
        {"norms": {"rules": [], "otherwise": "perhaps"}},
        {"norms": {"rules": [{"then": "deny", "when": "yes"}], "otherwise": "deny"}},
        {"authority": {}},
        {"authority": {"scope": {"region": "domestic"}}},
        {"authority": {"scope": {"planet": ["Earth"]}}},
    ],
)
def test_an_ill_typed_source_is_an_interface_cell(broken):
    clause = clauses()["airline-01"]
    sources = {
        "grounds": usual(clause),
        "norms": clause.norms,
        "authority": {"scope": {"region": ["domestic"]}},
    }
    (good, bad) = PolicyRules().adjudicate([State.of(sources), State.of(sources | broken)])
    assert good == "approve"
    assert isinstance(bad, Unmeasured)
    assert bad.reason is Reason.INTERFACE


def test_norms_outside_the_language_have_no_translation():
    with pytest.raises(ValueError, match="rules"):
        rego_of({"rules": "none", "otherwise": "deny"})
    with pytest.raises(ValueError, match="condition"):
        rego_of({"rules": [{"then": "deny", "when": []}], "otherwise": "deny"})
    with pytest.raises(IllTypedError):
        compile_norms({"rules": [{"then": "deny", "when": ["is", None, 1]}], "otherwise": "deny"})
