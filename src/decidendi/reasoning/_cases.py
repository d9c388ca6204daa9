"""Cases: where one is cited or named, and how its name is masked. Citations are read by eyecite."""

# ruff: noqa: RUF001 - names are written with typographic apostrophes too

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from decidendi.judgment import BadInputError, MissingExtraError
from decidendi.reasoning._fold import fold
from decidendi.reasoning._span import Span

if TYPE_CHECKING:
    from eyecite.models import CitationBase

_PIECE = 8_000
"""eyecite takes quadratic time, so it is given at most so many characters at once."""

_VERSUS = r"[\s,]{1,3}(?:v|vs|versus|against)\.?\s{1,3}"
_GOVERNMENT = re.compile(
    r"(?:the\s)?(?:united states|u\. ?s\.|state|people|commonwealth|city|county|government"
    r"|ex parte)\b",
    re.IGNORECASE,
)
_SIGNALS = re.compile(
    r".*(?:[>);:\"”“\]]\s*|(?<![\w.])(?:See|see|Cf\.|cf\.|Accord|Compare|Contra|Citing|citing|Quoting|quoting"
    r"|Following|In(?!\sre\b)|in(?!\sre\b)|with|By)(?:\s+also|\s+generally)?(?:,?\s+e\.\s?g\.,?)?\s+(?=[A-Z0-9]))",
    re.DOTALL,
)
"""What an author writes before a name; the name begins after the last of it."""

_PART = r"(?:[A-Z][\w.'’&-]*|\d{1,2}\w*|of|the|and|for|&|ex|rel\.|d/b/a|in|re|on|de|la|del|van|von)"
_VERSUS_BEFORE = re.compile(
    rf"(?<![\w.])(?P<first>{_PART}(?:,?\s{{1,2}}{_PART}){{0,11}}),?\s{{1,2}}vs?\.\s{{1,2}}"
    rf"(?P<second>{_PART}(?:,?\s{{1,2}}{_PART}){{0,11}}),?\s{{0,2}}(?:\([^()]{{1,30}}\),?\s{{0,2}})?$"
)
_NEAR = 200
"""Citations so many characters before the mask can still belong to the string that ends there."""
_STRING = 6
"""So many citations, less one, make the longest string looked at."""


@dataclass(frozen=True)
class CaseName:
    """A case, by what it may be called.

    Attributes:
        plaintiff: Its first party; empty where it has one party ("In re Gault").
        defendant: Its second.
        reporters: Where it is reported: "410 U.S. 113". Short forms, "id." and "supra" that
            refer back to such a citation name it too.
        short: Names by which it alone is known, as written: "Roe". Whole words.
    """

    plaintiff: str
    defendant: str
    reporters: tuple[str, ...] = ()
    short: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.defendant:
            raise BadInputError("a case needs at least its second party")


@dataclass(frozen=True)
class MaskedPrecedent:
    """A text in which the cited case bears a placeholder's name.

    Attributes:
        text: With the name replaced; the text unchanged where none was found.
        name: The name found, as written at its citation; empty if none was.
        replaced: Where names stood, in the original text.
    """

    text: str
    name: str
    replaced: tuple[Span, ...]

    @property
    def found(self) -> bool:
        """Whether a name was found."""
        return bool(self.name)


def case_mentions(text: str, case: CaseName) -> list[Span]:
    """Return where ``text`` names or cites ``case``, in order; spans may overlap.

    Raises:
        MissingExtraError: without the extra ``legal``.
    """
    folded = fold(text)
    spans = []
    patterns = [_name(case.plaintiff, case.defendant)]
    # Not where it is a party of some other case: "Roe v. Norton".
    versus = r"(?:v|vs)\.?\s"
    patterns += [
        rf"(?<!v\.\s)(?<!v\s)(?<!vs\.\s)(?<![\w]){_words(name)}(?!\w)(?!\s{versus})"
        for name in case.short
    ]
    for index, pattern in enumerate(patterns):
        flags = re.IGNORECASE if index == 0 else 0
        spans += [
            folded.original(Span(*m.span())) for m in re.finditer(pattern, folded.text, flags)
        ]
    for cited in _clusters(text):
        if any(_is_full(c) and _cites(c, case) for _, c in cited):
            spans += [span for span, _ in cited]
    return sorted(spans)


