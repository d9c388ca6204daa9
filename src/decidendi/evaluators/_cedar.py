"""The Cedar adjudicator. Cedar only allows or denies, so each verdict is an action.

The actions are asked in the declared order; the first that is allowed gives its verdict, and
where none is, the verdict is the one declared for that. Cedar passes over a policy whose
evaluation fails and says so beside its decision: here that is an error, never a verdict.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from decidendi.evaluators._answers import error_cell, failed
from decidendi.evaluators._rego import modules_of
from decidendi.judgment import (
    JSON,
    BadInputError,
    Identity,
    MissingExtraError,
    Reason,
    Source,
    State,
    Verdict,
)

if TYPE_CHECKING:
    import cedarpy

_PARSED = 64
"""Parsed policy sets, and parsed entities, kept at a time."""

_UID = re.compile(r'\s*([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)::"(.*)"\s*', re.DOTALL)
_HOLE = re.compile(r"\{([A-Za-z_]\w*(?:\.[^{}.]+)*)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """An entity with holes for values of the state, e.g. ``User::"{grounds.customer}"``.

    Attributes:
        type: The entity type.
        parts: Fixed text and paths in turn, beginning and ending with text.
    """

    type: str
    parts: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Template:
        """Read a template.

        Raises:
            BadInputError: if it is no entity.
        """
        found = _UID.fullmatch(text)
        if found is None:
            remedy = 'write e.g. User::"{grounds.customer}"'
            raise BadInputError(f"{text!r} is not an entity", remedy=remedy)
        return cls(found[1], tuple(_HOLE.split(found[2])))

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the holes."""
        return self.parts[1::2]

    def filled(self, state: State) -> dict[str, str]:
        """Return the entity for a state. Raises ``LookupError`` naming a path without a value."""
        parts = [_value_at(state, p) if n % 2 else p for n, p in enumerate(self.parts)]
        return {"type": self.type, "id": "".join(parts)}


class CedarAdjudicator:
    """Asks Cedar whether the actions that stand for verdicts are allowed."""

    def __init__(
        self, identity: Identity, settings: Mapping[str, JSON], policies: Iterable[str]
    ) -> None:
        """Make one.

        Args:
            identity: What it is.
            settings: The ``adjudicator`` table of the manifest.
            policies: The kinds whose content is policy text.

        Raises:
            BadInputError: if an entity is not written as one.
            MissingExtraError: if the engine is not installed.
        """
        try:
            import cedarpy
        except ImportError:
            raise MissingExtraError("the cedar engine", "cedar") from None
        self._cedar = cedarpy
        self._identity = identity
        about: Any = settings
        self._principal = _template(about, "principal")
        self._resource = _template(about, "resource")
        self._context: str | list[str] = about["context"]
        self._entities: str | None = about["entities"]
        self._otherwise: str = about["otherwise"]
        self._actions: list[tuple[str, str]] = list(about["actions"].items())
        named = frozenset(policies)
        self._policies = [i for i, kind in enumerate(identity.kinds) if kind in named]
        self._parsed: OrderedDict[tuple[str, ...], Any] = OrderedDict()

    @property
    def identity(self) -> Identity:
        """What this adjudicator is."""
        return self._identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state, in order."""
        return [self._decide(state) for state in states]

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        """Draw one verdict per state. Cedar is deterministic: all draws of a state agree."""
        return self.adjudicate(states)

    def _decide(self, state: State) -> Verdict:
        try:
            policies = self._policy_set(state)
            entities = self._entity_set(state)
            request: dict[str, Any] = {
                "principal": self._principal.filled(state),
                "resource": self._resource.filled(state),
                "context": self._context_of(state),
            }
            for verdict, action in self._actions:
                asked = {**request, "action": action}
                result = self._cedar.is_authorized(asked, policies, entities)
                if result.diagnostics.errors:
                    return failed(f"{verdict}: {result.diagnostics.errors[0]}")
                if result.allowed:
                    return verdict
        except LookupError as error:
            return failed(str(error.args[0]), Reason.INTERFACE)
        except BaseException as error:  # the engine panics with a BaseException
            return error_cell(error)
        return self._otherwise

    def _context_of(self, state: State) -> str:
        if isinstance(self._context, str):
            place = self._identity.kinds.index(self._context)
            return state.sources[place].data.decode()
        return json.dumps({kind: state[kind] for kind in self._context})

    def _policy_set(self, state: State) -> cedarpy.PolicySet:
        sources = [state.sources[i] for i in self._policies]
        key = ("policies", *[source.digest for source in sources])
        if (found := self._parsed.get(key)) is None:
            found = self._keep(key, self._cedar.PolicySet.from_str(policy_text(sources)))
        return found  # type: ignore[no-any-return]  # kept under this key

    def _entity_set(self, state: State) -> Any:  # noqa: ANN401 - a handle, or no entities
        if self._entities is None:
            return []
        source = state.sources[self._identity.kinds.index(self._entities)]
        key = ("entities", source.digest)
        if (found := self._parsed.get(key)) is None:
            found = self._keep(key, self._cedar.Entities.from_json_str(source.data.decode()))
        return found

    def _keep(self, key: tuple[str, ...], value: Any) -> Any:  # noqa: ANN401 - handles of the engine
        self._parsed[key] = value
        if len(self._parsed) > 2 * _PARSED:
            self._parsed.popitem(last=False)
        return value


def policy_text(sources: Sequence[Source]) -> str:
    """Return the text of all policies, file after file.

    Raises:
        TypeError: if a content is neither a text nor an object of texts.
    """
    return "\n".join(text for _, text in modules_of(sources))


def _template(settings: Mapping[str, Any], field: str) -> Template:
    try:
        return Template.of(settings[field])
    except BadInputError as error:
        raise error.at(field=f"adjudicator.{field}") from None


def _value_at(state: State, path: str) -> str:
    steps = path.split(".")
    try:
        value: JSON = state[steps[0]]
    except KeyError:
        raise LookupError(f"{steps[0]} is not a kind of source") from None
    for step in steps[1:]:
        value = value.get(step) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise LookupError(f"{path} is not a text or an integer")
    return str(value)
