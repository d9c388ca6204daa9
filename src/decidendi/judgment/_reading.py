"""Reading JSON text strictly: what we cannot read back the same way is refused, not guessed."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import orjson

from decidendi.judgment._errors import BadInputError


class JsonTextError(BadInputError):
    """Text that is not the JSON we accept."""


def parse_json(data: bytes | str) -> Any:  # noqa: ANN401 - the reader's schema gives it a type
    """Parse one JSON document, refusing what silently loses information elsewhere.

    Floats are kept as Python floats; ``canonical_bytes`` refuses them where a source needs
    exact bytes, so that fields which are merely carried along may have them.

    Raises:
        JsonTextError: on invalid JSON or UTF-8, duplicate keys, NaN and infinities.
    """
    # orjson is strict about everything but duplicate keys, which it resolves silently. They
    # show as a different number of keys, so the slow reader runs only where there may be some.
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise JsonTextError(
            f"not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}",
            remedy="NaN, Infinity, trailing commas and invalid UTF-8 are not JSON",
        ) from None
    separators = data.count(b":") if isinstance(data, bytes) else data.count(":")
    if _keys(value) != separators:
        _slow_check(data)
    return value


def _keys(value: Any) -> int:  # noqa: ANN401 - any JSON value
    """Count the object keys in ``value``."""
    kind = type(value)
    count = len(value) if kind is dict else 0
    if kind is dict or kind is list:
        for item in value.values() if kind is dict else value:
            if type(item) is dict or type(item) is list:
                count += _keys(item)
    return count


def _slow_check(data: bytes | str) -> None:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for key, item in pairs:
            if key in seen:
                raise JsonTextError(
                    f"the key {key!r} stands twice in one object", remedy="keep one of them"
                )
            seen[key] = item
        return seen

    def refuse(text: str) -> NoReturn:
        raise JsonTextError(f"{text} is not JSON", remedy="use null or text")

    json.loads(data, object_pairs_hook=unique, parse_constant=refuse)
