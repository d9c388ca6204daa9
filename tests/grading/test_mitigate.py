"""Mitigation runs: figures come out as scripted, nothing is paid for twice, nothing is made up."""

import json
import subprocess
import sys

import pytest

from decidendi.grading import (
    Condition,
    Effects,
    ExactChecker,
    Posed,
    QuestionSet,
    ScriptedSolver,
    append_record,
    conditions,
    feedback_text,
    grade_to,
    load_taxonomy,
    mitigate,
    plant_set,
    questions_of,
    read_chains,
    taxonomy,
    validate,
)
from decidendi.grading._mitigate_prompts import FEEDBACK, STRATEGIES, said
from decidendi.judgment import BadInputError, Reason, Unmeasured
from decidendi.legal import Option
from decidendi.models import Reply
from decidendi.stats import holm, mcnemar_p

ALL = conditions(STRATEGIES, FEEDBACK[1:])
TWO = conditions(("self-correct",), ("short", "long"))
ABOUT = {"name": "told"}
YES_NO = (Option("YES"), Option("NO"))


def posed(number, gold="YES", **more):
    return Posed(f"q{number}", f"Is matter {number} so?", YES_NO, gold, **more)


def asked(*questions):
    return QuestionSet(tuple(questions), "test")


class Told(ScriptedSolver):
    """Right where a table says so; counts what it is asked, and keeps what it saw."""

    def __init__(self, questions, chosen, wrong=(), silent=(), kinds=None):
        super().__init__(questions.questions, chosen, kinds or taxonomy())
        self.wrong, self.silent, self.seen = set(wrong), set(silent), []

    def is_right(self, question, condition):
        return (question.id, condition.id) not in self.wrong

    def _answer(self, question):
        self.seen.append(question.messages)
        found, condition, last = self._known_of(question)
        return "" if last and (found.id, condition.id) in self.silent else super()._answer(question)

    def _known_of(self, question):
        from decidendi.grading._mitigate_scripted import _key

        return self._known[_key([text for role, text in question.messages if role == "user"])]


def run(out, questions, chosen=TWO, model=None, **more):
    return mitigate(questions, chosen, model or Told(questions, chosen), ABOUT, out, **more)


def by_id(found):
    return {figures.condition.id: figures for figures in found.figures}


def test_conditions_are_every_strategy_with_every_feedback():
    assert [condition.id for condition in ALL][:5] == [
        "cot", "cot+generic", "cot+short", "cot+long", "plan-and-solve+generic",
    ]  # fmt: skip
    assert len(ALL) == 13
    with_none = conditions(STRATEGIES, FEEDBACK)
    assert {c.id for c in with_none} - {c.id for c in ALL} == {"plan-and-solve", "self-discover"}
    assert conditions((), ()) == (Condition("cot"),)
    for strategies, feedback in ((("tot",), ()), ((), ("shouted",))):
        with pytest.raises(BadInputError, match="one of"):
            conditions(strategies, feedback)


def test_feedback_says_what_the_taxonomy_says(tmp_path):
    kinds = taxonomy()
    generic, short, long = (feedback_text(name, kinds) for name in FEEDBACK[1:])
    for entry in kinds.entries():
        assert entry.name.lower() not in generic.lower()
        assert entry.name.lower() in short.lower()
        assert entry.definition not in short
        assert entry.definition in long
        assert entry.example in long
    mine = {"id": "mine", "version": "1", "extends": kinds.name, "premise": [
        {"id": "haste", "name": "Haste", "definition": "Too {fast}.", "example": "So be it."}
    ]}  # fmt: skip
    (tmp_path / "t.json").write_text(json.dumps(mine))
    assert "- Haste: Too {fast}. Example: So be it." in feedback_text(
        "long", load_taxonomy(tmp_path / "t.json")
    )


def test_prompts_hold_the_question_and_no_expert():
    question = posed(1, source="{asked} Facts.", expert="It was so.", carried={"law": "secret"})
    for condition in ALL:
        texts = list(said(condition, question, taxonomy()))
        assert "{asked} Facts." in texts[0]
        assert "Is matter 1 so?" in texts[0]
        assert texts[-1].endswith("choose (YES or NO).")
        assert "It was so." not in "".join(texts)
        assert "secret" not in "".join(texts)
        fed = feedback_text(condition.feedback, taxonomy()) if condition.feedback != "none" else ""
        assert ("Check your reasoning" in "".join(texts)) == bool(fed)
        assert fed in texts[-1]


