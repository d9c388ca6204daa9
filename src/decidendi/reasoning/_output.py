"""The parts of what a model wrote: its reasoning, its answer, and what it only copied."""

# ruff: noqa: RUF001 - look-alikes of ASCII punctuation are what is read here

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from decidendi.reasoning._echo import Masks, echo_spans
from decidendi.reasoning._fold import TAG
from decidendi.reasoning._span import Span, containing, tightened

_TAGS = re.compile(TAG, re.IGNORECASE)
_END_OF_TURN = re.compile(
    r"<\|(?:im_end|im_start|eot_id|end_of_text|endoftext|start_header_id|eom_id|return)\|>"
    r"|<\|end\|>(?!<\|start\|>assistant)"
    r"|<(?:end_of_turn|start_of_turn)>|</s>"
)
READ = 100_000
"""So many characters are read for verdicts and copies, the last of the model's turn: more than
20,000 tokens of prose. What stands before them is only told apart into reasoning and answer."""

_MENTION = "`\"'“”‘’„«»"


class Part(StrEnum):
    """Where in an output something stands."""

    REASONING = "reasoning"
    ANSWER = "answer"


@dataclass(frozen=True)
class Output:
    """What a model wrote in one generation, and which part of it is what.

    Attributes:
        text: Everything it wrote. Reasoning that came in a field of its own stands first, a
            blank line before the rest.
        reasoning: Spans of ``text`` that are reasoning, without tags; sorted.
        answer: Spans that are not; sorted. Both leave out tags and surrounding white space.
        echoed: Spans copied from the masked texts, in either, from ``begin`` on.
        closed: False if reasoning was still open where the output ends.
        truncated: The model did not end the output itself (a limit of tokens did).
        begin: Where reading for verdicts and copies begins: ``READ`` characters before ``end``.
        end: Where its turn ends. What a model writes after an end-of-turn token is a conversation
            that it makes up; nothing there is reasoning or answer.
        masks: The masked texts.
    """

    text: str
    reasoning: tuple[Span, ...]
    answer: tuple[Span, ...]
    echoed: tuple[Span, ...]
    closed: bool
    truncated: bool
    begin: int
    end: int
    masks: Masks

    def part(self, position: int) -> Part | None:
        """Return the part in which the character at ``position`` stands; None for a tag."""
        if containing(self.answer, position) is not None:
            return Part.ANSWER
        return Part.REASONING if containing(self.reasoning, position) is not None else None


def read_output(  # long: one keyword for each thing only the caller can know
    text: str,
    *,
    native_reasoning: str | None = None,
    masked: Masks | Sequence[str] = (),
    opened_by_template: bool = False,
    truncated: bool = False,
) -> Output:
    """Tell the parts of one generation apart. Never fails, whatever a model wrote.

    Reasoning is what stands between ``<think>`` and ``</think>`` (and tags of similar names).
    A closing tag without an opening one closes reasoning that began with the output, as with
    chat templates that write the opening tag into the prompt; an opening tag that is never
    closed holds everything after it. Tags that are only copied from a masked text, or that are
    quoted (`` `<think>` ``), are words like any other.

    Args:
        text: What the model wrote.
        native_reasoning: Its reasoning, where the provider gives it in a field of its own.
        masked: The prompt as sent, and injected notes; see ``Masks``.
        opened_by_template: The prompt ended with the opening tag.
        truncated: Generation stopped at a limit, not because the model was done.
    """
    masks = masked if isinstance(masked, Masks) else Masks(masked)
    prefix = f"{native_reasoning}\n\n" if native_reasoning else ""
    whole = prefix + text
    pieces = [(Part.REASONING, 0, len(native_reasoning or ""))] if prefix else []
    ended = _END_OF_TURN.search(whole, len(prefix))
    end = ended.start() if ended else len(whole)
    begin = _begin(whole, end)
    echoed = tuple(echo_spans(whole, masks, begin, end))
    tagged, closed = _tagged(whole[:end], len(prefix), echoed, opened_by_template)
    pieces += tagged
    spans: dict[Part, list[Span]] = {Part.REASONING: [], Part.ANSWER: []}
    for part, start, end in pieces:
        if span := tightened(whole, start, end):
            spans[part].append(span)
    return Output(
        text=whole,
        reasoning=tuple(spans[Part.REASONING]),
        answer=tuple(spans[Part.ANSWER]),
        echoed=echoed,
        closed=closed,
        truncated=truncated,
        begin=begin,
        end=end,
        masks=masks,
    )


def _begin(text: str, end: int) -> int:
    """Return where the last ``READ`` characters begin: with a line, if one begins among them."""
    cut = max(0, end - READ)
    return cut and (text.find("\n", cut, end) + 1 or cut)


def _tagged(
    text: str, begin: int, echoed: Sequence[Span], opened: bool
) -> tuple[list[tuple[Part, int, int]], bool]:
    """Split ``text[begin:]`` at its tags; also say whether reasoning was closed at the end."""
    pieces: list[tuple[Part, int, int]] = []
    inside, seen, position = opened, opened, begin
    for found in _TAGS.finditer(text, begin):
        if containing(echoed, found.start()) is not None or _quoted(text, found):
            continue
        closing = bool(found["shut"] or found["shut_square"] or found["shut_channel"])
        # A closing tag nobody opened counts once: whatever came before it is reasoning.
        part = Part.REASONING if inside or (closing and not seen) else Part.ANSWER
        pieces.append((part, position, found.start()))
        position, inside, seen = found.end(), not closing, True
    pieces.append((Part.REASONING if inside else Part.ANSWER, position, len(text)))
    return pieces, not inside


def _quoted(text: str, tag: re.Match[str]) -> bool:
    before, after = text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 1]
    return bool(before and after) and before in _MENTION and after in _MENTION
