"""A passage with parts marked: where an authority is named, what differs from another text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from decidendi.report._diff import Piece, side_by_side
from decidendi.report._text import counted, number, visible

CHANGED_LINES = 24
"""Changed lines of a prompt that are shown."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two texts.

    Attributes:
        lines: Each changed line as pieces with the roles ``same``, ``del``, ``ins`` and ``note``;
            None stands for unchanged lines between them.
        left_out: What is not shown, in words; empty if everything is.
    """

    lines: tuple[tuple[Piece, ...] | None, ...]
    left_out: str = ""


def marked(
    text: str,
    named: Sequence[tuple[int, int]],
    limit: int,
    found: tuple[int, int] | None = None,
) -> tuple[tuple[Piece, ...], str]:
    """Return a text as pieces with spans marked, and a note on what was cut.

    Args:
        text: The text; anything.
        named: Spans to mark as ``named``; those outside the text are dropped.
        limit: Characters shown.
        found: A span to mark as ``found``; where it overlaps a named one, that one wins.
    """
    spans = [(a, b, "named") for a, b in _apart(named, len(text))]
    for a, b in _apart([found] if found else [], len(text)):
        if all(b <= x or y <= a for x, y, _ in spans):
            spans.append((a, b, "found"))
    pieces: list[Piece] = []
    at = 0
    for start, end, role in sorted(spans):
        if start >= limit:
            break
        end = min(end, limit)
        pieces += [Piece(visible(text[at:start])), Piece(visible(text[start:end]), role)]
        at = end
    pieces.append(Piece(visible(text[at:limit])))
    rest = len(text) - limit
    note = ""
    if rest > 0:
        beyond = sum(start >= limit and role == "named" for start, _, role in spans)
        more = f", with {counted(beyond, 'further mention')}" if beyond else ""
        note = f"… {number(rest)} more characters{more}"
    return tuple(piece for piece in pieces if piece.text), note


def _apart(spans: Iterable[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return spans within a text, sorted; those that overlap are joined."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        start, end = max(0, start), min(end, length)
        if end <= start:
            continue
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def changes(old: str, revised: str) -> Changes:
    """Return what differs between two texts, word by word, in one column."""
    comparison = side_by_side(old, revised)
    lines: list[tuple[Piece, ...] | None] = []
    shown = 0
    cut = 0
    for row in comparison.rows:
        if row.role != "change":
            if lines and lines[-1] is not None:
                lines.append(None)
        elif shown < CHANGED_LINES:
            lines.append(_merged(row.old, row.revised))
            shown += 1
        else:
            cut += 1
    if lines and lines[-1] is None:
        lines.pop()
    notes = [f"{counted(cut, 'further changed line')} not shown."] if cut else []
    notes += [comparison.left_out] if comparison.left_out else []
    return Changes(tuple(lines), " ".join(notes))


def _merged(old: Sequence[Piece], revised: Sequence[Piece]) -> tuple[Piece, ...]:
    """Merge both versions of a line: what stays once, removed before added where they differ."""
    out: list[Piece] = []
    left, right = _sides(old, "del"), _sides(revised, "ins")
    # What stays is the same in both versions, piece by piece, so they are in step after each.
    for (removed, stays), (added, _) in zip_longest(left, right, fillvalue=_NOTHING):
        out += [*removed, *added, *stays]
    return tuple(out)


_Side = tuple[list[Piece], list[Piece]]
_NOTHING: _Side = ([], [])


def _sides(pieces: Sequence[Piece], role: str) -> list[_Side]:
    """Pair each piece that stays with the changed ones before it; the last pair may have none."""
    sides: list[_Side] = []
    changed: list[Piece] = []
    for piece in pieces:
        if piece.role == "mark":
            changed.append(Piece(piece.text, role))
        elif piece.role == "note" and changed:  # a note stands after the stretch it is about
            changed.append(piece)
        else:
            sides.append((changed, [piece]))
            changed = []
    return [*sides, (changed, [])]
