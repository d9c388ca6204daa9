"""What stands around a possible verdict: read once per output, asked many times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from decidendi.reasoning._echo import RUN, SHORTEST, Words
from decidendi.reasoning._fold import Folded, fold
from decidendi.reasoning._output import Output, Part
from decidendi.reasoning._provisions import Cited, Provision, cited_provisions, names
from decidendi.reasoning._span import Span, containing

CANDIDATES = 1_000
"""So many of each kind are judged, the rightmost. What stands left of them decides nothing."""

REACH = 300
"""Characters looked at on either side; sentences are cut there."""

_SENTENCE_END = re.compile(r"[.!?][\"')\]}]{0,3}\s+(?=[A-Z\"'(\[{#>])|\n")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")
_WORD = re.compile(r"[^\W_]+")
_LEADING_NUMBER = re.compile(r"^\W{0,20}(?:\d{1,3}[.)]|\[x\])\s", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)


class How(StrEnum):
    """How a verdict was found."""

    MARKER = "marker"
    """Declared: after the marker, or in a LaTeX box."""
    PHRASING = "phrasing"
    """Concluded in natural language."""


class SetAside(StrEnum):
    """Why something that looks like a verdict is none."""

    ECHOED = "echoed"
    """Copied from the prompt or an injected note."""
    QUOTED = "quoted"
    """In quotation marks in running text, or struck through."""
    MENTIONED = "mentioned"
    """Announced as somebody else's words, or talked about in mid-sentence."""
    ALTERNATIVES = "alternatives"
    """Several verdicts offered: "YES or NO"."""
    CONDITIONAL = "conditional"
    """Only if something holds."""
    QUESTION = "question"
    """Asked."""
    AMBIGUOUS = "ambiguous"
    """Negated twice."""
    OTHER_AUTHORITY = "other authority"
    """About an authority other than the one asked about."""
    UNREADABLE = "unreadable"
    """A marker followed by no label: "VERDICT: CI", "VERDICT: UNCLEAR", "VERDICT: <n>"."""
    REFUSAL = "refusal"
    """The author declines to decide."""
    RETRACTED = "retracted"
    """Its author takes it back."""
    CUT_OFF = "cut off"
    """A conclusion in words, but the output was stopped before its author was done."""


@dataclass(frozen=True)
class Candidate:
    """Something in an output that is a verdict, or looks like one.

    Attributes:
        label: The label it names; None if it names none.
        how: Declared, or in natural language.
        span: Where, in the output's text.
        part: In which part of the output.
        text: The characters there, at most 200.
        set_aside: Why it is not a verdict; None if it could be one.
        final: It ends the search although it is no verdict: its author declared that there is
            none ("VERDICT: UNCLEAR"), or declined; or it is the last line, and may be another's.
    """

    label: str | None
    how: How
    span: Span
    part: Part
    text: str
    set_aside: SetAside | None = None
    final: bool = False


