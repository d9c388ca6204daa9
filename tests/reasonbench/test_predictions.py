"""Reading predictions: whatever is wrong is named and counted, and nothing raises a score."""

import sys
from pathlib import Path

import pytest

from decidendi.judgment import BadInputError, NonComparableError
from decidendi.reasonbench import FaultKind, Malformed, Target, read_predictions, write_target

sys.path.insert(0, str(Path(__file__).parent))
from small_gold import DIGEST, GOLD, LOCKED, is_answer, jsonl

TARGET = Target.DIRECT_RECEIPT


def row(case, **more):
    return {"id": case.id, "output": write_target(TARGET, case), **more}


def read(tmp_path, rows, **more):
    return read_predictions(jsonl(tmp_path / "mine.jsonl", rows), GOLD, target=TARGET, **more)


def found(predictions):
    return {fault.kind: fault.count for fault in predictions.faults}


def test_a_clean_file(tmp_path):
    rows = [row(c, target="direct-receipt", benchmark=DIGEST, confidence=0.5) for c in LOCKED]
    predictions = read_predictions(jsonl(tmp_path / "mine.jsonl", rows), GOLD, seeds=1)
    assert predictions.faults == ()
    assert (predictions.method, predictions.target, predictions.bound) == ("mine", TARGET, True)
    assert list(predictions.by_seed) == [""]
    assert set(predictions.by_seed[""]) == {"L1", "L2", "L3", "L4"}
    assert all(
        is_answer(p.answer) and p.confidence == 0.5 for p in predictions.by_seed[""].values()
    )


def test_seeds_are_kept_apart(tmp_path):
    predictions = read(tmp_path, [row(c, seed=s) for s in (23, 11) for c in LOCKED], seeds=2)
    assert list(predictions.by_seed) == ["11", "23"]
    assert predictions.faults == ()
    assert not predictions.bound


def test_fields_instead_of_text(tmp_path):
    rows = [row(c) for c in LOCKED[1:]]
    rows.append(
        {"id": "L1", "answer": {"old": "deny", "revised": "approve", "receipt": [["norms"]]}}
    )
    answer = read(tmp_path, rows).by_seed[""]["L1"].answer
    assert answer.receipt.masks == (2,)


def test_missing_cases_of_a_begun_split_count_as_errors(tmp_path):
    predictions = read(tmp_path, [row(c) for c in LOCKED[:3]])
    assert found(predictions) == {FaultKind.MISSING: 1}
    assert predictions.faults[0].examples == ("'L4'",)
    assert predictions.by_seed[""]["L4"].answer == Malformed("missing")
    # Splits of which nothing is predicted stay unmeasured, and so do controls.
    assert set(predictions.by_seed[""]) == {"L1", "L2", "L3", "L4"}


def test_a_seed_that_lacks_a_whole_split_is_named(tmp_path):
    depth = GOLD.cases["D1"]
    rows = [row(c, seed=s) for s in (1, 2) for c in LOCKED] + [row(depth, seed=1)]
    predictions = read(tmp_path, rows, seeds=3)
    assert found(predictions) == {FaultKind.SEED_COUNT: 2}
    assert predictions.faults[0].examples == ("2 instead of 3", "no shift-depth (seed 2)")
    assert "D1" not in predictions.by_seed["2"]


def test_every_other_fault_is_named_with_its_line(tmp_path):
    path = tmp_path / "mine.jsonl"
    jsonl(path, [row(c, seed=1) for c in LOCKED])
    lines = [
        b'{"id": "L1", "output": ',
        b'["L1"]',
        b'{"id": "L1", "id": "L2", "output": ""}',
        b"\xff",
        b'{"output": "x"}',
        b'{"id": 3, "output": "x"}',
        b'{"id": "nowhere", "output": "x"}',
        b'{"id": "L1", "seed": 1, "output": "x", "benchmark": "sha256:other"}',
        b'{"id": "L1", "seed": 1, "output": "x", "target": "judgment-cube"}',
        b'{"id": "L1", "seed": {}, "output": "x"}',
        b'{"id": "L1", "output": "x"}',
    ]
    with path.open("ab") as file:
        file.write(b"\n".join([b"", *lines, b""]))
    predictions = read_predictions(path, GOLD, target=TARGET)
    assert found(predictions) == {
        FaultKind.UNREADABLE: 4,
        FaultKind.NO_ID: 2,
        FaultKind.UNKNOWN: 1,
        FaultKind.OTHER_BENCHMARK: 1,
        FaultKind.OTHER_TARGET: 1,
        FaultKind.NO_SEED: 2,
        FaultKind.MALFORMED: 1,
    }
    shown = [str(fault) for fault in predictions.faults]
    assert shown[0] == "unreadable lines (4): line 6; line 7; line 8; line 9"
    assert "unknown ids (1): line 12: 'nowhere'" in shown
    assert "lines of another benchmark (1): line 13: 'L1' (sha256:other…)" in shown
    assert "lines of another target (1): line 14: 'L1' (judgment-cube)" in shown
    assert all(is_answer(p.answer) for p in predictions.by_seed["1"].values())


def test_one_line_with_a_seed_does_not_take_the_others_with_it(tmp_path):
    predictions = read(tmp_path, [row(c) for c in LOCKED] + [row(LOCKED[0], seed=7)])
    assert list(predictions.by_seed) == [""]
    assert all(is_answer(p.answer) for p in predictions.by_seed[""].values())
    (fault,) = predictions.faults
    assert str(fault) == (
        "lines without a usable seed (1): line 5: 'L1' (seed 7, where most have none)"
    )


