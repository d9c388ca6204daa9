"""Prompts handed out, and what a line of answers must look like."""

import json
import sys
from pathlib import Path

import jsonschema_rs
import pytest

from decidendi.judgment import BadInputError
from decidendi.reasonbench import (
    CONTROLS,
    FaultKind,
    Target,
    prediction_schema,
    prompts,
    read_gold,
    read_predictions,
    read_rows,
)

sys.path.insert(0, str(Path(__file__).parent))
from small_bench import FEW
from small_gold import GOLD, jsonl

RECEIPT = Target.DIRECT_RECEIPT


def test_prompts_are_the_benchmarks_and_can_be_answered(small, tmp_path, bench):
    gold = read_gold(small)
    code, out, _ = bench("prompts", small, "--split", "all", "--answers")
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert {line["id"] for line in lines} == {
        case.id for case in gold.cases.values() if case.split != "train"
    }
    stored = {
        row["id"]: row["prompt"]
        for table in ("cases", "controls")
        for row in read_rows(small, table, ["id", "prompt"])
    }
    for line in lines:
        assert set(line) == {"id", "benchmark", "target", "prompt", "completion"}
        assert line["prompt"].startswith(stored[line["id"]])
        assert "receipt=FAMILY" in line["prompt"].removeprefix(stored[line["id"]])
        line["output"] = line["completion"]
    found = read_predictions(jsonl(tmp_path / "exact.jsonl", lines), gold)
    assert (found.faults, found.bound, found.malformed) == ((), True, 0)
    schema = jsonschema_rs.validator_for(prediction_schema())
    assert all(schema.is_valid(line) for line in lines)
    file = tmp_path / "train.jsonl"
    code, out, _ = bench("prompts", small, "--split", "train", "--bare", "--out", file)
    assert (code, out) == (0, "")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 96 * FEW["policy"] + 19 * FEW["logic"]
    assert all(row["prompt"] == stored[row["id"]] for row in rows)
    for wrong in (["--split", "test"], ["--target", "poem"], ["--rendering", "sonnet"]):
        code, _, err = bench("prompts", small, *wrong)
        assert (code, wrong[1] in err) == (2, True)


def test_a_case_in_its_own_words_again_is_the_stored_prompt(small):
    stored = {
        row["id"]: row
        for table in ("cases", "controls")
        for row in read_rows(small, table, ["id", "rendering", "prompt"])
    }
    splits = ("locked", "shift-language")
    for rendering in ("plain", "memo", "table"):
        seen = set()
        for line in prompts(small, RECEIPT, splits=splits, rendering=rendering, ask=False):
            own = stored[line["id"]]
            same = own["rendering"] == rendering
            assert (line["prompt"] == own["prompt"]) == same
            assert line.get("rendering") == (None if same else rendering)
            seen.add(same)
        assert seen == ({False} if rendering == "table" else {True, False})
    without = prompts(small, RECEIPT, splits=splits, controls=False)
    assert not any(line["id"].endswith(CONTROLS) for line in without)


VERDICTS, CUBE = {"target": "direct-verdict"}, {"target": "judgment-cube"}
STAY = {"old": "deny", "revised": "deny"}


@pytest.mark.parametrize(
    ("line", "valid"),
    [
        ({"output": "x"}, True),
        ({"output": "x", "seed": 11, "confidence": -3.5, **CUBE}, True),
        ({"output": "x", "seed": 3, "confidence": None, "benchmark": None}, True),
        ({"answer": STAY, **VERDICTS}, True),
        ({"answer": {**STAY, "receipt": []}}, True),
        ({"answer": {"old": "deny", "revised": "refer", "receipt": [["norms", "grounds"]]}}, True),
        ({"answer": {"cube": ["deny"] * 8}, **CUBE}, True),
        ({"answer": {"cube": ["deny"] * 7}, **CUBE}, False),
        ({"answer": {"old": "deny", "revised": "yes"}, **VERDICTS}, False),
        ({"answer": {**STAY, "receipt": [[]]}}, False),
        ({"answer": {**STAY, "receipt": [["law"]]}}, False),
        ({"output": "", "answer": {"cube": ["deny"] * 8}, **CUBE}, False),
        ({}, False),
        ({"output": 1}, False),
        ({"output": "x", "seed": True}, False),
        ({"output": "x", "seed": 1.5}, False),
        ({"output": "x", "seed": "a"}, False),
        ({"output": "x", "confidence": "high"}, False),
        ({"output": "x", "target": "poem"}, False),
        ({"output": "x", "confidance": 1}, False),
    ],
)
def test_the_schema_says_what_the_reader_takes(line, valid, tmp_path):
    row = {"id": "L1", **line}
    assert jsonschema_rs.validator_for(prediction_schema()).is_valid(row) == valid
    target = None if row.get("target") in [*Target] else RECEIPT
    try:
        read = read_predictions(jsonl(tmp_path / "one.jsonl", [row]), GOLD, target=target)
    except BadInputError:
        assert not valid
        return
    # An output is any text, so what it says is not the schema's to judge.
    beside = {FaultKind.MISSING} | ({FaultKind.MALFORMED} if row.get("output") == "x" else set())
    assert ({fault.kind for fault in read.faults} <= beside) == valid


def test_the_schema_by_command(capsys, monkeypatch):
    from decidendi.cli import main

    monkeypatch.setattr(sys, "argv", ["decidendi", "schema", "predictions"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 0
    assert json.loads(capsys.readouterr().out) == prediction_schema()
