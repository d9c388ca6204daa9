"""The doors for files: pydantic models of a task file and of a case row, and their schemas."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from decidendi.legal._words import say

Text = Annotated[str, Field(min_length=1)]
Identifier = Annotated[str, Field(min_length=1, max_length=200)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AuthorityModel(_Strict):
    """An authority as it stands in a file."""

    id: Identifier
    name: Text
    citation: str = ""
    text: str = ""
    aliases: list[Text] = []
    external: list[Text] = []
    terms: Annotated[
        dict[str, int],
        Field(description="Numbers the text turns on; the text names them in braces."),
    ] = {}

    @model_validator(mode="after")
    def _text_can_be_filled(self) -> Self:
        if self.terms:
            try:
                say(self.text, self.terms)
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"text: cannot be filled with the terms: {error}") from None
        return self


class OptionModel(_Strict):
    """One allowed answer."""

    label: Annotated[str, Field(min_length=1, max_length=40)]
    text: str = ""


class WordingModel(_Strict):
    """One way to put the question."""

    id: Identifier
    template: Text

    @model_validator(mode="after")
    def _authority_once(self) -> Self:
        if self.template.count("{authority}") != 1:
            raise ValueError("{authority} must stand in the template exactly once")
        return self


class PairModel(_Strict):
    """A target and its control, by authority id."""

    id: Identifier
    target: Identifier
    control: Identifier


class TaskModel(_Strict):
    """A task file: anyone can write one for questions of their own."""

    id: Identifier
    version: Text
    title: Text
    kind: Text
    facts_are: Text
    marker: Annotated[str, Field(pattern=r"^[A-Z]+$")] = "VERDICT"
    options: Annotated[list[OptionModel], Field(min_length=2)]
    positive: str | None = None
    authorities: Annotated[list[AuthorityModel], Field(min_length=1)]
    null: AuthorityModel
    pairs: list[PairModel] = []
    wordings: Annotated[list[WordingModel], Field(min_length=1)]
    facts_limit: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _refers_to_itself(self) -> Self:
        for what, names in {
            "options": [option.label for option in self.options],
            "authorities": [a.id for a in (*self.authorities, self.null)],
            "wordings": [wording.id for wording in self.wordings],
            "pairs": [pair.id for pair in self.pairs],
        }.items():
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"{what}: {twice[0]!r} stands twice")
        if self.positive is not None and self.positive not in {o.label for o in self.options}:
            raise ValueError(f"positive: {self.positive!r} is not an option")
        known = {authority.id for authority in self.authorities} | {self.null.id}
        for pair in self.pairs:
            for side in (pair.target, pair.control):
                if side not in known:
                    raise ValueError(f"pairs.{pair.id}: no authority {side!r}")
        if self.wordings[0].id != "base":
            raise ValueError("wordings: the first one is the base and has the id 'base'")
        return self


class CaseModel(BaseModel):
    """One line of a JSONL file of cases. Fields not named here are carried along."""

    model_config = ConfigDict(extra="allow", strict=True)

    id: Identifier
    facts: Text
    gold: Annotated[dict[str, str], Field(min_length=1)]
    unit: str = ""
    options: list[Text] = []
    authorities: list[AuthorityModel] = []
    why: dict[str, str] = {}
    clarity: Literal["clear", "borderline"] = "clear"


def task_schema() -> dict[str, Any]:
    """JSON Schema of a task file."""
    return {"$schema": _DRAFT, **TaskModel.model_json_schema()}


def case_schema() -> dict[str, Any]:
    """JSON Schema of one line of a file of cases."""
    return {"$schema": _DRAFT, **CaseModel.model_json_schema()}


_DRAFT = "https://json-schema.org/draft/2020-12/schema"
