"""Chains and labels as JSONL: pydantic at the door, dataclasses inside, places in every refusal."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from decidendi.grading._chain import Chain
from decidendi.grading._labels import Finding, Labels, Marks, Partly
from decidendi.grading._measures import check_fits
from decidendi.grading._segment import MOST, segment
from decidendi.grading._taxonomy import Taxonomy
from decidendi.judgment import JSON, BadInputError, Place, Reason, Unmeasured, parse_json
from decidendi.legal import Option

_Id = Annotated[str, Field(min_length=1, max_length=400)]
_Text = Annotated[str, Field(min_length=1)]


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError("a premise of blanks only")
    return text


_Premise = Annotated[str, AfterValidator(_says_something)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class OptionModel(_Strict):
    """One option of a question."""

    label: Annotated[str, Field(min_length=1, max_length=40)]
    text: str = ""


class UnmeasuredModel(_Strict):
    """Why something has no value."""

    unmeasured: Reason
    detail: str = ""


class FindingModel(_Strict):
    """One error of a premise."""

    code: _Text
    why: str = ""
    carried: bool = False


class ChainModel(BaseModel):
    """One line of a file of chains. Fields not named here are carried along.

    With ``text`` alone the chain is taken apart by its layout; with ``premises`` it is as given.
    """

    model_config = ConfigDict(extra="allow", strict=True)

    id: _Id
    unit: str = ""
    text: str = ""
    premises: list[_Premise] | UnmeasuredModel | None = None
    conclusion: str = ""
    chosen: str | UnmeasuredModel | None = None
    options: list[OptionModel] = []
    gold: str | None = None
    question: str = ""
    source: str = ""
    expert: str = ""
    collection: str = ""
    model: str = ""

    @model_validator(mode="after")
    def _whole(self) -> ChainModel:
        labels = [option.label for option in self.options]
        if len(set(labels)) != len(labels):
            raise ValueError("options: a label stands twice")
        for field in ("gold", "chosen"):
            value = getattr(self, field)
            if labels and isinstance(value, str) and value not in labels:
                raise ValueError(f"{field}: {value!r} is not among the options")
        # An empty text is an answer that says nothing: unmeasured, and counted.
        if self.premises is None and "text" not in self.model_fields_set:
            raise ValueError("neither text nor premises")
        return self


class PartlyModel(_Strict):
    """Labels for some kinds of error, where the others were not looked for."""

    kinds: list[_Text]
    premises: list[list[str | FindingModel] | UnmeasuredModel | None]


class LabelsModel(_Strict):
    """One line of a file of labels: one source, one chain.

    ``premises`` has one entry for each premise: its errors (codes, or objects with a reason), an
    empty list if it is sound, null if it was not labelled. ``taxonomy`` is the digest of the
    taxonomy that its codes are of, where that is known.
    """

    chain: _Id
    by: _Id
    taxonomy: str = ""
    premises: list[list[str | FindingModel] | UnmeasuredModel | None] | UnmeasuredModel
    content: bool | UnmeasuredModel | None = None
    said: Literal["sound", "wrong"] | UnmeasuredModel | None = None
    about: dict[str, Any] = {}
    partly: PartlyModel | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that was not used, and why."""

    place: Place
    detail: str

    def __str__(self) -> str:
        return f"{self.place}: {self.detail}"


class _OtherTaxonomyError(BadInputError):
    """Refuses a whole file, not a line."""


M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


def read_chains(path: Path, *, most: int = MOST) -> tuple[list[Chain], list[Refused]]:
    """Read chains; a line that is none is left out, with the reason.

    Args:
        path: JSON Lines.
        most: How many premises a chain may have.
    """
    seen: set[str] = set()

    def made(model: ChainModel) -> Chain:
        if model.id in seen:
            raise BadInputError(f"the id {model.id!r} stands twice", place=Place(field="id"))
        seen.add(model.id)
        return _chain(model, most)

    return _read(path, ChainModel, made)


