r"""Unwrapping: the words of a text without their dress, and the way back to the original offsets.

Markdown and LaTeX emphasis, light HTML, zero-width characters and typographic variants are what
a declared marker may be dressed in (``**VERDICT:** yes``, ``\boxed{YES}``). They are taken off
in one linear pass; every character of the result remembers where it came from.
"""

# ruff: noqa: RUF001 - look-alikes of ASCII punctuation are what is read here

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache

from decidendi.reasoning._span import Span

REASONING_TAGS = ("think", "thinking", "thought", "reasoning", "reason")
"""Names of tags that hold reasoning, as ``<name>`` or ``[NAME]``."""

_TAG = "|".join(REASONING_TAGS)
TAG = (
    rf"(?:<[ ]?(?P<shut>/?)[ ]?(?:{_TAG})[ ]?>|\[(?P<shut_square>/?)(?:{_TAG})\]"
    r"|(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>"
    r"(?:(?P<shut_channel>final)|analysis|commentary)[^<>]{0,60}<\|message\|>)"
)
"""A tag around reasoning, or the head of a channel, as models that write in channels have it."""

_DRESSING = (
    "boxed|fbox|framebox|text|textbf|textit|textrm|textsf|texttt|textsc|textnormal|emph|underline"
    "|mathbf|mathrm|mathit|mathsf|mathtt|mathbb|mathcal|boldsymbol|bm|mbox|hbox|operatorname"
    "|large|Large|LARGE|huge|Huge|small|color|colorbox"
)
_BOXES = ("\\boxed", "\\fbox", "\\framebox")
_SWITCHES = "displaystyle|textstyle|bfseries|itshape|bf|it|rm|quad|qquad|centering|noindent"
_HTML = "b|strong|em|i|u|span|p|div|br|center|font|mark|code|pre|h[1-6]|sup|sub|small|big"
_HTML += "|conclusion|output|response"
_DECLARING = "answer|final_answer|verdict"

_SPECIAL = re.compile(
    rf"""(?=[^\w\s.,;:'"()!?/-]|[_\r\v\f\x1c-\x1f]|[^\x00-\x7f])  # nothing else begins: saves time
    (?:(?P<reasoning>{TAG})
    | (?P<dressed>\\(?:{_DRESSING})[ ]?\{{)
    | (?P<switch>\\(?:{_SWITCHES})(?![A-Za-z])[ ]?|\\[()\[\],;:!*_`~#$]|\$+)
    | (?P<line>\r\n?|\\\\|<br[ ]?/?>|[\x0b\x0c\x1c-\x1e])
    | (?<![^\n>])<(?P<declaring>{_DECLARING})>
    | (?P<html></?(?:{_HTML}|{_DECLARING})(?:[ ][^<>]{{0,200}})?/?>)
    | (?P<entity>&(?:nbsp|amp|quot|apos|\#39|\#34|lt|gt);)
    | (?P<open>\{{) | (?P<close>\}})
    | (?P<emphasis>\*+|`+|(?<![A-Za-z0-9_])_+|_+(?![A-Za-z0-9_]))
    | (?P<control>[\x00-\x08\x0e-\x1b\x1f\x7f]+)
    | (?P<wide>[^\x00-\x7f]+))""",
    re.VERBOSE | re.IGNORECASE,
)
_ENTITIES = {"nbsp": " ", "amp": "&", "quot": '"', "apos": "'", "#39": "'", "#34": '"', "lt": "<",
             "gt": ">"}  # fmt: skip
_VARIANTS = str.maketrans(
    dict.fromkeys("“”„‟«»〝〞「」『』＂", '"')
    | dict.fromkeys("‘’‚‛‹›`´＇", "'")
    | dict.fromkeys("‐‑‒–—―−", "-")
    | dict.fromkeys("\u2028\u2029\x85", "\n")
)