class Context:
    """One output, unwrapped, with its words and which of them are echoed."""

    def __init__(self, output: Output, asked: Provision | None = None) -> None:
        """Unwrap the output's text; ``asked`` is the provision its verdict is about."""
        self.output = output
        self.asked = asked
        self.folded: Folded = fold(output.text, output.begin, output.end)
        self.text = self.folded.text
        self.fences = [m.start() for m in _FENCE.finditer(output.text, output.begin, output.end)]
        self.words = Words(self.text)
        self.echoes = output.masks.echoed(self.words.words)

    def candidate(
        self,
        span: Span,
        how: How,
        label: str | None,
        set_aside: SetAside | None = None,
        *,
        final: bool = False,
    ) -> Candidate:
        """Make a candidate of a span of the unwrapped text."""
        original = self.folded.original(span)
        part = self.output.part(original.start) or Part.ANSWER
        text = original.of(self.output.text)[:200]
        return Candidate(label, how, original, part, text, set_aside, final)

    def says(self, start: int, end: int | None = None) -> bool:
        """Say whether a word stands between two positions, or after one."""
        return _WORD.search(self.text, start, len(self.text) if end is None else end) is not None

    def line_before(self, position: int) -> str:
        """Return what stands before ``position`` in its line, at most ``REACH`` characters."""
        start = max(0, position - REACH)
        return self.text[max(start, self.text.rfind("\n", start, position) + 1) : position]

    def sentence_above(self, position: int) -> str:
        """Return the last sentence, or line, that ends before ``position``, in the same part.

        Reasoning that was cut in mid-sentence announces nothing of the answer after it.
        """
        begin = max(self._part_begins(position), position - 2 * REACH)
        before = self.text[begin:position].rstrip(" \t\n\"'`>#-|")
        return _SENTENCES.split(before)[-1]

    def _part_begins(self, position: int) -> int:
        """Return where the reasoning or answer begins in which ``position`` stands."""
        original = self.folded.original(Span(position, position + 1)).start
        for parts in (self.output.answer, self.output.reasoning):
            if (index := containing(parts, original)) is not None:
                return self.folded.folded(parts[index].start)
        return 0

    def sentence_before(self, position: int, *, across_lines: bool = False) -> str:
        """Return what stands before ``position`` in its sentence.

        Args:
            position: In the unwrapped text.
            across_lines: A line that does not end a sentence continues in the next.
        """
        before = self.text[max(0, position - REACH) : position]
        start = 0
        for found in _SENTENCE_END.finditer(before + "A"):  # as if a sentence began here
            if across_lines and found[0] == "\n" and found.end() < len(before):
                above = before[: found.start()].rstrip()
                if above and (above[-1].isalnum() or above[-1] == ","):
                    continue
            if found.end() <= len(before):
                start = found.end()
        return before[start:]

    def sentence_after(self, position: int) -> str:
        """Return what stands after ``position`` in its sentence, with its closing mark."""
        after = self.text[position : position + REACH]
        found = _SENTENCE_END.search(after)
        return after[: found.start() + 1] if found else after

    def cited(self, text: str) -> list[Cited]:
        """Return the provisions that ``text`` cites; none if none is asked about."""
        return list(cited_provisions(text, self.asked.heads)) if self.asked else []

    def another(self, cited: Sequence[Cited]) -> bool:
        """Say whether provisions are cited, and not the one asked about."""
        asked = self.asked
        return asked is not None and bool(cited) and not any(names(asked, one) for one in cited)

    def citing(self, word: str) -> bool:
        """Say whether a word is no more than part of a citation of a provision."""
        return self.asked is not None and (word.isdigit() or word in self.asked.heads)

    def echoed(self, span: Span, around: int = 0) -> bool:
        """Say whether the words of ``span`` are copied from a masked text.

        Args:
            span: Of the unwrapped text.
            around: So many neighbouring words in common are enough to make a copy, besides the
                words of ``span`` themselves; 0 asks for a run of ``RUN`` words.
        """
        first, last = self.words.within(span)
        if first == last:
            return False
        if all(self.echoes[first:last]):
            return True
        if not around or last - first + around > RUN:
            return False
        return any(self._copied(first - left, last + around - left) for left in range(around + 1))

    def echoed_both_sides(self, span: Span) -> bool:
        """Say whether ``span`` and words on both sides of it, three in all, are copied."""
        first, last = self.words.within(span)
        return any(self._copied(first - left, last + 3 - left) for left in (1, 2))

    def copied(self, span: Span) -> bool:
        """Say whether the words of ``span``, three or more, stand so in a masked text."""
        first, last = self.words.within(span)
        return last - first <= RUN and self._copied(first, last)

    def _copied(self, first: int, last: int) -> bool:
        known = first >= 0 and last <= len(self.words.words) and last - first >= SHORTEST
        return known and self.output.masks.holds(tuple(self.words.words[first:last]))


def words_of(text: str) -> list[str]:
    """Return the words of a piece of unwrapped text, without case and list numbers."""
    return [word.casefold() for word in _WORD.findall(_LEADING_NUMBER.sub("", text))]


def quote_open(text: str) -> bool:
    """Say whether a double quotation mark is open at the end of ``text``."""
    return text.count('"') % 2 == 1
