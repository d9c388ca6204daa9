"""The parts of the sources that can affect a case, and the migration of old forms.

A local part has the form of the whole, with less in it: the evaluator must give the same
verdict on the part as on the whole. That is what lets the hybrids of a case be built from the
parts: where its old and revised grounds select differently, the part is what either selects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

import orjson

from decidendi.evaluators._answers import error_cell
from decidendi.evaluators._engines import loaded
from decidendi.evaluators._evaluator import Evaluator
from decidendi.evaluators._manifest import Pick
from decidendi.evaluators._python import problem_with
from decidendi.judgment import JSON, BadInputError, Source

_REMEMBERED = 5_000
_WATCHED_FIRST, _WATCHED_EVERY = 32, 64
"""Selections after which the whole sources are checked for changes made by the function."""

Contents = Mapping[str, JSON]
_Key = TypeVar("_Key")


class Selection(Protocol):
    """Selects the local parts of whole sources."""

    def of(self, cases: Sequence[Contents]) -> Mapping[str, Source]:
        """Return the parts, by kind, that can affect a case with any of these contents."""
        ...


class Whole:
    """No selection: every case is decided from the whole sources."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources

    def of(self, cases: Sequence[Contents]) -> Mapping[str, Source]:
        """Return the whole sources."""
        return self._sources


class Picks:
    """Of some JSON objects, the entries whose keys stand in the case."""

    def __init__(self, sources: Mapping[str, Source], picks: Mapping[str, Pick]) -> None:
        """Prepare to pick.

        Raises:
            BadInputError: if a source to pick from is not a JSON object.
        """
        self._sources = dict(sources)
        self._picks = []
        for kind, pick in picks.items():
            whole = sources[kind].content
            if not isinstance(whole, dict):
                remedy = "pick from a JSON object, or select with an entry"
                what = f"the {kind} source is not a JSON object"
                raise BadInputError(what, remedy=remedy).at(field=f"local.{kind}")
            paths = tuple(tuple(path.split(".")) for path in pick.pick)
            self._picks.append((kind, whole, paths, tuple(pick.keep)))
        self._known: dict[tuple[str, tuple[str, ...]], Source] = {}

    def of(self, cases: Sequence[Contents]) -> Mapping[str, Source]:
        """Return the sources, those picked from with only the entries that the case names."""
        parts = dict(self._sources)
        for kind, whole, paths, keep in self._picks:
            named = [key for case in cases for path in paths for key in _keys_at(case, path)]
            wanted = (kind, tuple(named))
            part = self._known.get(wanted)
            if part is None:
                chosen = {key: whole[key] for key in (*keep, *named) if key in whole}
                part = _remember(self._known, wanted, Source(kind, chosen))
            parts[kind] = part
        return parts


class Selected:
    """Whatever a function of the evaluator selects."""

    def __init__(
        self, sources: Mapping[str, Source], function: Callable[..., object], entry: str
    ) -> None:
        self._sources = dict(sources)
        self._contents = {kind: source.content for kind, source in sources.items()}
        self._function = function
        self._entry = entry
        self._known: dict[tuple[str, ...], Source] = {}
        self._count = 0

    def of(self, cases: Sequence[Contents]) -> Mapping[str, Source]:
        """Return the parts; a kind that the function does not select stays whole.

        Raises:
            BadInputError: if the function fails, or returns something else than parts.
        """
        answers = [self._ask(case) for case in cases]
        parts = dict(self._sources)
        for kind, source in self._sources.items():
            contents = [answer.get(kind, source.content) for answer in answers]
            content = contents[0] if len(contents) == 1 else _either(contents, source.content)
            if content is not source.content:
                parts[kind] = self._part(source, content)
        return parts

    def _part(self, whole: Source, content: JSON) -> Source:
        """Return the source of a part; parts made of the whole's own entries are digested once."""
        key = None
        if isinstance(content, dict) and isinstance(whole.content, dict):
            of = whole.content
            if all(name in of and of[name] is item for name, item in content.items()):
                key = (whole.kind, *content)
                if (known := self._known.get(key)) is not None:
                    return known
        part = Source(whole.kind, content)
        return part if key is None else _remember(self._known, key, part)

    def _ask(self, case: Contents) -> dict[str, JSON]:
        try:
            answer = self._function(**case, **self._contents)
        except BaseException as error:  # the user's code may raise anything
            raise self._failed(f"failed: {error_cell(error).detail}") from None
        if not isinstance(answer, dict) or not answer.keys() <= self._sources.keys():
            kinds = ", ".join(self._sources)
            raise self._failed(f"did not return an object with some of the kinds {kinds}")
        self._count += 1
        if self._count <= _WATCHED_FIRST or self._count % _WATCHED_EVERY == 0:
            for source in self._sources.values():
                if orjson.loads(source.data) != source.content:
                    raise self._failed(f"changed the {source.kind} it was given")
        return answer

    def _failed(self, how: str) -> BadInputError:
        remedy = "it must return new values, by kind, and raise for no case"
        return BadInputError(f"the local selection {self._entry} {how}", remedy=remedy)


