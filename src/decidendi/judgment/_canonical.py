"""Canonical bytes, and digests of them.

The domain is JSON without floats: null, booleans, integers of magnitude up to 2^53 - 1, NFC
text without lone surrogates, lists, and objects with text keys. Inside it the bytes equal
RFC 8785, which the tests check against an independent implementation.
"""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Any, TypeAlias

import orjson

from decidendi.judgment._errors import BadInputError

JSON: TypeAlias = bool | int | str | list["JSON"] | dict[str, "JSON"] | None

MAX_INTEGER = 2**53 - 1
"""The largest magnitude that every JSON reader keeps exactly."""

MAX_DEPTH = 200
"""Nesting beyond this is refused: orjson stops at 255, and no evidence is that deep."""

_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER


class CanonicalError(BadInputError):
    """A value outside the canonical domain; ``place.field`` says where in the value."""


def canonical_bytes(value: JSON) -> bytes:
    """Return the one byte string that stands for ``value``.

    Raises:
        CanonicalError: on a float, a large integer, text that is not NFC or holds a lone
            surrogate, a key that is not text, or nesting deeper than ``MAX_DEPTH``.
    """
    try:
        if _only_json_types(value, 0):
            data = orjson.dumps(value, option=_OPTIONS)
            if data.isascii():  # then all text is NFC, and byte order is UTF-16 order
                return data
    except TypeError:  # orjson refuses it; the careful walk says where and why
        pass
    _refuse_outside(value, "", 0)
    return orjson.dumps(_in_utf16_order(value))


def digest_of(value: JSON) -> str:
    """Return ``sha256:<hex>`` of the canonical bytes of ``value``."""
    return sha256(canonical_bytes(value))


def sha256(data: bytes) -> str:
    """Return ``sha256:<hex>`` of ``data``."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


_SCALARS = frozenset({str, int, bool, type(None)})


def _only_json_types(value: Any, depth: int) -> bool:  # noqa: ANN401 - anything at all
    """Say whether ``value`` is made of the exact JSON types, floats excepted (the fast check)."""
    kind = type(value)
    if kind in _SCALARS:
        return True
    if depth > MAX_DEPTH or (kind is not dict and kind is not list):
        return False
    for item in value.values() if kind is dict else value:
        # Most values are scalars: a call for each would double the cost of a bulk run's
        # hottest check.
        if type(item) not in _SCALARS and not _only_json_types(item, depth + 1):
            return False
    return True


def _refuse_outside(value: object, field: str, depth: int) -> None:
    """Raise ``CanonicalError``, with the field path, if ``value`` is outside the domain."""
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        return _check_text(value, field)
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            shown = str(value) if abs(value) < 10**40 else "one of over 40 digits"
            raise _outside(f"the integer {shown} is beyond 2^53 - 1", "write it as text", field)
        return None
    if isinstance(value, float):
        remedy = 'write a decimal as text ("12.50") or use integer units (cents)'
        raise _outside(f"{value!r} is a float, which has no canonical form", remedy, field)
    if depth > MAX_DEPTH:
        raise _outside(f"nested deeper than {MAX_DEPTH} levels", "flatten it", field[:200])
    if isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_outside(item, f"{field}[{index}]", depth + 1)
        return None
    if not isinstance(value, dict):
        raise _outside(f"a {type(value).__name__} is not JSON", "use JSON values only", field)
    for key, item in value.items():
        if not isinstance(key, str):
            raise _outside(f"the key {key!r} is not text", "use text keys", field)
        _check_text(key, f"{field}[{key!r}]")
        _refuse_outside(item, f"{field}.{key}" if field else key, depth + 1)
    return None


def _check_text(text: str, field: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        what = "the text holds a lone surrogate"
        raise _outside(what, "re-encode the text as UTF-8", field) from None
    if not unicodedata.is_normalized("NFC", text):
        raise _outside(
            "the text is not in Unicode normal form NFC",
            "normalise it (Python: unicodedata.normalize('NFC', text))",
            field,
        )


def _outside(what: str, remedy: str, field: str) -> CanonicalError:
    error = CanonicalError(what, remedy=remedy)
    return error.at(field=field) if field else error


def _in_utf16_order(value: JSON) -> JSON:
    """Order keys by UTF-16 code units, as RFC 8785 does; orjson sorts by UTF-8 bytes."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return {key: _in_utf16_order(value[key]) for key in keys}
    if isinstance(value, list):
        return [_in_utf16_order(item) for item in value]
    return value
