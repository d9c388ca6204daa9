"""Worlds and quotas: depth under control, the published mix by design, splits before prompts."""

from collections import Counter
from itertools import product

import pytest

from decidendi.evaluators import RulesAdjudicator
from decidendi.reasonbench import KINDS, Renderer, holdout, rows_of, units
from decidendi.reasonbench._draw import Draw
from decidendi.reasonbench._logic_worlds import JOIN, WorldPlan, logic_cases, logic_slots
from decidendi.reasonbench._mix import EXPECTED_CASES, information
from decidendi.reasonbench._policy_worlds import ClausePlan, clauses, policy_cases
from decidendi.reasonbench._quota import cube_of
from decidendi.reasonbench._rows import execute
from decidendi.receipts import receipt_of_cube

PLANS = [WorldPlan(f"w{depth}", depth) for depth in (1, 2, 3, 4, 5)] + [WorldPlan("j", 3, JOIN)]


@pytest.mark.parametrize("plan", PLANS)
def test_a_world_has_the_published_mix_and_its_own_depth(plan):
    cases = logic_cases(plan, 7)
    families = [receipt_of_cube(dict(enumerate(case.cube)), KINDS) for case in cases]
    sizes = Counter(family.complexity if family else 0 for family in families)
    assert sizes == {0: 8, 1: 7, 2: 3, 3: 1}
    assert sum(bool(family and family.ambiguous) for family in families) == 4
    masks = Counter(case.mask.bit_count() for case in cases)
    assert masks == {0: 1, 1: 6, 2: 9, 3: 3}
    assert {case.mask for case in cases} == set(range(8))
    adjudicator = RulesAdjudicator()
    for case in cases:
        assert execute(adjudicator, case.old, case.revised) == case.cube
        pairs = zip(case.old.key, case.revised.key, strict=True)
        assert sum((a != b) << i for i, (a, b) in enumerate(pairs)) == case.mask
        for state, verdict in ((case.old, case.cube[0]), (case.revised, case.cube[-1])):
            if verdict == "approve":
                assert adjudicator.depth(state) == plan.depth
            for rule in state["norms"]:
                assert rule["then"] not in rule["if"]


def test_a_world_is_drawn_from_its_plan_and_the_seed_alone():
    plan = WorldPlan("w", 2)
    first, again = logic_cases(plan, 7), logic_cases(plan, 7)
    assert [case.old.key for case in first] == [case.old.key for case in again]
    assert [case.old.key for case in first] != [case.old.key for case in logic_cases(plan, 8)]


def test_which_composition_has_which_outcome_is_drawn():
    several = {tuple(logic_slots(Draw("slots", i))) for i in range(20)}
    assert len(several) == 20
    outcomes = {mask: set() for mask in (3, 5, 6)}
    for slots in several:
        for mask, kind in slots:
            outcomes.get(mask, set()).add(kind)
    assert all(kinds == {"=", "1u", "1a", "2u"} for kinds in outcomes.values())


@pytest.mark.parametrize("family", ["ordinary", "exception"])
def test_a_clause_fills_its_quotas(family):
    cases = policy_cases(ClausePlan("telecom-05", family, 33, 8, 1, 6), 7)
    assert Counter(case.mask for case in cases) == {mask: 12 for mask in range(8)}
    changed = [case for case in cases if case.receipt]
    assert len(changed) == 14 + 33
    sizes = Counter(case.receipt[0].bit_count() for case in changed)
    assert sizes == {1: 14 + 24, 2: 8, 3: 1}
    assert sum(len(case.receipt) > 1 for case in cases) == 6
    assert len({(case.old.key, case.revised.key) for case in cases}) == 96
    for case in cases:
        added = len(case.old["norms"]["rules"]) - len(clauses()["telecom-05"].norms["rules"])
        assert added == (family == "exception")


def test_codes_and_cubes_correspond():
    for code in (0, 1, 3**8 - 1, 1234):
        digits = [["approve", "deny", "refer"].index(cell) for cell in cube_of(code)]
        assert sum(d * 3 ** (7 - i) for i, d in enumerate(digits)) == code


