"""Where a judge's calls are made: in waves, kept answers first, everything counted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from decidendi.grading._model_judge_answers import Answers
from decidendi.grading._model_judge_prompts import Message, begun_for, repair_for
from decidendi.grading._model_judge_replies import Form, UnusableReplyError, read_reply
from decidendi.judgment import Reason, Unmeasured, one_line
from decidendi.models import Done, Question, Reply

T = TypeVar("T")
Watch: TypeAlias = Callable[[int, int], None]
"""Told how many calls are done, and of how many that are known to be needed."""

IN_A_ROW: Final = 24
"""After so many calls in a row without an answer it is seen whether the model is still there."""

_GONE = Unmeasured(Reason.ERROR, "not asked: the model had stopped answering")


def is_lost(reply: Reply) -> bool:
    """Say whether there is no answer, but may be one another time."""
    return reply.failure is not None and reply.failure.reason is not Reason.NOT_CONVERGED


class Answering(Protocol):
    """What answers prompts: a model through Inspect, or a script."""

    def ask(self, questions: Sequence[Question], done: Done) -> None:
        """Answer all questions, telling ``done`` the place and the reply of each as it comes."""

    def close(self) -> None:
        """Let go of what is held."""


@dataclass(frozen=True)
class Call:
    """One prompt.

    Attributes:
        chain: Whose it is.
        messages: What is said.
        form: How the reply must look.
        repairs: Whether it asks again for a reply that could not be used.
    """

    chain: str
    messages: tuple[Message, ...]
    form: Form[Any]
    repairs: bool = False

    @property
    def key(self) -> str:
        """Of everything about it that can change the reply; the judge is the folder's."""
        content = json.dumps([self.form.name, self.messages], ensure_ascii=True)
        return hashlib.sha256(content.encode()).hexdigest()


Talk: TypeAlias = Generator[Call, Reply, T]
"""What makes calls one after the other, and returns what came of them."""


