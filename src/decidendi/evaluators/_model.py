"""A language model as an adjudicator: prompt, rubric, model and parameters are its sources.

So a receipt tells a change of the prompt, a new model and new evidence apart. Nothing here calls
a model: whoever can, hands in a function (``models_by``), which gets all that can change an
answer and so can keep what it was answered. Verdicts are read as in the audit: a marker, never
one copied from the prompt; what cannot be read is unmeasured.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, TypeAlias

from decidendi.evaluators._answers import failed
from decidendi.judgment import (
    JSON,
    BadInputError,
    Identity,
    Reason,
    State,
    Unmeasured,
    Verdict,
    digest_of,
)
from decidendi.reasoning import Label, VerdictSpec, extract, read_output

READING = 1
"""Raised whenever prompts are put, or verdicts read, in another way; part of the digest."""

Turn: TypeAlias = tuple[Literal["system", "user"], str]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One answer to be had from a language model.

    Attributes:
        model: The content of the model source: ``name`` and ``parameters``.
        turns: The conversation.
        repeat: How many draws of the same came before this one.
    """

    model: Mapping[str, JSON]
    turns: tuple[Turn, ...]
    repeat: int

    @property
    def key(self) -> str:
        """Digest of everything that can change the answer: what a cache must go by."""
        turns: list[JSON] = [list(turn) for turn in self.turns]
        return digest_of({"model": dict(self.model), "turns": turns, "repeat": self.repeat})


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model gave.

    Attributes:
        text: What it wrote.
        reasoning: Its reasoning, where that came in a field of its own.
        truncated: A limit of tokens ended it.
        failure: Why there is no answer; empty if there is one.
        late: That it took too long is why.
    """

    text: str
    reasoning: str | None = None
    truncated: bool = False
    failure: str = ""
    late: bool = False


Generate: TypeAlias = Callable[[Sequence[ModelRequest]], Sequence[ModelAnswer]]

_generate: ContextVar[Generate | None] = ContextVar("generate", default=None)


@contextmanager
def models_by(generate: Generate) -> Iterator[None]:
    """Let evaluators with the engine ``model`` call language models through a function.

    Args:
        generate: Answers requests, in order. Requests that cannot be answered are answered with
            a ``failure``; what it raises ends the run.
    """
    token = _generate.set(generate)
    try:
        yield
    finally:
        _generate.reset(token)


class ModelAdjudicator:
    """Asks a language model, and reads its verdict."""

    def __init__(self, identity: Identity, settings: Mapping[str, JSON]) -> None:
        """Make one; nothing is called yet.

        Args:
            identity: What it is.
            settings: The ``adjudicator`` table of the manifest.
        """
        self._identity = identity
        self._model = str(settings["model"])
        self._system = settings.get("system")
        self._prompt = [str(kind) for kind in settings["prompt"]]  # type: ignore[union-attr] # the manifest checked it
        self._marker = str(settings["marker"])
        self._spec = VerdictSpec((self._marker,), tuple(Label(v) for v in identity.verdicts))

    @property
    def identity(self) -> Identity:
        """What this adjudicator is."""
        return self._identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state by the first draw."""
        return self.draw(states, [0] * len(states))

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        """Draw one verdict per state.

        Raises:
            BadInputError: if nothing was handed in that can call a model.
        """
        generate = _generate.get()
        if generate is None:
            raise BadInputError(
                "this evaluator asks a language model, and nothing here can call one",
                remedy="use the command line, or decidendi.evaluators.models_by",
            )
        requests: list[ModelRequest] = []
        cells: dict[int, Verdict] = {}
        places: list[int] = []
        for place, (state, repeat) in enumerate(zip(states, repeats, strict=True)):
            made = self.request(state, repeat)
            if isinstance(made, Unmeasured):
                cells[place] = made
            else:
                requests.append(made)
                places.append(place)
        answers = generate(requests) if requests else ()
        for place, request, answer in zip(places, requests, answers, strict=True):
            cells[place] = self.read(request, answer)
        return [cells[place] for place in range(len(states))]

    def request(self, state: State, repeat: int) -> ModelRequest | Unmeasured:
        """Return what is asked about a state; an unmeasured cell if its model source is none."""
        contents = {source.kind: source.content for source in state.sources}
        model = contents[self._model]
        if not isinstance(model, dict) or not isinstance(model.get("name"), str):
            return failed(f"{self._model} is no object with a name", Reason.INTERFACE)
        if not isinstance(model.get("parameters", {}), dict):
            return failed(f"{self._model}.parameters is no object", Reason.INTERFACE)
        form = " or ".join(f"{self._marker}: {verdict}" for verdict in self._identity.verdicts)
        ending = f"End with one last line in exactly this form: {form}"
        system = _text(contents[str(self._system)]) if self._system else ""
        sections = [f"<{kind}>\n{_text(contents[kind])}\n</{kind}>" for kind in self._prompt]
        opening: tuple[Turn, ...] = (("system", system),) if system else ()
        return ModelRequest(model, (*opening, ("user", "\n\n".join([*sections, ending]))), repeat)

    def read(self, request: ModelRequest, answer: ModelAnswer) -> Verdict:
        """Return the verdict of an answer."""
        if answer.failure:
            return failed(answer.failure, Reason.TIMEOUT if answer.late else Reason.ERROR)
        output = read_output(
            answer.text,
            native_reasoning=answer.reasoning,
            masked=[text for _, text in request.turns],
            truncated=answer.truncated,
        )
        verdict = extract(output, self._spec).verdict
        if isinstance(verdict, Unmeasured):
            return failed(verdict.detail, verdict.reason)
        return verdict


def _text(content: JSON) -> str:
    """Put a source's content into a prompt; equal contents give equal texts."""
    if isinstance(content, str):
        return content
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
