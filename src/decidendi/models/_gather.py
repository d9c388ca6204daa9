"""Brings the calls for one case together, however they come, and has them answered as one batch.

Inspect makes each call on its own: that gives every call its log entry, its place in the cache
and its usage. Calls for one case are told, by a context variable, how many they are. Each waits
until all have come, or have ended without coming because their answer was cached; then the last
one runs the batch for all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from decidendi.judgment import DecidendiError
from decidendi.models._model import Prompt
from decidendi.models._records import Decoding, Generation

PATIENCE = 5.0
"""Seconds without a new call after which a batch is run with what has come: somebody allows
fewer calls at a time than the case has."""

Answer = Callable[[Sequence[Prompt], Decoding], list[Generation]]


@dataclass(eq=False)
class _Call:
    prompt: Prompt
    decoding: Decoding
    answer: Generation | None = None
    first: bool = False
    error: BaseException | None = None


class Gathering:
    """The calls for one case."""

    def __init__(self, calls: int) -> None:
        """Expect so many calls."""
        import anyio

        self._missing = calls
        self._waiting: list[_Call] = []
        self._changed = anyio.Event()

    async def answer(
        self, prompt: Prompt, decoding: Decoding, run: Answer
    ) -> tuple[Generation, bool]:
        """Wait for the others, then for the answer.

        Args:
            prompt: Of this call.
            decoding: Of this call; calls that differ in it are answered in batches of their own.
            run: Answers the prompts of a case.

        Returns:
            The answer, and whether this prompt was the first of its batch.

        Raises:
            DecidendiError: whatever answering the batch raised.
        """
        import anyio

        call = _Call(prompt, decoding)
        self._waiting.append(call)
        self._come()
        while call.answer is None and call.error is None:
            changed = self._changed
            if self._missing <= 0 and call in self._waiting:
                await self._run(run)
                continue
            with anyio.move_on_after(PATIENCE) as waited:
                await changed.wait()
            if waited.cancelled_caught and call in self._waiting:
                await self._run(run)
        if call.error is not None:
            raise DecidendiError(f"the batch failed: {call.error}") from call.error
        assert call.answer is not None
        return call.answer, call.first

    def gone(self) -> None:
        """Note that a call ended without asking for an answer here."""
        self._come()

    def _come(self) -> None:
        self._missing -= 1
        self._notify()

    def _notify(self) -> None:
        import anyio

        self._changed.set()
        self._changed = anyio.Event()

    async def _run(self, run: Answer) -> None:
        """Answer all that wait, in a thread so that the event loop goes on."""
        import anyio.to_thread

        batch, self._waiting = self._waiting, []
        try:
            for decoding in dict.fromkeys(call.decoding for call in batch):
                alike = [call for call in batch if call.decoding == decoding]
                prompts = [call.prompt for call in alike]
                answers = await anyio.to_thread.run_sync(run, prompts, decoding)
                for place, (call, answer) in enumerate(zip(alike, answers, strict=True)):
                    call.answer, call.first = answer, place == 0
        except BaseException as error:
            for call in batch:
                call.error = error if call.answer is None else None
            if not isinstance(error, Exception):
                raise
        finally:
            self._notify()


gathering: ContextVar[tuple[Gathering, list[bool]] | None] = ContextVar("gathering", default=None)
"""What the call being made belongs to, and a list that grows when it has asked."""
