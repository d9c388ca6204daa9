"""Two texts side by side: changed lines paired, changed words marked, long stretches folded.

Bounded in every direction, so that a source of fifty megabytes costs no more than a page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from decidendi.report._text import counted, visible

CONTEXT = 3
"""Unchanged lines kept on each side of a change."""

LINES = 600
"""Lines compared on each side once the common beginning and end are set aside."""

ROWS = 240
"""Rows shown."""

_COMPARED = 6_000  # characters compared on each side of one line, common ends set aside
_SAME = 160  # characters of an unchanged stretch inside a line before its middle is left out
_MARKED = 600  # characters of a changed stretch before its end is left out
_LONGEST_WORD = 60  # characters gone back to a word's beginning
_ALIKE = 0.4  # share of words in common from which two lines are one line, changed
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a line.

    Attributes:
        text: The text, made visible.
        role: ``same``, ``mark`` (removed or added) or ``note`` (ours: what is left out).
    """

    text: str
    role: str = "same"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the comparison.

    Attributes:
        role: ``same``, ``change`` or ``gap``.
        old_no: Line number in the old text, None if there is no line.
        revised_no: Line number in the revised text.
        old: The old line's pieces.
        revised: The revised line's pieces.
        skipped: Unchanged lines that a gap stands for.
    """

    role: str
    old_no: int | None = None
    revised_no: int | None = None
    old: tuple[Piece, ...] = ()
    revised: tuple[Piece, ...] = ()
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rows, and a sentence about what was left out (empty if nothing was)."""

    rows: tuple[Row, ...]
    left_out: str = ""


def side_by_side(old: str, revised: str) -> Comparison:
    """Compare two texts line by line, and changed lines word by word."""
    a, b = _lines(old), _lines(revised)
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    middle_a, middle_b = a[head : len(a) - tail], b[head : len(b) - tail]
    beyond = max(0, len(middle_a) - LINES) + max(0, len(middle_b) - LINES)
    rows = _same(a, b, 0, 0, head, last=CONTEXT)
    rows += _changes(middle_a[:LINES], middle_b[:LINES], head)
    rows += _same(a, b, len(a) - tail, len(b) - tail, tail, first=CONTEXT)
    cut = sum(row.role == "change" for row in rows[ROWS:])
    notes = []
    if beyond:
        notes.append(f"{counted(beyond, 'further line')} in the changed part were not compared.")
    if cut:
        notes.append(f"{counted(cut, 'further changed row')} not shown.")
    return Comparison(tuple(rows[:ROWS]), " ".join(notes))


def plain_rows(text: str, limit: int = 80) -> tuple[tuple[tuple[Piece, ...], ...], int]:
    """Return an unchanged text's first lines, and how many more there are."""
    lines = _lines(text)
    return tuple(_whole(line, "same") for line in lines[:limit]), max(0, len(lines) - limit)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the common beginning."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))


def _same(
    a: Sequence[str], b: Sequence[str], i: int, j: int, n: int, *, first: int = 0, last: int = 0
) -> list[Row]:
    """Return rows for ``n`` unchanged lines; all but the first and last few become a gap."""
    if n > first + last + 1:  # a gap of one line would save nothing
        keep = [*range(first), *range(n - last, n)]
        skipped = n - first - last
    else:
        keep, skipped = list(range(n)), 0
    rows = []
    for at in keep:
        pieces = _whole(a[i + at], "same")
        rows.append(Row("same", i + at + 1, j + at + 1, pieces, pieces))
    if skipped:
        rows.insert(first, Row("gap", skipped=skipped))
    return rows


def _changes(a: Sequence[str], b: Sequence[str], offset: int) -> list[Row]:
    rows: list[Row] = []
    matcher = SequenceMatcher(None, a, b)  # its heuristic keeps repetitive texts from cubic time
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            for row in _same(a, b, i1, j1, i2 - i1, first=CONTEXT, last=CONTEXT):
                rows.append(_moved(row, offset))
        else:
            rows += [_moved(row, offset) for row in _block(a, b, (i1, i2), (j1, j2))]
    return rows


def _moved(row: Row, by: int) -> Row:
    old = None if row.old_no is None else row.old_no + by
    revised = None if row.revised_no is None else row.revised_no + by
    return Row(row.role, old, revised, row.old, row.revised, row.skipped)


