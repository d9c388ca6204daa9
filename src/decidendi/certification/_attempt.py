"""Telling that the attempt before this one died while it executed the user's code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from decidendi.ledger import Ledger

EXECUTING = "executing"
INTERRUPTED = "interrupted"

_OWN = (
    "--timeout SECONDS runs the evaluator in a process of its own, where that costs one cell and "
    "not the run; it makes another run, so add --fresh or name another --out"
)


@contextmanager
def attempting(
    ledger: Ledger, timeout: float | None, tell: Callable[[str], None] | None
) -> Iterator[None]:
    """Say how the last attempt ended if not in order; note that this one executes.

    A process that is killed, or that the evaluator's code ends, can say nothing itself. An
    interrupt that nobody sent, because the code raises it, would end every attempt.
    """
    if timeout is None and tell is not None and ledger.attempt is not None:
        tell(_ended(ledger.attempt, ledger.position))
    ledger.note_attempt(EXECUTING)
    try:
        yield
    except KeyboardInterrupt:
        ledger.note_attempt(INTERRUPTED)
        raise
    except Exception:
        ledger.note_attempt(None)
        raise
    ledger.note_attempt(None)


def _ended(how: str, position: int) -> str:
    after = f"after {position:,} case record{'' if position == 1 else 's'}"
    if how == INTERRUPTED:
        return (
            f"The last attempt was interrupted while executing, {after}. If nobody interrupted "
            f"it, the evaluator's code raised KeyboardInterrupt: {_OWN}."
        )
    return (
        f"The last attempt ended while executing, {after}, and could not say why: it was killed, "
        f"or the evaluator's code ended the process. In that case {_OWN}."
    )
