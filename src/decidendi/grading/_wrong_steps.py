"""Wrong versions of the steps of a trace: misread facts, miscounted periods, wrong inferences."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from decidendi.grading._carry import (
    CARRIED,
    WHY_CARRIED,
    Wrong,
    follow,
    period_template,
    turned,
    why,
)
from decidendi.grading._draft import Draft, Line, lines_of, with_line
from decidendi.grading._law import LawProblem
from decidendi.grading._leaves import dates_of, is_day, leaf, places_like, shifted, with_leaf
from decidendi.grading._phrases import data, opposite, slots_of
from decidendi.judgment import BadInputError
from decidendi.legal import Matter, Rule, Step, days_after, years_after

Difficulty: TypeAlias = Literal["easy", "medium", "hard"]
"""How hard an error is to find.

``easy``: far off, and the chain goes on as if nothing had happened, so that it contradicts itself.
``medium``: nearer, and carried through what follows, to another answer if it can be. ``hard``: as
near as can be, or mixed up with something else in the facts, carried through, and the answer is
the same if it can be.
"""

_OFF = {"easy": (25, 70), "medium": (3, 12), "hard": (1, 1)}
_COUNTS = {"easy": (10, 15), "medium": (3, 6), "hard": (1, 1)}
_NAMES = ("name", "by", "plaintiff", "defendant")


def temporal(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """A date misread, or a period counted to the wrong day."""
    code, content = "misinterpretation.temporal", problem.matter.as_json()
    for step in problem.steps:
        for path in step.facts if step.kind == "fact" else ():
            day = leaf(content, path)
            if not is_day(day):
                continue
            others = [d for d in dates_of(content) if d != day] if how == "hard" else []
            for other in [*(shifted(day, n) for n in _both(rng, _OFF[how])), *others[:2]]:
                said = f"the day is {day}, not {other}"
                yield from _misread(problem, path, other, code, said, how)
    for place, step in enumerate(problem.steps):
        if step.operation in ("days", "years"):
            for last in _miscounted(step, rng, how):
                line = _period_line(step, place, last, last, None)
                said = f"the last day is {step.values['end']}, not {last}"
                yield from _wrong(problem, place, line.marked(code, said), step, last, how)


def numerical(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """An amount misread or added up wrongly, or a period of the wrong length."""
    code, content = "misinterpretation.numerical", problem.matter.as_json()
    for place, step in enumerate(problem.steps):
        if step.operation in ("days", "years"):
            for more in _both(rng, _COUNTS[how] if step.operation == "days" else (1, 1)):
                count = int(str(step.values["count"])) + more
                if count > 0:
                    line, end = _longer(step, place, count)
                    said = f"it is {step.values['count']} {step.operation}, not {count}"
                    yield from _wrong(problem, place, line.marked(code, said), step, end, how)
        if step.operation == "sum":
            total = _other_amount(rng, int(str(step.values["total"])), how)
            line = Line(step.kind, step.template, {**step.values, "total": total}, step=place)
            said = "the sum is wrong"
            yield from _wrong(problem, place, line.marked(code, said), step, total, how, "total")
        for path in step.facts if step.kind == "fact" else ():
            value = leaf(content, path)
            if type(value) is int and path.endswith(("cents", "amended_before")):
                other = 1 - value if value < 2 else _other_amount(rng, value, how)
                yield from _misread(problem, path, other, code, "a number is misread", how)


def contextual(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """What is true of one person or place is said of another."""
    code, content = "misinterpretation.contextual", problem.matter.as_json()
    parties = [p.name for p in (*problem.matter.plaintiffs, *problem.matter.defendants)]
    for place, step in enumerate(problem.steps):
        if step.kind != "fact":
            continue
        for path in step.facts:
            value = leaf(content, path)
            if isinstance(value, str | list) and value and not is_day(value):
                for other in places_like(content, value)[:3]:
                    said = "it belongs to somebody or something else"
                    yield from _misread(problem, path, other, code, said, how)
        for key in _NAMES:
            for name in parties if key in step.values else ():
                if name not in step.values.values():
                    line = Line(step.kind, step.template, {**step.values, key: name}, step=place)
                    said = f"this is true of {step.values[key]}, not of {name}"
                    yield _alone(problem, place, line.marked(code, said))


def logical(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """A comparison that comes out the wrong way."""
    yield from _turned(problem, "compare", "misinterpretation.logical", "the other way round", how)


def inferential(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """An element that does not follow from the right premises before it."""
    yield from _turned(problem, "element", CARRIED, "the premises before it say the opposite", how)


def semantic(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """A rule whose words are given another meaning."""
    yield from _restated(problem, "semantic")


def jargon(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """A term of art misunderstood: where a citizenship is found, or in a rule."""
    found = list(_citizenships(problem, how))
    yield from found if found and rng.random() < 0.7 else _restated(problem, "jargon")


def _citizenships(problem: LawProblem, how: Difficulty) -> Iterator[Draft]:
    """A later residence taken for the domicile; a corporation a citizen of one State only."""
    code = "misinterpretation.jargon"
    for side in ("plaintiffs", "defendants"):
        for index, party in enumerate(getattr(problem.matter, side)):
            if party.moved_to:
                path = f"{side}.{index}.domicile"
                said = "domicile is that at filing, not a later residence"
                yield from _misread(problem, path, party.moved_to, code, said, how)
    for place, step in enumerate(problem.steps):
        if "incorporated" in step.values and len(_listed(step, "states")) > 1:
            values = {**step.values, "states": [str(step.values["headquarters"])]}
            line = Line(step.kind, step.template, values, step=place)
            said = "a corporation is a citizen of the State of incorporation too"
            yield _alone(problem, place, line.marked(code, said))


def inconsistency(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """The opposite of what the facts say, or another number than the rule has."""
    code, content = "hallucination.inconsistency", problem.matter.as_json()
    for term, value in problem.rule.authority.terms.items():
        for other in _terms(rng, value, how):
            rule = problem.rule.amended(**{term: other})
            said = f"the rule says {value}, not {other}"
            yield from _redecided(problem, problem.matter, rule, code, said, how)
    for place, step in enumerate(problem.steps):
        if step.kind != "fact":
            continue
        for path in step.facts:
            value = leaf(content, path)
            if isinstance(value, bool):
                yield from _misread(problem, path, not value, code, "the facts say otherwise", how)
        other_template = opposite(step.template)
        if other_template and slots_of(other_template) <= step.values.keys():
            line = Line(step.kind, other_template, step.values, step=place)
            yield _alone(problem, place, line.marked(code, "the facts say otherwise"))


# --- building ------------------------------------------------------------------------------


def _misread(
    problem: LawProblem,
    path: str,
    value: Any,  # noqa: ANN401 - a leaf of JSON
    code: str,
    said: str,
    how: Difficulty,
) -> Iterator[Draft]:
    """Read one fact wrongly, and decide again."""
    try:
        matter = Matter.of(with_leaf(problem.matter.as_json(), path, value))
    except BadInputError:
        return
    yield from _redecided(problem, matter, problem.rule, code, said, how)


def _redecided(
    problem: LawProblem, matter: Matter, rule: Rule, code: str, said: str, how: Difficulty
) -> Iterator[Draft]:
    """Yield the trace of other facts or other terms, if it takes the same steps."""
    if rule.gap(matter):
        return
    decision = rule.decide(matter)
    right, wrong = lines_of(problem.decision), lines_of(decision)
    place = next(
        (i for i, (a, b) in enumerate(zip(right, wrong, strict=False)) if not _same(a, b)), None
    )
    if place is None or wrong[place].kind != right[place].kind:
        return
    first = wrong[place].marked(code, said)
    if how == "easy":
        yield _alone(problem, place, first)
        return
    if _shape(decision.steps) != _shape(problem.decision.steps):
        return
    lines = [
        line if _same(line, true) else line.marked(CARRIED, WHY_CARRIED, carried=True)
        for line, true in zip(wrong, right, strict=True)
    ]
    yield Draft(with_line(lines, place, first), decision.verdict, place=place)


def _wrong(  # long: one keyword for what is replaced
    problem: LawProblem,
    place: int,
    line: Line,
    step: Step,
    value: Any,  # noqa: ANN401 - a day or cents
    how: Difficulty,
    key: str = "end",
) -> Iterator[Draft]:
    """Exchange one computed step, alone or with what follows from it."""
    if how == "easy":
        yield _alone(problem, place, line)
        return
    followed = follow(
        problem, lines_of(problem.decision), Wrong(place, line, {step.values[key]: value})
    )
    if followed is not None:
        yield Draft(followed[0], followed[1], place=place)


def _turned(
    problem: LawProblem, kind: str, code: str, said: str, how: Difficulty
) -> Iterator[Draft]:
    lines = lines_of(problem.decision)
    for place, line in enumerate(lines):
        if line.kind != kind:
            continue
        if "left" in line.values:
            shared = line.values.get("shared") or line.values["left"][:1]
            line = replace(line, values={**line.values, "shared": shared})
        other = turned(line)
        if other is None:
            continue
        if how == "easy":
            yield _alone(problem, place, other.marked(code, said))
            continue
        wrong = Wrong(place, other.marked(code, said), {}, flipped=True)
        followed = follow(problem, lines, wrong)
        if followed is not None:
            yield Draft(followed[0], followed[1], place=place)


def _restated(problem: LawProblem, kind: str) -> Iterator[Draft]:
    known = data("misreadings")[kind]
    for place, line in enumerate(lines_of(problem.decision)):
        for template in known.get(line.template, ()):
            other = replace(line, template=template)
            yield _alone(problem, place, other.marked(f"misinterpretation.{kind}", "misunderstood"))


def _alone(problem: LawProblem, place: int, line: Line) -> Draft:
    """Exchange one line and leave everything else as it was."""
    lines = with_line(lines_of(problem.decision), place, line)
    return Draft(lines, problem.decision.verdict, place=place)


def _same(one: Line, other: Line) -> bool:
    """Say whether two lines say the same; values that are not said do not count."""
    return (one.template, one.text) == (other.template, other.text)


def _shape(steps: Sequence[Step]) -> list[tuple[str, str]]:
    return [(step.kind, step.element) for step in steps]


def _listed(step: Step, key: str) -> list[str]:
    value = step.values[key]
    return [str(item) for item in value] if isinstance(value, list) else []


def _both(rng: random.Random, between: tuple[int, int]) -> list[int]:
    low, high = between
    return [rng.randint(low, high), -rng.randint(low, high)]


def _miscounted(step: Step, rng: random.Random, how: Difficulty) -> list[str]:
    """Last days as they come out of counting wrongly."""
    last, end = str(step.values["last"]), str(step.values["end"])
    if how == "easy":
        return [shifted(end, n) for n in _both(rng, (9, 20))]
    first_day_counted = shifted(last, -1)
    found = [first_day_counted, last] if how == "hard" else [shifted(end, n) for n in (2, -2, -3)]
    return [day for day in found if day != end]


def _period_line(step: Step, place: int, last: str, end: str, skipped: str | None) -> Line:
    values: dict[str, Any] = {
        "count": step.values["count"],
        "start": step.values["start"],
        "last": last,
        "end": end,
    }
    if skipped:
        values["why"] = skipped
    unit = str(step.operation)
    return Line("count", period_template(unit, rolled=bool(skipped)), values, step=place)


def _longer(step: Step, place: int, count: int) -> tuple[Line, str]:
    counted = days_after if step.operation == "days" else years_after
    period = counted(str(step.values["start"]), count)
    skipped = why(period.skipped) if period.skipped else None
    line = _period_line(step, place, period.last, period.end, skipped)
    return replace(line, values={**line.values, "count": count}), period.end


def _other_amount(rng: random.Random, cents: int, how: Difficulty) -> int:
    if how == "easy":
        return cents * 10
    if how == "hard":
        return cents + rng.choice((-1, 1)) * 100 * rng.choice((100, 500, 1000))
    digits = re.sub(r"\D", "", str(cents))
    swapped = digits[1] + digits[0] + digits[2:] if digits[0] != digits[1] else digits
    return int(swapped) if swapped[0] not in "0" and swapped != digits else cents + 1_500_000


def _terms(rng: random.Random, value: int, how: Difficulty) -> list[int]:
    if value >= 100_000:
        return {
            "easy": [1_000_000],
            "medium": [5_000_000, 10_000_000],
            "hard": [8_000_000, 7_000_000],
        }[how]
    off = {"easy": (40, 60), "medium": (5, 9), "hard": (1, 2)}[how]
    return [other for more in _both(rng, off) if (other := value + more) > 0]