def mask_precedent(
    text: str, *, mask: str = "<HOLDING>", parties: tuple[str, str] = ("Doe", "Roe")
) -> MaskedPrecedent:
    """Replace the cited case's name by *Doe v. Roe*, all else fixed (SPEC, section 2).

    The cited case is the one whose citation stands last before ``mask``, or last in a text
    without a mask. Its full name is replaced wherever it stands, and so is each party's name
    alone, unless it is a government's. Reporter citations stay: only the name changes.

    Args:
        text: An excerpt.
        mask: What stands in it for the holding.
        parties: Names of the placeholder.

    Raises:
        MissingExtraError: without the extra ``legal``.
    """
    end = text.find(mask)
    end = len(text) if end < 0 else end
    clusters = _clusters(text)
    cited = [pair for cluster in clusters for pair in cluster if _is_case(pair[1])]
    before = sorted(((s, c) for s, c in cited if s.start < end), key=lambda pair: pair[0])
    # Parallel citations and later history ("cert. denied, 393 U.S. 323") bear no name: the case
    # is the last one named in the same string of citations.
    for span, citation in before[:-_STRING:-1]:
        if span.end < end - _NEAR and span != before[-1][0]:
            break
        plaintiff, defendant = _written(text, span) or _parties(citation, clusters)
        if _is_name(plaintiff, defendant):
            return _replaced(text, plaintiff, defendant, parties)
    return MaskedPrecedent(text, "", ())


def _written(text: str, citation: Span) -> tuple[str, str] | None:
    """Return the parties that stand right before a citation, as written there."""
    found = _VERSUS_BEFORE.search(text[max(0, citation.start - 200) : citation.start])
    return (_clean(found["first"]), found["second"].strip(" ,")) if found else None


def _is_name(plaintiff: str, defendant: str) -> bool:
    """Say whether this can be the name of a case, and not a docket number or a government alone."""
    if not defendant or re.search(r"\bNo\.|\d{3}", plaintiff + " " + defendant):
        return False
    return bool(plaintiff) or _distinctive(defendant)


def _replaced(
    text: str, plaintiff: str, defendant: str, parties: tuple[str, str]
) -> MaskedPrecedent:
    """Replace one case's names; the longest first, so that parts of names stay together."""
    both = f"{parties[0]} v. {parties[1]}"
    patterns = [(_name(plaintiff, defendant), both)]
    if plaintiff:
        patterns += [(rf"(?<!\w){_words(plaintiff)}(?!\w)", parties[0])] * _distinctive(plaintiff)
        patterns += [(rf"(?<!\w){_words(defendant)}(?!\w)", parties[1])] * _distinctive(defendant)
    taken: list[tuple[Span, str]] = []
    for pattern, name in patterns:
        for found in re.finditer(pattern, text):
            span = Span(*found.span())
            if not any(span.meets(other) for other, _ in taken):
                taken.append((span, name))
    taken.sort()
    if not taken:
        return MaskedPrecedent(text, "", ())
    parts, position = [], 0
    for span, name in taken:
        parts += [text[position : span.start], name]
        position = span.end
    name = next((s.of(text) for s, as_ in taken if as_ == both), taken[0][0].of(text))
    return MaskedPrecedent("".join(parts) + text[position:], name, tuple(s for s, _ in taken))


def _distinctive(party: str) -> bool:
    """Say whether a party's name alone identifies its case."""
    return len(party) > 3 and party[0].isupper() and not _GOVERNMENT.match(party)


def _words(name: str) -> str:
    return r"\s{1,3}".join(re.escape(word) for word in name.split())


