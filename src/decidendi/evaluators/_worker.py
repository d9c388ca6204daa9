"""An engine in a process of its own, which is killed when it does not answer in time.

A state that never ends, or that brings its process down, costs its own verdict and nothing
else: the process is started again and goes on with the next state.
"""

from __future__ import annotations

import os
import select
import signal
import struct
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from decidendi.evaluators._answers import failed
from decidendi.evaluators._evaluator import Program
from decidendi.judgment import BadInputError, Identity, Place, Reason, State, Unmeasured, Verdict

_START = 60.0
"""Seconds for the process to start and load the evaluator's code, which may import much."""

_CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from decidendi.evaluators._child import main; main()"
)


class _LateError(Exception):
    """No answer in time."""


class _GoneError(Exception):
    """The process has ended; the text says how."""


class WorkerAdjudicator:
    """Decides states one by one in a child process, each within a time limit."""

    def __init__(self, program: Program, timeout: float) -> None:
        """Start the process.

        Args:
            program: What to execute; its code is loaded by the process alone.
            timeout: Seconds for each state.

        Raises:
            BadInputError: if the code cannot be loaded.
        """
        self._program = program
        self._timeout = timeout
        self._process: _Process | None = _Process(program)

    @property
    def identity(self) -> Identity:
        """What is executed."""
        return self._program.identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state, in order; one that takes too long is a ``TIMEOUT`` cell."""
        return self._all(states, None)

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        """Draw one verdict per state, independently; likewise."""
        return self._all(states, repeats)

    def close(self) -> None:
        """End the process. The next state would start it again."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _all(self, states: Sequence[State], repeats: Sequence[int] | None) -> list[Verdict]:
        verdicts: list[Verdict] = []
        while len(verdicts) < len(states):
            done = len(verdicts)
            rest = None if repeats is None else repeats[done:]
            self._go_on(states[done:], rest, verdicts)
        return verdicts

    def _go_on(
        self, states: Sequence[State], repeats: Sequence[int] | None, verdicts: list[Verdict]
    ) -> None:
        """Append verdicts until all states have one, or one of them has cost the process."""
        try:
            if self._process is None:
                self._process = _Process(self._program)
        except BadInputError as error:
            verdicts.extend([failed(f"the evaluator did not start: {error.what}")] * len(states))
            return
        try:
            self._process.send(_batch(states, repeats))
            self._process.receive(_START)  # it has read the batch: the first state begins
            for _ in states:
                verdicts.append(_verdict(self._process.receive(self._timeout)))
        except _LateError:
            self.close()
            verdicts.append(failed(f"no verdict within {self._timeout:g} s", Reason.TIMEOUT))
        except _GoneError as error:
            self.close()
            verdicts.append(failed(f"the process deciding this state ended: {error}"))
        except BaseException:
            # Interrupted: the answers still under way belong to nobody, so the process must go.
            self.close()
            raise


class _Process:
    """One child process, and the two pipes to it."""

    def __init__(self, program: Program) -> None:
        path = orjson.dumps([entry or str(Path.cwd()) for entry in sys.path]).decode()
        self._child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-c", _CHILD, path, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._buffer = bytearray()
        self._end = weakref.finalize(self, _kill, self._child)
        assert self._child.stdout is not None
        self._poll = select.poll()
        self._poll.register(self._child.stdout, select.POLLIN | select.POLLHUP)
        self._load(program)

    def _load(self, program: Program) -> None:
        """Have the child load the program. Raises ``BadInputError`` if it cannot."""
        try:
            self.send(asdict(program))
            said = self.receive(_START)
        except _LateError:
            self.end()
            what = f"loading the evaluator's code took more than {_START:g} s"
            raise BadInputError(what, remedy="move slow work into the function") from None
        except _GoneError as error:
            self.end()
            what = f"the process that loads the evaluator's code ended: {error}"
            raise BadInputError(what, remedy="load it by itself to see why") from None
        if said is not None:
            self.end()
            what, remedy, field = said
            raise BadInputError(what, remedy=remedy, place=Place(field=field))

    def send(self, message: Any) -> None:  # noqa: ANN401 - any JSON
        """Write one message. Raises ``_GoneError``."""
        assert self._child.stdin is not None
        data = orjson.dumps(message)
        try:
            self._child.stdin.write(struct.pack("<Q", len(data)) + data)
            self._child.stdin.flush()
        except OSError:
            raise _GoneError(self._how()) from None

    def receive(self, patience: float) -> Any:  # noqa: ANN401 - any JSON
        """Read one message. Raises ``_LateError`` or ``_GoneError``."""
        deadline = time.monotonic() + patience
        self._fill(8, deadline)
        size = struct.unpack_from("<Q", self._buffer)[0]
        self._fill(8 + size, deadline)
        message = orjson.loads(bytes(self._buffer[8 : 8 + size]))
        del self._buffer[: 8 + size]
        return message

    def _fill(self, size: int, deadline: float) -> None:
        assert self._child.stdout is not None
        while len(self._buffer) < size:
            left = deadline - time.monotonic()
            if left <= 0 or not self._poll.poll(left * 1000):
                raise _LateError
            part = os.read(
                self._child.stdout.fileno(), 65536
            )  # past the buffer, which poll ignores
            if not part:
                raise _GoneError(self._how())
            self._buffer += part

    def _how(self) -> str:
        """Say how the process ended."""
        try:
            code = self._child.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        if code >= 0:
            return f"exit code {code}"
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"

    def end(self) -> None:
        """Kill the process and wait for its end; closing twice is fine."""
        self._end()


def _kill(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # what was still to be written has no reader
                continue


def _batch(states: Sequence[State], repeats: Sequence[int] | None) -> dict[str, Any]:
    """Return the message for a batch, each distinct source once."""
    places: dict[tuple[str, str], int] = {}
    sources: list[tuple[str, str, str]] = []
    rows = []
    for state in states:
        row = []
        for source in state.sources:
            key = (source.kind, source.digest)
            if (place := places.get(key)) is None:
                place = places[key] = len(sources)
                sources.append((source.kind, source.digest, source.data.decode()))
            row.append(place)
        rows.append(row)
    return {"sources": sources, "states": rows, "repeats": repeats}


def _verdict(message: Any) -> Verdict:  # noqa: ANN401 - what the child sent
    if isinstance(message, str):
        return message
    reason, detail = message
    return Unmeasured(Reason(reason), detail)
