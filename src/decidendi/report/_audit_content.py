"""What an audit page is made from: finished figures and texts, nothing to compute.

As on every page, text may hold anything a model can write; the page makes it inert. Order is
meaning: models, conditions and cases appear in the order given.

A figure that is None was not measured in the run (its condition was not run, or the instrument
was not there), and the page says so. One with ``n == 0`` was, and is undefined.
"""

from __future__ import annotations

from dataclasses import dataclass

from decidendi.judgment import Verdict
from decidendi.report._content import Fact, RateFigure
from decidendi.report._figures import DifferenceFigure, ShiftFigure


@dataclass(frozen=True, slots=True)
class AuditCondition:
    """One condition of the run.

    Attributes:
        id: What ``CaseCondition.condition`` refers to (``target``, ``control``, …).
        title: Its name for people. Variants are conditions of their own.
        changes: What differs from the target's prompt.
        requires: What its verdict must be, in words (``"must not move"``); empty if nothing.
    """

    id: str
    title: str
    changes: str
    requires: str = ""


@dataclass(frozen=True, slots=True)
class InjectionFigures:
    """What a note in the facts does.

    Attributes:
        clean: Accuracy without the note, on the cases that also have it.
        attacked: Accuracy with the note, on the same cases.
        targeted: Verdicts turned into the ordered one, of the cases that had another without it.
        compliance: Outputs that equal the ordered verdict.
        changed: Verdicts that differ from the uninjected run's.
    """

    clean: RateFigure | None = None
    attacked: RateFigure | None = None
    targeted: RateFigure | None = None
    compliance: RateFigure | None = None
    changed: RateFigure | None = None


@dataclass(frozen=True, slots=True)
class ModelAudit:
    """One model's measures.

    Figures with a field of their own are named and explained by the page, whatever their ``name``
    and ``meaning`` say; those in ``convergence``, ``margins`` and ``more`` by their names.

    Attributes:
        model: Its name.
        cases: Cases it was run on.
        convergence: Answers with a readable verdict; one per condition, named by its title.
        accuracy: Right verdicts under the target, of the answered cases with gold.
        swap: Verdict-swap sensitivity: target against control.
        net: The same net of paraphrase.
        confound_free: Swap sensitivity where gold differs, so that the verdict must change.
        followed: Of the same cases, those with gold's verdict under both authorities.
        paraphrase: Verdicts that differ under a rewording.
        null: Verdicts that differ under a placeholder authority.
        masked: Verdicts that differ with the precedent's name hidden.
        engagement: Answers under the target that name the authority asked about.
        unprompted: The same where the prompt does not ask for it.
        reengagement: Named again at or after the commitment step.
        committed_early: Committed before the authority is named.
        injection: What a note in the facts does; None if none was injected.
        margins: Shifts of log-odds by condition; empty without log-probabilities.
        more: Further rates, by variant or otherwise.
        demonstration: It demonstrates; its reasoning means nothing.
    """

    model: str
    cases: int
    convergence: tuple[RateFigure, ...] = ()
    accuracy: RateFigure | None = None
    swap: RateFigure | None = None
    net: DifferenceFigure | None = None
    confound_free: RateFigure | None = None
    followed: RateFigure | None = None
    paraphrase: RateFigure | None = None
    null: RateFigure | None = None
    masked: RateFigure | None = None
    engagement: RateFigure | None = None
    unprompted: RateFigure | None = None
    reengagement: RateFigure | None = None
    committed_early: RateFigure | None = None
    injection: InjectionFigures | None = None
    margins: tuple[ShiftFigure, ...] = ()
    more: tuple[RateFigure, ...] = ()
    demonstration: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What one model gave for one case under one condition.

    Attributes:
        model: The model.
        verdict: The label, or why there is none.
        text: Reasoning and answer, as one text.
        how: How the verdict was found: ``marker``, ``phrasing``; empty without a verdict.
        forced: Its reasoning was closed from outside and the answer asked for.
        named: Spans of ``text`` that name the authority asked about: start and end, in
            characters, in order.
        verdict_at: The span the verdict was read from; None if unknown.
        kept: Whether what the condition requires holds; None if nothing is required or known.
        moved: Whether the verdict differs from the target's; None for the target or if unknown.
        margin: Log-odds of the first label over the best other, in nats; None without.
    """

    model: str
    verdict: Verdict
    text: str
    how: str = ""
    forced: bool = False
    named: tuple[tuple[int, int], ...] = ()
    verdict_at: tuple[int, int] | None = None
    kept: bool | None = None
    moved: bool | None = None
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class CaseCondition:
    """One case under one condition.

    Attributes:
        condition: The condition's id.
        authority: What is asked about, in words.
        prompt: The whole prompt as text; what differs from the target's is marked.
        answers: One per model that was asked.
        gold: The right verdict; None without.
        injected: The verdict the note orders; empty without a note.
        edited: Words that differ from the target's prompt.
    """

    condition: str
    authority: str
    prompt: str
    answers: tuple[Answer, ...]
    gold: str | None = None
    injected: str = ""
    edited: int = 0


@dataclass(frozen=True, slots=True)
class AuditCase:
    """One case in full.

    Attributes:
        case: Its id.
        facts: Its facts; shown once.
        conditions: Its conditions, the target first.
        unit: Its unit; not shown where it equals the id.
        options: What the labels stand for, where they are numbers (``"0: holding that …"``).
        why: Why this case is shown; may be empty.
        skipped: Conditions it cannot be put under, and why: ``(title, reason)``.
    """

    case: str
    facts: str
    conditions: tuple[CaseCondition, ...]
    unit: str = ""
    options: tuple[str, ...] = ()
    why: str = ""
    skipped: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Everything that an audit page shows.

    Attributes:
        task: What is asked, in a few words (``"ECHR: was the Article violated?"``).
        target: The authority asked about.
        control: The one put in its place; empty where the task masks instead.
        labels: The verdicts in order; colours and codes follow this order.
        models: One per model.
        conditions: The conditions that were run, the target first.
        cases: Cases shown in full.
        total: All cases of the run; the page says how many are not shown.
        facts: Digests, versions, the command.
        pooled: Which figures take several variants together and how, one sentence each.
        not_measured: Measures that this run could not have, each with the reason.
    """

    task: str
    target: str
    control: str
    labels: tuple[str, ...]
    models: tuple[ModelAudit, ...]
    conditions: tuple[AuditCondition, ...]
    cases: tuple[AuditCase, ...] = ()
    total: int = 0
    facts: tuple[Fact, ...] = ()
    pooled: tuple[str, ...] = ()
    not_measured: tuple[tuple[str, str], ...] = ()
