"""Questions decided by executable law, and the correct chain that their trace gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from decidendi.judgment import JSON, BadInputError, Place
from decidendi.legal import (
    Closeness,
    Decision,
    LegalCase,
    Matter,
    Option,
    Rule,
    Step,
    generate,
    render,
    rules,
    task,
)

ANY_OF: Final = frozenset({"1446-c", "1391-b"})
"""Authorities whose elements are ways: one that is met is enough."""


@dataclass(frozen=True)
class LawProblem:
    """One question: are the requirements of an authority met on these facts?

    Attributes:
        id: Unique; also the unit.
        rule: The authority, executable.
        matter: The facts.
        decision: What it decides, and the trace.
    """

    id: str
    rule: Rule
    matter: Matter
    decision: Decision = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "decision", self.rule.decide(self.matter))

    @property
    def authority(self) -> str:
        """The authority's id."""
        return self.rule.authority.id

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the trace before its conclusion."""
        return self.decision.steps[:-1]

    @property
    def options(self) -> tuple[Option, Option]:
        """YES and NO, each in words."""
        name = self.rule.authority.name
        return (
            Option("YES", f"The requirements of {name} are met."),
            Option("NO", f"The requirements of {name} are not met."),
        )

    @property
    def question(self) -> str:
        """The question in words."""
        return task("law").wordings[0].render(self.rule.authority)

    @property
    def source(self) -> str:
        """The facts and the text of the authority."""
        authority = self.rule.authority
        return f"{render(self.matter)}\n\n{authority.name}: {authority.text}"

    def carried(self) -> dict[str, JSON]:
        """What the exact checker needs to decide the question again."""
        return {"law": {"authority": self.authority, "matter": self.matter.as_json()}}


def law_problem(
    name: str, authority: str, seed: int | str, closeness: Closeness = "mixed"
) -> LawProblem:
    """Draw the facts of one question.

    Raises:
        BadInputError: if there is no such authority.
    """
    return LawProblem(name, rules()[known(authority)], generate(seed, [authority], closeness))


def problem_of_case(case: LegalCase, authority: str) -> LawProblem:
    """Return the question behind a case of the ``law`` task."""
    return LawProblem(case.id, rules()[known(authority)], Matter.of(case.carried["matter"]))


def problem_of_chain(name: str, carried: Mapping[str, Any]) -> LawProblem | None:
    """Return the question behind a chain; None if it is none of executable law.

    Raises:
        BadInputError: if it says that it is, and is not.
    """
    law = carried.get("law")
    if not isinstance(law, dict):
        return None
    authority, matter = law.get("authority"), law.get("matter")
    if not isinstance(authority, str) or matter is None:
        raise BadInputError("needs an authority and a matter", place=Place(field="law"))
    return LawProblem(name, rules()[known(authority)], Matter.of(matter))


def known(authority: str) -> str:
    """Return the id of an executable authority; ``BadInputError`` on any other."""
    if authority not in rules():
        raise BadInputError(f"no executable authority {authority!r}", remedy=", ".join(rules()))
    return authority
