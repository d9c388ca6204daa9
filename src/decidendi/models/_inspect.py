"""The one place that knows Inspect: a model provider, and calls for a case made together.

Inspect finds the provider through the entry point ``inspect_ai``; ``decidendi/embedded`` or
``decidendi/<folder or id>`` names a model. Nothing of Inspect is imported before it is used, so
that the core works without it; hence the class that is made in a function, and the module's
``__getattr__``, which makes it when the entry point asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from decidendi.judgment import BadInputError, MissingExtraError, digest_of
from decidendi.models._gather import Gathering, gathering
from decidendi.models._load import load_model
from decidendi.models._model import ROWS, LocalModel, Prompt
from decidendi.models._records import Decoding, Finish, Generation, Marker

if TYPE_CHECKING:
    from inspect_ai.model import CachePolicy, ChatMessage, GenerateConfig, Model, ModelOutput
    from inspect_ai.tool import ToolChoice, ToolInfo

PROVIDER = "decidendi"
"""The first part of a model's name in Inspect, and the key of our records in its outputs."""

_UNSUPPORTED = ("top_p", "top_k", "num_choices", "best_of", "logit_bias", "frequency_penalty")


def __getattr__(name: str) -> object:
    if name == "provider":
        return _provider()
    raise AttributeError(name)


@lru_cache(maxsize=2)
def _loaded(name: str, dtype: str, device: str | None) -> LocalModel:
    """Load a model once for all of Inspect's handles to it."""
    return load_model(name, dtype=dtype, device=device)


@lru_cache(maxsize=1)
def _provider() -> object:
    """Make the provider's class and register it."""
    from inspect_ai.model import GenerateConfig, ModelAPI, modelapi

    class LocalAPI(ModelAPI):
        """A model on this machine, reached through Inspect."""

        def __init__(
            self,
            model_name: str,
            base_url: str | None = None,
            api_key: str | None = None,
            config: GenerateConfig = GenerateConfig(),  # noqa: B008 - Inspect's own signature
            *,
            dtype: str = "float32",
            device: str | None = None,
            thinking: bool | None = None,
            rows: int = ROWS,
        ) -> None:
            super().__init__(model_name, base_url, api_key, [], config)
            self.local = _loaded(model_name, dtype, device)
            self.thinking, self.rows = thinking, rows

        async def generate(
            self,
            input: list[ChatMessage],
            tools: list[ToolInfo],
            tool_choice: ToolChoice,
            config: GenerateConfig,
        ) -> ModelOutput:
            if tools:
                raise BadInputError("models on this machine are not given tools")
            prompt = self.local.render(_messages(input), thinking=self.thinking)
            prompt = replace(prompt, seed=config.seed)
            decoding = decoding_of(config)
            self.local.check(prompt, decoding)  # alone, so that it can't fail the others' batch
            answer, first = await _answer(self.local, self.rows, prompt, decoding)
            return _output(self.model_name, prompt, answer, first=first)

        def max_tokens(self) -> int | None:
            return Decoding().max_new_tokens

        async def count_text_tokens(self, text: str) -> int:
            return self.local.count_tokens(text)

    return modelapi(name=PROVIDER)(LocalAPI)


async def _answer(
    local: LocalModel, rows: int, prompt: Prompt, decoding: Decoding
) -> tuple[Generation, bool]:
    """Answer with the other calls of the case, or alone if there are none."""
    import anyio.to_thread

    def run(prompts: Sequence[Prompt], decoding: Decoding) -> list[Generation]:
        return local.generate_cases([prompts], decoding, rows=rows)[0]

    if (here := gathering.get()) is None:
        return (await anyio.to_thread.run_sync(run, [prompt], decoding))[0], True
    together, asked = here
    if asked:  # a second attempt: the others have been answered
        return (await anyio.to_thread.run_sync(run, [prompt], decoding))[0], True
    asked.append(True)
    return await together.answer(prompt, decoding, run)


async def generate_many(
    model: Model,
    inputs: Sequence[str | list[ChatMessage]],
    *,
    decoding: Decoding,
    config: GenerateConfig | None = None,
    cache: bool | CachePolicy = False,
    seeds: Sequence[int | None] | None = None,
) -> list[ModelOutput]:
    """Ask a model all prompts of one case at once.

    Every prompt is a call of its own to Inspect, with its log entry, usage and cache. A model on
    this machine answers them as one batch that shares its prefix; any other as it pleases.

    Args:
        model: Any of Inspect's.
        inputs: Prompts or conversations; what they share should come first.
        decoding: How. Other models are told ``max_new_tokens`` and ``stop`` alone.
        config: Further settings, which win over those of ``decoding``.
        cache: As for Inspect; for a model on this machine everything that can change an answer
            becomes part of the key.
        seeds: One for each prompt, where answers are drawn.

    Returns:
        An output per prompt, in order. Those of a model on this machine carry a ``record``.

    Raises:
        MissingExtraError: without the extra ``models``.
        DecidendiError: if a model on this machine can't answer.
    """
    try:
        from inspect_ai.model import GenerateConfig
        from inspect_ai.util import collect
    except ImportError:
        raise MissingExtraError("asking a model", "models") from None
    settings = GenerateConfig(
        max_tokens=decoding.max_new_tokens, stop_seqs=list(decoding.stop) or None
    )
    if local_model(model) is not None:
        settings.extra_body = {PROVIDER: decoding.as_json()}
        cache = _with_scopes(cache, model) if cache else False
    settings = settings.merge(config) if config else settings
    together = Gathering(len(inputs))

    async def one(prompt: str | list[ChatMessage], seed: int | None) -> ModelOutput:
        own = settings if seed is None else settings.merge(GenerateConfig(seed=seed))
        asked: list[bool] = []
        token = gathering.set((together, asked))
        try:
            return await model.generate(prompt, config=own, cache=cache)
        finally:
            gathering.reset(token)
            if not asked:
                together.gone()

    pairs = zip(inputs, seeds or [None] * len(inputs), strict=True)
    return list(await collect(*(one(prompt, seed) for prompt, seed in pairs)))


