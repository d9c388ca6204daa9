"""Which option a chain chooses, and whether what it says of it is what that option says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from decidendi.legal import Option
from decidendi.reasoning import Extraction, Label, Output, VerdictSpec, choice_spec, extract

MARKERS = ("ANSWER", "FINAL ANSWER", "VERDICT", "CONCLUSION", "CHOICE")
"""Words before a colon that declare the choice."""

_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 3
"""An option's text of fewer words is not looked for in running text."""


def option_spec(options: Sequence[Option]) -> VerdictSpec:
    """Return how a choice among these options is declared and worded.

    An option is named by its label, or by its text after a marker.
    """
    return _spec(tuple(options))


@lru_cache(maxsize=256)
def _spec(options: tuple[Option, ...]) -> VerdictSpec:
    base = choice_spec([option.label for option in options])
    taken = [option.label.casefold() for option in options]
    texts = [option.text.strip().rstrip(".").casefold() for option in options]
    labels = []
    for label, text in zip(base.labels, texts, strict=True):
        own = bool(text) and texts.count(text) == 1 and text not in taken
        labels.append(Label(label.name, (*label.forms, text)) if own else label)
    return replace(base, markers=MARKERS, labels=tuple(labels))


def choose(output: Output, options: Sequence[Option]) -> Extraction:
    """Find the option that an output chooses; unmeasured where none can be read."""
    return extract(output, option_spec(options))


def content_matches(conclusion: str, options: Sequence[Option], chosen: str) -> bool | None:
    """Say whether a conclusion words the option it chooses as that option is worded.

    Returns:
        True if it has the words of the option chosen; False if it has those of another and not
        of that one; None if it has neither, or those of several: then it says nothing to compare.
    """
    found = _worded(conclusion, options)
    # A text that is part of another one is not said where the longer one is.
    for option in options:
        longer = [o for o in options if o.label in found and o.label != option.label]
        if any(_holds(_words(o.text), _words(option.text)) for o in longer):
            found.discard(option.label)
    if found == {chosen}:
        return True
    return False if len(found) == 1 else None


def says_more(conclusion: str, options: Sequence[Option]) -> bool:
    """Say whether a conclusion holds more than markers and labels, so that it can be compared."""
    bare = {word for text in (*MARKERS, *(o.label for o in options)) for word in _words(text)}
    return len([word for word in _words(conclusion) if word not in bare]) >= _SHORTEST


def words_option(text: str, options: Sequence[Option]) -> bool:
    """Say whether a text has the words of any option."""
    return bool(_worded(text, options))


def _worded(text: str, options: Sequence[Option]) -> set[str]:
    said = _words(text)
    return {option.label for option in options if _holds(said, _words(option.text))}


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _holds(words: list[str], part: list[str]) -> bool:
    size = len(part)
    if size < _SHORTEST:
        return False
    return any(words[i : i + size] == part for i in range(len(words) - size + 1))
