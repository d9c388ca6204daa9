"""A certificate as one compact row, and back, exactly.

What all certificates of a run share (adjudicator, tool, sampling) stands once in ``run.json``;
a row holds the rest. Its canonical bytes are joined from fragments, most of which repeat
from case to case, so writing and verifying a row costs a few string joins and one hash.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

import orjson

from decidendi.judgment import JSON, Identity, canonical_bytes, parse_json
from decidendi.receipts import Cell, Certificate, Sampling, from_predicate, to_predicate

CACHED = 20_000
"""Distinct fragments remembered. An evaluator has few, unless errors tell cases apart."""


class Row(NamedTuple):
    """One certificate, and what summaries need beside it.

    Attributes:
        ordinal: 0-based position among the records of the case file, bad ones counted.
        line: 1-based line in the case file.
        case_id: The case.
        unit: The case's unit.
        old: Digests of the (migrated) old sources, 32 bytes per kind, joined.
        revised: Digests of the revised sources, likewise.
        before: Digests of the old sources as they were before migration; empty if none was.
        cells: Canonical JSON of the executed cells.
        outcome: Canonical JSON of the outcome.
        moved: Members of the migration object after its digests; empty if none was.
        digest: SHA-256 of the canonical bytes of the certificate's predicate.
        size: Bytes of the case's sources, old and revised together. Not certified.
        gold_old: Gold verdict of the old endpoint, if the case carries one. Not certified.
        gold_revised: Likewise for the revised endpoint.
    """

    ordinal: int
    line: int
    case_id: str
    unit: str
    old: bytes
    revised: bytes
    before: bytes
    cells: bytes
    outcome: bytes
    moved: bytes
    digest: bytes
    size: int
    gold_old: str | None
    gold_revised: str | None

    @property
    def shape(self) -> tuple[int, bytes, bytes, bytes]:
        """Everything the outcome follows from: changed kinds, cells, claim, migration."""
        return changed_kinds(self.old, self.revised), self.cells, self.outcome, self.moved


def changed_kinds(old: bytes, revised: bytes) -> int:
    """Return the mask of the kinds whose 32-byte digests differ."""
    mask = 0
    for i in range(len(old) >> 5):
        if old[i * 32 : i * 32 + 32] != revised[i * 32 : i * 32 + 32]:
            mask |= 1 << i
    return mask


class Binder:
    """Turns certificates of one run into rows, and rows into canonical predicate bytes."""

    def __init__(self, identity: Identity, tool_version: str, sampling: Sampling | None) -> None:
        """Fix what all certificates of the run share."""
        self.identity = identity
        self.tool_version = tool_version
        self.sampling = sampling
        about = canonical_bytes(identity.as_json()).decode()
        self._head = f'{{"adjudicator":{about},"case":{{"id":'
        tail = ""
        if sampling is not None:
            drawn: JSON = {"budget": sampling.budget, "confidence": sampling.confidence}
            tail = f',"sampling":{canonical_bytes(drawn).decode()}'
        tool: JSON = {"name": "decidendi", "version": tool_version}
        self._tail = f'{tail},"tool":{canonical_bytes(tool).decode()}}}'
        self._digests = _digest_template(identity.kinds)
        self._order = _written_order(identity.kinds)
        self._fragments: dict[int, tuple[tuple[Cell, ...], tuple[bytes, bytes, bytes]]] = {}

    def row(
        self,
        certificate: Certificate,
        *,
        ordinal: int,
        line: int,
        size: int,
        gold: tuple[str | None, str | None] = (None, None),
    ) -> Row:
        """Return the row of a certificate of this run."""
        cells, outcome, moved = self._fragments_of(certificate)
        migration = certificate.migration
        # Joined hex of the digests, each without its "sha256:".
        old = "".join([digest[7:] for digest in certificate.old])
        revised = "".join([digest[7:] for digest in certificate.revised])
        before = "".join([digest[7:] for digest in migration.old]) if migration else ""
        case_id, unit = certificate.case_id, certificate.unit
        data = self._join(case_id, unit, old, revised, before, cells, outcome, moved)
        return Row(
            ordinal,
            line,
            case_id,
            unit,
            bytes.fromhex(old),
            bytes.fromhex(revised),
            bytes.fromhex(before),
            cells,
            outcome,
            moved,
            sha256(data).digest(),
            size,
            *gold,
        )

    def predicate_bytes(self, row: Row) -> bytes:
        """Return the canonical bytes of the certificate's predicate."""
        return self._join(
            row.case_id,
            row.unit,
            row.old.hex(),
            row.revised.hex(),
            row.before.hex(),
            row.cells,
            row.outcome,
            row.moved,
        )

    def certificate(self, row: Row) -> Certificate:
        """Return the certificate as it was made; raises ``CertificateError`` if it is broken."""
        return from_predicate(parse_json(self.predicate_bytes(row)))

    def matches(self, row: Row) -> bool:
        """Whether the row's digest is that of its own bytes."""
        return sha256(self.predicate_bytes(row)).digest() == row.digest

    def _join(
        self,
        case_id: str,
        unit: str,
        old: str,
        revised: str,
        before: str,
        cells: bytes,
        outcome: bytes,
        moved: bytes,
    ) -> bytes:
        migration = ""
        if moved:
            migration = f',"migration":{{"old":{self._named(before)},{moved.decode()}}}'
        return "".join(
            (
                self._head,
                _quoted(case_id),
                ',"unit":',
                _quoted(unit),
                '},"cells":',
                cells.decode(),
                migration,
                ',"old":',
                self._named(old),
                ',"outcome":',
                outcome.decode(),
                ',"revised":',
                self._named(revised),
                self._tail,
            )
        ).encode()

    def _named(self, digests: str) -> str:
        """Return the JSON object from kind to digest."""
        return self._digests % tuple([digests[at : at + 64] for at in self._order])

    def _fragments_of(self, certificate: Certificate) -> tuple[bytes, bytes, bytes]:
        """Return cells, outcome and migration as canonical JSON.

        Cases with the same executed table share one tuple of cells, so the tuple itself finds
        its fragments; it is kept with them, so that no other can take its place in memory.
        """
        cells = certificate.cells
        if certificate.migration is not None or certificate.sampling is not None:
            return _fragments(certificate)
        known = self._fragments.get(id(cells))
        if known is not None:
            return known[1]
        if len(self._fragments) >= CACHED:
            self._fragments.clear()
        made = _fragments(certificate)
        self._fragments[id(cells)] = (cells, made)
        return made