def read_labels(
    path: Path, taxonomy: Taxonomy, chains: Sequence[Chain] = ()
) -> tuple[list[Labels], list[Refused]]:
    """Read labels; a line that is none is left out, with the reason.

    A label outside the taxonomy makes the line unusable: it could mean anything. So does another
    number of premises than the chain has.

    Args:
        path: JSON Lines.
        taxonomy: What errors there are.
        chains: What may be labelled; labels of other chains are not refused.

    Raises:
        BadInputError: if a line says that it was labelled with another taxonomy: the same codes
            could mean something else in all of them.
    """
    known = {chain.id: chain for chain in chains}
    seen: set[tuple[str, str]] = set()

    def made(model: LabelsModel) -> Labels:
        if model.taxonomy not in ("", taxonomy.digest):
            raise _OtherTaxonomyError(
                f"labelled with another taxonomy, {model.taxonomy}, than {taxonomy.name}, "
                f"{taxonomy.digest}",
                remedy="compare labels of one taxonomy",
                place=Place(field="taxonomy"),
            )
        labels = _labels(model)
        for code in unknown_codes(labels, taxonomy):
            remedy = f"one of {taxonomy.name}: {', '.join(taxonomy.codes)}"
            raise BadInputError(f"no error {code!r}", remedy=remedy, place=Place(field="premises"))
        if labels.chain in known:
            check_fits(known[labels.chain], labels)
        if (labels.chain, labels.by) in seen:
            raise BadInputError(f"{labels.by} labels the chain {labels.chain!r} twice")
        seen.add((labels.chain, labels.by))
        return labels

    return _read(path, LabelsModel, made)


def unknown_codes(labels: Labels, taxonomy: Taxonomy) -> list[str]:
    """Return the codes that a taxonomy does not have."""
    premises = [] if isinstance(labels.premises, Unmeasured) else [*labels.premises]
    premises += labels.partly.premises if labels.partly else ()
    used = {f.code for marks in premises if isinstance(marks, tuple) for f in marks}
    return sorted(code for code in used if not taxonomy.knows(code))


def chain_line(chain: Chain) -> bytes:
    """Return the line of a chain, with its line feed."""
    premises = chain.premises
    row: dict[str, Any] = {
        **chain.carried,
        "id": chain.id,
        "unit": chain.unit,
        "text": chain.text,
        "premises": _absent(premises) if isinstance(premises, Unmeasured) else list(premises),
        "conclusion": chain.conclusion,
        "chosen": _absent(chain.chosen) if isinstance(chain.chosen, Unmeasured) else chain.chosen,
        "options": [{"label": o.label, "text": o.text} for o in chain.options],
        "gold": chain.gold,
        "question": chain.question,
        "source": chain.source,
        "expert": chain.expert,
        "collection": chain.collection,
        "model": chain.model,
    }
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS) + b"\n"


def labels_line(labels: Labels, taxonomy: str = "") -> bytes:
    """Return the line of one source's labels of one chain, with its line feed.

    Args:
        labels: The labels.
        taxonomy: The digest of the taxonomy that their codes are of; left out where empty.
    """
    premises = labels.premises
    row: dict[str, Any] = {
        "chain": labels.chain,
        "by": labels.by,
        "premises": _absent(premises)
        if isinstance(premises, Unmeasured)
        else [_marks_row(marks) for marks in premises],
        "content": _absent(labels.content)
        if isinstance(labels.content, Unmeasured)
        else labels.content,
        "said": _absent(labels.said) if isinstance(labels.said, Unmeasured) else labels.said,
        "about": dict(labels.about),
    }
    if taxonomy:
        row["taxonomy"] = taxonomy
    if (partly := labels.partly) is not None:
        marks = [_marks_row(one) for one in partly.premises]
        row["partly"] = {"kinds": list(partly.kinds), "premises": marks}
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS) + b"\n"


def chain_schema() -> dict[str, Any]:
    """JSON Schema of one line of a file of chains."""
    return ChainModel.model_json_schema()


def labels_schema() -> dict[str, Any]:
    """JSON Schema of one line of a file of labels."""
    return LabelsModel.model_json_schema()


