"""The rules adjudicator: facts, positive rules and the rules that have authority.

The reference adjudicator of logical worlds (Chen & Zhang, sections 2.2 and 5.2). Its sources:

- *grounds* ``{"facts": [atom, …], "query": atom}``: what is accepted, and what is asked. Other
  fields are irrelevant records: they are part of the digest and are never read.
- *norms* ``[{"id": …, "if": [atom, …], "then": atom}, …]``: positive rules, each atom any text.
  A rule with ``"over": [name, …]`` is a scheme: it stands for one rule per name, with every
  ``?`` in its atoms replaced by the name.
- *authority* ``[id, …]``: the rules that may speak. An id that no rule bears is allowed, since
  in a hybrid the rule may be in the other version only; it lends authority to nothing.

Only rules with authority speak: they alone give jurisdiction, and they alone derive. There is
jurisdiction over the query if some authoritative rule concludes it. Then

    no jurisdiction → refer;   query derivable → approve;   otherwise → deny.

The gate comes first: a query that merely stands among the facts is still referred where no
authoritative rule concludes it, since a fact is evidence and not a disposition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from decidendi.judgment import (
    GROUNDS_NORMS_AUTHORITY,
    JSON,
    BadInputError,
    Identity,
    Reason,
    State,
    Unmeasured,
    Verdict,
    digest_of,
)

SEMANTICS = 1
"""Raised whenever the meaning of a source changes; part of the adjudicator's digest."""

_REMEMBERED = 50_000
"""Compiled sources kept per table; the table is emptied when it is full."""

_T = TypeVar("_T")
_Step: TypeAlias = tuple[int, int]
"""One ground rule: the atoms it needs, and the atom it gives, as bits."""


@dataclass(frozen=True, slots=True)
class _Norms:
    """Compiled norms: the bit of each atom of a rule, and the ground rules of each id."""

    bits: dict[str, int]
    steps: dict[str, tuple[_Step, ...]]


@dataclass(frozen=True, slots=True)
class _Speaking:
    """The ground rules that have authority, and the atoms they conclude."""

    steps: tuple[_Step, ...]
    heads: int


@dataclass(frozen=True, slots=True)
class _Grounds:
    """The accepted facts and the query, in the bits of some norms; 0 if no rule mentions it."""

    facts: int
    query: int


class _IllTypedError(Exception):
    """A source that is not of the form above; the text says which and why."""


class RulesAdjudicator:
    """Decides a query by forward chaining over int bit masks.

    Compiled sources are remembered by digest, so a hybrid of sources seen before costs three
    look-ups and the chaining itself.
    """

    def __init__(
        self,
        name: str = "rules",
        verdicts: Sequence[str] = ("approve", "deny", "refer"),
        kinds: Sequence[str] = GROUNDS_NORMS_AUTHORITY,
    ) -> None:
        """Make one.

        Args:
            name: The evaluator's name.
            verdicts: The labels of *derivable*, *not derivable* and *no jurisdiction*.
            kinds: The kinds of source in order; must hold grounds, norms and authority only.

        Raises:
            BadInputError: if there are not three distinct labels, or the kinds are others.
        """
        if len(verdicts) != 3 or len(set(verdicts)) != 3:
            raise BadInputError(
                f"the rules engine gives three verdicts, not {list(verdicts)}",
                remedy="name the labels of: derivable, not derivable, no jurisdiction",
            )
        if sorted(kinds) != sorted(GROUNDS_NORMS_AUTHORITY):
            raise BadInputError(
                f"the rules engine reads grounds, norms and authority, not {list(kinds)}",
                remedy="declare exactly these three sources, in any order",
            )
        self._approve, self._deny, self._refer = verdicts
        self._places = tuple(tuple(kinds).index(kind) for kind in GROUNDS_NORMS_AUTHORITY)
        self._identity = Identity(
            name=name,
            engine="rules",
            digest=digest_of({"engine": "rules", "semantics": SEMANTICS}),
            verdicts=tuple(verdicts),
            kinds=tuple(kinds),
        )
        self._norms: dict[str, _Norms] = {}
        self._speaking: dict[tuple[str, str], _Speaking] = {}
        self._grounds: dict[tuple[str, str], _Grounds] = {}

    @property
    def identity(self) -> Identity:
        """What this adjudicator is."""
        return self._identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state, in order; an ill-typed source is an ``INTERFACE`` cell."""
        return [self._decide(state) for state in states]

    def depth(self, state: State) -> int | None:
        """Return how many layers of rules the shallowest proof of the query has.

        Zero if the query is a fact; None if it cannot be derived. Jurisdiction is not asked.

        Raises:
            BadInputError: if the state is ill-typed.
        """
        try:
            speaking, grounds = self._compile(state)
        except _IllTypedError as error:
            raise BadInputError(str(error)) from None
        known, layers = grounds.facts, 0
        while not known & grounds.query:
            found = known
            for body, head in speaking.steps:
                if body & ~known == 0:
                    found |= head
            if found == known:
                return None
            known = found
            layers += 1
        return layers

    def _decide(self, state: State) -> Verdict:
        try:
            speaking, grounds = self._compile(state)
        except _IllTypedError as error:
            return Unmeasured(Reason.INTERFACE, str(error))
        if not speaking.heads & grounds.query:
            return self._refer
        known, query = grounds.facts, grounds.query
        before = -1
        while known != before and not known & query:
            before = known
            for body, head in speaking.steps:
                if body & ~known == 0:
                    known |= head
        return self._approve if known & query else self._deny

    def _compile(self, state: State) -> tuple[_Speaking, _Grounds]:
        """Look up, or compile, what the state's sources say. Raises ``_IllTypedError``."""
        g, n, a = self._places
        digests = state.key
        speaking = self._speaking.get((digests[n], digests[a]))
        grounds = self._grounds.get((digests[n], digests[g]))
        if speaking is not None and grounds is not None:
            return speaking, grounds
        norms = self._norms.get(digests[n])
        if norms is None:
            norms = _keep(self._norms, digests[n], _read_norms(state.sources[n].content))
        if speaking is None:
            read = _read_authority(state.sources[a].content, norms)
            speaking = _keep(self._speaking, (digests[n], digests[a]), read)
        if grounds is None:
            accepted = _read_grounds(state.sources[g].content, norms)
            grounds = _keep(self._grounds, (digests[n], digests[g]), accepted)
        return speaking, grounds