def _fragments(certificate: Certificate) -> tuple[bytes, bytes, bytes]:
    predicate = to_predicate(certificate)
    return (
        canonical_bytes(predicate["cells"]),
        canonical_bytes(predicate["outcome"]),
        _migrated(predicate.get("migration")),
    )


def _migrated(migration: JSON) -> bytes:
    """Return the members of the migration object that follow ``old``, without braces."""
    if not isinstance(migration, dict):
        return b""
    return canonical_bytes({key: migration[key] for key in migration if key != "old"})[1:-1]


def _quoted(text: str) -> str:
    data = orjson.dumps(text)
    return (data if data.isascii() else canonical_bytes(text)).decode()


def unpacked(packed: bytes) -> tuple[str, ...]:
    """Return joined 32-byte digests as ``sha256:<hex>`` texts."""
    text = packed.hex()
    return tuple(["sha256:" + text[at : at + 64] for at in range(0, len(text), 64)])


def _in_canonical_order(kinds: tuple[str, ...]) -> list[str]:
    return sorted(kinds, key=lambda kind: kind.encode("utf-16-be"))


def _digest_template(kinds: tuple[str, ...]) -> str:
    ordered = _in_canonical_order(kinds)
    names = [canonical_bytes(kind).decode().replace("%", "%%") for kind in ordered]
    return "{" + ",".join(f'{name}:"sha256:%s"' for name in names) + "}"


def _written_order(kinds: tuple[str, ...]) -> tuple[int, ...]:
    """Return where each kind's digest starts in joined hex, in the order they are written."""
    return tuple(64 * kinds.index(kind) for kind in _in_canonical_order(kinds))
