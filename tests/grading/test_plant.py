"""Planted chains have the error they say they have, where they say it is, and no other."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.cli import main
from decidendi.grading import (
    DIFFICULTIES,
    MAKERS,
    PRESENTATIONS,
    UNSPECIFIED,
    law_problem,
    plant,
    plant_set,
    read_chains,
    read_labels,
    score,
    segment,
    taxonomy,
)
from decidendi.grading._draft import lines_of
from decidendi.grading._law import problem_of_chain
from decidendi.grading._leaves import places_like
from decidendi.grading._phrases import opposite, read, said, slots_of, wordings
from decidendi.judgment import BadInputError
from decidendi.legal import rules, say

PREMISE = [code for code in MAKERS if code in taxonomy().codes]
SUBS = [code for code in taxonomy().codes if "." in code]
few = settings(max_examples=40, deadline=None)


@pytest.fixture(scope="module")
def planted():
    return plant_set(280, seed=5)


def test_every_sub_kind_can_be_planted():
    assert sorted(PREMISE) == sorted(SUBS)
    assert not set(PREMISE) & {UNSPECIFIED}


def test_only_places_are_like_places():
    facts = {"states": ["Idaho", "Georgia"], "services": [{"defendant": "A", "made": "2023-03-26"}]}
    assert places_like(facts, "Idaho") == ["Georgia"]
    assert places_like(facts, ["Idaho"]) == [["Georgia"]]
    assert places_like(facts, facts["services"]) == []  # facts that are lists of objects


def test_sets_are_as_asked_for(planted):
    counts = Counter(one.code for one in planted)
    assert counts["correct"] == 93
    others = [counts[code] for code in MAKERS]
    assert max(others) - min(others) <= 1
    assert {one.difficulty for one in planted if one.code == PREMISE[0]} == set(DIFFICULTIES)
    assert len({one.chain.unit for one in planted}) == len(planted)
    assert len({one.chain.carried["law"]["authority"] for one in planted}) == len(rules())


def test_exactly_one_error_of_the_kind_and_at_the_place(planted):
    for one in planted:
        own = [
            (place, found)
            for place, marks in enumerate(one.labels.premises)
            for found in marks
            if not found.carried
        ]
        if one.code in PREMISE:
            assert [(place, found.code) for place, found in own] == [(one.place, one.code)]
            assert own[0][1].why
            assert one.labels.first_error == one.place
        else:
            assert own == []
            assert one.place is None
            assert one.labels.first_error is None
        assert len(one.labels.premises) == one.chain.length


def test_classes_and_scores_follow(planted):
    for one in planted:
        found = score(one.chain, one.labels)
        right = one.chain.chosen == one.chain.gold
        assert one.answer_moved == (not right)
        expected = {
            "correct": "correct",
            "wrong-from-incomplete": "wrong-from-incomplete",
            "correct-hallucinated": "correct-hallucinated",
        }.get(one.code, "correct-from-false" if right else "wrong-from-false")
        assert found.conclusion == expected
        assert found.correctness == (one.code == "correct")


def test_premises_that_are_called_sound_are_true(planted):
    """Every unmarked premise is a wording of a step of the trace, with that step's own values."""
    for one in planted:
        problem = problem_of_chain("x", one.chain.carried)
        texts = {
            say(wording, step.values)
            for step in problem.steps
            for wording in wordings(step.template)
            if slots_of(wording) <= step.values.keys()
        }
        endings = {text.casefold()[1:] for text in texts}
        for premise, marks in zip(one.chain.premises, one.labels.premises, strict=True):
            true = any(premise.casefold().endswith(text) for text in endings)
            if not marks:
                assert true, premise
            elif marks[0].code not in ("irrelevance.redundancy",):
                assert not true, (premise, marks)


def test_the_text_comes_apart_into_just_these_premises(planted):
    for one in planted:
        found = segment(one.chain.text, one.chain.options)
        assert found.premises == one.chain.premises
        assert found.conclusion == one.chain.conclusion
        assert found.chosen == one.chain.chosen


