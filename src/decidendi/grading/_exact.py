"""The exact checker of executable law: each premise against the trace, without a model.

A premise is read as a wording of a step (``data/phrases.json``), its values are compared with the
true ones, and an error is named by what differs and by what it builds on. What it cannot see, and
leaves unmeasured rather than guess:

- sentences that are no wording of any step. So rules that are given another meaning (semantic,
  most of jargon) and inventions in free words (fabrication) are never found, nor called sound;
- which of two causes made a value wrong: a misread day of another event is ``temporal`` whether
  it was misread or mixed up, a place that belongs to another party is ``contextual``;
- whether a fact that another rule would read is a distraction or begins a false lead, beyond
  the sentence it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from decidendi.grading._carry import CARRIED, WHY_CARRIED
from decidendi.grading._chain import Chain
from decidendi.grading._draft import unconnected
from decidendi.grading._judge import JudgeIdentity, unlabelled
from decidendi.grading._labels import Finding, Labels, Marks
from decidendi.grading._law import LawProblem, problem_of_chain
from decidendi.grading._option import content_matches
from decidendi.grading._phrases import Reading, cents, iso, opposite, phrases_digest, read, said
from decidendi.grading._taxonomy import taxonomy
from decidendi.judgment import BadInputError, Reason, Unmeasured
from decidendi.legal import ASIDES, Step, days_after, decide_all, task, years_after

VERSION = "1"
"""Raised whenever a label could change."""

TEMPORAL, NUMERICAL = "misinterpretation.temporal", "misinterpretation.numerical"
CONTEXTUAL, LOGICAL = "misinterpretation.contextual", "misinterpretation.logical"
JARGON, INCONSISTENT = "misinterpretation.jargon", "hallucination.inconsistency"
FABRICATED, DISTRACTION = "hallucination.fabrication", "irrelevance.distraction"
REDUNDANT, FALSE_LEAD = "irrelevance.redundancy", "irrelevance.false-lead"


class ExactChecker:
    """Labels the premises of chains about executable law. Deterministic; calls no model."""

    def __init__(self) -> None:
        settings = {"phrases": phrases_digest()}
        self._identity = JudgeIdentity("exact", VERSION, taxonomy().digest, settings)

    @property
    def identity(self) -> JudgeIdentity:
        """Which judge this is."""
        return self._identity

    def grade(self, chains: Sequence[Chain]) -> list[Labels]:
        """Label chains; those that carry no typed facts are unmeasured."""
        return [self._labels(chain) for chain in chains]

    def _labels(self, chain: Chain) -> Labels:
        by = self._identity.by
        try:
            problem = problem_of_chain(chain.id, chain.carried)
        except BadInputError as error:
            return unlabelled(chain, by, Unmeasured(Reason.INTERFACE, str(error)))
        if problem is None:
            why = "not a question of executable law"
            return unlabelled(chain, by, Unmeasured(Reason.INTERFACE, why))
        if isinstance(chain.premises, Unmeasured):
            return unlabelled(chain, by, chain.premises)
        check = _Check(problem)
        marks = tuple(check.marks(text) for text in chain.premises)
        content = (
            content_matches(chain.conclusion, chain.options, chain.chosen)
            if isinstance(chain.chosen, str)
            else chain.chosen
        )
        return Labels(chain.id, by, marks, content)


@dataclass
class _Check:
    """One chain, premise by premise.

    Attributes:
        problem: The question.
        matched: The steps that a premise so far is a wording of.
        wrong: Those of them whose premise is in error.
        stated: Values that premises in error gave instead of the true ones.
    """

    problem: LawProblem
    matched: set[int] = field(default_factory=set)
    wrong: set[int] = field(default_factory=set)
    stated: set[str] = field(default_factory=set)

    def marks(self, text: str) -> Marks:
        """Label one premise."""
        texts = unconnected(text)
        if set(texts) & set(self.problem.matter.asides):
            return _found(DISTRACTION, "true, and no rule reads it")
        if set(texts) & set(ASIDES):
            return _found(FABRICATED, "the facts do not say so")
        readings = [reading for one in texts for reading in read(one)]
        for reading in readings:
            if (exact := self._exact(reading)) is not None:
                return exact
        nearest = self._nearest(readings)
        return self._outside(text, readings) if nearest is None else self._deviating(*nearest)

    def _exact(self, reading: Reading) -> Marks:
        """Return the label of a premise that says a step as it is; None if it says none."""
        same = [
            at
            for at, step in enumerate(self.problem.steps)
            if step.template == reading.template and _agrees(step, reading)
        ]
        if not same:
            return None
        free = [at for at in same if at not in self.matched]
        if not free:
            return _found(REDUNDANT, "an earlier premise has said it")
        self.matched.add(free[0])
        return ()

    def _nearest(self, readings: Sequence[Reading]) -> tuple[int, Reading] | None:
        """Return the step that a premise means, though it does not say it as it is.

        Of several with the same sentence it is the first that no premise has said yet, as chains
        follow the order of the trace: whether a name or a day was exchanged shows in nothing else.
        """
        found = [
            (at in self.matched, not _equal(step, reading), at, -_equal(step, reading), number)
            for at, step in enumerate(self.problem.steps)
            for number, reading in enumerate(readings)
            if _same_sentence(step, reading) or opposite(reading.template) == step.template
        ]
        if not found:
            return None
        *_, at, _, number = min(found)
        return at, readings[number]

    def _deviating(self, at: int, reading: Reading) -> Marks:
        """Label a premise that means a step and says it wrongly."""
        step = self.problem.steps[at]
        turned = not _same_sentence(step, reading)
        differing = _differing(step, reading)
        taken = {value for _, value in differing.values()} & self.stated
        builds = bool(self.wrong & set(step.uses)) or bool(taken) or self._mailed(step)
        self.stated |= {value for _, value in differing.values()}
        self.matched.add(at)
        self.wrong.add(at)
        if builds and _own_arithmetic(step, reading, turned) is not False:
            return (Finding(CARRIED, WHY_CARRIED, carried=True),)
        return _found(*self._named(step, differing, turned))

    def _mailed(self, step: Step) -> bool:
        """The one fact whose sentence repeats a date that was computed before it."""
        if not step.template.startswith("Service was made by mail"):
            return False
        return any(self.problem.steps[at].kind == "count" for at in self.wrong)

    def _named(
        self, step: Step, differing: dict[str, tuple[str, str]], turned: bool
    ) -> tuple[str, str]:
        """Name the error by what differs."""
        why = "; ".join(
            f"{other}, where it should be {value}" for value, other in differing.values()
        )
        if step.kind == "rule":
            return INCONSISTENT, why
        if turned:
            return _TURNED[step.kind], "the opposite is true"
        if step.kind == "count":
            by_number = "count" in differing or step.operation == "sum"
            return (NUMERICAL if by_number else TEMPORAL), why
        if self._misunderstood(step, differing):
            return JARGON, why
        formats = {_format(step, key) for key in differing}
        if "date" in formats:
            return TEMPORAL, why
        numbers = formats & {"money", "days", "years", "times"} or "amounts" in differing
        return (NUMERICAL if numbers else CONTEXTUAL), why

    def _misunderstood(self, step: Step, differing: dict[str, tuple[str, str]]) -> bool:
        """Say whether a citizenship is wrong because of what makes one, not of what was read."""
        if set(differing) == {"states"}:
            return True
        parties = (*self.problem.matter.plaintiffs, *self.problem.matter.defendants)
        moved = {party.moved_to for party in parties if party.name == step.values.get("name")}
        return "domicile" in differing and differing["domicile"][1] in moved - {""}

    def _outside(self, text: str, readings: Sequence[Reading]) -> Marks:
        """Label a premise that means no step of this trace."""
        for name, decision in decide_all(self.problem.matter).items():
            for step in decision.steps[:-1] if name != self.problem.authority else ():
                for reading in readings:
                    if step.template == reading.template and _agrees(step, reading):
                        code = FALSE_LEAD if step.kind == "rule" else DISTRACTION
                        return _found(code, f"only {decision.authority} would ask for it")
        own = self.problem.rule.authority.name
        others = [a.name for a in task("law").authorities if a.name != own and a.name in text]
        # A longer name may hold a shorter one: Rule 4(a)(1) of the Appellate Rules, Rule 4(m).
        if others and own not in text and not readings:
            return _found(FALSE_LEAD, f"{others[0]} was not asked about")
        return Unmeasured(Reason.NOT_CONVERGED, "no sentence that a step can be compared with")


_TURNED = {
    "compare": LOGICAL,
    "element": CARRIED,
    "fact": INCONSISTENT,
    "count": LOGICAL,
}


def _found(code: str, why: str) -> tuple[Finding, ...]:
    return (Finding(code, why),)


def _agrees(step: Step, reading: Reading) -> bool:
    return _equal(step, reading) == len(reading.slots)


def _equal(step: Step, reading: Reading) -> int:
    true = said(step.template, step.values)
    return sum(_alike(true.get(key, ""), value) for key, value in reading.slots.items())


def _differing(step: Step, reading: Reading) -> dict[str, tuple[str, str]]:
    """Return the values that a premise gives wrongly: by name, the true one and the one given."""
    true = said(step.template, step.values)
    return {
        key: (value, reading.slots[key])
        for key, value in true.items()
        if key in reading.slots and not _alike(value, reading.slots[key])
    }


def _format(step: Step, key: str) -> str:
    found = re.search(rf"\{{{key}:(\w+)\}}", step.template)
    return found[1] if found else ""


def _alike(one: str, other: str) -> bool:
    """Compare two values as written; the first letter may be a capital only because it is first."""
    return one[1:] == other[1:] and one[:1].casefold() == other[:1].casefold()


def _same_sentence(step: Step, reading: Reading) -> bool:
    """Say whether a premise has the sentence of a step. Periods have two: days skipped, or not."""
    if step.operation in ("days", "years"):
        return reading.formats.get("count") == step.operation
    return step.template == reading.template


def _own_arithmetic(step: Step, reading: Reading, turned: bool) -> bool | None:
    """Say whether a premise is right about its own values; None if they are not all in it."""
    slots = reading.slots
    if step.operation in ("days", "years"):
        count = days_after if step.operation == "days" else years_after
        period = count(iso(slots["start"]), int(slots["count"].split()[0]))
        end = slots.get("end", slots["last"])
        return (period.last, period.end) == (iso(slots["last"]), iso(end))
    if step.relation is None:
        return None
    first, relation, second = step.relation
    if first not in slots or second not in slots or relation not in ("<=", "<", ">"):
        return None
    read_value = cents if reading.formats[first] == "money" else iso
    one, other = read_value(slots[first]), read_value(slots[second])
    true = {"<=": one <= other, "<": one < other, ">": one > other}[relation]  # type: ignore[operator]  # both are days, or both cents
    return true == (bool(step.holds) != turned)
