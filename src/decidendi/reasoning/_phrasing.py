"""Verdicts in natural language: "I would conclude that there is a violation", "the answer is no".

Only sentences whose grammar is understood count: a lead (who concludes), and directly after it a
claim, with its negations counted. What is merely supposed, asked, quoted, or said to be somebody
else's is set aside. A sentence that is not understood is no verdict.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from decidendi.reasoning._context import (
    CANDIDATES,
    REACH,
    Candidate,
    Context,
    How,
    SetAside,
    quote_open,
)
from decidendi.reasoning._markers import declared_label
from decidendi.reasoning._place import position
from decidendi.reasoning._span import Span
from decidendi.reasoning._spec import VerdictSpec, alternatives, expand, forms_of, prefix, wording

_CONDITION = re.compile(
    r"[^,;.\n]{0,80}?\b(?:if|unless|only\s(?:if|where|when)|provided\sthat|assuming)\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\s*(?:i|we|my|our)\b(?!.*\b(?:must|shall|will|have\sto|has\sto)\b)", re.IGNORECASE
)
_CLAUSE_BEGINS = re.compile(
    r"(?:^|[,;:(-]|\b(?:and|but|so|therefore|thus|hence|accordingly|yet))\s*$", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:no|not|never|cannot|neither|nor|hardly|without|fail(?:s|ed)?|unable|refused?|decline)\b|n't\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"[\s\"'>#-]{0,6}(?:(?:verdict|answer)\s?:\s?)?(?:so\s)?(?:(?:yes|no|overall|finally|in\s(?:short|sum))[,.:;]\s{1,3})?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Claim:
    """One claim, as it stands right after a lead."""

    pattern: re.Pattern[str]
    keyword: re.Pattern[str]
    after_verb_only: bool
    yes: str
    no: str


class _Patterns:
    """The expressions of one specification."""

    def __init__(self, spec: VerdictSpec) -> None:
        words = wording()
        self.lead = re.compile(
            rf"(?<![\w'-])(?=[a-z])(?:(?P<con>{words.con_text})|(?:{words.pro_text}))(?=[\s,:])",
            re.IGNORECASE,
        )
        self.gap = re.compile(words.gap_text, re.IGNORECASE)
        self.verb = re.compile(rf"(?<![\w'-])(?:{words.verb_text}){words.gap_text}$", re.IGNORECASE)
        self.claims = [
            _Claim(
                re.compile(rf"{expand(p, spec)}(?![\w-])", re.IGNORECASE),
                re.compile(claims.keyword, re.IGNORECASE),
                claims.after_verb_only,
                claims.yes,
                claims.no,
            )
            for claims in spec.claims
            for p in claims.patterns
        ]
        self.nominal = re.compile(
            rf"(?<![\w'-]){words.nominal_text}(?=[\s:]{{1,3}}{prefix(spec)}(?:{alternatives(spec)}))",
            re.IGNORECASE,
        )
        self.choices = [
            re.compile(rf"(?<![\w'-]){expand(p, spec)}(?![\w-])", re.IGNORECASE)
            for p in spec.choices
        ]
        self.markers = {marker.casefold() for marker in spec.markers}
        self.names = {form: label.name for label in spec.labels for form in forms_of(label)}
        self.whole = re.compile(
            rf"\W{{0,8}}{prefix(spec)}(?P<label>{alternatives(spec)})\W{{0,8}}", re.IGNORECASE
        )


@lru_cache(maxsize=32)
def _patterns_of(spec: VerdictSpec) -> _Patterns:
    return _Patterns(spec)


def concluded(context: Context, spec: VerdictSpec) -> Iterator[Candidate]:
    """Yield what looks like a conclusion in words, or a refusal, from right to left."""
    found = _conclusions(context, spec)
    found += [
        context.candidate(Span(*m.span()), How.PHRASING, None, SetAside.REFUSAL, final=True)
        for m in wording().refusals.finditer(context.text)
        if not context.echoed(Span(*m.span()))
    ]
    # Of two that overlap the one that reaches further right counts, then the longer; but a
    # refusal goes before all ("I cannot determine that there was a violation").
    found.sort(key=lambda c: (c.span.end, c.span.end - c.span.start), reverse=True)
    refused = [c for c in found if c.final]
    last: Span | None = None
    for candidate in found:
        if last is not None and candidate.span.meets(last):
            continue
        while refused and refused[0].span.start >= candidate.span.end:
            refused.pop(0)
        if refused and refused[0].span.meets(candidate.span):
            candidate = refused[0]
        last = candidate.span
        yield candidate


def _conclusions(context: Context, spec: VerdictSpec) -> list[Candidate]:
    patterns = _patterns_of(spec)
    text = context.text
    found = []
    if patterns.claims:
        leads = deque(patterns.lead.finditer(text), maxlen=CANDIDATES)
        claimed = (_claimed(context, patterns, lead) for lead in leads)
        found += [candidate for candidate in claimed if candidate]
    for m in deque(patterns.nominal.finditer(text), maxlen=CANDIDATES):
        end = m.end() + len(re.match(r"[\s:]*", text[m.end() : m.end() + 4])[0])  # type: ignore[index]  # it matches always
        heads = not m[0].casefold().endswith(("is", "be"))
        if heads and m[0].split()[-1].casefold() in patterns.markers:
            continue  # the marker itself is judged as one
        if named := declared_label(context, spec, end):
            span = Span(m.start(), named[1])
            why = _judge(context, span) or (position(context, span) if heads else None)
            found.append(context.candidate(span, How.PHRASING, named[0], why))
    for pattern in patterns.choices:
        for m in deque(pattern.finditer(text), maxlen=CANDIDATES):
            span = Span(*m.span())
            if m.end() == m.end("label") and not declared_label(context, spec, m.start("label")):
                continue
            label = patterns.names[m["label"].casefold()]
            found.append(context.candidate(span, How.PHRASING, label, _judge(context, span)))
    return found + _closing(context, patterns)


def _claimed(context: Context, patterns: _Patterns, lead: re.Match[str]) -> Candidate | None:
    """Make a candidate of a lead and the claim right after it, if one is there."""
    gap = patterns.gap.match(context.text, lead.end())
    if gap is None:
        return None
    led = context.text[lead.start() : gap.end()]
    verb = lead["con"] or led[:5].lower() == "there" or patterns.verb.search(led)
    start, end = gap.end(), gap.end() + REACH
    for claim in patterns.claims:
        if claim.after_verb_only and not verb:
            continue
        if claim.keyword.search(context.text, start, end) is None:
            continue
        if found := claim.pattern.match(context.text, start, end):
            denials = _denials(found) + bool(lead["con"])
            return _claim(context, Span(lead.start(), found.end()), start, claim, denials)
    return None


def _claim(context: Context, span: Span, start: int, claim: _Claim, denials: int) -> Candidate:
    """Make a candidate of a claim that begins at ``start``, in a span that may hold its lead."""
    why = SetAside.AMBIGUOUS if denials > 1 else _judge(context, span)
    if why is None and _about_another(context, span, start):
        why = SetAside.OTHER_AUTHORITY
    return context.candidate(span, How.PHRASING, claim.no if denials else claim.yes, why)


def _denials(claim: re.Match[str]) -> int:
    """Count the negations of a claim: its groups."""
    return sum(map(bool, claim.groups()))


def _closing(context: Context, patterns: _Patterns) -> list[Candidate]:
    """Read the last sentence of the answer, which needs no lead, and an answer of one label."""
    if not context.output.answer:
        return []
    answer = context.output.answer[-1]
    start, end = context.folded.folded(answer.start), context.folded.folded(answer.end)
    whole = context.text[start:end].rstrip()
    end = start + len(whole)
    if len(whole) <= 80 and (found := patterns.whole.fullmatch(whole)):
        span = Span(start + found.start("label"), start + found.end("label"))
        why = SetAside.QUESTION if "?" in whole else _judge(context, span)
        name = patterns.names.get(found["label"].casefold())
        return [context.candidate(span, How.PHRASING, name, why)] if name else []
    sentence = context.sentence_before(end)
    begin = end - len(sentence)
    opening = _YES_NO.match(context.text, begin, end)
    begin = opening.end() if opening else begin
    for claim in patterns.claims:
        found = None if claim.after_verb_only else claim.pattern.match(context.text, begin, end)
        if found:
            return [_claim(context, Span(*found.span()), begin, claim, _denials(found))]
    return []


def _judge(context: Context, span: Span) -> SetAside | None:
    """Say why a conclusion in words does not count; None if it does."""
    before = context.sentence_before(span.start, across_lines=True)
    after = context.sentence_after(span.end)
    clause = _begins_clause(before)
    own = clause and _OWN.match(span.of(context.text)) is not None
    if quote_open(before):
        return SetAside.QUOTED
    if wording().suppositions.search(before):
        return SetAside.CONDITIONAL
    if not own and wording().attributions.search(before):
        return SetAside.MENTIONED
    if wording().introduced.search(before):
        return SetAside.MENTIONED
    if not clause and _DENIED.search(re.split(r"[,;:]", before)[-1]):
        return SetAside.AMBIGUOUS
    if "?" in after.partition(".")[0]:
        return SetAside.QUESTION
    if _CONDITION.match(after):
        return SetAside.CONDITIONAL
    if context.echoed(span) or context.copied(span):
        return SetAside.ECHOED
    return SetAside.CUT_OFF if context.output.truncated else None


def _begins_clause(before: str) -> bool:
    """Say whether a clause begins after what stands before it in its sentence."""
    return not before.strip(" \"'>#*-") or _CLAUSE_BEGINS.search(before) is not None


def _about_another(context: Context, span: Span, claim: int) -> bool:
    """Say whether a claim names provisions, and not the one asked about."""
    clause = re.split(r"[,;.](?=\s)|\n", context.sentence_after(span.end))[0]
    near = context.text[claim : span.end + len(clause)]
    cited = [one for one in context.cited(near) if not one.joined]
    return context.another(cited or context.cited(context.sentence_before(claim))[-1:])
