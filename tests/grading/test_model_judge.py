"""A model as judge: what it is asked, what is taken from its replies, what its labels are."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from grading_toys import chain
from judge_toys import SOUND, TEMPORAL, Told, codes, graded, summary

from decidendi.grading import (
    Chain,
    ErrorRates,
    Finding,
    Manners,
    ModelJudge,
    ScriptedJudge,
    ScriptedModel,
    grade_to,
    load_run,
    load_taxonomy,
    measure,
    plant_set,
    read_labels,
    summarise,
    taxonomy,
    validate,
)
from decidendi.grading._files import labels_line
from decidendi.judgment import BadInputError, Reason, Unmeasured
from decidendi.legal import Option
from decidendi.models import Reply


def test_a_sound_premise_takes_six_calls_and_no_summary():
    model = Told()
    judge, (labels,) = graded(model, [chain(size=2)])
    assert labels.premises == ((), ())
    assert labels.by == "toy/model/1"
    # Both premises led to the same question, which is asked of the source once.
    assert len(model.asked) == 11
    assert "summary" not in {task for task, _ in model.asked}
    spent = labels.about["judge"]
    assert (spent["calls"], spent["tokens_in"], spent["tokens_out"]) == (11, 110, 55)
    assert spent["cost"] == "2.750000"
    assert judge.identity.settings["detectors"] == [
        "general", "misinterpretation", "relevance", "hallucination",
    ]  # fmt: skip


def test_what_detectors_report_is_summed_up_in_the_taxonomys_terms():
    seen = []

    def weighed(last, *_):
        seen.append(last)
        return summary(TEMPORAL)(last)

    model = Told(misinterpretation=codes("misinterpretation"), summary=weighed)
    _, (labels,) = graded(model, [chain(size=1)])
    assert labels.premises == ((Finding(TEMPORAL, "because"),),)
    assert seen[0]["reports"] == [
        {"examination": "misinterpretation", "errors": ["misinterpretation"], "why": "w"}
    ]


def test_verification_questions_are_answered_without_the_premise_and_the_expert():
    given = replace(chain(size=1), source="The facts.", expert="The analysis.")
    model = Told()
    graded(model, [given], detectors=["hallucination"])
    questions, answers, compare = (q.messages[1][1] for q in model.questions)
    assert "The analysis." in questions and "The analysis." in compare
    assert "The facts." in answers
    assert "Premise 0" not in answers and "The analysis." not in answers
    assert '"answer": "May 1"' in compare


PROSE = "The premise is fine."
BAD = [
    (PROSE, Reason.NOT_CONVERGED, "JSON"),
    ('{"premise": 2, "why": "w", "error": false}', Reason.NOT_CONVERGED, "premise 2"),
    ('{"premise": 1, "error": false}', Reason.NOT_CONVERGED, "why"),
    ('{"premise": 1, "why": "w", "error": "no"}', Reason.NOT_CONVERGED, "boolean"),
    ('{"premise": 1, "why": "w", "error": false, "x": 1}', Reason.NOT_CONVERGED, "Extra"),
    ('{"premise": 1, "why": "w", "error": true, "error": false}', Reason.NOT_CONVERGED, "twice"),
    ('{"premise": true, "why": "w", "error": false}', Reason.NOT_CONVERGED, "integer"),
    ('[{"premise": 1, "why": "w", "error": false}]', Reason.NOT_CONVERGED, "no object"),
    ('Sure: {"premise": 1, "why": "w", "error": false}', Reason.NOT_CONVERGED, "JSON"),
    ("", Reason.NOT_CONVERGED, "nothing stands there"),
    ('<think>{"premise": 1, "why": "w", "error": false}', Reason.NOT_CONVERGED, "nothing"),
]


@pytest.mark.parametrize(("reply", "reason", "why"), BAD)
def test_a_reply_that_cannot_be_used_is_asked_for_once_more_and_then_unmeasured(reply, reason, why):
    model = Told(general=lambda *_: reply)
    _, (labels,) = graded(model, [chain(size=1)], detectors=["general"])
    (marks,) = labels.premises
    assert isinstance(marks, Unmeasured) and marks.reason is reason
    assert why in marks.detail
    assert model.asked == [("general", "first"), ("general", "again")]
    shown = model.questions[-1].messages[-1][1]
    assert why in shown and '"properties"' in shown
    assert labels.whole == marks
    spent = labels.about["judge"]
    assert (spent["calls"], spent["repairs"], spent["unusable"]) == (2, 1, 1)


@pytest.mark.parametrize(
    "wrap", ["{}", "```json\n{}\n```", "```\n{}\n```\n", "<think>hm</think>{}"]
)
def test_json_alone_or_in_one_block_is_read(wrap):
    said = wrap.replace("{}", '{"premise": 1, "why": "w", "error": false}')
    model = Told(general=lambda *_: said)
    _, (labels,) = graded(model, [chain(size=1)], detectors=["general"])
    assert labels.premises == ((),)


def test_one_repair_is_enough():
    sound = SOUND["general"]
    model = Told(general=lambda last, again: sound(last) if again else PROSE)
    _, (labels,) = graded(model, [chain(size=1)], detectors=["general"])
    assert labels.premises == ((),)
    assert labels.about["judge"]["repairs"] == 1
    assert labels.about["judge"]["unusable"] == 0


@pytest.mark.parametrize("code", ["misinterpretation.spelling", "irrelevance", "unspecified", ""])
def test_an_error_outside_what_was_asked_about_is_refused(code):
    model = Told(misinterpretation=codes(code))
    _, (labels,) = graded(model, [chain(size=1)])
    (marks,) = labels.premises
    assert marks.reason is Reason.LABEL
    assert repr(code) in marks.detail


def test_a_cut_reply_is_not_used_even_if_it_parses():
    model = Told(general=lambda last, again: Reply(SOUND["general"](last), cut=True))
    _, (labels,) = graded(model, [chain(size=1)], detectors=["general"])
    assert "cut" in labels.premises[0].detail


def test_one_detector_that_fails_leaves_the_premise_unmeasured_whatever_the_others_found():
    model = Told(
        misinterpretation=codes(TEMPORAL), relevance=lambda *_: PROSE, summary=summary(TEMPORAL)
    )
    _, (labels,) = graded(model, [chain(size=2)])
    assert all(isinstance(marks, Unmeasured) for marks in labels.premises)
    assert "summary" not in {task for task, _ in model.asked}


def test_kinds_that_were_not_looked_for_have_no_label(tmp_path):
    model = Told(misinterpretation=codes(TEMPORAL), summary=summary(TEMPORAL))
    judge, (labels,) = graded(model, [chain(size=1)], detectors=["relevance", "misinterpretation"])
    assert judge.looked_for == ("misinterpretation", "irrelevance")
    assert labels.premises == (None,)
    assert labels.whole is None
    assert labels.marks(0, "misinterpretation")[0].code == TEMPORAL
    assert labels.marks(0, "hallucination") is None
    found = measure([(chain(size=1), labels)], taxonomy())
    assert (found.soundness.n, found.correctness.n) == (0, 0)
    assert (found.errors["misinterpretation"].numerator, found.errors["irrelevance"].n) == (1, 1)
    assert found.errors["hallucination"].excluded == {"no label": 1}
    path = tmp_path / "l.jsonl"
    path.write_bytes(labels_line(labels))
    assert read_labels(path, taxonomy())[0] == [labels]


def test_detectors_that_do_not_exist_or_have_no_kind_are_refused(tmp_path):
    with pytest.raises(BadInputError, match="no detector 'style'"):
        ModelJudge(Told(), "x", detectors=["style"])
    entry = {"name": "N", "definition": "D.", "example": "E."}
    own = {
        "id": "mine",
        "version": "1",
        "premise": [{"id": "style", **entry}],
        "conclusion": list(taxonomy().content["conclusion"]),
    }
    path = tmp_path / "t.json"
    path.write_text(json.dumps(own), encoding="utf-8")
    kinds = load_taxonomy(path)
    with pytest.raises(BadInputError, match="no kind 'irrelevance'"):
        ModelJudge(Told(), "x", kinds=kinds, detectors=["relevance"])
    model = Told(
        general=lambda last, _: json.dumps({"premise": 1, "why": "w", "error": True}),
        summary=summary("style"),
    )
    judge, (labels,) = graded(model, [chain(size=1)], kinds=kinds)
    assert judge.looked_for == ("style",)
    assert labels.premises == ((Finding("style", "because"),),)


def test_a_failed_call_leaves_its_premise_unmeasured_and_is_counted():
    lost = Reply(failure=Unmeasured(Reason.TIMEOUT, "the model did not answer in time"))
    model = Told(general=lambda last, _: lost if last["premise"] == 2 else SOUND["general"](last))
    _, (labels,) = graded(model, [chain(size=3)], detectors=["general"])
    assert labels.premises == ((), lost.failure, ())
    assert labels.about["judge"]["failures"] == 1
    assert labels.about["judge"]["calls"] == 2


def test_a_model_that_is_gone_is_not_asked_for_ever():
    lost = Reply(failure=Unmeasured(Reason.ERROR, "refused"))
    model = Told(general=lambda *_: lost)
    chains = [replace(chain(f"c{i}", 10), question=f"Question {i}?") for i in range(9)]
    _, rows = graded(model, chains, detectors=["general"])
    assert len(model.asked) == 24
    assert all(isinstance(m, Unmeasured) for row in rows for m in row.premises)
    assert "had stopped answering" in rows[-1].premises[-1].detail


def test_a_chain_that_the_model_refuses_does_not_pass_for_its_absence():
    lost = Reply(failure=Unmeasured(Reason.ERROR, "BadRequestError: too long"))
    chains = [replace(chain(f"c{i}", 40), question=f"Question {i}?") for i in range(5)]

    class Short(Told):
        def ask(self, questions, done):
            def told(place, reply):
                long = any(f"Question {i}?" in questions[place].messages[1][1] for i in (1, 2, 3))
                done(place, lost if long else reply)

            super().ask(questions, told)

    _, rows = graded(Short(), chains, detectors=["general"])
    assert rows[0].premises == rows[4].premises == ((),) * 40
    assert all(m == lost.failure for row in rows[1:4] for m in row.premises)


def test_chains_without_premises_without_a_conclusion_and_with_two_hundred():
    none = replace(chain("none"), premises=Unmeasured(Reason.NOT_CONVERGED, "no premises"))
    mute = replace(chain("mute", 1), conclusion="", chosen=Unmeasured(Reason.NOT_CONVERGED, "?"))
    model = Told()
    _, rows = graded(model, [none, mute, chain("long", 200)])
    assert rows[0].premises == none.premises
    assert rows[1].premises == ((),)
    assert rows[1].content is None
    assert rows[2].premises == ((),) * 200


OPTIONS = (
    Option("A", "The court has jurisdiction over it."),
    Option("B", "It has not."),
)


def _choosing(conclusion, chosen="A"):
    return Chain("c", ("One.",), conclusion, chosen, options=OPTIONS, gold="A")


@pytest.mark.parametrize(
    ("conclusion", "chosen", "agrees", "content", "asked"),
    [
        ("So the court has jurisdiction over it. ANSWER: A", "A", "no", True, 0),  # by code
        ("ANSWER: A", "A", "no", None, 0),  # nothing to compare
        ("Therefore the suit may go forward here. ANSWER: A", "A", "no", False, 1),
        ("Therefore the suit may go forward here. ANSWER: A", "A", "yes", True, 1),
        ("Therefore the suit may go forward here. ANSWER: A", "A", "says-nothing", None, 1),
        ("Therefore the suit may go forward here. ANSWER: B", "B", "no", None, 0),  # wrong anyway
    ],
)
def test_the_conclusion_is_compared_with_its_option(conclusion, chosen, agrees, content, asked):
    model = Told(content=lambda *_: json.dumps({"why": "w", "agrees": agrees}))
    given = _choosing(conclusion, chosen)
    _, (labels,) = graded(model, [given], detectors=["general"])
    assert labels.content is content
    assert [task for task, _ in model.asked].count("content") == asked


TEXT = "1. Service was on May 1.\n2. So it was\n   late.\n\nANSWER: NO"


@pytest.mark.parametrize(
    ("premises", "conclusion", "expected"),
    [
        (["Service was on May 1.", "So it was late."], "ANSWER: NO", 2),
        (["Service was on May 2."], "ANSWER: NO", "no stretch of the text"),
        (["So it was late.", "Service was on May 1."], "ANSWER: NO", "in its order"),
        (["Service was on May 1."], "NO WAY", "the conclusion is no stretch"),
        ([""], "ANSWER: NO", "premise 1"),
        ([], "ANSWER: NO", "0 premises"),
    ],
)
def test_a_judges_own_premises_are_stretches_of_the_text(premises, conclusion, expected):
    said = json.dumps({"premises": premises, "conclusion": conclusion})
    judge = ModelJudge(Told(segment=lambda *_: said), "x", segmentation="judge")
    (found,) = judge.segment([replace(chain(size=1), text=TEXT)])
    if isinstance(expected, int):
        assert found.premises == tuple(premises)
        assert found.conclusion == conclusion
    else:
        assert expected in found.premises.detail


def test_the_scripted_model_through_the_whole_judge_says_what_the_scripted_judge_says():
    planted = plant_set(40, seed=5)
    chains = [one.chain for one in planted]
    rates = ErrorRates({"": 0.3}, false_alarms=0.05, confused=0.3, failed=0.05)
    script = ScriptedJudge([one.labels for one in planted], rates, seed=3)
    expected = script.grade(chains)
    judge = ModelJudge(ScriptedModel(chains, expected), "scripted")
    for said, told in zip(judge.grade(chains), expected, strict=True):
        assert [_named(m) for m in said.premises] == [_named(m) for m in told.premises]


def _named(marks):
    return "unmeasured" if isinstance(marks, Unmeasured) else tuple(f.code for f in marks)


def test_a_script_that_speaks_prose_at_first_is_repaired_and_a_stubborn_one_is_not():
    chains = [one.chain for one in plant_set(6, seed=1)]
    quiet = ModelJudge(ScriptedModel(chains), "s").grade(chains)
    talks = ModelJudge(ScriptedModel(chains, manners=Manners(prose=1.0)), "s")
    assert [row.premises for row in talks.grade(chains)] == [row.premises for row in quiet]
    deaf = ModelJudge(ScriptedModel(chains, manners=Manners(prose=1.0, stubborn=1.0)), "s")
    marks = [m for row in deaf.grade(chains) for m in row.premises]
    assert all(isinstance(m, Unmeasured) for m in marks)


def test_a_judge_of_some_kinds_has_a_record_on_those_and_on_no_other(tmp_path):
    planted = plant_set(30, seed=6)
    chains, truth = [one.chain for one in planted], [one.labels for one in planted]
    judge = ModelJudge(ScriptedModel(chains, truth), "s", detectors=["relevance", "hallucination"])
    run = grade_to(tmp_path / "g", chains, judge)
    assert load_run(tmp_path / "g").labels == run.labels
    found = validate(run, truth)
    kinds = found.errors["irrelevance"]
    assert kinds.agreed.n == kinds.agreed.numerator > 0
    assert found.errors["misinterpretation"].confusion.n == 0
    assert found.premises.confusion.n == 0
    assert found.measures.errors["hallucination"].n > 0
    assert found.corrected["hallucination"].judged > 0
    assert summarise(run).labelled == 0
