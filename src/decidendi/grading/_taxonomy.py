"""Kinds of error in premises and classes of conclusion: a versioned data file (Mishra et al., 3).

A premise error is named by its kind, or by kind and sub-kind: ``misinterpretation``,
``misinterpretation.temporal``. Classes of conclusion are what ``conclusion_class`` computes, so a
taxonomy can word them anew but not add to them; kinds and sub-kinds can be added freely.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from decidendi.grading._words import CONTENT, CORRECT, FROM_FALSE, FROM_INCOMPLETE, WRONG_FROM_FALSE
from decidendi.judgment import JSON, BadInputError, Place, digest_of, parse_json

UNSPECIFIED = "unspecified"
"""An error whose kind nobody said, as in sets that only mark the first wrong step."""

CLASSES = (CORRECT, FROM_FALSE, CONTENT, WRONG_FROM_FALSE, FROM_INCOMPLETE)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


_Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
_Text = Annotated[str, Field(min_length=1)]


class EntryModel(_Model):
    """One class of conclusion, or one sub-kind of error."""

    id: _Id
    name: _Text
    definition: _Text
    example: _Text


class KindModel(EntryModel):
    """One kind of error."""

    kinds: list[EntryModel] = []


class TaxonomyModel(_Model):
    """A taxonomy file. With ``extends`` it holds only what it adds to, or words anew in, ours."""

    id: _Id
    version: _Text
    extends: str | None = None
    premise: list[KindModel] = []
    conclusion: list[EntryModel] = []


@dataclass(frozen=True, slots=True)
class Entry:
    """A kind, a sub-kind or a class, in words.

    Attributes:
        code: ``misinterpretation.temporal``; for a class its id.
        name: For people.
        definition: When it applies.
        example: An instance.
    """

    code: str
    name: str
    definition: str
    example: str


@dataclass(frozen=True)
class Taxonomy:
    """Kinds of error and classes of conclusion.

    Attributes:
        id: Whose it is.
        version: Which one.
        kinds: Each kind with its sub-kinds, in order.
        classes: The classes of conclusion, in order.
        digest: Of its content: in every record made with it.
        content: All of it, as its file has it; what was extended is in it.
    """

    id: str
    version: str
    kinds: tuple[tuple[Entry, tuple[Entry, ...]], ...]
    classes: tuple[Entry, ...]
    digest: str
    content: Mapping[str, Any] = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        """Id and version in one."""
        return f"{self.id}/{self.version}"

    @property
    def kind_codes(self) -> tuple[str, ...]:
        """The kinds."""
        return tuple(kind.code for kind, _ in self.kinds)

    @property
    def codes(self) -> tuple[str, ...]:
        """Every kind, each followed by its sub-kinds."""
        return tuple(entry.code for entry in self.entries())

    def entries(self) -> Iterator[Entry]:
        """Yield every kind, each followed by its sub-kinds."""
        for kind, subs in self.kinds:
            yield kind
            yield from subs

    def knows(self, code: str) -> bool:
        """Say whether a premise error may be called this."""
        return code == UNSPECIFIED or code in self.codes


def kind_of(code: str) -> str:
    """Return the kind a code belongs to: ``misinterpretation`` of ``misinterpretation.jargon``."""
    return code.partition(".")[0]


@lru_cache(maxsize=1)
def taxonomy() -> Taxonomy:
    """Return the taxonomy that is shipped."""
    return _made(_shipped())


def load_taxonomy(path: Path) -> Taxonomy:
    """Read a taxonomy of one's own, or additions to the shipped one.

    Raises:
        BadInputError: if it is none, extends one that is not here, or changes the classes.
    """
    place = Place(str(path))
    try:
        content = parse_json(path.read_bytes())
    except BadInputError as error:
        raise error.at(file=str(path)) from None
    model = _model(content, str(path))
    if model.extends is not None:
        ours = _shipped()
        if model.extends != f"{ours.id}/{ours.version}":
            known = f"{ours.id}/{ours.version}"
            what = f"extends {model.extends!r}, which is not here"
            raise BadInputError(what, remedy=known, place=place)
        model = _extended(ours, model)
    if sorted(entry.id for entry in model.conclusion) != sorted(CLASSES):
        remedy = f"exactly {', '.join(CLASSES)}: they are computed, and can only be worded anew"
        raise BadInputError("other classes of conclusion", remedy=remedy, place=place)
    made = _made(model)
    twice = sorted({code for code in made.codes if made.codes.count(code) > 1})
    if twice or UNSPECIFIED in made.codes or not made.kinds:
        what = f"{twice[0]!r} stands twice" if twice else f"no kinds, or one called {UNSPECIFIED!r}"
        raise BadInputError(what, place=place)
    return made


def taxonomy_schema() -> dict[str, Any]:
    """JSON Schema of a taxonomy file."""
    return TaxonomyModel.model_json_schema()


def _shipped() -> TaxonomyModel:
    data = files("decidendi.grading").joinpath("data", "taxonomy.json").read_bytes()
    return _model(parse_json(data), "taxonomy.json")


def _model(content: JSON, file: str) -> TaxonomyModel:
    try:
        return TaxonomyModel.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise BadInputError(str(first["msg"]), place=Place(file, field=field)) from None


def _extended(ours: TaxonomyModel, theirs: TaxonomyModel) -> TaxonomyModel:
    """Put additions into the shipped taxonomy; what has an id of ours is worded anew."""
    kinds = {kind.id: kind for kind in ours.premise}
    for kind in theirs.premise:
        old = kinds.get(kind.id)
        subs = {sub.id: sub for sub in (*(old.kinds if old else ()), *kind.kinds)}
        kinds[kind.id] = kind.model_copy(update={"kinds": list(subs.values())})
    classes = {entry.id: entry for entry in (*ours.conclusion, *theirs.conclusion)}
    parts = {"premise": list(kinds.values()), "conclusion": list(classes.values())}
    return theirs.model_copy(update=parts)


def _made(model: TaxonomyModel) -> Taxonomy:
    kinds = tuple(
        (_entry(kind, kind.id), tuple(_entry(sub, f"{kind.id}.{sub.id}") for sub in kind.kinds))
        for kind in model.premise
    )
    classes = tuple(_entry(entry, entry.id) for entry in model.conclusion)
    content = model.model_dump(exclude={"extends"})
    return Taxonomy(model.id, model.version, kinds, classes, digest_of(content), content)


def _entry(model: EntryModel, code: str) -> Entry:
    return Entry(code, model.name, model.definition, model.example)