_K = TypeVar("_K")


def _keep(table: dict[_K, _T], key: _K, value: _T) -> _T:
    if len(table) >= _REMEMBERED:
        table.clear()
    table[key] = value
    return value


def _texts(value: JSON, what: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _IllTypedError(f"{what} is not a list of texts")
    return value  # type: ignore[return-value]  # just checked


def _read_norms(content: JSON) -> _Norms:
    if not isinstance(content, list):
        raise _IllTypedError("norms: not a list of rules")
    bits: dict[str, int] = {}
    steps: dict[str, tuple[_Step, ...]] = {}

    def bit(atom: str) -> int:
        return bits.setdefault(atom, 1 << len(bits))

    for i, rule in enumerate(content):
        name, ground = _read_rule(rule, f"norms[{i}]")
        if name in steps:
            raise _IllTypedError(f"norms[{i}]: a second rule with the id {name!r}")
        compiled = []
        for body, head in ground:
            needed = 0
            for atom in body:
                needed |= bit(atom)
            compiled.append((needed, bit(head)))
        steps[name] = tuple(compiled)
    return _Norms(bits, steps)


def _read_rule(rule: JSON, where: str) -> tuple[str, list[tuple[list[str], str]]]:
    """Return a rule's id and its ground instances."""
    if not isinstance(rule, dict):
        raise _IllTypedError(f"{where}: not an object")
    if unknown := sorted(rule.keys() - {"id", "if", "then", "over"}):
        raise _IllTypedError(f"{where}: unknown field {unknown[0]!r}")
    name, head = rule.get("id"), rule.get("then")
    if not isinstance(name, str) or not isinstance(head, str):
        raise _IllTypedError(f"{where}: id and then must be texts")
    body = _texts(rule.get("if"), f"{where}.if")
    if "over" not in rule:
        return name, [(body, head)]
    names = _texts(rule["over"], f"{where}.over")
    return name, [([atom.replace("?", n) for atom in body], head.replace("?", n)) for n in names]


def _read_authority(content: JSON, norms: _Norms) -> _Speaking:
    ids = set(_texts(content, "authority"))
    steps = tuple(step for name, own in norms.steps.items() if name in ids for step in own)
    heads = 0
    for _, head in steps:
        heads |= head
    return _Speaking(steps, heads)


def _read_grounds(content: JSON, norms: _Norms) -> _Grounds:
    if not isinstance(content, dict):
        raise _IllTypedError("grounds: not an object with facts and query")
    query = content.get("query")
    if not isinstance(query, str):
        raise _IllTypedError("grounds.query is not a text")
    facts = 0
    for atom in _texts(content.get("facts"), "grounds.facts"):
        facts |= norms.bits.get(atom, 0)
    return _Grounds(facts, norms.bits.get(query, 0))
