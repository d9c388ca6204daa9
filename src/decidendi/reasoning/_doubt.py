"""What takes a declared verdict back, or makes it somebody else's.

Asked only of the candidate that would decide: what its author says around it. A doubt ends the
search, because an author who takes a verdict back has not gone back to an earlier draft.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from decidendi.reasoning._context import REACH, Candidate, Context, How, SetAside
from decidendi.reasoning._output import Output, Part
from decidendi.reasoning._provisions import Provision, cited_provisions, names
from decidendi.reasoning._span import Span
from decidendi.reasoning._spec import wording

_TURN = re.compile(
    r"^[ \t>*#]{0,8}(?:human|user)[ \t*]{0,4}:|</facts>\s{0,8}question[ \t]?:",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)
_COMMENT = re.compile(r"<!--|-->")
_HIDDEN = re.compile(
    r"<[a-z]{1,10}\s[^<>]{0,200}?(?:display\s?:\s?none|visibility\s?:\s?hidden|\bhidden\b"
    r"|font-size\s?:\s?0|opacity\s?:\s?0)[^<>]{0,200}>[^<]{0,300}$",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")
_BUT = re.compile(r"[;\n]|\.\s|,\s(?:but|though|although|while|yet)\b", re.IGNORECASE)
_HEADING = 12
"""A line of at most so many words above a marker, without a full stop, is its heading."""


def visible(output: Output, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Set aside what stands in a comment, a hidden element or a turn that is not the model's."""
    turn = turn_begins(output)
    comments = [(m.start(), m[0] == "<!--") for m in _COMMENT.finditer(output.text)]
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
    for found in _TURN.finditer(output.text):
        if output.part(found.end() - 1) is Part.ANSWER:
            return found.start()
    return output.end


def doubted(
    context: Context,
    chosen: Candidate,
    markers: Sequence[Candidate],
    phrases: Sequence[Candidate],
    asked: Provision | None,
) -> Candidate:
    """Return ``chosen``, what it was corrected to, or ``chosen`` set aside, without label."""
    if chosen.label is None or chosen.set_aside is not None:
        return chosen
    start, end = (context.folded.folded(p) for p in (chosen.span.start, chosen.span.end))
    stop = context.folded.folded(turn_begins(context.output))
    why = _taken_back(context, end, stop)
    if chosen.how is How.MARKER:
        later = [c for c in phrases if c.span.start >= chosen.span.end and c.set_aside is None]
        if later and why is not SetAside.REFUSAL and later[0].label != chosen.label:
            return later[0] if why else _aside(chosen, SetAside.AMBIGUOUS)
        why = why or _around(context, start, end, asked) or _in_fence(context.output, chosen)
        why = why or _beside_another(context, chosen, markers)
    return _aside(chosen, why) if why else chosen


def _aside(chosen: Candidate, why: SetAside) -> Candidate:
    return replace(chosen, label=None, set_aside=why, final=True)


def _taken_back(context: Context, end: int, stop: int) -> SetAside | None:
    """Say whether what follows declines, retracts or disowns."""
    for pattern, why in (
        (wording().declined, SetAside.REFUSAL),
        (wording().disowned, SetAside.MENTIONED),
        (wording().retracted, SetAside.RETRACTED),
    ):
        for found in pattern.finditer(context.text, end, max(end, stop)):
            if not context.echoed(Span(*found.span())):
                return why
    return None


def _around(context: Context, start: int, end: int, asked: Provision | None) -> SetAside | None:
    """Judge the rest of the marker's line, and the sentences before it."""
    rest = context.text[end : end + REACH].partition("\n")[0]
    if wording().no_label.match(context.text, end):
        return SetAside.UNREADABLE
    if wording().attributed.match(context.text, end):
        return SetAside.MENTIONED
    if wording().undecided.search(rest):
        return SetAside.REFUSAL
    if asked and _others(_BUT.split(rest)[0], asked):
        return SetAside.OTHER_AUTHORITY
    before = context.text[max(0, start - 2 * REACH) : start].rstrip(" \t\n\"'`>#-|")
    if wording().withheld.search(before):
        return SetAside.REFUSAL
    above = _SENTENCES.split(before)[-1]
    if wording().introduced.search(above):
        return SetAside.MENTIONED
    if wording().otherwise.match(above):
        return SetAside.CONDITIONAL
    heading = not above.endswith((".", "!", "?")) and len(above.split()) <= _HEADING
    if asked and heading and _others(above, asked):
        return SetAside.OTHER_AUTHORITY
    return None


def _others(text: str, asked: Provision) -> bool:
    """Say whether ``text`` cites provisions, and not the one asked about."""
    cited = list(cited_provisions(text, asked.heads))
    return bool(cited) and not any(names(asked, one) for one in cited)


def _in_fence(output: Output, chosen: Candidate) -> SetAside | None:
    """Say whether the marker stands in a code block that is more than the dress of an answer.

    A block that holds the marker alone, as the last thing, is dress.
    """
    fences = [m.start() for m in _FENCE.finditer(output.text, 0, chosen.span.start)]
    if len(fences) % 2 == 0:
        return None
    inside = output.text[fences[-1] : chosen.span.start].partition("\n")[2]
    after = output.text[chosen.span.end : output.end]
    dress = not any(c.isalnum() for c in inside + after)
    return None if dress else SetAside.QUOTED


def _beside_another(
    context: Context, chosen: Candidate, markers: Sequence[Candidate]
) -> SetAside | None:
    """Say whether a marker with another label stands in the line, or cell, right next to it."""
    for other in markers:
        if other.label in (None, chosen.label) or other.part is not chosen.part:
            continue
        if other.set_aside is not None:
            continue
        first, second = sorted((other.span, chosen.span))
        if first.end > second.start or second.start - first.end > 2 * _HEADING:
            continue
        between = context.output.text[first.end : second.start]
        if ("\n" in between or "|" in between) and not any(c.isalpha() for c in between):
            return SetAside.ALTERNATIVES
    return None