def _block(
    a: Sequence[str], b: Sequence[str], old: tuple[int, int], revised: tuple[int, int]
) -> list[Row]:
    """Return rows for a changed block: like lines paired, the rest facing each other."""
    rows: list[Row] = []
    i, j = old[0], revised[0]
    pairs = _pairs(a[old[0] : old[1]], b[revised[0] : revised[1]])
    for p, q in [*((i + x, j + y) for x, y in pairs), (old[1], revised[1])]:
        for n in range(max(p - i, q - j)):
            left, right = i + n if i + n < p else None, j + n if j + n < q else None
            rows.append(
                Row(
                    "change",
                    None if left is None else left + 1,
                    None if right is None else right + 1,
                    () if left is None else _whole(a[left], "mark"),
                    () if right is None else _whole(b[right], "mark"),
                )
            )
        if p < old[1] and q < revised[1]:
            rows.append(Row("change", p + 1, q + 1, *_words(a[p], b[q])))
        i, j = p + 1, q + 1
    return rows


def _pairs(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Pair like lines in order, with the greatest total likeness."""
    if len(a) * len(b) > 2_500:
        return []
    bags_a, bags_b = [_bag(x) for x in a], [_bag(y) for y in b]
    best = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            alike = _likeness(bags_a[i], bags_b[j])
            best[i][j] = max(best[i + 1][j], best[i][j + 1], alike + best[i + 1][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        alike = _likeness(bags_a[i], bags_b[j])
        if alike and best[i][j] == alike + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _bag(line: str) -> Counter[str]:
    return Counter(word for word in _WORD.findall(line[:2_000]) if not word.isspace())


def _likeness(a: Counter[str], b: Counter[str]) -> float:
    """Return the share of words in common, 0 where it is too small to call them one line."""
    total = a.total() + b.total()
    alike = 2 * (a & b).total() / total if total else 1.0
    return alike if alike >= _ALIKE else 0.0


def _words(old: str, revised: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both versions of one line with the changed words marked."""
    head = _shared(old, revised)
    head -= _into_word(old[max(0, head - _LONGEST_WORD) : head][::-1])
    left, right = old[head:], revised[head:]
    tail = _shared(left[::-1], right[::-1])
    tail -= _into_word(left[len(left) - tail :][:_LONGEST_WORD])
    left, right = left[: len(left) - tail], right[: len(right) - tail]
    spans: list[tuple[bool, str, str]] = [(False, old[:head], revised[:head])]
    if max(len(left), len(right)) > _COMPARED:
        spans.append((True, left, right))
    else:
        a, b = _WORD.findall(left), _WORD.findall(right)
        codes = SequenceMatcher(None, a, b).get_opcodes()
        spans += [
            (tag != "equal", "".join(a[i1:i2]), "".join(b[j1:j2])) for tag, i1, i2, j1, j2 in codes
        ]
    if tail:
        spans.append((False, old[-tail:], revised[-tail:]))
    spans = _joined(spans)
    return (
        tuple(p for changed, x, _ in spans for p in _pieces(x, changed)),
        tuple(p for changed, _, y in spans for p in _pieces(y, changed)),
    )


def _shared(a: str, b: str) -> int:
    """Return the length of the common beginning, by bisection: lines can be megabytes long."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _into_word(text: str) -> int:
    """Return how far ``text`` is still inside the word that it begins with."""
    return next((i for i, c in enumerate(text) if not c.isalnum()), len(text))


def _joined(spans: list[tuple[bool, str, str]]) -> list[tuple[bool, str, str]]:
    """Join changed stretches that only blanks part: they read as one change."""
    out: list[tuple[bool, str, str]] = []
    for i, (changed, x, y) in enumerate(spans):
        between = out and out[-1][0] and i + 1 < len(spans) and spans[i + 1][0] and x.isspace()
        if out and out[-1][0] and (changed or between):
            out[-1] = (True, out[-1][1] + x, out[-1][2] + y)
        else:
            out.append((changed, x, y))
    return out


def _whole(line: str, role: str) -> tuple[Piece, ...]:
    return tuple(_pieces(line, role == "mark"))


def _pieces(text: str, changed: bool) -> list[Piece]:
    """Return a stretch of a line, its middle (if unchanged) or end (if changed) left out."""
    role, limit = ("mark", _MARKED) if changed else ("same", _SAME)
    if not text:
        return []
    if len(text) <= limit + 40:
        return [Piece(visible(text), role)]
    note = Piece(f"… {counted(len(text) - limit, 'character')} left out …", "note")
    if changed:
        return [Piece(visible(text[:limit]), role), note]
    half = limit // 2
    return [Piece(visible(text[:half])), note, Piece(visible(text[-half:]))]
