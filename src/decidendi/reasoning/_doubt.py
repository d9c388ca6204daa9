"""What takes a verdict back.

Asked only of the candidate that would decide. A doubt ends the search, because an author who
takes a verdict back has not gone back to an earlier draft.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from decidendi.reasoning._context import REACH, Candidate, Context, How, SetAside
from decidendi.reasoning._output import Output, Part
from decidendi.reasoning._span import Span
from decidendi.reasoning._spec import wording

_TURN = re.compile(
    r"^[ \t>*#]{0,8}(?:human|user|(?<=# )instruction)[ \t*]{0,4}:|</facts>\s{0,8}question[ \t]?:",
    re.IGNORECASE | re.MULTILINE,
)
_COMMENT = re.compile(r"<!--|-->")
_HIDDEN = re.compile(
    r"<[a-z]{1,10}\s[^<>]{0,200}?(?:display\s?:\s?none|visibility\s?:\s?hidden|\bhidden\b"
    r"|font-size\s?:\s?0|opacity\s?:\s?0)[^<>]{0,200}>[^<]{0,300}$",
    re.IGNORECASE,
)
_LATEX = re.compile(r"\\[a-zA-Z]+")
_NEXT_TO = 24
"""Two markers at most so many characters apart, with nothing said between them, are options."""


def visible(output: Output, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Set aside what stands in a comment, a hidden element or a turn that is not the model's."""
    turn = turn_begins(output)
    comments = [(m.start(), m[0] == "<!--") for m in _COMMENT.finditer(output.text, output.begin)]
    kept = []
    for candidate in candidates:  # from right to left, as are the comments then left over
        start = candidate.span.start
        while comments and comments[-1][0] > start:
            comments.pop()
        # Phrases come by their ends, so a nested one may find its comment popped: none is nested.
        commented = bool(comments) and comments[-1][1]
        hidden = commented or _HIDDEN.search(output.text[max(0, start - 2 * REACH) : start])
        if hidden or start >= turn:
            why = SetAside.QUOTED if hidden else SetAside.MENTIONED
            candidate = replace(candidate, set_aside=why, final=False)
        kept.append(candidate)
    return kept


def turn_begins(output: Output) -> int:
    """Return where the answer goes over into a conversation that the model makes up."""
    for found in _TURN.finditer(output.text, output.begin):
        if output.part(found.end() - 1) is Part.ANSWER:
            return found.start()
    return output.end


def doubted(
    context: Context,
    chosen: Candidate,
    markers: Sequence[Candidate],
    phrases: Sequence[Candidate],
) -> Candidate:
    """Return ``chosen``, what it was corrected to, or ``chosen`` set aside, without label."""
    if chosen.label is None or chosen.set_aside is not None:
        return chosen
    start, end = (context.folded.folded(p) for p in (chosen.span.start, chosen.span.end))
    stop = context.folded.folded(turn_begins(context.output))
    why = _taken_back(context, end, max(end, stop))
    if chosen.how is How.MARKER:
        later = [c for c in phrases if c.span.start >= chosen.span.end and c.set_aside is None]
        if later and why is not SetAside.REFUSAL and later[0].label != chosen.label:
            return later[0] if why else _aside(chosen, SetAside.AMBIGUOUS)
        if wording().withheld.search(context.sentence_above(start)):
            why = SetAside.REFUSAL
        why = why or _beside_another(context, chosen, markers)
    return _aside(chosen, why) if why else chosen


def _aside(chosen: Candidate, why: SetAside) -> Candidate:
    return replace(chosen, label=None, set_aside=why, final=True)


def _taken_back(context: Context, end: int, stop: int) -> SetAside | None:
    """Say whether what follows declines or retracts."""
    for pattern, why in (
        (wording().withheld, SetAside.REFUSAL),
        (wording().declined, SetAside.REFUSAL),
        (wording().retracted, SetAside.RETRACTED),
    ):
        for found in pattern.finditer(context.text, end, stop):
            if not context.echoed(Span(*found.span())):
                return why
    return None


def _beside_another(
    context: Context, chosen: Candidate, markers: Sequence[Candidate]
) -> SetAside | None:
    """Say whether a marker with another label stands in the line, or cell, right next to it."""
    for other in markers:
        if other.label in (None, chosen.label) or other.part is not chosen.part:
            continue
        if other.set_aside not in (None, SetAside.CONDITIONAL):
            continue
        first, second = sorted((other.span, chosen.span))
        if first.end > second.start or second.start - first.end > _NEXT_TO:
            continue
        between = _LATEX.sub("", context.output.text[first.end : second.start])
        if ("\n" in between or "|" in between) and not any(c.isalpha() for c in between):
            return SetAside.ALTERNATIVES
    return None
