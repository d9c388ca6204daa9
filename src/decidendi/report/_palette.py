"""How verdicts look: one colour and one short code per label, the same all over a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decidendi.report._text import visible

COLOURS = 8
"""Hues in ``style.css`` (after Okabe and Ito). Beyond them colours repeat; codes never do."""


@dataclass(frozen=True, slots=True)
class Swatch:
    """How one verdict is marked.

    Attributes:
        label: The verdict.
        code: One to three characters, unique on the page: colour is never the only carrier.
        css: The class that carries the colour.
    """

    label: str
    code: str
    css: str


class Palette:
    """The swatches of a declared verdict set."""

    def __init__(self, verdicts: Sequence[str]) -> None:
        codes = _codes(verdicts)
        self._swatches = {
            label: Swatch(label, code, f"v{i % COLOURS}")
            for i, (label, code) in enumerate(zip(verdicts, codes, strict=True))
        }
        self._rank = {label: i for i, label in enumerate(verdicts)}

    def __getitem__(self, label: str | None) -> Swatch:
        """Return the swatch of a label; None is "no verdict"; a stray label looks strange."""
        if label is None:
            return Swatch("no verdict", "!", "vx")
        return self._swatches.get(label) or Swatch(label, "?", "vx")

    def rank(self, label: str | None) -> tuple[int, str]:
        """Return a sort key: declared order, then strays, then "no verdict"."""
        if label is None:
            return len(self._rank) + 1, ""
        return self._rank.get(label, len(self._rank)), label


def _codes(labels: Sequence[str]) -> list[str]:
    """Return the labels' initials if they differ, else two letters, else numbers."""
    for letters in (1, 2):
        codes = [_initials(label, letters) for label in labels]
        if len(set(codes)) == len(codes) and all(codes):
            return codes
    return [str(i) for i in range(1, len(labels) + 1)]


def _initials(label: str, letters: int) -> str:
    plain = "".join(c for c in visible(label) if c.isalnum())[:letters]
    return (plain[:1].upper() + plain[1:])[:letters]
