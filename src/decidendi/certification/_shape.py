"""What a row says, read once for all rows that say the same."""

from __future__ import annotations

from dataclasses import dataclass

from decidendi.certification._words import receipt_words
from decidendi.judgment import Reason, Unmeasured, Verdict, is_measured
from decidendi.ledger import Binder, Row
from decidendi.receipts import (
    Certificate,
    CertificateError,
    Status,
    verify_certificate,
    why_open,
    worst_case_cells,
)

REMEMBERED = 20_000


@dataclass(slots=True, eq=False)
class Shape:
    """The part of a certificate that many cases share.

    Attributes:
        status: The outcome.
        old: The old endpoint's verdict.
        revised: The revised endpoint's.
        receipt: The family as masks; empty unless certified.
        words: The receipt in words; empty unless certified.
        executed: How many cells stand in the certificate.
        full: 2^k over the changed kinds.
        reasons: Why it is open, by reason; empty unless uncertifiable or unmeasured.
        flickers: Whether a state gave two answers though declared deterministic.
        problems: What does not follow in it, by verification.
        changed: Whether both endpoints are measured and differ.
    """

    status: Status
    old: Verdict
    revised: Verdict
    receipt: tuple[int, ...]
    words: str
    executed: int
    full: int
    reasons: tuple[str, ...]
    flickers: bool
    problems: tuple[str, ...]
    changed: bool


class Shapes:
    """Reads the shapes of one run's rows, each distinct one once.

    Everything that verification looks at, besides the digests themselves, is in a row's shape:
    which kinds changed, the cells with their draws, the claimed outcome, the migration. So a
    shape found sound is sound for every row that has it; each row's own bytes are then bound
    by its digest.
    """

    def __init__(self, binder: Binder) -> None:
        self._binder = binder
        self._known: dict[tuple[int, bytes, bytes, bytes], Shape] = {}

    def of(self, row: Row) -> Shape:
        """Return the row's shape; raises ``CertificateError`` if it cannot be read."""
        key = row.shape
        found = self._known.get(key)
        if found is None:
            try:
                found = self._read(self._binder.certificate(row))
            except (LookupError, TypeError, ValueError) as error:
                what = f"not a certificate: {type(error).__name__} {error}"
                raise CertificateError(what) from None
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = found
        return found

    def _read(self, certificate: Certificate) -> Shape:
        problems = tuple(verify_certificate(certificate))
        verdicts = [
            verdict for cell in certificate.cells for verdict in (cell.verdict, *cell.draws)
        ]
        receipt = certificate.receipt.masks if certificate.receipt else ()
        old, revised = certificate.old_verdict, certificate.revised_verdict
        return Shape(
            status=certificate.status,
            old=old,
            revised=revised,
            receipt=receipt,
            words=receipt_words(receipt, certificate.adjudicator.kinds) if receipt else "",
            executed=len(certificate.cells),
            full=worst_case_cells(certificate.changed),
            reasons=_reasons(certificate),
            flickers=any(
                isinstance(v, Unmeasured) and v.reason is Reason.NONDETERMINISTIC for v in verdicts
            ),
            problems=problems,
            changed=is_measured(old) and is_measured(revised) and old != revised,
        )


def _reasons(certificate: Certificate) -> tuple[str, ...]:
    """Return why a certificate is open: each reason once, in the order of the cells."""
    migration = certificate.migration
    old = certificate.old_verdict
    if migration is not None and is_measured(old) and migration.verdict != old:
        return ("migration",)
    return tuple(dict.fromkeys(why.reason.value for why in why_open(certificate).values()))
