"""Independent executors: the same cells, decided by engines that share no code with ours.

Policy cells run as generated Rego in a Rego engine; logical cells as an answer set program in
clingo. Both read a source's stored JSON and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from decidendi.judgment import MissingExtraError
from decidendi.reasonbench._rego import QUERY, rego_of

Cell: TypeAlias = tuple[str, str, str]
"""The digests of a cell's grounds, norms and authority."""

Contents: TypeAlias = Mapping[str, str]
"""The stored JSON of each source, by digest."""

_LOGIC = """
holds(S, A) :- fact(S, A).
holds(S, A) :- speaks(S, R), gives(R, A), holds(S, B) : needs(R, B).
governed(S) :- speaks(S, R), gives(R, A), asked(S, A).
verdict(S, refer) :- state(S), not governed(S).
verdict(S, approve) :- governed(S), asked(S, A), holds(S, A).
verdict(S, deny) :- governed(S), asked(S, A), not holds(S, A).
#defined fact/2. #defined speaks/2. #defined gives/2. #defined needs/2.
#show verdict/2.
"""


def by_rego(cells: Sequence[Cell], contents: Contents) -> dict[Cell, str]:
    """Decide policy cells in a Rego engine; each version of the norms is compiled once.

    Raises:
        MissingExtraError: without the extra ``rego``.
    """
    try:
        import regorus
    except ImportError:
        raise MissingExtraError("the audit of policy worlds", "rego") from None
    found: dict[Cell, str] = {}
    engines: dict[str, Any] = {}
    for cell in cells:
        grounds, norms, authority = cell
        if norms not in engines:
            engines[norms] = regorus.Engine()
            engines[norms].add_policy("norms.rego", rego_of(json.loads(contents[norms])))
        engine = engines[norms]
        engine.set_input_json(
            f'{{"grounds":{contents[grounds]},"authority":{contents[authority]}}}'
        )
        found[cell] = str(engine.eval_rule(QUERY))
    return found


def by_clingo(cells: Sequence[Cell], contents: Contents) -> dict[Cell, str]:
    """Decide a world's cells in one answer set program, one state each.

    Raises:
        MissingExtraError: without the extra ``bench``.
    """
    try:
        import clingo
    except ImportError:
        raise MissingExtraError("the audit of logical worlds", "bench") from None
    control = clingo.Control(["--warn=none"])
    control.add("base", [], _program(cells, contents))
    control.ground([("base", [])])
    found: dict[Cell, str] = {}
    with control.solve(yield_=True) as handle:
        for model in handle:
            for symbol in model.symbols(shown=True):
                state, verdict = symbol.arguments
                found[cells[state.number]] = verdict.name
    return found


def _program(cells: Sequence[Cell], contents: Contents) -> str:
    """Write the cells as facts of the program above; atoms and rules are numbered."""
    atoms: dict[str, int] = {}
    rules: dict[str, list[tuple[str, int]]] = {}
    lines = [_LOGIC]

    def atom(text: str) -> int:
        return atoms.setdefault(text, len(atoms))

    numbered = 0
    for norms in {cell[1]: None for cell in cells}:
        rules[norms] = []
        for rule in json.loads(contents[norms]):
            for name in rule.get("over", [""]):
                lines.append(f"gives({numbered},{atom(rule['then'].replace('?', name))}).")
                for part in rule["if"]:
                    lines.append(f"needs({numbered},{atom(part.replace('?', name))}).")
                rules[norms].append((rule["id"], numbered))
                numbered += 1
    for number, (grounds, norms, authority) in enumerate(cells):
        lines.append(f"state({number}).")
        content = json.loads(contents[grounds])
        lines.append(f"asked({number},{atom(content['query'])}).")
        lines += [f"fact({number},{atom(fact)})." for fact in content["facts"]]
        allowed = json.loads(contents[authority])
        lines += [f"speaks({number},{rule})." for name, rule in rules[norms] if name in allowed]
    return "\n".join(lines)
