"""Verifying a certificate offline: from its executed cells alone, running nothing.

Verification answers "does the receipt follow from these cells, and are these all the cells it
needs?". Whether the cells are what the evaluator really says is for replay to answer, and who
vouches for them is for a signature.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema_rs import Draft202012Validator

from decidendi.judgment import BadInputError, Unmeasured, is_measured
from decidendi.receipts._certificate import (
    Certificate,
    IncompleteTableError,
    changed_mask,
    derive,
)
from decidendi.receipts._lattice import in_order, names_of
from decidendi.receipts._sampled import decide, is_open, level_of
from decidendi.receipts._statement import (
    CertificateError,
    certificate_schema,
    from_predicate,
    statement_of,
    to_predicate,
)

_validators: list[Draft202012Validator] = []


def verify_statement(statement: Any) -> list[str]:  # noqa: ANN401 - a stranger's document
    """Return everything that is wrong with a statement; an empty list verifies it.

    Never raises for what the document holds, and never executes anything it names.
    """
    if not _validators:
        _validators.append(Draft202012Validator(certificate_schema()))
    try:
        malformed = [
            f"{'/'.join(map(str, error.instance_path)) or 'the document'}: {error.message}"
            for error in _validators[0].iter_errors(statement)
        ]
    except ValueError as error:  # the validator's own bound on nesting
        return [f"the document: {error}"]
    if malformed:
        return malformed
    predicate: Mapping[str, Any] = statement["predicate"]
    try:
        certificate = from_predicate(predicate)
        expected = statement_of(dict(predicate))
    except BadInputError as error:
        return [f"predicate: {error}"]
    problems = verify_certificate(certificate)
    if to_predicate(certificate) != predicate:
        problems.append("predicate: not in the one form that this certificate has")
    if statement["subject"] != expected["subject"]:
        problems.append(
            "subject: does not match the predicate: the certificate was altered after it was made"
        )
    return problems


def verify_certificate(certificate: Certificate) -> list[str]:
    """Return everything that does not follow in a certificate; an empty list verifies it."""
    kinds = certificate.adjudicator.kinds
    problems = _cell_problems(certificate)
    verdicts = {cell.mask: cell.verdict for cell in certificate.cells}
    masks = [cell.mask for cell in certificate.cells]
    if list(in_order(verdicts)) != masks:
        problems.append("cells: repeated or out of order")
    try:
        finding = derive(
            kinds,
            changed_mask(certificate.old, certificate.revised),
            verdicts,
            certificate.migration,
        )
    except IncompleteTableError as error:
        return [*problems, f"cells: {error}"]
    for field in ("status", "receipt", "open", "known"):
        claimed, derived = getattr(certificate.finding, field), getattr(finding, field)
        if claimed != derived:
            problems.append(
                f"outcome.{field}: claims {_shown(claimed, kinds)}, "
                f"but the cells give {_shown(derived, kinds)}"
            )
    return problems


def _shown(value: object, kinds: tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return str([list(names_of(mask, kinds)) for mask in value])
    return "no receipt" if value is None else f"“{value}”"


def _cell_problems(certificate: Certificate) -> list[str]:
    """Check labels against the declared set, and drawn verdicts against their draws."""
    about = certificate.adjudicator
    problems = []
    if about.deterministic != (certificate.sampling is None):
        problems.append("sampling: given exactly if the adjudicator is stochastic")
    for cell in certificate.cells:
        where = f"cells[{'+'.join(names_of(cell.mask, about.kinds)) or 'old'}]"
        stray = {v for v in (cell.verdict, *cell.draws) if is_measured(v)} - set(about.verdicts)
        if stray:
            problems.append(f"{where}: {sorted(stray)} is not in the declared verdict set")
        if certificate.sampling is None:
            if cell.draws:
                problems.append(f"{where}: draws recorded for a deterministic adjudicator")
        else:
            problems.extend(f"{where}: {p}" for p in _draw_problems(certificate, cell.mask))
    migration = certificate.migration
    if migration and is_measured(migration.verdict) and migration.verdict not in about.verdicts:
        problems.append(f"migration: {migration.verdict!r} is not in the declared verdict set")
    return problems


def _draw_problems(certificate: Certificate, mask: int) -> list[str]:
    cell = next(cell for cell in certificate.cells if cell.mask == mask)
    sampling = certificate.sampling
    assert sampling is not None
    if not cell.draws:
        if isinstance(cell.verdict, Unmeasured):
            return []  # never drawn: the hybrid does not fit its interface
        return ["a verdict without draws"]
    try:
        level = level_of(sampling, certificate.changed)
    except BadInputError as error:
        return [str(error)]
    verdict, after = decide(cell.draws, level=level, labels=len(certificate.adjudicator.verdicts))
    if verdict != cell.verdict:
        return [f"the draws establish {verdict!r}, not {cell.verdict!r}"]
    if after != len(cell.draws) or len(cell.draws) > sampling.budget:
        return ["more draws are recorded than the decision took or the budget allows"]
    if is_open(verdict) and len(cell.draws) < sampling.budget:
        return ["undetermined before the budget was spent"]
    return []


def read_statement(statement: Any) -> Certificate:  # noqa: ANN401 - a stranger's document
    """Return the certificate in a statement after verifying it.

    Raises:
        CertificateError: with everything that is wrong.
    """
    if problems := verify_statement(statement):
        raise CertificateError("; ".join(problems))
    return from_predicate(statement["predicate"])
