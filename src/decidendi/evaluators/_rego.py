"""The Rego adjudicator, on the embedded engine. The policies are sources; the rest is input."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import orjson

from decidendi.evaluators._answers import as_verdict, error_cell, failed, labels_of
from decidendi.judgment import (
    Identity,
    MissingExtraError,
    Reason,
    Source,
    State,
    Unmeasured,
    Verdict,
    one_line,
)

if TYPE_CHECKING:
    import regorus

_ENGINES = 64
"""Parsed policies kept at a time."""


class RegoAdjudicator:
    """Evaluates one rule, with ``input`` holding the content of each kind that is no policy.

    Policies are parsed once per version. The input is put together from the sources' canonical
    bytes, so nothing is written twice.
    """

    def __init__(self, identity: Identity, query: str, policies: Iterable[str]) -> None:
        """Make one.

        Args:
            identity: What it is.
            query: The path of the rule whose value is the verdict.
            policies: The kinds whose content is policy text.

        Raises:
            MissingExtraError: if the engine is not installed.
        """
        try:
            import regorus
        except ImportError:
            raise MissingExtraError("the rego engine", "rego") from None
        self._new_engine = regorus.Engine
        self._identity = identity
        self._query = query
        self._labels = labels_of(identity.verdicts)
        self._places = places(identity.kinds, policies)
        self._engines: OrderedDict[tuple[str, ...], regorus.Engine | Unmeasured] = OrderedDict()

    @property
    def identity(self) -> Identity:
        """What this adjudicator is."""
        return self._identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state, in order."""
        return [self._decide(state) for state in states]

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        """Draw one verdict per state: policies may use random numbers or the time."""
        return self.adjudicate(states)

    def _decide(self, state: State) -> Verdict:
        policies, inputs = self._places
        key = state.key
        engine = self._engines.get(tuple([key[i] for i in policies]))
        if engine is None:
            engine = self._parsed([state.sources[i] for i in policies])
        if isinstance(engine, Unmeasured):
            return engine
        sources = state.sources
        data = b"".join([part for i, head in inputs for part in (head, sources[i].data)])
        try:
            engine.set_input_json((b"{" + data + b"}").decode())
            answer = engine.eval_rule(self._query)
        except BaseException as error:  # the engine panics with a BaseException
            return _engine_error(error)
        label = self._labels.get(answer) if type(answer) is str else None
        return label if label is not None else answered(answer, self._labels)

    def _parsed(self, sources: Sequence[Source]) -> regorus.Engine | Unmeasured:
        key = tuple([source.digest for source in sources])
        parsed: regorus.Engine | Unmeasured
        parsed = engine = self._new_engine()
        try:
            for name, text in modules_of(sources):
                engine.add_policy(name, text)
        except BaseException as error:  # as above
            parsed = _engine_error(error)
        self._engines[key] = parsed
        if len(self._engines) > _ENGINES:
            self._engines.popitem(last=False)
        return parsed


def places(
    kinds: Sequence[str], policies: Iterable[str]
) -> tuple[tuple[int, ...], tuple[tuple[int, bytes], ...]]:
    """Return the places of the policies, and of the inputs each with the bytes before it."""
    named = frozenset(policies)
    code = tuple(i for i, kind in enumerate(kinds) if kind in named)
    inputs = [i for i, kind in enumerate(kinds) if kind not in named]
    heads = [b"," * (n > 0) + orjson.dumps(kinds[i]) + b":" for n, i in enumerate(inputs)]
    return code, tuple(zip(inputs, heads, strict=True))


def modules_of(sources: Iterable[Source]) -> list[tuple[str, str]]:
    """Return name and text of each policy file.

    Raises:
        TypeError: if a content is neither a text nor an object of texts.
    """
    modules = []
    for source in sources:
        content = source.content
        files = content if isinstance(content, dict) else {f"{source.kind}.rego": content}
        for path, text in files.items():
            if not isinstance(text, str):
                raise TypeError(f"{source.kind}: the policy {path} is not a text")
            modules.append((path, text))
    return modules


def answered(answer: object, labels: dict[str, str]) -> Verdict:
    """Return the verdict for what a rule evaluated to."""
    if answer is None:
        return failed("undefined: no rule gave the query a value")
    if isinstance(answer, set | frozenset):
        return failed("a set is not a verdict", Reason.LABEL)  # its order would differ
    return as_verdict(answer, labels)


def message_of(error: BaseException) -> tuple[str, str, int | None]:
    """Return what the engine complains of, in which file and on which line."""
    text = str(error).partition("Stack backtrace:")[0].partition("\n   0: ")[0]
    said = re.search(r"error: (.*)", text)
    place = re.search(r"--> (.+):(\d+):\d+", text)
    what = one_line(said[1] if said else text.strip() or type(error).__name__).rstrip(":")
    return what, place[1] if place else "", int(place[2]) if place else None


def _engine_error(error: BaseException) -> Unmeasured:
    if not isinstance(error, RuntimeError):
        return error_cell(error)
    what, file, line = message_of(error)
    return failed(f"{file}:{line}: {what}" if file else what)