def selection_of(evaluator: Evaluator, sources: Mapping[str, Source]) -> Selection:
    """Return the evaluator's selection over whole sources of its form.

    Raises:
        BadInputError: if its function cannot be loaded, or a source cannot be picked from.
    """
    local = evaluator.local
    if local is None:
        return Whole(sources)
    if local.entry is None:
        return Picks(sources, local.__pydantic_extra__)
    function = loaded(evaluator.helpers[local.entry], local.entry)
    kinds = evaluator.kinds
    if (problem := problem_with(function, kinds)) is not None:
        remedy = f"write def {local.entry.partition(':')[2]}({', '.join(kinds)})"
        raise BadInputError(f"{local.entry} {problem}", remedy=remedy).at(field="local.entry")
    return Selected(sources, function, local.entry)


class Migrations:
    """The declared functions from the old form of some kinds to the revised form."""

    def __init__(self, evaluator: Evaluator) -> None:
        """Load them.

        Raises:
            BadInputError: if a function cannot be loaded.
        """
        self._functions: dict[str, Callable[..., object]] = {}
        for kind, entry in evaluator.migrations.items():
            try:
                self._functions[kind] = loaded(evaluator.helpers[entry], entry)
            except BadInputError as error:
                raise error.at(field=f"migrations.{kind}") from None

    def __bool__(self) -> bool:
        return bool(self._functions)

    def __contains__(self, kind: str) -> bool:
        return kind in self._functions

    def migrate(self, source: Source) -> Source:
        """Return the source in the revised form; itself where no migration is declared.

        Raises:
            BadInputError: if the function fails on it, or returns no JSON value.
        """
        function = self._functions.get(source.kind)
        if function is None:
            return source
        try:
            content = function(orjson.loads(source.data))
        except BaseException as error:  # the user's code may raise anything
            what = f"the migration failed: {error_cell(error).detail}"
            remedy = "a migration must carry over every old form"
            raise BadInputError(what, remedy=remedy).at(field=source.kind) from None
        try:
            return Source(source.kind, content)  # type: ignore[arg-type]  # Source checks it
        except BadInputError as error:
            error.what = f"the migration returned no canonical value: {error.what}"
            raise


def _remember(known: dict[_Key, Source], key: _Key, part: Source) -> Source:
    """Keep a part, emptying the table when it is full."""
    if len(known) >= _REMEMBERED:
        known.clear()
    known[key] = part
    return part


def _keys_at(case: Contents, path: tuple[str, ...]) -> list[str]:
    """Return the keys that stand at a path of the case: a text or integer, or a list of them."""
    value: JSON = dict(case) if len(path) == 0 else case.get(path[0])
    for step in path[1:]:
        value = value.get(step) if isinstance(value, dict) else None
    items = value if isinstance(value, list) else [value]
    return [
        item if isinstance(item, str) else str(item)
        for item in items
        if isinstance(item, str) or (isinstance(item, int) and not isinstance(item, bool))
    ]


def _either(contents: Sequence[JSON], whole: JSON) -> JSON:
    """Return what holds all of several parts: their union if they are objects, else the whole."""
    first = contents[0]
    if all(content == first for content in contents[1:]):
        return first
    union: dict[str, JSON] = {}
    for content in contents:
        if not isinstance(content, dict):
            return whole
        for key, item in content.items():
            if union.setdefault(key, item) != item:
                return whole
    return union
