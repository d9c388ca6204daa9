"""Receipts and outcomes in words, and the fixed order in which receipts are listed."""

from __future__ import annotations

from collections.abc import Sequence

from decidendi.judgment import Unmeasured, Verdict, is_measured
from decidendi.receipts import Certificate, Status, names_of, why_open
from decidendi.report import receipt_label


def listed(names: Sequence[str], last: str = "and") -> str:
    """Return ``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def receipt_words(masks: Sequence[int], kinds: Sequence[str]) -> str:
    """Return a whole receipt as people say it, e.g. ``either grounds or norms``."""
    return receipt_label(tuple(names_of(mask, kinds) for mask in masks), limit=len(masks))


def receipt_order(masks: Sequence[int]) -> tuple[object, ...]:
    """Return the sort key of a receipt: complexity, multiplicity, then kind order."""
    return (masks[0].bit_count(), len(masks), [(m.bit_count(), m) for m in masks])


def verdict_words(verdict: Verdict) -> str:
    """Return a verdict as people say it."""
    if isinstance(verdict, Unmeasured):
        detail = f": {verdict.detail}" if verdict.detail else ""
        return f"unmeasured ({verdict.reason.value}{detail})"
    return verdict


def outcome_words(certificate: Certificate) -> str:
    """Return what a certificate establishes, in a sentence or two."""
    old, new = certificate.old_verdict, certificate.revised_verdict
    kinds = certificate.adjudicator.kinds
    if certificate.status is Status.IDENTICAL:
        return f"No source that can affect this case changed; the verdict is {verdict_words(old)}."
    if certificate.status is Status.NO_OP:
        names = listed(names_of(certificate.changed, kinds))
        return f"The {names} changed, the verdict did not: it is {verdict_words(old)} under both."
    if certificate.status is Status.UNMEASURED:
        ends = f"old: {verdict_words(old)}; revised: {verdict_words(new)}"
        return f"It is not known whether the verdict changed. The endpoints are {ends}."
    change = f"The verdict went from {verdict_words(old)} to {verdict_words(new)}"
    if certificate.status is Status.CERTIFIED:
        assert certificate.receipt is not None
        return f"{change}. {_because(certificate.receipt.masks, kinds)}"
    return _why_uncertifiable(certificate, change)


def _because(masks: Sequence[int], kinds: Sequence[str]) -> str:
    if len(masks) == 1:
        names = names_of(masks[0], kinds)
        if len(names) == 1:
            return (
                f"Revising the {names[0]} alone reproduces it, and no set without {names[0]} does."
            )
        return (
            f"It takes the revised {listed(names)} together: no smaller set, and no set without "
            "all of these, reproduces it."
        )
    each = [listed(names_of(mask, kinds)) for mask in masks]
    return (
        "There is more than one reason: each of these is enough on its own, and nothing smaller "
        f"is: {'; '.join(each)}."
    )


def _why_uncertifiable(certificate: Certificate, change: str) -> str:
    kinds = certificate.adjudicator.kinds
    if certificate.migration is not None and is_measured(certificate.old_verdict):
        before = certificate.migration.verdict
        if before != certificate.old_verdict:
            return (
                f"Uncertifiable: the declared migration itself changes the old verdict, from "
                f"{verdict_words(before)} to {verdict_words(certificate.old_verdict)}."
            )
    cells = [
        f"{listed(names_of(mask, kinds)) or 'nothing'}: {verdict_words(why)}"
        for mask, why in why_open(certificate).items()
    ]
    known = certificate.finding.known
    stands = f" Whatever they say, {receipt_words(known, kinds)} is a member." if known else ""
    return (
        f"{change}, but the receipt cannot be certified: these hybrids have no verdict, by what "
        f"they revise: {'; '.join(cells)}.{stands}"
    )
