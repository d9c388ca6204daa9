"""The typed rule language of policy worlds, and the adjudicator that executes it.

A rule is data, so that it can be mutated, put into words, and translated to Rego. Sources:

- *grounds* ``{"request": {dimension: value}, "record": {field: value}}``; other fields are
  irrelevant records and are never read.
- *norms* ``{"rules": [{"then": verdict, "when": condition}, …], "otherwise": verdict}``: the
  first rule whose condition holds disposes of the case.
- *authority* ``{"scope": {dimension: [value, …]}}``: jurisdiction where the request's value
  stands in the scope of every dimension.

A *term* is an integer, a boolean, a text, a field (text that begins with a dot), or
``[count, list]``, ``[plus, a, b]``, ``[times, a, b]``, ``[look up, table, key, key]``.
A *condition* is ``[all | any, condition, …]``, ``[not, condition]``, a comparison
``[at most | below | at least | above | is | is not, a, b]``, or
``[one of, a, [value, …]]``, ``[within, list, list]`` (subset), ``[alike, list]`` (all equal).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from decidendi.judgment import (
    GROUNDS_NORMS_AUTHORITY,
    JSON,
    Identity,
    Reason,
    State,
    Unmeasured,
    Verdict,
    digest_of,
)

VERDICTS = ("approve", "deny", "refer")
SEMANTICS = 1
"""Raised whenever the meaning of a rule changes; part of the adjudicator's digest."""

Record: TypeAlias = Mapping[str, Any]
Reader: TypeAlias = Callable[[Record], Any]

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "at most": operator.le,
    "below": operator.lt,
    "at least": operator.ge,
    "above": operator.gt,
    "is": operator.eq,
    "is not": operator.ne,
}
_ORDERED = ("at most", "below", "at least", "above")


class IllTypedError(Exception):
    """A source outside the rule language, or a value of the wrong type."""


class PolicyRules:
    """Executes policy rules behind the jurisdiction gate (Chen & Zhang, section 2.2)."""

    def __init__(self) -> None:
        self._identity = Identity(
            name="policy",
            engine="policy",
            digest=digest_of({"engine": "policy", "semantics": SEMANTICS}),
            verdicts=VERDICTS,
            kinds=GROUNDS_NORMS_AUTHORITY,
        )
        self._merits: dict[str, Callable[[Record], str]] = {}

    @property
    def identity(self) -> Identity:
        """What this adjudicator is."""
        return self._identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state, in order; an ill-typed source is an ``INTERFACE`` cell."""
        return [self._decide(state) for state in states]

    def _decide(self, state: State) -> Verdict:
        grounds, norms, authority = state.sources
        try:
            merits = self._merits.get(norms.digest)
            if merits is None:
                merits = self._merits[norms.digest] = compile_norms(norms.content)
            request, record = _read_grounds(grounds.content)
            if not has_jurisdiction(authority.content, request):
                return "refer"
            return merits(record)
        except IllTypedError as error:
            return Unmeasured(Reason.INTERFACE, str(error))


def _read_grounds(content: JSON) -> tuple[Record, Record]:
    if not isinstance(content, dict):
        raise IllTypedError("grounds: not an object")
    request, record = content.get("request"), content.get("record")
    if not isinstance(request, dict) or not isinstance(record, dict):
        raise IllTypedError("grounds: request and record must be objects")
    return request, record


def has_jurisdiction(authority: JSON, request: Record) -> bool:
    """Say whether the request stands inside the scope, in every dimension the scope names."""
    scope = authority.get("scope") if isinstance(authority, dict) else None
    if not isinstance(scope, dict):
        raise IllTypedError("authority: no scope")
    for dimension, values in scope.items():
        if not isinstance(values, list) or dimension not in request:
            raise IllTypedError(f"authority.scope.{dimension}: not a list, or not in the request")
        if request[dimension] not in values:
            return False
    return True


def compile_norms(norms: JSON) -> Callable[[Record], str]:
    """Turn norms into a function from a record to its disposition.

    Raises:
        IllTypedError: here for norms outside the language; on calling, for a field that is
            missing or of the wrong type.
    """
    if not isinstance(norms, dict) or not isinstance(norms.get("rules"), list):
        raise IllTypedError("norms: not an object with rules")
    otherwise = norms.get("otherwise")
    rules: list[tuple[Reader, str]] = []
    for rule in norms["rules"]:  # type: ignore[union-attr]  # a list: checked above
        if not isinstance(rule, dict) or rule.get("then") not in VERDICTS:
            raise IllTypedError("norms: a rule without a verdict")
        rules.append((_condition(rule.get("when")), str(rule["then"])))
    if otherwise not in VERDICTS:
        raise IllTypedError("norms: no verdict for all other cases")

    def merits(record: Record) -> str:
        try:
            for holds, verdict in rules:
                if holds(record):
                    return verdict
        except (KeyError, TypeError) as error:
            raise IllTypedError(f"record: {type(error).__name__}: {error}") from None
        return str(otherwise)

    return merits


def _condition(expr: JSON) -> Reader:
    if not isinstance(expr, list) or not expr:
        raise IllTypedError(f"norms: {expr!r} is not a condition")
    op, parts = expr[0], expr[1:]
    if op in ("all", "any"):
        inner = [_condition(part) for part in parts]
        if op == "all":
            return lambda record: all([holds(record) for holds in inner])
        return lambda record: any([holds(record) for holds in inner])
    if op == "not" and len(parts) == 1:
        holds = _condition(parts[0])
        return lambda record: not holds(record)
    if op == "alike" and len(parts) == 1:
        items = _term(parts[0])
        return lambda record: len(set(items(record))) <= 1
    if not isinstance(op, str) or len(parts) != 2:
        raise IllTypedError(f"norms: {expr!r} is not a condition")
    left, right = _term(parts[0]), _term(parts[1])
    if op == "one of":
        return lambda record: left(record) in right(record)
    if op == "within":
        return lambda record: set(left(record)) <= set(right(record))
    return _comparison(op, left, right)


def _comparison(op: str, left: Reader, right: Reader) -> Reader:
    compare = _COMPARE.get(op)
    if compare is None:
        raise IllTypedError(f"norms: no comparison {op!r}")
    ordered = op in _ORDERED

    def holds(record: Record) -> bool:
        a, b = left(record), right(record)
        # Python would order texts, and count true as 1: in a typed language both are errors.
        if type(a) is not type(b) or (ordered and type(a) is not int):
            raise TypeError(f"{a!r} {op} {b!r}")
        return compare(a, b)

    return holds


def _term(expr: JSON) -> Reader:
    if isinstance(expr, str) and expr.startswith("."):
        field = expr[1:]
        return lambda record: record[field]
    if isinstance(expr, bool | int | str):
        return lambda record: expr
    if not isinstance(expr, list):
        raise IllTypedError(f"norms: {expr!r} is not a term")
    if len(expr) == 2 and expr[0] == "count":
        items = _term(expr[1])
        return lambda record: len(items(record))
    if len(expr) == 3 and expr[0] in ("plus", "times"):
        left, right = _term(expr[1]), _term(expr[2])
        combine = operator.add if expr[0] == "plus" else operator.mul
        return lambda record: combine(left(record), right(record))
    if len(expr) == 4 and expr[0] == "look up" and isinstance(expr[1], dict):
        table: Any = expr[1]
        row, column = _term(expr[2]), _term(expr[3])
        return lambda record: table[row(record)][column(record)]
    return lambda record: expr  # a list of values
