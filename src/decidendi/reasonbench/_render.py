"""Putting a case into words. A rendering is one template; the world knows nothing of it.

A template in ``data/prompts`` has five macros: ``grounds``, ``norms`` and ``authority`` put one
source into words, ``frame`` puts the six sections together in the order it is given, and
``value`` one value. All receive the clause (None for a logical world), whose ``inputs`` name
the fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

import jinja2

from decidendi.judgment import JSON, BadInputError, Source, State, parse_json
from decidendi.reasonbench._policy_worlds import Clause, clauses
from decidendi.reasonbench._records import KINDS
from decidendi.reasonbench._targets import Target

RENDERINGS = ("plain", "memo", "table")
"""The renderings: the main one, the one of the language shift, and a terse one."""

ORDER = tuple(range(2 * len(KINDS)))
"""The main order of the sections: old grounds, norms, authority, then revised."""


@lru_cache(maxsize=len(RENDERINGS))
def _template(rendering: str) -> Any:  # noqa: ANN401 - Jinja's modules are untyped
    if rendering not in RENDERINGS:
        raise BadInputError(
            f"no rendering {rendering!r}", remedy=f"one of: {', '.join(RENDERINGS)}"
        )
    environment = jinja2.Environment(  # noqa: S701 - prompts are plain text: nothing to escape
        undefined=jinja2.StrictUndefined, keep_trailing_newline=False
    )
    environment.filters["attribute_of"] = lambda atom: atom.partition(" is ")[2]
    text = (files("decidendi.reasonbench") / "data" / "prompts" / f"{rendering}.j2").read_text()
    return environment.from_string(text).module


def instruction(target: Target) -> str:
    """Return what to ask of a predictor that was not trained on ``target``, after the prompt."""
    path = files("decidendi.reasonbench") / "data" / "prompts" / "targets.json"
    return str(parse_json(path.read_bytes())[target.value])


class Renderer:
    """Renders the cases of one unit; sources that recur are put into words once."""

    def __init__(self, unit: str, rendering: str = "plain") -> None:
        """Make one.

        Args:
            unit: The clause's id, or a world's name.
            rendering: One of ``RENDERINGS``.
        """
        self._template = _template(rendering)
        self._clause: Clause | None = clauses().get(unit)
        self._orders = _orders_of(self._clause) if self._clause else []
        self._words: dict[tuple[str, str], str] = {}

    def prompt(self, old: State, revised: State, order: Sequence[int] = ORDER) -> str:
        """Return the prompt of a transition, its six sections in ``order``."""
        sources = [*old.sources, *revised.sources]
        sections = []
        for i in order:
            source = sources[i]
            side = "old" if i < len(KINDS) else "revised"
            sections.append({"side": side, "kind": source.kind, "text": self._text(source)})
        content = old["grounds"]
        query = content.get("query") if isinstance(content, dict) else None
        return str(self._template.frame(sections, self._clause, query)).strip() + "\n"

    def _text(self, source: Source) -> str:
        key = (source.kind, source.digest)
        if key not in self._words:
            say = getattr(self._template, source.kind)
            content = _in_order(source.content, self._orders)
            self._words[key] = str(say(content, self._clause)).strip()
        return self._words[key]


def _orders_of(clause: Clause) -> list[Sequence[str]]:
    """Return every order in which a clause names things: a scope's, a request's, a record's."""
    choices = [given["of"] for given in clause.inputs.values() if given["is"] == "choice"]
    return [clause.scope, list(clause.context), list(clause.inputs), *choices]


def _in_order(value: JSON, orders: Sequence[Sequence[str]]) -> JSON:
    """Arrange members as the clause names them.

    The same content then reads the same, whether it was just drawn or comes from canonical
    bytes, whose members are sorted.
    """
    if isinstance(value, list):
        return [_in_order(item, orders) for item in value]
    if not isinstance(value, dict):
        return value
    order = next((order for order in orders if value.keys() <= set(order)), None)
    names = value if order is None else [name for name in order if name in value]
    return {name: _in_order(value[name], orders) for name in names}
