"""Citations of numbered provisions: "Art. 8 § 1", "Articles 6 and 8", "Rule 12(a)".

A small scanner instead of one large expression, so that a list of any length is read in linear
time and each number in it keeps its own place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from decidendi.judgment import BadInputError
from decidendi.reasoning._span import Span

CONVENTION = (
    "convention",
    "european convention",
    "european convention on human rights",
    "european convention of human rights",
    "convention on human rights",
    "convention for the protection of human rights and fundamental freedoms",
    "european convention for the protection of human rights and fundamental freedoms",
    "echr",
)
"""Names of the European Convention on Human Rights, as instruments of its articles."""


@dataclass(frozen=True)
class Provision:
    """A numbered provision by which an authority may be named.

    Attributes:
        number: As cited: "8", "1332", "12". Subdivisions ("8 § 1", "1332(a)") name it too.
        heads: What stands before the number, in the singular, in any case: "article", "art".
        instruments: What may follow as "of the …": its own instrument's names, without case. A
            citation that names any other instrument is not this provision.
        bare: Whether a citation that names no instrument counts.
    """

    number: str
    heads: tuple[str, ...] = ("article", "art")
    instruments: tuple[str, ...] = CONVENTION
    bare: bool = True

    def __post_init__(self) -> None:
        if not self.number or not self.heads or not all(self.heads):
            raise BadInputError("a provision needs a number and at least one head")


@dataclass(frozen=True)
class Cited:
    """One number in a citation.

    Attributes:
        number: Without subdivisions, in digits.
        span: From the head (the first number of a list) or from the number to its last
            subdivision.
        instrument: The instrument it is said to be of, without case; empty if none is named.
        joined: It is only read together with the one before ("Article 14 in conjunction with 8").
    """

    number: str
    span: Span
    instrument: str
    joined: bool = False


_TO_TWENTY = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_WORDS = _TO_TWENTY.split()
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50}

_NUMBER = re.compile(
    r"(?P<digits>\d{1,5})(?P<letter>[a-z](?![^\W_])|[ ]?(?:bis|ter|quater)\b)?"
    r"|(?P<roman>[IVXL]{1,6})(?![^\W_])"
    rf"|(?P<word>{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?![^\W_])",
)
_SHORT = (
    "echr|gdpr|dsgvo|rgpd|tfeu|teu|cfreu|eucfr|cfr|iccpr|ccpr|icescr|cescr|udhr|crc|uncrc|cedaw"
    "|crpd|achr|achpr"
)
_MANY = r"(?:\s?(?:§§|paras\.?|paragraphs|sections|subparagraphs)\s?)"
_SUBDIVISION = re.compile(
    rf"(?P<many>{_MANY}\d{{1,3}}(?:\s?(?:,|and|to|-|&)\s?\d{{1,3}}(?!\d)){{0,9}})"
    rf"|\s?(?:§|para\.?|paragraph)\s?\d{{1,3}}|\s?\((?!(?:{_SHORT})\))[0-9a-zA-Z]{{1,4}}\)"
    r"|[.]\d{1,2}(?!\d)"
    r"|-\d(?![\d-])|\s(?:first|second|third)\sparagraph",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"\s{0,3}(?:,\s{0,2}and|,\s{0,2}or|,|and|or|&|/|to|through|-|,?\s{0,2}(?:(?:taken|read)\s)?"
    r"(?P<joins>(?:in\sconjunction|together|alone\sand\sin\sconjunction)\swith|in\sthe\slight\sof)"
    r"|,?\sread\s(?P<reads>with))\s{0,3}",
    re.IGNORECASE,
)
_KINDS = (
    "protocol|convention|constitution|code|act|law|statute|treaty|charter|covenant|regulations?"
    f"|directive|rules|decree|ordinance|declaration|agreement|contract|{_SHORT}"
)
_STOP = "is|was|were|has|had|and|but|by|that|which|who|under|because|since|in|are|be|not|or|as|it"
_INSTRUMENT = re.compile(
    rf"[\s,]{{0,3}}(?:of|to(?=\s(?:the\s)?(?:\w+\s)?protocol))\s{{1,3}}(?:(?:the|that|said|its|this|our)\s{{1,3}}){{0,2}}"
    rf"(?P<name>(?:(?!(?:{_STOP})\b)[\w'.-]{{1,30}}\s{{1,3}}){{0,6}}?(?:{_KINDS})\b"
    r"(?:\s{1,3}no\.?\s{0,2}\d{1,2}|\s{1,3}\d{1,2}\b"
    r"|\s{1,3}(?:on|of|for)\s{1,3}(?:the\s)?(?:human\srights|protection\sof\shuman\srights(?:\sand\sfundamental\sfreedoms)?"
    r"|[A-Z][\w-]{1,30}(?:\s[A-Z][\w-]{1,30}){0,4}))?)",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    # Without "of": "Article 8 GDPR", "Article 8 EU Charter", "Article 8 Directive 95/46".
    rf",?\s{{1,2}}\(?(?P<name>(?:{_SHORT})(?![^\W_])"
    r"|(?<!,\s)(?-i:(?!ECHR)[A-Z]{2,5}[ -](?:Charter|Convention|Covenant|Act|Code|Directive"
    r"|Regulation|Treaty|Constitution)\b|(?:Charter|Covenant|Constitution)\b"
    r"|(?:Regulation|Directive)\b(?=\s(?:\(|No|\d))))",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    # "GDPR Article 8", "the Charter's Article 8", "Protocol No. 1, Article 1". A word in lower case
    # is no instrument's name: "as a matter of law, Article 8 applies".
    rf"(?P<name>(?:additional\s|optional\s|european\s|criminal\s|civil\s)?"
    rf"(?-i:(?=[A-Z]))(?:{_KINDS})(?:\s{{1,2}}no\.?\s?\d{{1,2}}|\s\d{{1,2}})?)"
    r"(?:'s)?(?P<comma>,)?[\s(]{1,3}$",
    re.IGNORECASE,
)
_SAID_OF = re.compile(
    # Before a comma this is a phrase of its own: "Unlike the Directive, Article 8 protects".
    r"\b(?:unlike|like|under|in|of|to|with|by|from|for|than|beyond|despite|against|outside)\s"
    r"(?:[\w'-]+\s){0,4}$",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)
def _head(heads: tuple[str, ...]) -> re.Pattern[str]:
    """Return the expression for any of these words or signs, in singular or plural."""
    parts = []
    for head in sorted(heads, key=len, reverse=True):
        words = [re.escape(word.rstrip(".")) for word in head.split()]
        parts.append(r"\.?\s{1,2}".join(words) + ("s?" if head[-1].isalpha() else ""))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(parts)})\.?\s{{0,3}}(?:no\.?\s?)?", re.IGNORECASE)


def cited_provisions(text: str, heads: tuple[str, ...] = ("article", "art")) -> Iterator[Cited]:
    """Yield each numbered provision that ``text`` cites, in order.

    Of a range ("Articles 8 to 11") only the ends are cited: what lies between is not named.

    Args:
        text: Unwrapped text.
        heads: Words that stand before the number, in the singular.
    """
    position = 0
    pattern = _head(heads)
    while found := pattern.search(text, position):
        items, end, own = _list(text, found, pattern)
        position = max(found.end(), end)
        if not items:
            continue
        instrument = _instrument(text, found.start(), end)
        for index, (number, span, joined) in enumerate(items):
            # "Article 8 and Article 1 of Protocol No. 1": only what follows the last head.
            yield Cited(number, span, instrument if index >= own else "", joined)


def _list(
    text: str, head: re.Match[str], heads: re.Pattern[str]
) -> tuple[list[tuple[str, Span, bool]], int, int]:
    """Read the numbers after a head.

    Returns:
        The numbers, where the list ends, and the index of the first number after the last head.
    """
    items: list[tuple[str, Span, bool]] = []
    own, joined = 0, False
    start, position = head.start(), head.end()
    while found := _NUMBER.match(text, position):
        if found["digits"] and text[found.end() : found.end() + 1].isdigit():
            break
        end = found.end()
        paragraphs = False
        while sub := _SUBDIVISION.match(text, end):
            end, paragraphs = sub.end(), paragraphs or bool(sub["many"])
        if text[end : end + 1].isalnum():  # "8th", "8x": some other word
            break
        if number := _in_digits(found):
            items.append((number, Span(start, end), joined))
        joint = _JOINT.match(text, end)
        if joint is None:
            return items, end, own
        joined = joined or bool(joint["joins"] or joint["reads"])
        again = heads.match(text, joint.end())
        start = again.start() if again else joint.end()
        position = again.end() if again else joint.end()
        if again:
            own = len(items)
        elif not text[position : position + 1].isdigit():
            return items, end, own
    return items, items[-1][1].end if items else position, own


def _in_digits(number: re.Match[str]) -> str:
    if number["digits"]:
        return number["digits"].lstrip("0") + (number["letter"] or "").strip()
    if number["word"]:
        return str(_WORDS.index(number["word"].lower()) + 1)
    values = [_ROMAN[char] for char in number["roman"].upper()]
    total = sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))
    return str(total)


def _instrument(text: str, start: int, end: int) -> str:
    """Return the instrument named after a citation, or right before it; empty if none is."""
    found = _INSTRUMENT.match(text, end) or _BESIDE.match(text, end)
    if found is None:
        before = text[max(0, start - 60) : start]
        found = _BEFORE.search(before)
        if found and found["comma"] and _SAID_OF.search(before, 0, found.start()):
            return ""
    return re.sub(r"\s+", " ", found["name"]).casefold() if found else ""


def names(provision: Provision, cited: Cited) -> bool:
    """Say whether a citation names ``provision``."""
    if cited.number != provision.number.lower():
        return False
    if not cited.instrument:
        return provision.bare
    own = [name.casefold() for name in provision.instruments]
    return any(
        cited.instrument == name or (" " in name and cited.instrument.startswith(name + " "))
        for name in own
    )
