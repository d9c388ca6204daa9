"""Models on this machine: the conditions of a case are answered together, their prefix once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from decidendi.audit import _record
from decidendi.audit._commitment import CONDITION, reasoning_sentences
from decidendi.audit._plan import Call
from decidendi.audit._record import Boundary, Stop
from decidendi.audit._run import Done, ToDo
from decidendi.judgment import BadInputError, Unmeasured
from decidendi.legal import Task
from decidendi.models import (
    EMBEDDED,
    Decoding,
    Finish,
    Generation,
    LocalModel,
    Margin,
    Marker,
    Prompt,
    load_model,
)

EMBEDDED_BUDGET = 64
"""Tokens of reasoning that the embedded model is left: it loops when it is left more."""
ROWS = 16
FORCED_TOKENS = 24
"""Room for what is put in where the verdict is asked for, and for the verdict."""


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """How a local model is run.

    Attributes:
        name: ``embedded``, a folder, or the id of a downloaded model.
        dtype: Of weights and arithmetic.
        device: By default a GPU if there is one.
        max_tokens: Most new tokens.
        reasoning_budget: Reasoning is closed after so many tokens and the verdict asked for;
            None never does, except to the embedded model.
        rows: Prompts in a batch.
        commitment: Ask for the verdict at each sentence of the reasoning under the target.
    """

    name: str = EMBEDDED
    dtype: str = "float32"
    device: str | None = None
    max_tokens: int = 1536
    reasoning_budget: int | None = None
    rows: int = ROWS
    commitment: bool = False


class LocalEngine:
    """Makes calls to a model on this machine."""

    def __init__(self, task: Task, options: LocalOptions, *, native: bool = False) -> None:
        """Load the model.

        Args:
            task: For the marker and its labels.
            options: How to run it.
            native: Switch on the model's own mode of reasoning.

        Raises:
            MissingExtraError: without the extra ``local``.
            MissingModelError: if the model is not on this machine.
        """
        self._model: LocalModel = load_model(
            options.name, dtype=options.dtype, device=options.device
        )
        self._decoding = decoding(task, options)
        self._label = task.labels[0]
        self._rows = options.rows
        self._name = options.name
        self._thinking = True if native else None
        self._commitment = options.commitment
        if self._commitment:
            reasoning_sentences("")  # its extra is missed before anything is asked

    def describe(self) -> Mapping[str, Any]:
        """Return what could change an answer."""
        facts = asdict(self._model.facts)
        return {
            "name": f"local/{self._name}" if self._name != EMBEDDED else EMBEDDED,
            "facts": {**facts, "versions": dict(facts["versions"])},
            "parameters": _plain(self._decoding.as_json())
            | ({"commitment": "forced"} if self._commitment else {}),
        }

    def run(self, todo: Sequence[ToDo], done: Done) -> None:
        """Make every call, as many cases together as fill a batch."""
        size = max((len(each.calls) for each in todo), default=1)
        together = max(1, self._rows // size)
        for start in range(0, len(todo), together):
            self._answer(todo[start : start + together], done)

    def _answer(self, group: Sequence[ToDo], done: Done) -> None:
        alike = [calls for each in group for calls in sharing(each.calls)]
        try:
            prompts = [[self._prompt(call) for call in calls] for calls in alike]
            answers = self._model.generate_cases(prompts, self._decoding, rows=self._rows)
        except BadInputError as error:
            # One prompt that cannot be given must not cost the others their answers.
            self._apart(group, done, error)
            return
        for calls, asked, given in zip(alike, prompts, answers, strict=True):
            for call, prompt, generation in zip(calls, asked, given, strict=True):
                found = self._of(generation)
                if self._commitment and call.condition == CONDITION:
                    found = replace(found, boundaries=self._boundaries(prompt, found.text))
                done(call, found)

    def _boundaries(self, prompt: Prompt, text: str) -> tuple[Boundary, ...] | None:
        """Cut the reasoning after each sentence and ask for the verdict there."""
        spans = reasoning_sentences(text)
        cut = [
            Prompt(prompt.text + text[: span.end], prompt.template, text[: span.end])
            for span in spans
        ]
        how = replace(self._decoding, max_new_tokens=FORCED_TOKENS, reasoning_budget=None)
        try:
            answers = self._model.forced_answers(cut, how) if cut else []
        except BadInputError:
            return None  # it does not fit: counted as not asked
        return tuple(
            Boundary(span.start, span.end, _scores(answer.margin))
            for span, answer in zip(spans, answers, strict=True)
        )

    def _apart(self, group: Sequence[ToDo], done: Done, error: BadInputError) -> None:
        if len(group) == 1 and len(group[0].calls) == 1:
            done(group[0].calls[0], _record.Generation("", stop=Stop.UNFIT, detail=str(error)))
            return
        pieces = (
            [[each] for each in group]
            if len(group) > 1
            else [[ToDo(group[0].plan, (call,))] for call in group[0].calls]
        )
        for piece in pieces:
            self._answer(piece, done)

    def _prompt(self, call: Call) -> Prompt:
        turns = [{"role": m.role, "content": m.content} for m in call.messages]
        return self._model.render(turns, thinking=self._thinking)

    def _of(self, given: Generation) -> _record.Generation:
        margin = None
        if not isinstance(given.margin, Unmeasured):
            margin = given.margin.log_odds(self._label)
        return _record.Generation(
            text=given.text,
            stop=Stop.LENGTH if given.finish is Finish.LENGTH else Stop.DONE,
            forced=given.forced is not None,
            margin=margin,
            tokens_in=given.prompt_tokens,
            tokens_out=given.new_tokens,
        )


def _scores(margin: Margin | Unmeasured) -> dict[str, float]:
    if isinstance(margin, Unmeasured):
        return {}
    return {label: round(math.exp(value), 9) for label, value in margin.log_probs.items()}


def sharing(calls: Sequence[Call]) -> list[list[Call]]:
    """Group calls by what they begin with: one that begins otherwise would leave nothing to share.

    A prefix is computed once for a group. A note at the start of the facts, the question before
    them, or another instruction begins a group of its own.
    """
    groups: list[tuple[str, list[Call]]] = []
    for call in calls:
        text = "\x00".join(message.content for message in call.messages)
        for start, group in groups:
            if 2 * common_start(start, text) >= len(start):
                group.append(call)
                break
        else:
            groups.append((text, [call]))
    return [group for _, group in groups]


def common_start(a: str, b: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def decoding(task: Task, options: LocalOptions) -> Decoding:
    """Return how answers of a task are generated."""
    budget = options.reasoning_budget
    if budget is None and options.name == EMBEDDED:
        budget = EMBEDDED_BUDGET
    most = options.max_tokens if options.name != EMBEDDED else min(options.max_tokens, 160)
    return Decoding(
        max_new_tokens=most,
        marker=Marker(f"{task.marker}:", task.labels),
        reasoning_budget=budget,
        force_missing=budget is not None,
    )


def _plain(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON types for tuples."""
    return {
        name: list(value)
        if isinstance(value, tuple)
        else _plain(value)
        if isinstance(value, dict)
        else value
        for name, value in content.items()
    }
