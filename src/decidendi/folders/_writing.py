"""One writer at a time; files that appear whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from decidendi.folders._errors import StorageError, storage_errors
from decidendi.judgment import BadInputError, Place

LOCK = ".lock"


def write_whole(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file so that it appears whole or not at all, also after a power cut.

    Its folder is made if it is not there.

    Raises:
        StorageError: if it cannot be written.
    """
    if path.is_dir():
        raise StorageError(f"{path}: is a folder. Name a file.")
    draft = path.with_name(path.name + ".part")
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("wb") as stream:
                stream.writelines([data] if isinstance(data, bytes) else data)
                stream.flush()
                os.fsync(stream.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


def cut_torn_line(path: Path) -> None:
    """Cut off what a killed process left of a last line."""
    if not path.exists():
        return
    with storage_errors(path), path.open("r+b") as stream:
        size = end = stream.seek(0, os.SEEK_END)
        while end:  # backwards, block by block: the file may be large
            start = max(0, end - 65_536)
            stream.seek(start)
            newline = stream.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end != size:
            stream.truncate(end)


def make_folder(path: Path, run: str, *, early: Iterable[str] = ()) -> None:
    """Make a run's folder, or say why it cannot be one.

    Args:
        path: The folder.
        run: The name of the file that every such run has.
        early: Names that a run which was killed at once may leave without that file.

    Raises:
        BadInputError: if it is no folder, or holds other things than a run.
        StorageError: if it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        names = {entry.name for entry in path.iterdir()}
    except (FileExistsError, NotADirectoryError):
        raise BadInputError(
            "not a folder", remedy="name a folder for the run", place=Place(file=str(path))
        ) from None
    except OSError as error:
        raise StorageError(
            f"{path}: cannot be made: {error.strerror}. Name a folder that you can write to."
        ) from error
    begun = LOCK in names and names <= {LOCK, f"{run}.part", *early}
    if names and run not in names and not begun:
        raise BadInputError(
            f"the folder holds other files and no run ({min(names - {LOCK})!r} among them)",
            remedy="name a new or an empty folder for --out",
            place=Place(file=str(path)),
        )


def move_aside(path: Path) -> Path:
    """Rename a folder to the first free of ``PATH.1``, ``PATH.2``, …; return its new name."""
    number = 1
    while (aside := path.with_name(f"{path.name}.{number}")).exists():
        number += 1
    with storage_errors(path):
        path.rename(aside)
    return aside


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the system lets go of it however the process ends.

    Raises:
        BadInputError: if another run holds it, or it is no folder.
        StorageError: if the folder cannot be made or written.
    """
    if folder.exists() and not folder.is_dir():
        raise BadInputError(
            "not a folder", remedy="name a folder for the run", place=Place(file=str(folder))
        )
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / LOCK).open("ab")
    with stream:
        try:
            _lock(stream.fileno())
        except OSError:
            raise BadInputError(
                "another run is writing into this folder",
                remedy="wait for it, or name another folder",
                place=Place(file=str(folder)),
            ) from None
        yield


def _lock(handle: int) -> None:
    if sys.platform == "win32":  # pragma: no cover - the other branch is tested
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
