"""Where a declared verdict stands: in its author's own voice, or in passing, quoted, announced.

What stands in the wrong place is set aside, and an earlier declaration may count.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from decidendi.reasoning._context import REACH, Context, SetAside, words_of
from decidendi.reasoning._provisions import Cited
from decidendi.reasoning._span import Span
from decidendi.reasoning._spec import wording

_MEMBER_BEGINS = re.compile(r"[{,]\s{0,20}[\"']$")
_MEMBER = re.compile(r"[^\W\d]{1,20}[\"']\s{0,3}:\s{0,3}[\"']?[^\W_]{1,20}[\"']?\s{0,20}[,}]")
_UNTICKED = re.compile(r"\[ ?\]\s{0,3}$|☐\s{0,3}$")
_SCOPE = re.compile(
    r"[^\w\n]{0,4}(?:(?:a|no)\s)?(?:violation\s)?(?:(?:of|under|as\sto|for|on|regarding|concerning|about"
    r"|(?:in|with)\s(?:respect|regard|relation)\s(?:of|to))\s)?(?:the\s)?",
    re.IGNORECASE,
)
_PLAIN_FENCE = re.compile(r"[ \t]*(?:```|~~~)(?:markdown|md|text|txt|plaintext)?[ \t]*$", re.M)
_HEADING = 12
"""A line of at most so many words above a marker, without a full stop, is its heading."""


def position(context: Context, span: Span, *, boxed: bool = False) -> SetAside | None:
    """Say why a declaration does not count where it stands; None if it does.

    It does on a line of its own, at the beginning of a sentence, after words of a conclusion only,
    and as a member of a JSON object.
    """
    text, start = context.text, span.start
    line = context.line_before(start)
    if _MEMBER_BEGINS.search(text, max(0, start - 30), start) and _MEMBER.match(text, start):
        return SetAside.ECHOED if context.echoed(span) else None
    if line.rstrip().endswith("~~"):
        return SetAside.QUOTED
    if _UNTICKED.search(line):
        return SetAside.ALTERNATIVES
    own_line = not words_of(line)
    sentence = [] if own_line else words_of(context.sentence_before(start))
    stray = {word for word in sentence if word not in wording().lead and not context.citing(word)}
    alone = own_line and not words_of(text[span.end : span.end + 40].partition("\n")[0])
    if (stray or not sentence) and not alone and _in_quotes(context, span, line):
        return SetAside.QUOTED
    if stray and not boxed:
        return SetAside.MENTIONED
    if wording().attributed.match(text, span.end):
        return SetAside.MENTIONED
    if _in_fence(context, span):
        return SetAside.QUOTED
    if context.another(_about(context, span, " ".join(sentence))):
        return SetAside.OTHER_AUTHORITY
    before = context.sentence_above(start) if own_line else context.sentence_before(start)
    if why := _introduced(before):
        return why
    if not own_line:
        return SetAside.ECHOED if context.echoed(span, around=2) else None
    copied = context.echoed(span) or context.echoed_both_sides(span)
    return SetAside.ECHOED if copied else None


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


def _in_quotes(context: Context, span: Span, line: str) -> bool:
    """Say whether one quotation mark stands before the marker and its like after the label."""
    mark = line.rstrip(" ([")[-1:]
    return mark in ('"', "'") and mark in context.text[span.end : span.end + 2]


def _in_fence(context: Context, span: Span) -> bool:
    """Say whether the declaration stands in a code block that is not the dress of an answer.

    Dress is a block that holds nothing else, or the whole answer.
    """
    output, folded = context.output, context.folded
    start = folded.original(span).start
    index = bisect_right(context.fences, start)
    if index % 2 == 0:
        return False
    opened = context.fences[index - 1]
    plain = _PLAIN_FENCE.match(output.text, opened) is not None
    answer = max((part.start for part in output.answer if part.start <= start), default=0)
    shut = folded.folded(context.fences[index]) if index < len(context.fences) else None
    before = context.text[folded.folded(opened) : span.start].partition("\n")[2]
    after = context.text[span.end : shut]
    outside = output.text[answer:opened] + ("" if shut is None else context.text[shut:])
    alone, whole = (not any(map(str.isalnum, piece)) for piece in (before + after, outside))
    return not (alone or (whole and plain))
