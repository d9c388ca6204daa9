"""Answers of a judge's model, kept as they come: nothing that was paid for is asked again.

One line an answer, in a file that grows while the run goes on and is sorted at its end, so that
a run which was stopped anywhere ends with the same bytes as one that was not.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

import orjson

from decidendi.folders import cut_torn_line, write_whole
from decidendi.judgment import BadInputError, Place, Reason, Unmeasured, parse_json
from decidendi.models import Reply, Usage


class Answers:
    """A file of answers by key, or memory alone. Failures that may pass are not kept."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the file, if there is one to be.

        Raises:
            BadInputError: if a line of it is no answer.
        """
        self._path = path
        self._lock = Lock()  # replies come from the thread of the model's loop
        self._held: dict[str, Reply] = {}
        if path is None:
            return
        if path.exists():
            self._read(path)
        self._stream = path.open("ab")

    def _read(self, path: Path) -> None:
        cut_torn_line(path)  # a killed process was writing
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            try:
                key, reply = _reply(parse_json(line))
            except (BadInputError, KeyError, TypeError, ValueError) as error:
                remedy = "take the line out: that one call is then made again"
                place = Place(str(path), number)
                raise BadInputError(f"no answer: {error}", remedy=remedy, place=place) from None
            self._held[key] = reply

    def get(self, key: str) -> Reply | None:
        """Return a kept answer."""
        return self._held.get(key)

    def put(self, key: str, reply: Reply) -> None:
        """Keep an answer, from whatever thread it comes."""
        if reply.failure is not None and reply.failure.reason is not Reason.NOT_CONVERGED:
            return
        reply = replace(
            reply, text=_whole(reply.text), reasoning=_whole(reply.reasoning or "") or None
        )
        with self._lock:
            self._held[key] = reply
            if self._path is not None:
                self._stream.write(_line(key, reply))
                self._stream.flush()

    def close(self) -> None:
        """Write the file in its final order."""
        if self._path is not None:
            self._stream.close()
            write_whole(self._path, (_line(key, self._held[key]) for key in sorted(self._held)))
            self._path = None


def _whole(text: str) -> str:
    """Replace halves of surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _line(key: str, reply: Reply) -> bytes:
    usage = reply.usage
    row: dict[str, Any] = {
        "call": key,
        "text": reply.text,
        "reasoning": reply.reasoning,
        "cut": reply.cut,
        "withheld": None if reply.failure is None else reply.failure.detail,
        "usage": None if usage is None else [usage.tokens_in, usage.tokens_out, usage.cost],
    }
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS) + b"\n"


def _reply(row: Any) -> tuple[str, Reply]:  # noqa: ANN401 - the caller catches what does not fit
    withheld, usage = row["withheld"], row["usage"]
    return str(row["call"]), Reply(
        str(row["text"]),
        row["reasoning"],
        bool(row["cut"]),
        None if withheld is None else Unmeasured(Reason.NOT_CONVERGED, str(withheld)),
        None if usage is None else Usage(*usage),
    )
