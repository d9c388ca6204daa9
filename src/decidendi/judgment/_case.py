"""A case: one matter to decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from decidendi.judgment._canonical import canonical_bytes
from decidendi.judgment._errors import BadInputError


@dataclass(frozen=True, slots=True)
class Case:
    """One matter to decide. What an evaluator decides *from* is its sources, not the case.

    Attributes:
        id: Unique in its case set.
        unit: The clause, world, document or person this case was made from: the independent
            observation of every statistic. The id itself where none is given.
        carried: Every other field of the case's record, unread by any adjudicator.

    Raises:
        BadInputError: if id or unit is not a text, is empty, or has no canonical form.
    """

    id: str
    unit: str = ""
    carried: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.unit:
            object.__setattr__(self, "unit", self.id)
        _check("id", self.id)
        _check("unit", self.unit)


def _check(name: str, text: object) -> None:
    if type(text) is str and text and text.isascii():
        return  # every such text is canonical; most are such
    try:
        if not isinstance(text, str) or not text:
            remedy = f"give every case an {name} that is a text, not empty"
            raise BadInputError(f"{text!r} is no {name}", remedy=remedy)
        canonical_bytes(text)
    except BadInputError as error:
        raise error.at(field=name) from None
