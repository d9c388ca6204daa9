"""Policy rules as Rego: the same norms, in a language somebody else executes.

The independent audit runs these modules through a Rego engine. The translation shares only the
words of the rule language with the adjudicator; it shares no evaluation.
"""

from __future__ import annotations

import json

from decidendi.judgment import JSON

QUERY = "data.reasonbench.verdict"
"""The rule of the generated module that holds the verdict."""

_SYMBOL = {
    "at most": "<=",
    "below": "<",
    "at least": ">=",
    "above": ">",
    "is": "==",
    "is not": "!=",
    "one of": "in",
}

_HEAD = """package reasonbench

import rego.v1

record := input.grounds.record

jurisdiction if {
	every dimension, allowed in input.authority.scope {
		input.grounds.request[dimension] in allowed
	}
}

verdict := "refer" if not jurisdiction

verdict := merits if jurisdiction
"""


def rego_of(norms: JSON) -> str:
    """Return the Rego module of ``norms``; it reads ``input.grounds`` and ``input.authority``.

    Raises:
        ValueError: for norms outside the rule language.
    """
    if not isinstance(norms, dict) or not isinstance(norms["rules"], list):
        raise ValueError("norms are an object with rules")
    helpers: list[str] = []
    chain: list[str] = []
    for rule in norms["rules"]:
        if not isinstance(rule, dict):
            raise ValueError(f"{rule!r} is not a rule")
        body = _literal(rule["when"], helpers)
        start = "merits := " if not chain else "} else := "
        chain.append(f"{start}{_constant(rule['then'])} if {{\n\t{body}")
    last = _constant(norms["otherwise"])
    merits = "\n".join(chain) + f"\n}} else := {last}\n" if chain else f"merits := {last}\n"
    return "\n".join([_HEAD, merits, *helpers])


def _literal(expr: JSON, helpers: list[str]) -> str:
    """Return one body line that holds when ``expr`` does; appends the helper rules it needs."""
    if not isinstance(expr, list) or not expr:
        raise ValueError(f"{expr!r} is not a condition")
    op, parts = expr[0], expr[1:]
    if op == "all":
        return _helper(["\n\t".join(_literal(part, helpers) for part in parts)], helpers)
    if op == "any":
        return _helper([_literal(part, helpers) for part in parts], helpers)
    if op == "not":
        return "not " + _helper([_literal(parts[0], helpers)], helpers)
    if op == "alike":
        return f"count({{item | some item in {_term(parts[0])}}}) <= 1"
    if op == "within":
        return f"every item in {_term(parts[0])} {{ item in {_term(parts[1])} }}"
    return f"{_term(parts[0])} {_SYMBOL[str(op)]} {_term(parts[1])}"


def _helper(bodies: list[str], helpers: list[str]) -> str:
    """Define a helper rule that holds if any of ``bodies`` does; return its name."""
    name = f"condition_{len(helpers) + 1}"
    helpers.append("\n".join(f"{name} if {{\n\t{body}\n}}\n" for body in bodies))
    return name


def _term(expr: JSON) -> str:
    if isinstance(expr, str) and expr.startswith("."):
        return f"record[{_constant(expr[1:])}]"
    if isinstance(expr, list) and expr:
        if expr[0] == "count" and len(expr) == 2:
            return f"count({_term(expr[1])})"
        if expr[0] in ("plus", "times") and len(expr) == 3:
            sign = "+" if expr[0] == "plus" else "*"
            return f"({_term(expr[1])} {sign} {_term(expr[2])})"
        if expr[0] == "look up" and len(expr) == 4:
            return f"{_constant(expr[1])}[{_term(expr[2])}][{_term(expr[3])}]"
    return _constant(expr)


def _constant(value: JSON) -> str:
    return json.dumps(value)
