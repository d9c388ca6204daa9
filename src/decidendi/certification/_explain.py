"""Explaining one case from its run folder, with no evaluator at hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from decidendi.certification._example import shown_case
from decidendi.certification._found import FoundSources
from decidendi.certification._runfile import RunFile
from decidendi.certification._verify import row_of, row_problems
from decidendi.ledger import open_ledger
from decidendi.receipts import Certificate
from decidendi.report import ExampleCase


@dataclass(frozen=True)
class Explanation:
    """One case of a run, explained.

    Attributes:
        certificate: Its certificate.
        shown: The case as pages show it: cells, receipt in words, sources side by side.
        missing: Sources that could not be found again, and why.
        problems: What is wrong with the certificate; empty if it verifies.
    """

    certificate: Certificate
    shown: ExampleCase
    missing: tuple[str, ...]
    problems: tuple[str, ...]


def explain(out: Path, case: str, cases: Path | None = None) -> Explanation:
    """Explain one case.

    A source is shown only if it has the digest that the certificate names: norms and authority
    come from the run's own copies, what the case brings from the case file, wherever that is.

    Args:
        out: The run folder.
        case: The case's id.
        cases: The case file, if it has moved.

    Raises:
        BadInputError: if the folder holds no run, or no such case.
    """
    run = RunFile.read(out)
    with open_ledger(out) as ledger:
        row = row_of(ledger, case)
    binder = run.binder
    certificate = binder.certificate(row)
    found = FoundSources(out, run, [row], cases)
    return Explanation(
        certificate,
        shown_case(certificate, found.pairs(certificate)),
        tuple(found.missing),
        tuple(row_problems(binder, row)),
    )
