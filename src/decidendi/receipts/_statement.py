"""Certificates as in-toto Statements: plain JSON, the same bytes everywhere.

The predicate is the certificate; the subject is the transition it speaks of. The published
JSON Schema lies beside this file. Signing is somebody else's job: the statement's canonical
bytes are what gets signed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from decidendi.judgment import (
    JSON,
    BadInputError,
    Identity,
    Reason,
    Unmeasured,
    Verdict,
    digest_of,
    parse_json,
)
from decidendi.receipts._certificate import (
    Cell,
    Certificate,
    Finding,
    Migration,
    Sampling,
    Status,
)
from decidendi.receipts._lattice import mask_of, names_of
from decidendi.receipts._receipt import Receipt

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://decidendi.dev/certificate/v1"


class CertificateError(BadInputError):
    """A document that does not have the form of a certificate."""


def certificate_schema() -> dict[str, Any]:
    """Return the published JSON Schema of a statement."""
    text = resources.files(__package__).joinpath("certificate.schema.json").read_bytes()
    schema: dict[str, Any] = parse_json(text)
    return schema


def to_statement(certificate: Certificate) -> dict[str, JSON]:
    """Return the certificate as an in-toto Statement."""
    predicate = to_predicate(certificate)
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": certificate.case_id, "digest": {"sha256": _subject(predicate)}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": predicate,
    }


def to_predicate(certificate: Certificate) -> dict[str, JSON]:
    """Return the certificate's content; its canonical bytes are what a digest binds."""
    identity = certificate.adjudicator
    kinds = identity.kinds
    predicate: dict[str, JSON] = {
        "tool": {"name": "decidendi", "version": certificate.tool_version},
        "case": {"id": certificate.case_id, "unit": certificate.unit},
        "adjudicator": identity.as_json(),
        "old": dict(zip(kinds, certificate.old, strict=True)),
        "revised": dict(zip(kinds, certificate.revised, strict=True)),
        "cells": [_cell(cell, kinds) for cell in certificate.cells],
        "outcome": _outcome(certificate.finding, kinds),
    }
    if certificate.migration is not None:
        predicate["migration"] = {
            "old": dict(zip(kinds, certificate.migration.old, strict=True)),
            **_verdict(certificate.migration.verdict),
        }
    if certificate.sampling is not None:
        predicate["sampling"] = {
            "confidence": certificate.sampling.confidence,
            "budget": certificate.sampling.budget,
        }
    return predicate


def statement_of(predicate: dict[str, JSON]) -> dict[str, JSON]:
    """Wrap a predicate, as made by ``to_predicate``, in its statement."""
    case = predicate["case"]
    assert isinstance(case, dict)
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": case["id"], "digest": {"sha256": _subject(predicate)}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": predicate,
    }


def _subject(predicate: Mapping[str, JSON]) -> str:
    """Digest the whole predicate: one changed bit anywhere in it no longer matches."""
    return digest_of(dict(predicate)).removeprefix("sha256:")


def _cell(cell: Cell, kinds: Sequence[str]) -> JSON:
    out: dict[str, JSON] = {"replaced": list(names_of(cell.mask, kinds)), **_verdict(cell.verdict)}
    if cell.draws:
        out["draws"] = [_draw(draw) for draw in cell.draws]
    return out


def _draw(draw: Verdict) -> JSON:
    return draw if isinstance(draw, str) else _verdict(draw)


def _verdict(verdict: Verdict) -> dict[str, JSON]:
    if isinstance(verdict, Unmeasured):
        return {"unmeasured": {"reason": verdict.reason.value, "detail": verdict.detail}}
    return {"verdict": verdict}


def _outcome(finding: Finding, kinds: Sequence[str]) -> JSON:
    def named(masks: Sequence[int]) -> JSON:
        return [list(names_of(mask, kinds)) for mask in masks]

    out: dict[str, JSON] = {"status": finding.status.value}
    if finding.receipt is not None:
        out["receipt"] = named(finding.receipt.masks)
    if finding.open:
        out["open"] = named(finding.open)
    if finding.status is Status.UNCERTIFIABLE:
        out["known"] = named(finding.known)
    return out


def from_predicate(predicate: Mapping[str, Any]) -> Certificate:
    """Read a certificate back, exactly as it claims to be. Verifying it is another matter.

    Raises:
        CertificateError: if the document does not have the form of a certificate.
    """
    try:
        return _read(predicate)
    except CertificateError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"not a certificate: {type(error).__name__} {error}"
        raise CertificateError(what, remedy="compare it with its JSON Schema") from None


def _read(predicate: Mapping[str, Any]) -> Certificate:
    about = predicate["adjudicator"]
    kinds = tuple(about["kinds"])
    identity = Identity(
        name=about["name"],
        engine=about["engine"],
        digest=about["digest"],
        verdicts=tuple(about["verdicts"]),
        kinds=kinds,
        deterministic=about["deterministic"],
    )
    migration = sampling = None
    if (moved := predicate.get("migration")) is not None:
        migration = Migration(_digests(moved["old"], kinds), _read_verdict(moved))
    if (drawn := predicate.get("sampling")) is not None:
        sampling = Sampling(drawn["confidence"], drawn["budget"])
    return Certificate(
        case_id=predicate["case"]["id"],
        unit=predicate["case"]["unit"],
        adjudicator=identity,
        old=_digests(predicate["old"], kinds),
        revised=_digests(predicate["revised"], kinds),
        cells=tuple(_read_cell(cell, kinds) for cell in predicate["cells"]),
        finding=_read_finding(predicate["outcome"], kinds),
        tool_version=predicate["tool"]["version"],
        migration=migration,
        sampling=sampling,
    )


def _digests(named: Mapping[str, str], kinds: tuple[str, ...]) -> tuple[str, ...]:
    if set(named) != set(kinds):
        raise CertificateError(f"digests of {sorted(named)}, but the kinds are {list(kinds)}")
    return tuple(named[kind] for kind in kinds)


def _read_cell(cell: Mapping[str, Any], kinds: tuple[str, ...]) -> Cell:
    draws = tuple(
        draw if isinstance(draw, str) else _read_verdict(draw) for draw in cell.get("draws", ())
    )
    return Cell(mask_of(cell["replaced"], kinds), _read_verdict(cell), draws)


def _read_verdict(holder: Mapping[str, Any]) -> Verdict:
    if ("verdict" in holder) == ("unmeasured" in holder):
        raise CertificateError("a cell needs either a verdict or a reason why it has none")
    if "verdict" in holder:
        label = holder["verdict"]
        if not isinstance(label, str):
            raise CertificateError(f"the verdict {label!r} is not text")
        return label
    missing = holder["unmeasured"]
    return Unmeasured(Reason(missing["reason"]), missing["detail"])


def _read_finding(outcome: Mapping[str, Any], kinds: tuple[str, ...]) -> Finding:
    def masks(field: str) -> tuple[int, ...]:
        return tuple(mask_of(names, kinds) for names in outcome.get(field, ()))

    receipt = Receipt(kinds, masks("receipt")) if "receipt" in outcome else None
    return Finding(Status(outcome["status"]), receipt, masks("open"), masks("known"))
