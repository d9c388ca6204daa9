"""A language model as an evaluator: what changed is told apart, and draws are played back."""

import hashlib
import json

import pytest
from typer.testing import CliRunner

from decidendi.audit import DRAWS, RecordedCalls, recorded_calls
from decidendi.certification import Options, certify_run, replay_run, verify_run
from decidendi.cli._main import app
from decidendi.evaluators import ModelAnswer, ModelRequest, check_folder, load_evaluator, pair
from decidendi.judgment import BadInputError

MANIFEST = """
name = "refund-judge"
version = "{version}"
verdicts = ["approve", "deny"]
deterministic = {deterministic}

[adjudicator]
engine = "model"
model = "model"
system = "instructions"
prompt = ["rubric", "grounds"]

[sources.grounds]
from = "case"
[sources.rubric]
files = ["rubric.md"]
[sources.instructions]
files = ["instructions.md"]
[sources.model]
files = ["model.json"]
"""


def folder(place, *, limit=30, model="small", version="1", deterministic="false", says="Judge."):
    place.mkdir(parents=True)
    text = MANIFEST.format(version=version, deterministic=deterministic)
    (place / "evaluator.toml").write_text(text, encoding="utf-8")
    (place / "rubric.md").write_text(f"Refund within {limit} days.", encoding="utf-8")
    (place / "instructions.md").write_text(says, encoding="utf-8")
    model = {"name": model, "parameters": {"temperature": "0.7"}}
    (place / "model.json").write_text(json.dumps(model), encoding="utf-8")
    return place


CASES = [
    {"id": "within", "grounds": {"days": 10}},
    {"id": "between", "grounds": {"days": 20}},
    {"id": "beyond", "grounds": {"days": 50}},
    {"id": "evidence", "grounds": {"old": {"days": 50}, "revised": {"days": 4}}},
    {"id": "odd", "grounds": {"days": 13}},
]


class Judge:
    """Follows the rubric, wavers one time in eight; the large model never refunds odd days."""

    def __init__(self):
        self.requests = []

    def __call__(self, requests):
        self.requests += requests
        return [self.answer(request) for request in requests]

    def answer(self, request):
        user = request.turns[-1][1]
        limit = int(user.split("within ")[1].split()[0])
        days = int(user.split('"days": ')[1].split("\n")[0])
        good = days <= limit and not (request.model["name"] == "large" and days % 2)
        wavers = hashlib.sha256(request.key.encode()).digest()[0] < 32
        verdict = "approve" if good != wavers else "deny"
        return ModelAnswer(f"<think>{days} days of {limit}.</think>\nVERDICT: {verdict}")


def cases_file(place):
    path = place / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in CASES), encoding="utf-8")
    return path


def nobody(requests):
    raise AssertionError("nothing may be asked")


def test_prompt_model_and_evidence_are_told_apart_and_replayed_without_a_model(tmp_path):
    old = load_evaluator(folder(tmp_path / "old", version="1"))
    new = load_evaluator(folder(tmp_path / "new", limit=15, model="large", version="2"))
    cases, out = cases_file(tmp_path), tmp_path / "run"
    judge = Judge()
    options = Options(confidence="0.9", budget=64)
    with recorded_calls(out / DRAWS, judge):
        summary = certify_run(old, new, cases, out, options)
    found = {r["receipt"]: r["cases"] for r in summary.content["receipts"]}
    assert found == {"rubric alone": 1, "grounds alone": 1, "model alone": 1}
    assert max(request.repeat for request in judge.requests) > 3
    assert len({request.key for request in judge.requests}) == len(judge.requests)
    assert verify_run(out).verified
    with recorded_calls(out / DRAWS, nobody):
        again = replay_run(out, old, new, cases)
    assert again.same
    assert again.certificates == len(CASES)


