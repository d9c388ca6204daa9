"""Text for the page: made inert, bounded and readable. Escaping itself is Jinja's."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from markupsafe import Markup

from decidendi.report._content import Members

_KEPT = frozenset("\n\t\u200c\u200d")
"""Line feed and tab are layout; the two joiners are spelling in several scripts."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """Return ``text`` with every character that acts without being seen written out.

    Bidirectional overrides, zero-width and tag characters, control characters and lone
    surrogates become ``⟨U+202E⟩``, so no text can reorder or hide its neighbours.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_seen(c) for c in text)


def _seen(c: str) -> str:
    if c in _KEPT or unicodedata.category(c) not in _HIDDEN:
        return c
    return "␍" if c == "\r" else f"⟨U+{ord(c):04X}⟩"


def shown(text: str, limit: int = 120) -> Markup:
    """Return ``text`` isolated from its surroundings and cut at ``limit`` characters.

    What is left out is said: ``… 9,880 more characters``.
    """
    rest = len(text) - limit
    if rest <= len("… 99 more characters"):  # the note would take more room than the text
        return Markup("<bdi>{}</bdi>").format(visible(text))
    note = f"… {number(rest)} more characters"
    return Markup('<bdi>{}</bdi><span class="cut">{}</span>').format(visible(text[:limit]), note)


def width(text: str) -> int:
    """Return the columns that ``text`` takes: wide East Asian characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def fitted(text: str, columns: int) -> str:
    """Return ``text``, cut with an ellipsis to fit ``columns``; for labels inside figures."""
    text = visible(text[: 4 * columns]).replace("\n", " ")
    if width(text) <= columns:
        return text
    while text and width(text) > columns - 1:
        text = text[:-1]
    return text + "…"


def number(n: int) -> str:
    """Return ``n`` with thousands separated: ``12,345``."""
    return f"{n:,}"


def counted(n: int, one: str, many: str = "") -> str:
    """Return ``1 case`` or ``2,000 cases``."""
    return f"{number(n)} {one if n == 1 else many or one + 's'}"


def percent(part: int, whole: int) -> str:
    """Return ``part / whole`` in percent; 0 and 100 are said only where they are exact."""
    if whole == 0:
        return "undefined"
    if part and part * 1000 < whole:
        return "under 0.1%"
    if part != whole and (whole - part) * 1000 < whole:
        return "over 99.9%"
    return f"{100 * part / whole:.1f}%"


def share_words(value: float, digits: int = 1) -> str:
    """Return a share in percent; as with ``percent``, 0 and 100 only where they are exact."""
    least = 10.0**-digits
    size = 100 * value
    if 0 < size < least:
        return f"under {least:.{digits}f}%"
    if 100 - least < size < 100:
        return f"over {100 - least:.{digits}f}%"
    return f"{size:.{digits}f}%"


def share(part: int, whole: int) -> float:
    """Return ``part / whole`` as a length in percent for drawing; 0 where undefined."""
    return round(100 * part / whole, 2) if whole else 0.0


def receipt_label(members: Members, limit: int = 4) -> str:
    """Return a receipt in words: ``either grounds alone, or norms and authority together``.

    Args:
        members: The minimal sets.
        limit: How many are named before the rest are counted.
    """
    if not members:
        return "no receipt"
    named = members[:limit]
    rest = len(members) - len(named)
    if len(members) == 1:
        return _member(members[0])
    if rest == 0 and all(len(member) == 1 for member in members):
        names = [member[0] for member in members]
        either = "either" if len(names) == 2 else "any one of"
        return f"{either} {_listed(names, 'or')}"
    words = ", or ".join(_member(member) for member in named)
    more = f", or {counted(rest, 'other minimal set')}" if rest else ""
    return f"either {words}{more}"


def _member(member: Sequence[str]) -> str:
    if len(member) == 1:
        return f"{member[0]} alone"
    return f"{_listed(member, 'and')} together"


def _listed(names: Sequence[str], joint: str) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"
