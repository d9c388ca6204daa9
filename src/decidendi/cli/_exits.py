"""Exit codes, and turning errors into messages."""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable
from enum import IntEnum
from typing import ParamSpec

P = ParamSpec("P")


class Exit(IntEnum):
    """What the command line ends with."""

    DONE = 0
    FAILED = 1
    """A gate the user asked for failed, or verification found something wrong."""
    BAD_INPUT = 2
    """Bad input or usage; also a folder that cannot be written."""
    PARTIAL = 3
    """Finished, with parts uncertifiable, unmeasured, bad, nondeterministic or non-comparable."""
    INTERRUPTED = 130


def guarded(command: Callable[P, Exit]) -> Callable[P, None]:
    """Make a command end with its exit code, and with a message for errors raised on purpose."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        raise SystemExit(int(_outcome(command, *args, **kwargs)))

    return run


def _outcome(command: Callable[P, Exit], *args: P.args, **kwargs: P.kwargs) -> Exit:
    from decidendi.cli._terminal import complain
    from decidendi.judgment import DecidendiError, NonComparableError

    try:
        return command(*args, **kwargs)
    except NonComparableError as error:
        complain("These two cannot be compared. They differ in:")
        for field, (old, revised) in error.differing.items():
            complain(f"  {field}: old {old!r}, revised {revised!r}")
        complain("Only sources may differ between two versions of one evaluator.")
        return Exit.PARTIAL
    except DecidendiError as error:
        complain(f"error: {error}")
        return Exit.BAD_INPUT
    except KeyboardInterrupt:
        complain("Interrupted. What was committed is kept: the same command goes on from there.")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return Exit.DONE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        full = error.errno == errno.ENOSPC
        kept = " (what was written is kept: make room, and run the same again)" * full
        complain(f"error: {where}{error.strerror or error}{kept}")
        return Exit.BAD_INPUT


def _forget_output() -> None:
    """Keep Python from complaining, at exit, that the reader of our output has gone."""
    import os
    import sys

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
