"""Revisions of policy norms: one small change at a time, anywhere in the rule tree.

Ordinary families, seen in training: *threshold* (a number moves), *set* (a value joins or
leaves a set), *connective* (all ↔ any, a condition dropped or added, a strict bound made weak,
an equality negated). The held-out family is the *exception*: a rule put before all others,
which disposes of a class of cases in its own way.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from decidendi.judgment import canonical_bytes
from decidendi.reasonbench._policy import VERDICTS

Norms: TypeAlias = dict[str, Any]
Inputs: TypeAlias = Mapping[str, Mapping[str, Any]]
FAMILIES = ("threshold", "set", "connective")

_STRICT = {"at most": "below", "below": "at most", "at least": "above", "above": "at least"}
_NEGATED = {"is": "is not", "is not": "is"}


def mutants(norms: Norms, inputs: Inputs) -> list[tuple[str, Norms]]:
    """Return every single revision of ``norms`` with its family, without repeats."""
    found: list[tuple[str, Norms]] = []
    seen = {canonical_bytes(norms)}
    added = _unread(norms, inputs)
    for i, rule in enumerate(norms["rules"]):
        more = [("connective", [op, rule["when"], new]) for new in added for op in ("all", "any")]
        for family, when in [*_of_condition(rule["when"], inputs), *more]:
            changed = copy.deepcopy(norms)
            changed["rules"][i]["when"] = when
            if (key := canonical_bytes(changed)) not in seen:
                seen.add(key)
                found.append((family, changed))
    return found


def exceptions(norms: Norms, inputs: Inputs) -> list[Norms]:
    """Return ``norms`` with each possible exception put first."""
    found = []
    for name, spec in inputs.items():
        for condition in _classes(f".{name}", spec):
            for verdict in VERDICTS:
                rule = {"then": verdict, "when": condition}
                found.append({**norms, "rules": [rule, *norms["rules"]]})
    return found


def _unread(norms: Norms, inputs: Inputs) -> list[list[Any]]:
    """Return conditions on the fields that no rule reads yet."""
    text = canonical_bytes(norms["rules"]).decode()
    unread = [name for name in inputs if f'".{name}"' not in text]
    return [condition for name in unread for condition in _classes(f".{name}", inputs[name])]


def _classes(field: str, spec: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Return conditions on one field, each true of some of its values and false of others."""
    values = sorted({value for value in spec["of"] if not isinstance(value, list)})
    if spec["is"] in ("choice", "flag"):
        for value in values:
            yield ["is", field, value]
    elif spec["is"] in ("count", "money"):
        for value in values[1:]:
            yield ["at least", field, value]


def _of_condition(expr: list[Any], inputs: Inputs) -> Iterator[tuple[str, list[Any]]]:
    op = expr[0]
    if op in ("all", "any"):
        yield from _of_connective(expr, inputs)
        return
    if op in _STRICT:
        yield "connective", [_STRICT[op], *expr[1:]]
    elif op in _NEGATED:
        yield "connective", [_NEGATED[op], *expr[1:]]
    elif op == "one of":
        yield from _of_set(expr, inputs)
        return
    elif op in ("within", "alike", "not"):
        yield "connective", expr[1] if op == "not" else ["not", expr]
        return
        return
    for place in (1, 2):
        for term in _of_term(expr[place], expr, inputs):
            yield "threshold", [*expr[:place], term, *expr[place + 1 :]]
    yield from _other_value(expr, inputs)


def _of_connective(expr: list[Any], inputs: Inputs) -> Iterator[tuple[str, list[Any]]]:
    op, parts = expr[0], expr[1:]
    yield "connective", ["any" if op == "all" else "all", *parts]
    for i, part in enumerate(parts):
        rest = parts[:i] + parts[i + 1 :]
        yield "connective", rest[0] if len(rest) == 1 else [op, *rest]
        for family, changed in _of_condition(part, inputs):
            yield family, [op, *parts[:i], changed, *parts[i + 1 :]]


def _of_set(expr: list[Any], inputs: Inputs) -> Iterator[tuple[str, list[Any]]]:
    _, field, members = expr
    for value in inputs[field[1:]]["of"]:
        if value not in members:
            yield "set", ["one of", field, [*members, value]]
            yield "set", ["one of", field, [value]]
        elif len(members) > 1:
            yield "set", ["one of", field, [m for m in members if m != value]]


def _other_value(expr: list[Any], inputs: Inputs) -> Iterator[tuple[str, list[Any]]]:
    """Widen an equality with a text to a set: "is weather" becomes "is weather or health"."""
    op, field, value = expr
    if op != "is" or not isinstance(value, str) or value.startswith("."):
        return
    for other in inputs[field[1:]]["of"]:
        if other != value:
            yield "set", ["one of", field, sorted([value, other])]


def _of_term(term: Any, expr: list[Any], inputs: Inputs) -> Iterator[Any]:  # noqa: ANN401 - JSON
    """Move each number in a term, by a step that fits what it is compared with."""
    if isinstance(term, bool | str):
        return
    if isinstance(term, int):
        for step in _steps(term, expr, inputs):
            if term + step >= 0:
                yield term + step
    elif isinstance(term, list) and term[0] in ("plus", "times"):
        for i in (1, 2):
            for changed in _of_term(term[i], expr, inputs):
                if term[0] != "times" or changed:
                    yield [*term[:i], changed, *term[i + 1 :]]
    elif isinstance(term, dict):
        for key in sorted(term):
            for changed in _of_term(term[key], expr, inputs):
                yield {**term, key: changed}
    elif isinstance(term, list) and term[0] == "look up":
        for changed in _of_term(term[1], expr, inputs):
            yield [term[0], changed, *term[2:]]


def _steps(value: int, expr: list[Any], inputs: Inputs) -> tuple[int, ...]:
    """Return steps from the spread of the first field compared: near its usual values."""
    for side in expr[1:3]:
        if isinstance(side, str) and side.startswith("."):
            values = sorted(set(inputs[side[1:]]["of"]))
            usual = max(1, (values[-1] - values[0]) // (2 * (len(values) - 1)))
            step = max(1, usual if value < 20 else usual // 5 * 5)
            return (-2 * step, -step, step, 2 * step)
    return (-1, 1)
