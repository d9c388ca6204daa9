"""One case shown in full: its cells, its receipt in words, its sources side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from decidendi.certification._words import outcome_words
from decidendi.judgment import JSON, State
from decidendi.receipts import Certificate, Transition, names_of
from decidendi.report import CellFigure, ExampleCase, Members, SourcePair

LONGEST_SOURCE = 100_000
"""Characters of one source that are shown."""


def members(masks: Sequence[int], kinds: Sequence[str]) -> Members:
    """Return sets of kinds by name."""
    return tuple(names_of(mask, kinds) for mask in masks)


def example(certificate: Certificate, transition: Transition, why: str) -> ExampleCase:
    """Return one case shown in full."""
    pairs = _pairs(transition.migrated or transition.old, transition.revised)
    return shown_case(certificate, tuple(pairs), why)


def shown_case(
    certificate: Certificate, sources: tuple[SourcePair, ...], why: str = ""
) -> ExampleCase:
    """Return one case shown in full, with sources found elsewhere."""
    kinds = certificate.adjudicator.kinds
    receipt = certificate.receipt
    return ExampleCase(
        case=certificate.case_id,
        unit=certificate.unit,
        status=certificate.status.value,
        changed=names_of(certificate.changed, kinds),
        cells=tuple(
            CellFigure(names_of(cell.mask, kinds), cell.verdict, len(cell.draws))
            for cell in certificate.cells
        ),
        receipt=receipt.members if receipt else (),
        words=outcome_words(certificate),
        sources=sources,
        known=members(certificate.finding.known, kinds),
        why=why,
    )


def _pairs(old: State, revised: State) -> Iterator[SourcePair]:
    for before, after in zip(old, revised, strict=True):
        yield SourcePair(
            before.kind,
            readable(before.content),
            readable(after.content),
            before.digest,
            after.digest,
        )


def readable(content: JSON, longest: int = LONGEST_SOURCE) -> str:
    """Return a source as text for people: JSON indented, one key a line."""
    if isinstance(content, str):
        text = content
    elif (
        isinstance(content, dict) and content and all(isinstance(v, str) for v in content.values())
    ):
        # files by path: each under its own heading, line breaks as they are
        multi = any("\n" in str(v) for v in content.values())
        text = _files(content) if multi else _json(content)
    else:
        text = _json(content)
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n… {len(text) - longest:,} more characters"


def _json(content: JSON) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, sort_keys=True)


def _files(content: dict[str, JSON]) -> str:
    return "\n".join(f"── {path} ──\n{content[path]}" for path in sorted(content))
