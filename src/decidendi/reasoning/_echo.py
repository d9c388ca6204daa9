"""Echoes: which words of an output are only copied from the prompt or from an injected note.

Texts are compared word by word, after unwrapping, without case or punctuation, so that an echo
cannot hide behind emphasis, line breaks or invisible characters. A word is *echoed* if it
stands in a run of at least ``RUN`` words that also stands in a masked text, or in a complete
copy of a shorter masked text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from decidendi.reasoning._fold import Folded, fold
from decidendi.reasoning._span import Span

RUN = 8
"""Words in a row that make a copy. Below it, ordinary legal prose repeats the question by itself
("a violation of Article 8 of the Convention" is seven words)."""

SHORTEST = 3
"""A masked text of fewer words masks nothing: a bare marker can't be told from an answer."""

_WORD = re.compile(r"[^\W_]+")


class Words:
    """The words of a folded text.

    Attributes:
        words: Without case.
        starts: Where each begins in the folded text.
        ends: Where each ends.
    """

    def __init__(self, folded: str) -> None:
        """Find the words of ``folded``."""
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        for found in _WORD.finditer(folded):
            self.words.append(found[0].casefold())
            self.starts.append(found.start())
            self.ends.append(found.end())

    def within(self, span: Span) -> tuple[int, int]:
        """Return the range of indices of the words that begin inside ``span``."""
        return bisect_left(self.starts, span.start), bisect_left(self.starts, span.end)


class Masks:
    """Texts whose copies never count as a verdict: the prompt as sent, and injected notes.

    Worked examples in which an assistant answers do not belong here: a model that imitates
    their wording gives a verdict of its own.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Prepare ``texts``. They are also matched across their seams, in the order given."""
        each = [Words(fold(text).text).words for text in texts]
        self._words = [word for words in each for word in words]
        self._grams: dict[int, set[tuple[str, ...]]] = {}
        self._whole: dict[int, set[tuple[str, ...]]] = {}
        for words in each:
            if SHORTEST <= len(words) < RUN:
                self._whole.setdefault(len(words), set()).add(tuple(words))

    def __bool__(self) -> bool:
        """Say whether anything is masked."""
        return len(self._words) >= SHORTEST

    def holds(self, words: Sequence[str]) -> bool:
        """Say whether these words stand in a row somewhere in the masked texts."""
        length = len(words)
        if length not in self._grams:
            ours = self._words
            self._grams[length] = {
                tuple(ours[i : i + length]) for i in range(len(ours) - length + 1)
            }
        return tuple(words) in self._grams[length]

    def echoed(self, words: Sequence[str]) -> bytearray:
        """Return one byte per word: 1 if it is echoed."""
        flags = bytearray(len(words))
        if len(self._words) >= RUN:
            self.holds(words[:RUN])  # makes the set
            _mark(flags, words, RUN, self._grams.get(RUN, set()))
        for length, whole in self._whole.items():
            _mark(flags, words, length, whole)
        return flags


def _mark(flags: bytearray, words: Sequence[str], length: int, known: set[tuple[str, ...]]) -> None:
    reached = 0  # everything before this index is marked already, within the current run
    for i in range(len(words) - length + 1):
        if tuple(words[i : i + length]) in known:
            for j in range(max(i, reached), i + length):
                flags[j] = 1
            reached = i + length


def echo_spans(text: str, masks: Masks, begin: int = 0, end: int | None = None) -> list[Span]:
    """Return the stretches of ``text[begin:end]`` that are copied from the masked texts.

    Returns:
        Sorted spans of ``text``, each from its first echoed word to its last.
    """
    if not masks:
        return []
    folded = fold(text, begin, end)
    words = Words(folded.text)
    return runs(folded, words, masks.echoed(words.words))


def runs(folded: Folded, words: Words, flags: bytearray) -> list[Span]:
    """Return the spans, in the original text, of the runs of flagged words."""
    spans = []
    start = flags.find(1)
    while start >= 0:
        end = flags.find(0, start)
        end = len(flags) if end < 0 else end
        spans.append(folded.original(Span(words.starts[start], words.ends[end - 1])))
        start = flags.find(1, end)
    return spans