def test_difficulty_changes_what_follows():
    moved = Counter()
    carried = Counter()
    for one in plant_set(360, seed=3, correct=0, codes=("misinterpretation.temporal",)):
        moved[one.difficulty] += one.answer_moved
        carried[one.difficulty] += any(f.carried for marks in one.labels.premises for f in marks)
    assert moved["easy"] == carried["easy"] == 0
    assert moved["medium"] > 50
    assert moved["hard"] < 10
    assert carried["hard"] > 60


@few
@given(
    st.integers(0, 10**6),
    st.sampled_from(sorted(rules())),
    st.sampled_from(["correct", *MAKERS]),
    st.sampled_from(DIFFICULTIES),
    st.sampled_from(PRESENTATIONS),
)
def test_planting_repeats_itself_and_never_says_what_it_did(seed, authority, code, level, how):
    problem = law_problem(f"p{seed}", authority, seed)
    once, again = (
        plant(problem, code, seed=seed, difficulty=level, presentation=how) for _ in range(2)
    )
    assert once == again
    if once is None:
        assert code != "correct"
        return
    assert "planted" not in once.chain.carried
    assert code not in once.chain.id + once.chain.text
    right = plant(problem, "correct", seed=seed, difficulty=level, presentation=how)
    assert right.chain.gold == once.chain.gold
    assert len(right.chain.id) == len(once.chain.id)
    if code in PREMISE and code != "irrelevance.redundancy":
        lines = {line.text for line in lines_of(problem.decision)}
        assert once.chain.premises[once.place] not in lines


def test_every_sentence_of_every_rule_has_another_wording_and_can_be_read():
    unread = []
    for authority in rules():
        for seed in range(25):
            for step in law_problem("p", authority, f"w{seed}").steps:
                assert len(wordings(step.template)) > 1, step.template
                for wording in wordings(step.template):
                    assert slots_of(wording) <= set(step.values)
                    want = said(step.template, step.values)
                    readings = read(say(wording, step.values))
                    hit = [
                        r
                        for r in readings
                        if r.template == step.template
                        and all(v.casefold() == want[k].casefold() for k, v in r.slots.items())
                    ]
                    unread += [] if hit else [(wording, readings)]
                other = opposite(step.template)
                assert other is None or other in wordings(other)
    assert unread == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"codes": ("misinterpretation",)}, "cannot plant"),
        ({"codes": ()}, "errors to plant"),
        ({"correct": 1.5}, "share"),
        ({"authorities": ("13-z",)}, "no executable authority"),
        ({"codes": ("wrong-from-incomplete",), "authorities": ("59-b",)}, "no occasion"),
    ],
)
def test_what_cannot_be_planted_is_refused(arguments, said):
    with pytest.raises(BadInputError, match=said):
        plant_set(4, **arguments)


def run(capsys, *words):
    import sys

    sys.argv = ["decidendi", *words]
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code, capsys.readouterr()


def test_the_command_writes_chains_and_labels_apart(tmp_path, capsys):
    out = tmp_path / "p.jsonl"
    code, printed = run(capsys, "plant", "--n", "20", "--out", str(out), "--json")
    assert code == 0
    counts = json.loads(printed.out)["planted"]
    assert sum(n for levels in counts.values() for n in levels.values()) == 20
    chains, bad = read_chains(out)
    labels, bad_labels = read_labels(tmp_path / "p.labels.jsonl", taxonomy())
    assert bad == bad_labels == []
    assert [c.id for c in chains] == [x.chain for x in labels]
    assert {c.collection for c in chains} == {"planted"}
    again = tmp_path / "q.jsonl"
    run(capsys, "plant", "--n", "20", "--out", str(again), "-q")
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize(
    "words",
    [["--kind", "typo"], ["--task", "echr"], ["--difficulty", "brutal"], ["--authority", "x"]],
)
def test_the_command_refuses_what_it_does_not_know(tmp_path, capsys, words):
    code, printed = run(capsys, "plant", "--n", "3", "--out", str(tmp_path / "p.jsonl"), *words)
    assert code == 2
    assert words[1] in printed.err
    assert not (tmp_path / "p.jsonl").exists()


def test_a_folder_is_no_file_to_plant_in(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for out in (".", str(tmp_path)):
        code, printed = run(capsys, "plant", "--n", "2", "--out", out)
        assert code == 2
        assert "is a folder. Name a file." in printed.err
