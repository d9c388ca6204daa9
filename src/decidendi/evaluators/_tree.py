"""The files of an evaluator, read-only: a folder here, or the same folder at a git revision.

Nothing outside the folder can be reached: absolute paths, ``..`` and symbolic links are
refused, and so is whatever is not a regular file.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from decidendi.judgment import BadInputError, Place

MAX_BYTES = 16 * 2**20
"""Files larger than this are refused; a source of that size is a mistake, or belongs elsewhere."""


class Tree(Protocol):
    """A folder of files, wherever it is kept."""

    @property
    def origin(self) -> str:
        """How messages name the folder."""
        ...

    def label(self, path: str) -> str:
        """Return how messages name the file at ``path``."""
        ...

    def has(self, path: str) -> bool:
        """Say whether something is at ``path``, whatever it is."""
        ...

    def read(self, path: str) -> bytes:
        """Return the bytes at ``path``; ``BadInputError`` if it is no regular file in here."""
        ...

    def match(self, pattern: str) -> list[str]:
        """Return the paths that match a glob pattern, sorted."""
        ...


def inside(path: str) -> str:
    """Return ``path`` in its one plain form, e.g. ``policy/refund.rego``.

    Raises:
        BadInputError: if it is absolute, climbs out of the folder, or is not a plain path.
    """
    parts = [part for part in path.split("/") if part != "."]
    if not path or path.startswith("/") or re.match(r"[A-Za-z]:", path):
        what = f"{path!r} is not a path inside the folder"
    elif ".." in parts:
        what = f"{path!r} leads out of the folder"
    elif "" in parts or "\\" in path or not path.isprintable():
        what = f"{path!r} is not a plain path"
    else:
        return "/".join(parts)
    raise BadInputError(what, remedy="name files inside the folder, with forward slashes")


def is_pattern(path: str) -> bool:
    """Say whether ``path`` is a glob pattern rather than the name of one file."""
    return any(c in path for c in "*?[")


def matching(pattern: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that match ``pattern``, sorted. ``**`` crosses folders, ``*`` does not.

    Hidden files and folders match only where the pattern writes their dot.
    """
    regex = "/".join(_segment(part) for part in pattern.split("/"))
    regex = regex.replace("\0/", r"(?:[^./][^/]*/)*").replace("\0", r"[^.].*")
    compiled = re.compile(regex)
    return sorted(path for path in paths if compiled.fullmatch(path))


def _segment(part: str) -> str:
    if part == "**":
        return "\0"
    out = "" if part.startswith(".") else r"(?!\.)"
    i = 0
    while i < len(part):
        c = part[i]
        end = part.find("]", i + 2) if c == "[" else -1
        if end > 0:
            inner = part[i + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            out += f"(?!/)[{'^' + inner[1:] if inner[0] == '!' else inner}]"
            i = end
        else:
            out += {"*": "[^/]*", "?": "[^/]"}.get(c, re.escape(c))
        i += 1
    return out


class FolderTree:
    """A folder on disk."""

    def __init__(self, folder: Path) -> None:
        """Open it.

        Raises:
            BadInputError: if there is no such folder.
        """
        self._shown = folder
        self._root = folder.resolve()
        self._listing: list[str] | None = None
        if not self._root.is_dir():
            what = "not a folder" if folder.exists() else "there is no such folder"
            remedy = "name the folder that holds evaluator.toml"
            raise BadInputError(what, remedy=remedy, place=Place(file=str(folder)))

    @property
    def origin(self) -> str:
        """The folder as the user named it."""
        return str(self._shown)

    def label(self, path: str) -> str:
        """Return the file's path."""
        return str(self._shown / path)

    def has(self, path: str) -> bool:
        """Say whether something is at ``path``."""
        return os.path.lexists(self._root / path)

    def read(self, path: str) -> bytes:
        """Return the bytes of a regular file of the folder."""
        place = Place(file=self.label(path))
        at = self._root
        try:
            for part in inside(path).split("/"):
                at = at / part
                status = at.lstat()
                if stat.S_ISLNK(status.st_mode):
                    raise link_refused(place)
            if not stat.S_ISREG(status.st_mode):
                raise BadInputError("not a regular file", remedy="name a file", place=place)
            check_size(status.st_size, place)
            return at.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise missing(place) from None
        except OSError as error:
            what = f"cannot be read: {error.strerror}"
            raise BadInputError(what, remedy="check its permissions", place=place) from None

    def match(self, pattern: str) -> list[str]:
        """Return the paths that match ``pattern``; links and special files among them."""
        if self._listing is None:
            self._listing = list(self._walk())
        return matching(pattern, self._listing)

    def _walk(self) -> Iterable[str]:
        for folder, folders, files in os.walk(self._root):
            folders[:] = [name for name in folders if name not in (".git", "__pycache__")]
            base = Path(folder).relative_to(self._root)
            links = [name for name in folders if (Path(folder) / name).is_symlink()]
            for name in (*files, *links):
                yield (base / name).as_posix()


def missing(place: Place) -> BadInputError:
    """Return the error for a file that is not there."""
    return BadInputError("there is no such file", remedy="check the name", place=place)


def link_refused(place: Place) -> BadInputError:
    """Return the error for a symbolic link."""
    what = "a symbolic link, which may lead out of the folder"
    return BadInputError(what, remedy="put the file itself there", place=place)


def check_size(size: int, place: Place) -> None:
    """Refuse a file of more than ``MAX_BYTES`` bytes before it is read."""
    if size > MAX_BYTES:
        raise BadInputError(
            f"{size / 2**20:.0f} MB is more than the {MAX_BYTES // 2**20} MB a file may have",
            remedy="split it, or keep in it only what can affect a verdict",
            place=place,
        )
