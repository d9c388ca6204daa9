"""Fact patterns: drawn by seed, decided by the rules, told in words that leave nothing out."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.judgment import BadInputError, State, Unmeasured
from decidendi.legal import (
    STYLES,
    LawAdjudicator,
    Matter,
    Pair,
    authority_of_rules,
    decide_all,
    generate,
    law_cases,
    norms_of,
    render,
    rules,
    say,
    task,
)

LAW = task("law")
FEDERAL = {"1391-b", "4-m", "12-a-1"}
REMOVED = {"1441-b-2", "1446-b", "1446-c", "81-c-2"}
LATE = {"26-a-1-c", "38-b", "81-c-2", "59-b", "59-e", "frap-4-a-1"}


def _compatible(one: str, other: str) -> bool:
    both = {one, other}
    crossed = bool(both & FEDERAL) and bool(both & REMOVED)
    return not crossed and not ("41-a-1" in both and both & LATE)


PAIRS = [p for p in itertools.combinations(sorted(rules()), 2) if _compatible(*p)]


def test_there_are_many_pairs_and_at_least_ten_authorities() -> None:
    assert len(rules()) == 15
    assert len(PAIRS) == 87


@pytest.mark.parametrize("pair", PAIRS, ids="/".join)
def test_every_compatible_pair_has_confound_free_cases(pair) -> None:
    cases = law_cases(4, Pair("x", *pair), seed=7, differing=True)
    assert Counter(case.gold[pair[0]] for case in cases) == {"YES": 2, "NO": 2}
    for case in cases:
        assert case.gold[pair[0]] != case.gold[pair[1]]
        assert 60 <= len(case.facts.split()) <= 200
        assert set(case.why) == set(case.gold) and all(case.why.values())


def test_incompatible_authorities_are_refused_with_the_reason() -> None:
    with pytest.raises(BadInputError, match="brought in federal court or removed"):
        generate(1, ["4-m", "1446-b"])
    with pytest.raises(BadInputError, match="a dismissal ends the action"):
        law_cases(1, Pair("x", "41-a-1", "59-b"))
    with pytest.raises(BadInputError, match="no executable authority"):
        generate(1, ["12-b-6"])


def test_equal_seeds_give_equal_cases_and_others_do_not() -> None:
    pair = LAW.pair("A")
    assert law_cases(5, pair) == law_cases(5, pair)
    assert law_cases(5, pair, seed=1) != law_cases(5, pair, seed=2)


def test_both_outcomes_are_common_under_every_authority() -> None:
    for name in rules():
        golds = Counter(decide_all(generate(seed, [name]))[name].verdict for seed in range(150))
        assert min(golds["YES"], golds["NO"]) >= 30, (name, golds)


def test_closeness_is_obeyed() -> None:
    def distances(closeness) -> list[int]:
        from datetime import date

        found = []
        for seed in range(80):
            matter = generate(seed, ["38-b"], closeness)
            step = next(s for s in rules()["38-b"].decide(matter).steps if s.relation is not None)
            done, end = (date.fromisoformat(str(step.values[k])) for k in ("done", "end"))
            found.append(abs((done - end).days))
        return found

    assert max(distances("edge")) <= 2
    assert max(distances("near")) <= 9
    assert max(distances("far")) > 20


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(PAIRS), st.sampled_from(STYLES))
def test_every_fact_that_a_rule_reads_is_told(seed, pair, style) -> None:
    matter = generate(seed, pair)
    text = render(matter, style)
    assert ".." not in text and "  " not in text and "none" not in text
    for name, decision in decide_all(matter).items():
        for step in decision.steps:
            if step.kind != "fact":
                continue
            for key, value in step.values.items():
                if key in ("states", "amounts", "more", "end", "what"):
                    continue
                for item in value if isinstance(value, list) else [value]:
                    if isinstance(item, str):
                        day = item[:4].isdigit()
                        told = say("{x:date}", {"x": item}) if day else item
                        assert told in text, (name, told)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(PAIRS))
def test_facts_go_through_json(seed, pair) -> None:
    matter = generate(seed, pair)
    assert Matter.of(matter.as_json()) == matter


def test_facts_that_are_none_are_refused() -> None:
    good = generate(1, ["12-a-1"]).as_json()
    for change, what, field in [
        ({"filed": "2025-02-30"}, "is no day", "filed"),
        ({"filed": ""}, "is no day", "filed"),
        ({"filed": "20250203"}, "is no day", "filed"),
        ({"forum": "moot"}, "federal", "forum"),
        ({"plaintiffs": []}, "at least one", None),
        ({"court": "x"}, "no such field", "court"),
        ({"good_cause": "yes"}, "boolean", "good_cause"),
        ({"services": [{"defendant": "Nobody", "method": "delivery", "made": "2025-02-03"}]},
         "'Nobody' is not a party", None),
        ({"pleadings": {"anwser": "2025-02-03"}}, "no such field", "pleadings.anwser"),
    ]:  # fmt: skip
        with pytest.raises(BadInputError, match=what) as caught:
            Matter.of({**good, **change})
        assert field is None or caught.value.place.field == field


def test_the_adjudicator_tells_facts_amendment_and_authority_apart() -> None:
    adjudicator = LawAdjudicator()
    rule = rules()["38-b"]
    matter = next(
        m
        for m in (generate(seed, ["38-b"], "edge") for seed in range(99))
        if rule.decide(m).verdict == "YES"
    )

    def state(facts=matter, norms=rule, in_force=("38-b",)) -> State:
        return State.of(
            {
                "grounds": facts.as_json(),
                "norms": norms_of(norms),
                "authority": authority_of_rules(in_force),
            }
        )

    late = replace(matter, pleadings=replace(matter.pleadings, jury_demand="2030-01-02"))
    nothing = replace(matter, pleadings=replace(matter.pleadings, answer="", answered_by=""))
    verdicts = adjudicator.adjudicate(
        [
            state(),
            state(facts=late),
            state(norms=rule.amended(days=2)),
            state(in_force=("12-a-1",)),
            state(facts=nothing),
        ]
    )
    assert verdicts[:4] == ["YES", "NO", "NO", "REFER"]
    assert isinstance(verdicts[4], Unmeasured) and "no answer" in verdicts[4].detail
    for norms in ({}, {"rule": "38-b", "terms": {}}, {"rule": "38-b", "terms": {"days": "9"}}):
        bad = State.of({"grounds": matter.as_json(), "norms": norms, "authority": {"in_force": []}})
        assert isinstance(adjudicator.adjudicate([bad])[0], Unmeasured)
    empty = State.of({"grounds": {}, "norms": norms_of(rule), "authority": {"in_force": ["38-b"]}})
    assert isinstance(adjudicator.adjudicate([empty])[0], Unmeasured)


def test_a_case_of_law_is_a_question_like_any_other() -> None:
    (case,) = law_cases(1, LAW.pair("C"), style="docket")
    target = LAW.ask(case, "1391-b")
    control = LAW.ask(case, "4-m")
    assert target.text == "On these facts, are the requirements of 28 U.S.C. § 1391(b) met?"
    assert {target.gold, control.gold} <= {"YES", "NO"}
    assert Matter.of(case.carried["matter"]) == generate("42/0", ["1391-b", "4-m"])
