"""A folder is of one run: what could change its results is written first, and compared later."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from decidendi.folders._writing import write_whole
from decidendi.judgment import BadInputError, Place, parse_json


def json_bytes(content: Mapping[str, Any]) -> bytes:
    """Return a document as it is written for people and machines."""
    return orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"


def bind(path: Path, bound: Mapping[str, Any], *, free: Collection[str] = ()) -> bool:
    """Write what a run is bound to, or compare it with what stands there.

    Args:
        path: The file that says it, in the run's folder. Its ``format`` says what it is a run of.
        bound: Everything that could change a result.
        free: Names in it that may differ when a run goes on.

    Returns:
        Whether the run is new here.

    Raises:
        BadInputError: naming what differs, with both values, if another run stands there.
    """
    if not path.exists():
        write_whole(path, json_bytes(bound))
        return True
    there, asked = parse_json(path.read_bytes()), parse_json(json_bytes(bound))
    if not isinstance(there, dict) or there.get("format") != bound.get("format"):
        raise BadInputError(f"not a run of {bound.get('format')}", place=Place(str(path)))
    assert isinstance(asked, dict)
    for name in free:
        there.pop(name, None)
        asked.pop(name, None)
    if differing := list(_differing(there, asked)):
        shown = "; ".join(f"{name}: {old} there, {new} asked for" for name, old, new in differing)
        raise BadInputError(
            f"the folder holds another run; they differ in {shown}",
            remedy="name another folder with --out, or ask for the same again",
            place=Place(str(path.parent)),
        )
    return False


def _differing(there: Any, asked: Any, name: str = "") -> Iterator[tuple[str, str, str]]:  # noqa: ANN401 - any JSON
    """Yield the fields that differ, with both values."""
    if isinstance(there, dict) and isinstance(asked, dict):
        for key in sorted({*there, *asked}):
            inner = f"{name}.{key}" if name else key
            yield from _differing(there.get(key), asked.get(key), inner)
    elif there != asked:
        yield name, _shown(there), _shown(asked)


def _shown(value: object) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 60 else f"{text[:59]}…"
