"""The Python adjudicator: a function of the sources' contents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from platform import python_implementation, python_version_tuple
from types import ModuleType
from typing import Any

import orjson

from decidendi.evaluators._answers import as_verdict, error_cell, labels_of
from decidendi.evaluators._modules import load, unload
from decidendi.judgment import (
    GROUNDS_NORMS_AUTHORITY,
    JSON,
    BadInputError,
    Identity,
    Source,
    State,
    Verdict,
    canonical_bytes,
    digest_of,
    sha256,
)

_MODULES = 256
"""Loaded versions of Python sources kept at a time."""


class FunctionAdjudicator:
    """Calls one function per state, with one keyword argument per kind of source.

    Contents are handed over as they are, without a copy. After each batch they are compared
    with their digested bytes; a function that changes its arguments is thereby found out, its
    batch is decided again with copies, and so is everything after it.
    """

    def __init__(self, identity: Identity, function: Callable[..., object]) -> None:
        """Wrap ``function``.

        Args:
            identity: What the adjudicator is.
            function: Called with a content for each kind. If it has a parameter ``repeat``,
                a draw passes it the number of draws of the same state before this one.
        """
        self._identity = identity
        self._function = function
        self._labels = labels_of(identity.verdicts)
        self._copying = False
        self._takes_repeat = _takes(function, "repeat")

    @property
    def identity(self) -> Identity:
        """What this adjudicator is."""
        return self._identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state, in order; of a stochastic function, its first draw."""
        first = self._takes_repeat and not self._identity.deterministic
        return self._guarded(states, [0] * len(states) if first else None)

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        """Draw one verdict per state, independently."""
        return self._guarded(states, repeats if self._takes_repeat else None)

    def _guarded(self, states: Sequence[State], repeats: Sequence[int] | None) -> list[Verdict]:
        if not self._copying:
            verdicts = self._decide(states, repeats)
            if not _restore_changed(states):
                return verdicts
            self._copying = True
        return self._decide([_copied(state) for state in states], repeats)

    def _decide(self, states: Sequence[State], repeats: Sequence[int] | None) -> list[Verdict]:
        labels = self._labels
        verdicts: list[Verdict] = []
        for i, state in enumerate(states):
            try:
                if repeats is None:
                    answer = self._call(state)
                else:
                    answer = self._call(state, repeat=repeats[i])
                if type(answer) is str and answer in labels:
                    verdicts.append(answer)
                else:
                    verdicts.append(as_verdict(answer, labels))
            except BaseException as error:
                verdicts.append(error_cell(error))
        return verdicts

    def _call(self, state: State, **more: int) -> object:
        return self._function(**{s.kind: s.content for s in state.sources}, **more)


class ModuleAdjudicator(FunctionAdjudicator):
    """Like ``FunctionAdjudicator``, where some sources are Python modules.

    The function receives such a source as the loaded module; or it *is* a function of such a
    source, which then is the code that decides and not one of its arguments.
    """

    def __init__(
        self,
        identity: Identity,
        modules: Iterable[str],
        function: Callable[..., object] | None,
        entry: str,
    ) -> None:
        """Wrap a function.

        Args:
            identity: What the adjudicator is.
            modules: The kinds that are Python modules.
            function: The function that decides, or None if a source has it.
            entry: ``kind:function`` if a source has it.
        """
        super().__init__(identity, function or (lambda: None))
        self._kinds = frozenset(modules)
        self._fixed = function
        self._kind, _, self._name = entry.partition(":")
        self._loaded: dict[str, ModuleType] = {}

    def _call(self, state: State, **more: int) -> object:
        arguments: dict[str, Any] = {
            s.kind: self._module(s) if s.kind in self._kinds else s.content for s in state.sources
        }
        if self._fixed is not None:
            return self._fixed(**arguments, **more)
        function = getattr(arguments.pop(self._kind), self._name)
        passed = more if more and _takes(function, "repeat") else {}
        return function(**arguments, **passed)

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        """Draw one verdict per state, independently."""
        if self._fixed is None:
            return self._guarded(states, repeats)
        return super().draw(states, repeats)

    def _module(self, source: Source) -> ModuleType:
        found = self._loaded.get(source.digest)
        if found is None:
            if len(self._loaded) >= _MODULES:
                unload(self._loaded.pop(next(iter(self._loaded))))
            if not isinstance(source.content, str):
                raise TypeError(f"the Python source {source.kind} is not one text")
            found = load({f"{source.kind}.py": source.content}, source.kind)
            self._loaded[source.digest] = found
        return found