class Folded:
    """A text without its dress.

    Attributes:
        text: What remains.
        boxed: Spans of ``text`` that stood in a LaTeX box.
    """

    def __init__(
        self, text: str, pieces: list[tuple[int, int, int, int]], boxed: list[Span]
    ) -> None:
        """Keep the text and its pieces: (start, length) in ``text``, (start, length) before."""
        self.text = text
        self.boxed = tuple(sorted(boxed))
        self._pieces = pieces
        self._starts = [piece[0] for piece in pieces]

    def original(self, span: Span) -> Span:
        """Return the span of the original text from which a non-empty ``span`` came."""
        first = self._pieces[bisect_right(self._starts, span.start) - 1]
        last = self._pieces[bisect_right(self._starts, span.end - 1) - 1]
        start = first[2] + (span.start - first[0] if first[1] == first[3] else 0)
        end = last[2] + (span.end - last[0] if last[1] == last[3] else last[3])
        return Span(start, end)

    def folded(self, position: int) -> int:
        """Return where the character at ``position`` of the original is, or would be."""
        index = bisect_right(self._pieces, position, key=lambda piece: piece[2]) - 1
        if index < 0:
            return 0
        start, length, before, before_length = self._pieces[index]
        inside = position - before
        return start + (min(inside, length) if length == before_length else length * (inside > 0))


class _Builder:
    """Collects the pieces of a folded text."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.pieces: list[tuple[int, int, int, int]] = []
        self.length = 0

    def add(self, text: str, start: int, length: int) -> None:
        """Append ``text``, which came from ``length`` characters at ``start``."""
        if text:
            self.parts.append(text)
            self.pieces.append((self.length, len(text), start, length))
            self.length += len(text)

    def add_wide(self, text: str, start: int) -> None:
        """Append characters beyond ASCII, each in its plain form."""
        run, run_start = "", start
        for offset, char in enumerate(text):
            plain = _plain(char)
            if len(plain) == 1:
                run += plain
                continue
            self.add(run, run_start, len(run))
            self.add(plain, start + offset, 1)
            run, run_start = "", start + offset + 1
        self.add(run, run_start, len(run))


def fold(text: str, begin: int = 0, end: int | None = None) -> Folded:
    """Take off the dress of ``text[begin:end]``; linear in its length, never fails."""
    stop = len(text) if end is None else end
    out = _Builder()
    boxed: list[Span] = []
    braces: list[int | None] = []  # what each open brace is: a box (start), other dress (-1), text
    position = begin
    for found in _SPECIAL.finditer(text, begin, stop):
        start, end = found.span()
        out.add(text[position:start], position, start - position)
        position = end
        match found.lastgroup or "":
            case "reasoning" | "shut" | "shut_square" | "shut_channel" | "line":
                out.add("\n", start, end - start)
            case "dressed":
                boxes = found[0].lower().startswith(_BOXES)
                out.add(" " * boxes, start, end - start)  # a box stands apart from what is before
                braces.append(out.length if boxes else -1)
            case "open":
                braces.append(None)
                out.add("{", start, 1)
            case "close":
                opened = braces.pop() if braces else None
                if opened is None:
                    out.add("}", start, 1)
                elif opened >= 0:
                    boxed += [Span(opened, out.length)] * (opened < out.length)
                    out.add(" ", start, 1)
            case "emphasis" if end - start > 1 and text[start - 1 : start].isalnum():
                out.add(" " * text[end : end + 1].isalnum(), start, end - start)
            case "declaring":
                out.add(f"\n{found['declaring'].replace('_', ' ')}: ", start, end - start)
            case "entity":
                out.add(_ENTITIES[found[0][1:-1].lower()], start, end - start)
            case "wide":
                out.add_wide(found[0], start)
            case _:  # emphasis, switches, control characters and light HTML leave nothing
                pass
    out.add(text[position:stop], position, stop - position)
    return Folded("".join(out.parts), out.pieces, boxed)


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    """Return the compatibility form of one character; nothing if it has no width."""
    if (plain := char.translate(_VARIANTS)) != char:
        return plain
    code = ord(char)
    invisible = unicodedata.category(char) == "Cf" or 0xFE00 <= code <= 0xFE0F
    if invisible or 0xE0100 <= code <= 0xE01EF or code in (0x034F, 0x115F, 0x1160, 0x3164):
        return ""
    plain = unicodedata.normalize("NFKC", char).translate(_VARIANTS)
    pictograph = plain == char and unicodedata.category(char) == "So" and char not in "☐☑☒"
    return " " if pictograph else plain
