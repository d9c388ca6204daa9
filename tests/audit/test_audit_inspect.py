"""The audit through Inspect: the same records, its logs read back, its resume."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")

from decidendi.audit import (
    Character,
    FunctionEngine,
    ModelGoneError,
    Options,
    ScriptedModel,
    audit,
    audit_logs,
    plan,
    prepared,
)
from decidendi.audit._inspect import InspectEngine, generate_config, read_logs, verdict_audit
from decidendi.audit._logprobs import margin_of
from decidendi.judgment import BadInputError

OPTIONS = Options(n=3, conditions="control,injection")
CONFIG = generate_config(seed=42, max_tokens=64, logprobs=False, more={"max_retries": 0})


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))


def engine(tmp_path, name="scripted/echr", **arguments):
    return InspectEngine(
        name, logs=tmp_path / "logs", config=CONFIG, arguments=arguments, options=OPTIONS
    )


def stripped(records):
    from dataclasses import replace

    bare = {"tokens_in": None, "tokens_out": None, "detail": ""}
    return [replace(r, generation=replace(r.generation, **bare)) for r in records]


def test_the_same_records_as_without_inspect_and_its_logs_hold_them(tmp_path):
    ready = prepared(OPTIONS)
    through = audit(ready.design, ready.cases, engine(tmp_path, dependence=1.0), tmp_path / "a")
    scripted = ScriptedModel(ready.design.task, Character(dependence=1.0))
    plain = audit(ready.design, ready.cases, FunctionEngine(scripted, "m"), tmp_path / "b")
    assert stripped(through.records) == stripped(plain.records)
    (logged,) = read_logs(tmp_path / "logs")
    assert logged.options == OPTIONS
    assert {r.place: r for r in logged.records} == {r.place: r for r in through.records}
    outcome = audit_logs(tmp_path / "logs", tmp_path / "c")
    again = {r.place: r for r in through.records}
    from decidendi.audit._folder import load_records

    assert {r.place: r for r in load_records(tmp_path / "c")} == again
    assert outcome.finished.measured[0].get("swap").share == 1.0
    ran = audit(ready.design, ready.cases, engine(tmp_path, dependence=1.0), tmp_path / "a")
    assert ran.made == 0
    assert ran.records == through.records


def test_refusals_reach_the_record(tmp_path):
    ready = prepared(OPTIONS)
    ran = audit(ready.design, ready.cases, engine(tmp_path, refusal=1.0), tmp_path / "a")
    assert {r.generation.stop for r in ran.records} == {"refused"}
    assert {r.verdict.reason for r in ran.records} == {"not-converged"}
    assert ran.unanswered == 0


def test_a_prompt_that_a_provider_refuses_for_its_length_is_no_answer():
    from inspect_ai.model import ModelOutput, ModelUsage

    from decidendi.audit._inspect_model import generation_of

    said = "The context length of 8192 tokens is exceeded. VERDICT: YES"
    output = ModelOutput.from_content("m", said, stop_reason="model_length")
    given = generation_of(output, "VERDICT", ("YES", "NO"))
    assert (given.stop, given.text, given.detail) == ("unfit", "", said)
    output.usage = ModelUsage(input_tokens=8000, output_tokens=192, total_tokens=8192)
    assert generation_of(output, "VERDICT", ("YES", "NO")).stop == "length"


def test_a_provider_that_fails_ends_the_run_and_is_asked_again(tmp_path, monkeypatch):
    from decidendi.audit._inspect_model import ScriptedAPI

    ready = prepared(Options(n=5, conditions="control,injection"))
    generate = ScriptedModel.__call__
    asked = []

    def fails(self, messages):
        asked.append(messages)
        if len(asked) > 3:
            raise ConnectionError("refused")
        return generate(self, messages)

    assert ScriptedAPI
    monkeypatch.setattr(ScriptedModel, "__call__", fails)
    with pytest.raises(ModelGoneError):
        audit(ready.design, ready.cases, engine(tmp_path), tmp_path / "a")
    answered = list(asked[:3])
    asked.clear()
    monkeypatch.setattr(ScriptedModel, "__call__", lambda s, m: asked.append(m) or generate(s, m))
    ran = audit(ready.design, ready.cases, engine(tmp_path), tmp_path / "a")
    assert ran.unanswered == 0
    assert len(asked) == 15 - 3
    assert not any(messages in answered for messages in asked)


def test_bad_models_and_places_are_refused(tmp_path):
    ready = prepared(OPTIONS)
    for name, arguments in (("nonsense/x", {}), ("scripted/echr", {"nonsense": 1})):
        with pytest.raises(BadInputError):
            audit(ready.design, ready.cases, engine(tmp_path, name, **arguments), tmp_path / "a")
        (tmp_path / "a" / "run.json").unlink()
        (tmp_path / "a" / "records.jsonl").unlink()
    with pytest.raises(BadInputError):
        read_logs(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInputError):
        read_logs(tmp_path / "empty")


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("pair=8:nonsense", "pair: echr: no authority 'nonsense'"),
        ("n=abc", "n: 'abc': Input should be a valid integer"),
        ("data=no[/red]where.jsonl", "no[/red]where.jsonl"),
    ],
)
def test_inspect_ends_with_one_message_on_options_that_cannot_be_used(tmp_path, option, said):
    command = [Path(sys.executable).with_name("inspect"), "eval", "decidendi/verdict_audit"]
    command += ["--model", "scripted/echr", "-T", option, "--display", "plain"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "Traceback" not in found.stdout + found.stderr
    assert said in " ".join(found.stdout.split())


def test_options_that_cannot_be_used_are_bad_input():
    with pytest.raises(BadInputError, match="max_tokens"):
        verdict_audit(max_tokens="many")


def test_secrets_are_not_written(tmp_path):
    described = str(engine(tmp_path, api_key="hunter2", dependence=1.0).describe())
    assert "hunter2" not in described
    assert "dependence" in described


def test_the_task_is_found_by_its_name():
    from inspect_ai._util.registry import registry_lookup

    assert registry_lookup("task", "decidendi/verdict_audit") is not None


def test_sample_is_a_case_with_all_its_calls():
    from decidendi.audit._inspect import verdict_audit

    found = verdict_audit(task="echr", n=2, conditions="control,null")
    assert len(found.dataset) == 2
    for sample in found.dataset:
        assert [row["condition"] for row in sample.metadata["calls"]] == [
            "target", "control", "null",
        ]  # fmt: skip
    assert list(plan(prepared(Options(n=2)).design, ())) == []


LIKELY = {" YES": -0.1, " NO": -2.5, " maybe": -6.0}


@pytest.mark.parametrize(
    ("tokens", "margin"),
    [
        ([("VERDICT", {}), (":", {}), (" YES", LIKELY)], 2.4),
        ([("VERDICT: ", {}), ("YES", {"YES": -0.1, "NO": -2.5})], 2.4),
        ([("VERDICT: NO\n", {}), ("VERDICT:", {}), (" YES", LIKELY)], 2.4),
        ([("**VERDICT:** ", {}), ("Y", {"Y": -0.2, "N": -1.2})], 1.0),
        ([("VERDICT:", {}), (" YES", {" YES": -0.1, " maybe": -3.0})], None),
        ([("VERDICT: Y", {}), ("ES", {"ES": -0.1})], None),
        ([("no marker", {})], None),
        ([("VERDICT:", {})], None),
    ],
)
def test_margins_from_log_probabilities(tokens, margin):
    found = margin_of(tokens, "VERDICT", ("YES", "NO"))
    assert found == (margin if margin is None else pytest.approx(margin))


def test_inspect_cache_repeats_no_call_and_tells_arguments_apart(tmp_path, monkeypatch):
    from inspect_ai import eval

    from decidendi.audit._inspect import verdict_audit

    asked = []
    generate = ScriptedModel.__call__
    monkeypatch.setattr(ScriptedModel, "__call__", lambda s, m: asked.append(m) or generate(s, m))

    def once(**arguments):
        asked.clear()
        found = verdict_audit(task="echr", n=2, conditions="control", repeats=2)
        (log,) = eval(found, model="scripted/echr", model_args=arguments, display="none",
                      log_dir=str(tmp_path / "logs"))  # fmt: skip
        assert log.status == "success"
        return len(asked)

    assert once(dependence=1.0) == 8
    assert once(dependence=1.0) == 0
    assert once(dependence=0.0) == 8


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"pair": "8:3"}, "8 3 6"),
        ({"pair": "6:14"}, "6 14 6"),
        ({"pair": "8:P1-1", "conditions": "control"}, "8 P1-1 2"),
        ({"conditions": "control,injection:all"}, "8 3 17"),
        ({"pair": "13:8", "task": "echr"}, "13 8 6"),
    ],
)
def test_inspects_command_line_gives_what_was_typed(given, meant):
    from inspect_ai._util.config import parse_cli_args

    from decidendi.audit._inspect import verdict_audit

    typed = parse_cli_args([f"{name}={value}" for name, value in given.items()])
    if given.get("pair") == "13:8":
        with pytest.raises(BadInputError, match="none has gold under 13"):
            verdict_audit(n=2, **typed)
        return
    calls = verdict_audit(n=2, **typed).dataset[0].metadata["calls"]
    asked = {call["condition"]: call["authority"] for call in calls}
    assert f"{asked['target']} {asked.get('control')} {len(calls)}" == meant


def test_inspects_command_line_has_differing():
    from decidendi.audit._inspect import verdict_audit

    for sample in verdict_audit(n=4, differing=True, conditions="control").dataset:
        assert len({call["gold"] for call in sample.metadata["calls"]}) == 2


def test_a_log_gives_the_cases_in_the_order_of_the_sample(tmp_path):
    from decidendi.audit._folder import load_identity

    ready = prepared(OPTIONS)
    audit(ready.design, ready.cases, engine(tmp_path), tmp_path / "a")
    outcome = audit_logs(tmp_path / "logs", tmp_path / "b")
    digests = {load_identity(tmp_path / name)["cases"]["digest"] for name in "ab"}
    assert len(digests) == 1
    assert outcome.unfinished == 0


def test_unfinished_samples_of_a_log_are_counted(tmp_path, monkeypatch):
    from inspect_ai import eval as inspect_eval

    from decidendi.audit._inspect import verdict_audit

    generate = ScriptedModel.__call__
    asked = []

    def fails(self, messages):
        asked.append(messages)
        if len(asked) > 7:
            raise ConnectionError("refused")
        return generate(self, messages)

    monkeypatch.setattr(ScriptedModel, "__call__", fails)
    inspect_eval(
        verdict_audit(n=4, conditions="control,null", cache=False), model="scripted/echr",
        log_dir=str(tmp_path / "logs"), display="none", max_samples=1, max_connections=1,
    )  # fmt: skip
    outcome = audit_logs(tmp_path / "logs", tmp_path / "a")
    # Two are answered, the third failed in its second call, the fourth was never begun.
    assert outcome.finished.content["cases"]["count"] == 3
    assert outcome.unanswered > 0
    assert outcome.unfinished == 1
    assert outcome.finished.content["cases"]["missing"] == {"unfinished": 1}
    assert "inspect eval-retry" in outcome.again


def inspected(tmp_path, model="scripted/echr", epochs=1, **arguments):
    from inspect_ai import eval as inspect_eval

    from decidendi.audit._inspect import verdict_audit

    inspect_eval(
        verdict_audit(n=3, conditions="control"), model=model, model_args=arguments,
        log_dir=str(tmp_path / "logs"), display="none", epochs=epochs,
    )  # fmt: skip


def test_epochs_are_repetitions(tmp_path):
    inspected(tmp_path, epochs=2)
    outcome = audit_logs(tmp_path / "logs", tmp_path / "a")
    (found,) = outcome.finished.measured
    assert (found.cases, found.get("swap").n, outcome.unfinished) == (3, 6, 0)


def test_logs_of_one_model_with_other_parameters_are_not_joined(tmp_path):
    inspected(tmp_path, dependence=0)
    inspected(tmp_path, dependence=1)
    with pytest.raises(BadInputError, match="different parameters"):
        audit_logs(tmp_path / "logs", tmp_path / "a")


def test_what_is_no_log_is_named(tmp_path):
    inspected(tmp_path)
    junk = tmp_path / "logs" / "2026-01-01T00-00-00-00-00_verdict-audit_x.eval"
    junk.write_text("junk")
    for place in (junk, tmp_path / "logs"):
        with pytest.raises(BadInputError, match=junk.name):
            read_logs(place)
