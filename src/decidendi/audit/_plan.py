"""The plan of a run: for each case, the calls to make, each with all that its reading needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from decidendi.audit._conditions import Chosen, NotApplicableError, vary
from decidendi.audit._prompts import Message, Style, digest_of_messages, messages_of
from decidendi.judgment import digest_of
from decidendi.legal import LegalCase, Pair, Task


@dataclass(frozen=True, slots=True)
class Call:
    """One generation to be had.

    Attributes:
        case: The case's id.
        unit: The case's unit.
        condition: The condition's id.
        variant: Which wording, framing or position; empty where there is one only.
        repeat: Index of the repetition, from 0.
        authority: Id of the authority asked about.
        gold: The right verdict under it; None where there is none.
        injected: The verdict that a note orders; empty without a note.
        note: The note.
        edited: How many words differ from the target's prompt.
        question: The question, for people.
        messages: The conversation to send.
        prompt: Digest of ``messages``.
    """

    case: str
    unit: str
    condition: str
    variant: str
    repeat: int
    authority: str
    gold: str | None
    injected: str
    note: str
    edited: int
    question: str
    messages: tuple[Message, ...]
    prompt: str

    @property
    def place(self) -> tuple[str, str, str, int]:
        """What distinguishes it in a run."""
        return (self.case, self.condition, self.variant, self.repeat)

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object, without the conversation."""
        content = asdict(self)
        del content["messages"]
        return content


@dataclass(frozen=True, slots=True)
class Skipped:
    """A condition that a case cannot be put under, and why."""

    case: str
    condition: str
    why: str


@dataclass(frozen=True, slots=True)
class CasePlan:
    """All calls of one case: one sample."""

    case: LegalCase
    calls: tuple[Call, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class Design:
    """What a run varies, for every case alike.

    Attributes:
        task: The task.
        pair: Target and control.
        chosen: The conditions, the target first.
        style: How prompts are put.
        seed: Of samples, injected labels and generation.
        repeats: How often each prompt is asked.
    """

    task: Task
    pair: Pair
    chosen: tuple[Chosen, ...]
    style: Style = field(default_factory=Style)
    seed: int = 42
    repeats: int = 1


def plan(design: Design, cases: Sequence[LegalCase]) -> Iterator[CasePlan]:
    """Yield the calls of each case, in order."""
    for case in cases:
        yield plan_case(design, case)


def plan_case(design: Design, case: LegalCase) -> CasePlan:
    """Put one case under every condition of the design."""
    calls: list[Call] = []
    skipped: list[Skipped] = []
    for chosen in design.chosen:
        try:
            varied = vary(chosen, case, design.task, design.pair, design.seed)
        except NotApplicableError as why:
            skipped.append(Skipped(case.id, chosen.condition, str(why)))
            continue
        messages = messages_of(varied.sheet, design.style)
        calls += [
            Call(
                case=case.id,
                unit=case.unit,
                condition=chosen.condition,
                variant=varied.variant,
                repeat=repeat,
                authority=varied.authority.id,
                gold=case.gold.get(varied.authority.id),
                injected=varied.injected,
                note=varied.note,
                edited=varied.edited,
                question=varied.sheet.question,
                messages=messages,
                prompt=digest_of_messages(messages),
            )
            for repeat in range(design.repeats)
        ]
    once = {call.place: call for call in calls}
    return CasePlan(case, tuple(once.values()), tuple(skipped))


def digest_of_cases(cases: Sequence[LegalCase]) -> str:
    """Return the digest that binds a run to its cases, in their order."""
    return digest_of(
        [[case.id, case.unit, case.facts, dict(case.gold), list(case.options)] for case in cases]
    )
