"""Whatever stands in a case stays text on the page: no element, no attribute, no disorder."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from _report_pages import Page, everywhere, hostile, render
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decidendi.report import AuditPage, CellFigure, CertificationPage, GradingPage

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


def harmless(page: Page) -> list[Page]:
    """Return pages without hostile content that have every part a page can have."""
    # Long texts show the notes about cuts; labels beyond the declared set show how strays look.
    long: Any = everywhere(page, lambda text: text[:12] + "y" * 9_000)
    parts = [
        page,
        long,
        hostile(page, "plain"),
        hostile(page, "\n\nlines\n"),
        hostile(page, "z" * 9_000),
    ]
    if isinstance(page, CertificationPage):
        end = replace(
            page.examples[0], status="unmeasured", cells=(CellFigure((), "a longer verdict"),)
        )
        parts += [
            replace(page, evaluator="y" * 500, confidence="0.95"),
            replace(page, verdicts=(), examples=page.examples[:1]),
            replace(page, verdicts=("approve", *map(str, range(20)))),
            replace(page, examples=(end,)),
        ]
    return parts


@pytest.fixture(scope="session")
def allowed(any_page: Page) -> Collector:
    """What pages without hostile content are made of."""
    merged = Collector()
    for part in harmless(any_page):
        one = read(render(part))
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
def test_markup_in_every_field_stays_text(any_page: Page, allowed: Collector, payload: str) -> None:
    found = assert_inert(render(hostile(any_page, payload)), allowed)
    # it is shown as what it is, many times over, not swallowed
    assert "".join(found.text).count(payload) > 30


@pytest.mark.parametrize("payload", UNSEEN)
def test_characters_that_act_unseen_are_written_out(
    any_page: Page, allowed: Collector, payload: str
) -> None:
    html = render(hostile(any_page, payload))
    assert_inert(html, allowed)
    unseen = {c for c in payload if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert unseen and not unseen & set(html)
    assert f"⟨U+{ord(min(unseen)):04X}⟩" in html


def test_long_strings_are_cut_and_the_cut_is_said(any_page: Page, allowed: Collector) -> None:
    plain = render(any_page)
    html = render(hostile(any_page, LONG))
    found = assert_inert(html, allowed)
    # an answer shows 4,000 characters, facts 8,000; anything else at most a tenth of that
    long = isinstance(any_page, AuditPage | GradingPage)
    most = 8_100 if long else 1_100
    assert "x" * most not in html
    assert len(html) < (8 if long else 3) * len(plain)
    assert "".join(found.text).count("more characters") > 20


@given(text=st.text(st.characters(), max_size=60))
@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_in_any_field_stays_text(any_page: Page, allowed: Collector, text: str) -> None:
    small = any_page
    if isinstance(small, CertificationPage):
        small = replace(small, units=small.units[:2], examples=small.examples[1:2])
    assert_inert(render(hostile(small, text)), allowed)
