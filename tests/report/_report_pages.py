"""Every page of the report, and how each is drawn: what the general tests run over."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from _audit_pages import one_model, six_models
from _bench_pages import benchmark, comparison
from _grading_pages import graded

from decidendi.judgment import Reason
from decidendi.report import (
    AuditPage,
    BenchmarkPage,
    CertificationPage,
    ComparisonPage,
    GradingPage,
    render_audit,
    render_benchmark,
    render_certification,
    render_comparison,
    render_grading,
)

Page = CertificationPage | AuditPage | ComparisonPage | BenchmarkPage | GradingPage

OTHERS: dict[str, Callable[[], Page]] = {
    "audit": one_model,
    "six-models": six_models,
    "comparison": comparison,
    "benchmark": benchmark,
    "grading": graded,
}
NAMES = ("refunds", *OTHERS)


def render(page: Page) -> str:
    if isinstance(page, CertificationPage):
        return render_certification(page)
    if isinstance(page, AuditPage):
        return render_audit(page)
    if isinstance(page, ComparisonPage):
        return render_comparison(page)
    if isinstance(page, GradingPage):
        return render_grading(page)
    return render_benchmark(page)


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


def hostile(page: Page, payload: str) -> Page:
    """Return a page with a payload in every text; what only selects stays as it was."""
    found: Any = everywhere(page, lambda text: f"{text[:12]}{payload}")
    if isinstance(page, CertificationPage):
        groups = zip(found.problems, page.problems, strict=True)
        problems = tuple(replace(new, outcome=old.outcome) for new, old in groups)
        examples = tuple(
            replace(
                new,
                sources=tuple(
                    replace(pair, old=f"{a.old}\n{payload}", revised=f"{payload}\n{a.revised}")
                    for pair, a in zip(new.sources, old.sources, strict=True)
                ),
            )
            for new, old in zip(found.examples, page.examples, strict=True)
        )
        return replace(page_of(found), problems=problems, examples=examples, confidence=payload)
    if isinstance(page, AuditPage):
        cases = tuple(
            replace(
                new,
                conditions=tuple(
                    _hostile_condition(c, a, payload)
                    for c, a in zip(new.conditions, old.conditions, strict=True)
                ),
            )
            for new, old in zip(found.cases, page.cases, strict=True)
        )
        known = zip(found.conditions, page.conditions, strict=True)
        conditions = tuple(replace(new, id=old.id) for new, old in known)
        return replace(found, cases=cases, conditions=conditions)
    if isinstance(page, ComparisonPage):
        pairs = zip(found.discordant, page.discordant, strict=True)
        return replace(found, discordant=tuple(replace(n, hit=o.hit) for n, o in pairs))
    return replace(found)


def page_of(found: Any) -> CertificationPage:
    assert isinstance(found, CertificationPage)
    return found


def _hostile_condition(new: Any, old: Any, payload: str) -> Any:
    """Put the payload into the prompt's changes, and into the answer's marked and plain parts."""
    answers = tuple(
        replace(
            answer,
            text=f"{payload} {before.text[:40]} {payload}",
            named=((0, len(payload)),),
            verdict_at=None,
        )
        for answer, before in zip(new.answers, old.answers, strict=True)
    )
    prompt = f"{old.prompt}\n{payload} {old.condition}"
    return replace(new, condition=old.condition, prompt=prompt, answers=answers)


def text_of(html: str) -> str:
    """Return the page's text with blanks collapsed."""
    body = re.sub(r"<(style|title|desc)\b.*?</\1>", " ", html, flags=re.S)
    text = re.sub(r"</?(bdi|b|strong|code|mark|del|ins)\b[^>]*>", "", body)
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))
    return re.sub(r" ([.:;,])", r"\1", text)
