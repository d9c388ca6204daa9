"""How a verdict is worded: the typed specification that extraction is configured by."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from decidendi.judgment import BadInputError


@dataclass(frozen=True)
class Label:
    """One verdict.

    Attributes:
        name: What extraction returns.
        forms: Other ways to write it after the marker ("no violation"), in any case.
    """

    name: str
    forms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claims:
    """Ways to say in a sentence that something is so.

    Attributes:
        patterns: In the notation of ``data/verdicts.toml``; capturing groups are negations.
        keyword: An expression that every such sentence matches; only saves time.
        yes: The label of such a sentence.
        no: The label of its negation.
        after_verb_only: Counts only after a first-person verb: "I find a violation" concludes,
            "thus a violation would …" does not.
    """

    patterns: tuple[str, ...]
    keyword: str
    yes: str
    no: str
    after_verb_only: bool = False


@dataclass(frozen=True)
class VerdictSpec:
    """How the verdict of one task is declared and worded. Data only; hashable.

    Attributes:
        markers: Words that declare a verdict before a colon, in any case ("VERDICT").
        labels: The verdicts.
        prefixes: Words that may stand between the marker and a label ("option").
        claims: Conclusions in natural language.
        choices: Sentences that name a label: ``<label>`` in them is any label, after a prefix or
            not; ``<bare>`` any label alone.

    Raises:
        BadInputError: if no marker or label is given, two labels share a form, a claim yields an
            unknown label, or a pattern is not a regular expression.
    """

    markers: tuple[str, ...]
    labels: tuple[Label, ...]
    prefixes: tuple[str, ...] = ()
    claims: tuple[Claims, ...] = ()
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.markers or not self.labels or not all(self.markers):
            raise BadInputError("a verdict needs at least one marker and one label")
        forms = [form for label in self.labels for form in {*forms_of(label)}]
        for form in forms:
            if forms.count(form) > 1 or not form:
                raise BadInputError(f"the form {form!r} belongs to no label or to more than one")
        names = {label.name for label in self.labels}
        for claims in self.claims:
            if unknown := {claims.yes, claims.no} - names:
                raise BadInputError(f"claims yield {unknown}, which are no labels: {names}")
        for pattern in (*(p for c in self.claims for p in c.patterns), *self.choices):
            try:
                re.compile(expand(pattern, self))
            except re.error as error:
                raise BadInputError(f"{pattern!r} is not a regular expression: {error}") from None


def forms_of(label: Label) -> list[str]:
    """Return all ways to write a label, its name first, without case."""
    return [label.name.casefold(), *(form.casefold() for form in label.forms)]


def choice_spec(labels: Iterable[str], *, letters: bool = False) -> VerdictSpec:
    """Return the specification of a multiple choice, declared as ``ANSWER: n``.

    Args:
        labels: The options as they are numbered in the question ("0" to "4").
        letters: The question numbers its options with letters: A stands for the first label.
            Without it a letter is no answer.
    """
    task = _data()["tasks"]["choice"]
    options = [
        Label(name, (chr(ord("A") + index),) if letters else ())
        for index, name in enumerate(labels)
    ]
    return VerdictSpec(
        markers=tuple(task["markers"]),
        labels=tuple(options),
        prefixes=tuple(task["prefixes"]),
        choices=tuple(task["choices"]),
    )


def verdict_spec(task: str, *, authority: Sequence[str] = ()) -> VerdictSpec:
    """Return the shipped specification of a yes/no task.

    Args:
        task: ``yes-no`` (marker and labels alone), ``violation``, ``entailment`` or
            ``issue-area``.
        authority: Names of the authority asked about, for claims that must name it
            (``issue-area``: "the case concerns Criminal Procedure").

    Raises:
        BadInputError: if there is no such task.
    """
    tasks = _data()["tasks"]
    if task not in tasks or task == "choice":
        known = ", ".join(sorted(set(tasks) - {"choice"}))
        raise BadInputError(f"no task {task!r}", remedy=f"one of {known}; choice_spec for options")
    data = tasks[task]
    return VerdictSpec(
        markers=tuple(data["markers"]),
        labels=tuple(Label(name, tuple(forms)) for name, forms in data["labels"].items()),
        claims=tuple(
            Claims(
                tuple(_with_authority(claims["patterns"], authority)),
                claims["keyword"],
                claims["yes"],
                claims["no"],
                claims.get("after") == "verb",
            )
            for claims in data.get("claims", ())
        ),
    )


_WORDED = {"echr": "violation", "contractnli": "entailment", "scotus": "issue-area"}
"""Shipped tasks whose verdicts are also concluded in words of their own."""


def task_spec(
    task: str,
    marker: str,
    labels: Sequence[str],
    *,
    positive: str | None = None,
    authority: Sequence[str] = (),
) -> VerdictSpec:
    """Return how the verdicts of a task of questions are declared and worded.

    Args:
        task: Its id.
        marker: What it asks to be written before the verdict.
        labels: Its verdicts.
        positive: The label that counts as positive; a task without one may be a choice.
        authority: Names of the authority asked about.
    """
    if task in _WORDED:
        return verdict_spec(_WORDED[task], authority=authority)
    if positive is None and marker == "ANSWER":
        return choice_spec(labels)
    return VerdictSpec((marker,), tuple(Label(label) for label in labels))


def _with_authority(patterns: Sequence[str], authority: Sequence[str]) -> list[str]:
    """Put the authority's names in; drop the patterns that need one where there is none."""
    names = "|".join(re.escape(name).replace(r"\ ", "_") for name in authority)
    return [
        pattern.replace("<authority>", f"(?:{names})")
        for pattern in patterns
        if names or "<authority>" not in pattern
    ]


