"""A run's folder: one writer at a time, and bound to one judge and one set of chains."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import orjson

from decidendi.grading._files import write_lines
from decidendi.judgment import BadInputError, Place, parse_json

LOCK: Final = ".lock"
_FREE: Final = ("tool", "chains")
"""Parts of ``run.json`` in which a continued run may differ; the last is written at the end."""


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the system lets go of it however the process ends.

    Raises:
        BadInputError: if another process holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("ab") as lock:
        try:
            _lock(lock.fileno())
        except OSError:
            raise BadInputError(
                "another run is writing to this folder",
                remedy="wait for it, or name another folder",
                place=Place(str(folder)),
            ) from None
        yield


def bind(path: Path, bound: Mapping[str, Any]) -> None:
    """Write what a run is bound to, or compare it with what stands there.

    Raises:
        BadInputError: naming what differs, if another run stands there.
    """
    if not path.exists():
        write_lines(path, [orjson.dumps(bound, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)])
        return
    there = parse_json(path.read_bytes())
    if not isinstance(there, dict):
        raise BadInputError("not the run of a grading", place=Place(str(path)))
    asked = parse_json(orjson.dumps(bound))
    for name in _FREE:
        there.pop(name, None)
        asked.pop(name, None)
    if differing := list(_differing(there, asked)):
        shown = "; ".join(f"{name}: {old} there, {new} asked for" for name, old, new in differing)
        raise BadInputError(
            f"the folder holds another run; they differ in {shown}",
            remedy="name another folder with --out, or ask for the same again",
            place=Place(str(path.parent)),
        )


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


def _lock(handle: int) -> None:
    if sys.platform == "win32":  # pragma: no cover - the other branch is tested
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
