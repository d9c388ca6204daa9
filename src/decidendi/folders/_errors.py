"""What the disk says, in words that a user can act on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from decidendi.judgment import DecidendiError


class StorageError(DecidendiError):
    """A file cannot be read or written: disk full, no permission, damaged."""


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says into a ``StorageError`` with a remedy."""
    try:
        yield
    except OSError as error:
        what = error.strerror or str(error)
        raise StorageError(f"{error.filename or path}: {what}. {remedy_of(what)}") from error


def remedy_of(message: str) -> str:
    """Return what a user can do about a complaint of the system's or the database's."""
    message = message.lower()
    if "full" in message or "no space" in message or "disk i/o" in message or "quota" in message:
        return (
            "What was committed is kept: free some space and run the same command again, "
            "it goes on where it stopped."
        )
    if "locked" in message:
        return "Another process is writing it; wait for that one or stop it."
    if "malformed" in message or "not a database" in message:
        return "The file is damaged; run again into a new folder."
    return "Check that the folder can be written, then run the same command again."
