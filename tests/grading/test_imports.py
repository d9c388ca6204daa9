"""Public sets, where they are at hand; and rows of our own in their form, always."""

import json
import sys
from pathlib import Path

import pytest

from decidendi.cli import main
from decidendi.grading import (
    JudgeIdentity,
    accuracy_of,
    import_steps,
    load_run,
    position_bias,
    read_labels,
    read_pairwise,
    taxonomy,
    validate,
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


def pairwise(number, one, two, human=1):
    return {"id": f"w{number}", "human_label": human, "judges": {"j": {"order_12": one,
            "order_21": two}}}  # fmt: skip


def test_a_chain_without_an_answer_is_one(tmp_path):
    (chain,) = import_steps(written(tmp_path, {**MISTAKE, "answer": None})).chains
    assert isinstance(accuracy_of(chain), Unmeasured)


def test_position_bias_by_hand(tmp_path):
    rows = [
        pairwise(0, "1", "1"), pairwise(1, "2", "2"), pairwise(2, "1", "2"),
        pairwise(3, "1", "2", 2), pairwise(4, "2", "1"), pairwise(5, None, "1"),
        {"id": "w6", "human_label": 3, "judges": {}},
    ]  # fmt: skip
    pairs, refused = read_pairwise(written(tmp_path, *rows))
    assert "human_label" in str(refused[0])
    found = position_bias(pairs, "j")
    assert (found.consistent.numerator, found.consistent.n) == (2, 5)
    assert found.consistent.excluded == {"not-converged": 1}
    assert (found.first_shown.numerator, found.first_shown.n) == (2, 3)
    assert found.as_shown.agreed.n == 5
    assert (found.agreeing.agreed.numerator, found.agreeing.agreed.n) == (1, 2)
    with pytest.raises(BadInputError, match="no pair"):
        position_bias(pairs, "k")


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
    assert record.corrected["correctness"].labelled == 158
    assert record.corrected["correctness"].estimate == pytest.approx(76 / 158)
    assert record.gap.estimate == pytest.approx(1 - 76 / 158)
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
def test_judges_of_pairs_depend_on_the_order():
    pairs, refused = read_pairwise(DATA / "judges" / "pairwise_human.jsonl")
    assert (len(pairs), refused) == (466, [])
    judges = sorted({name for pair in pairs for name in pair.judges})
    assert len(judges) == 8
    found = {name: position_bias(pairs, name) for name in judges}
    total = sum(f.consistent.n for f in found.values())
    left = sum(f.consistent.excluded.get("not-converged", 0) for f in found.values())
    assert (total, left) == (3652, 76)
    assert sum(f.consistent.numerator for f in found.values()) == 2496
    assert sum(f.first_shown.numerator for f in found.values()) == 800
    gpt4 = found["GPT-4/Vanilla_NoRules"]
    assert gpt4.consistent.share > 0.8
    assert found["ChatGPT/Vanilla_NoRules"].first_shown.low > 0.8
    assert found["LLaMA2/Metrics_Reference"].first_shown.high < 0.5
    assert gpt4.agreeing.agreed.share > gpt4.as_shown.agreed.share
