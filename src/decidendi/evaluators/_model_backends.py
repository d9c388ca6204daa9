"""What answers a call: a model through Inspect, one on this machine, or the scripted judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from decidendi.evaluators._model_prompt import Messages
from decidendi.evaluators._model_scripted import RubricFollower
from decidendi.evaluators._model_source import LOCAL, ModelSource
from decidendi.judgment import BadInputError, Source
from decidendi.models import Asker, Decoding, Marker, Question, Reply


@dataclass(frozen=True, slots=True)
class Call:
    """One draw that is asked for.

    Attributes:
        key: Digest of everything that can change the answer but ``repeat``: adjudicator, model
            and settings, messages.
        repeat: How many draws of this came before it.
        messages: What is said.
        seed: What the model is seeded with; None for no seed.
        model: The source that says which model.
    """

    key: str
    repeat: int
    messages: Messages
    seed: int | None
    model: Source

    @property
    def place(self) -> tuple[str, int]:
        """What tells this call from all others."""
        return self.key, self.repeat


Given: TypeAlias = dict[tuple[str, int], Reply]
"""Replies by the place of their call."""


class Backend(Protocol):
    """What answers calls."""

    paid: bool
    """Whether its answers are worth keeping."""

    def ask(self, calls: Sequence[Call], done: Callable[[int, Reply], None]) -> None:
        """Answer all calls, telling ``done`` the index and the reply of each as it comes."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


class Scripted:
    """The judge that needs no model."""

    paid = False

    def __init__(self, judge: RubricFollower) -> None:
        """Take the judge."""
        self._judge = judge

    def ask(self, calls: Sequence[Call], done: Callable[[int, Reply], None]) -> None:
        """Answer all calls."""
        for place, call in enumerate(calls):
            done(place, Reply(self._judge.answer(call.messages, call.repeat)))

    def close(self) -> None:
        """Nothing is held."""


class Reached:
    """A model through Inspect."""

    paid = True

    def __init__(self, asker: Asker) -> None:
        """Take what asks it."""
        self._asker = asker

    def ask(self, calls: Sequence[Call], done: Callable[[int, Reply], None]) -> None:
        """Answer all calls."""
        self._asker.ask([Question(call.messages, call.seed) for call in calls], done)

    def close(self) -> None:
        """Let go of the model."""
        self._asker.close()


def backend_for(
    model: ModelSource, verdicts: Sequence[str], marker: str, timeout: float | None
) -> Backend:
    """Reach the model that a source names.

    Raises:
        BadInputError: if it is not there, there is no key for it, or its arguments are wrong.
        MissingExtraError: if what it needs is not installed.
    """
    if model.scripted:
        return Scripted(RubricFollower.of(verdicts, marker, model.args))
    decoding = None
    if model.name.startswith(LOCAL):
        decoding = Decoding(
            marker=Marker(f"{marker}:", tuple(verdicts)),
            reasoning_budget=model.force_after,
            force_missing=model.force_after is not None,
        )
    elif model.force_after is not None:
        what = f"{model.name} is not on this machine, so force_after has no meaning"
        raise BadInputError(what, remedy="leave it out")
    return Reached(
        Asker(
            model.name,
            model.settings(),
            arguments=model.args,
            decoding=decoding,
            timeout=timeout,
        )
    )
