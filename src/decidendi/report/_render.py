"""Rendering: Jinja2 with autoescape on, one style sheet named by its hash, nothing else."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from decidendi.report._audit import audit_view
from decidendi.report._audit_content import AuditPage
from decidendi.report._benchmark import benchmark_view
from decidendi.report._benchmark_content import BenchmarkPage
from decidendi.report._certification import view_of
from decidendi.report._comparison import comparison_view
from decidendi.report._comparison_content import ComparisonPage
from decidendi.report._content import CertificationPage
from decidendi.report._grading import grading_view
from decidendi.report._grading_content import GradingPage
from decidendi.report._text import (
    counted,
    fitted,
    number,
    percent,
    receipt_label,
    share,
    share_words,
    shown,
    visible,
)

if TYPE_CHECKING:
    from jinja2 import Environment


def render_certification(page: CertificationPage) -> str:
    """Return the page as one self-contained HTML document.

    It needs no network and no script, and forbids both to itself. The same content always
    gives the same bytes.
    """
    return _document("certification.html", (), view_of(page))


def render_audit(page: AuditPage) -> str:
    """Return an audit's page, as self-contained and as repeatable as a certification's."""
    return _document("audit.html", ("figures.css", "audit.css"), audit_view(page))


def render_comparison(page: ComparisonPage) -> str:
    """Return the page of two models on the same cases."""
    return _document("comparison.html", ("figures.css",), comparison_view(page))


def render_benchmark(page: BenchmarkPage) -> str:
    """Return the page of a benchmark and of the predictions scored on it."""
    return _document("benchmark.html", ("figures.css",), benchmark_view(page))


def render_grading(page: GradingPage) -> str:
    """Return the page of graded chains, with their judge's record."""
    sheets = ("figures.css", "audit.css", "grading.css")
    return _document("grading.html", sheets, grading_view(page))


def _document(template: str, sheets: tuple[str, ...], view: dict[str, Any]) -> str:
    style, policy = _style(sheets)
    return _environment().get_template(template).render(style=style, policy=policy, **view)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    # Imported when the first page is drawn: it is half the start-up time of a command.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("decidendi.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # The last guard: text that reaches the page by any way is made visible, then escaped.
        finalize=_visible_text,
    )
    environment.filters.update(
        shown=shown,
        number=number,
        counted=counted,
        fitted=fitted,
        label=receipt_label,
        percentage=share_words,
    )
    environment.globals.update(percent=percent, share=share)
    return environment


def _visible_text(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


@lru_cache
def _style(sheets: tuple[str, ...]) -> tuple[Markup, str]:
    """Return the style sheets as one, and the content security policy that allows it alone."""
    folder = resources.files(__package__).joinpath("templates")
    css = "".join(folder.joinpath(sheet).read_text("utf-8") for sheet in ("style.css", *sheets))
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return Markup(css), policy  # noqa: S704 - our own file, not content
