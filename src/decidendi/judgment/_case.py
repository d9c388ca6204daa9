"""A case: one matter to decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """One matter to decide. What an evaluator decides *from* is its sources, not the case.

    Attributes:
        id: Unique in its case set.
        unit: The clause, world, document or person this case was made from: the independent
            observation of every statistic. The id itself where none is given.
        carried: Every other field of the case's record, unread by any adjudicator.
    """

    id: str
    unit: str = ""
    carried: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.unit:
            object.__setattr__(self, "unit", self.id)
