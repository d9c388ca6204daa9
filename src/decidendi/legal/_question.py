"""Questions as typed data: what a case holds, what a task asks, and one question put together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from decidendi.legal._words import say

Clarity: TypeAlias = Literal["clear", "borderline"]


class UnknownAuthorityError(KeyError):
    """A name that is neither an authority of the task nor of the case."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Authority:
    """What a decision is asked under: an article, an issue area, a clause, a rule, a precedent.

    Attributes:
        id: Short and stable; what ``--pair 8:3`` names.
        name: As it stands in the question: "Article 8".
        citation: Where it is found, in full.
        text: What it says, in this project's own words.
        aliases: Other ways to name it in running text, as plain phrases. The name is always
            one. A phrase that other authorities may be meant by does not belong here.
        external: Its names in public releases, for the loaders.
        terms: The numbers it turns on (days, cents), where it is executable.
        template: Its text with the terms left open; empty where it has none.
    """

    id: str
    name: str
    citation: str = ""
    text: str = ""
    aliases: tuple[str, ...] = ()
    external: tuple[str, ...] = ()
    terms: Mapping[str, int] = field(default_factory=dict, hash=False)
    template: str = ""

    def amended(self, **terms: int) -> Authority:
        """Return this authority with other terms, in its numbers and in its text.

        Raises:
            KeyError: on a term it does not have.
        """
        for name in terms:
            if name not in self.terms:
                listed = ", ".join(self.terms) or "none"
                raise KeyError(f"{self.id}: no term {name!r}; there are: {listed}")
        changed = {**self.terms, **terms}
        return replace(self, terms=changed, text=say(self.template, changed))

    @property
    def names(self) -> tuple[str, ...]:
        """The name and the aliases, the name first."""
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class Option:
    """One answer a question allows.

    Attributes:
        label: What follows the marker: ``YES``, ``NO``, ``0`` … ``4``.
        text: What the label stands for; a holding's text, or empty.
    """

    label: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to put a task's question.

    Attributes:
        id: ``base``, or what distinguishes it; unique in its task.
        template: Text in which ``{authority}`` stands exactly once, so that a swap of the
            authority is an edit in one place. ``{text}`` and ``{citation}`` may occur too.
    """

    id: str
    template: str

    def render(self, authority: Authority) -> str:
        """Return the question about ``authority`` in this wording."""
        # str.format would trip over braces in a clause's own text.
        parts = {
            "authority": authority.name,
            "text": authority.text,
            "citation": authority.citation,
        }
        return re.sub(r"\{(authority|text|citation)\}", lambda m: parts[m[1]], self.template)


@dataclass(frozen=True, slots=True)
class LegalCase:
    """Facts, and what is known of the right answer under each authority.

    Attributes:
        id: Unique in its set.
        unit: The independent observation it was made from; the id itself where none is given.
        facts: The text that is held fixed across conditions.
        gold: Right label by authority id. An authority that is absent has no gold here: that
            is not the same as NO.
        options: The answers' texts, where the case brings its own (CaseHOLD); else empty.
        authorities: Authorities of this case alone (a cited precedent); they come before the
            task's own.
        why: By authority id, a line that says why the gold is what it is.
        clarity: Whether a lawyer would hesitate.
        cut: Characters removed from the end of the facts to keep to a limit.
        carried: Everything else of its record (provenance, typed facts), unread here.
    """

    id: str
    facts: str
    gold: Mapping[str, str]
    unit: str = ""
    options: tuple[str, ...] = ()
    authorities: tuple[Authority, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)
    clarity: Clarity = "clear"
    cut: int = 0
    carried: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.unit:
            object.__setattr__(self, "unit", self.id)

    def limited(self, characters: int | None) -> LegalCase:
        """Return the case with its facts cut to ``characters``; what was cut is counted."""
        if characters is None or len(self.facts) <= characters:
            return self
        cut = self.cut + len(self.facts) - characters
        return replace(self, facts=self.facts[:characters], cut=cut)


@dataclass(frozen=True, slots=True)
class Pair:
    """A target authority and the unrelated control it is swapped for, by id."""

    id: str
    target: str
    control: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one case, ready to be put into a prompt.

    Attributes:
        case: The case's id.
        unit: The case's unit.
        task: The task's id.
        facts: The case's facts.
        authority: What is asked about.
        wording: The wording's id.
        text: The question itself.
        options: The allowed answers.
        gold: The right label, or None where there is none (the null authority has none).
    """

    case: str
    unit: str
    task: str
    facts: str
    authority: Authority
    wording: str
    text: str
    options: tuple[Option, ...]
    gold: str | None

    @property
    def labels(self) -> tuple[str, ...]:
        """The allowed labels, in order."""
        return tuple(option.label for option in self.options)


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of question: its authorities, wordings and answers. Comes from a data file.

    Attributes:
        id: What ``--task`` names.
        version: Raised whenever anything in the file changes.
        title: For people.
        digest: Of the file's content; part of whatever was produced with the task.
        kind: What an authority is here: "article", "issue area", "clause", "precedent", "rule".
        facts_are: What the facts are called in a prompt: "Facts of the case", …
        marker: The word before the answer: ``VERDICT`` or ``ANSWER``.
        options: The answers, unless a case brings its own texts for the same labels.
        positive: The label that counts as positive in balanced samples; None if there is none.
        authorities: All authorities the task knows.
        null: A placeholder with no legal standing.
        pairs: The pairs to swap by default, the first one first.
        wordings: At least six: the base and five paraphrases, the base first.
        facts_limit: Characters of facts kept; None keeps all.
    """

    id: str
    version: str
    title: str
    digest: str
    kind: str
    facts_are: str
    marker: str
    options: tuple[Option, ...]
    positive: str | None
    authorities: tuple[Authority, ...]
    null: Authority
    pairs: tuple[Pair, ...]
    wordings: tuple[Wording, ...]
    facts_limit: int | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The allowed labels, in order."""
        return tuple(option.label for option in self.options)

    def authority(self, name: str, case: LegalCase | None = None) -> Authority:
        """Find an authority by id, else by a public release's name for it.

        Args:
            name: The id, or a name in a release ("nda-8"), or the id of the null authority.
            case: A case whose own authorities are looked at first.

        Raises:
            UnknownAuthorityError: naming those there are.
        """
        own = case.authorities if case else ()
        known = (*own, *self.authorities, self.null)
        for authority in known:
            if authority.id == name:
                return authority
        for authority in known:
            if name in authority.external:
                return authority
        listed = ", ".join(authority.id for authority in known)
        raise UnknownAuthorityError(f"{self.id}: no authority {name!r}; there are: {listed}")

    def wording(self, name: str = "base") -> Wording:
        """Return a wording by id; raises ``KeyError`` naming those there are."""
        for wording in self.wordings:
            if wording.id == name:
                return wording
        listed = ", ".join(wording.id for wording in self.wordings)
        raise KeyError(f"{self.id}: no wording {name!r}; there are: {listed}")

    def pair(self, name: str) -> Pair:
        """Return a pair by its id, or make one from ``"target:control"``."""
        for pair in self.pairs:
            if pair.id == name:
                return pair
        target, _, control = name.partition(":")
        return Pair(name, self.authority(target).id, self.authority(control).id)

    def ask(self, case: LegalCase, authority: str, wording: str = "base") -> Question:
        """Put one question together."""
        about = self.authority(authority, case)
        texts = case.options or tuple(option.text for option in self.options)
        chosen = self.wording(wording)
        return Question(
            case=case.id,
            unit=case.unit,
            task=self.id,
            facts=case.facts,
            authority=about,
            wording=chosen.id,
            text=chosen.render(about),
            options=tuple(Option(o.label, t) for o, t in zip(self.options, texts, strict=True)),
            gold=case.gold.get(about.id),
        )
