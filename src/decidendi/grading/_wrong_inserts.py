"""Premises that stand in no trace, and conclusions that are not what the premises lead to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from decidendi.grading._draft import INSERTED, Draft, Line, lines_of
from decidendi.grading._law import ANY_OF, LawProblem
from decidendi.grading._leaves import dates_of, shifted
from decidendi.grading._phrases import data
from decidendi.grading._wrong_steps import Difficulty
from decidendi.legal import ASIDES, NO, YES, decide_all, task

_SURNAMES = ("Abelard", "Corrigan", "Ferris", "Holloway", "Marbury-Lane", "Tolliver")


def fabrication(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """A fact or a rule that no source has; if it can, one that excuses what is lacking."""
    excuses = how != "easy" and problem.decision.verdict == NO
    days = dates_of(problem.matter.as_json())
    values = {
        "day": shifted(rng.choice(days), rng.randint(3, 40)),
        "number": rng.randint(11, 94),
        "surname": rng.choice(_SURNAMES),
    }
    for template in data("misreadings")["excuses" if excuses else "fabrication"]:
        line = Line(INSERTED, template, values).marked(
            "hallucination.fabrication", "no source has it"
        )
        if excuses:
            lines = lines_of(problem.decision)
            yield Draft((*lines, line), YES, place=len(lines))
        else:
            yield _inserted(problem, rng, line)


def distraction(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """A true fact that the answer does not depend on; if hard, one that another rule would read."""
    code, why = "irrelevance.distraction", "nothing turns on it"
    ours = {line.text for line in lines_of(problem.decision)}
    if how == "hard":
        for name, decision in decide_all(problem.matter).items():
            for line in lines_of(decision) if name != problem.authority else ():
                if line.kind == "fact" and line.text not in ours:
                    plain = replace(line, kind=INSERTED, step=None)
                    yield _inserted(problem, rng, plain.marked(code, why))
        return
    for aside in problem.matter.asides:
        yield _inserted(problem, rng, Line(INSERTED, aside).marked(code, why))


def with_aside(problem: LawProblem, rng: random.Random) -> LawProblem:
    """Return the problem with a true statement in its facts that no rule reads."""
    if problem.matter.asides:
        return problem
    matter = replace(problem.matter, asides=(rng.choice(ASIDES),))
    return LawProblem(problem.id, problem.rule, matter)


def redundancy(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """An earlier premise again: at once and in the same words, or later and in others."""
    lines = lines_of(problem.decision)
    for i, line in enumerate(lines):
        if line.kind not in ("rule", "fact"):
            continue
        copy = replace(line, step=None, again=how == "hard").marked(
            "irrelevance.redundancy", f"premise {i + 1} has said it"
        )
        places = [i + 1] if how == "easy" else range(min(i + 2, len(lines)), len(lines) + 1)
        for place in places:
            yield Draft((*lines[:place], copy, *lines[place:]), problem.decision.verdict, "", place)


def false_lead(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """Another authority is brought in that was not asked about; if hard, one that could apply."""
    applying = decide_all(problem.matter)
    for authority in task("law").authorities:
        if authority.id == problem.authority or (how == "hard") != (authority.id in applying):
            continue
        template = rng.choice(data("misreadings")["false-lead"])
        line = Line(INSERTED, template, {"authority": authority.name})
        yield _inserted(problem, rng, line.marked("irrelevance.false-lead", "was not asked"))


def missed_element(problem: LawProblem, rng: random.Random, how: Difficulty) -> Iterator[Draft]:
    """Everything about the element that decides is left out; the conclusion is then wrong."""
    steps = problem.decision.steps
    ends = steps[-1].uses
    for element in sorted({steps[u].element for u in ends}):
        kept = [i for i, step in enumerate(steps[:-1]) if step.element != element]
        left = [bool(steps[u].holds) for u in ends if u in kept]
        if not left or any(not set(steps[i].uses) <= set(kept) for i in kept):
            continue
        met = any(left) if problem.authority in ANY_OF else all(left)
        verdict = YES if met else NO
        if verdict != problem.decision.verdict:
            lines = lines_of(problem.decision)
            yield Draft(tuple(lines[i] for i in kept), verdict)


def hallucinated_content(
    problem: LawProblem, rng: random.Random, how: Difficulty
) -> Iterator[Draft]:
    """The right letter, with the words of the other option."""
    verdict = problem.decision.verdict
    yield Draft(lines_of(problem.decision), verdict, NO if verdict == YES else YES)


def _inserted(problem: LawProblem, rng: random.Random, line: Line) -> Draft:
    lines = lines_of(problem.decision)
    place = rng.randint(1, len(lines))
    return Draft((*lines[:place], line, *lines[place:]), problem.decision.verdict, place=place)
