"""From an audit page's content to what its template draws: cases bounded, prompts compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from decidendi.judgment import Unmeasured
from decidendi.report._audit_content import Answer, AuditCase, AuditPage, CaseCondition
from decidendi.report._audit_words import headline, masks, ordering, sentences
from decidendi.report._diff import Piece
from decidendi.report._measures import (
    further_plot,
    main_table,
    margin_plot,
    ordering_plot,
    robustness_table,
    tiles,
)
from decidendi.report._palette import Palette, Swatch
from decidendi.report._passage import Changes, changes, marked
from decidendi.report._plots import signed
from decidendi.report._text import counted

CASES = 60
OPTIONS = 12
CONDITIONS = 24

TEXT = 4_000
"""Characters of an answer that are shown …"""

TEXTS = 1_200_000
"""… and of all answers together: many answers are each cut shorter, never below ``LEAST``."""

LEAST = 300
BRIEF = 900  # characters of facts that are shown without folding

HOW = {"marker": "read from the marker", "phrasing": "read from its wording"}


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One model's answer, laid out.

    Attributes:
        model: The model.
        swatch: The verdict's mark; None without a verdict.
        missing: Why there is none.
        how: How the verdict was found.
        kept: ``yes``, ``no`` or empty: whether what is required holds.
        moved: The verdict against the target's, in words; may be empty.
        margin: Its log-odds in words; may be empty.
        text: The answer as pieces.
        cut: What is not shown of it.
        summary: What the fold says before it is opened.
    """

    model: str
    swatch: Swatch | None
    missing: str
    how: str
    kept: str
    moved: str
    margin: str
    text: tuple[Piece, ...]
    cut: str
    summary: str


@dataclass(frozen=True, slots=True)
class ConditionView:
    """One condition of a case, laid out; ``changes`` is None for the target itself."""

    item: CaseCondition
    title: str
    requires: str
    gold: Swatch | None
    injected: Swatch | None
    changes: Changes | None
    answers: tuple[AnswerView, ...]


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case, laid out."""

    case: AuditCase
    brief: str
    whole: str
    options: tuple[str, ...]
    more_options: int
    prompt: str
    conditions: tuple[ConditionView, ...]
    more_conditions: int
    glance: tuple[tuple[tuple[str, Swatch], ...], ...]


def audit_view(page: AuditPage) -> dict[str, Any]:
    """Return the template's variables."""
    palette = Palette(page.labels)
    cases = page.cases[:CASES]
    answers = sum(len(c.answers) for case in cases for c in case.conditions)
    limit = min(TEXT, max(LEAST, TEXTS // max(1, answers)))
    figure, rest = headline(page)
    shown = list(dict.fromkeys(c.condition for case in cases for c in case.conditions))
    titles = {condition.id: condition.title for condition in page.conditions}
    return {
        "page": page,
        "figure": figure,
        "headline": rest,
        "sentences": sentences(page),
        "demonstrations": [m.model for m in page.models if m.demonstration],
        "tiles": tiles(page),
        "ordering": ordering_plot(page),
        "ordering_says": ordering(page),
        "main": main_table(page),
        "robustness": robustness_table(page),
        "margins": margin_plot(page),
        "further": further_plot(page),
        "cases": [_case(case, page, palette, limit, shown) for case in cases],
        "columns": [titles.get(name, name) for name in shown],
        "not_shown": max(page.total, len(page.cases)) - len(cases),
        "legend": [palette[label] for label in page.labels],
        "several": len(page.models) > 1,
        "masked": masks(page),
    }


def _case(
    case: AuditCase, page: AuditPage, palette: Palette, limit: int, columns: list[str]
) -> CaseView:
    # The one the others are compared with: the target, which callers put first.
    base = next((c for c in case.conditions if c.condition == "target"), None)
    by_name = {c.condition: c for c in case.conditions}
    brief = case.facts if len(case.facts) <= BRIEF + 200 else _begun(case.facts)
    return CaseView(
        case=case,
        brief=brief,
        whole="" if brief == case.facts else case.facts,
        options=case.options[:OPTIONS],
        more_options=len(case.options[OPTIONS:]),
        prompt=base.prompt if base else "",
        conditions=tuple(
            _condition(item, base, page, palette, limit) for item in case.conditions[:CONDITIONS]
        ),
        more_conditions=len(case.conditions[CONDITIONS:]),
        glance=tuple(_glance(by_name.get(name), palette) for name in columns),
    )


def _begun(facts: str) -> str:
    """Return the beginning of long facts, ended between words where there are any."""
    return facts[: BRIEF - 60] + facts[BRIEF - 60 : BRIEF].rsplit(" ", 1)[0]


def _glance(item: CaseCondition | None, palette: Palette) -> tuple[tuple[str, Swatch], ...]:
    if item is None:
        return ()
    return tuple(
        (answer.model, palette[answer.verdict if isinstance(answer.verdict, str) else None])
        for answer in item.answers
    )


def _condition(
    item: CaseCondition,
    base: CaseCondition | None,
    page: AuditPage,
    palette: Palette,
    limit: int,
) -> ConditionView:
    known = next((c for c in page.conditions if c.id == item.condition), None)
    return ConditionView(
        item=item,
        title=known.title if known else item.condition,
        requires=known.requires if known else "",
        gold=None if item.gold is None else palette[item.gold],
        injected=palette[item.injected] if item.injected else None,
        changes=None if base is None or item is base else changes(base.prompt, item.prompt),
        answers=tuple(_answer(answer, palette, limit) for answer in item.answers),
    )


def _answer(answer: Answer, palette: Palette, limit: int) -> AnswerView:
    missing, swatch = "", None
    if isinstance(answer.verdict, Unmeasured):
        missing = f"{answer.verdict.reason.value}: {answer.verdict.detail}".removesuffix(": ")
    else:
        swatch = palette[answer.verdict]
    text, cut = marked(answer.text, answer.named, limit, answer.verdict_at)
    moved = {None: "", True: "another verdict than under the target", False: "as under the target"}
    kept = {None: "", True: "yes", False: "no"}
    how = HOW.get(answer.how, answer.how)
    return AnswerView(
        model=answer.model,
        swatch=swatch,
        missing=missing,
        how="forced: its reasoning was closed and the answer asked for" if answer.forced else how,
        kept=kept[answer.kept],
        moved=moved[answer.moved],
        margin="" if answer.margin is None else f"margin {signed(answer.margin, 2)} nats",
        text=text,
        cut=cut,
        summary=_summary(answer),
    )


def _summary(answer: Answer) -> str:
    if not answer.text:
        return ""
    times = len(answer.named)
    if times == 0:
        return "Answer: does not name the authority"
    return f"Answer: names the authority {_times(times)}"


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n) or counted(n, "time")
