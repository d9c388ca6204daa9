r"""Declared verdicts: ``VERDICT: YES``, ``ANSWER: 3``, ``\boxed{YES}``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from decidendi.reasoning._context import CANDIDATES, Candidate, Context, How, SetAside, words_of
from decidendi.reasoning._place import position
from decidendi.reasoning._span import Span
from decidendi.reasoning._spec import VerdictSpec, alternatives, forms_of, prefix, wording

_CLOSERS = r"[\"')\]}>]{0,4}"
_OPENERS = r"[\"'(\[{<]{0,3}"
_END = r"(?![^\W_]|[\u0300-\u036f%]|[.,/]\d|_\w)"
_PLACEHOLDER = re.compile(r"[<\[{(_.…]|[nxk](?:\W|$)", re.IGNORECASE)
_FOLLOWS = re.compile(rf"{_CLOSERS}[ \t]*(?P<word>[^\W_]+)?")
_TAIL = re.compile(rf"{_CLOSERS}[,;]?[ \t]{{0,3}}\(?(?:but[ \t])?(?P<word>[^\W_]+)")
_QUESTION = re.compile(rf"{_CLOSERS}[ \t]?\(?\?")

_OF_WHAT = (
    r"[ \t]\((?:final|yes|art|section|rule|clause)[^()\n]{0,40}\)"
    r"|[ \t](?:on|for|under|as[ ]to)[ ](?:art|section|rule|clause)[^:=\n]{1,40}"
)
_OPEN = (SetAside.MENTIONED, SetAside.QUOTED, SetAside.CONDITIONAL, SetAside.QUESTION)
_DRESS = "*_`}$\\<"
_SHORT = 4
"""So many words after a marker still look like a declaration; more are prose below a heading."""


class _Patterns:
    """The expressions of one specification."""

    def __init__(self, spec: VerdictSpec) -> None:
        labels, opening = alternatives(spec), prefix(spec)
        words = "|".join(re.escape(word).replace(r"\ ", r"[\s_]{1,2}") for word in spec.markers)
        marker = (
            rf"(?<![^\W_])(?<!\w_)(?<!\w-)(?P<marker>{words})(?![^\W_]|_\w){_CLOSERS}"
            rf"(?:{_OF_WHAT})?[ \t]{{0,8}}"
            rf"(?P<colon>[:=|]{{1,2}}|={{0,2}}-?>|-{{1,2}}|(?=\n))"
        )
        again = rf"(?:(?:{words}){_CLOSERS}\s{{0,3}}[:=|-]{{1,2}}\s{{0,3}})?"
        either = r"(?:[ \t]{0,3}(?:[/|&+→☐☑]|[-=]>)[ \t]{0,3}|\s{0,3}\b(?:or|and)\b\s{0,3})"
        listed = r"[ \t]{0,3}(?:[,;-]|\.\.+|\bto\b)[ \t]{0,3}(?:(?:or|and)\s)?"
        other = rf"{_OPENERS}{again}{opening}(?P<label>{labels}){_END}"
        alone = rf"(?!{_CLOSERS}[ \t]{{1,3}}[^\W\d_]{{2}})"
        self.marker = re.compile(marker, re.IGNORECASE)
        self.label = re.compile(rf"\s{{0,12}}{opening}(?P<label>{labels}){_END}", re.IGNORECASE)
        self.next = (
            re.compile(_CLOSERS + either + other, re.IGNORECASE),
            re.compile(_CLOSERS + listed + other + alone, re.IGNORECASE),
        )
        self.previous = re.compile(
            rf"(?<![^\W_])(?P<label>{labels}){_CLOSERS}{either}{_OPENERS}$", re.IGNORECASE
        )
        self.ends_in_marker = re.compile(rf"{marker}\s{{0,12}}{opening}$", re.IGNORECASE)
        self.marker_as_asked = spec.markers[0]
        self._names = {_plain(f): label.name for label in spec.labels for f in forms_of(label)}

    def name(self, written: str) -> str:
        """Return the label for one of its forms as written."""
        return self._names[_plain(written)]


def _plain(form: str) -> str:
    return re.sub(r"[\s-]+", " ", form.casefold())


@lru_cache(maxsize=32)
def _patterns_of(spec: VerdictSpec) -> _Patterns:
    return _Patterns(spec)


def declared(context: Context, spec: VerdictSpec) -> Iterator[Candidate]:
    """Yield what looks like a declared verdict, from right to left."""
    patterns = _patterns_of(spec)
    found: list[tuple[int, re.Match[str] | Span]] = []
    found += [(m.start(), m) for m in patterns.marker.finditer(context.text)]
    found += [(box.start, box) for box in context.folded.boxed]
    for start, what in sorted(found, key=lambda pair: pair[0], reverse=True)[:CANDIDATES]:
        if isinstance(what, Span):
            if candidate := _boxed(context, patterns, what):
                yield candidate
        else:
            yield _marked(context, patterns, start, what)


def declared_label(context: Context, spec: VerdictSpec, end: int) -> tuple[str, int] | None:
    """Return the label that stands right after ``end``, chosen and not asked, and where it ends."""
    patterns = _patterns_of(spec)
    found = patterns.label.match(context.text, end)
    if found is None or not _may_follow(context, found):
        return None
    label, after = patterns.name(found["label"]), found.end("label")
    span = Span(end, after)
    return None if _offered(context, patterns, span, label) or _tail(context, after) else (
        label, after)  # fmt: skip


def _marked(context: Context, patterns: _Patterns, start: int, marker: re.Match[str]) -> Candidate:
    """Read one marker and what follows it."""
    found = patterns.label.match(context.text, marker.end())
    if found is not None:
        label = patterns.name(found["label"])
        span = Span(start, found.end("label"))
        offered = _offered(context, patterns, span, label)
        if offered or _may_follow(context, found):
            why = offered or _tail(context, span.end) or position(context, span)
            final = (offered or why in _OPEN) and _ends_output(context, span)
            named = None if final else label
            return context.candidate(span, How.MARKER, named, why, final=bool(final))
    return _without_label(context, patterns, marker)


def _ends_output(context: Context, span: Span) -> bool:
    """Say whether the declaration is the last line: then no earlier one stands in for it."""
    own_line = not words_of(context.line_before(span.start))
    return own_line and not context.says(span.end)


def _boxed(context: Context, patterns: _Patterns, box: Span) -> Candidate | None:
    """Read one LaTeX box; None if it holds no label, or belongs to a marker."""
    found = patterns.label.match(context.text, box.start)
    if found is None or context.text[found.end("label") : box.end].strip(" .\"')]}\n"):
        return None
    if patterns.ends_in_marker.search(context.text[max(0, box.start - 80) : box.start]):
        return None
    label = patterns.name(found["label"])
    span = Span(box.start, found.end("label"))
    why = _tail(context, box.end) or position(context, span, boxed=True)
    return context.candidate(span, How.MARKER, label, why)


def _may_follow(context: Context, label: re.Match[str]) -> bool:
    """Say whether what follows a label lets it be one ("NO" is none in "no doubt")."""
    end = label.end("label")
    if wording().no_label.match(context.text, end):
        return False
    after = _FOLLOWS.match(context.text, end, end + 60)
    word = after["word"] if after else None
    if not word:
        return True
    written = label["label"]
    if len(written) == 1 and not written.isdigit():
        # "A" is an article, "I" a pronoun
        return context.text[end : end + 1] in (")", "]") or word in ("because", "since")
    if written.isdigit() and word == "of":
        return False  # "3 of the judges"
    stop = context.folded.original(Span(label.start("label"), end)).end
    if context.output.text[stop : stop + 1] in _DRESS:
        return True  # the emphasis ends with the label
    if written.isupper() and word[:1].isupper() and word[1:2].islower():
        return True  # "VERDICT: YES The …": a sentence begins
    return word.casefold() in wording().connective | wording().conditions


def _without_label(context: Context, patterns: _Patterns, marker: re.Match[str]) -> Candidate:
    """Judge a marker after which no label stands."""
    rest = context.text[marker.end() : marker.end() + 120]
    line = rest.lstrip(" \t").partition("\n")[0].rstrip()
    words = words_of(line)
    span = Span(marker.start(), marker.end())
    full = Span(span.start, span.end + rest.index(line) + len(line)) if line else span
    exact = marker["marker"] == patterns.marker_as_asked and marker["colon"][:1] in (":", "=")
    declares = exact and len(words) <= _SHORT
    abstains = bool(words) and words[0] in wording().abstention and len(words) <= 2 * _SHORT
    why = SetAside.UNREADABLE
    empty = not words or _PLACEHOLDER.match(line) or patterns.marker.match(line)
    final = not empty and (declares or abstains)
    if final and (elsewhere := position(context, span)):
        why, final = elsewhere, False
    return context.candidate(full, How.MARKER, None, why, final=final)


def _offered(context: Context, patterns: _Patterns, span: Span, label: str) -> SetAside | None:
    """Say whether the marker lists several labels instead of choosing one."""
    around = [pattern.match(context.text, span.end) for pattern in patterns.next]
    around.append(patterns.previous.search(context.text[max(0, span.start - 60) : span.start]))
    others = {patterns.name(found["label"]) for found in around if found}
    return SetAside.ALTERNATIVES if others - {label} else None


def _tail(context: Context, end: int) -> SetAside | None:
    """Judge what follows the label: a question mark or a condition takes it back."""
    if _QUESTION.match(context.text, end):
        return SetAside.QUESTION
    word = _TAIL.match(context.text, end)
    conditional = word is not None and word["word"].casefold() in wording().conditions
    return SetAside.CONDITIONAL if conditional else None
