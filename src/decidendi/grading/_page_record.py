"""A judge's record as figures of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

from decidendi.grading._page_chains import Names
from decidendi.grading._plant import PLANTED
from decidendi.grading._validate import Validation
from decidendi.report import (
    AgreementFigure,
    ClassFigure,
    CorrectedFigure,
    FirstErrorFigure,
    JudgeRecordFigures,
    MatrixFigure,
    RateFigure,
)
from decidendi.stats import Agreement, Corrected, CorrectedRate, JudgeRecord, NoAgreement, Rate

IN_ERROR = "in error"
_NAMES = {"no": "sound", "sound": "sound", "yes": IN_ERROR, "wrong": IN_ERROR}


def rate_figure(rate: Rate, name: str = "") -> RateFigure:
    """Return a share as the page takes it."""
    return RateFigure(
        name, "", rate.numerator, rate.n, rate.low, rate.high, rate.method, rate.excluded
    )


@overload
def corrected_figure(found: None) -> None: ...
@overload
def corrected_figure(found: CorrectedRate) -> CorrectedFigure: ...
@overload
def corrected_figure(found: CorrectedRate | None) -> CorrectedFigure | None: ...
def corrected_figure(found: CorrectedRate | None) -> CorrectedFigure | None:
    """Return a corrected rate, or why there is none, as the page takes it."""
    if found is None:
        return None
    if isinstance(found, Corrected):
        return CorrectedFigure(
            found.estimate,
            found.labelled,
            found.judged,
            found.low,
            found.high,
            method=found.method,
            excluded=found.excluded,
            stood_in=found.stood_in,
        )
    needed = found.needed
    return CorrectedFigure(
        None,
        found.labelled,
        found.judged,
        why=found.reason,
        needed=needed.labels,
        alone=needed.alone,
        reach=needed.half_width,
        excluded=found.excluded,
        stood_in=found.stood_in,
    )


def record_figures(
    found: Validation, names: Names, collections: tuple[str, ...]
) -> JudgeRecordFigures:
    """Return a record as the page takes it.

    Args:
        found: The judge against people.
        names: What kinds and classes are called.
        collections: The sets that the labelled chains come from.
    """
    first, people = found.first, found.people
    stands = {"stands": True, "does not stand": False}.get(found.judged_gap)
    among = [
        _agreement("whether a premise is in error", people.wrong),
        *(_agreement(names.of(code), one) for code, one in people.kinds.items()),
        _agreement("the class of the conclusion", people.conclusion),
    ]
    if people.pair is not None:
        among.insert(1, _agreement("the same, the two of them", people.pair))
    return JudgeRecordFigures(
        labelled=found.labelled,
        collections=collections,
        annotators=people.annotators,
        several=people.several,
        among=tuple(among),
        premises=_matrix(found.premises, _NAMES, ["yes"]),
        kinds=_matrix(found.kinds, names.of_kinds(found.kinds.confusion.labels)),
        errors=_errors(found, [code for code in names.errors if "." not in code], names),
        sub_errors=_errors(found, [code for code in names.errors if "." in code], names),
        conclusions=_matrix(
            found.conclusions,
            names.classes,
            kappas=found.class_kappas,
            alphas=found.class_alphas,
        ),
        wholes=_matrix(found.wholes, _NAMES, ["wrong"]),
        first=FirstErrorFigure(
            rate_figure(first.on_wrong),
            rate_figure(first.on_sound),
            first.f1,
            first.early,
            first.late,
            first.missed,
            first.excluded,
        ),
        by_agreement=tuple(rate_figure(rate, name) for name, rate in found.by_agreement.items()),
        followed=found.followed,
        gap_stands=stands,
        planted=set(people.annotators) == {PLANTED},
    )


def _agreement(name: str, found: Agreement | NoAgreement) -> AgreementFigure:
    short = "alpha" if "alpha" in found.coefficient.lower() else "kappa"
    if isinstance(found, NoAgreement):
        return AgreementFigure(name, short, None, found.n, why=found.reason)
    return AgreementFigure(name, short, found.value, found.n, found.low, found.high)


def _errors(found: Validation, codes: Sequence[str], names: Names) -> tuple[ClassFigure, ...]:
    return tuple(
        _class(names.of(code), record, "yes", record.kappa, record.alpha)
        for code in codes
        if (record := found.errors.get(code)) is not None
    )


def _matrix(
    record: JudgeRecord,
    names: Mapping[str, str],
    shown: Sequence[str] | None = None,
    *,
    kappas: Mapping[str, Agreement | NoAgreement] | None = None,
    alphas: Mapping[str, Agreement | NoAgreement] | None = None,
) -> MatrixFigure:
    """Return a confusion matrix; its classes are named, and in the order of their names given."""
    counts = record.confusion
    order = [(label, counts.labels.index(label)) for label in names if label in counts.labels]
    classes = [label for label, _ in order] if shown is None else shown
    return MatrixFigure(
        tuple(names[label] for label, _ in order),
        tuple(tuple(counts.counts[i][j] for _, j in order) for _, i in order),
        rate_figure(record.agreed),
        _agreement("", record.kappa),
        _agreement("", record.alpha),
        tuple(
            _class(
                names[label], record, label, (kappas or {}).get(label), (alphas or {}).get(label)
            )
            for label in classes
        ),
        counts.excluded,
    )


def _class(
    name: str,
    record: JudgeRecord,
    label: str,
    kappa: Agreement | NoAgreement | None,
    alpha: Agreement | NoAgreement | None,
) -> ClassFigure:
    rates = record.classes[label]
    return ClassFigure(
        name,
        rate_figure(rates.precision),
        rate_figure(rates.recall),
        rate_figure(rates.f1),
        None if kappa is None else _agreement("", kappa),
        None if alpha is None else _agreement("", alpha),
    )
