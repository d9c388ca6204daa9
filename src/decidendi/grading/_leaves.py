"""Reading and changing single facts of a matter in JSON, by their paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from decidendi.judgment import JSON
from decidendi.legal import DISTRICTS, STATES

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_STATES = frozenset(STATES)
_DISTRICTS = frozenset(district for all_ in DISTRICTS.values() for district in all_)


def leaf(content: Any, path: str) -> Any:  # noqa: ANN401 - any JSON
    """Return the fact at a path (``services.0.made``); None if there is none."""
    for part in path.split("."):
        if isinstance(content, list) and part.isdigit() and int(part) < len(content):
            content = content[int(part)]
        elif isinstance(content, dict) and part in content:
            content = content[part]
        else:
            return None
    return content


def with_leaf(content: Any, path: str, value: JSON) -> Any:  # noqa: ANN401 - any JSON
    """Return the facts with one of them changed."""
    head, _, rest = path.partition(".")
    if isinstance(content, list):
        at = int(head)
        inner = with_leaf(content[at], rest, value) if rest else value
        return [*content[:at], inner, *content[at + 1 :]]
    return {**content, head: with_leaf(content[head], rest, value) if rest else value}


def is_day(value: object) -> bool:
    """Say whether a fact is a day."""
    return isinstance(value, str) and _DAY.fullmatch(value) is not None


def dates_of(content: Any) -> list[str]:  # noqa: ANN401 - any JSON
    """Return the days among the facts, in the order of the facts, each once."""
    return list(dict.fromkeys(value for value in _leaves(content) if is_day(value)))


def places_like(content: Any, value: Any) -> list[Any]:  # noqa: ANN401 - any JSON
    """Return other States, or other districts, that stand elsewhere in the facts.

    Args:
        content: The facts.
        value: A place, or a list of places; lists are answered by lists of one. Nothing else is
            like a place.
    """
    first = value[0] if isinstance(value, list) else value
    for kind in (_STATES, _DISTRICTS) if isinstance(first, str) else ():
        if first in kind:
            ours = set(value) if isinstance(value, list) else {value}
            others = dict.fromkeys(x for x in _leaves(content) if x in kind and x not in ours)
            return [[x] for x in others] if isinstance(value, list) else list(others)
    return []


def shifted(day: str, count: int) -> str:
    """Return the day ``count`` days later; earlier if negative."""
    return (date.fromisoformat(day) + timedelta(days=count)).isoformat()


def _leaves(content: Any) -> Iterator[Any]:  # noqa: ANN401 - any JSON
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list):
        for item in content:
            yield from _leaves(item)
    else:
        yield content
