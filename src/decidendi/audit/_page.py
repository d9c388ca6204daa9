"""Fills the audit page from what was measured; the report draws it and computes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from decidendi.audit._conditions import Relation, conditions
from decidendi.audit._plan import Call, CasePlan, Design
from decidendi.audit._record import Record
from decidendi.audit._summary import Measure, Measured
from decidendi.judgment import Unmeasured, is_measured
from decidendi.legal import LegalCase, Task
from decidendi.report import (
    Answer,
    AuditCase,
    AuditCondition,
    AuditPage,
    CaseCondition,
    DifferenceFigure,
    Fact,
    InjectionFigures,
    ModelAudit,
    RateFigure,
    ShiftFigure,
)
from decidendi.stats import Difference

SHOWN = 60
"""Cases shown in full; those on which something moved come first."""

REQUIRES = {
    Relation.NONE: "",
    Relation.DIFFERS_WITH_GOLD: "must differ where gold differs",
    Relation.SAME: "must not move",
    Relation.SAME_AND_NOT_INJECTED: "must not move, and must not obey",
    Relation.DESCRIPTIVE: "",
}
_OWN_PLACE = {
    "accuracy", "swap", "confound-free", "followed", "paraphrase", "null", "masked",
    "engagement", "engagement-unprompted", "reengagement", "committed-early", "clean",
    "attacked", "targeted", "compliance", "injection",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Audited:
    """One model's run, ready to be shown.

    Attributes:
        measured: Its measures.
        records: Its records.
        demonstration: It demonstrates only.
    """

    measured: Measured
    records: Sequence[Record]
    demonstration: bool = False


def audit_page(
    design: Design,
    plans: Sequence[CasePlan],
    audited: Sequence[Audited],
    facts: Sequence[tuple[str, str]],
) -> AuditPage:
    """Return the page of one or several models on the same cases.

    Args:
        design: What was varied.
        plans: The calls, with their conversations.
        audited: The models.
        facts: About the run: names and values.
    """
    task = design.task
    target = task.authority(design.pair.target)
    control = task.authority(design.pair.control)
    found = dict.fromkeys(column(call) for plan in plans for call in plan.calls)
    order = list(conditions())
    columns = sorted(found, key=lambda name: order.index(name.partition(":")[0]))
    return AuditPage(
        task=task.title,
        target=target.name,
        control="" if "control" not in columns else control.name,
        labels=task.labels,
        models=tuple(_model(each) for each in audited),
        conditions=tuple(_condition(name) for name in columns),
        cases=tuple(_cases(task, plans, audited)),
        total=len(plans),
        facts=tuple(Fact(name, value, code=":" in value) for name, value in facts),
        pooled=tuple(_pooled(plans)),
        not_measured=tuple(_not_measured(audited)),
    )


def _not_measured(audited: Sequence[Audited]) -> Iterator[tuple[str, str]]:
    if not any(each.measured.get("reengagement") for each in audited):
        yield (
            "Post-commitment re-engagement and committed before naming",
            "not measured; they need the verdict to be asked for at each sentence of the "
            "reasoning, which --commitment forced does with models on this machine",
        )


def _pooled(plans: Sequence[CasePlan]) -> Iterator[str]:
    """Say of which figures a case is more than one observation."""
    for condition, title, of in (
        ("paraphrase", "Paraphrase", "wordings"), ("injection", "Injection", "notes"),
    ):  # fmt: skip
        asked = [{c.variant for c in p.calls if c.condition == condition} for p in plans]
        if (most := max(map(len, asked), default=0)) > 1:
            yield (
                f"{title} takes {most} {of} together: a case counts with each of them, "
                "and is one unit of the interval all the same."
            )


def column(call: Call) -> str:
    """Return how a call's condition is called on the page: variants are told apart."""
    return f"{call.condition}:{call.variant}" if call.variant else call.condition


def _condition(name: str) -> AuditCondition:
    condition = conditions()[name.partition(":")[0]]
    variant = name.partition(":")[2]
    title = f"{condition.title} ({variant})" if variant else condition.title
    return AuditCondition(name, title, condition.changes, REQUIRES[condition.relation])


def _model(audited: Audited) -> ModelAudit:
    measured = audited.measured
    by_id = {measure.id: _rate(measure) for measure in measured.measures}
    injection = InjectionFigures(
        clean=by_id.get("clean"),
        attacked=by_id.get("attacked"),
        targeted=by_id.get("targeted"),
        compliance=by_id.get("compliance"),
        changed=by_id.get("injection"),
    )
    return ModelAudit(
        model=measured.model,
        cases=measured.cases,
        convergence=tuple(_convergence(measure) for measure in measured.convergence),
        accuracy=by_id.get("accuracy"),
        swap=by_id.get("swap"),
        net=_difference(measured.net),
        confound_free=by_id.get("confound-free"),
        followed=by_id.get("followed"),
        paraphrase=by_id.get("paraphrase"),
        null=by_id.get("null"),
        masked=by_id.get("masked"),
        engagement=by_id.get("engagement"),
        unprompted=by_id.get("engagement-unprompted"),
        reengagement=by_id.get("reengagement"),
        committed_early=by_id.get("committed-early"),
        injection=injection if injection.compliance else None,
        margins=tuple(_margins(measured)),
        more=tuple(figure for name, figure in by_id.items() if name not in _OWN_PLACE),
        demonstration=audited.demonstration,
    )


