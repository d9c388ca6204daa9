"""The shipped cases: whole, balanced, enough of them confound-free, and without telltales."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from decidendi.judgment import BadInputError
from decidendi.legal import SHIPPED, balanced, confound_free, shipped_cases, task

LEAST = {"echr": 40, "scotus": 20, "contractnli": 20, "casehold": 20}


@pytest.mark.parametrize("name", SHIPPED)
def test_all_are_usable_and_of_the_right_length(name) -> None:
    cases = shipped_cases(name)
    assert len(cases) >= LEAST[name]
    for case in cases:
        assert 60 <= len(case.facts.split()) <= 200, case.id
        assert any(case.why.values()), case.id
        assert re.fullmatch(r"[a-z0-9-]+", case.id)
    assert len({case.facts for case in cases}) == len(cases)
    assert len({" ".join(case.facts.split()[:6]) for case in cases}) == len(cases), "one opening"


def test_no_cases_of_law_are_shipped() -> None:
    with pytest.raises(BadInputError, match="drawn"):
        shipped_cases("law")


def test_echr_has_gold_and_a_reason_under_all_four_articles() -> None:
    cases = shipped_cases("echr")
    for case in cases:
        assert set(case.gold) == set(case.why) == {"3", "6", "8", "14"}
        assert all(reason.endswith(".") for reason in case.why.values())
    assert Counter(case.clarity for case in cases)["borderline"] >= 8


@pytest.mark.parametrize("article", ["3", "6", "8", "14"])
def test_the_published_balance_can_be_drawn_for_every_article(article) -> None:
    sample = balanced(shipped_cases("echr"), task("echr"), article)
    assert Counter(c.gold[article] for c in sample.cases) == {"YES": 15, "NO": 15}
    assert not sample.missing


@pytest.mark.parametrize(("name", "pair", "each"), [
    ("echr", "A", 15), ("echr", "B", 15), ("scotus", "A", 6), ("scotus", "B", 6),
    ("contractnli", "A", 6),
])  # fmt: skip
def test_confound_free_cases_on_both_sides(name, pair, each) -> None:
    this = task(name)
    sample = confound_free(
        shipped_cases(name), this, this.pair(pair), positives=each, negatives=each
    )
    assert not sample.missing
    assert len(sample.cases) == 2 * each


def test_length_does_not_tell_the_verdict() -> None:
    cases = shipped_cases("echr")
    lengths = {
        verdict: [len(c.facts.split()) for c in cases if ("YES" in c.gold.values()) == verdict]
        for verdict in (True, False)
    }
    means = [sum(found) / len(found) for found in lengths.values()]
    assert abs(means[0] - means[1]) < 12


def test_facts_do_not_name_the_answer() -> None:
    for case in shipped_cases("echr"):
        assert not re.search(r"\b(article|violat|convention right)", case.facts, re.I), case.id
    for case in shipped_cases("scotus"):
        for area in task("scotus").authorities:
            if case.gold[area.id] == "YES" and area.id in ("criminal-procedure", "civil-rights"):
                assert area.name.lower() not in case.facts.lower(), case.id


def test_casehold_items_name_their_precedent_once_and_balance_the_labels() -> None:
    cases = shipped_cases("casehold")
    assert Counter(case.gold["cited"] for case in cases) == {str(i): 4 for i in range(5)}
    for case in cases:
        (own,) = case.authorities
        assert case.facts.count(own.citation) == 1
        assert case.facts.count("<HOLDING>") == 1
        assert len(case.options) == 5
        assert all(option.startswith("holding that ") for option in case.options)
        assert task("casehold").ask(case, "cited").options[int(case.gold["cited"])].text


def test_scotus_cases_have_one_area() -> None:
    for case in shipped_cases("scotus"):
        assert Counter(case.gold.values()) == {"YES": 1, "NO": 13}