@dataclass(slots=True)
class Spent:
    """What a judgment took.

    Attributes:
        calls: Calls answered.
        repairs: Calls that asked again for a reply that could not be used.
        unusable: Replies that could not be used at last.
        failures: Calls without an answer.
        tokens_in: Tokens of prompts, as far as the provider counts them.
        tokens_out: Tokens of answers.
        cost: US dollars, for those calls whose price is known.
        priced: How many those are.
    """

    calls: int = 0
    repairs: int = 0
    unusable: int = 0
    failures: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    priced: int = 0

    def add(self, call: Call, reply: Reply) -> None:
        """Count one call."""
        self.repairs += call.repairs
        if is_lost(reply):
            self.failures += 1
            return
        self.calls += 1
        if reply.usage is not None:
            self.tokens_in += reply.usage.tokens_in
            self.tokens_out += reply.usage.tokens_out
            if reply.usage.cost is not None:
                self.cost += reply.usage.cost
                self.priced += 1

    def __iadd__(self, other: Spent) -> Spent:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object; the cost as text, None where no price is known."""
        counts = {name: getattr(self, name) for name in self.__slots__ if name != "cost"}
        return {**counts, "cost": f"{self.cost:.6f}" if self.priced else None}


class _GoneError(Exception):
    """The model has stopped answering."""


@dataclass
class Desk:
    """Makes calls and counts them, by chain.

    Attributes:
        model: What answers.
        answers: Where answers are kept.
        structured: Whether the provider is told the form of each reply.
        begun: Whether each reply is begun for the model, which then goes on with it.
        watch: Told of progress.
        spent: By chain.
        made: Calls made now; the others had been answered before.
    """

    model: Answering
    answers: Answers
    structured: bool = True
    begun: bool = False
    watch: Watch | None = None
    spent: dict[str, Spent] = field(default_factory=dict)
    made: int = 0
    _counted: set[str] = field(default_factory=set)
    _done: int = 0
    _expected: int = 0
    _failed_in_a_row: int = 0
    _answered: Question | None = None
    _gone: bool = False

    def expect(self, calls: int) -> None:
        """Say that so many calls will be needed at least."""
        self._expected += calls

    def hear(self, talks: Sequence[Talk[T]]) -> list[T]:
        """Carry on all talks at once, one call of each at a time, and return what came of them."""
        results: dict[int, T] = {}
        heard: dict[int, Reply | None] = dict.fromkeys(range(len(talks)))
        while heard:
            calls: dict[int, Call] = {}
            for place, reply in heard.items():
                try:
                    talk = talks[place]
                    calls[place] = next(talk) if reply is None else talk.send(reply)
                except StopIteration as end:
                    results[place] = end.value
            heard = dict(zip(calls, self._replies(list(calls.values())), strict=True))
        return [results[place] for place in range(len(talks))]

    def tally(self, chain: str) -> Spent:
        """Return what a chain took so far."""
        return self.spent.setdefault(chain, Spent())

    def _replies(self, calls: Sequence[Call]) -> list[Reply]:
        keys = [call.key for call in calls]
        given = {key: kept for key in keys if (kept := self.answers.get(key)) is not None}
        todo = [
            (key, call)
            for key, call in dict(zip(keys, calls, strict=True)).items()
            if key not in given
        ]
        self._told(len(calls) - len(todo))
        self._ask(todo, given)
        replies = [given.get(key) or Reply(failure=_GONE) for key in keys]
        for key, call, reply in zip(keys, calls, replies, strict=True):
            if key not in self._counted:  # equal prompts are one call
                self._counted.add(key)
                self.tally(call.chain).add(call, reply)
        return replies

    def _ask(self, todo: Sequence[tuple[str, Call]], given: dict[str, Reply]) -> None:
        left = list(todo)
        while left and not self._gone:
            if self._wave(left, given):
                return
            # Prompts that it refuses, of a chain too long for it, must not pass for its absence.
            self._gone = not self._answers_still()
            self._failed_in_a_row = 0
            left = [(key, call) for key, call in left if key not in given]

    def _wave(self, todo: Sequence[tuple[str, Call]], given: dict[str, Reply]) -> bool:
        """Make calls; say whether all were made, and not broken off for want of answers."""
        questions = [self._question(call) for _, call in todo]

        def done(place: int, reply: Reply) -> None:
            key = todo[place][0]
            given[key] = reply
            self.answers.put(key, reply)
            self.made += 1
            self._told(1)
            if is_lost(reply):
                self._failed_in_a_row += 1
            else:
                self._failed_in_a_row = 0
                self._answered = questions[place]
            if self._failed_in_a_row >= IN_A_ROW:
                raise _GoneError

        try:
            self.model.ask(questions, done)
        except (_GoneError, ExceptionGroup) as error:
            if isinstance(error, ExceptionGroup) and error.split(_GoneError)[1] is not None:
                raise
            return False
        return True

    def _answers_still(self) -> bool:
        """Ask once more what was answered before."""
        if self._answered is None:
            return False
        replies: list[Reply] = []
        self.model.ask([self._answered], lambda _, reply: replies.append(reply))
        self.made += 1
        return not any(map(is_lost, replies))

    def _question(self, call: Call) -> Question:
        form = (call.form.name, call.form.schema) if self.structured else None
        messages = call.messages
        if self.begun:
            messages = begun_for(messages, call.form.begins, call.form.shape)
        return Question(messages, form=form)

    def _told(self, more: int) -> None:
        self._done += more
        self._expected = max(self._expected, self._done)
        if self.watch is not None and more:
            self.watch(self._done, self._expected)


def asked(
    desk: Desk, chain: str, messages: tuple[Message, ...], form: Form[T]
) -> Talk[T | Unmeasured]:
    """Ask once, and once more if the reply cannot be used; then it is unmeasured."""
    call = Call(chain, messages, form)
    for last in (False, True):
        reply = yield call
        if reply.failure is not None:
            return reply.failure
        try:
            return read_reply(reply, form)
        except UnusableReplyError as error:
            if last:
                desk.tally(chain).unusable += 1
                return Unmeasured(error.reason, one_line(f"{form.name}: {error.why}"))
            again = repair_for(messages, reply.text, error.why, form.schema)
            call = replace(call, messages=again, repairs=True)
    raise AssertionError("unreachable: the last attempt returns")


def total(spent: Mapping[str, Spent]) -> Spent:
    """Return what all chains took."""
    whole = Spent()
    for one in spent.values():
        whole += one
    return whole
