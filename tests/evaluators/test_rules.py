"""The rules adjudicator: its gate, its chaining against clingo, and what it refuses."""

import itertools
import time
from collections.abc import Sequence
from typing import Any

import clingo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.evaluators._rules import RulesAdjudicator
from decidendi.judgment import BadInputError, Reason, State, Unmeasured, Verdict

ATOMS = [f"{who} is {what}" for who in ("Ann", "Bo") for what in ("kind", "wise", "calm")]
RULES: Any = [
    {"id": "r1", "if": ["Ann is kind"], "then": "Ann is wise"},
    {"id": "r2", "if": ["Ann is wise", "Bo is calm"], "then": "Ann is calm"},
]


def state(
    facts: Sequence[str],
    query: str,
    rules: Any = RULES,
    authority: Sequence[str] = ("r1", "r2"),
) -> State:
    return State.of(
        {
            "grounds": {"facts": list(facts), "query": query},
            "norms": rules,
            "authority": list(authority),
        }
    )


def decide(*args: Any, **kwargs: Any) -> Verdict:
    return RulesAdjudicator().adjudicate([state(*args, **kwargs)])[0]


def test_derivable_is_approved_and_the_rest_denied() -> None:
    assert decide(["Ann is kind", "Bo is calm"], "Ann is calm") == "approve"
    assert decide(["Ann is kind"], "Ann is calm") == "deny"


def test_no_authoritative_rule_for_the_query_is_referred() -> None:
    assert decide(["Ann is kind", "Bo is calm"], "Ann is calm", authority=["r1"]) == "refer"
    assert decide(["Ann is kind"], "Bo is wise") == "refer"  # no rule at all


def test_a_rule_without_authority_does_not_derive_either() -> None:
    assert decide(["Ann is kind", "Bo is calm"], "Ann is calm", authority=["r2"]) == "deny"


def test_a_fact_is_not_a_disposition() -> None:
    assert decide(["Ann is calm"], "Ann is calm", authority=["r1"]) == "refer"
    assert decide(["Ann is calm"], "Ann is calm") == "approve"


def test_authority_may_name_a_rule_of_the_other_version() -> None:
    assert decide(["Ann is kind"], "Ann is wise", authority=["r1", "gone"]) == "approve"


def test_a_scheme_stands_for_one_rule_per_name() -> None:
    scheme = [{"id": "s", "over": ["Ann", "Bo"], "if": ["? is kind"], "then": "? is wise"}]
    assert decide(["Bo is kind"], "Bo is wise", scheme, ["s"]) == "approve"
    assert decide(["Bo is kind"], "Ann is wise", scheme, ["s"]) == "deny"
    assert decide(["Cy is kind"], "Cy is wise", scheme, ["s"]) == "refer"


def test_irrelevant_fields_of_the_grounds_are_not_read() -> None:
    plain = state(["Ann is kind"], "Ann is wise")
    more = State.of(
        {
            "grounds": {"facts": ["Ann is kind"], "query": "Ann is wise", "memo": "Bo is calm"},
            "norms": RULES,
            "authority": ["r1", "r2"],
        }
    )
    assert plain.key != more.key
    assert RulesAdjudicator().adjudicate([plain, more]) == ["approve", "approve"]


def test_depth_is_of_the_shallowest_proof() -> None:
    adjudicator = RulesAdjudicator()
    facts = ["Ann is kind", "Bo is calm"]
    assert adjudicator.depth(state(facts, "Ann is calm")) == 2
    assert adjudicator.depth(state([*facts, "Ann is wise"], "Ann is calm")) == 1
    assert adjudicator.depth(state(["Ann is calm"], "Ann is calm")) == 0
    assert adjudicator.depth(state([], "Ann is calm")) is None


def test_labels_and_order_of_kinds_are_the_users() -> None:
    adjudicator = RulesAdjudicator("x", ("yes", "no", "ask"), ("authority", "norms", "grounds"))
    sources: dict[str, Any] = {
        "authority": ["r1"],
        "norms": RULES,
        "grounds": {"facts": [], "query": "Ann is wise"},
    }
    assert adjudicator.adjudicate([State.of(sources)]) == ["no"]
    assert adjudicator.identity.verdicts == ("yes", "no", "ask")
    assert adjudicator.identity.kinds == ("authority", "norms", "grounds")


