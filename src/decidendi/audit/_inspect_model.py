"""Calls to Inspect's models, and the scripted model as one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopReason,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import collect

from decidendi.audit._logprobs import margin_of
from decidendi.audit._plan import Call
from decidendi.audit._prompts import Message
from decidendi.audit._record import Generation, Stop
from decidendi.audit._run import Done
from decidendi.audit._scripted import Character, ScriptedModel
from decidendi.judgment import BadInputError
from decidendi.legal import Task, load_task
from decidendi.models import Margin, cache_scopes, generate_many, local_model, record


async def ask_all(
    model: Model, calls: Sequence[Call], task: Task, *, cache: bool, done: Done | None
) -> list[Generation]:
    """Make the calls of one case at once; one on this machine answers them as one batch.

    Args:
        model: Any of Inspect's.
        calls: Of one case.
        task: For the marker and the labels.
        cache: Whether answers are kept in Inspect's cache.
        done: Told of each generation as it comes; may be None.
    """
    if local_model(model) is not None:
        generations = await _ask_local(model, calls, task, cache)
        for call, generation in zip(calls, generations, strict=True):
            if done:
                done(call, generation)
        return generations
    return list(await collect(*[_ask(model, call, task, cache, done) for call in calls]))


async def _ask_local(
    model: Model, calls: Sequence[Call], task: Task, cache: bool
) -> list[Generation]:
    from decidendi.audit._local import LocalOptions, decoding, sharing

    options = LocalOptions(model.api.model_name)
    if model.config.max_tokens:
        options = replace(options, max_tokens=model.config.max_tokens)
    if len(groups := sharing(calls)) > 1:
        made = [pair for group in groups for pair in zip(
            group, await _ask_local(model, group, task, cache), strict=True)]  # fmt: skip
        answers = {call.place: generation for call, generation in made}
        return [answers[call.place] for call in calls]
    prompts = [[as_chat(message) for message in call.messages] for call in calls]
    how = decoding(task, options)
    try:
        outputs = await generate_many(model, prompts, decoding=how, cache=cache)
    except Exception as error:  # Inspect wraps what a provider raises
        if len(calls) == 1:
            unfit = _cause(error, BadInputError)
            stop = Stop.UNFIT if unfit else Stop.ERROR
            return [Generation("", stop=stop, detail=str(unfit or error))]
        # One prompt that cannot be given must not cost the others their answers.
        apart = [await _ask_local(model, [call], task, cache) for call in calls]
        return [generation for (generation,) in apart]
    return [generation_of(output, task.marker, task.labels) for output in outputs]


async def _ask(model: Model, call: Call, task: Task, cache: bool, done: Done | None) -> Generation:
    """Make one call. A failure is a generation without an answer, never a verdict."""
    # What is not part of Inspect's key: the model's arguments, and which repetition it is.
    scopes = {"repeat": str(call.repeat), "model_args": repr(sorted(model.model_args.items()))}
    policy = CachePolicy(expiry=None, scopes={**scopes, **cache_scopes(model)}) if cache else False
    config = GenerateConfig()
    if call.repeat and model.config.seed is not None:
        config = GenerateConfig(seed=model.config.seed + call.repeat)
    messages = [as_chat(message) for message in call.messages]
    try:
        output = await model.generate(messages, config=config, cache=policy)
        generation = generation_of(output, task.marker, task.labels)
    except Exception as error:  # whatever a provider raises
        stop = Stop.TIMEOUT if _timed_out(error) else Stop.ERROR
        generation = Generation("", stop=stop, detail=f"{type(error).__name__}: {error}")
    if done:
        done(call, generation)
    return generation


def _timed_out(error: BaseException) -> bool:
    return any("Timeout" in type(each).__name__ for each in _chain(error))


def _cause(error: BaseException, kind: type[BaseException]) -> BaseException | None:
    return next((each for each in _chain(error) if isinstance(each, kind)), None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it came from, groups opened."""
    yield error
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for each in (*inner, error.__cause__ or error.__context__):
        if each is not None:
            yield from _chain(each)


def as_chat(message: Message) -> ChatMessage:
    """Return a turn as Inspect's."""
    if message.role == "system":
        return ChatMessageSystem(content=message.content)
    if message.role == "user":
        return ChatMessageUser(content=message.content)
    return ChatMessageAssistant(content=message.content)


_STOPS = {"max_tokens": Stop.LENGTH, "model_length": Stop.LENGTH, "content_filter": Stop.REFUSED}


def generation_of(output: ModelOutput, marker: str, labels: Sequence[str]) -> Generation:
    """Return a model's output as a generation."""
    ours = record(output) or {}
    if output.empty:
        return Generation("", stop=Stop.REFUSED, detail=output.error or "no choice was returned")
    if output.stop_reason == "model_length" and not (output.usage and output.usage.output_tokens):
        # Nothing was written: the prompt was refused, and the text is the provider's complaint.
        return Generation("", stop=Stop.UNFIT, detail=output.error or output.completion)
    message = output.message
    reasoning = None
    if not isinstance(message.content, str):
        parts = [part.reasoning for part in message.content if part.type == "reasoning"]
        reasoning = "\n\n".join(parts) or None
    margin = _local_margin(ours, labels)
    if margin is None and labels and output.choices[0].logprobs:
        tokens = [
            (token.token, {likely.token: likely.logprob for likely in token.top_logprobs or ()})
            for token in output.choices[0].logprobs.content
        ]
        margin = margin_of(tokens, marker, labels)
    return Generation(
        text=message.text,
        reasoning=reasoning,
        stop=_STOPS.get(output.stop_reason, Stop.DONE),
        detail=output.error or "",
        forced=bool(ours.get("forced")),
        margin=margin,
        tokens_in=_tokens_in(output.usage),
        tokens_out=output.usage.output_tokens if output.usage else None,
    )


def _tokens_in(usage: ModelUsage | None) -> int | None:
    """Return all tokens of the prompt, whether they were read from a cache or not."""
    if usage is None:
        return None
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return usage.input_tokens + cached


def _local_margin(ours: Mapping[str, Any], labels: Sequence[str]) -> float | None:
    weights = (ours.get("margin") or {}).get("log_probs")
    if not weights or not labels:
        return None
    return Margin(weights, {}, 0).log_odds(labels[0])


# As a provider: --model scripted/echr -M dependence=0.7


@modelapi(name="scripted")
class ScriptedAPI(ModelAPI):
    """Answers in character; see ``ScriptedModel``. The model's name is the task's."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature Inspect calls
        **arguments: Any,  # noqa: ANN401 - whatever the user gives; checked by Character
    ) -> None:
        """Take the task's name and the character."""
        super().__init__(model_name, base_url, api_key, [], config)
        try:
            self._scripted = ScriptedModel(load_task(model_name), Character(**arguments))
        except TypeError as error:
            raise BadInputError(f"scripted/{model_name}: {error}") from None

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer one conversation."""
        given = self._scripted([Message(m.role, m.text) for m in input if m.role != "tool"])
        stops: dict[Stop, StopReason] = {Stop.LENGTH: "max_tokens", Stop.REFUSED: "content_filter"}
        output = ModelOutput.from_content(
            self.model_name,
            given.text,
            stops.get(given.stop, "stop"),
        )
        words_in = sum(len(m.text.split()) for m in input)
        words_out = len(given.text.split())
        output.usage = ModelUsage(
            input_tokens=words_in, output_tokens=words_out, total_tokens=words_in + words_out
        )
        return output
