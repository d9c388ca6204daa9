"""Two judges on the same chains: by hand, on planted chains, on MR-MATH, and from the command."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from grading_toys import FAILED, FALSE, TIME, chain, labels

from decidendi.cli import main
from decidendi.grading import (
    ErrorRates,
    JudgeIdentity,
    Labels,
    ScriptedJudge,
    grade_to,
    import_steps,
    is_grading,
    load_taxonomy,
    plant_set,
    taxonomy,
    two_judges,
    up_to_first_error,
    write_run,
)
from decidendi.grading._labels import Finding
from decidendi.judgment import BadInputError, NonComparableError

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "steps"
KIND = "misinterpretation"


def run_of(folder, chains, rows, name="j", **more):
    identity = JudgeIdentity(name, "1", taxonomy().digest, **more)
    return write_run(folder, chains, [replace(row, by=identity.by) for row in rows], identity)


@pytest.fixture
def toys(tmp_path):
    """Four chains of three premises: the second judge misses one error and invents another."""
    chains = [chain(f"c{n}") for n in range(4)]
    human = [
        labels("c0", (), TIME, (), by="ann"),
        labels("c1", (), (), (), by="ann"),
        labels("c2", FALSE, (), (), by="ann"),
        labels("c3", (), (), (), by="ann"),
    ]
    one = run_of(tmp_path / "one", chains, human, "one")
    rows = [
        labels("c0", (), (), ()),
        labels("c1", (), (), TIME),
        labels("c2", FALSE, (), ()),
        labels("c3", (), FAILED, ()),
    ]
    return one, run_of(tmp_path / "two", chains, rows, "two"), human


def test_by_hand(toys):
    one, two, human = toys
    found = two_judges(one, two, human)
    premise = found.questions["a premise is wrong"]
    counts = premise.overall.counts
    assert (counts.both, counts.first_only, counts.second_only, counts.neither) == (9, 2, 0, 0)
    assert premise.overall.excluded == {"second judge: not-converged": 1}
    assert premise.overall.difference.value == pytest.approx(2 / 11)
    assert premise.overall.method == "exact sign-flip test over units"
    assert premise.overall.p == 0.5  # two chains favour the first, none the second
    wrong = premise.within["yes"].counts
    assert (wrong.both, wrong.first_only) == (1, 1)
    whole = found.questions["a chain is wrong anywhere"]
    assert (whole.overall.counts.both, whole.overall.counts.first_only) == (1, 2)
    assert whole.overall.p == whole.overall.counts.p == 0.5
    assert whole.raw["wrong"].value == 0.0  # the same share, of other chains
    first = found.questions["the first error"].overall.counts
    assert (first.both, first.first_only) == (1, 2)
    assert found.questions["hallucination"].overall.counts.first_only == 0
    assert found.questions[f"{KIND}.temporal"].overall.counts.first_only == 2
    # Questions are one family, sub-kinds another; what tells nobody apart is in neither.
    adjusted = {name: q.overall.adjusted for name, q in found.questions.items()}
    assert adjusted["hallucination"] is None
    tested = [q.overall for n, q in found.questions.items() if adjusted[n] and "." not in n]
    assert len(tested) == 5
    assert min(q.adjusted for q in tested) == min(1.0, 5 * min(q.p for q in tested))
    assert adjusted[f"{KIND}.temporal"] == found.questions[f"{KIND}.temporal"].overall.p


def test_a_judge_agrees_with_itself(toys):
    one, _, human = toys
    found = two_judges(one, one, human)
    for question in found.questions.values():
        assert getattr(question.kappa, "value", 1) == getattr(question.alpha, "value", 1) == 1
        assert question.overall.difference.value == 0
        assert all(difference.value == 0 for difference in question.raw.values())


def test_without_people_nobody_is_better(toys):
    one, two, _ = toys
    found = two_judges(one, two)
    assert found.labelled is None
    assert all(q.overall is None and not q.within for q in found.questions.values())
    assert found.questions["a premise is wrong"].kappa.n == 11


def test_unlabelled_chains_are_no_exclusions(toys):
    one, two, human = toys
    found = two_judges(one, two, human[:2])
    overall = found.questions["a premise is wrong"].overall
    assert (found.labelled, overall.excluded, overall.counts.both) == (2, {}, 4)
    assert found.questions["a premise is wrong"].kappa.n == 11


def test_labels_that_stop_leave_no_question_about_premises(tmp_path):
    chains = [chain(f"c{n}") for n in range(3)]
    human = [Labels(c.id, "ann", up_to_first_error(3, n)) for n, c in enumerate(chains)]
    whole = [Labels(c.id, "j", ((), (Finding("unspecified"),), ())) for c in chains]
    one, two = run_of(tmp_path / "a", chains, whole), run_of(tmp_path / "b", chains, human)
    found = two_judges(one, two, human)
    assert found.stopping
    assert list(found.questions) == [
        "the first error", "a chain is wrong anywhere", "the class of the conclusion",
    ]  # fmt: skip
    assert found.questions["the first error"].overall.counts.second_only == 2


def test_only_common_chains_count(tmp_path):
    chains = [chain(f"c{n}") for n in range(4)]
    rows = [labels(c.id, (), TIME, ()) for c in chains]
    one = run_of(tmp_path / "a", chains[:3], rows[:3])
    two = run_of(tmp_path / "b", chains[1:], rows[1:])
    found = two_judges(one, two, [replace(row, by="ann") for row in rows])
    assert (found.chains, found.only_first, found.only_second, found.labelled) == (2, 1, 1, 2)
    more = [replace(row, by="ann") for row in [*rows, labels("elsewhere", ())]]
    assert two_judges(one, two, more) == found
    with pytest.raises(BadInputError, match="no chain that both"):
        two_judges(one, two, [replace(rows[0], by="ann")])
    with pytest.raises(BadInputError, match="no chain in common"):
        two_judges(run_of(tmp_path / "c", chains[:1], rows[:1]), two)


def test_what_cannot_be_compared_is_named(tmp_path, toys):
    one, _, human = toys
    other = chain("c0", gold="NO")
    changed = run_of(tmp_path / "x", [other], [labels("c0", (), (), ())])
    with pytest.raises(NonComparableError) as error:
        two_judges(one, changed)
    assert error.value.differing == {"chain c0, gold": ("YES", "NO")}
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"id": "own", "version": "1", "extends": taxonomy().name}))
    own = load_taxonomy(path)
    judge = JudgeIdentity("j", "1", own.digest)
    with pytest.raises(NonComparableError, match="taxonomy"):
        two_judges(one, write_run(tmp_path / "y", one.chains, one.labels, judge, kinds=own))
    designed = run_of(tmp_path / "z", one.chains, one.labels, designed_on=("held-out",))
    with pytest.raises(BadInputError, match="designed on"):
        two_judges(one, designed, human)
    assert two_judges(one, designed).labelled is None
    dry = run_of(tmp_path / "dry", one.chains, one.labels, settings={"dry_run": True})
    for pair in ((one, dry), (dry, one)):
        with pytest.raises(BadInputError, match="a dry run"):
            two_judges(*pair)


def test_the_better_of_two_scripted_judges_is_found(tmp_path):
    planted = plant_set(80, seed=3)
    chains, truth = [p.chain for p in planted], [p.labels for p in planted]
    good = ScriptedJudge(truth, ErrorRates(missed={"": 0.1}, false_alarms=0.02))
    poor = ScriptedJudge(truth, ErrorRates(missed={"": 0.6}, false_alarms=0.1), seed=7)
    one, two = grade_to(tmp_path / "a", chains, good), grade_to(tmp_path / "b", chains, poor)
    found = two_judges(one, two, [replace(row, by="planter") for row in truth])
    premise = found.questions["a premise is wrong"]
    assert premise.overall.difference.low > 0 and premise.overall.adjusted < 0.05
    assert premise.within["yes"].difference.value > premise.within["no"].difference.value > 0
    turned = two_judges(two, one, [replace(row, by="planter") for row in truth])
    assert turned.questions["a premise is wrong"].overall.difference.value == pytest.approx(
        -premise.overall.difference.value
    )


def command(*words):
    sys.argv = ["decidendi", *map(str, words)]
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code


def test_the_command(tmp_path, toys, capsys):
    one, two = tmp_path / "one", tmp_path / "two"
    assert is_grading(one) and not is_grading(tmp_path)
    assert command("compare", one, two) == 0
    said = capsys.readouterr().out
    assert "no labels of people" in said and "kappa" in said and "Holm" not in said
    people = tmp_path / "people.jsonl"
    rows = [
        {"chain": "c0", "by": "ann", "premises": [[], ["misinterpretation.temporal"], []]},
        {"chain": "c1", "by": "ann", "premises": [[], [], []]},
    ]
    people.write_text("\n".join(map(json.dumps, rows)))
    assert command("compare", one, two, "--human", people) == 0
    said = capsys.readouterr().out
    assert "people labelled 2 of them" in said and "exact McNemar; Holm p" in said
    assert command("compare", one, two, "--human", people, "--json") == 0
    content = json.loads(capsys.readouterr().out)
    assert content["questions"]["a chain is wrong anywhere"]["overall"]["counts"]["both"] == 0
    (tmp_path / "none.jsonl").touch()
    assert command("compare", one, two, "--human", tmp_path / "none.jsonl") == 2
    assert "no labels of people" in capsys.readouterr().err
    people.write_text(people.read_text() + "\nnot json\n")
    assert command("compare", one, two, "--human", people, "-q") == 3
    assert command("compare", one, tmp_path) == 2
    assert "no run of a grading" in capsys.readouterr().err
    assert command("compare", tmp_path, tmp_path, "--human", people) == 2
    assert "--human is for two gradings" in capsys.readouterr().err


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_gpt4_against_gpt35_on_mrmath(tmp_path):
    """GPT-4 finds more of the wrong solutions, and calls more of the sound ones wrong."""
    found = import_steps(DATA / "mrmath_invalid_human_and_judges.jsonl")
    one, two = (
        run_of(tmp_path / name, found.chains, found.judges[name], name)
        for name in ("gpt4", "gpt3_5_turbo")
    )
    compared = two_judges(one, two, found.human)
    whole = compared.questions["a chain is wrong anywhere"]
    right = whole.within["wrong"].counts
    assert (right.both + right.first_only, right.neither + right.second_only) == (80, 3)
    sound = whole.within["sound"].counts
    assert (sound.both + sound.first_only, sound.first_only, sound.second_only) == (40, 10, 21)
    assert whole.overall.difference.value == pytest.approx((46 - 22) / 159)
    assert whole.overall.p == pytest.approx(0.00490, abs=1e-5)
    assert whole.kappa.value < 0.25