@pytest.mark.parametrize(
    "broken",
    [
        {"grounds": ["Ann is kind"]},
        {"grounds": {"facts": "Ann is kind", "query": "Ann is wise"}},
        {"grounds": {"facts": []}},
        {"norms": {"r1": []}},
        {"norms": [*RULES, RULES[0]]},
        {"norms": [{"id": "r1", "if": "Ann is kind", "then": "Ann is wise"}]},
        {"norms": [{"id": "r1", "if": [], "then": 3}]},
        {"norms": [{"id": "r1", "if": [], "then": "a", "unless": ["b"]}]},
        {"norms": ["r1"]},
        {"authority": "r1"},
        {"authority": [1]},
    ],
)
def test_an_ill_typed_source_is_an_interface_cell(broken: dict[str, Any]) -> None:
    sources: dict[str, Any] = {
        "grounds": {"facts": [], "query": "Ann is wise"},
        "norms": RULES,
        "authority": ["r1"],
    }
    ill = State.of(sources | broken)
    verdict = RulesAdjudicator().adjudicate([ill, State.of(sources)])
    assert isinstance(verdict[0], Unmeasured)
    assert verdict[0].reason is Reason.INTERFACE
    assert next(iter(broken)) in verdict[0].detail
    assert verdict[1] == "deny"
    with pytest.raises(BadInputError):
        RulesAdjudicator().depth(ill)


def test_wrong_labels_or_kinds_are_refused() -> None:
    with pytest.raises(BadInputError, match="three verdicts"):
        RulesAdjudicator(verdicts=("yes", "no"))
    with pytest.raises(BadInputError, match="grounds, norms and authority"):
        RulesAdjudicator(kinds=("grounds", "norms"))


atoms = st.sampled_from(ATOMS)
rules = st.lists(st.tuples(st.lists(atoms, max_size=3), atoms), max_size=8)


@given(facts=st.lists(atoms, max_size=4), query=atoms, bodies=rules, mask=st.integers(0, 255))
@settings(max_examples=150, deadline=None)
def test_every_verdict_is_the_one_clingo_gives(
    facts: list[str], query: str, bodies: list[tuple[list[str], str]], mask: int
) -> None:
    norms: list[Any] = [{"id": f"r{i}", "if": b, "then": h} for i, (b, h) in enumerate(bodies)]
    authority = [rule["id"] for i, rule in enumerate(norms) if mask >> i & 1]
    assert decide(facts, query, norms, authority) == by_clingo(facts, query, norms, authority)


def by_clingo(
    facts: list[str], query: str, norms: list[dict[str, Any]], authority: list[str]
) -> str:
    program = [f"fact({ATOMS.index(atom)})." for atom in facts]
    program += [f'speaks("{name}").' for name in authority]
    for rule in norms:
        body = "".join(f", holds({ATOMS.index(atom)})" for atom in rule["if"])
        head = ATOMS.index(rule["then"])
        program.append(f'holds({head}) :- speaks("{rule["id"]}"){body}.')
        program.append(f'governs({head}) :- speaks("{rule["id"]}").')
    asked = ATOMS.index(query)
    program.append("holds(X) :- fact(X). #defined fact/1. #defined speaks/1.")
    program.append("#defined holds/1. #defined governs/1.")
    program.append(f"verdict(refer) :- not governs({asked}).")
    program.append(f"verdict(approve) :- governs({asked}), holds({asked}).")
    program.append(f"verdict(deny) :- governs({asked}), not holds({asked}).")
    program.append("#show verdict/1.")
    control = clingo.Control(["--warn=none"])
    control.add("base", [], "\n".join(program))
    control.ground([("base", [])])
    found: list[str] = []
    control.solve(
        on_model=lambda m: found.extend(str(s.arguments[0]) for s in m.symbols(shown=True))
    )
    (verdict,) = found
    return verdict


def test_hybrids_of_known_sources_are_cheap() -> None:
    whole = [f"a{i}" for i in range(9)]
    chain = [{"id": f"r{i}", "if": [f"a{i}"], "then": f"a{i + 1}"} for i in range(8)]
    many = [
        state(whole[i : i + 1], "a8", chain, [f"r{k}" for k in range(8) if k != j])
        for i, j in itertools.product(range(8), range(9))
    ]
    adjudicator = RulesAdjudicator()
    adjudicator.adjudicate(many)
    start = time.perf_counter()
    for _ in range(50):
        adjudicator.adjudicate(many)
    rate = 50 * len(many) / (time.perf_counter() - start)
    assert rate > 20_000  # over ten times that on an idle core; this guards the order of magnitude
