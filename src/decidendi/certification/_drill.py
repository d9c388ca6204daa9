"""Drilling into one source of one case: which of its changed parts did it."""

from __future__ import annotations

from pathlib import Path

from decidendi.certification._records import case_file, records_at
from decidendi.certification._replay import refuse_strangers
from decidendi.certification._runfile import RunFile
from decidendi.certification._verify import row_of
from decidendi.evaluators import Evaluator, pair, split_parts
from decidendi.judgment import BadInputError, Place
from decidendi.ledger import open_ledger
from decidendi.receipts import Certificate, Drilled, Transition, drill, names_of


def drill_case(
    out: Path,
    case: str,
    kind: str,
    old: Evaluator,
    revised: Evaluator,
    cases: Path | None = None,
) -> list[Drilled]:
    """Drill into one kind of source, in every member of the case's receipt that has it.

    Executes the evaluators handed over, after matching their digests with the run's.

    Raises:
        BadInputError: if the case has no receipt with this kind, or anything handed over is
            not the run's.
    """
    run = RunFile.read(out)
    refuse_strangers(run, old, revised)
    with open_ledger(out) as ledger:
        row = row_of(ledger, case)
    certificate = run.binder.certificate(row)
    masks = _members_with(certificate, kind)
    file = case_file(run, cases)
    try:
        record = records_at(file, [row.line], run.case_kinds).get(row.line)
    except OSError as error:
        raise BadInputError(
            f"cannot be read: {error.strerror}",
            remedy="name the case file with --cases",
            place=Place(file=str(file)),
        ) from None
    allowed = run.content["options"]["timeout"]
    with pair(old, revised, timeout=None if allowed is None else float(allowed)) as both:
        transition = both.transition(record) if record is not None else None
        if transition is None or not _is_certified(transition, certificate):
            raise BadInputError(
                "the case file no longer gives the sources that were certified",
                remedy="name the right one with --cases",
                place=Place(file=str(file), line=row.line),
            )
        position = certificate.adjudicator.kinds.index(kind)
        base = transition.migrated or transition.old
        before, after = (state.sources[position] for state in (base, transition.revised))
        parts = split_parts(both, kind, before, after)
        sampling = run.sampling
        return [
            drill(
                both.adjudicator,
                transition,
                mask,
                kind,
                parts,
                contract=both.contract,
                confidence=sampling.confidence if sampling else "0.95",
                budget=sampling.budget if sampling else 1,
            )
            for mask in masks
        ]


def _members_with(certificate: Certificate, kind: str) -> list[int]:
    kinds = certificate.adjudicator.kinds
    receipt = certificate.receipt
    if kind not in kinds:
        raise BadInputError(f"there is no kind {kind!r}", remedy=f"one of: {', '.join(kinds)}")
    if receipt is None:
        what = f"case {certificate.case_id!r} is {certificate.status}: it has no receipt"
        raise BadInputError(what, remedy="drill into a certified case")
    masks = [mask for mask in receipt.masks if kind in names_of(mask, kinds)]
    if not masks:
        named = ", ".join(dict.fromkeys(name for member in receipt.members for name in member))
        raise BadInputError(
            f"{kind!r} is in no member of the receipt {receipt}", remedy=f"drill into: {named}"
        )
    return masks


def _is_certified(transition: Transition, certificate: Certificate) -> bool:
    base = transition.migrated or transition.old
    return (base.key, transition.revised.key) == (certificate.old, certificate.revised)
