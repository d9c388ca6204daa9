"""Executable authorities: decided by hand on small matters, and by their laws on drawn ones."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.judgment import BadInputError
from decidendi.legal import (
    ASIDES,
    Claim,
    Judgment,
    Matter,
    Party,
    Pleadings,
    Removal,
    Service,
    Venue,
    decide_all,
    generate,
    rules,
    templated_matter,
)

P = Party("Paula", domicile="Ohio", districts=("the Southern District of Ohio",))
D = Party("Dan", domicile="Iowa", districts=("the Northern District of Iowa",))
BASE = Matter(
    forum="federal",
    state="Iowa",
    filed="2025-01-06",
    plaintiffs=(P,),
    defendants=(D,),
    claims=(Claim("negligence", 7_500_001, ("Paula",), ("Dan",)),),
    services=(Service("Dan", "delivery", "2025-02-03"),),
)


def verdict(rule: str, matter: Matter) -> str:
    decision = rules()[rule].decide(matter)
    for step in decision.steps:
        assert not step.text[0].islower() and step.text.endswith(".")
        assert step.sound() in (None, True)
        assert all(use < decision.steps.index(step) for use in step.uses)
    return decision.verdict


def pleaded(**fields) -> Matter:
    return replace(BASE, pleadings=Pleadings(**fields))


def removed(**fields) -> Matter:
    removal = Removal(**{"by": "Dan", "filed": "2025-03-05", **fields})
    return replace(BASE, forum="state", removal=removal)


def judged(**fields) -> Matter:
    return replace(BASE, judgment=Judgment("2025-03-03", **fields))


# --- 28 U.S.C. § 1332 ---------------------------------------------------------------------------


def test_the_amount_must_exceed_the_limit() -> None:
    assert verdict("1332-a", BASE) == "YES"
    exactly = replace(BASE, claims=(Claim("x", 7_500_000, ("Paula",), ("Dan",)),))
    assert verdict("1332-a", exactly) == "NO"
    two = tuple(Claim(kind, 4_000_000, ("Paula",), ("Dan",)) for kind in "ab")
    assert verdict("1332-a", replace(BASE, claims=two)) == "YES", "one plaintiff, one defendant"


def test_claims_against_different_defendants_are_not_added_up() -> None:
    other = replace(D, name="Dora")
    claims = (
        Claim("a", 5_000_000, ("Paula",), ("Dan",)),
        Claim("b", 5_000_000, ("Paula",), ("Dora",)),
    )
    assert verdict("1332-a", replace(BASE, defendants=(D, other), claims=claims)) == "NO"


@pytest.mark.parametrize(
    ("defendant", "expected"),
    [
        (Party("Dan", "corporation", incorporated="Ohio", headquarters="Iowa"), "NO"),
        (Party("Dan", "corporation", incorporated="Iowa", headquarters="Ohio"), "NO"),
        (Party("Dan", "corporation", incorporated="Iowa", headquarters="Utah"), "YES"),
        (Party("Dan", "company", members=("Iowa", "Ohio")), "NO"),
        (Party("Dan", "company", members=("Iowa", "Utah")), "YES"),
        (replace(D, moved_to="Ohio"), "YES"),
        (replace(D, domicile="Ohio", moved_to="Iowa"), "NO"),
    ],
)
def test_citizenship(defendant, expected) -> None:
    assert verdict("1332-a", replace(BASE, defendants=(defendant,))) == expected


def test_one_shared_state_spoils_it() -> None:
    local = Party("Dora", domicile="Ohio")
    claims = (Claim("x", 9_000_000, ("Paula",), ("Dan", "Dora")),)
    assert verdict("1332-a", replace(BASE, defendants=(D, local), claims=claims)) == "NO"


# --- removal ------------------------------------------------------------------------------------


def test_thirty_days_to_remove() -> None:
    assert verdict("1446-b", removed(filed="2025-03-05")) == "YES"
    assert verdict("1446-b", removed(filed="2025-03-06")) == "NO"
    later = {"removable_at_first": False, "paper_received": "2025-03-20"}
    assert verdict("1446-b", removed(filed="2025-04-21", **later)) == "YES", "the 19th: Saturday"
    assert verdict("1446-b", removed(filed="2025-04-22", **later)) == "NO"


def test_one_year() -> None:
    later = {"removable_at_first": False, "paper_received": "2025-12-20"}
    assert verdict("1446-c", removed(filed="2026-01-06", **later)) == "YES"
    assert verdict("1446-c", removed(filed="2026-01-07", **later)) == "NO"
    assert verdict("1446-c", removed(filed="2026-01-07", bad_faith=True, **later)) == "YES"
    assert verdict("1446-c", removed(filed="2026-01-07")) == "YES", "removable from the beginning"
    federal = replace(removed(filed="2026-01-07", **later), federal_question=True)
    assert verdict("1446-c", federal) == "YES"


def test_forum_defendant() -> None:
    assert verdict("1441-b-2", removed()) == "NO"
    assert verdict("1441-b-2", replace(removed(), state="Utah")) == "YES"
    assert verdict("1441-b-2", replace(removed(), federal_question=True)) == "YES"
    snap = replace(removed(), services=(Service("Dan", "delivery", "2025-03-06"),))
    assert verdict("1441-b-2", snap) == "YES", "served only after the removal"
    assert verdict("1441-b-2", replace(removed(), services=())) == "YES"


def test_answer_after_removal() -> None:
    answered = {"pleadings": Pleadings(answer="2025-03-12", answered_by="Dan")}
    assert verdict("81-c-2", replace(removed(), **answered)) == "YES", "seven days from removal"
    answered = {"pleadings": Pleadings(answer="2025-03-13", answered_by="Dan")}
    assert verdict("81-c-2", replace(removed(), **answered)) == "NO"
    early = removed(filed="2025-02-05")
    assert verdict("81-c-2", replace(early, pleadings=Pleadings("2025-02-24", "Dan"))) == "YES"
    assert verdict("81-c-2", replace(early, pleadings=Pleadings("2025-02-25", "Dan"))) == "NO"


# --- venue --------------------------------------------------------------------------------------

NORTH, SOUTH = "the Northern District of Iowa", "the Southern District of Iowa"


@pytest.mark.parametrize(
    ("homes", "court", "events", "reach", "expected"),
    [
        (((NORTH,),), NORTH, (), (), "YES"),  # a defendant lives there
        (((NORTH,),), SOUTH, (), (SOUTH,), "NO"),  # right State, wrong district; (3) is closed
        (((NORTH,), (SOUTH,)), SOUTH, (), (), "YES"),  # all in one State
        (((NORTH,), ("the District of Utah",)), NORTH, (SOUTH,), (NORTH,), "NO"),  # not all in Iowa
        (((NORTH,), ("the District of Utah",)), SOUTH, (SOUTH,), (), "YES"),  # the events
        (((NORTH,), ("the District of Utah",)), NORTH, (), (NORTH,), "YES"),  # nothing else open
        (((NORTH,), ("the District of Utah",)), NORTH, (), (SOUTH,), "NO"),  # no jurisdiction
        (((NORTH, "the District of Utah"), ("the District of Utah",)), NORTH, (), (), "NO"),
    ],
)
def test_venue(homes, court, events, reach, expected) -> None:
    defendants = tuple(replace(D, name=f"D{i}", districts=d) for i, d in enumerate(homes))
    matter = replace(
        BASE, defendants=defendants, services=(), venue=Venue(court, events, reach),
        claims=(Claim("x", 1, ("Paula",), ("D0",)),),
    )  # fmt: skip
    assert verdict("1391-b", matter) == expected


# --- pleadings ----------------------------------------------------------------------------------


def test_answer() -> None:
    assert verdict("12-a-1", pleaded(answer="2025-02-24", answered_by="Dan")) == "YES"
    assert verdict("12-a-1", pleaded(answer="2025-02-25", answered_by="Dan")) == "NO"
    waived = (Service("Dan", "waiver", "2025-02-03", "2025-01-15"),)
    for day, expected in [("2025-03-17", "YES"), ("2025-03-18", "NO")]:  # the 16th is a Sunday
        matter = replace(pleaded(answer=day, answered_by="Dan"), services=waived)
        assert verdict("12-a-1", matter) == expected


def test_service() -> None:
    on_time = replace(BASE, services=(Service("Dan", "delivery", "2025-04-07"),))  # the 6th: Sunday
    late = replace(BASE, services=(Service("Dan", "delivery", "2025-04-08"),))
    assert verdict("4-m", on_time) == "YES"
    assert verdict("4-m", late) == "NO"
    assert verdict("4-m", replace(late, good_cause=True)) == "YES"
    both = replace(BASE, defendants=(D, replace(D, name="Dora")))
    assert verdict("4-m", both) == "NO", "one defendant was never served"


def test_amendment() -> None:
    def amended(**fields) -> str:
        return verdict("15-a-1", pleaded(**fields))

    assert amended(amendment="2025-03-24", answer="2025-03-03") == "YES"
    assert amended(amendment="2025-03-25", answer="2025-03-03") == "NO"
    assert amended(amendment="2025-03-25", answer="2025-03-03", by_mail=True) == "YES"
    assert amended(amendment="2025-03-24", answer="2025-03-03", motion="2025-02-28") == "NO"
    assert amended(amendment="2025-03-24", answer="2025-03-20", motion="2025-03-03") == "YES"
    assert amended(amendment="2025-03-04", answer="2025-03-03", amended_before=1) == "NO"
    assert amended(amendment="2026-01-01") == "YES", "no response yet"


def test_disclosures_and_jury_demand() -> None:
    day = {"conference": "2025-03-03"}
    assert verdict("26-a-1-c", pleaded(disclosures="2025-03-17", **day)) == "YES"
    assert verdict("26-a-1-c", pleaded(disclosures="2025-03-18", **day)) == "NO"
    day = {"answer": "2025-03-03"}
    assert verdict("38-b", pleaded(jury_demand="2025-03-17", **day)) == "YES"
    assert verdict("38-b", pleaded(jury_demand="2025-03-18", **day)) == "NO"
    assert verdict("38-b", pleaded(jury_demand="2025-03-20", by_mail=True, **day)) == "YES"
    assert verdict("38-b", pleaded(jury_demand="2025-03-21", by_mail=True, **day)) == "NO"


def test_mail_days_come_after_the_period_has_ended() -> None:
    # 14 days end on Saturday the 15th, so on Monday the 17th; three more lead to the 20th.
    day = {"answer": "2025-03-01", "by_mail": True}
    assert verdict("38-b", pleaded(jury_demand="2025-03-20", **day)) == "YES"
    assert verdict("38-b", pleaded(jury_demand="2025-03-21", **day)) == "NO"


def test_dismissal() -> None:
    def dismissed(**fields) -> str:
        return verdict("41-a-1", pleaded(dismissal="2025-03-03", **fields))

    assert dismissed() == "YES"
    assert dismissed(motion="2025-02-20") == "YES", "a motion to dismiss does not end the right"
    assert dismissed(answer="2025-03-04") == "YES"
    assert dismissed(answer="2025-03-02") == "NO"
    assert dismissed(summary_judgment="2025-03-02") == "NO"


# --- after judgment -----------------------------------------------------------------------------


def test_rule_59() -> None:
    assert verdict("59-b", judged(new_trial="2025-03-31")) == "YES"
    assert verdict("59-b", judged(new_trial="2025-04-01")) == "NO"
    assert verdict("59-e", judged(alter="2025-03-31")) == "YES"
    assert verdict("59-e", judged(alter="2025-04-01")) == "NO"


def test_appeal() -> None:
    def appealed(appeal: str, **fields) -> str:
        return verdict("frap-4-a-1", judged(appeal=appeal, **fields))

    assert appealed("2025-04-02") == "YES"
    assert appealed("2025-04-03") == "NO"
    assert appealed("2025-05-02", united_states=True) == "YES"
    assert appealed("2025-05-05", united_states=True) == "NO"
    moved = {"new_trial": "2025-03-31", "disposed": "2025-05-01"}
    assert appealed("2025-06-02", **moved) == "YES", "from the order; May 31 is a Saturday"
    assert appealed("2025-06-03", **moved) == "NO"
    assert appealed("2025-04-15", **moved) == "YES", "early, effective with the order"
    late = {"new_trial": "2025-04-01", "disposed": "2025-05-01"}
    assert appealed("2025-05-15", **late) == "NO", "a late motion moves nothing"
    assert appealed("2026-05-15", alter="2025-03-31") == "YES", "the motion is still pending"
    both = {"new_trial": "2025-04-01", "alter": "2025-03-30", "disposed": "2025-05-01"}
    assert appealed("2025-05-30", **both) == "YES"


# --- all of them --------------------------------------------------------------------------------


def test_a_rule_that_lacks_facts_says_so() -> None:
    law = rules()
    for name, rule in law.items():
        if name not in decide_all(BASE):
            with pytest.raises(BadInputError, match="cannot be decided"):
                rule.decide(BASE)
    assert set(decide_all(BASE)) == {"1332-a", "4-m"}


def test_what_moves_the_time_to_answer_is_not_decided() -> None:
    early = {"answer": "2025-02-24", "answered_by": "Dan"}
    assert "12-a-1" in decide_all(pleaded(**early))
    assert "12-a-1" not in decide_all(pleaded(motion="2025-02-20", **early))
    assert "12-a-1" not in decide_all(pleaded(amendment="2025-02-20", **early))


def test_amending_a_rule_moves_its_line_and_its_words() -> None:
    matter = pleaded(answer="2025-02-20", answered_by="Dan")
    rule = rules()["12-a-1"]
    shorter = rule.amended(days=14)
    assert (rule.decide(matter).verdict, shorter.decide(matter).verdict) == ("YES", "NO")
    assert "14 days" in shorter.authority.text
    assert "within 14 days" in shorter.decide(matter).steps[0].text
    dearer = rules()["1332-a"].amended(limit=10_000_000)
    assert dearer.decide(BASE).verdict == "NO"
    with pytest.raises(KeyError, match="no term"):
        rule.amended(hours=3)


TIMED = {
    "1446-b": "days", "4-m": "days", "12-a-1": "days", "26-a-1-c": "days", "38-b": "days",
    "59-b": "days", "59-e": "days", "15-a-1": "days",
}  # fmt: skip


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.sampled_from(sorted(TIMED)), st.integers(0, 90))
def test_a_longer_time_never_makes_an_act_late(seed, name, more) -> None:
    matter = generate(seed, [name])
    rule = rules()[name]
    term = TIMED[name]
    longer = rule.amended(**{term: rule.authority.terms[term] + more})
    assert (rule.decide(matter).verdict, longer.decide(matter).verdict) != ("YES", "NO")


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.data())
def test_what_no_rule_reads_changes_nothing(seed, data) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(TIMED)), min_size=1, max_size=1))
    matter = generate(seed, names)
    noted = replace(matter, asides=tuple(ASIDES))
    before = {name: decision.verdict for name, decision in decide_all(matter).items()}
    assert before == {name: decision.verdict for name, decision in decide_all(noted).items()}
    for name, decision in decide_all(matter).items():
        verdict(name, matter)
        assert decision.steps[-1].kind == "conclusion"
        assert (decision.steps[-1].holds is True) == (decision.verdict == "YES")
        assert decision.reason
        read = {path for step in decision.steps for path in step.facts}
        assert read and not any("asides" in path or "moved_to" in path for path in read)
        for path in read:
            _follow(matter.as_json(), path)


def _follow(value, path: str) -> None:
    """Every path that a step names exists in the facts."""
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]


# --- against other people's rows ----------------------------------------------------------------

ROWS = Path(__file__).parents[3] / "shared" / "data" / "civpro" / "legalbench_civpro.jsonl"


def test_templated_questions() -> None:
    text = (
        "Ann is from North Dakota. Bo is from Maine. Cy is from Utah. "
        "Ann and Bo both sue Cy for trespass for $40,000 and libel for $35,000.50."
    )
    matter = templated_matter(text)
    assert [party.domicile for party in matter.plaintiffs] == ["North Dakota", "Maine"]
    assert [claim.cents for claim in matter.claims] == [4_000_000, 3_500_050]
    assert verdict("1332-a", matter) == "YES"
    for bad in ("", "Ann is from Maine.", text.replace("Cy for", "Di for"), "Ann sues Bo."):
        with pytest.raises(BadInputError):
            templated_matter(bad)


@pytest.mark.skipif(not ROWS.is_file(), reason="the LegalBench rows are not beside this checkout")
def test_every_legalbench_diversity_row_is_decided_as_its_gold() -> None:
    rule = rules()["1332-a"]
    counts: Counter[str] = Counter()
    for line in ROWS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not row["task"].startswith("diversity_"):
            continue
        decision = rule.decide(templated_matter(row["text"]))
        elements = {s.element: str(s.holds) for s in decision.steps if s.kind == "element"}
        agrees = decision.verdict == row["label"].upper()
        agrees &= elements["diversity"] == row["parties_are_diverse"]
        agrees &= elements["amount"] == row["aic_is_met"]
        counts[row["task"]] += agrees
    assert counts == dict.fromkeys((f"diversity_{n}" for n in range(1, 6)), 72)
