"""A prompt: sections of text with holes, filled once from the other sources.

What fills a hole is never looked at again, so nothing in a case, a rubric or any other source can
be anything but text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from decidendi.judgment import JSON, State

_HOLE = re.compile(r"\{\{([A-Za-z_]\w*(?:\.[^{}.\s]+)*)\}\}|\{([A-Za-z_]\w*(?:\.[^{}.\s]+)*)\}")

Messages = tuple[tuple[str, str], ...]
"""Role and text of each message."""


class PromptError(Exception):
    """The prompt and a state do not fit together."""


def sections_of(content: JSON) -> list[tuple[str, str]]:
    """Return role and text of each section of a prompt, in the order of their names.

    Args:
        content: One text, or an object from name or path to text. The section named ``system``,
            whatever its folder and ending, is the system message; all others make the user's.

    Raises:
        PromptError: if it is neither.
    """
    if isinstance(content, str):
        return [("user", content)]
    if not isinstance(content, dict) or not content:
        raise PromptError("the prompt is neither a text nor an object of texts")
    found = []
    for name, text in sorted(content.items()):
        if not isinstance(text, str):
            raise PromptError(f"the section {name!r} of the prompt is not a text")
        found.append(("system" if PurePosixPath(name).stem == "system" else "user", text))
    return found


def holes_in(content: JSON) -> Iterator[str]:
    """Yield the paths that the holes of a prompt name. Raises ``PromptError``."""
    for _, text in sections_of(content):
        for found in _HOLE.finditer(text):
            if found[2]:
                yield found[2]


def messages_of(content: JSON, state: State) -> Messages:
    """Return the messages that a prompt makes of a state.

    Raises:
        PromptError: if the prompt is none, or names what the state does not have.
    """
    filled: dict[str, list[str]] = {}
    for role, text in sections_of(content):
        whole = _HOLE.sub(lambda hole: _filled(hole, state), text).strip()
        filled.setdefault(role, []).append(whole)
    joined = {role: "\n\n".join(text for text in texts if text) for role, texts in filled.items()}
    if not joined.get("user"):
        raise PromptError("the prompt has no text but its system message")
    return tuple((role, joined[role]) for role in ("system", "user") if joined.get(role))


def _filled(hole: re.Match[str], state: State) -> str:
    if hole[1]:
        return hole[0][1:-1]  # doubled braces stand for themselves
    value = value_at({source.kind: source.content for source in state}, hole[2])
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)


def value_at(contents: dict[str, Any], path: str) -> JSON:
    """Return what stands at a path, which begins with a kind. Raises ``PromptError``."""
    value: Any = contents
    for step in path.split("."):
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            raise PromptError(f"the prompt names {path}, which is not there")
    return value  # type: ignore[no-any-return]  # a content is JSON throughout
