"""Sentences of a model's output, by character.

Layout is read here and punctuation by nupunkt, which knows the abbreviations of legal text
("Art. 8", "v.", "no. 12345/06"). nupunkt's own layout rules are not used: on a text of blank
lines alone they take quadratic time.
"""

# ruff: noqa: RUF001 - look-alikes of ASCII punctuation are what is read here

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from decidendi.judgment import MissingExtraError
from decidendi.reasoning._fold import TAG
from decidendi.reasoning._span import Span, tightened

if TYPE_CHECKING:
    from nupunkt import PunktSentenceTokenizer

_TAGS = re.compile(TAG, re.IGNORECASE)
_MARKED_LINE = re.compile(
    r"[ \t]{0,16}(?:[-*+•–—·‣▪][ \t]|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)][ \t]"
    r"|#{1,6}[ \t]|>|\||```|\$\$|\\\[|\\begin|\\item|[*_]{2,3}\S)"
)
_STOPS = re.compile(r"[.!?…。！？][\"'”’»)\]}*_]{0,4}\s|[。！？]")
_ENDS = re.compile(r"[.!?:;…。！？][\"'”’»)\]}*_`$]{0,6}[ \t]*$")
# A dollar sign before a digit closes nothing, nor does one after white space: sums of money.
_MATH = re.compile(
    r"\$\$[^$\n]{1,400}\$\$|\$(?!\s)[^$\n]{0,399}[^$\s]\$(?!\d)|\\\([^\n]{1,400}?\\\)|\\\[.{1,2000}?\\\]",
    re.DOTALL,
)
_WORDS = frozenset({"sent", "met", "found", "idaho", "iowa", "utah"})
"""Taken by nupunkt for abbreviations, which as whole words they are not."""

_WRAPPED = 50
"""A line at least so long that ends without a stop is taken to be wrapped, not finished."""

_PIECE = 20_000
"""nupunkt is given at most so many characters at once; longer ones are cut at white space."""


def sentences(text: str) -> list[Span]:
    """Return the sentences of ``text`` in order.

    A sentence ends at its stop; also at a reasoning tag (which belongs to no sentence), a blank
    line, a heading, a list item, and a line that is not wrapped into the next. It never ends
    inside inline LaTeX. Spans have no white space at their ends, don't overlap, and leave out
    nothing but white space and tags. Deterministic; linear in the length of the text.

    Raises:
        MissingExtraError: without the extra ``legal``.
    """
    tokenizer = _tokenizer()
    found: list[Span] = []
    for block in _blocks(text):
        for piece in _pieces(text, block):
            found += _split(tokenizer, text, piece)
    return found


@lru_cache(maxsize=1)
def _tokenizer() -> PunktSentenceTokenizer:
    """Load nupunkt's model: an instance of our own, so that nobody else's settings change it."""
    try:
        from nupunkt.models import load_default_model
    except ImportError:
        raise MissingExtraError("finding sentences", "legal") from None
    tokenizer = load_default_model()
    tokenizer._params.abbrev_types -= _WORDS
    return tokenizer


def _blocks(text: str) -> Iterator[Span]:
    """Yield the stretches between tags, blank lines and finished lines."""
    position = 0
    for tag in _TAGS.finditer(text):
        yield from _lines(text, position, tag.start())
        position = tag.end()
    yield from _lines(text, position, len(text))


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Join the lines of ``text[start:end]`` that are wrapped into each other."""
    begun: int | None = None
    before = ""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = text[start:stop]
        if begun is not None and not _continues(before, line):
            if span := tightened(text, begun, start):
                yield span
            begun = None
        if begun is None and line.strip():
            begun = start
        before, start = line, stop + 1
    if begun is not None and (span := tightened(text, begun, end)):
        yield span


def _continues(above: str, line: str) -> bool:
    """Say whether the sentence of the line above goes on in ``line``."""
    stripped = line.strip()
    if not stripped or _MARKED_LINE.match(line) or _ENDS.search(above[-80:]):
        return False
    return stripped[0].islower() or (len(above) >= _WRAPPED and not _MARKED_LINE.match(above))


def _pieces(text: str, block: Span) -> Iterator[Span]:
    start = block.start
    while block.end - start > _PIECE:
        cut = text.rfind(" ", start, start + _PIECE)
        cut = start + _PIECE if cut <= start else cut
        yield Span(start, cut)
        start = cut
    yield Span(start, block.end)


def _split(tokenizer: PunktSentenceTokenizer, text: str, block: Span) -> Iterator[Span]:
    """Split one block at its stops."""
    piece = block.of(text)
    if _STOPS.search(piece) is None:
        if span := tightened(text, *block):
            yield span
        return
    math = (
        [found.span() for found in _MATH.finditer(piece)] if "$" in piece or "\\" in piece else []
    )
    begun = at = 0
    ends = [end for _, (_, end) in tokenizer.tokenize_with_spans(piece)]
    for end in ends:
        # The stop itself, without the white space that nupunkt counts to the sentence.
        stop = begun + len(piece[begun:end].rstrip())
        while at < len(math) and math[at][1] <= stop:
            at += 1
        if end < len(piece) and at < len(math) and math[at][0] < stop:
            continue
        if span := tightened(text, block.start + begun, block.start + end):
            yield span
        begun = end
    if begun < len(piece) and (span := tightened(text, block.start + begun, block.end)):
        yield span
