"""Prompts from templates: facts first, what varies last, so that conditions share a prefix."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from decidendi.audit._data import content
from decidendi.judgment import digest_of
from decidendi.legal import LegalCase, Option, Task

Thinking: TypeAlias = Literal["prompted", "native"]
"""Whether reasoning is asked for in ``<think>`` tags, or the model has a mode of its own."""


class Message(NamedTuple):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Style:
    """How prompts are put, for a whole run.

    Attributes:
        thinking: See ``Thinking``.
        examples: Whether two worked examples stand before the case, as turns. Small models need
            them to keep to the format.
    """

    thinking: Thinking = "prompted"
    examples: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one prompt is made of.

    Attributes:
        task: Gives the marker and what facts are called.
        facts: As the model sees them.
        question: As the model sees it.
        options: The allowed answers.
        naming: Whether the model is told to name the authority it relies on.
        question_first: The question stands before the facts (the order control).
    """

    task: Task
    facts: str
    question: str
    options: tuple[Option, ...]
    naming: bool = True
    question_first: bool = False


def messages_of(sheet: Sheet, style: Style) -> tuple[Message, ...]:
    """Return the conversation for a sheet, ready to be sent."""
    turns = [Message("system", _system(sheet, style))]
    if style.examples:
        turns += _examples(sheet, style)
    return (*turns, Message("user", user_text(sheet)))


def digest_of_messages(messages: Sequence[Message]) -> str:
    """Return the digest that binds a conversation."""
    return digest_of([[message.role, message.content] for message in messages])


def form_of(task: Task) -> str:
    """Return the forms of the last line: ``VERDICT: YES or VERDICT: NO``."""
    return " or ".join(f"{task.marker}: {label}" for label in task.labels)


def forced_start(task: Task) -> str:
    """Return what follows reasoning that was closed from outside: the marker, without a label."""
    return _filled(content("prompts")["forced"], marker=task.marker)


def user_text(sheet: Sheet) -> str:
    """Return the last user turn. The frame's tags in it are the template's own."""
    parts = content("prompts")["user"]
    facts = _filled(parts["facts"], facts_are=sheet.task.facts_are, facts=_inside(sheet.facts))
    question = _filled(parts["question"], question=_inside(sheet.question))
    blocks = [question, facts] if sheet.question_first else [facts, question]
    if options := _options(sheet, parts):
        blocks.insert(1, options)
    return "\n\n".join(blocks)


def _options(sheet: Sheet, parts: dict[str, str]) -> str:
    texts = [option for option in sheet.options if option.text]
    if not texts:
        return ""
    if sheet.task.positive is None:
        listed = "\n".join(f"{option.label}: {_line(option.text)}" for option in texts)
        return _filled(parts["choices"], options=listed)
    listed = "\n".join(f"{option.label} means: {_line(option.text)}." for option in texts)
    return _filled(parts["meanings"], options=listed)


def breaks_frame(case: LegalCase) -> bool:
    """Say whether a case's own text would break the frame of its prompts, and so is put otherwise.

    A tag of the frame in it loses its bracket; an answer of several lines becomes one.
    """
    texts = [case.facts, *(text for a in case.authorities for text in (a.name, a.text, a.citation))]
    return any(_inside(text) != text for text in texts) or any(
        _line(text) != text for text in case.options
    )


_UNSEEN = r"[\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]{0,8}"  # bounded, so that it is linear
_TAG = re.compile(
    rf"[<\uff1c](?={_UNSEEN}[/\uff0f]?{_UNSEEN}{_UNSEEN.join('facts')}(?![\w-]))", re.IGNORECASE
)


def _inside(text: str) -> str:
    """Return a text that neither opens nor closes the frame around facts."""
    return _TAG.sub("&lt;", text)


def _line(text: str) -> str:
    """Return the text of an answer, which cannot look like another answer or a question."""
    return " ".join(_inside(text).splitlines())


def _system(sheet: Sheet, style: Style) -> str:
    words = content("prompts")["system"]
    sentences = [words["opening"], words["thinking"][style.thinking]]
    if sheet.naming:
        sentences.append(words["naming"])
    sentences.append(_filled(words["ending"][style.thinking], form=form_of(sheet.task)))
    return " ".join(sentences)


def _examples(sheet: Sheet, style: Style) -> list[Message]:
    labels = sheet.task.labels
    kind = "yes_no" if set(labels) == {"YES", "NO"} else "choice"
    turns = []
    for example in content("examples")[kind]:
        options = sheet.options if kind == "yes_no" else _example_options(example, labels)
        label = example["label"] if kind == "yes_no" else labels[example["place"] % len(labels)]
        # The task's own meanings of YES and NO would not fit another rule: leave them out.
        shown = tuple(Option(o.label) for o in options) if kind == "yes_no" else options
        user = user_text(Sheet(sheet.task, example["facts"], example["question"], shown))
        reasoning = example["named" if sheet.naming else "unnamed"]
        if style.thinking == "prompted":
            reasoning = f"<think>{reasoning}</think>"
        answer = f"{reasoning}\n{sheet.task.marker}: {label}"
        turns += [Message("user", user), Message("assistant", answer)]
    return turns


def _example_options(example: dict[str, Any], labels: Sequence[str]) -> tuple[Option, ...]:
    texts = list(example["wrong"][: len(labels) - 1])
    texts.insert(example["place"] % len(labels), example["right"])
    return tuple(Option(label, text) for label, text in zip(labels, texts, strict=False))


def _filled(template: str, **values: str) -> str:
    """Fill a template in one pass, so that braces in a value stay what they are."""
    pieces = template.split("{")
    out = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}")
        out += [values[name], rest]
    return "".join(out)
