"""Execution traces in words: which facts, which element, which comparison, what follows.

A step is a template and typed values. Its sentence is the template filled, so that a wrong
step of a known kind is the same template with one value changed, and a checker can recompute
a step from its values and its relation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from decidendi.legal._law_calendar import Period, days_after, years_after
from decidendi.legal._question import Authority
from decidendi.legal._words import say

StepKind: TypeAlias = Literal["rule", "fact", "count", "compare", "element", "conclusion"]
Relation: TypeAlias = Literal["<=", "<", ">", "in", "apart from"]
Operation: TypeAlias = Literal["days", "years", "sum", "earliest", "latest"]

Value: TypeAlias = str | int | Sequence[str] | Sequence[int]
"""A value of a step: text, an ISO day, cents, a number, or several."""

YES, NO = "YES", "NO"

_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": lambda a, b: bool(a <= b),
    "<": lambda a, b: bool(a < b),
    ">": lambda a, b: bool(a > b),
    "in": lambda a, b: bool(a in b),
    "apart from": lambda a, b: not set(a) & set(b),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trace.

    Attributes:
        kind: ``rule`` states the law; ``fact`` reads facts; ``count`` computes a date or a sum;
            ``compare`` applies a relation to two values; ``element`` says whether an element
            of the rule is met; ``conclusion`` is the last one.
        element: The element of the rule it belongs to; empty for the conclusion.
        template: The sentence with its values left open (formats: see ``say``).
        values: The values, ISO days, cents, numbers, texts, lists of texts.
        facts: Paths into the facts that were read: ``"pleadings.answer"``.
        uses: The earlier steps it follows from, by position.
        relation: For ``compare``: names of two values with a relation between them, in order
            (first, relation, second).
        holds: Whether the relation holds, the element is met, the requirements are met; None
            for the other kinds.
        operation: For ``count``: how its result comes from its other values. ``days`` and
            ``years`` lead from ``start`` by ``count`` to ``end``; ``sum`` from ``parts`` to
            ``total``; ``earliest`` and ``latest`` from ``parts`` to ``end``.
    """

    kind: StepKind
    element: str
    template: str
    values: Mapping[str, Value] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    uses: tuple[int, ...] = ()
    relation: tuple[str, Relation, str] | None = None
    holds: bool | None = None
    operation: Operation | None = None

    @property
    def text(self) -> str:
        """The step in words."""
        return say(self.template, self.values)

    def sound(self) -> bool | None:
        """Say whether the step's own arithmetic is right; None if it has none.

        Whether it starts from the right facts and follows from the steps it uses is another
        question, answered by comparing it with the true trace.
        """
        values: Mapping[str, Any] = self.values
        if self.relation is not None:
            first, relation, second = self.relation
            return _RELATIONS[relation](values[first], values[second]) == self.holds
        if self.operation in ("days", "years"):
            count = days_after if self.operation == "days" else years_after
            period = count(values["start"], values["count"])
            return (period.last, period.end) == (values["last"], values["end"])
        if self.operation == "sum":
            return bool(sum(values["parts"]) == values["total"])
        if self.operation is not None:
            chosen = min if self.operation == "earliest" else max
            return bool(chosen(values["parts"]) == values["end"])
        return None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a rule says about a matter, and why.

    Attributes:
        authority: The rule's id.
        verdict: ``YES`` if its requirements are met, else ``NO``.
        steps: In the order of reasoning; the last one is the conclusion.
    """

    authority: str
    verdict: str
    steps: tuple[Step, ...]

    @property
    def reason(self) -> str:
        """What decided it, in one line: the elements that are met, or those that are not."""
        met = self.verdict == YES
        return " ".join(s.text for s in self.steps if s.kind == "element" and s.holds is met)

    def in_words(self) -> str:
        """The whole trace as numbered lines."""
        return "\n".join(f"{n}. {step.text}" for n, step in enumerate(self.steps, 1))


class Trace:
    """Writes the steps of one decision."""

    def __init__(self, authority: Authority) -> None:
        self.authority = authority
        self.terms = authority.terms
        self._steps: list[Step] = []

    def rule(self, element: str, template: str, **values: Value) -> int:
        """State what the law requires."""
        named: dict[str, Value] = {"authority": self.authority.name}
        return self._add("rule", element, template, named | values)

    def fact(self, element: str, facts: str, template: str, **values: Value) -> int:
        """Read facts; ``facts`` are their paths, separated by spaces."""
        return self._add("fact", element, template, values, facts=tuple(facts.split()))

    def count(
        self,
        element: str,
        uses: tuple[int, ...],
        operation: Operation | None,
        template: str,
        **values: Value,
    ) -> int:
        """Compute a value from earlier steps."""
        return self._add("count", element, template, values, uses=uses, operation=operation)

    def period(
        self,
        element: str,
        uses: tuple[int, ...],
        unit: Literal["days", "years"],
        count: int,
        period: Period,
    ) -> int:
        """Count a period."""
        template = (
            f"Counting {{count:{unit}}} from {{start:date}}, a day that is itself left out, leads "
            "to {last:weekday}, {last:date}"
        )
        values: dict[str, Value] = {
            "count": count,
            "start": period.start,
            "last": period.last,
        }
        if period.skipped:
            template += "; since {why}, the time runs to {end:weekday}, {end:date}."
            said = [say("{day:date} is {why}", {"day": d, "why": w}) for d, w in period.skipped]
            values["why"] = " and ".join(said)
        else:
            template += ", which is the last day."
        values["end"] = period.end
        return self._add("count", element, template, values, uses=uses, operation=unit)

    def compare(
        self,
        element: str,
        uses: tuple[int, ...],
        relation: tuple[str, Relation, str],
        yes: str,
        no: str,
        **values: Value,
    ) -> tuple[int, bool]:
        """Compare two values; the sentence depends on the outcome."""
        first, name, second = relation
        holds = _RELATIONS[name](values[first], values[second])
        template = yes if holds else no
        position = self._add(
            "compare", element, template, values, uses=uses, relation=relation, holds=holds
        )
        return position, holds

    def element(
        self, element: str, holds: bool, uses: tuple[int, ...], text: str, **values: Value
    ) -> tuple[int, bool]:
        """Say whether an element is met."""
        position = self._add("element", element, text, values, uses=uses, holds=holds)
        return position, holds

    def decide(self, elements: tuple[tuple[int, bool], ...], *, any_of: bool = False) -> Decision:
        """Conclude from the elements: all of them must be met, or any one where they are ways."""
        outcomes = [holds for _, holds in elements]
        met = any(outcomes) if any_of else all(outcomes)
        text = "So the requirements of {authority} are " + ("met." if met else "not met.")
        uses = tuple(position for position, _ in elements)
        self._add("conclusion", "", text, {"authority": self.authority.name}, uses=uses, holds=met)
        return Decision(self.authority.id, YES if met else NO, tuple(self._steps))

    def _add(
        self,
        kind: StepKind,
        element: str,
        template: str,
        values: Mapping[str, Value],
        *,
        facts: tuple[str, ...] = (),
        uses: tuple[int, ...] = (),
        relation: tuple[str, Relation, str] | None = None,
        holds: bool | None = None,
        operation: Operation | None = None,
    ) -> int:
        step = Step(kind, element, template, values, facts, uses, relation, holds, operation)
        self._steps.append(step)
        return len(self._steps) - 1