def function_adjudicator(
    function: Callable[..., object],
    *,
    name: str,
    verdicts: Sequence[str],
    kinds: Sequence[str] = GROUNDS_NORMS_AUTHORITY,
    deterministic: bool = True,
    version: str = "",
) -> FunctionAdjudicator:
    """Make an adjudicator of a plain Python function.

    Args:
        function: Called with one keyword argument per kind, the source's content; returns a
            label. May be stochastic, if ``deterministic`` says so.
        name: The evaluator's name.
        verdicts: The labels it may return, in the order that reports show them.
        kinds: The kinds of source, in order.
        deterministic: Whether equal states always give equal verdicts.
        version: Change it whenever the function changes in a way its own text does not show,
            for example in what it calls.

    The identity's digest binds the function's text where Python can find it, its qualified
    name, and ``version``; for evaluators in a folder all of the folder's code is bound.
    """
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):
        text = ""
    about: dict[str, JSON] = {
        "engine": "python",
        "library": python_version(),
        "function": getattr(function, "__qualname__", type(function).__qualname__),
        "text": sha256(text.encode()),
        "version": version,
    }
    identity = Identity(
        name=name,
        engine="python",
        digest=digest_of(about),
        verdicts=tuple(verdicts),
        kinds=tuple(kinds),
        deterministic=deterministic,
    )
    return FunctionAdjudicator(identity, function)


def python_version() -> str:
    """Return what executes Python here: implementation and minor version."""
    return f"{python_implementation()} {'.'.join(python_version_tuple()[:2])}"


def problem_with(function: object, kinds: Sequence[str], *, repeat: bool = False) -> str | None:
    """Say why ``function`` cannot be called with one keyword argument per kind, if so.

    Args:
        function: What was found under the entry's name.
        kinds: The kinds it is called with.
        repeat: Whether a parameter ``repeat`` is given its value as well.
    """
    if not callable(function):
        return "is not a function"
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return "must return a verdict, not a coroutine or generator"
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None  # built-in without a signature: only calling it can tell
    extra = {"repeat": 0} if repeat and _takes(function, "repeat") else {}
    try:
        signature.bind(**dict.fromkeys(kinds), **extra)
    except TypeError as error:
        return f"takes {signature}, but is called with {', '.join(kinds)} ({error})"
    return None


def _takes(function: object, parameter: str) -> bool:
    try:
        return parameter in inspect.signature(function).parameters  # type: ignore[arg-type]  # tried
    except (TypeError, ValueError):
        return False


def _restore_changed(states: Sequence[State]) -> bool:
    """Say whether any content differs from its digested bytes, and put those right."""
    changed = False
    dumps, sort = orjson.dumps, orjson.OPT_SORT_KEYS
    # This is on the path of every cell: each distinct source once, the fast comparison inline.
    for source in {id(source): source for state in states for source in state.sources}.values():
        content = source.content
        if type(content) is not dict and type(content) is not list:
            continue
        try:
            if dumps(content, None, sort) == source.data:
                continue
        except TypeError:
            pass  # the careful comparison tells
        if not _unchanged(source):
            source.content = orjson.loads(source.data)
            changed = True
    return changed


def _unchanged(source: Source) -> bool:
    try:
        return canonical_bytes(source.content) == source.data
    except BadInputError:
        return False


def _copied(state: State) -> State:
    return State([restored_source(s.kind, s.data, s.digest) for s in state.sources])


def restored_source(kind: str, data: bytes, digest: str) -> Source:
    """Return a source with a content of its own, from bytes that were digested before."""
    source: Source = object.__new__(Source)
    source.kind, source.data, source.digest = kind, data, digest
    source.content = orjson.loads(data)
    return source


def python_function(bundle: Mapping[str, str], entry: str) -> Callable[..., object]:
    """Load the function an entry names. Raises what its code raises, or ``AttributeError``."""
    module, _, name = entry.partition(":")
    return getattr(load(bundle, module), name)  # type: ignore[no-any-return]  # checked by the caller
