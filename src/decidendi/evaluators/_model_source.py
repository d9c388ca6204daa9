"""The source that says which model is asked, and how."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from decidendi.judgment import JSON, BadInputError

SCRIPTED = "scripted/"
LOCAL = "decidendi/"

_Number: TypeAlias = (
    Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,6})?$")] | Annotated[int, Field(ge=0)]
)
"""A number as text ("0.7"), since sources hold no floats, or an integer."""


class ModelSource(BaseModel):
    """Which model, and everything that is sent with a prompt.

    Attributes:
        name: As Inspect names it (``openai/gpt-4o-mini``), ``decidendi/embedded`` or
            ``decidendi/<folder or id>`` for one on this machine, ``scripted/…`` for the judge
            that needs none.
        temperature: The provider's own where not given.
        top_p: Likewise.
        max_tokens: Most new tokens.
        stop: Texts that end an answer.
        seed: The draw of index n is sent seed + n; none is sent where not given.
        reasoning_effort: Likewise the provider's own.
        reasoning_tokens: Likewise.
        force_after: A model on this machine has its reasoning closed after so many tokens, and
            is asked for the verdict.
        args: Arguments of the provider, or of the scripted judge. Never a key: a source is
            copied into runs.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(pattern=r"^[^/\s]+/\S+$")
    temperature: _Number | None = None
    top_p: _Number | None = None
    max_tokens: int | None = Field(None, ge=1)
    stop: list[str] | None = None
    seed: int | None = Field(None, ge=0, le=2**31)
    reasoning_effort: str | None = None
    reasoning_tokens: int | None = Field(None, ge=1)
    force_after: int | None = Field(None, ge=1)
    args: dict[str, Any] = {}  # JSON: it is a source

    @property
    def scripted(self) -> bool:
        """Whether the shipped judge answers, which needs no model."""
        return self.name.startswith(SCRIPTED)

    def settings(self) -> dict[str, Any]:
        """Return what Inspect is told, by its names."""
        told: dict[str, Any] = {
            "temperature": None if self.temperature is None else float(Decimal(self.temperature)),
            "top_p": None if self.top_p is None else float(Decimal(self.top_p)),
            "max_tokens": self.max_tokens,
            "stop_seqs": self.stop,
            "reasoning_effort": self.reasoning_effort,
            "reasoning_tokens": self.reasoning_tokens,
        }
        return {name: value for name, value in told.items() if value is not None}


def model_source(content: JSON) -> ModelSource:
    """Read the source.

    Raises:
        BadInputError: with the field and what is wrong with it.
    """
    try:
        return ModelSource.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(
            str(step) for step in first["loc"] if not str(step).startswith("constrain")
        )
        what = f"{field or 'the content'}: {first['msg'][0].lower()}{first['msg'][1:]}"
        remedy = 'write e.g. {"name": "openai/gpt-4o-mini", "temperature": "0.7"}'
        raise BadInputError(what, remedy=remedy) from None
