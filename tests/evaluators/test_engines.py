"""Every engine obeys the same laws, and decides the same refunds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from evaluator_folders import AUTHORITY, CEDAR, DECIDE, REGO, manifest, write
from fake_opa import FakeOpa, serving

from decidendi.evaluators import check_adjudicator, load_evaluator, pair
from decidendi.judgment import JSON, Adjudicator, Source, State, Unmeasured, Verdict

CEDAR_SETTINGS = """
actions = { refer = 'Action::"refer"', approve = 'Action::"approve"' }
otherwise = "deny"
principal = 'User::"{grounds.user}"'
resource = 'Desk::"{grounds.region}"'
entities = "authority"
"""
ENTITIES = json.dumps(
    [{"uid": {"type": "Desk", "id": "EU"}, "attrs": {"open": True}, "parents": []}]
)
RULES_NORMS = json.dumps([{"id": "r1", "if": ["small"], "then": "pay"}])


def folder(tmp: Path, engine: str, url: str) -> Path:
    query = 'query = "data.refunds.verdict"'
    python = {"decide.py": DECIDE, "norms.json": '{"limit": 100}', "authority.json": AUTHORITY}
    rego = {"norms.rego": REGO, "authority.json": AUTHORITY}
    files = {
        "python": (manifest("python", 'entry = "decide:decide"'), python),
        "worker": (manifest("python", 'entry = "decide:decide"'), python),
        "rego": (manifest("rego", query, norms="norms.rego"), rego),
        "rego-worker": (manifest("rego", query, norms="norms.rego"), rego),
        "opa": (manifest("opa", f'{query}\nurl = "{url}"', norms="norms.rego"), rego),
        "cedar": (
            manifest("cedar", CEDAR_SETTINGS, norms="norms.cedar"),
            {"norms.cedar": CEDAR, "authority.json": ENTITIES},
        ),
        "rules": (manifest("rules", ""), {"norms.json": RULES_NORMS, "authority.json": '["r1"]'}),
    }
    text, sources = files[engine]
    return write(tmp / engine, {"evaluator.toml": text, **sources})


ENGINES = ["python", "worker", "rego", "rego-worker", "opa", "cedar", "rules"]


@pytest.fixture(params=ENGINES)
def engine(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[str, Adjudicator, list[State]]]:
    with ExitStack() as stack:
        url = stack.enter_context(serving()).url if request.param == "opa" else ""
        one = load_evaluator(folder(tmp_path, request.param, url))
        timeout = 20.0 if "worker" in request.param else None
        both = stack.enter_context(pair(one, one, timeout=timeout))
        yield request.param, both.adjudicator, states(one.sources, request.param)
        if request.param == "opa":
            both.close()


def states(sources: object, engine: str) -> list[State]:
    assert isinstance(sources, dict)
    cases: list[JSON] = [
        {"amount": 50, "region": "EU", "user": "ann"},
        {"amount": 500, "region": "EU", "user": "bo"},
        {"amount": 50, "region": "MARS", "user": 'q"uote\\'},
    ]
    if engine == "rules":
        cases = [
            {"facts": ["small"], "query": "pay"},
            {"facts": [], "query": "pay"},
            {"facts": [], "query": "fly"},
        ]
    return [State([Source("grounds", c), sources["norms"], sources["authority"]]) for c in cases]


def test_every_engine_decides_and_obeys_the_laws(
    engine: tuple[str, Adjudicator, list[State]],
) -> None:
    _, adjudicator, some = engine
    assert adjudicator.adjudicate(some) == ["approve", "deny", "refer"]
    assert check_adjudicator(adjudicator, some) == []


def decide(adjudicator: Adjudicator, base: State, **replaced: JSON) -> Verdict:
    sources = [Source(s.kind, replaced[s.kind]) if s.kind in replaced else s for s in base]
    return adjudicator.adjudicate([State(sources)])[0]


def reason(verdict: Verdict) -> str:
    assert isinstance(verdict, Unmeasured)
    return f"{verdict.reason.value}: {verdict.detail}"


@pytest.fixture
def rego(tmp_path: Path) -> Iterator[tuple[Adjudicator, State]]:
    one = load_evaluator(folder(tmp_path, "rego", ""))
    with pair(one, one) as both:
        yield both.adjudicator, states(one.sources, "rego")[0]


def test_rego_failures_are_cells(rego: tuple[Adjudicator, State]) -> None:
    adjudicator, base = rego
    head = "package refunds\nimport rego.v1\n"

    def told(rules: str) -> str:
        return reason(decide(adjudicator, base, norms=head + rules))

    assert told('verdict := "deny" if input.nothing').startswith("error: undefined")
    assert told("verdict := 3").startswith("label: 3")
    assert told('verdict contains "deny"').startswith("label: a set")
    assert told('verdict := "perhaps"').startswith("label: 'perhaps'")
    conflict = told('verdict := "deny"\nverdict := "refer" if { input.grounds.amount }')
    assert conflict.startswith("error: norms.rego:") and "conflict" in conflict
    assert "backtrace" not in conflict
    assert told('verdict := to_number("x")').startswith("error: norms.rego:3: could not parse")
    assert told("verdict := {").startswith("error: norms.rego:")
    # And the engine goes on with the next state.
    assert adjudicator.adjudicate([base]) == ["approve"]


def test_rego_policies_may_be_several_files(rego: tuple[Adjudicator, State]) -> None:
    adjudicator, base = rego
    files: JSON = {
        "a.rego": "package refunds\nimport rego.v1\nverdict := data.lib.v",
        "b.rego": 'package lib\nimport rego.v1\nv := "refer"',
    }
    assert decide(adjudicator, base, norms=files) == "refer"


@pytest.fixture
def opa(tmp_path: Path) -> Iterator[tuple[FakeOpa, Adjudicator, State]]:
    with serving() as fake:
        one = load_evaluator(folder(tmp_path, "opa", fake.url))
        with pair(one, one, timeout=0.5) as both:
            yield fake, both.adjudicator, states(one.sources, "opa")[0]


def test_two_versions_of_a_policy_share_one_server(opa: tuple[FakeOpa, Adjudicator, State]) -> None:
    fake, adjudicator, base = opa
    other = Source("norms", REGO.replace("100", "10"))
    swapped = State([base.sources[0], other, base.sources[2]])
    assert adjudicator.adjudicate([base, swapped, base, swapped]) == ["approve", "deny"] * 2
    assert sum(r.startswith("PUT") for r in fake.requests) == 2
    fake.requests.clear()
    assert adjudicator.adjudicate([swapped]) == ["deny"]
    assert not [r for r in fake.requests if r.startswith("PUT")], "it is there already"


def test_policies_that_use_one_another_go_up_in_any_order(
    opa: tuple[FakeOpa, Adjudicator, State],
) -> None:
    _, adjudicator, base = opa
    files: JSON = {
        "a.rego": "package refunds\nimport rego.v1\nverdict := data.lib.v",
        "b.rego": 'package lib\nimport rego.v1\nv := "refer"',
    }
    assert decide(adjudicator, base, norms=files) == "refer"


def test_what_a_server_can_do_wrong(opa: tuple[FakeOpa, Adjudicator, State]) -> None:
    fake, adjudicator, base = opa
    syntax = reason(decide(adjudicator, base, norms="package refunds\nimport rego.v1\nx := {"))
    assert syntax.startswith("error: norms.rego:3: ")
    fake.drop_next = True
    assert adjudicator.adjudicate([base]) == ["approve"], "one lost connection is made up for"
    fake.slow = 1.0
    assert (
        reason(adjudicator.adjudicate([base])[0])
        == "timeout: the OPA server did not answer in time"
    )
    fake.slow = 0.0
    fake.meddle = True
    assert "another client" in reason(adjudicator.adjudicate([base])[0])
    fake.meddle = False
    assert "other policies" in reason(adjudicator.adjudicate([base])[0])
    fake.policies.clear()
    assert adjudicator.adjudicate([base]) == ["approve"]
    conflict = REGO + '\nverdict := "refer" if input.grounds.amount == 50\n'
    assert reason(decide(adjudicator, base, norms=conflict)).startswith("error: ")


def test_no_server_at_all(tmp_path: Path) -> None:
    with serving() as fake:
        url = fake.url
    one = load_evaluator(folder(tmp_path, "opa", url))
    with pair(one, one) as both:
        verdict = both.adjudicator.adjudicate(states(one.sources, "opa")[:1])[0]
    assert reason(verdict) == "error: the OPA server cannot be reached"


@pytest.fixture
def cedar(tmp_path: Path) -> Iterator[tuple[Adjudicator, State]]:
    one = load_evaluator(folder(tmp_path, "cedar", ""))
    with pair(one, one) as both:
        yield both.adjudicator, states(one.sources, "cedar")[0]


def test_a_cedar_policy_that_fails_is_an_error_and_never_a_denial(
    cedar: tuple[Adjudicator, State],
) -> None:
    adjudicator, base = cedar
    text = CEDAR + "forbid(principal, action, resource) when { context.absent };"
    assert "does not have the attribute" in reason(decide(adjudicator, base, norms=text))
    assert reason(decide(adjudicator, base, norms="permit(")).startswith("error: ")
    assert reason(decide(adjudicator, base, authority=[{"x": 1}])).startswith("error: ")
    assert reason(decide(adjudicator, base, grounds={"amount": 1, "region": "EU"})) == (
        "interface: grounds.user is not a text or an integer"
    )
    assert adjudicator.adjudicate([base]) == ["approve"]


def test_cedar_takes_several_kinds_as_its_context(tmp_path: Path) -> None:
    settings = CEDAR_SETTINGS.replace(
        'entities = "authority"', 'context = ["grounds", "authority"]'
    )
    policy = """
    permit(principal, action == Action::"approve", resource)
    when { context.grounds.amount < context.authority.limit };
    """
    files = {
        "evaluator.toml": manifest("cedar", settings, norms="norms.cedar"),
        "norms.cedar": policy,
        "authority.json": '{"limit": 60}',
    }
    one = load_evaluator(write(tmp_path, files))
    with pair(one, one) as both:
        assert both.adjudicator.adjudicate(states(one.sources, "cedar")[:2]) == ["approve", "deny"]