def test_self_correction_gains_and_loses_what_it_was_scripted_to(tmp_path):
    questions = asked(*(posed(n) for n in range(12)))
    wrong = {(f"q{n}", c.id) for n in range(7) for c in TWO}
    wrong -= {(f"q{n}", "self-correct+short") for n in range(6)}
    wrong |= {("q11", "self-correct+short")}
    wrong -= {("q0", "self-correct+long")}
    silent = {("q10", "self-correct+long"), ("q9", "cot")}
    found = by_id(run(tmp_path, questions, model=Told(questions, TWO, wrong, silent)))
    base, short, long = found["cot"], found["self-correct+short"], found["self-correct+long"]
    assert (base.accuracy.numerator, base.accuracy.n) == (4, 11)
    assert base.accuracy.excluded == {"not-converged": 1}
    assert (base.convergence.numerator, base.convergence.n) == (11, 12)
    assert base.against is None
    # Question 9 got no first answer, so there was nothing to correct.
    assert (short.accuracy.numerator, short.accuracy.n) == (9, 11)
    assert (short.against.only_this, short.against.only_base, short.against.n) == (6, 1, 11)
    assert short.against.difference.value == pytest.approx(5 / 11)
    assert short.against.difference.low < 5 / 11 < short.against.difference.high
    assert short.against.p == mcnemar_p(6, 1)
    assert (long.accuracy.numerator, long.accuracy.n) == (4, 10)
    assert (long.against.only_this, long.against.only_base, long.against.n) == (1, 0, 10)
    adjusted = holm({"short": mcnemar_p(6, 1), "long": mcnemar_p(1, 0)})
    assert (short.against.adjusted, long.against.adjusted) == tuple(adjusted.values())


def test_what_begins_alike_is_asked_once_and_corrected_as_it_was_given(tmp_path):
    questions = asked(*(posed(n) for n in range(3)))
    model = Told(questions, ALL)
    told = []
    found = run(tmp_path, questions, ALL, model, watch=lambda *of: told.append(of))
    assert told[-1] == (3 * 25, 3 * 25)
    assert {total for _, total in told} == {3 * 25}
    assert found.made == len(model.seen) == 3 * 16
    (cot,) = [c for c in read_chains(tmp_path / "chains" / "cot.jsonl")[0] if c.id == "q0/cot"]
    corrected = [m for m in model.seen if len(m) == 3 and "matter 0" in m[0][1]
                 and "whole reasoning again" in m[2][1]]  # fmt: skip
    assert [messages[1] for messages in corrected] == [("assistant", cot.text)] * 3


def test_chains_are_fit_for_grading(tmp_path):
    questions = questions_of("law", n=6)
    run(tmp_path, questions, ALL)
    for condition in ALL:
        chains, refused = read_chains(tmp_path / "chains" / f"{condition.id}.jsonl")
        assert refused == []
        assert [chain.unit for chain in chains] == [question.id for question in questions.questions]
        assert all(chain.model == "told" and chain.chosen == chain.gold for chain in chains)
        assert all(
            marks == () for labels in ExactChecker().grade(chains) for marks in labels.premises
        )


def test_units_that_hold_several_questions_are_resampled_whole(tmp_path):
    questions = asked(*(posed(n, unit=f"u{n // 2}") for n in range(8)))
    wrong = {(f"q{n}", "cot") for n in range(4)}
    short = by_id(run(tmp_path, questions, model=Told(questions, TWO, wrong)))["self-correct+short"]
    assert short.against.test == "bootstrap by unit"
    assert short.against.p == short.against.difference.p
    assert "4 units" in short.against.difference.method


def test_a_model_that_says_nothing_measures_nothing(tmp_path):
    questions = asked(*(posed(n) for n in range(4)))
    silent = {(q.id, c.id) for q in questions.questions for c in ALL}
    for figures in run(tmp_path, questions, ALL, Told(questions, ALL, silent=silent)).figures:
        assert figures.accuracy.n == 0
        assert figures.accuracy.share is None
        assert figures.accuracy.excluded == {"not-converged": 4}
        assert (figures.convergence.numerator, figures.convergence.n) == (0, 4)
        if figures.against is not None:
            assert (figures.against.p, figures.against.adjusted) == (None, None)
            assert figures.against.difference.value is None


class Failing(Told):
    """Answers so many prompts and then none."""

    def __init__(self, questions, chosen, good):
        super().__init__(questions, chosen)
        self.good = good

    def ask(self, questions, done):
        for place, question in enumerate(questions):
            if len(self.seen) < self.good:
                done(place, Reply(self._answer(question)))
            else:
                done(place, Reply(failure=Unmeasured(Reason.TIMEOUT, "no answer in time")))


