"""Public sets, where they are at hand; and rows of our own in their form, always."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from decidendi.cli import main
from decidendi.grading import (
    JudgeIdentity,
    accuracy_of,
    import_steps,
    load_run,
    read_labels,
    taxonomy,
    validate,
    write_imported,
    write_run,
)
from decidendi.judgment import BadInputError, Reason, Unmeasured

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
at_hand = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")

MISTAKE = {"id": "m0", "input": "Q", "steps": ["a", "b", "c"], "target": "(A)", "answer": "(B)",
           "mistake_index": 1}  # fmt: skip
PROCESS = {"id": "p0", "problem": "Q", "generator": "g", "steps": ["a", "b"], "label": -1,
           "final_answer_correct": True}  # fmt: skip


def mrmath(number, human=("wrong", "2"), judge=("Wrong.", "Step 2")):
    return {
        "id": number,
        "question": "Q",
        "ground_truth_answer": "4",
        "generator": "g",
        "model_output_step_format": [["a"], ["b", "more of b"], ["c"]],
        "model_output_answer_correctness": "correct",
        "model_output_solution_correctness": human[0],
        "model_output_solution_first_error_step": human[1],
        "judges": {
            "j": {"correctness_pred": judge[0], "error_step_pred": judge[1]},
            "scores-only": {"scores": [0.1, 0.2, 0.3]},
        },
    }


def written(tmp_path, *rows):
    path = tmp_path / "rows.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_first_wrong_steps_become_labels(tmp_path):
    found = import_steps(written(tmp_path, MISTAKE, {**MISTAKE, "id": "m1", "mistake_index": None}))
    assert found.format == "bigbench-mistake"
    assert [x.first_error for x in found.human] == [1, None]
    assert found.human[0].premises[2] is None
    assert accuracy_of(found.chains[0]) == 0.0
    process = import_steps(written(tmp_path, PROCESS, {**PROCESS, "id": "p1", "label": 0}))
    assert [x.first_error for x in process.human] == [None, 0]
    assert accuracy_of(process.chains[0]) == 1.0


@pytest.mark.parametrize(
    ("said", "step", "whole", "first"),
    [
        ("Wrong.", "Step 2", "wrong", 1),
        ("**Incorrect**", "3.", "wrong", 2),
        ("wrong", "Step 3, Case 2", "wrong", 2),
        ("Correct", "N/A", "sound", None),
        ("wrong", "13", "wrong", Reason.LABEL),
        ("wrong", "N/A", "wrong", Reason.LABEL),
        ("correct", "2", "sound", Reason.LABEL),
        ("It depends.", "2", Reason.LABEL, Reason.LABEL),
    ],
)
def test_verdicts_as_models_write_them(tmp_path, said, step, whole, first):
    found = import_steps(written(tmp_path, mrmath(0, judge=(said, step))))
    assert set(found.judges) == {"j"}
    (labels,) = found.judges["j"]

    def plain(value):
        return value.reason if isinstance(value, Unmeasured) else value

    assert plain(labels.whole) == whole
    assert plain(labels.first_error) == first
    assert found.chains[0].premises[1] == "b\nmore of b"


def test_rows_that_are_none_are_left_out(tmp_path):
    bad = [
        "not json",
        {**MISTAKE, "id": "x", "mistake_index": 7},
        {**MISTAKE, "id": "y", "steps": []},
        {**MISTAKE, "id": 3},
        MISTAKE,
        {k: v for k, v in MISTAKE.items() if k != "answer"} | {"id": "z"},
    ]
    found = import_steps(written(tmp_path, MISTAKE, *bad))
    assert len(found.chains) == 1
    assert [r.place.line for r in sorted(found.refused, key=lambda r: r.place.line)] == [
        2, 3, 4, 5, 6, 7,
    ]  # fmt: skip


def test_an_unknown_set_is_refused(tmp_path):
    with pytest.raises(BadInputError, match="not recognised"):
        import_steps(written(tmp_path, {"a": 1}))
    with pytest.raises(BadInputError, match="no format"):
        import_steps(written(tmp_path, MISTAKE), "prm800k")


def run(*words):
    sys.argv = ["decidendi", *words]
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code


def test_the_command_writes_runs_that_can_be_validated(tmp_path, capsys):
    rows = [mrmath(n, judge=("wrong", "2") if n % 3 else ("correct", "N/A")) for n in range(6)]
    path = written(tmp_path, *rows)
    out = tmp_path / "out"
    assert run("import-steps", str(path), "--out", str(out)) == 0
    people, refused = read_labels(out / "human.jsonl", taxonomy())
    assert refused == []
    found = validate(load_run(out / "j"), people)
    assert found.wholes.confusion.counts == ((0, 0), (2, 4))
    assert (found.first.on_wrong.numerator, found.first.on_wrong.n) == (4, 6)
    assert run("validate", str(out / "j"), "--human", str(out / "human.jsonl")) == 3
    assert "Is a chain wrong anywhere?" in capsys.readouterr().out


def test_a_chain_without_an_answer_is_one(tmp_path):
    (chain,) = import_steps(written(tmp_path, {**MISTAKE, "answer": None})).chains
    assert isinstance(accuracy_of(chain), Unmeasured)


SHOWN = """Judge the steps.

