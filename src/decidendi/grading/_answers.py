"""Answers beside gold labels: how often a classifier that answers in words agrees with experts.

Rows hold a prompt that lists its options, the gold label and what was answered. No reasoning is
graded here; it is the plainest case of a judge's record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from decidendi.grading._files import Refused, checked
from decidendi.judgment import BadInputError, Place, Reason, Unmeasured, parse_json
from decidendi.stats import JudgeRecord, Label, Resampler, judge_record

NONE = "none"
OTHER = "another answer"
MOST_OPTIONS = 12
"""With more options than these only the whole answer is compared."""

_OPTION = re.compile(r"^- (.+)$", re.MULTILINE)
_ITEM = re.compile(r"^\s*[-*•]\s*")
_REASON = re.compile(
    r"\s*(?:[(:;]|\.(?:\s|$)|\s[-–—]\s|,?\s(?:as|because|since)\s)"  # noqa: RUF001 - dashes as models write them
)
_BETWEEN = re.compile(r"\s*,?\s+and\s+|\s*,\s*")
_WORD = re.compile(r"\W+")


REPLICATES = 1_000
"""Kappa of a hundred classes has ten thousand cells in each replicate."""


class AnswerModel(BaseModel):
    """One line: the prompt with its options, the gold labels between commas, what was answered."""

    model_config = ConfigDict(extra="allow", strict=True)

    input_text: Annotated[str, Field(min_length=1)]
    answer: Annotated[str, Field(min_length=1)]
    prediction: str
    task: str = ""


@dataclass(frozen=True)
class Answer:
    """One question with its options.

    Attributes:
        task: Which set it belongs to.
        options: What could be answered.
        gold: The options that are right.
        said: The options that were answered; unmeasured if they cannot be read.
    """

    task: str
    options: tuple[str, ...]
    gold: frozenset[str]
    said: frozenset[str] | Unmeasured


@dataclass(frozen=True)
class AnswersRecord:
    """How far answers agree with gold.

    Attributes:
        whole: Over the whole answer; several options together are a class of their own, and
            all answers that are nowhere right are one.
        options: For each option that is right or was said anywhere: whether it is, and was.
            Empty if there are more than ``MOST_OPTIONS``.
    """

    whole: JudgeRecord
    options: Mapping[str, JudgeRecord]


def read_answers(path: Path) -> tuple[list[Answer], list[Refused]]:
    """Read answers; a line that is none is left out, with the reason."""
    found: list[Answer] = []
    refused: list[Refused] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(_answer(checked(AnswerModel, parse_json(line))))
        except BadInputError as error:
            refused.append(Refused(error.at(file=str(path), line=number).place, error.what))
    return found, refused


def answers_record(answers: Sequence[Answer]) -> AnswersRecord:
    """Compare answers with gold; each question is a unit."""
    right = {_joined(a.gold) for a in answers}

    def whole(said: frozenset[str] | Unmeasured) -> Label:
        # What is nowhere right is one class: neither agreement nor kappa depends on which it is.
        if isinstance(said, Unmeasured):
            return said
        return _joined(said) if _joined(said) in right else OTHER

    def has(said: frozenset[str] | Unmeasured, option: str) -> Label:
        return said if isinstance(said, Unmeasured) else ("yes" if option in said else "no")

    used = {
        o for a in answers for said in (a.gold, a.said) if isinstance(said, frozenset) for o in said
    }
    draws = Resampler(range(len(answers)), replicates=REPLICATES)
    units = list(range(len(answers)))
    return AnswersRecord(
        judge_record(
            [whole(a.gold) for a in answers],
            [whole(a.said) for a in answers],
            units,
            resampler=draws,
        ),
        {
            option: judge_record(
                [has(a.gold, option) for a in answers],
                [has(a.said, option) for a in answers],
                units,
                labels=("no", "yes"),
                resampler=draws,
            )
            for option in sorted(used if len(used) <= MOST_OPTIONS else ())
        },
    )


def _joined(options: frozenset[str]) -> str:
    return " + ".join(sorted(options))


def _answer(row: AnswerModel) -> Answer:
    options = tuple(option.strip() for option in _OPTION.findall(row.input_text))
    if len(options) < 2:
        raise BadInputError("lists no options", place=Place(field="input_text"))
    known = {_plain(option): option for option in options}
    gold = _named(row.answer, known)
    if gold is None:
        raise BadInputError(f"{row.answer!r} is not among the options", place=Place(field="answer"))
    return Answer(row.task, options, gold, _said(row.prediction, known))


def _said(text: str, known: Mapping[str, str]) -> frozenset[str] | Unmeasured:
    """Read the options that an answer names: in the items of its list, else in its first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    items = [_ITEM.sub("", line) for line in lines if _ITEM.match(line)] or lines[:1]
    said: set[str] = set()
    for item in items:
        named = _named(item, known) or _named(_REASON.split(item, maxsplit=1)[0], known)
        if named is None:
            return Unmeasured(Reason.LABEL, f"names no option: {item[:60]!r}")
        said |= named
    if not said:
        return Unmeasured(Reason.NOT_CONVERGED, "no answer")
    if len(said) > 1 and any(_plain(option) == NONE for option in said):
        return Unmeasured(Reason.LABEL, "says none, and others")
    return frozenset(said)


def _named(text: str, known: Mapping[str, str]) -> frozenset[str] | None:
    """Return the options that a text consists of; None if it holds anything else."""
    if _plain(text) in known:
        return frozenset({known[_plain(text)]})
    parts = [_plain(part) for part in _BETWEEN.split(text)]
    return frozenset(known[part] for part in parts) if all(p in known for p in parts) else None


def _plain(text: str) -> str:
    return _WORD.sub(" ", text).strip().casefold()
