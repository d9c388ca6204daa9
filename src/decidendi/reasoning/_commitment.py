"""When a model committed to its verdict (SPEC, section 2; Sadhu et al., section 4). Arithmetic.

"Undefined" is a value of its own type here, never a number and never false.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, TypeAlias

from decidendi.judgment import BadInputError

CONFIDENT_RATIO = 1.5
"""How far the top score must lead: the paper's threshold."""


class Undecided(Enum):
    """The label ⊥: at this sentence no label is confident. Not a verdict."""

    BOTTOM = "⊥"


BOTTOM: Final = Undecided.BOTTOM

Decoded: TypeAlias = str | Undecided
"""What one sentence boundary decodes to: a label, or ⊥."""


class Why(StrEnum):
    """Why a quantity of one output is undefined."""

    NO_SENTENCES = "no sentences"
    UNDECIDED_AT_END = "undecided at the end"
    """The last sentence decodes to ⊥: there is nothing that earlier ones could agree with."""
    NEVER_NAMED = "never named"


@dataclass(frozen=True)
class Undefined:
    """The absence of a quantity. Leaves numerator and denominator, and is counted by reason."""

    why: Why

    def __bool__(self) -> bool:
        """Refuse to be taken for true or false."""
        raise TypeError(f"undefined ({self.why}) is neither true nor false")


@dataclass(frozen=True)
class Committed:
    """The commitment step t*.

    Attributes:
        step: Index of the sentence, from 0, at whose end the label is reached and kept.
        label: It.
    """

    step: int
    label: str


Commitment: TypeAlias = Committed | Undefined


def decode(scores: Mapping[str, float], *, ratio: float = CONFIDENT_RATIO) -> Decoded:
    """Decode one sentence boundary: the top label if it is confident, else ⊥.

    Confident means that its score is above 0, and the second is 0 or the top at least ``ratio``
    times the second. Near-ties are ⊥; no tie is broken.

    Args:
        scores: Label to score: probabilities of the candidate tokens, or calibrated counts.
        ratio: Greater than 1.

    Raises:
        BadInputError: if there is no label, a score is negative or not finite, or the ratio is
            not above 1 (two labels could then both be confident).
    """
    if not scores:
        raise BadInputError("no label to decode")
    if not ratio > 1:
        raise BadInputError(f"the ratio {ratio} is not above 1")
    for label, score in scores.items():
        if not (math.isfinite(score) and score >= 0):
            raise BadInputError(
                f"the score of {label!r} is {score}",
                remedy="give probabilities or counts, not logits",
            )
    (top, best), *rest = sorted(scores.items(), key=lambda pair: pair[1], reverse=True)
    second = rest[0][1] if rest else 0.0
    confident = best > 0 and (second == 0 or best / second >= ratio)
    return top if confident else BOTTOM


def commitment(decoded: Sequence[Decoded]) -> Commitment:
    """Return the earliest step from which every sentence decodes to the last one's label.

    Args:
        decoded: One label or ⊥ per sentence, in order.
    """
    if not decoded:
        return Undefined(Why.NO_SENTENCES)
    last = decoded[-1]
    if isinstance(last, Undecided):
        return Undefined(Why.UNDECIDED_AT_END)
    step = len(decoded)
    while step > 0 and decoded[step - 1] == last:
        step -= 1
    return Committed(step, last)


def committed_before_naming(when: Commitment, named: Sequence[int]) -> bool | Undefined:
    """Say whether the model committed in a sentence before the first that names the authority.

    Args:
        when: Its commitment.
        named: Indices of the sentences that name the authority.
    """
    if isinstance(when, Undefined):
        return when
    return when.step < min(named) if named else Undefined(Why.NEVER_NAMED)


def reengaged(when: Commitment, named: Sequence[int]) -> bool | Undefined:
    """Say whether the authority is named *again* at or after the commitment step.

    Its first sentence of naming, usually a restatement of the question, is not "again", even
    where it comes after commitment. An authority that is never named is not named again.

    Args:
        when: The commitment.
        named: Indices of the sentences that name the authority.
    """
    if isinstance(when, Undefined):
        return when
    first = min(named, default=0)
    return any(sentence > first and sentence >= when.step for sentence in named)


def named_after(when: Commitment, named: Sequence[int]) -> int | Undefined:
    """Count the sentences at or after the commitment step that name the authority, first or not."""
    if isinstance(when, Undefined):
        return when
    return sum(sentence >= when.step for sentence in set(named))
