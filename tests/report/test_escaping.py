"""Whatever stands in a case stays text on the page: no element, no attribute, no disorder."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decidendi.judgment import Reason
from decidendi.report import CellFigure, CertificationPage, render_certification

MARKUP = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style></title></desc></svg><script>alert(1)</script>",
    "--><!-- ]]><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% include 'x' %}",
    "javascript:alert(1) &lt;b&gt; &#x3c;b>",
    "`${alert(1)}`\\u003cscript>",
)
UNSEEN = (
    "\u202egnp.exe\u202c",
    "\u2066\u2067isolates\u2069",
    "zero\u200bwidth\ufeff",
    "nul\x00 bell\x07 escape\x1b[31m",
    "lone \ud800 surrogate",
    "tags \U000e0041\U000e0042",
    "lines\u2028paragraphs\u2029",
)
LONG = "x" * 10_000


class Collector(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shapes: set[tuple[str, tuple[str, ...]]] = set()
        self.classes: set[str] = set()
        self.targets: set[str] = set()
        self.text: list[str] = []
        self.other: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shapes.add((tag, tuple(name for name, _ in attrs)))
        for name, value in attrs:
            if name == "class":
                self.classes.update((value or "").split())
            if name in ("href", "id", "fill", "aria-labelledby"):
                self.targets.update((value or "").split())

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.other.append(data)

    def unknown_decl(self, data: str) -> None:
        self.other.append(data)


def read(html: str) -> Collector:
    collector = Collector()
    collector.feed(html)
    collector.close()
    return collector


def everywhere(value: Any, change: Callable[[str], str]) -> Any:
    """Return ``value`` with every string in it changed; equal strings stay equal."""
    if isinstance(value, Reason):
        return value
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple):
        return tuple(everywhere(item, change) for item in value)
    if isinstance(value, Mapping):
        return {change(key): item for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        changed = {f.name: everywhere(getattr(value, f.name), change) for f in fields(value)}
        return replace(value, **changed)
    return value


def with_payload(page: CertificationPage, payload: str) -> CertificationPage:
    # Outcomes are the one field that selects where its group stands; the rest is only shown.
    hostile: CertificationPage = everywhere(page, lambda text: f"{text[:12]}{payload}")
    groups = zip(hostile.problems, page.problems, strict=True)
    problems = tuple(replace(new, outcome=old.outcome) for new, old in groups)
    sources = tuple(
        replace(
            example,
            sources=tuple(
                replace(pair, old=f"{old.old}\n{payload}", revised=f"{payload}\n{old.revised}")
                for pair, old in zip(example.sources, before.sources, strict=True)
            ),
        )
        for example, before in zip(hostile.examples, page.examples, strict=True)
    )
    return replace(hostile, problems=problems, examples=sources, confidence=payload)


@pytest.fixture(scope="session")
def allowed(page: CertificationPage) -> Collector:
    """What pages without hostile content are made of, notes about cuts included."""
    cut = replace(page, evaluator="y" * 500, confidence="0.95")
    stray = replace(page, verdicts=(), examples=page.examples[:1])
    many = replace(page, verdicts=("approve", *map(str, range(20))), transitions=page.transitions)
    end = replace(
        page.examples[0],
        status="unmeasured",
        cells=(CellFigure((), "a longer verdict"),),
    )
    parts = (page, cut, stray, many, replace(page, examples=(end,)))
    merged = Collector()
    for part in parts:
        one = read(render_certification(part))
        merged.shapes |= one.shapes
        merged.classes |= one.classes | {f"v{i}" for i in range(8)}
        merged.targets |= one.targets
    return merged


def assert_inert(html: str, allowed: Collector) -> Collector:
    found = read(html)
    assert found.shapes <= allowed.shapes
    assert found.classes <= allowed.classes
    assert found.targets <= allowed.targets
    assert not found.other
    html.encode("utf-8")
    return found


@pytest.mark.parametrize("payload", MARKUP)
def test_markup_in_every_field_stays_text(
    page: CertificationPage, allowed: Collector, payload: str
) -> None:
    found = assert_inert(render_certification(with_payload(page, payload)), allowed)
    # it is shown as what it is, many times over, not swallowed
    assert "".join(found.text).count(payload) > 50


@pytest.mark.parametrize("payload", UNSEEN)
def test_characters_that_act_unseen_are_written_out(
    page: CertificationPage, allowed: Collector, payload: str
) -> None:
    html = render_certification(with_payload(page, payload))
    assert_inert(html, allowed)
    unseen = {c for c in payload if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert unseen and not unseen & set(html)
    assert f"⟨U+{ord(min(unseen)):04X}⟩" in html


def test_long_strings_are_cut_and_the_cut_is_said(
    page: CertificationPage, allowed: Collector
) -> None:
    plain = render_certification(page)
    html = render_certification(with_payload(page, LONG))
    found = assert_inert(html, allowed)
    assert "x" * 1100 not in html
    assert len(html) < 3 * len(plain)
    assert "".join(found.text).count("more characters") > 50


@given(text=st.text(st.characters(), max_size=60))
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_in_any_field_stays_text(
    page: CertificationPage, allowed: Collector, text: str
) -> None:
    small = replace(page, units=page.units[:2], examples=page.examples[1:2])
    assert_inert(render_certification(with_payload(small, text)), allowed)
