"""The same folder as it was at a git revision, read without touching the user's files."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from decidendi.evaluators._tree import check_size, inside, link_refused, matching, missing
from decidendi.judgment import BadInputError, Place

_LINK, _SUBMODULE = "120000", "160000"


@dataclass(frozen=True, slots=True)
class _Blob:
    mode: str
    name: str
    size: int


class GitTree:
    """A folder as it was at a revision."""

    def __init__(self, folder: Path, revision: str) -> None:
        """Find the folder in its repository at the revision.

        Args:
            folder: The folder in the user's working tree; it need not exist there any more.
            revision: Anything git can resolve to a commit.

        Raises:
            BadInputError: if this is no repository, or the revision or the folder is not in it.
        """
        self._shown = f"{folder} at {revision}"
        place = Place(file=str(folder))
        here, below = folder.absolute(), ""
        while not here.is_dir() and here != here.parent:
            here, below = here.parent, f"{here.name}/{below}"
        self._here = here
        # resolve() so that a link into a repository finds the folder it leads to.
        self._here = here.resolve()
        try:
            top = self._git("rev-parse", "--show-prefix").decode().rstrip("\n")
        except BadInputError as error:
            what = f"not in a git repository ({error.what})"
            raise BadInputError(what, remedy="give two folders instead", place=place) from None
        self.commit = self._commit(revision, place)
        self._prefix = top + below
        self._blobs = self._listed(revision, place)

    @property
    def origin(self) -> str:
        """The folder and the revision."""
        return self._shown

    def label(self, path: str) -> str:
        """Return the file as git names it: ``commit:path``."""
        return f"{self.commit[:12]}:{self._prefix}{path}"

    def has(self, path: str) -> bool:
        """Say whether something is at ``path``."""
        return path in self._blobs

    def read(self, path: str) -> bytes:
        """Return the bytes of a file of the folder at the revision."""
        place = Place(file=self.label(path))
        blob = self._blobs.get(inside(path))
        if blob is None:
            raise missing(place)
        if blob.mode == _LINK:
            raise link_refused(place)
        if blob.mode == _SUBMODULE:
            what, remedy = "a submodule, not a file", "keep the file in this repository"
            raise BadInputError(what, remedy=remedy, place=place)
        check_size(blob.size, place)
        return self._git("cat-file", "blob", blob.name)

    def match(self, pattern: str) -> list[str]:
        """Return the paths that match ``pattern``."""
        return matching(pattern, self._blobs)

    def _commit(self, revision: str, place: Place) -> str:
        try:
            # --end-of-options: a revision that looks like an option stays a revision.
            wanted = f"{revision}^{{commit}}"
            args = ("rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
            out = self._git(*args).decode().split()
        except (BadInputError, ValueError):  # ValueError: a NUL in the revision
            out = []
        if not out:
            raise BadInputError(
                f"there is no revision {revision!r} in this repository",
                remedy="name a branch, a tag or a commit; fetch it first if it is elsewhere",
                place=place,
            )
        return out[-1]

    def _listed(self, revision: str, place: Place) -> dict[str, _Blob]:
        tree = f"{self.commit}:{self._prefix.rstrip('/')}"
        try:
            listing = self._git("ls-tree", "--full-tree", "-r", "-l", "-z", tree)
        except BadInputError:
            what = f"the folder does not exist at revision {revision!r}"
            remedy = "check when it was added, or whether it was renamed"
            raise BadInputError(what, remedy=remedy, place=place) from None
        blobs: dict[str, _Blob] = {}
        for entry in listing.split(b"\0")[:-1]:
            head, _, path = entry.partition(b"\t")
            mode, _, name, size = head.decode().split()
            blobs[os.fsdecode(path)] = _Blob(mode, name, int(size) if size.isdigit() else 0)
        return blobs

    def _git(self, *args: str) -> bytes:
        """Run one reading git command; ``BadInputError`` with git's own words if it fails."""
        # The variables that a git hook sets would point git at another repository.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        environment |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
        command = ["git", "--no-replace-objects", "-C", str(self._here), *args]
        try:
            done = subprocess.run(  # noqa: S603 - no shell, and revisions come after the options
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError:
            remedy = "install git, or give two folders instead"
            raise BadInputError("git is not installed", remedy=remedy) from None
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().split("\n")[0]
            raise BadInputError(said or f"git {args[0]} failed")
        return done.stdout
