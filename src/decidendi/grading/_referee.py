"""The referee's test: does a gap that a judge measured stand before what people measured?

A judge puts correctness so many points below accuracy, over many chains; people label a few.
A correct chain is also an accurate one, so the gap is a share itself: of the chains that are
accurate and not correct. If people's interval for it leaves out the judge's figure, the figure
does not stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from decidendi.judgment import BadInputError
from decidendi.stats import Rate, wilson_rate

WIDE = 0.10
"""An interval that reaches further than this to either side agrees with nearly anything."""

Outcome: TypeAlias = Literal["stands", "does not stand", "not enough labels"]


def outcome_of(judged: float, low: float, high: float) -> Outcome:
    """Say whether a judged gap stands before people's interval for it.

    Outside it does not. Inside it does, unless the interval is so wide that it says little.
    """
    if not low <= judged <= high:
        return "does not stand"
    return "stands" if (high - low) / 2 <= WIDE else "not enough labels"


@dataclass(frozen=True, slots=True)
class PeoplesGap:
    """What people found for one model.

    Attributes:
        model: Its name.
        gap: Accuracy less correctness, as a share.
        chains: How many chains they labelled.
    """

    model: str
    gap: float
    chains: int

    @property
    def hits(self) -> int:
        """The chains behind the gap: accurate and not correct. Published shares are rounded."""
        return round(self.gap * self.chains)


@dataclass(frozen=True)
class Referee:
    """The outcome of the test.

    Attributes:
        outcome: Whether the judged gap stands.
        judged: What the judge says, as a share.
        people: People's gap over all models, with its interval.
        mean: The plain mean of the models' gaps, as a share.
        models: What people found, model by model, with intervals.
    """

    outcome: Outcome
    judged: float
    people: Rate
    mean: float
    models: tuple[tuple[str, Rate], ...]


def referee(people: Sequence[PeoplesGap], judged: float) -> Referee:
    """Test a judged gap against people's.

    Args:
        people: Gaps that people found, by model.
        judged: The gap that the judge found, as a share.

    Raises:
        BadInputError: if a figure is no share, a model is named twice, or nobody labelled anything.
    """
    if not people or any(one.chains < 1 for one in people):
        raise BadInputError("needs people's gaps, each of at least one chain")
    if not all(0 <= value <= 1 for value in (judged, *(one.gap for one in people))):
        raise BadInputError("a gap is a share between 0 and 1")
    for name, count in Counter(one.model for one in people).items():
        if count > 1:
            remedy = "one gap for each model: its chains would count twice"
            raise BadInputError(f"the model {name!r} is named {count} times", remedy=remedy)
    n = sum(one.chains for one in people)
    pooled = wilson_rate(sum(one.hits for one in people), n)
    assert pooled.low is not None and pooled.high is not None, "n is above 0"
    return Referee(
        outcome_of(judged, pooled.low, pooled.high),
        judged,
        pooled,
        sum(one.gap for one in people) / len(people),
        tuple((one.model, wilson_rate(one.hits, one.chains)) for one in people),
    )