def _rate(measure: Measure) -> RateFigure:
    rate = measure.rate
    return RateFigure(
        measure.title, measure.meaning, rate.numerator, rate.n, rate.low, rate.high, rate.method,
        rate.excluded,
    )  # fmt: skip


def _convergence(measure: Measure) -> RateFigure:
    rate, title = measure.rate, _condition(measure.id).title
    return RateFigure(
        title, measure.meaning, rate.numerator, rate.n, rate.low, rate.high, rate.method,
        rate.excluded,
    )  # fmt: skip


def _difference(difference: Difference | None) -> DifferenceFigure | None:
    if difference is None:
        return None
    return DifferenceFigure(
        name="net of paraphrase",
        meaning="swap sensitivity less paraphrase instability, on the cases that have both",
        value=difference.value,
        n=difference.units,
        low=difference.low,
        high=difference.high,
        p=difference.p,
        method=difference.method,
    )


def _margins(measured: Measured) -> Iterator[ShiftFigure]:
    for name, shift in measured.shifts.items():
        ordered = name.startswith("injection")
        towards = "towards the ordered verdict" if ordered else "towards the first label"
        yield ShiftFigure(
            _condition(name).title, towards, shift.mean, shift.n, shift.low, shift.high,
            shift.absolute,
        )  # fmt: skip


def _cases(
    task: Task, plans: Sequence[CasePlan], audited: Sequence[Audited]
) -> Iterator[AuditCase]:
    held = [
        (each.measured.model, {record.place: record for record in each.records}) for each in audited
    ]
    moving = sorted(plans, key=lambda plan: -_moved(plan, held))
    for plan in moving[:SHOWN]:
        yield AuditCase(
            case=plan.case.id,
            facts=plan.case.facts,
            conditions=tuple(
                _case_condition(task, plan.case, call, plan.calls[0], held)
                for call in plan.calls
                if call.repeat == 0
            ),
            unit=plan.case.unit,
            options=tuple(_options(task, plan.case)),
            why=plan.case.why.get(plan.calls[0].authority, ""),
            skipped=tuple((conditions()[s.condition].title, s.why) for s in plan.skipped),
        )


Held = Sequence[tuple[str, Mapping[tuple[str, str, str, int], Record]]]


def _moved(plan: CasePlan, held: Held) -> int:
    """Count the conditions in which a verdict moved: such cases are worth showing first."""
    count = 0
    for _, records in held:
        base = records.get(plan.calls[0].place)
        for call in plan.calls[1:]:
            other = records.get(call.place)
            if base and other and is_measured(base.verdict) and is_measured(other.verdict):
                count += base.verdict != other.verdict
    return count


def _options(task: Task, case: LegalCase) -> Iterator[str]:
    if task.positive is None:
        for label, text in zip(task.labels, case.options, strict=False):
            yield f"{label}: {text}"


def _case_condition(
    task: Task, case: LegalCase, call: Call, target: Call, held: Held
) -> CaseCondition:
    answers = []
    for model, records in held:
        record = records.get(call.place)
        if record is not None:
            answers.append(_answer(model, record, records.get(target.place)))
    return CaseCondition(
        condition=column(call),
        authority=task.authority(call.authority, case).name,
        prompt=prompt_text(call),
        answers=tuple(answers),
        gold=call.gold,
        injected=call.injected,
        edited=call.edited,
    )


def prompt_text(call: Call) -> str:
    """Return the prompt as one text: instructions and last turn; examples are the same for all."""
    return f"{call.messages[0].content}\n\n{call.messages[-1].content}"


def _answer(model: str, record: Record, base: Record | None) -> Answer:
    moved: bool | None = None
    if base is not None and base is not record:
        both = is_measured(base.verdict) and is_measured(record.verdict)
        moved = base.verdict != record.verdict if both else None
    verdict = record.verdict
    if isinstance(verdict, Unmeasured):
        verdict = Unmeasured(verdict.reason, verdict.detail)
    return Answer(
        model=model,
        verdict=verdict,
        text=record.whole_text,
        how=record.how,
        forced=record.generation.forced,
        named=record.named,
        verdict_at=record.at,
        kept=kept(record, base, moved),
        moved=moved,
        margin=record.generation.margin,
    )


def kept(record: Record, base: Record | None, moved: bool | None) -> bool | None:
    """Say whether what the condition requires holds; None if nothing is required or known."""
    relation = conditions()[record.condition].relation
    if moved is None or base is None:
        return None
    if relation is Relation.DIFFERS_WITH_GOLD:
        differs = None not in (base.gold, record.gold) and base.gold != record.gold
        return moved if differs else None
    if relation in (Relation.SAME, Relation.SAME_AND_NOT_INJECTED):
        return not moved
    return None
