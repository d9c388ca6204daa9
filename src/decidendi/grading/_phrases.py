"""How the steps of executable law are put into words, and read back from them.

``data/phrases.json`` has, for each sentence of the traces, other ways to say it, and the sentence
that says the opposite. A sentence that is not among them cannot be read, and nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from decidendi.judgment import digest_of, parse_json
from decidendi.legal import say, task

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_SHAPES = {
    "date": rf"(?:{'|'.join(MONTHS)}) \d{{1,2}}, \d{{4}}",
    "weekday": r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day",
    "money": r"\$[\d,]+(?:\.\d\d)?",
    "days": r"\d+ days?",
    "years": r"\d+ years?",
    "times": r"(?:never|once|twice|\d+ times)",
}
_SLOT = re.compile(r"\{(?P<name>\w+)(?::(?P<format>\w+))?\}")
_ANY = r".{1,300}?"


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence that was recognised.

    Attributes:
        template: The sentence of the trace that it is a wording of.
        slots: Its values as they are written, by name.
        formats: How each is written: ``date``, ``money``; empty for plain text.
    """

    template: str
    slots: Mapping[str, str]
    formats: Mapping[str, str]


@dataclass(frozen=True)
class _Pattern:
    template: str
    regex: re.Pattern[str]
    formats: Mapping[str, str]
    literal: int


def data(name: str) -> Any:  # noqa: ANN401 - the content of a JSON file of our own
    """Return the content of ``data/<name>.json``."""
    return parse_json(files("decidendi.grading").joinpath("data", f"{name}.json").read_bytes())


@lru_cache(maxsize=1)
def phrases_digest() -> str:
    """Digest of the wordings and misreadings: part of the identity of what is made with them."""
    return digest_of({name: data(name) for name in ("phrases", "misreadings")})


@lru_cache(maxsize=1)
def _book() -> dict[str, dict[str, Any]]:
    return {entry["as"]: entry for entry in data("phrases")["phrases"]}


def wordings(template: str) -> tuple[str, ...]:
    """Return the ways to say a sentence of the traces, its own first."""
    entry = _book().get(template)
    return (template, *entry["also"]) if entry else (template,)


def opposite(template: str) -> str | None:
    """Return the sentence that says the opposite; None if there is none with the same values."""
    entry = _book().get(template)
    found = entry.get("not") if entry else None
    return str(found) if found else None


def slots_of(template: str) -> set[str]:
    """Return the names of the values that a sentence needs."""
    return {found["name"] for found in _SLOT.finditer(template)}


def said(template: str, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a sentence as they are written in it."""
    return {
        _key(found): say(found[0], values)
        for found in _SLOT.finditer(template)
        if found["name"] in values
    }


def read(text: str) -> tuple[Reading, ...]:
    """Return what a sentence may be a wording of, the most definite first; empty if unknown."""
    found = []
    for pattern in _patterns():
        match = pattern.regex.fullmatch(text)
        if match:
            found.append(Reading(pattern.template, match.groupdict(), pattern.formats))
    return tuple(found)


@lru_cache(maxsize=1)
def _patterns() -> tuple[_Pattern, ...]:
    """Every wording as an expression; those with the most words of their own come first."""
    made = [_pattern(template, text) for template in _book() for text in wordings(template)]
    return tuple(sorted(made, key=lambda pattern: -pattern.literal))


def _pattern(template: str, text: str) -> _Pattern:
    formats: dict[str, str] = {}
    parts, end = [], 0
    for found in _SLOT.finditer(text):
        name, form = _key(found), found["format"] or ""
        shape = _authorities() if name == "authority" else _SHAPES.get(form, _ANY)
        parts.append(re.escape(text[end : found.start()]))
        parts.append(f"(?P={name})" if name in formats else f"(?P<{name}>{shape})")
        formats[name] = form
        end = found.end()
    parts.append(re.escape(text[end:]))
    literal = sum(len(text[a:b]) for a, b in _between(text))
    return _Pattern(template, re.compile("".join(parts)), formats, literal)


def _key(slot: re.Match[str]) -> str:
    """The name of a slot; a day of the week is one of its own beside its date."""
    return f"{slot['name']}_weekday" if slot["format"] == "weekday" else slot["name"]


@lru_cache(maxsize=1)
def _authorities() -> str:
    names = sorted((a.name for a in task("law").authorities), key=lambda name: -len(name))
    return f"(?:{'|'.join(map(re.escape, names))})"


def _between(text: str) -> list[tuple[int, int]]:
    ends, at = [], 0
    for found in _SLOT.finditer(text):
        ends.append((at, found.start()))
        at = found.end()
    return [*ends, (at, len(text))]


def iso(written: str) -> str:
    """Return a written date as ISO text: "July 5, 2024" as ``2024-07-05``."""
    month, day, year = written.replace(",", "").split()
    return f"{int(year):04d}-{MONTHS.index(month) + 1:02d}-{int(day):02d}"


def cents(written: str) -> int:
    """Return a written amount in cents: "$75,000.01" as 7500001."""
    dollars, _, rest = written.lstrip("$").replace(",", "").partition(".")
    return int(dollars) * 100 + int(rest or 0)
