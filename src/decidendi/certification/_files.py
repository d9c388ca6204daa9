"""What a run reads cases from, and the sources it keeps."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from decidendi.folders import storage_errors, write_whole
from decidendi.judgment import BadInputError, Place, Source, sha256

SOURCES = "sources"
KEPT_SOURCES = 10_000
"""Distinct local sources copied into a run folder; an evaluator with more has one per case."""


@contextmanager
def few_collections() -> Iterator[None]:
    """Let the garbage collector run more rarely.

    A chunk of cases makes some fifty thousand objects that all die together; looking through
    them every 700 allocations takes half of the time of a bulk run.
    """
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@dataclass(frozen=True)
class CaseFile:
    """What a case file is, found by reading it once.

    Attributes:
        digest: ``sha256:<hex>`` of its bytes.
        bytes: Its size.
        lines: Its lines; an upper bound on its records.
    """

    digest: str
    bytes: int
    lines: int


def measure(path: Path) -> CaseFile:
    """Digest a case file in flat memory.

    Raises:
        BadInputError: if it cannot be read, or nothing but blanks stands in it.
    """
    hasher = hashlib.sha256()
    size = lines = 0
    head = b""
    blank = True
    last = b"\n"
    try:
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                hasher.update(block)
                size += len(block)
                lines += block.count(b"\n")
                last = block[-1:]
                head = head or block[:_HEAD]
                blank = blank and block.isspace()
    except OSError as error:
        raise BadInputError(
            f"cannot be read: {error.strerror}",
            remedy="name a JSONL file of cases",
            place=Place(file=str(path)),
        ) from None
    _refuse_other_form(path, head)
    if blank:
        raise BadInputError(
            "no case in the file",
            remedy="write one case a line, as JSON objects",
            place=Place(file=str(path)),
        )
    return CaseFile(f"sha256:{hasher.hexdigest()}", size, lines + (last != b"\n"))


_HEAD = 4096

_MAGIC = (
    (b"\x1f\x8b", "compressed by gzip", "unpack it: gunzip -c FILE > cases.jsonl"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it: zstd -dc FILE > cases.jsonl"),
    (b"PK\x03\x04", "a zip archive", "unpack it"),
    (b"PAR1", "a Parquet file", "write it as JSON Lines, one object a line"),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8"),
)


def _refuse_other_form(path: Path, head: bytes) -> None:
    """Refuse a file that is as a whole something else, rather than line by line.

    Raises:
        BadInputError: saying how to make JSON Lines of it.
    """
    place = Place(file=str(path))
    for magic, what, remedy in _MAGIC:
        if head.startswith(magic):
            raise BadInputError(f"{what}, not JSON Lines", remedy=remedy, place=place)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    first = text.partition(b"\n")[0].strip()
    if first == b"[" or (first[:1] == b"[" and first[1:].lstrip()[:1] == b"{"):
        remedy = "write one object a line: jq -c '.[]' FILE > cases.jsonl"
        raise BadInputError("a JSON array, not JSON Lines", remedy=remedy, place=place)
    if first == b"{":
        remedy = "write one object a line: jq -c . FILE > cases.jsonl"
        raise BadInputError("JSON over several lines, not JSON Lines", remedy=remedy, place=place)


class SourceStore:
    """Copies of sources under their digests, so that a run explains itself without evaluators."""

    def __init__(self, folder: Path) -> None:
        """Open ``folder/sources``."""
        self._folder = folder / SOURCES
        self._known: set[str] | None = None

    def keep(self, sources: Iterable[Source]) -> None:
        """Copy sources that are not there yet, up to ``KEPT_SOURCES``."""
        if self._known is None:
            with storage_errors(self._folder):
                self._folder.mkdir(exist_ok=True)
                self._known = {f"sha256:{path.stem}" for path in self._folder.glob("*.json")}
        for source in sources:
            if source.digest not in self._known and len(self._known) < KEPT_SOURCES:
                write_whole(self._path(source.digest), source.data)
                self._known.add(source.digest)

    def get(self, digest: str) -> bytes | None:
        """Return the canonical bytes under a digest; None if they are not here."""
        try:
            return self._path(digest).read_bytes()
        except OSError:
            return None

    def problems(self) -> Iterator[str]:
        """Return the copies that are not what their names say."""
        for path in sorted(self._folder.glob("*.json")):
            if sha256(path.read_bytes()) != f"sha256:{path.stem}":
                yield f"{SOURCES}/{path.name}: its content does not have this digest"

    def _path(self, digest: str) -> Path:
        name = digest.removeprefix("sha256:")
        return self._folder / f"{name if name.isalnum() else 'none'}.json"
