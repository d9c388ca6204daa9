"""Cases, streamed from JSON Lines: a bad line is told and passed over, memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from decidendi.judgment import JSON, BadInputError, Case, Place, parse_json

MAX_LINE = 16 * 2**20
"""Lines longer than this many bytes are passed over without being held in memory."""

_Contents = Mapping[str, tuple[JSON, JSON]]
_PAIR = {"old", "revised"}


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """One line of a file of cases.

    Attributes:
        line: Its 1-based line.
        case: The case.
        contents: For each kind that comes with the case, its old and revised content: one and
            the same object where the case gives only one.
    """

    line: int
    case: Case
    contents: _Contents


@dataclass(frozen=True, slots=True)
class BadCase:
    """A line that is no case.

    Attributes:
        line: Its 1-based line.
        error: What is wrong with it, with file, line and field.
        case_id: Its id, if one could be read.
    """

    line: int
    error: BadInputError
    case_id: str | None = None


def read_cases(
    path: Path | str, kinds: Sequence[str] = ("grounds",)
) -> Iterator[CaseRecord | BadCase]:
    """Read a file of cases, one JSON object a line. Blank lines are skipped.

    Args:
        path: The file.
        kinds: The kinds of source that come with each case.

    Yields:
        A record or a bad case for each line, in order. Contents outside the canonical domain
        (floats, large integers) are found when the transition is built, not here.

    Raises:
        BadInputError: if the file cannot be read at all.
    """
    try:
        with Path(path).open("rb") as file:
            yield from _read(file, str(path), tuple(kinds))
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        remedy = "check the name and the permissions"
        raise BadInputError(what, remedy=remedy, place=Place(file=str(path))) from None


def case_schema(kinds: Sequence[str] = ("grounds",)) -> dict[str, JSON]:
    """Return the JSON Schema of one line of a file of cases."""
    text: dict[str, JSON] = {"type": "string", "minLength": 1}
    pair: JSON = {
        "type": "object",
        "properties": {"old": {}, "revised": {}},
        "required": ["old", "revised"],
        "additionalProperties": False,
        "description": "exactly these two keys: one content for each version",
    }
    properties: dict[str, JSON] = {
        "id": {**text, "description": "unique in the file"},
        "unit": {**text, "description": "what the case was made from; the id where not given"},
        "gold": {
            "type": "object",
            "properties": {"old": text, "revised": text},
            "required": ["old", "revised"],
            "additionalProperties": False,
            "description": "the right verdicts, where known",
        },
    }
    for kind in kinds:
        one: JSON = {"description": "the content for both versions"}
        properties[kind] = {"anyOf": [pair, one]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Case",
        "type": "object",
        "properties": properties,
        "required": ["id", *kinds],
    }


def _read(file: BinaryIO, path: str, kinds: tuple[str, ...]) -> Iterator[CaseRecord | BadCase]:
    seen: set[bytes] = set()
    number = 0
    while line := file.readline(MAX_LINE):
        number += 1
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            _skip_rest(file)
            what = f"the line is longer than {MAX_LINE // 2**20} MB"
            remedy = "keep in a case only what can affect its verdict"
            yield BadCase(number, BadInputError(what, remedy=remedy, place=Place(path, number)))
            continue
        if not line.strip():
            continue
        try:
            yield _record(line, number, kinds, seen)
        except BadInputError as error:
            if error.what.startswith("not valid JSON") and not line.endswith(b"\n"):
                error.remedy = "the last line may be cut off: write the file again"
            yield BadCase(number, error.at(file=path, line=number), _id_in(line))


def _id_in(line: bytes) -> str | None:
    """Return the id on a line that is no case, so that it can be told by it."""
    try:
        document: Any = parse_json(line.removeprefix(b"\xef\xbb\xbf"))
        name = document.get("id") if type(document) is dict else None
        return Case(name).id if name else None
    except BadInputError:
        return None


def _skip_rest(file: BinaryIO) -> None:
    while (part := file.readline(2**20)) and not part.endswith(b"\n"):
        pass


def _record(line: bytes, number: int, kinds: tuple[str, ...], seen: set[bytes]) -> CaseRecord:
    document: Any = parse_json(line) if line[:3] != b"\xef\xbb\xbf" else _without_mark(line, number)
    if type(document) is not dict:
        raise _wrong(f"a {_json_type(document)} is not a case", 'write {"id": …, …}', None)
    name = document.pop("id", None)
    if type(name) is not str or not name:
        given = "missing" if name is None else "not a text, or empty"
        raise _wrong(given, 'give every case an id, e.g. "id": "c1"', "id")
    if "\0" in name:
        raise _wrong("has a NUL character", "leave it out: no command line can name it", "id")
    unit = document.pop("unit", name)
    if type(unit) is not str or not unit:
        raise _wrong("not a text, or empty", "name what the case was made from", "unit")
    contents: dict[str, tuple[JSON, JSON]] = {}
    for kind in kinds:
        try:
            content = document.pop(kind)
        except KeyError:
            raise _wrong("missing", f"every case brings its own {kind}", kind) from None
        if type(content) is dict and len(content) == 2 and content.keys() == _PAIR:
            contents[kind] = (content["old"], content["revised"])
        else:
            contents[kind] = (content, content)
    if "gold" in document:
        _check_gold(document["gold"])
    case = Case(name, unit, document)  # refuses ids and units that have no canonical form
    raw = name.encode()
    # A digest has 16 bytes, so an id of fewer cannot be taken for one.
    mark = raw if len(raw) < 16 else blake2b(raw, digest_size=16).digest()
    if mark in seen:
        what = f"the id {name[:80]!r} already stands on an earlier line"
        raise _wrong(what, "give every case an id of its own", "id")
    seen.add(mark)
    return CaseRecord(number, case, contents)


def _without_mark(line: bytes, number: int) -> Any:  # noqa: ANN401 - any JSON
    """Read the first line of a file that begins with a byte order mark, which some editors add."""
    if number > 1:
        raise _wrong("begins with a byte order mark", "remove it", None)
    return parse_json(line[3:])


def _check_gold(gold: object) -> None:
    labels = list(gold.values()) if isinstance(gold, dict) else []
    named = isinstance(gold, dict) and gold.keys() == _PAIR
    if not named or not all(isinstance(label, str) for label in labels):
        remedy = 'write "gold": {"old": "deny", "revised": "approve"}'
        raise _wrong("not the two right verdicts", remedy, "gold")


def _wrong(what: str, remedy: str, field: str | None) -> BadInputError:
    return BadInputError(what, remedy=remedy, place=Place(field=field))


def _json_type(value: object) -> str:
    names = {list: "list", str: "text", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")
