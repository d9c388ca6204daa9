"""What follows in a trace from one wrong step: dates, comparisons, elements, the conclusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from decidendi.grading._draft import Line
from decidendi.grading._law import ANY_OF, LawProblem
from decidendi.grading._phrases import opposite, slots_of
from decidendi.legal import NO, YES, Step, days_after, say, years_after

CARRIED = "misinterpretation.inferential"
WHY_CARRIED = "follows from an earlier premise that is wrong"


@dataclass(frozen=True)
class Wrong:
    """A wrong version of one step.

    Attributes:
        place: Which step.
        line: What is said instead.
        values: Values that are replaced in what builds on it: the true one to the wrong one.
        flipped: A comparison or an element that now says the opposite.
    """

    place: int
    line: Line
    values: Mapping[Any, Any]
    flipped: bool = False


def follow(
    problem: LawProblem, lines: Sequence[Line], wrong: Wrong
) -> tuple[tuple[Line, ...], str] | None:
    """Carry a wrong step through the rest of the trace.

    Returns:
        The lines, those that changed marked as carried, and the verdict that follows; None if
        some step has no sentence for the other outcome.
    """
    steps, out = problem.decision.steps, list(lines)
    out[wrong.place] = wrong.line
    moved = dict(wrong.values)
    touched = {wrong.place}
    flipped = {wrong.place} if wrong.flipped else set()
    for at in range(wrong.place + 1, len(steps) - 1):
        step = steps[at]
        if not touched & set(step.uses) and not _mailed(step, moved):
            continue
        values = {key: _replaced(value, moved) for key, value in step.values.items()}
        if step.operation is not None:
            values, changed = _recounted(step, values)
            moved |= changed
        turns = _turns(step, steps, values, flipped)
        if not turns and values == dict(step.values):
            continue
        template = _template(step, values)
        if turns:
            other = opposite(template)
            if other is None or not slots_of(other) <= values.keys():
                return None
            template = other
            flipped.add(at)
        line = Line(step.kind, template, values, step=at)
        out[at] = line.marked(CARRIED, WHY_CARRIED, carried=True)
        touched.add(at)
    return tuple(out), verdict_of(problem, flipped)


def verdict_of(problem: LawProblem, flipped: set[int]) -> str:
    """Return the verdict if these elements said the opposite."""
    conclusion = problem.decision.steps[-1]
    met = [bool(problem.decision.steps[at].holds) != (at in flipped) for at in conclusion.uses]
    combined = any(met) if problem.authority in ANY_OF else all(met)
    return YES if combined else NO


def turned(line: Line) -> Line | None:
    """Return a line that says the opposite; None if there is no such sentence."""
    other = opposite(line.template)
    values = dict(line.values)
    if other is None:
        return None
    if "shared" in slots_of(other) and "shared" not in values:
        return None
    return (
        replace(line, template=other, values=values) if slots_of(other) <= values.keys() else None
    )


def _mailed(step: Step, moved: Mapping[Any, Any]) -> bool:
    """The one fact whose sentence repeats a date that was computed before it."""
    return step.template.startswith("Service was made by mail") and step.values["end"] in moved


def _replaced(value: Any, moved: Mapping[Any, Any]) -> Any:  # noqa: ANN401 - any value of a step
    if isinstance(value, list):
        return [moved.get(item, item) for item in value]
    return moved.get(value, value)


def _recounted(step: Step, values: dict[str, Any]) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Compute a count again from its new values; also say which results moved."""
    if step.operation in ("days", "years"):
        count = days_after if step.operation == "days" else years_after
        period = count(values["start"], values["count"])
        values |= {"last": period.last, "end": period.end}
        values.pop("why", None)
        if period.skipped:
            values["why"] = why(period.skipped)
        return values, {step.values["end"]: period.end}
    if step.operation == "sum":
        total = sum(values["parts"])
        values["total"] = total
        return values, {step.values["total"]: total}
    chosen = min if step.operation == "earliest" else max
    end = chosen(values["parts"])
    values["end"] = end
    return values, {step.values["end"]: end} if end != step.values["end"] else {}


def why(skipped: Sequence[tuple[str, str]]) -> str:
    """Say why a period runs on, as the traces do."""
    said = [say("{day:date} is {why}", {"day": day, "why": reason}) for day, reason in skipped]
    return " and ".join(said)


def _template(step: Step, values: Mapping[str, Any]) -> str:
    """Return the sentence of a step for its new values: periods have one with and one without."""
    if step.operation not in ("days", "years"):
        return step.template
    return period_template(step.operation, rolled="why" in values)


def period_template(unit: str, *, rolled: bool) -> str:
    """Return the sentence of the traces for a counted period."""
    head = (
        f"Counting {{count:{unit}}} from {{start:date}}, a day that is itself left out, leads to "
        "{last:weekday}, {last:date}"
    )
    if rolled:
        return head + "; since {why}, the time runs to {end:weekday}, {end:date}."
    return head + ", which is the last day."


def _turns(step: Step, steps: Sequence[Step], values: Mapping[str, Any], flipped: set[int]) -> bool:
    """Say whether a step now comes out the other way."""
    if step.relation is not None:
        return not replace(step, values=values).sound()
    if step.kind != "element" or not flipped & set(step.uses):
        return False
    failing = {u for u in step.uses if steps[u].relation is not None and not steps[u].holds}
    if step.holds or not failing:
        return True
    return failing <= flipped and flipped & set(step.uses) <= failing
