"""Premises and conclusion of an output, told apart by its layout. Deterministic; guesses nothing.

A list is taken item by item, whatever stands inside an item; other text sentence by sentence.
Headings and announcements ("Let's think step by step:") state nothing and are left out. The
conclusion is the piece in which the choice is declared, with a piece before it that draws it in
the words of an option ("Therefore, …"). A judge that segments for itself is the alternative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from decidendi.grading._chain import Premises
from decidendi.grading._option import choose, words_option
from decidendi.judgment import Reason, Unmeasured, Verdict
from decidendi.legal import Option
from decidendi.reasoning import Output, Span, read_output, sentences

Layout: TypeAlias = Literal["numbered", "bulleted", "prose"]

MOST = 200
"""So many premises are graded; a longer chain is unmeasured, not cut."""

_NUMBERED = re.compile(
    r"^[ ]{0,3}(?:[*_]{1,2})?(?:#{1,6}[ ])?(?:[*_]{1,2})?"
    r"(?:\(?(?P<n>\d{1,3})[.)]|(?:step|premise|point)[ ]#?(?P<m>\d{1,3})(?:[.:)]|[ ]?[-–—]))"  # noqa: RUF001 - dashes as models write them
    r"(?:[*_]{1,2})?:?(?=\s|[*_])(?:[*_]{1,2})?[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = re.compile(r"^(?P<indent>[ ]{0,3})[-*+•–—‣▪][ \t]+", re.MULTILINE)  # noqa: RUF001 - as above
_HEADING = re.compile(r"^#{1,6}[ ][^\n]*$|^[*_]{2}[^*_\n]{1,80}[*_]{2}:?$|^[-*_=]{3,}$")
_DRAWS = re.compile(
    r"^[\W_]*(?:therefore|thus|hence|so|accordingly|consequently|in conclusion|to conclude"
    r"|in sum(?:mary)?|as a result|for these reasons|(?:the )?(?:final )?conclusion\b)",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"^(?:ok(?:ay)?[,. ]|sure[,!. ]|let(?:'|’)?s |let us |to answer|we (?:need|have) to |i will "  # noqa: RUF001 - typographic apostrophe
    r"|i(?:'|’)ll |here (?:is|are) |step[- ]by[- ]step|first, let|reasoning|analysis|premises)"  # noqa: RUF001 - as above
    r"[^.!?\n]{0,160}[.:!]?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Segmented:
    """What was found in one output.

    Attributes:
        premises: In order; or why there are none.
        conclusion: The final choice in words; empty where none was found.
        chosen: The option's label; unmeasured where none could be read, or no options were given.
        layout: How the premises were told apart.
        spans: Where each premise stands in the output's text; empty where there are none.
    """

    premises: Premises
    conclusion: str
    chosen: Verdict
    layout: Layout
    spans: tuple[Span, ...] = ()


def segment(output: Output | str, options: Sequence[Option] = (), *, most: int = MOST) -> Segmented:
    """Tell premises and conclusion of one output apart.

    Reasoning between ``<think>`` tags, if there is any, holds the premises, and what follows it
    the conclusion; otherwise all is in the answer.

    Args:
        output: What was written.
        options: What there is to choose from.
        most: How many premises there may be.

    Raises:
        MissingExtraError: on prose without the extra ``legal``.
    """
    if isinstance(output, str):
        output = read_output(output)
    text = output.text
    choice = choose(output, options) if options else None
    at = choice.found.span.start if choice and choice.found and _is_label(choice.verdict) else None
    pieces = [piece for part in _parts(output) for piece in _pieces(text, part, at)]
    layout = _layout(text, pieces)
    last = _conclusion(text, pieces, at, options)
    chosen: Verdict = choice.verdict if choice else _none("there are no options to choose from")
    drawn = [piece for i, piece in enumerate(pieces) if i in last]
    conclusion = " ".join(_stated(text, piece) for piece in drawn)
    kept = [piece for i, piece in enumerate(pieces) if i not in last and _states(text, piece)]
    if not kept:
        why = "the output is empty" if not text.strip() else "a conclusion without premises"
        return Segmented(_none(why), conclusion, chosen, layout)
    if len(kept) > most:
        why = f"{len(kept):,} premises, more than the {most:,} that are graded"
        return Segmented(_none(why), conclusion, chosen, layout)
    premises = tuple(_stated(text, piece) for piece in kept)
    return Segmented(premises, conclusion, chosen, layout, tuple(kept))


def _is_label(verdict: Verdict) -> bool:
    return isinstance(verdict, str)


def _none(why: str) -> Unmeasured:
    return Unmeasured(Reason.NOT_CONVERGED, why)


def _parts(output: Output) -> list[Span]:
    """The stretches to read: all of it, if some of it is reasoning; else the answer."""
    return sorted([*output.reasoning, *output.answer])


def _pieces(text: str, part: Span, at: int | None) -> Iterator[Span]:
    """Yield items of lists whole, and the sentences of everything else."""
    starts = _items(text, part)
    if not starts:
        yield from _sentences(text, part)
        return
    yield from _sentences(text, Span(part.start, starts[0]))
    for begin, end in zip(starts, [*starts[1:], part.end], strict=True):
        yield from _item(text, Span(begin, end), at, last=end == part.end)


def _items(text: str, part: Span) -> list[int]:
    """Return where the items of the outermost list begin; none if there are fewer than two."""
    stretch = text[part.start : part.end]
    numbered: list[int] = []
    before = 0
    for found in _NUMBERED.finditer(stretch):
        number = int(found["n"] or found["m"])
        # A number that does not go on counting is a year, a quotation, or a list inside an item.
        if number == before + 1 or (not numbered and number in (0, 1)):
            numbered.append(part.start + found.start())
            before = number
    if len(numbered) > 1:
        return numbered
    bullets = list(_BULLET.finditer(stretch))
    outer = min((len(b["indent"]) for b in bullets), default=0)
    starts = [part.start + b.start() for b in bullets if len(b["indent"]) == outer]
    return starts if len(starts) > 1 else []


def _item(text: str, item: Span, at: int | None, *, last: bool) -> Iterator[Span]:
    """Yield an item; what follows the last one after a blank line is no part of it.

    Nor is a line at the margin that declares the choice (``at``), or draws the conclusion.
    """
    whole = item.of(text)
    end = len(whole)
    for found in re.finditer(r"\n[ \t]*\n(?=\S)|\n(?=\S)", whole):
        line = whole[found.end() :].partition("\n")[0]
        begin = item.start + found.end()
        declares = at is not None and begin <= at < begin + len(line)
        blank = found[0].count("\n") > 1
        if (blank and last) or declares or (not _BULLET.match(line) and _closes(line)):
            end = found.start()
            break
    body = whole[:end].rstrip()
    if body.strip():
        yield Span(item.start, item.start + len(body))
    if end < len(whole):
        yield from _sentences(text, Span(item.start + end, item.end))


def _closes(line: str) -> bool:
    return bool(_DRAWS.match(line) or re.match(r"[\W_]*[A-Z][A-Za-z ]{0,20}[*_]{0,2}:", line))


def _sentences(text: str, part: Span) -> Iterator[Span]:
    stretch = part.of(text)
    if not stretch.strip():
        return
    for found in sentences(stretch):
        yield Span(part.start + found.start, part.start + found.end)


def _layout(text: str, pieces: Sequence[Span]) -> Layout:
    firsts = [piece.of(text) for piece in pieces]
    if sum(bool(_NUMBERED.match(first)) for first in firsts) > 1:
        return "numbered"
    return "bulleted" if sum(bool(_BULLET.match(f)) for f in firsts) > 1 else "prose"


def _conclusion(
    text: str, pieces: Sequence[Span], at: int | None, options: Sequence[Option]
) -> set[int]:
    """Return the indices of the pieces that are the conclusion; none if there is none."""
    if at is None:
        return {len(pieces) - 1} if pieces and _DRAWS.match(_stated(text, pieces[-1])) else set()
    holding = [i for i, piece in enumerate(pieces) if piece.start <= at < piece.end]
    if not holding:
        return set()
    found = holding[0]
    if found > 0 and _bare(text, pieces[found]):
        before = _stated(text, pieces[found - 1])
        if _DRAWS.match(before) and words_option(before, options):
            return {found - 1, found}
    return {found}


def _bare(text: str, piece: Span) -> bool:
    """Say whether a piece is hardly more than the declaration of a choice."""
    return ":" in piece.of(text)[:40] or len(piece.of(text).split()) <= 8


def _states(text: str, piece: Span) -> bool:
    """Say whether a piece says anything: no heading, no announcement."""
    whole = piece.of(text).strip()
    if _HEADING.match(whole):
        return False
    said = _stated(text, piece)
    return bool(re.search(r"\w", said)) and not _ANNOUNCES.match(said) and not said.endswith(":")


def _stated(text: str, piece: Span) -> str:
    """Return a piece without its list marker, on one line."""
    whole = piece.of(text)
    for marker in (_NUMBERED, _BULLET):
        found = marker.match(whole)
        if found:
            whole = whole[found.end() :]
            _, _, body = whole.partition("\n")
            whole = body if "#" in found[0] and body.strip() else whole
            break
    return " ".join(whole.split())
