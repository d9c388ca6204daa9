"""Sources found again by their digests: in a run's own copies, then in its case file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from decidendi.certification._example import readable
from decidendi.certification._files import SourceStore
from decidendi.certification._records import case_file, records_at
from decidendi.certification._runfile import RunFile
from decidendi.judgment import JSON, BadInputError, Source, digest_of, parse_json
from decidendi.ledger import Row
from decidendi.receipts import Certificate
from decidendi.report import SourcePair


class FoundSources:
    """The sources of a few certificates, as far as they are still there.

    Attributes:
        missing: Sources that could not be found again, and why.
    """

    def __init__(self, out: Path, run: RunFile, rows: Sequence[Row], cases: Path | None) -> None:
        """Look for the sources of rows.

        Args:
            out: The run folder.
            run: The run.
            rows: The certificates' rows.
            cases: The case file, if it has moved.
        """
        self._store = SourceStore(out)
        self._case_kinds = set(run.case_kinds)
        self._by_digest: dict[str, JSON] = {}
        self._why = "the case file now says something else here"
        self.missing: list[str] = []
        try:
            file = case_file(run, cases)
            records = records_at(file, [row.line for row in rows], run.case_kinds)
            for row in rows:
                record = records.get(row.line)
                if record is not None and record.case.id == row.case_id:
                    for pair in record.contents.values():
                        self._by_digest.update((digest_of(content), content) for content in pair)
        except BadInputError as error:
            self._why = str(error)
        except OSError as error:
            self._why = f"the case file cannot be read: {error.strerror}"

    def pairs(self, certificate: Certificate) -> tuple[SourcePair, ...]:
        """Return a certificate's sources as text, side by side; a remark for each lost one."""
        moved = certificate.migration is not None
        kinds = certificate.adjudicator.kinds
        return tuple(
            SourcePair(
                kind, self._text(kind, old, moved), self._text(kind, revised, False), old, revised
            )
            for kind, old, revised in zip(kinds, certificate.old, certificate.revised, strict=True)
        )

    def _text(self, kind: str, digest: str, moved: bool) -> str:
        if digest in self._by_digest:
            return readable(self._by_digest[digest])
        data = self._store.get(digest)
        if data is not None:
            content: JSON = parse_json(data)
            if Source(kind, content).digest == digest:
                return readable(content)
        why = self._why if kind in self._case_kinds else "the run has no copy of it"
        if moved:
            why += ", or the declared migration made it, and then no copy is kept"
        remark = f"{kind} {digest[:19]}…: {why}"
        if remark not in self.missing:
            self.missing.append(remark)
        return f"({why})"
