"""Many prompts asked of one model from ordinary code, each answer handed over as it comes.

Inspect's clients belong to the event loop in which they were made, so one loop is kept, in a
thread of its own, for as long as the model is asked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from decidendi.judgment import BadInputError, MissingExtraError, Reason, Unmeasured, one_line
from decidendi.models._inspect import cache_scopes, generate_many, local_model
from decidendi.models._model import ROWS
from decidendi.models._records import Decoding

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model, ModelOutput

LIVE = 256
"""Calls begun at a time. How many of them are really sent at once Inspect decides."""

RETRIES = 5
"""Of one call, after which it has failed; Inspect alone would try for ever."""


_MARKUP = re.compile(r"\[/?[a-z]+(?: [a-z]+)*\]")
"""What Inspect writes for a terminal: ``[bold]pip install openai[/bold]``."""


def plain(error: Exception) -> str:
    """Return what Inspect says of a model, in one line without markup."""
    return " ".join(_MARKUP.sub("", str(error)).split()).removeprefix("ERROR: ")


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt.

    Attributes:
        messages: Role (``system``, ``user``, ``assistant``) and text of each.
        seed: For models that can be seeded; None sends none.
        form: Name and JSON Schema of the answer, for providers that can hold a model to one.
    """

    messages: tuple[tuple[str, str], ...]
    seed: int | None = None
    form: tuple[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What one answer took.

    Attributes:
        tokens_in: Of the prompt, also those that the provider had in a cache.
        tokens_out: Of the answer, its reasoning included.
        cost: In US dollars; None where Inspect knows no price.
    """

    tokens_in: int
    tokens_out: int
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        text: What the model wrote.
        reasoning: Its reasoning, where that came apart.
        cut: A limit of tokens ended it.
        failure: Why there is no answer; None if there is one.
        usage: What it took, where the provider says so. Two replies that say the same are equal.
    """

    text: str = ""
    reasoning: str | None = None
    cut: bool = False
    failure: Unmeasured | None = None
    usage: Usage | None = field(default=None, compare=False)


Done = Callable[[int, Reply], None]
"""Told the place of a question and its reply."""


class Asker:
    """Asks one model. Close it, or use it as a context manager."""

    def __init__(
        self,
        name: str,
        settings: Mapping[str, Any],
        *,
        arguments: Mapping[str, Any] | None = None,
        decoding: Decoding | None = None,
        timeout: float | None = None,
    ) -> None:
        """Reach a model.

        Args:
            name: As Inspect names it, e.g. ``openai/gpt-4o-mini`` or ``decidendi/embedded``.
            settings: Fields of Inspect's ``GenerateConfig``.
            arguments: Of the model's provider.
            decoding: For a model on this machine, besides the settings.
            timeout: Seconds for each attempt.

        Raises:
            MissingExtraError: without the extra ``models``, or without ``local`` for a model on
                this machine.
            BadInputError: if there is no such model, or no key for it.
        """
        try:
            from anyio.from_thread import start_blocking_portal
            from inspect_ai.model import GenerateConfig, get_model
        except ImportError:
            raise MissingExtraError("asking a model", "models") from None
        limit = None if timeout is None else max(1, math.ceil(timeout))
        config = GenerateConfig(**settings, max_retries=RETRIES, attempt_timeout=limit)
        self._config = config
        self._decoding = decoding or Decoding()
        if config.max_tokens is not None:
            self._decoding = replace(self._decoding, max_new_tokens=config.max_tokens)
        self._open = ExitStack()
        self._portal = self._open.enter_context(start_blocking_portal())

        async def reach() -> Model:
            return get_model(name, memoize=False, **(arguments or {}))

        try:
            self._model = self._portal.call(reach)
        except BaseException as error:
            self._open.close()
            if isinstance(error, BadInputError | MissingExtraError):
                raise
            if not isinstance(error, Exception):
                raise
            what = f"the model {name!r} cannot be reached: {plain(error)}"
            raise BadInputError(what, remedy="see Inspect's page of providers") from None

    @property
    def scopes(self) -> dict[str, str]:
        """What tells this model from another of its name; empty for one that is elsewhere."""
        return cache_scopes(self._model)

    def ask(self, questions: Sequence[Question], done: Done) -> None:
        """Ask all questions at once; a failure is a reply.

        Args:
            questions: The prompts.
            done: Called with each reply as it comes, in any order, from the loop's thread.
        """
        task = self._portal.start_task_soon(self._all, questions, done)
        try:
            task.result()
        except BaseException:
            task.cancel()  # interrupted: nobody waits for what is under way
            raise

    async def _all(self, questions: Sequence[Question], done: Done) -> None:
        if local_model(self._model) is not None:
            await self._together(questions, done)
            return
        import anyio

        waiting = iter(enumerate(questions))
        async with anyio.create_task_group() as tasks:
            for _ in range(min(LIVE, len(questions))):
                tasks.start_soon(self._work, waiting, done)

    async def _work(self, waiting: Iterator[tuple[int, Question]], done: Done) -> None:
        for place, question in waiting:
            try:
                output = await self._model.generate(_chat(question), config=self._with(question))
                reply = reply_of(output)
            except Exception as error:  # whatever a provider raises
                reply = Reply(failure=failure_of(error))
            done(place, reply)

    async def _together(self, questions: Sequence[Question], done: Done) -> None:
        """Ask a model on this machine: batches of like prompts, which share what is the same."""
        for places in batches(questions):
            for place, reply in zip(
                places, await self._batch([questions[p] for p in places]), strict=True
            ):
                done(place, reply)

    async def _batch(self, questions: Sequence[Question]) -> list[Reply]:
        try:
            outputs = await generate_many(
                self._model,
                [_chat(question) for question in questions],
                decoding=self._decoding,
                config=self._config,
                seeds=[question.seed for question in questions],
            )
            return [reply_of(output) for output in outputs]
        except Exception as error:
            if len(questions) == 1:
                return [Reply(failure=failure_of(error))]
            # One prompt that cannot be given must not cost the others their answers.
            return [(await self._batch([question]))[0] for question in questions]

    def _with(self, question: Question) -> GenerateConfig:
        told: dict[str, Any] = {}
        if question.seed is not None:
            told["seed"] = question.seed
        if question.form is not None:
            told["response_schema"] = _response_schema(*question.form)
        return self._config.model_copy(update=told) if told else self._config

    def close(self) -> None:
        """Let go of the model and its loop."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def batches(questions: Sequence[Question]) -> Iterator[list[int]]:
    """Yield places of questions that are answered together.

    A batch reads once what all its prompts begin with. So prompts that are alike for half of
    their length are together, and others are not put among them; those like no other are
    gathered, to be at least written at once.
    """
    texts = ["\0".join(text for _, text in question.messages) for question in questions]
    groups: list[list[int]] = []
    for place in sorted(range(len(questions)), key=lambda place: questions[place].messages):
        if groups and _alike(texts[groups[-1][-1]], texts[place]):
            groups[-1].append(place)
        else:
            groups.append([place])
    alone = [group[0] for group in groups if len(group) == 1]
    for group in (*(group for group in groups if len(group) > 1), alone):
        for start in range(0, len(group), ROWS):
            yield group[start : start + ROWS]


def _alike(one: str, other: str) -> bool:
    half = max(len(one), len(other)) // 2
    return one[:half] == other[:half]


def _chat(question: Question) -> list[Any]:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return [kinds[role](content=text) for role, text in question.messages]


def _response_schema(name: str, schema: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a type of Inspect's
    from inspect_ai.model import ResponseSchema
    from inspect_ai.util import JSONSchema

    return ResponseSchema(name=name, json_schema=JSONSchema.model_validate(schema), strict=True)


def reply_of(output: ModelOutput) -> Reply:
    """Return an output of Inspect's as a reply."""
    return replace(_said(output), usage=_usage(output))


def _usage(output: ModelOutput) -> Usage | None:
    usage = output.usage
    if usage is None:
        return None
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return Usage(usage.input_tokens + cached, usage.output_tokens, usage.total_cost)


def _said(output: ModelOutput) -> Reply:
    if output.empty:
        return Reply(failure=Unmeasured(Reason.NOT_CONVERGED, "the provider returned no answer"))
    reasoning = None
    if not isinstance(output.message.content, str):
        parts = [part for part in output.message.content if part.type == "reasoning"]
        # What a provider encrypts is no text; some give a summary of it.
        thought = [(part.summary or "") if part.redacted else part.reasoning for part in parts]
        reasoning = "\n\n".join(text for text in thought if text) or None
    if output.stop_reason == "content_filter":
        return Reply(
            output.message.text,
            reasoning,
            failure=Unmeasured(Reason.NOT_CONVERGED, "the provider withheld the answer"),
        )
    cut = output.stop_reason in ("max_tokens", "model_length")
    return Reply(output.message.text, reasoning, cut)


def failure_of(error: BaseException) -> Unmeasured:
    """Return the reason for which a call has no answer, without what differs from call to call."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, TimeoutError) or "Timeout" in type(found).__name__:
            return Unmeasured(Reason.TIMEOUT, "the model did not answer in time")
        found = found.__cause__
    return Unmeasured(Reason.ERROR, one_line(f"{type(error).__name__}: {error}"))