CONTEXT:
Situation (Premise): A red ball lies on a table.

Claim (Hypothesis): The ball is blue

Is the Claim supported by the Situation?

Correct Relationship (Yes or No): no

GENERATED RESPONSE:
Step 1 - There is a red ball.
Step 2 - The ball is blue.
Step 3 - The answer is Yes.
JUDGE: """
QUESTIONS = (
    "Factuality", "Hallucination", "Coherency and Logic", "Arithmetic", "Redundancy",
    "Repetition", "Commonsense", "Grammar", "Final Answer",
)  # fmt: skip


def roscoe_step(number, step, *wrong, annotators=1):
    answers = {q: ["yes" if q in wrong else "no"] * annotators for q in QUESTIONS}
    return {
        "id": number,
        "instance": f"{SHOWN}{step}\n",
        "annotations": {
            q: {"majority_human": said[0], "individual_human_scores": said}
            for q, said in answers.items()
        },
    }


ROSCOE = [
    roscoe_step(5, "Step 2 - The ball is blue.", "Factuality", "Repetition", "Grammar"),
    roscoe_step(4, "Step 1 - There is a red ball."),
    roscoe_step(6, "Step 3 - The answer is Yes.", "Coherency and Logic", "Final Answer"),
]


def test_steps_of_roscoe_become_chains(tmp_path):
    path = tmp_path / "roscoe-esnli-stepwise.json"  # as released: one object
    dataset = "roscoe-esnli-stepwise (somebody, 2023)"
    path.write_text(json.dumps({"dataset": dataset, "instances": ROSCOE}, indent=1))
    found = import_steps(path)
    assert (found.format, len(found.chains), found.refused) == ("roscoe", 1, ())
    (chain,), (people,) = found.chains, found.human
    assert chain.premises == ("There is a red ball.", "The ball is blue.", "The answer is Yes.")
    assert chain.collection == "roscoe-esnli-stepwise"
    assert "red ball lies" in chain.source and "Relationship" not in chain.question
    assert chain.expert == "Correct Relationship (Yes or No): no"
    codes = [sorted(f.code for f in marks) for marks in people.premises]
    assert codes == [
        [], ["hallucination.inconsistency", "irrelevance.redundancy"],
        ["misinterpretation.inferential"],
    ]  # fmt: skip
    assert people.about == {"Grammar": [1], "Final Answer": [2]}
    assert accuracy_of(chain) == 0.0
    write_imported(tmp_path / "out", found)  # every code is in the taxonomy
    assert read_labels(tmp_path / "out" / "human.jsonl", taxonomy())[1] == []


def test_roscoe_shows_sums_with_their_solution(tmp_path):
    row = roscoe_step(1, "Step 1 - 2 and 2 are 5.", "Arithmetic")
    row["instance"] = (
        "Judge the steps.\n\nCONTEXT:\nQuestion: How many?\n\\Solution: 2 + 2 = 4\nA: 4\n\n"
        "GENERATED RESPONSE:\nStep 1 - 2 and 2 are 5.\nJUDGE: Step 1 - 2 and 2 are 5.\n"
    )
    ((chain,), (people,)) = (found := import_steps(written(tmp_path, row))).chains, found.human
    assert (chain.question, chain.expert) == ("Question: How many?", "\\Solution: 2 + 2 = 4\nA: 4")
    assert [f.code for f in people.premises[0]] == ["misinterpretation.numerical"]


def test_a_judges_name_leads_nowhere_else(tmp_path):
    row = mrmath(0)
    row["judges"] = {"../../x": row["judges"]["j"], "..": row["judges"]["j"]}
    folders = write_imported(tmp_path / "out", import_steps(written(tmp_path, row)))
    assert {folder.resolve().parent for folder in folders} == {(tmp_path / "out").resolve()}


def test_steps_nobody_was_asked_about_have_no_label(tmp_path):
    found = import_steps(written(tmp_path, *ROSCOE[:2]))
    assert found.human[0].premises[2] is None
    assert isinstance(found.chains[0].chosen, Unmeasured)
    two = import_steps(written(tmp_path, roscoe_step(1, "Step 1 - There is a red ball.",
                                                     annotators=2)))  # fmt: skip
    assert [row.by for row in two.human] == ["annotator 1", "annotator 2"]


def test_steps_of_roscoe_that_are_none_are_refused(tmp_path):
    other = {**ROSCOE[0], "annotations": {"Beauty": {"individual_human_scores": ["no"]}}}
    maybe = json.loads(json.dumps(ROSCOE[0]))
    maybe["annotations"]["Grammar"]["individual_human_scores"] = ["maybe"]
    rows = [ROSCOE[1], roscoe_step(9, "Step 7 - Never said.")]
    for bad, why in (
        (rows, "not there"), ([other], "Beauty"), ([maybe], "neither yes nor no"),
        ([ROSCOE[0], ROSCOE[0]], "twice"), ([ROSCOE[1] | {"instance": "x"}], "as ROSCOE does"),
    ):  # fmt: skip
        found = import_steps(written(tmp_path, *bad), "roscoe")
        assert found.chains == () and why in str(found.refused[0])


def proof_row(number, first="no", second="no", answer="True"):
    return {
        "id": number,
        "instance": "Judge it.\n\n### PROBLEM STATEMENT\n\nDoes it follow?\n\n"
        f"### MODEL RESPONSE\n\n A holds. So B.\n\nConclusion: {answer}\n",
        "annotations": {
            "Sound Reasoning": {"majority_human": first,
                                "individual_human_scores": [first, second]}
        },
    }  # fmt: skip


def test_proofs_judged_as_a_whole_are_one_premise(tmp_path):
    found = import_steps(written(tmp_path, proof_row(1), proof_row(2, "yes"), proof_row(3, "so")))
    assert (found.format, len(found.chains)) == ("inferential-strategies", 2)
    assert "neither yes nor no" in str(found.refused[0])
    assert [c.length for c in found.chains] == [1, 1]
    assert [c.chosen for c in found.chains] == ["True", "True"]
    assert found.chains[0].unit == found.chains[1].unit
    assert [(x.by, x.whole) for x in found.human] == [
        ("annotator 1", "wrong"), ("annotator 2", "wrong"),
        ("annotator 1", "sound"), ("annotator 2", "wrong"),
    ]  # fmt: skip


def test_releases_have_arrays_no_ids_and_verdicts_elsewhere(tmp_path):
    array = tmp_path / "gsm8k.json"
    array.write_text(json.dumps([PROCESS, {**PROCESS, "id": 7}]))
    found = import_steps(array)
    assert len(found.chains) == 1 and "row 2" in str(found.refused[0])
    bare = {key: value for key, value in MISTAKE.items() if key != "id"}
    assert [c.id for c in import_steps(written(tmp_path, bare, bare)).chains] == [
        "rows-1",
        "rows-2",
    ]
    rows = [mrmath(0), mrmath(1)]
    for row in rows:
        del row["judges"]
    said = tmp_path / "gpt_results.json"
    said.write_text("".join(
        json.dumps({"id": n, "correctness_pred": "Wrong", "error_step_pred": "2"}) + "\n"
        for n in (0, 1, 2)
    ))  # fmt: skip
    found = import_steps(written(tmp_path, *rows), judges={"gpt": said})
    assert [x.first_error for x in found.judges["gpt"]] == [1, 1]
    assert "not there" in str(found.refused[0])


@at_hand
def test_gpt4_on_mrmath_is_exactly_as_published(tmp_path):
    """36 of 76 sound solutions called wrong, 80 of 83 wrong ones found."""
    found = import_steps(DATA / "steps" / "mrmath_invalid_human_and_judges.jsonl")
    assert (len(found.chains), found.refused) == (159, ())
    identity = JudgeIdentity("gpt4", "mrmath", taxonomy().digest)
    record = validate(
        write_run(tmp_path / "run", found.chains, found.judges["gpt4"], identity), found.human
    )
    assert record.wholes.confusion.labels == ("sound", "wrong")
    assert record.wholes.confusion.counts == ((40, 36), (3, 80))
    wrong = record.wholes.classes["wrong"]
    assert (wrong.recall.numerator, wrong.recall.n) == (80, 83)
    assert (wrong.specificity.numerator, wrong.specificity.n) == (40, 76)
    first = record.first
    assert first.on_sound.numerator == 40
    assert first.on_wrong.n + sum(first.excluded.values()) + first.on_sound.n == 159
    assert (first.on_wrong.numerator, first.on_wrong.n) == (44, 82)
    # Labels end with the first error: what people and judge say of chains is all there is.
    assert record.stopping
    assert set(record.corrected) == {"correctness"}
    # One verdict of the judge's cannot be read; what people say of that solution counts.
    assert record.corrected["correctness"].labelled == 159
    assert record.corrected["correctness"].estimate == pytest.approx(76 / 159)
    assert record.gap.estimate == pytest.approx(1 - 76 / 159)
    assert record.gap.raw == pytest.approx(1 - 43 / 158)


@at_hand
def test_first_error_sets_are_read_whole():
    mistake = import_steps(DATA / "steps" / "bigbench_mistake.jsonl")
    assert (mistake.format, len(mistake.chains), mistake.refused) == ("bigbench-mistake", 1400, ())
    assert sum(x.whole == "sound" for x in mistake.human) == 204
    process = import_steps(DATA / "steps" / "processbench.jsonl")
    assert (process.format, len(process.chains), process.refused) == ("processbench", 800, ())
    assert sum(x.whole == "sound" for x in process.human) == 327
    # 62 right answers by chains with a wrong step: accuracy is not correctness.
    right = [
        x.whole for c, x in zip(process.chains, process.human, strict=True) if accuracy_of(c) == 1
    ]
    assert (len(right), right.count("wrong")) == (389, 62)


@at_hand
def test_steps_of_roscoe_as_labelled():
    """572 steps of 337 chains, and of nine questions seven about premises."""
    counts = Counter()
    for name, chains, steps in (("drop", 186, 300), ("esnli", 151, 272)):
        found = import_steps(DATA / "steps" / f"roscoe_{name}_stepwise.jsonl")
        assert (found.format, len(found.chains), found.refused) == ("roscoe", chains, ())
        labelled = [m for x in found.human for m in x.premises if m is not None]
        assert len(labelled) == steps
        counts.update(f.code for marks in labelled for f in marks)
    assert counts == {
        "irrelevance.distraction": 57, "hallucination.inconsistency": 34,
        "misinterpretation.inferential": 30, "hallucination": 10, "unspecified": 6,
        "misinterpretation.numerical": 3,
    }  # fmt: skip


@at_hand
def test_proofs_as_labelled():
    found = import_steps(DATA / "steps" / "inferential_strategies.jsonl")
    assert (len(found.chains), found.refused) == (300, ())
    assert Counter(x.whole for x in found.human) == {"wrong": 484, "sound": 116}
    assert len({c.unit for c in found.chains}) == 24
    assert sum(isinstance(c.chosen, Unmeasured) for c in found.chains) == 17