def checked(model: type[M], content: JSON, file: str | None = None, line: int | None = None) -> M:
    """Read one object; raises ``BadInputError`` with its place if it is not of this form."""
    try:
        return model.model_validate_json(orjson.dumps(content))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # Pydantic names the branch of a union that it tried; the user's file has no such part.
        parts = [str(part) for part in first["loc"]]
        field = ".".join(part for part in parts if "[" not in part and not part.endswith("Model"))
        said = str(first["msg"]).removeprefix("Value error, ")  # what our own validators say
        raise BadInputError(said, place=Place(file, line, field)) from None


def _read(path: Path, model: type[M], made: Callable[[M], T]) -> tuple[list[T], list[Refused]]:
    used: list[T] = []
    refused: list[Refused] = []
    data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            used.append(made(checked(model, parse_json(line))))
        except BadInputError as error:
            error.at(file=str(path), line=number)
            if isinstance(error, _OtherTaxonomyError):
                raise
            tail = f" ({error.remedy})" if error.remedy else ""
            refused.append(Refused(error.place, f"{error.what}{tail}"))
    return used, refused


def _chain(model: ChainModel, most: int) -> Chain:
    options = tuple(Option(option.label, option.text) for option in model.options)
    premises, conclusion = model.premises, model.conclusion
    chosen = None if model.chosen is None else _value(model.chosen)
    if premises is None:
        found = segment(model.text, options, most=most)
        whole, conclusion = found.premises, conclusion or found.conclusion
        chosen = found.chosen if chosen is None else chosen
    else:
        whole = (
            _unmeasured(premises)
            if isinstance(premises, UnmeasuredModel)
            else _given(premises, most)
        )
        if chosen is None:  # reading takes far longer than all else: never what was read before
            text = model.text or conclusion
            chosen = segment(text, options, most=most).chosen if text else _no_conclusion()
    return Chain(
        id=model.id,
        premises=whole,
        conclusion=conclusion,
        chosen=chosen,
        options=options,
        gold=model.gold,
        question=model.question,
        source=model.source,
        expert=model.expert,
        unit=model.unit,
        collection=model.collection,
        model=model.model,
        text=model.text,
        carried=dict(model.model_extra or {}),
    )


def _given(premises: list[str], most: int) -> tuple[str, ...] | Unmeasured:
    if not premises:
        return Unmeasured(Reason.NOT_CONVERGED, "a conclusion without premises")
    if len(premises) > most:
        why = f"{len(premises):,} premises, more than the {most:,} that are graded"
        return Unmeasured(Reason.NOT_CONVERGED, why)
    return tuple(premises)


def _no_conclusion() -> Unmeasured:
    return Unmeasured(Reason.NOT_CONVERGED, "no conclusion")


def _labels(model: LabelsModel) -> Labels:
    premises = model.premises
    return Labels(
        model.chain,
        model.by,
        _unmeasured(premises)
        if isinstance(premises, UnmeasuredModel)
        else tuple(_marks(marks) for marks in premises),
        _value(model.content),
        _value(model.said),
        model.about,
        _partly(model.partly),
    )


def _partly(model: PartlyModel | None) -> Partly | None:
    if model is None:
        return None
    return Partly(tuple(model.kinds), tuple(_marks(marks) for marks in model.premises))


def _marks(marks: list[str | FindingModel] | UnmeasuredModel | None) -> Marks:
    if marks is None:
        return None
    if isinstance(marks, UnmeasuredModel):
        return _unmeasured(marks)
    return tuple(
        Finding(m) if isinstance(m, str) else Finding(m.code, m.why, m.carried) for m in marks
    )


def _value(value: T | UnmeasuredModel) -> T | Unmeasured:
    return _unmeasured(value) if isinstance(value, UnmeasuredModel) else value


def _unmeasured(model: UnmeasuredModel) -> Unmeasured:
    return Unmeasured(model.unmeasured, model.detail)


def _absent(value: Unmeasured) -> dict[str, str]:
    return {"unmeasured": str(value.reason), "detail": value.detail}


def _marks_row(marks: Marks) -> object:
    if marks is None:
        return None
    if isinstance(marks, Unmeasured):
        return _absent(marks)
    return [{"code": f.code, "why": f.why, "carried": f.carried} for f in marks]
