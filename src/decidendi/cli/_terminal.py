"""Printing. Whatever comes from a case, an evaluator or a file is made inert first."""

from __future__ import annotations

import json
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any, TextIO, cast

from rich.console import Console
from rich.text import Text

_ACTING = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def inert(text: object, *, lines: bool = False) -> str:
    """Return text with every character that acts rather than shows written as its escape.

    Escape sequences cannot move the cursor or hide text, overrides cannot reorder it. Rich
    markup is inert because nothing here is ever parsed for it.

    Args:
        text: The text.
        lines: Whether line feeds and tabs may stay.
    """
    kept = "\n\t" if lines else ""
    return "".join(
        c if c in kept or unicodedata.category(c) not in _ACTING else _escaped(c) for c in str(text)
    )


def _escaped(c: str) -> str:
    code = ord(c)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


class _Console(Console):
    """A console whose reader may go."""

    def on_broken_pipe(self) -> None:
        """Leave it to the exits: Rich would end with 1, as if something were wrong."""
        raise BrokenPipeError


def output() -> Console:
    """Return the console of standard output."""
    return _Console(highlight=False, markup=False, emoji=False, soft_wrap=True)


def errors() -> Console:
    """Return the console of standard error."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def say(text: object = "", style: str = "", *, lines: bool = False) -> None:
    """Print a line."""
    output().print(Text(inert(text, lines=lines), style=style))


def counted(number: int, what: str) -> str:
    """Return ``1 case`` or ``1,969 cases``."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def complain(text: object) -> None:
    """Print a line to standard error."""
    errors().print(Text(inert(text, lines=True)))


def say_json(document: Any) -> None:  # noqa: ANN401 - any JSON document
    """Print a document for machines."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")


class _Aside:
    """Standard error, for what an evaluator prints; closing it closes nothing."""

    def close(self) -> None:
        """Do nothing: the next case may print too, and so do we."""

    def __getattr__(self, name: str) -> object:
        return getattr(sys.stderr, name)


@contextmanager
def evaluators_speak_aside() -> Iterator[None]:
    """Send what an evaluator prints to standard error, so that our output stays ours."""
    with redirect_stdout(cast("TextIO", _Aside())):
        yield


EVERY = 30.0
"""Seconds between two lines of progress in a log."""


@dataclass
class Beat:
    """Says on standard error, now and then, how far a long run is: for logs."""

    what: str
    told: tuple[int, int] | None = None

    def watch(self, done: int, total: int) -> None:
        """Take how far it is."""
        self.told = done, total

    def go(self, wait: Callable[[float], bool]) -> None:
        """Say a line after each wait, also where nothing has moved; a true wait ends it."""
        while not wait(EVERY):
            if self.told:
                done, total = self.told
                complain(f"{self.what}: {done:,} of {total:,} ({done / max(total, 1):.0%})")


@contextmanager
def _beating(what: str) -> Iterator[Callable[[int, int], None]]:
    beat, over = Beat(what), threading.Event()
    thread = threading.Thread(target=beat.go, args=(over.wait,), daemon=True)
    thread.start()
    try:
        yield beat.watch
    finally:
        over.set()
        thread.join()


@contextmanager
def watching(what: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar with rate and time left on standard error.

    Where that is no terminal, say a plain line now and then; a quick run says none.
    """
    if quiet:
        yield None
        return
    if not sys.stderr.isatty():
        with _beating(what) as watch:
            yield watch
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=errors(),
        transient=True,
    ) as progress:
        task = progress.add_task(what, total=None, rate="")

        def watch(done: int, total: int) -> None:
            speed = progress.tasks[0].finished_speed or progress.tasks[0].speed
            rate = f"{speed:,.0f}/s" if speed else ""
            progress.update(task, completed=done, total=total, rate=rate)

        yield watch