def test_one_line_without_a_seed_is_left_out_of_a_file_with_seeds(tmp_path):
    rows = [row(c, seed=s) for s in (0, 2) for c in LOCKED] + [row(LOCKED[0])]
    predictions = read(tmp_path, rows)
    assert list(predictions.by_seed) == ["0", "2"]
    (fault,) = predictions.faults
    assert "line 9: 'L1' (no seed, where most lines have one)" in str(fault)
    tied = read(tmp_path, [row(LOCKED[0], seed=1), row(LOCKED[1])])
    assert list(tied.by_seed) == ["1"]


@pytest.mark.parametrize("seed", ["11", "a", 1.5, True, [1]])
def test_a_seed_is_an_integer(tmp_path, seed):
    predictions = read(tmp_path, [row(c, seed=1) for c in LOCKED] + [row(LOCKED[0], seed=seed)])
    assert found(predictions) == {FaultKind.NO_SEED: 1}
    assert "no integer" in predictions.faults[0].examples[0]
    assert list(predictions.by_seed) == ["1"]


def test_duplicates(tmp_path):
    rows = [row(c) for c in LOCKED] + [row(LOCKED[0]), row(LOCKED[1], confidence=0.1)]
    predictions = read(tmp_path, rows)
    assert found(predictions) == {FaultKind.REPEATED: 1, FaultKind.CONFLICTING: 1}
    assert is_answer(predictions.by_seed[""]["L1"].answer)
    assert predictions.by_seed[""]["L2"].answer == Malformed("answered twice, differently")


def test_only_the_first_examples_are_kept_but_all_are_counted(tmp_path):
    rows = [row(c) for c in LOCKED] + [{"id": f"no{i}", "output": ""} for i in range(50)]
    (fault,) = read(tmp_path, rows).faults
    assert (fault.count, len(fault.examples)) == (50, 5)
    assert str(fault).endswith("'no4'; …")


def test_unusable_confidences_and_stray_fields(tmp_path):
    wrong = ["high", True, [0.5], None]
    rows = [row(c, confidence=w, note=1) for c, w in zip(LOCKED, wrong, strict=True)]
    predictions = read(tmp_path, rows)
    assert found(predictions) == {FaultKind.CONFIDENCE: 3, FaultKind.UNREAD_FIELDS: 4}
    assert all(p.confidence is None for p in predictions.by_seed[""].values())


def test_answers_that_are_none_are_the_predictors_errors(tmp_path):
    rows = [{"id": "L1"}, {"id": "L2", "output": 1}, {"id": "L3", "output": "", "answer": {}}]
    predictions = read(tmp_path, [*rows, {"id": "L4", "output": "x" * 10_000_000}])
    assert found(predictions) == {FaultKind.MALFORMED: 4}
    assert predictions.faults[0].examples[1] == "line 2: 'L2' (the output is not text)"
    assert (predictions.answers, predictions.malformed) == (4, 4)
    assert all(isinstance(p.answer, Malformed) for p in predictions.by_seed[""].values())


def test_another_benchmark_is_not_comparable(tmp_path):
    with pytest.raises(NonComparableError, match="sha256:other") as caught:
        read(tmp_path, [row(c, benchmark="sha256:other") for c in LOCKED])
    assert caught.value.differing["benchmark"] == (DIGEST, "sha256:other")


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ([], "holds no prediction"),
        ([{"id": "nowhere", "output": ""}], r"unknown ids \(1\): line 1"),
        ([{"id": "nowhere", "output": ""}], "like 'L1'"),
        ([{"id": "L1", "output": "", "target": "poem"}], r"another target \(1\).*poem"),
    ],
)
def test_files_that_cannot_be_scored(tmp_path, rows, match):
    with pytest.raises(BadInputError, match=match):
        read(tmp_path, rows)


def test_what_is_missing_is_no_answer(tmp_path):
    predictions = read(tmp_path, [row(LOCKED[0]), {"id": "L2", "output": "old=deny new=deny\n"}])
    assert (predictions.answers, predictions.malformed) == (2, 1)
    (malformed, missing) = predictions.faults
    assert "blank space or a line feed around it" in malformed.examples[0]
    assert (missing.kind, missing.count) == (FaultKind.MISSING, 2)


def test_a_cut_off_file_says_so(tmp_path):
    path = jsonl(tmp_path / "mine.jsonl", [row(c) for c in LOCKED])
    path.write_bytes(path.read_bytes()[:-20])
    predictions = read_predictions(path, GOLD, target=TARGET)
    assert found(predictions) == {FaultKind.UNREADABLE: 1, FaultKind.MISSING: 1}
    assert predictions.faults[0].examples == ("line 4 (the last one: the file may be cut off)",)


def test_exported_prompts_with_outputs_are_predictions(tmp_path):
    rows = [row(c, prompt="…", completion="…", rendering="table") for c in LOCKED]
    predictions = read(tmp_path, rows)
    assert predictions.faults == ()
    assert predictions.renderings == ("table",)
    assert predictions.method == "mine [table]"
    assert predictions.digest.startswith("sha256:")


def test_a_target_is_needed_and_a_file_too(tmp_path):
    with pytest.raises(BadInputError, match=r"mine\.jsonl:1: target: 'poem' is not"):
        rows = [row(LOCKED[0], target="poem")]
        read_predictions(jsonl(tmp_path / "mine.jsonl", rows), GOLD)
    with pytest.raises(BadInputError, match="nothing says what"):
        read_predictions(jsonl(tmp_path / "mine.jsonl", [row(LOCKED[0])]), GOLD)
    with pytest.raises(BadInputError, match="cannot be read"):
        read_predictions(tmp_path / "absent.jsonl", GOLD)