def expand(pattern: str, spec: VerdictSpec | None = None) -> str:
    """Write a pattern of the data file as an ordinary regular expression.

    Args:
        pattern: ``_`` stands for white space; ``<name>`` for a macro, or for the labels.
        spec: Whose labels ``<label>`` and ``<bare>`` stand for.
    """
    macros = _data()["macros"]
    for _ in range(5):  # macros in macros; never deeper
        pattern = re.sub(r"(?<!\?P)<([a-z]+)>", lambda m: str(macros.get(m[1], m[0])), pattern)
    pattern = pattern.replace("_", r"\s{1,3}")
    if spec is not None:
        pattern = pattern.replace("<label>", rf"{prefix(spec)}<bare>")
        pattern = pattern.replace("<bare>", f"(?P<label>{alternatives(spec)})")
    return pattern


def prefix(spec: VerdictSpec) -> str:
    """Return an expression for what may stand between a marker and a label: "(option "."""
    words = "|".join(re.escape(word) for word in (*spec.prefixes, "number"))
    return rf"[\"'(\[{{<#]{{0,3}}[ ]?(?:(?:{words})[\s#]{{1,3}}){{0,2}}[\"'(\[{{<#]{{0,3}}"


def alternatives(spec: VerdictSpec) -> str:
    """Return an expression for every form of every label, the longest first."""
    forms = sorted(
        {f for label in spec.labels for f in forms_of(label)}, key=lambda f: (-len(f), f)
    )
    return "|".join(re.sub(r"(?:\\ |\\-)+", r"[\\s-]{1,2}", re.escape(form)) for form in forms)


@dataclass(frozen=True)
class Wording:
    """The words of ``data/verdicts.toml`` that all tasks share, ready to use."""

    pro_text: str
    verb_text: str
    con_text: str
    nominal_text: str
    gap_text: str
    lead: frozenset[str]
    connective: frozenset[str]
    conditions: frozenset[str]
    abstention: frozenset[str]
    suppositions: re.Pattern[str]
    attributions: re.Pattern[str]
    refusals: re.Pattern[str]
    declined: re.Pattern[str]
    retracted: re.Pattern[str]
    withheld: re.Pattern[str]
    introduced: re.Pattern[str]
    otherwise: re.Pattern[str]
    no_label: re.Pattern[str]
    attributed: re.Pattern[str]


@lru_cache(maxsize=1)
def wording() -> Wording:
    """Return the shared words, compiled once."""
    data = _data()
    words, stop, leads = data["words"], data["stop"], data["leads"]

    def any_of(patterns: Sequence[str]) -> str:
        return "|".join(expand(pattern) for pattern in patterns)

    def one(patterns: Sequence[str]) -> re.Pattern[str]:
        return re.compile(any_of(patterns), re.IGNORECASE)

    return Wording(
        pro_text=any_of(leads["pro"]),
        verb_text=expand(leads["pro"][0]),
        con_text=any_of(leads["con"]),
        nominal_text=expand("<nominal>(?:_(?:is|would_be|must_be|has_to_be)|(?=:|[ ]?\n))"),
        gap_text=expand(leads["gap"]),
        lead=frozenset(words["lead"].split()),
        connective=frozenset(words["connective"].split()),
        conditions=frozenset(words["conditions"]),
        abstention=frozenset(words["abstention"].split()),
        suppositions=one(stop["suppositions"]),
        attributions=one(stop["attributions"]),
        refusals=one(stop["refusals"]),
        declined=one(data["doubt"]["declined"]),
        retracted=one(data["doubt"]["retracted"]),
        withheld=one(data["doubt"]["withheld"]),
        introduced=one(data["doubt"]["introduced"]),
        otherwise=one(data["doubt"]["otherwise"]),
        no_label=one(data["doubt"]["no_label"]),
        attributed=one(data["doubt"]["attributed"]),
    )


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    text = resources.files("decidendi.reasoning").joinpath("data/verdicts.toml")
    return tomllib.loads(text.read_text(encoding="utf-8"))
