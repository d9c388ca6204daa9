"""Accuracy, soundness, correctness and the class of the conclusion, by code (SPEC, section 3).

What is unmeasured stays so: a chain with an unmeasured premise has no correctness and no class,
not even where another premise is known to be wrong. Counting such chains only when they are
wrong would make every rate the worse the more the judge fails to answer. Labels that end with
the first error on purpose are another matter: they say that the chain is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decidendi.grading._chain import Chain
from decidendi.grading._labels import Content, Labels, Marks, is_wrong, stops_at_first_error
from decidendi.grading._words import CONTENT, CORRECT, FROM_FALSE, FROM_INCOMPLETE, WRONG_FROM_FALSE
from decidendi.judgment import Unmeasured, Verdict
from decidendi.stats import Label, Value


@dataclass(frozen=True, slots=True)
class Score:
    """What follows from the labels of one chain.

    Attributes:
        chain: Its id.
        unit: Its unit.
        accuracy: 1 if the option chosen is the expert's, else 0.
        soundness: The share of its labelled premises without an error.
        correctness: 1 if every premise is sound and the conclusion correct, else 0.
        conclusion: The class of the conclusion.
    """

    chain: str
    unit: str
    accuracy: Value
    soundness: Value
    correctness: Value
    conclusion: Label


def conclusion_class(
    chosen: Verdict, gold: str | None, premises: Sequence[Marks] | Unmeasured, content: Content
) -> Label:
    """Return the class of a conclusion; unmeasured if anything it depends on is.

    Args:
        chosen: The option's label.
        gold: The expert's; without one there is no class.
        premises: The labels of the premises.
        content: Whether the conclusion says what its option says; None says nothing against it.
    """
    if isinstance(chosen, Unmeasured):
        return chosen
    if gold is None:
        return None
    right = chosen == gold
    if right and isinstance(content, Unmeasured):
        return content
    if isinstance(premises, Unmeasured):
        return premises
    if not stops_at_first_error(premises):
        for marks in premises:
            if marks is None or isinstance(marks, Unmeasured):
                return marks
    if right and content is False:
        return CONTENT
    if any(is_wrong(marks) for marks in premises):
        return FROM_FALSE if right else WRONG_FROM_FALSE
    return CORRECT if right else FROM_INCOMPLETE


def accuracy_of(chain: Chain) -> Value:
    """Return 1 if the chain chooses the expert's option, 0 if another; needs no judge."""
    if isinstance(chain.chosen, Unmeasured):
        return chain.chosen
    return None if chain.gold is None else float(chain.chosen == chain.gold)


def score(chain: Chain, labels: Labels) -> Score:
    """Score one chain by one source's labels."""
    marks = labels.premises
    conclusion = conclusion_class(chain.chosen, chain.gold, marks, labels.content)
    correctness: Value = None
    if isinstance(conclusion, Unmeasured):
        correctness = conclusion
    elif conclusion is not None:
        correctness = float(conclusion == CORRECT)
    accuracy = accuracy_of(chain)
    return Score(chain.id, chain.unit, accuracy, _soundness(marks), correctness, conclusion)


def _soundness(premises: Sequence[Marks] | Unmeasured) -> Value:
    if isinstance(premises, Unmeasured):
        return premises
    labelled = [marks for marks in premises if isinstance(marks, tuple)]
    if not labelled:
        return next((m for m in premises if isinstance(m, Unmeasured)), None)
    return sum(not marks for marks in labelled) / len(labelled)
