"""The files of an evaluator's sources, read into contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decidendi.evaluators._manifest import SourceSpec
from decidendi.evaluators._modules import text_of
from decidendi.evaluators._tree import Tree, inside, is_pattern
from decidendi.judgment import JSON, BadInputError, Place, Source, canonical_bytes, parse_json

_BY_SUFFIX = {"json": "json", "rego": "rego", "cedar": "cedar"}


@dataclass(frozen=True, slots=True)
class KindFiles:
    """The files of one kind of source.

    Attributes:
        kind: The kind.
        paths: The files in order.
        single: Whether the content is that of the one file, not an object of files by path.
        format: What the files hold: ``json``, ``text``, ``python``, ``rego``, ``cedar``, or
            ``mixed`` where that differs from file to file.
    """

    kind: str
    paths: tuple[str, ...]
    single: bool
    format: str


def files_of(tree: Tree, kind: str, spec: SourceSpec) -> KindFiles:
    """Find the files of a kind.

    Raises:
        BadInputError: if a path leads outside, a file is missing, a pattern matches nothing,
            or a file is named twice.
    """
    assert spec.files is not None
    found: dict[str, str] = {}
    try:
        for entry in spec.files:
            plain = inside(entry)
            paths = tree.match(plain) if is_pattern(plain) else [plain]
            if not paths:
                remedy = "correct the pattern, or add the files"
                raise BadInputError(f"{entry!r} matches no file", remedy=remedy)
            for path in paths:
                if not tree.has(path):
                    remedy = "correct the name, or add the file"
                    raise BadInputError(f"there is no file {path!r} in the folder", remedy=remedy)
                if path in found:
                    what = f"{path!r} is named twice, by {found[path]!r} and {entry!r}"
                    raise BadInputError(what, remedy="name each file once")
                found[path] = entry
    except BadInputError as error:
        raise error.at(field=f"sources.{kind}.files") from None
    single = len(spec.files) == 1 and not is_pattern(spec.files[0])
    formats = {spec.format or format_of(path) for path in found}
    told = formats.pop() if len(formats) == 1 else "mixed"
    if told == "python" and not single:
        what, field = "a Python source is one file", f"sources.{kind}.files"
        raise BadInputError(what, remedy="name one file").at(field=field)
    return KindFiles(kind, tuple(found), single, told)


def format_of(path: str) -> str:
    """Tell a file's format from its name. Python files are text unless declared otherwise."""
    return _BY_SUFFIX.get(path.rpartition(".")[2], "text")


def read_source(tree: Tree, files: KindFiles) -> Source:
    """Read the files of a kind into a source.

    Raises:
        BadInputError: with the file, and the field for JSON outside the canonical domain.
    """
    contents = {path: read_file(tree, path, files.format) for path in files.paths}
    if files.single:
        return Source(files.kind, contents[files.paths[0]])
    return Source(files.kind, contents)


def read_file(tree: Tree, path: str, told: str) -> JSON:
    """Read one file: parsed if it is JSON, else its text. Raises ``BadInputError``."""
    is_json = (told if told != "mixed" else format_of(path)) == "json"
    content: JSON
    try:
        content = parse_json(tree.read(path)) if is_json else text_of(tree, path)
        canonical_bytes(content)  # here, where the file is known
    except BadInputError as error:
        raise error.at(file=tree.label(path)) from None
    return content


def refuse_overlap(kinds: Sequence[KindFiles], label: str) -> None:
    """Refuse a file that belongs to two kinds: its change could not be told apart.

    Raises:
        BadInputError: naming the file and both kinds.
    """
    owner: dict[str, str] = {}
    for files in kinds:
        for path in files.paths:
            if (other := owner.setdefault(path, files.kind)) != files.kind:
                raise BadInputError(
                    f"{path!r} also belongs to {other!r}, so a change in it would be two changes",
                    remedy="split the file, or name it in one kind",
                    place=Place(file=label, field=f"sources.{files.kind}.files"),
                )
