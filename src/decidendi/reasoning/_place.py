"""Where a declared verdict stands: in its author's own voice, or in passing, quoted, announced.

What stands in the wrong place is set aside, and an earlier declaration may count.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from decidendi.reasoning._context import REACH, Context, SetAside, quote_open, words_of
from decidendi.reasoning._provisions import Cited
from decidendi.reasoning._span import Span
from decidendi.reasoning._spec import wording

_MEMBER_BEGINS = re.compile(r"[{,]\s{0,20}[\"']$")
_MEMBER = re.compile(r"[^\W\d]{1,20}[\"']\s{0,3}:\s{0,3}[\"']?[^\W_]{1,20}[\"']?\s{0,20}[,}]")
_MEMBERS = 2_000
"""An object's members are looked for in so many characters before a declaration."""

_UNTICKED = re.compile(r"\[ ?\]\s{0,3}$|☐\s{0,3}$")
_SCOPE = re.compile(
    r"[^\w\n]{0,4}(?:(?:a|no)\s)?(?:violation\s)?(?:(?:of|under|as\sto|for|on|regarding|concerning|about"
    r"|(?:in|with)\s(?:respect|regard|relation)\s(?:of|to))\s)?(?:the\s)?",
    re.IGNORECASE,
)
_PLAIN = ("", "~~~", "markdown", "md", "text", "txt", "plaintext")
_HEADING = 12
"""A line of at most so many words above a marker, without a full stop, is its heading."""


def position(context: Context, span: Span, *, boxed: bool = False) -> SetAside | None:
    """Say why a declaration does not count where it stands; None if it does.

    It does on a line of its own, at the beginning of a sentence, after words of a conclusion only,
    and as a member of a JSON object.
    """
    text, start = context.text, _begins(context, span)
    line = context.line_before(start)
    own_line = not words_of(line)
    if line.rstrip().endswith("~~") or (not own_line and quote_open(line)):
        return SetAside.QUOTED
    if _UNTICKED.search(line):
        return SetAside.ALTERNATIVES
    sentence = [] if own_line else words_of(context.sentence_before(start))
    stray = {word for word in sentence if word not in wording().lead and not context.citing(word)}
    alone = own_line and not words_of(text[span.end : span.end + 40].partition("\n")[0])
    if (stray or not sentence) and not alone and _in_quotes(context, line, span.end):
        return SetAside.QUOTED
    if stray and not boxed:
        return SetAside.MENTIONED
    member = start != span.start
    if not member and wording().attributed.match(text, span.end):
        return SetAside.MENTIONED
    fence = _fence(context, start)
    if fence and not member and not _is_dress(context, fence, Span(start, span.end)):
        return SetAside.QUOTED
    if context.another(_about(context, span, " ".join(sentence))):
        return SetAside.OTHER_AUTHORITY
    first = fence and not context.says(_line_ends(context, fence.start), start)
    above = context.sentence_above(fence.start if fence and first else start)
    if why := _introduced(above if own_line else context.sentence_before(start)):
        return why
    if not own_line:
        return SetAside.ECHOED if context.echoed(span, around=2) else None
    copied = context.echoed(span) or (not member and context.echoed_both_sides(span))
    return SetAside.ECHOED if copied else None


def _begins(context: Context, span: Span) -> int:
    """Return where the declaration begins; as a member of a JSON object, where that does."""
    text, near = context.text, max(0, span.start - _MEMBERS)
    if _MEMBER_BEGINS.search(text, near, span.start) and _MEMBER.match(text, span.start):
        return max(text.rfind("{", near, span.start), near)
    return span.start


def _introduced(before: str) -> SetAside | None:
    """Judge the sentence or heading before a declaration."""
    if wording().introduced.search(before):
        return SetAside.MENTIONED
    supposed = before.endswith((":", ", ")) and wording().suppositions.search(before)
    return SetAside.CONDITIONAL if supposed or wording().otherwise.match(before) else None


def _about(context: Context, span: Span, before: str) -> list[Cited]:
    """Return the provisions a declaration is about: cited in it, right after, or in its heading."""
    if cited := context.cited(f"{before} {span.of(context.text)}"):
        return cited
    scope = _SCOPE.match(context.text, span.end)
    begin = scope.end() if scope else span.end
    clause = re.split(r"[,;.](?=\s)|\n", context.text[begin : begin + REACH], maxsplit=1)[0]
    if (cited := context.cited(clause)) and cited[0].span.start == 0:
        return cited
    above = "" if before else context.sentence_above(span.start)
    headed = not above.endswith((".", "!")) and len(words_of(above)) <= _HEADING
    return context.cited(above) if headed else []


def _in_quotes(context: Context, line: str, end: int) -> bool:
    """Say whether one quotation mark stands before the marker and its like after the label."""
    mark = line.rstrip(" ([")[-1:]
    return mark in ('"', "'") and mark in context.text[end : end + 2]


def _fence(context: Context, start: int) -> Span | None:
    """Return the inside of the code block that is open at ``start``, from what its fence says."""
    folded, fences = context.folded, context.fences
    index = bisect_right(fences, folded.original(Span(start, start + 1)).start)
    if index % 2 == 0:
        return None
    end = fences[index] if index < len(fences) else context.output.end
    return Span(folded.folded(fences[index - 1]), folded.folded(end))


def _is_dress(context: Context, fence: Span, span: Span) -> bool:
    """Say whether a code block is only how an answer is set: it holds no more, or all of it."""
    begun = _line_ends(context, fence.start)
    if not (context.says(begun, span.start) or context.says(span.end, fence.end)):
        return True
    answers = context.output.answer
    index = bisect_right(answers, context.folded.original(span).start, key=lambda one: one.start)
    answer = context.folded.folded(answers[index - 1].start) if index else 0
    plain = context.text[fence.start : begun].strip().lower() in _PLAIN
    return plain and not (context.says(answer, fence.start) or context.says(fence.end))


def _line_ends(context: Context, position: int) -> int:
    end = context.text.find("\n", position)
    return len(context.text) if end < 0 else end