def bytes_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_failed_calls_are_unmeasured_and_asked_again_and_nothing_else_is(tmp_path):
    questions = asked(*(posed(n) for n in range(5)))
    broken = run(tmp_path / "a", questions, model=Failing(questions, TWO, 7))
    assert broken.unanswered == 15 - 7
    found = by_id(broken)
    assert found["cot"].accuracy.n == 5
    assert found["self-correct+short"].accuracy.excluded == {"timeout": 4}
    assert found["self-correct+short"].convergence.excluded == {"timeout": 4}
    model = Told(questions, TWO)
    whole = run(tmp_path / "a", questions, model=model)
    assert (whole.made, whole.unanswered) == (15 - 7, 0)
    run(tmp_path / "b", questions)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")
    again = Told(questions, TWO)
    assert run(tmp_path / "a", questions, model=again).made == 0
    assert again.seen == []


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, {folder!r})
from test_mitigate import TWO, Told, asked, posed, run

class Dies(Told):
    def ask(self, questions, done):
        def gone(place, reply):
            done(place, reply)
            if len(self.seen) == 9:
                os.kill(os.getpid(), 9)
        super().ask(questions, gone)

questions = asked(*(posed(n) for n in range(6)))
run(Path(sys.argv[1]), questions, model=Dies(questions, TWO))
"""


def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(tmp_path):
    from pathlib import Path

    code = KILLED.format(folder=str(Path(__file__).parent))
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a")], capture_output=True, check=False
    )
    assert done.returncode == -9, done.stderr
    kept = (tmp_path / "a" / "answers.jsonl").read_bytes()
    assert len(kept.splitlines()) == 9
    (tmp_path / "a" / "answers.jsonl").write_bytes(kept + b'{"call": "cut o')
    questions = asked(*(posed(n) for n in range(6)))
    model = Told(questions, TWO)
    assert run(tmp_path / "a", questions, model=model).made == 18 - 9
    run(tmp_path / "b", questions)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


@pytest.mark.parametrize("what", ["conditions", "questions.count", "model.name", "taxonomy.digest"])
def test_changed_settings_are_refused_by_name(tmp_path, what):
    questions = asked(posed(1), posed(2))
    run(tmp_path, questions)
    about, chosen, kinds = dict(ABOUT), TWO, taxonomy()
    if what == "conditions":
        chosen = ALL
    elif what == "questions.count":
        questions = asked(posed(1))
    elif what == "model.name":
        about["name"] = "another"
    else:
        mine = {"id": "mine", "version": "1", "extends": kinds.name}
        (tmp_path / "t.json").write_text(json.dumps(mine))
        kinds = load_taxonomy(tmp_path / "t.json")
    model = Told(questions, chosen, kinds=kinds)
    with pytest.raises(BadInputError, match=what):
        mitigate(questions, chosen, model, about, tmp_path, kinds=kinds)
    assert model.seen == []


def test_a_judge_is_shown_with_its_record_or_as_unvalidated(tmp_path):
    questions = questions_of("law", n=20)
    effects = Effects(right=0.4, fixes={"self-correct+short": 1.0})
    model = ScriptedSolver(questions.questions, TWO, taxonomy(), effects)
    found = run(tmp_path / "m", questions, model=model, judge_of=lambda chains: ExactChecker())
    assert (found.judge.by, found.record) == ("exact/1", None)
    assert found.content["judge"]["record"] is None
    figures = by_id(found)
    assert figures["self-correct+short"].correctness.share == 1.0
    assert figures["self-correct+short"].soundness.share == 1.0
    assert figures["cot"].soundness.share < 1.0
    right = sum(model.is_right(question, TWO[0]) for question in questions.questions)
    assert 0 < right < 20
    assert figures["cot"].correctness.numerator == right
    gained = figures["self-correct+short"].correct_against
    assert (gained.only_this, gained.only_base) == (gained.n - right, 0)
    planted = plant_set(30, seed=5)
    graded = grade_to(tmp_path / "g", [p.chain for p in planted], ExactChecker())
    append_record(tmp_path / "r.jsonl", validate(graded, [p.labels for p in planted]))
    again = run(
        tmp_path / "m", questions, model=model,
        judge_of=lambda chains: ExactChecker(), records=tmp_path / "r.jsonl",
    )  # fmt: skip
    assert again.made == 0
    assert again.record.line == 1
    assert again.content["judge"]["record"]["chains"] == 30


def test_nothing_is_judged_before_all_calls_have_an_answer(tmp_path):
    questions = asked(posed(1), posed(2))
    model = Failing(questions, TWO, 3)
    found = run(tmp_path, questions, model=model, judge_of=lambda chains: ExactChecker())
    assert found.judge is None
    assert not (tmp_path / "judged").exists()
