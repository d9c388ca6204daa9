"""Explaining one case from its run folder, with no evaluator at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from decidendi.certification._example import readable, shown_case
from decidendi.certification._files import SourceStore
from decidendi.certification._records import case_file, records_at
from decidendi.certification._runfile import RunFile
from decidendi.certification._verify import row_of, row_problems
from decidendi.judgment import JSON, BadInputError, Source, digest_of, parse_json
from decidendi.ledger import Row, open_ledger
from decidendi.receipts import Certificate
from decidendi.report import ExampleCase, SourcePair


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
    found = _Sources(out, run, row, cases)
    kinds = certificate.adjudicator.kinds
    pairs = []
    for kind, old, revised in zip(kinds, certificate.old, certificate.revised, strict=True):
        before, after = found.text(kind, old), found.text(kind, revised)
        pairs.append(SourcePair(kind, before, after, old, revised))
    return Explanation(
        certificate,
        shown_case(certificate, tuple(pairs)),
        tuple(found.missing),
        tuple(row_problems(binder, row)),
    )


class _Sources:
    """Finds sources by digest: in the run's copies, then in the case's record."""

    def __init__(self, out: Path, run: RunFile, row: Row, cases: Path | None) -> None:
        self._store = SourceStore(out)
        self._case_kinds = set(run.case_kinds)
        self._by_digest: dict[str, JSON] = {}
        self._why = "the case file now says something else here"
        try:
            for content in _contents(case_file(run, cases), row, run.case_kinds):
                self._by_digest[digest_of(content)] = content
        except BadInputError as error:
            self._why = str(error)
        except OSError as error:
            self._why = f"the case file cannot be read: {error.strerror}"
        self.missing: list[str] = []

    def text(self, kind: str, digest: str) -> str:
        """Return a source as text for people; a remark in its place if it is not to be found."""
        if digest in self._by_digest:
            return readable(self._by_digest[digest])
        data = self._store.get(digest)
        if data is not None:
            content: JSON = parse_json(data)
            if Source(kind, content).digest == digest:
                return readable(content)
        why = self._why if kind in self._case_kinds else "the run has no copy of it"
        remark = f"{kind} {digest[:19]}…: {why}"
        if remark not in self.missing:
            self.missing.append(remark)
        return f"({why})"


def _contents(cases: Path, row: Row, kinds: tuple[str, ...]) -> Iterator[JSON]:
    record = records_at(cases, [row.line], kinds).get(row.line)
    if record is not None and record.case.id == row.case_id:
        for old, revised in record.contents.values():
            yield old
            yield revised
