"""A stretch of a text, in characters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """Characters ``start`` (included) to ``end`` (excluded) of some text, counted from 0."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the characters this span covers in ``text``."""
        return text[self.start : self.end]

    def meets(self, other: Span) -> bool:
        """Say whether the two share a character."""
        return self.start < other.end and other.start < self.end


def containing(spans: Sequence[Span], position: int) -> int | None:
    """Return the index of the span that holds ``position``; None if none does.

    Args:
        spans: Sorted, without overlap.
        position: A character offset.
    """
    index = bisect_right(spans, position, key=lambda span: span.start) - 1
    return index if index >= 0 and position < spans[index].end else None


def tightened(text: str, start: int, end: int) -> Span | None:
    """Return the span without the white space at its ends; None if nothing remains."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    return Span(start, start + len(piece)) if piece else None
