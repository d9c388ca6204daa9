"""Whether an authority is named, where, and in which sentences.

Naming is literal: a form that the authority's names declare. "The first of these provisions"
names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from decidendi.judgment import BadInputError
from decidendi.reasoning._cases import CaseName, case_mentions
from decidendi.reasoning._fold import Folded, fold
from decidendi.reasoning._provisions import Provision, cited_provisions, names
from decidendi.reasoning._span import Span, containing


class Form(StrEnum):
    """By what an authority was named."""

    PROVISION = "provision"
    PHRASE = "phrase"
    CASE = "case"


@dataclass(frozen=True)
class Names:
    """The ways in which one authority may be named. Data only.

    Attributes:
        provisions: Numbered provisions.
        phrases: Words as they are ("Criminal Procedure", "the right to respect for private
            life"): matched as whole words, in any case, over line breaks and hyphens. One that
            cites less than the first, as "Rule 12(a)" does where that is "Rule 12(a)(1)", is no
            name where the text goes on otherwise: not in "Rule 12(a)(4)".
        cases: Cases, by their parties and reporter citations.
    """

    provisions: tuple[Provision, ...] = ()
    phrases: tuple[str, ...] = ()
    cases: tuple[CaseName, ...] = ()

    def __post_init__(self) -> None:
        if not (self.provisions or self.phrases or self.cases):
            raise BadInputError("an authority needs at least one way to name it")
        if any(not re.search(r"\w", phrase) for phrase in self.phrases):
            raise BadInputError("a phrase needs a word")


@dataclass(frozen=True)
class Mention:
    """One place where the authority is named.

    Attributes:
        span: In the text.
        form: By what.
        sentence: Index of the sentence it begins in; None where no sentences were given, or it
            stands outside all of them.
    """

    span: Span
    form: Form
    sentence: int | None


@dataclass(frozen=True)
class Mentions:
    """All places where one authority is named, in order; overlapping ones count once."""

    found: tuple[Mention, ...]

    @property
    def named(self) -> bool:
        """Whether it is named anywhere: surface engagement."""
        return bool(self.found)

    @property
    def sentences(self) -> tuple[int, ...]:
        """Indices of the sentences that name it, ascending."""
        return tuple(sorted({m.sentence for m in self.found if m.sentence is not None}))


def find_mentions(text: str, authority: Names, sentences: Sequence[Span] = ()) -> Mentions:
    """Find where ``text`` names an authority.

    Args:
        text: An output, or a part of one.
        authority: Its names.
        sentences: The sentences of ``text``, to say in which it is named.

    Raises:
        MissingExtraError: for names of cases, without the extra ``legal``.
    """
    folded = fold(text)
    found = [*_provisions(folded, authority), *_phrases(folded, authority)]
    for case in authority.cases:
        found += [(span, Form.CASE) for span in case_mentions(text, case)]
    kept: list[Mention] = []
    for span, form in sorted(found, key=lambda pair: (pair[0].start, -pair[0].end)):
        if not kept or not span.meets(kept[-1].span):
            kept.append(Mention(span, form, containing(sentences, span.start)))
    return Mentions(tuple(kept))


def _provisions(folded: Folded, authority: Names) -> Iterator[tuple[Span, Form]]:
    for heads in dict.fromkeys(provision.heads for provision in authority.provisions):
        wanted = [provision for provision in authority.provisions if provision.heads == heads]
        for cited in cited_provisions(folded.text, heads):
            if any(names(provision, cited) for provision in wanted):
                yield folded.original(cited.span), Form.PROVISION


_NO_SUBDIVISION = r"(?!\s?\((?:\d{1,2}|[a-z]|[ivx]{2,4})\))"
_NUMBERED = re.compile(r"\d+(?:\(\w{1,4}\))+")


def _going_on(phrase: str, full: str) -> str:
    """Return how the text may go on after a phrase that cites less than the full citation does.

    With the subdivisions that the full one has, or with none: an expression, empty for a phrase
    that is no such shortening.
    """
    cited, ends = _NUMBERED.search(full), re.search(r"\d+(?:\(\w{1,4}\))*$", phrase)
    if cited is None or ends is None or not cited[0].startswith(f"{ends[0]}("):
        return ""
    going_on = ""
    for more in reversed(re.findall(r"\(\w+\)", cited[0].removeprefix(ends[0]))):
        going_on = rf"(?:\s?{re.escape(more)}{going_on}|{_NO_SUBDIVISION})"
    return going_on


def _phrases(folded: Folded, authority: Names) -> Iterator[tuple[Span, Form]]:
    for phrase in authority.phrases:
        words = re.findall(r"[^\W_]+|[^\w\s]", fold(phrase).text)
        between = [
            r"[\s-]{1,3}" if a[-1].isalnum() and b[0].isalnum() else r"[\s-]{0,3}"
            for a, b in pairwise(words)
        ]
        pattern = "".join(
            re.escape(word) + gap for word, gap in zip(words, [*between, ""], strict=True)
        )
        pattern += _going_on(phrase, authority.phrases[0])
        for found in re.finditer(rf"(?<![^\W_]){pattern}(?![^\W_])", folded.text, re.IGNORECASE):
            yield folded.original(Span(*found.span())), Form.PHRASE