def local_model(model: Model) -> LocalModel | None:
    """Return the model on this machine behind one of Inspect's; None if it is elsewhere."""
    local = getattr(model.api, "local", None)
    return local if isinstance(local, LocalModel) else None


def cache_scopes(model: Model) -> dict[str, str]:
    """Return what must be in the key of a cached answer and is not in Inspect's own.

    Inspect's key has the prompt, the settings and the model's name, but not the model's
    arguments, nor which files bear that name.
    """
    local = local_model(model)
    if local is None:
        return {}
    api: Any = model.api
    facts = {**asdict(local.facts), "thinking": api.thinking, "rows": api.rows}
    return {PROVIDER: digest_of(facts)}


def record(output: ModelOutput) -> dict[str, Any] | None:
    """Return ``Generation.as_json()`` of an output of a model on this machine."""
    return (output.metadata or {}).get(PROVIDER)


def decoding_of(config: GenerateConfig) -> Decoding:
    """Return what Inspect's settings ask for.

    Raises:
        BadInputError: if they ask for what these models can't do.
    """
    if asked := [name for name in _UNSUPPORTED if getattr(config, name, None) is not None]:
        raise BadInputError(f"models on this machine don't know {', '.join(asked)}")
    ours = (config.extra_body or {}).get(PROVIDER)
    if ours is not None:
        decoding = _decoding(ours)
        if config.temperature is None:
            return decoding
        return replace(decoding, temperature=config.temperature)
    limit = config.max_tokens or Decoding().max_new_tokens
    return Decoding(
        max_new_tokens=limit,
        stop=tuple(config.stop_seqs or ()),
        temperature=config.temperature or 0.0,
    )


def _decoding(data: Mapping[str, Any]) -> Decoding:
    """Read ``Decoding.as_json()`` back."""
    try:
        marker = data.get("marker")
        known = {
            **data,
            "stop": tuple(data.get("stop", ())),
            "think": tuple(data.get("think", Decoding().think)),
            "marker": Marker(**{**marker, "labels": tuple(marker["labels"])}) if marker else None,
        }
        return Decoding(**known)
    except (TypeError, KeyError) as error:
        raise BadInputError(f"not how decoding is written: {error}") from None


def _with_scopes(cache: bool | CachePolicy, model: Model) -> CachePolicy:
    from inspect_ai.model import CachePolicy

    policy = cache if isinstance(cache, CachePolicy) else CachePolicy(expiry=None)
    return CachePolicy(
        expiry=policy.expiry,
        per_epoch=policy.per_epoch,
        scopes={**policy.scopes, **cache_scopes(model)},
    )


def _messages(input: Sequence[ChatMessage]) -> list[dict[str, str]]:
    """Return a conversation as roles and plain text.

    Raises:
        BadInputError: if it holds anything else.
    """
    messages = []
    for message in input:
        parts = [] if isinstance(message.content, str) else message.content
        if message.role == "tool" or any(part.type != "text" for part in parts):
            raise BadInputError("models on this machine read plain text only")
        messages.append({"role": message.role, "content": message.text})
    return messages


def _output(name: str, prompt: Prompt, answer: Generation, *, first: bool) -> ModelOutput:
    """Put an answer into Inspect's form. What was shared is charged to the first of a batch."""
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage

    shared = 0 if first else answer.shared_tokens
    usage = ModelUsage(
        input_tokens=answer.prompt_tokens - shared,
        input_tokens_cache_read=shared,
        output_tokens=answer.new_tokens,
        total_tokens=answer.prompt_tokens + answer.new_tokens,
    )
    message = ChatMessageAssistant(content=prompt.said + answer.text, model=name, source="generate")
    cut = answer.finish is Finish.LENGTH
    choice = ChatCompletionChoice(message=message, stop_reason="max_tokens" if cut else "stop")
    return ModelOutput(
        model=name, choices=[choice], usage=usage, metadata={PROVIDER: answer.as_json()}
    )
