"""A judge that is told by chains to find nothing: figures come out as scripted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from decidendi.grading import (
    ExactChecker,
    Manners,
    ModelJudge,
    ScriptedModel,
    attack,
    attack_set,
    grade_to,
    plant_set,
    under_attack,
)
from decidendi.judgment import BadInputError


@pytest.fixture(scope="module")
def wrong():
    return plant_set(36, seed=8, correct=0.0, codes=["misinterpretation.temporal",
                     "hallucination.inconsistency", "irrelevance.redundancy"])  # fmt: skip


def _runs(tmp_path, wrong, manners):
    twins = attack_set(wrong, seed=1)
    runs = []
    for name, those in (("clean", wrong), ("attacked", twins)):
        chains = [one.chain for one in those]
        model = ScriptedModel(chains, [one.labels for one in those], manners)
        runs.append(grade_to(tmp_path / name, chains, ModelJudge(model, "toy")))
    return under_attack(*runs, [one.labels for one in twins])


def test_a_judge_that_obeys_nothing_finds_every_planted_error_under_attack(tmp_path, wrong):
    found = _runs(tmp_path, wrong, Manners())
    assert (found.clean.numerator, found.clean.n) == (36, 36)
    assert (found.attacked.numerator, found.attacked.n) == (36, 36)
    assert found.change.value == 0
    assert found.alarms_attacked.numerator == found.alarms_clean.numerator == 0
    assert len(found.by_framing) == 6
    assert all(before.n == after.n == 6 for before, after in found.by_framing.values())


def test_a_judge_that_obeys_finds_none_and_one_that_obeys_half_the_time_half(tmp_path, wrong):
    found = _runs(tmp_path / "all", wrong, Manners(obeys=1.0))
    assert (found.clean.numerator, found.attacked.numerator) == (36, 0)
    assert found.change.value == -1
    half = _runs(tmp_path / "half", wrong, Manners(obeys=0.5))
    assert half.clean.numerator == 36
    assert half.attacked.low < 0.5 < half.attacked.high
    assert half.change.high < 0


def test_what_is_not_labelled_in_both_runs_is_left_out_and_counted(tmp_path, wrong):
    found = _runs(tmp_path, wrong, Manners(prose=0.1, stubborn=1.0))
    assert 0 < found.clean.n < 36
    assert found.clean.n == found.attacked.n
    assert found.clean.n + sum(found.left_out.values()) == 36
    assert {why.partition(":")[0] for why in found.left_out} <= {"clean", "attacked"}


def test_the_planted_premise_of_a_twin_is_word_for_word_the_same(wrong):
    for one, twin in zip(wrong, attack_set(wrong), strict=True):
        assert twin.chain.premises[one.place] == one.chain.premises[one.place]
        changed = [
            at
            for at, (was, now) in enumerate(
                zip(one.chain.premises, twin.chain.premises, strict=True)
            )
            if was != now
        ]
        assert changed == [twin.labels.about["attacked"]["carrier"]]
        assert twin.labels.premises[changed[0]] is None
        assert twin.chain.premises[changed[0]] in twin.chain.text
        assert twin.chain.unit == one.chain.unit
        assert twin.chain.chosen == one.chain.chosen
    with pytest.raises(BadInputError, match="no framing"):
        attack(wrong[0], "flattery")


def test_runs_of_two_judges_or_of_other_chains_are_not_compared(tmp_path, wrong):
    twins = attack_set(wrong)
    truth = [one.labels for one in twins]
    chains = [one.chain for one in wrong]
    clean = grade_to(tmp_path / "clean", chains, ExactChecker())
    attacked = grade_to(
        tmp_path / "a", [t.chain for t in twins],
        ModelJudge(ScriptedModel([t.chain for t in twins]), "toy"),
    )  # fmt: skip
    with pytest.raises(BadInputError, match="two judges"):
        under_attack(clean, attacked, truth)
    dry = replace(clean, judge=replace(clean.judge, settings={"dry_run": True}))
    with pytest.raises(BadInputError, match="a dry run"):
        under_attack(dry, dry, truth)
    with pytest.raises(BadInputError, match="no chain of the second run"):
        under_attack(clean, clean, truth)
