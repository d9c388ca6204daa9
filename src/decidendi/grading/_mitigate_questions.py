"""Questions that strategies are tried on: executable law, shipped cases, a file."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from decidendi.grading._files import OptionModel, Refused, checked
from decidendi.grading._law import law_problem
from decidendi.judgment import BadInputError, Place, digest_of, parse_json
from decidendi.legal import SHIPPED, Option, drawn, rules, shipped_cases, task

LAW = "law"
OF_THE_LAW = 30
"""Questions drawn from executable law where no number is given."""

_Id = Annotated[str, Field(min_length=1, max_length=300)]


class QuestionModel(BaseModel):
    """One line of a file of questions. Other fields are not read."""

    model_config = ConfigDict(extra="ignore", strict=True)

    id: _Id
    question: Annotated[str, Field(min_length=1)]
    options: Annotated[list[OptionModel], Field(min_length=2, max_length=26)]
    gold: str | None = None
    source: str = ""
    expert: str = ""
    unit: str = ""
    collection: str = ""
    law: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _fits(self) -> QuestionModel:
        labels = [option.label for option in self.options]
        if len({label.casefold() for label in labels}) != len(labels):
            raise ValueError("options: a label stands twice")
        if self.gold is not None and self.gold not in labels:
            raise ValueError(f"gold: {self.gold!r} is not among the options")
        return self


@dataclass(frozen=True)
class Posed:
    """One question.

    Attributes:
        id: Unique in its set.
        question: In words.
        options: What there is to choose from.
        gold: The right label; None where nobody said.
        source: The facts and the law.
        expert: An expert's analysis; never shown to the model.
        unit: The independent observation it belongs to; its id where unsaid.
        collection: The set's name.
        carried: What a checker needs besides.
    """

    id: str
    question: str
    options: tuple[Option, ...]
    gold: str | None
    source: str = ""
    expert: str = ""
    unit: str = ""
    collection: str = ""
    carried: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.unit:
            object.__setattr__(self, "unit", self.id)


@dataclass(frozen=True)
class QuestionSet:
    """Questions, and where they come from.

    Attributes:
        questions: In order.
        source: For people.
        refused: Rows that became no question.
        without_gold: Questions left out, as nothing could be measured on them.
    """

    questions: tuple[Posed, ...]
    source: str
    refused: tuple[Refused, ...] = ()
    without_gold: int = 0

    @property
    def digest(self) -> str:
        """Of everything that is asked or measured."""
        return digest_of([
            [q.id, q.unit, q.question, q.source, q.gold, q.expert, q.collection,
             [[o.label, o.text] for o in q.options]]
            for q in self.questions
        ])  # fmt: skip


def questions_of(
    name: str = LAW, *, data: Path | None = None, n: int | None = None, seed: int = 42
) -> QuestionSet:
    """Return the questions of a task or a file.

    Args:
        name: ``law``: drawn from executable law. Otherwise a task with shipped cases, which are
            asked under its first pair's target.
        data: A file of questions, JSON Lines, in place of a task.
        n: How many; all of a file or of the shipped cases where left out.
        seed: Of what is drawn.

    Raises:
        BadInputError: if there is no such task or file, or nothing to ask.
    """
    if data is not None:
        found = _of_file(data)
    elif name == LAW:
        return _of_law(n or OF_THE_LAW, seed)
    elif name in SHIPPED:
        found = _shipped(name)
    else:
        known = ", ".join((LAW, *SHIPPED))
        raise BadInputError(f"no questions of {name!r}", remedy=f"one of {known}, or --data FILE")
    asked = [question for question in found.questions if question.gold is not None]
    if not asked:
        why = f"{len(found.refused):,} rows refused" if found.refused else "none has gold"
        raise BadInputError(f"{found.source}: no question to ask", remedy=why)
    left = len(found.questions) - len(asked)
    if n is not None and n < len(asked):
        rng = random.Random(f"mitigate|{seed}")  # noqa: S311 - a draw must be repeatable
        asked = [asked[i] for i in sorted(rng.sample(range(len(asked)), n))]
    return QuestionSet(tuple(asked), found.source, found.refused, left)


def _of_law(n: int, seed: int) -> QuestionSet:
    """Draw questions, every authority as often as the others."""
    found = []
    authorities = list(rules())
    for number in range(n):
        authority = authorities[number % len(authorities)]
        problem = law_problem(f"law-{seed}-{number}", authority, f"mitigate/{seed}/{number}")
        found.append(
            Posed(
                problem.id,
                problem.question,
                problem.options,
                problem.decision.verdict,
                problem.source,
                problem.decision.in_words(),
                collection=LAW,
                carried=problem.carried(),
            )
        )
    return QuestionSet(tuple(found), f"executable law, seed {seed}")


def _shipped(name: str) -> QuestionSet:
    about = task(name)
    cases = shipped_cases(name)
    found = []
    for case in drawn(cases, len(cases), seed=0).cases:
        # A precedent is the case's own authority, and gold is under it.
        target = about.pairs[0].target if about.pairs else next(iter(case.gold))
        asked = about.ask(case, target)
        law = f"{asked.authority.name}: {asked.authority.text}" if asked.authority.text else ""
        found.append(
            Posed(
                case.id,
                asked.text,
                asked.options,
                asked.gold,
                "\n\n".join(part for part in (case.facts, law) if part),
                case.why.get(asked.authority.id, ""),
                case.unit,
                name,
            )
        )
    return QuestionSet(tuple(found), f"shipped cases, {name}")


def _of_file(path: Path) -> QuestionSet:
    if not path.is_file():
        raise BadInputError("no such file", place=Place(str(path)))
    found: dict[str, Posed] = {}
    refused = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            model = checked(QuestionModel, parse_json(line))
            if model.id in found:
                raise BadInputError(f"the id {model.id!r} stands twice", place=Place(field="id"))
            found[model.id] = _posed(model)
        except BadInputError as error:
            refused.append(Refused(error.at(file=str(path), line=number).place, error.what))
    return QuestionSet(tuple(found.values()), path.name, tuple(refused))


def _posed(model: QuestionModel) -> Posed:
    options: Sequence[OptionModel] = model.options
    return Posed(
        model.id,
        model.question,
        tuple(Option(option.label, option.text) for option in options),
        model.gold,
        model.source,
        model.expert,
        model.unit,
        model.collection,
        {"law": model.law} if model.law else {},
    )