def test_units_are_split_as_in_the_table():
    found = units()
    assert len({unit.name for unit in found}) == 845
    per_unit = {"policy": 96, "logic": 19}
    counts = Counter()
    for unit in found:
        counts[unit.stratum, unit.split] += per_unit[unit.stratum]
    assert counts == EXPECTED_CASES
    operator = [unit.family for unit in found if unit.split == "shift-operator"]
    assert sorted(operator) == ["exception", "exception", "ordinary"]
    elsewhere = {unit.family for unit in found if unit.split != "shift-operator"}
    assert "exception" not in elsewhere
    for split in ("train", "calibration", "locked", "shift-language"):
        own = [unit for unit in found if unit.split == split and unit.stratum == "policy"]
        domains = Counter(clauses()[unit.name].domain for unit in own)
        assert len(domains) == 3 and len(set(domains.values())) == 1
    depths = {unit.split: set() for unit in found}
    for unit in found:
        if unit.stratum == "logic":
            depths[unit.split].add(unit.depth)
    assert depths["train"] == depths["locked"] == {1, 2, 3}
    assert depths["shift-depth"] == {4, 5}
    assert {unit.family for unit in found if unit.split == "shift-structural"} == {JOIN}
    assert sum(unit.family == JOIN for unit in found) == 48


def test_quotas_add_up_to_the_published_mix():
    plans = {unit.name: unit for unit in units() if unit.stratum == "policy"}
    total = [
        sum(getattr(unit.plan, name) for unit in plans.values())
        for name in ("changed", "twos", "threes", "ambiguous")
    ]
    assert total == [2088 - 45 * 14, 293, 29, 270]
    locked = [unit.plan for unit in plans.values() if unit.split == "locked"]
    assert sum(plan.changed + 14 for plan in locked) == 1340 - 96 * 11


@pytest.fixture(scope="module")
def locked():
    """The rows of one locked world and one locked clause."""
    found = units()
    some = [
        next(u for u in found if (u.stratum, u.split) == (s, "locked")) for s in ("policy", "logic")
    ]
    return [rows_of(unit, 7) for unit in some]


def test_every_locked_case_has_its_three_controls(locked):
    for main, controls in locked:
        by_id = {row.gold.id: row for row in controls}
        assert len(controls) == 3 * len(main) == len(by_id)
        for row in main:
            inverse, order, distractor = (
                by_id[f"{row.gold.id}/{name}"] for name in ("inverse", "order", "distractor")
            )
            assert (inverse.gold.old, inverse.gold.revised) == (row.gold.revised, row.gold.old)
            assert (inverse.old, inverse.revised) == (row.revised, row.old)
            assert order.gold.cube == distractor.gold.cube == row.gold.cube
            assert sorted(order.prompt.splitlines()) == sorted(row.prompt.splitlines())
            assert order.prompt != row.prompt or row.gold.mask != 7
            assert distractor.old["grounds"]["memo"] in distractor.prompt
            assert distractor.prompt.count("Memo: ") == 2
            assert distractor.gold.mask == row.gold.mask


def test_the_composition_holdout(locked):
    train = next(unit for unit in units() if unit.split == "train" and unit.stratum == "logic")
    main, _ = rows_of(train, 7)
    assert Counter(holdout(row.gold) for row in main) == {"train": 7, None: 12}
    (main, controls) = locked[1]
    assert Counter(holdout(row.gold) for row in main) == {"test": 12, None: 7}
    assert {holdout(row.gold) for row in controls} == {None}
    policy, _ = locked[0]
    assert Counter(holdout(row.gold) for row in policy) == {"test": 48, None: 48}


@pytest.mark.parametrize("rendering", ["plain", "memo", "table"])
def test_every_rendering_says_everything(locked, rendering):
    for main, _ in locked:
        renderer = Renderer(main[0].gold.unit, rendering)
        for row in main:
            prompt = renderer.prompt(row.old, row.revised)
            again = renderer.prompt(row.old, row.revised, (3, 4, 5, 0, 1, 2))
            assert sorted(prompt.splitlines()) == sorted(again.splitlines())
            for state in (row.old, row.revised):
                for text in _words_of(state):
                    assert text in prompt


def _words_of(state):
    grounds, norms, authority = (source.content for source in state)
    if isinstance(authority, list):
        yield from grounds["facts"]
        yield from (rule["id"] for rule in norms)
        yield from authority
    else:
        yield from (str(v) for v in grounds["record"].values() if isinstance(v, str))
        yield from grounds["request"].values()
        for values in authority["scope"].values():
            yield from values


def test_different_sources_read_differently(locked):
    for main, _ in locked:
        for rendering in ("plain", "memo", "table"):
            renderer = Renderer(main[0].gold.unit, rendering)
            sources = {s for row in main for s in (*row.old.sources, *row.revised.sources)}
            words = {(s.kind, renderer._text(s)) for s in sources}
            assert len(words) == len(sources)


def test_information():
    flat = Counter({key: 10 for key in product((1, 2), ("a", "b"))})
    assert information(flat) == 0
    assert information(Counter({(1, "a"): 5, (2, "b"): 5})) == pytest.approx(1)
