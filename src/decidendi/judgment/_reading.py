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
        raise _refused(error, data) from None
    separators = data.count(b":") if isinstance(data, bytes) else data.count(":")
    if _keys(value) != separators:
        _slow_check(data)
    return value


def _refused(error: json.JSONDecodeError, data: bytes | str) -> JsonTextError:
    """Say what is wrong where, and what to do about it."""
    what, line, column = error.msg, error.lineno, error.colno
    if "surrogates not allowed" in what:
        what = "not UTF-8 text"
        if isinstance(data, bytes):
            line, column = _first_undecodable(data)
        remedy = "save it as UTF-8"
    else:
        rest = error.doc[error.pos : error.pos + 10].lstrip("-+")
        remedy = next(
            (do for sign, do in _BY_TEXT if rest.startswith(sign)),
            next((do for said, do in _BY_MESSAGE if said in what), "correct it there"),
        )
        what = _CLEARER.get(what, what)
    newline: Any = "\n" if isinstance(data, str) else b"\n"
    where = f"line {line}, column" if newline in data.strip() else "column"
    return JsonTextError(f"not valid JSON: {what} at {where} {column}", remedy=remedy)


_CLEARER = {
    "number is infinity when parsed as double": "a number too large",
    "no low surrogate in string": "half a surrogate pair in a string",
    "Input is a zero-length, empty document": "nothing stands there",
}

_BY_TEXT = (
    ("NaN", "NaN is not JSON: use null or text"),
    ("Inf", "infinity is not JSON: use null or text"),
    ("True", "write true"),
    ("False", "write false"),
    ("None", "write null"),
    ("'", "texts and keys stand in double quotes"),
)
"""What stands where reading stopped, and what to do about it."""

_BY_MESSAGE = (
    ("trailing comma", "remove the comma"),
    ("infinity when parsed", "write a number of so many digits as text"),
    ("surrogate", "write the whole character, or both halves of the pair"),
    ("control character", "write it as an escape, such as \\n or \\u0000"),
    ("byte order mark", "remove it"),
    ("string key", "keys stand in double quotes"),
    ("content after document", "leave one document there"),
    ("end of data", "it may be cut off: write it again"),
    ("leading zero", "remove the zeros, or write it as text"),
    ("depth limit", "nest less deeply"),
    ("escaped sequence", "write a backslash as \\\\"),
)
"""What the reader says, and what to do about it."""


def _first_undecodable(data: bytes) -> tuple[int, int]:
    """Return line and column of the first byte that is not UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        start = before.rfind(b"\n") + 1
        return before.count(b"\n") + 1, len(before[start:].decode()) + 1
    return 1, 1


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
