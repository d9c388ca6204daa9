"""A chain of executable law before it is put into words: lines with typed values and labels."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias, get_args

from decidendi.grading._chain import Chain
from decidendi.grading._labels import Finding
from decidendi.grading._law import LawProblem
from decidendi.grading._phrases import data, slots_of, wordings
from decidendi.legal import Decision, say

Presentation: TypeAlias = Literal["numbered", "bulleted", "prose", "think"]
PRESENTATIONS: tuple[Presentation, ...] = get_args(Presentation)

INSERTED = "inserted"
"""The kind of a line that stands in no trace."""


@dataclass(frozen=True)
class Line:
    """One premise to be.

    Attributes:
        kind: That of the step it comes from, or ``inserted``.
        template: The sentence with its values open.
        values: The values.
        marks: What is wrong with it.
        step: The step of the trace it comes from; None for an inserted one.
        again: Word it otherwise than its own sentence, where there is another wording.
    """

    kind: str
    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    marks: tuple[Finding, ...] = ()
    step: int | None = None
    again: bool = False

    @property
    def text(self) -> str:
        """The line in the words of the trace."""
        return say(self.template, self.values)

    def marked(self, code: str, why: str = "", *, carried: bool = False) -> Line:
        """Return the line with one error."""
        return replace(self, marks=(Finding(code, why, carried),))


@dataclass(frozen=True)
class Draft:
    """A chain to be.

    Attributes:
        lines: The premises.
        verdict: The option chosen.
        worded: The option whose words the conclusion has; that chosen, but for one kind of error.
        place: The line with the planted error; None if it is in the conclusion or nowhere.
    """

    lines: tuple[Line, ...]
    verdict: str
    worded: str = ""
    place: int | None = None

    @property
    def carried(self) -> tuple[int, ...]:
        """The lines that would be right if the planted error were none."""
        return tuple(i for i, line in enumerate(self.lines) if any(f.carried for f in line.marks))


def lines_of(decision: Decision) -> tuple[Line, ...]:
    """Return the lines of a trace, all of them right."""
    return tuple(
        Line(step.kind, step.template, step.values, step=i)
        for i, step in enumerate(decision.steps[:-1])
    )


def with_line(lines: Sequence[Line], place: int, line: Line) -> tuple[Line, ...]:
    """Return the lines with one exchanged."""
    return (*lines[:place], line, *lines[place + 1 :])


def written(
    problem: LawProblem,
    draft: Draft,
    name: str,
    rng: random.Random,
    presentation: Presentation,
    *,
    varied: bool,
) -> Chain:
    """Put a draft into words.

    Args:
        problem: The question.
        draft: Its chain.
        name: The chain's id.
        rng: Chooses among wordings.
        presentation: A list, a paragraph, or a paragraph between ``<think>`` tags.
        varied: Word the steps in different ways, not as the trace does.
    """
    running = presentation in ("prose", "think")
    premises = tuple(_said(line, rng, varied, running) for line in draft.lines)
    words = data("misreadings")["conclusions"]
    worded = "" if (draft.worded or draft.verdict) == "YES" else " not"
    closing = rng.choice(words) if varied else words[0]
    closing = closing.format(authority=problem.rule.authority.name, no=worded)
    answer = f"ANSWER: {draft.verdict}"
    if presentation == "numbered":
        body = "\n".join(f"{n}. {text}" for n, text in enumerate(premises, 1))
    elif presentation == "bulleted":
        body = "\n".join(f"- {text}" for text in premises)
    else:
        body = " ".join(premises)
    if presentation == "think":
        text = f"<think>{body}</think>\n\n{closing}\n{answer}"
    else:
        text = f"{body}\n\n{closing}\n{answer}"
    return Chain(
        id=name,
        premises=premises,
        conclusion=f"{closing} {answer}",
        chosen=draft.verdict,
        options=problem.options,
        gold=problem.decision.verdict,
        question=problem.question,
        source=problem.source,
        expert=problem.decision.in_words(),
        unit=problem.id,
        text=text,
        carried=problem.carried(),
    )


def _said(line: Line, rng: random.Random, varied: bool, running: bool) -> str:
    """Word one line, with something that connects it in running text."""
    choices = [w for w in wordings(line.template) if slots_of(w) <= line.values.keys()]
    template = line.template
    if line.again and len(choices) > 1:
        template = choices[1]
    elif varied:
        template = rng.choice(choices)
    text = say(template, line.values)
    text = text[0].upper() + text[1:]
    if not running or re.match(r"(?:So|First|Second|Third|Thus)\b", text):
        return text
    joint: str = rng.choice(data("misreadings")["connectives"][line.kind])
    if not joint:
        return text
    lower = text.startswith(("The ", "Service on ")) or not template.startswith(("{", "Rule "))
    return joint + (text[0].lower() + text[1:] if lower else text)


@lru_cache(maxsize=1)
def _joints() -> tuple[str, ...]:
    words = data("misreadings")["connectives"]
    return tuple(sorted({j for joints in words.values() for j in joints if j}, key=len))[::-1]


def unconnected(text: str) -> tuple[str, ...]:
    """Return a premise as it stands, and without the words that connect it, capitalised."""
    found = [text]
    for joint in _joints():
        if text.startswith(joint):
            rest = text[len(joint) :]
            found.append(rest[:1].upper() + rest[1:])
    return tuple(found)
