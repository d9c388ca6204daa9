"""A chain: premises, a conclusion, the option chosen; with what it answers and what is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from decidendi.judgment import Unmeasured, Verdict
from decidendi.legal import Option

Premises: TypeAlias = tuple[str, ...] | Unmeasured
"""The premises in order; or why there are none that could be told apart."""


@dataclass(frozen=True, slots=True)
class Chain:
    """One answer to a question, taken apart.

    Attributes:
        id: Unique in its set.
        premises: In order, without list markers; or why they could not be told apart.
        conclusion: The final choice in the chain's own words; empty if it has none.
        chosen: The label of the option chosen; unmeasured if none can be read.
        options: What there is to choose from. An option's text may be empty (YES, NO).
        gold: The label the expert gives; None where nobody said.
        question: What was asked.
        source: The facts and the law that premises can be checked against.
        expert: The expert's own analysis, for the judge to compare with.
        unit: The independent observation it belongs to (question, document); its id where unsaid.
        collection: The name of the set it comes from. A judge may be designed on one set and
            must be validated on another; names keep them apart.
        model: What wrote it.
        text: Everything that was written, as it was.
        carried: The other fields of its record, unread here.
    """

    id: str
    premises: Premises
    conclusion: str
    chosen: Verdict
    options: tuple[Option, ...] = ()
    gold: str | None = None
    question: str = ""
    source: str = ""
    expert: str = ""
    unit: str = ""
    collection: str = ""
    model: str = ""
    text: str = ""
    carried: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.unit:
            object.__setattr__(self, "unit", self.id)

    @property
    def length(self) -> int | None:
        """How many premises there are; None where they could not be told apart."""
        return None if isinstance(self.premises, Unmeasured) else len(self.premises)
