"""The other side of ``_worker``: loads one program, then decides the states it is sent."""

from __future__ import annotations

import os
import signal
import struct
import sys
import threading
import time
from typing import Any, BinaryIO

import orjson

from decidendi.evaluators._engines import adjudicator_of
from decidendi.evaluators._evaluator import Program
from decidendi.evaluators._python import restored_source
from decidendi.judgment import (
    Adjudicator,
    BadInputError,
    DecidendiError,
    Identity,
    Reason,
    State,
    Unmeasured,
    Verdict,
)


def main() -> None:
    """Serve until the parent closes the pipe or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    threading.Thread(target=_watch, args=(int(sys.argv[2]),), daemon=True).start()
    read, write = _private_pipes()
    try:
        adjudicator = adjudicator_of(_program(_receive(read)))
    except DecidendiError as error:
        bad = error if isinstance(error, BadInputError) else BadInputError(str(error))
        _send(write, [bad.what, bad.remedy, bad.place.field])
        return
    _send(write, None)
    while (batch := _receive(read)) is not None:
        sources = [restored_source(kind, text.encode(), d) for kind, d, text in batch["sources"]]
        states = [State([sources[i] for i in row]) for row in batch["states"]]
        _send(write, None)
        for n, state in enumerate(states):
            _send(write, _answer(adjudicator, state, batch["repeats"] and batch["repeats"][n]))


def _answer(adjudicator: Adjudicator, state: State, repeat: int | None) -> str | list[str]:
    verdict: Verdict
    try:
        if repeat is None:
            verdict = adjudicator.adjudicate([state])[0]
        else:
            draw: Any = adjudicator
            verdict = draw.draw([state], [repeat])[0]
    except KeyboardInterrupt:  # nobody can interrupt this process: the user's code raised it
        return [Reason.ERROR.value, "KeyboardInterrupt"]
    if isinstance(verdict, Unmeasured):
        return [verdict.reason.value, verdict.detail]
    return verdict


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Keep the pipes to the parent out of reach of what the evaluator prints or reads."""
    read = os.fdopen(os.dup(0), "rb")
    write = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - a descriptor, open to the end
    return read, write


def _program(message: Any) -> Program:  # noqa: ANN401 - JSON of a program
    about = message["identity"]
    identity = Identity(
        **{**about, "verdicts": tuple(about["verdicts"]), "kinds": tuple(about["kinds"])}
    )
    return Program(identity, message["settings"], message["code"], message["formats"])


def _receive(read: BinaryIO) -> Any:  # noqa: ANN401 - any JSON
    """Read one message; None at the end."""
    head = read.read(8)
    if len(head) < 8:
        return None
    return orjson.loads(read.read(struct.unpack("<Q", head)[0]))


def _send(write: BinaryIO, message: Any) -> None:  # noqa: ANN401 - any JSON
    data = orjson.dumps(message)
    write.write(struct.pack("<Q", len(data)) + data)
    write.flush()


def _watch(parent: int) -> None:
    """End this process when the parent is gone, whatever it is busy with."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
