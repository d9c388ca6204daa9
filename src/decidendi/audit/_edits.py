"""How much of a prompt changed, in words: a paraphrase is matched to the swap by it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"\w+|[^\w\s]")


def words(text: str) -> list[str]:
    """Split text into words and single signs."""
    return _WORD.findall(text)


def edit_words(old: str, new: str) -> int:
    """Return the fewest words to insert, delete or replace to make ``new`` of ``old``.

    Quadratic in the words between the common beginning and the common end; callers hand over
    questions, or facts that differ by a note.
    """
    a, b = _trimmed(words(old), words(new))
    if not a or not b:
        return len(a) + len(b)
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            best = min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
            diagonal, row[j] = row[j], best
    return row[-1]


def _trimmed(a: Sequence[str], b: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    start, shorter = 0, min(len(a), len(b))
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return a[start : len(a) - end], b[start : len(b) - end]


def nearest(size: int, sizes: Iterable[tuple[str, int]]) -> str:
    """Return the name whose size is nearest to ``size``; the smaller size, then the name, first."""
    return min(sizes, key=lambda pair: (abs(pair[1] - size), pair[1], pair[0]))[0]