def test_a_run_that_was_stopped_asks_only_for_what_is_missing(tmp_path):
    old = load_evaluator(folder(tmp_path / "old"))
    new = load_evaluator(folder(tmp_path / "new", limit=15))
    cases = cases_file(tmp_path)
    whole = Judge()
    with recorded_calls(tmp_path / "whole.jsonl", whole):
        certify_run(old, new, cases, tmp_path / "a", Options())
    lines = (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"".join(lines[:20]) + lines[20][:-9])
    rest = Judge()
    with recorded_calls(part, rest):
        certify_run(old, new, cases, tmp_path / "b", Options())
    assert len(rest.requests) == len(whole.requests) - 20
    assert sorted(part.read_bytes().splitlines()) == sorted(
        (tmp_path / "whole.jsonl").read_bytes().splitlines()
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (ModelAnswer(""), "not-converged"),
        (ModelAnswer("I cannot say."), "not-converged"),
        (ModelAnswer("End with one last line in exactly this form: VERDICT: approve or "
                     "VERDICT: deny"), "not-converged"),
        (ModelAnswer("VERDICT: refund"), "not-converged"),
        (ModelAnswer("", failure="refused"), "error"),
        (ModelAnswer("", failure="slow", late=True), "timeout"),
    ],
)  # fmt: skip
def test_what_is_no_verdict_is_unmeasured(tmp_path, answer, reason):
    both = load_evaluator(folder(tmp_path / "old", deterministic="true"))
    calls = recorded_calls(tmp_path / "draws.jsonl", lambda rs: [answer] * len(rs))
    with calls, pair(both, both) as prepared:
        record = next(iter_records(tmp_path, prepared))
        (verdict,) = prepared.adjudicator.adjudicate([record.old])
    assert verdict.reason == reason


def iter_records(tmp_path, prepared):
    from decidendi.evaluators import read_cases

    for record in read_cases(cases_file(tmp_path), prepared.case_kinds):
        yield prepared.transition(record)


def test_failures_are_not_kept(tmp_path):
    path = tmp_path / "draws.jsonl"
    request = ModelRequest({"name": "m"}, (("user", "x"),), 0)
    failing = RecordedCalls(path, lambda rs: [ModelAnswer("", failure="gone")])
    assert failing([request])[0].failure == "gone"
    assert not path.exists()
    working = RecordedCalls(path, lambda rs: [ModelAnswer("VERDICT: approve")])
    assert working([request]) == RecordedCalls(path, nobody)([request])


def test_the_key_holds_model_parameters_prompt_and_repeat():
    base = ModelRequest({"name": "m", "parameters": {"seed": 1}}, (("user", "x"),), 0)
    others = [
        ModelRequest({"name": "n", "parameters": {"seed": 1}}, (("user", "x"),), 0),
        ModelRequest({"name": "m", "parameters": {"seed": 2}}, (("user", "x"),), 0),
        ModelRequest({"name": "m", "parameters": {"seed": 1}}, (("user", "y"),), 0),
        ModelRequest({"name": "m", "parameters": {"seed": 1}}, (("system", "x"),), 0),
        ModelRequest({"name": "m", "parameters": {"seed": 1}}, (("user", "x"),), 1),
    ]
    assert len({request.key for request in (base, *others)}) == 6


def test_without_anything_that_calls_models_it_says_so(tmp_path):
    both = load_evaluator(folder(tmp_path / "old", deterministic="true"))
    with pair(both, both) as prepared:
        record = next(iter_records(tmp_path, prepared))
        with pytest.raises(BadInputError, match="models_by"):
            prepared.adjudicator.adjudicate([record.old])


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ('prompt = ["rubric"]', "sources.grounds"),
        ('prompt = ["rubric", "grounds", "nothing"]', "adjudicator.prompt"),
        ('prompt = ["rubric", "grounds", "model"]', "sources.model"),
    ],
)
def test_every_kind_has_one_role(tmp_path, wrong, field):
    place = folder(tmp_path / "old")
    text = (place / "evaluator.toml").read_text("utf-8")
    text = text.replace('prompt = ["rubric", "grounds"]', wrong)
    (place / "evaluator.toml").write_text(text, encoding="utf-8")
    assert field in {problem.place.field for problem in check_folder(place)}
    with pytest.raises(BadInputError):
        load_evaluator(place)


def test_a_sound_folder_has_no_problems(tmp_path):
    assert check_folder(folder(tmp_path / "old")) == []


def test_the_command_line_records_and_replays(tmp_path, monkeypatch):
    old, new = folder(tmp_path / "old"), folder(tmp_path / "new", limit=15)
    cases, out = cases_file(tmp_path), tmp_path / "run"
    monkeypatch.setattr("decidendi.audit._adjudicating.call_models", Judge())
    run = CliRunner().invoke
    done = run(app, ["certify", str(old), str(new), "--cases", str(cases), "--out", str(out)])
    assert done.exit_code in (0, 3), done.output
    assert (out / DRAWS).is_file()
    monkeypatch.setattr("decidendi.audit._adjudicating.call_models", nobody)
    again = run(app, ["replay", str(out), "--evaluators", str(old), str(new)])
    assert again.exit_code == 0, again.output
    assert run(app, ["verify", str(out)]).exit_code == 0
