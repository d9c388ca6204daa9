"""Through Inspect: one call per prompt, one batch per case."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import replace

import pytest

from decidendi.judgment import BadInputError, DecidendiError
from decidendi.models import (
    Decoding,
    Marker,
    cache_scopes,
    generate_many,
    load_model,
    local_model,
    record,
)

if importlib.util.find_spec("inspect_ai") is None:
    pytest.skip("needs the extra models", allow_module_level=True)

import anyio
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    CachePolicy,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import includes
from inspect_ai.solver import solver
from inspect_ai.tool import ToolInfo

FACTS = "The applicant was held in a cell of 12 square metres. " * 4
CASE = [FACTS + question for question in ("Article 8?", "Was Article 3 violated?", "Hm")]
DECODING = Decoding(max_new_tokens=10, marker=Marker(), force_missing=True, forced_tokens=2)


@pytest.fixture
def model(tiny_folder):
    return get_model(f"decidendi/{tiny_folder}", device="cpu", memoize=False)


def ask(model, inputs, **settings):
    async def go():
        return await generate_many(model, inputs, decoding=DECODING, **settings)

    return anyio.run(go)


def test_inspect_finds_the_provider():
    (found,) = importlib.metadata.entry_points(group="inspect_ai", name="decidendi_models")
    assert found.load() is not None


def test_the_prompts_of_a_case_come_together(model, tiny):
    outputs = ask(model, CASE)
    expected = tiny.generate(
        [tiny.render([{"role": "user", "content": text}]) for text in CASE], DECODING
    )
    assert [output.completion for output in outputs] == [answer.text for answer in expected]
    records = [record(output) for output in outputs]
    assert [r["batching"]["rows"] for r in records] == [3, 3, 3]
    assert [tuple(r["token_ids"]) for r in records] == [a.token_ids for a in expected]
    assert records[0]["margin"]["log_probs"].keys() == {"YES", "NO"}
    usage = [output.usage for output in outputs]
    shared = expected[0].shared_tokens
    assert sorted(u.input_tokens_cache_read for u in usage) == [0, shared, shared]
    assert [u.total_tokens for u in usage] == [a.prompt_tokens + a.new_tokens for a in expected]


def test_cached_answers_are_not_waited_for_nor_made_again(model):
    first = ask(model, CASE[:2], cache=True)
    before = local_model(model).prefilled
    again = ask(model, CASE[:2], cache=True)
    assert local_model(model).prefilled == before
    assert [o.completion for o in again] == [o.completion for o in first]
    more = ask(model, CASE, cache=CachePolicy(expiry=None))
    assert [record(o)["batching"]["rows"] for o in more] == [2, 2, 1]
    assert [o.completion for o in more[:2]] == [o.completion for o in first]


def test_the_cache_key_holds_what_inspects_own_does_not(tiny_folder, model):
    one = cache_scopes(model)
    other = get_model(f"decidendi/{tiny_folder}", device="cpu", dtype="bfloat16", memoize=False)
    thinking = get_model(f"decidendi/{tiny_folder}", device="cpu", thinking=True, memoize=False)
    keys = {cache_scopes(m)["decidendi"] for m in (model, other, thinking)}
    assert len(keys) == 3
    assert cache_scopes(model) == one
    assert cache_scopes(get_model("mockllm/model")) == {}


def test_fewer_calls_at_a_time_than_prompts_end_all_the_same(model, monkeypatch):
    monkeypatch.setattr("decidendi.models._gather.PATIENCE", 0.05)
    whole = [output.completion for output in ask(model, CASE)]
    outputs = ask(model, CASE, config=GenerateConfig(max_connections=1))
    assert [output.completion for output in outputs] == whole
    assert [record(output)["batching"]["rows"] for output in outputs] == [1, 1, 1]


def test_one_that_cannot_be_asked_does_not_hang_the_others(model):
    with pytest.raises(Exception, match="meaning of its own"):
        ask(model, [*CASE, "facts<|end|>"])
    with pytest.raises(Exception, match="context of 512"):
        ask(model, [*CASE, "word " * 600])


def test_the_beginning_of_an_answer_is_continued(model):
    conversation = [ChatMessageUser(content=FACTS), ChatMessageAssistant(content="<think>So")]
    (output,) = ask(model, [conversation])
    assert output.completion.startswith("<think>So")
    assert record(output)["bos"]


@pytest.mark.parametrize(
    ("config", "what"),
    [({"temperature": -1}, "zero or more"), ({"top_p": 0.5}, "top_p"), ({"num_choices": 2}, "num")],
)
def test_settings_that_would_be_ignored_are_refused(model, config, what):
    with pytest.raises(BadInputError, match=what):
        anyio.run(lambda: model.generate("x", config=GenerateConfig(**config)))


def test_tools_are_refused(model):
    tool = ToolInfo(name="search", description="searches")
    with pytest.raises(DecidendiError, match="tools"):
        anyio.run(lambda: model.generate("x", tools=[tool]))


def test_plain_calls_work_as_with_any_model(model, tiny):
    config = GenerateConfig(max_tokens=6, temperature=0)
    output = anyio.run(lambda: model.generate(CASE[0], config=config))
    prompt = tiny.render([{"role": "user", "content": CASE[0]}])
    assert output.completion == tiny.generate([prompt], Decoding(max_new_tokens=6))[0].text
    assert record(output)["margin"]["reason"] == "not-converged"
    assert output.stop_reason == "max_tokens"


def test_answers_are_drawn_with_the_seed_of_their_call(model, tiny):
    def drawn(seed):
        config = GenerateConfig(max_tokens=8, temperature=1.0, seed=seed)
        return anyio.run(lambda: model.generate(CASE[0], config=config))

    outputs = [drawn(seed) for seed in (1, 2, 1)]
    assert [record(output)["seed"] for output in outputs] == [1, 2, 1]
    assert outputs[0].completion == outputs[2].completion != outputs[1].completion
    prompt = tiny.render([{"role": "user", "content": CASE[0]}])
    alone = tiny.generate([replace(prompt, seed=2)], Decoding(8, temperature=1.0))
    assert outputs[1].completion == alone[0].text


def test_any_other_model_is_asked_plainly():
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    outputs = [ModelOutput.from_content("mockllm/model", f"VERDICT: {i}") for i in range(3)]
    for output in outputs:
        output.usage = usage
    model = get_model("mockllm/model", custom_outputs=outputs)
    assert local_model(model) is None
    answers = ask(model, CASE)
    assert sorted(a.completion for a in answers) == ["VERDICT: 0", "VERDICT: 1", "VERDICT: 2"]
    assert record(answers[0]) is None


@solver
def conditions():
    async def solve(state, generate):
        inputs = [f"{state.input_text} {question}" for question in ("8?", "3?", "14?")]
        outputs = await generate_many(get_model(), inputs, decoding=DECODING)
        state.metadata["rows"] = [record(o)["batching"]["rows"] for o in outputs]
        state.output = outputs[0]
        return state

    return solve


def test_a_task_runs_every_case_as_one_batch(model, tmp_path):
    samples = [Sample(input=FACTS + str(i), target="x", id=i) for i in range(4)]
    task = Task(dataset=samples, solver=conditions(), scorer=includes())
    (log,) = eval(
        task, model=model, log_dir=str(tmp_path), display="none", score_display=False,
        log_samples=True,
    )  # fmt: skip
    assert log.status == "success", log.error
    assert [s.metadata["rows"] for s in log.samples] == [[3, 3, 3]] * 4
    for sample in log.samples:
        assert sum(event.event == "model" for event in sample.events) == 3
    total = sum(usage.total_tokens for usage in log.stats.model_usage.values())
    assert total == sum(
        event.output.usage.total_tokens
        for sample in log.samples
        for event in sample.events
        if event.event == "model"
    )


def test_the_library_and_inspect_load_a_model_once(tiny_folder):
    one = get_model(f"decidendi/{tiny_folder}", device="cpu", memoize=False)
    two = get_model(f"decidendi/{tiny_folder}", device="cpu", memoize=False)
    assert local_model(one) is local_model(two)
    assert load_model(str(tiny_folder), device="cpu").facts == local_model(one).facts