def _name(plaintiff: str, defendant: str) -> str:
    first = rf"{_words(plaintiff)}{_VERSUS}" if plaintiff else r"(?:(?:In\sre|Ex\sparte)\s{1,3})?"
    return rf"(?<!\w){first}{_words(defendant)}(?!\w)"


def _citations(text: str) -> Iterator[tuple[Span, CitationBase]]:
    """Yield eyecite's citations with their spans in ``text``, piece by piece."""
    try:
        from eyecite import get_citations
    except ImportError:
        raise MissingExtraError("reading case citations", "legal") from None
    # It reports its own uncertainties; without a handler they would go to standard error.
    logging.getLogger("eyecite").addHandler(logging.NullHandler())
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):
            end = (
                max(
                    text.rfind("\n", start + _PIECE // 2, end),
                    text.rfind(". ", start + _PIECE // 2, end),
                )
                + 1
            )
            end = end if end > start else start + _PIECE
        for citation in get_citations(text[start:end]):
            first, last = citation.span()  # type: ignore[no-untyped-call]  # has no annotations
            yield Span(start + first, start + last), citation
        start = end


def _clusters(text: str) -> list[list[tuple[Span, CitationBase]]]:
    """Return the citations of ``text``, those of one case together; unresolved ones alone."""
    pairs = list(_citations(text))
    if not pairs:
        return []
    from eyecite import resolve_citations

    where = {id(citation): span for span, citation in pairs}
    resolved = resolve_citations([citation for _, citation in pairs])
    clusters = [[(where[id(c)], c) for c in cluster] for cluster in resolved.values()]
    known = {id(c) for _, c in chain.from_iterable(clusters)}
    return clusters + [[pair] for pair in pairs if id(pair[1]) not in known]


def _kind(citation: CitationBase) -> str:
    return type(citation).__name__


def _is_full(citation: CitationBase) -> bool:
    return _kind(citation) == "FullCaseCitation"


def _is_case(citation: CitationBase) -> bool:
    return _kind(citation) in {
        "FullCaseCitation", "ShortCaseCitation", "SupraCitation", "IdCitation", "ReferenceCitation",
    }  # fmt: skip


def _meta(citation: CitationBase, field: str) -> str:
    value: Any = getattr(citation.metadata, field, None)
    return value.strip(" ,") if isinstance(value, str) else ""


def _clean(name: str) -> str:
    """Take from a party's name the words of the sentence before it, and a date after it."""
    found = _SIGNALS.match(name)
    name = name[found.end() :] if found and found.end() < len(name) else name
    name = re.sub(r"\s*\([^()]{0,40}\)\s*$", "", name).strip(" ,")
    return re.sub(r"^(?:of|the|and|for|in|on)\s+(?=[A-Z])", "", name)


def _parties(
    citation: CitationBase, clusters: list[list[tuple[Span, CitationBase]]]
) -> tuple[str, str]:
    """Return the parties of the case that ``citation`` cites; one party stands second."""
    own = next((c for c in clusters if any(other is citation for _, other in c)), [])
    for _, full in [(Span(0, 0), citation), *own]:
        if _is_full(full) and (defendant := _clean(_meta(full, "defendant"))):
            return _clean(_meta(full, "plaintiff")), defendant
    for _, short in [(Span(0, 0), citation), *own]:
        if guess := _clean(_meta(short, "antecedent_guess")):
            return "", guess
    return "", ""


def _cites(citation: CitationBase, case: CaseName) -> bool:
    """Say whether a full citation is of ``case``: by its reporter, else by its parties."""
    groups = citation.groups
    cite = f"{groups.get('volume')} {groups.get('reporter')} {groups.get('page')}"
    plain = {re.sub(r"[\s.]", "", known).casefold() for known in case.reporters}
    if re.sub(r"[\s.]", "", cite).casefold() in plain:
        return True
    parties = _clean(_meta(citation, "plaintiff")), _clean(_meta(citation, "defendant"))
    return tuple(map(str.casefold, parties)) == (
        case.plaintiff.casefold(),
        case.defendant.casefold(),
    )
