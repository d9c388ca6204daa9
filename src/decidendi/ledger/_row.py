"""A certificate as one compact row, and back, exactly.

What all certificates of a run share (adjudicator, tool, sampling) stands once in ``run.json``;
a row holds the rest. Its canonical bytes are joined from fragments, most of which repeat
from case to case, so writing and verifying a row costs a few string joins and one hash.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NamedTuple

from decidendi.judgment import JSON, Identity, Verdict, canonical_bytes, parse_json
from decidendi.receipts import Certificate, Sampling, from_predicate, to_predicate

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
        self._head = b'{"adjudicator":' + canonical_bytes(identity.as_json()) + b',"case":{"id":'
        tail = b""
        if sampling is not None:
            about: JSON = {"budget": sampling.budget, "confidence": sampling.confidence}
            tail = b',"sampling":' + canonical_bytes(about)
        tool: JSON = {"name": "decidendi", "version": tool_version}
        self._tail = tail + b',"tool":' + canonical_bytes(tool) + b"}"
        self._digests = _digest_template(identity.kinds)
        self._order = _written_order(identity.kinds)
        self._fragments: dict[tuple[Any, ...], tuple[bytes, bytes, bytes]] = {}

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
        old, revised = _packed(certificate.old), _packed(certificate.revised)
        before = _packed(migration.old) if migration is not None else b""
        parts = (certificate.case_id, certificate.unit, old, revised, before)
        data = self._join(*parts, cells, outcome, moved)
        digest = sha256(data).digest()
        return Row(ordinal, line, *parts, cells, outcome, moved, digest, size, *gold)

    def predicate_bytes(self, row: Row) -> bytes:
        """Return the canonical bytes of the certificate's predicate."""
        return self._join(*row[2:10])

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
        old: bytes,
        revised: bytes,
        before: bytes,
        cells: bytes,
        outcome: bytes,
        moved: bytes,
    ) -> bytes:
        migration = b""
        if moved:
            migration = b',"migration":{"old":' + self._named(before) + b"," + moved + b"}"
        return b"".join(
            (
                self._head,
                canonical_bytes(case_id),
                b',"unit":',
                canonical_bytes(unit),
                b'},"cells":',
                cells,
                migration,
                b',"old":',
                self._named(old),
                b',"outcome":',
                outcome,
                b',"revised":',
                self._named(revised),
                self._tail,
            )
        )

    def _named(self, packed: bytes) -> bytes:
        """Return the JSON object from kind to digest."""
        text = packed.hex().encode()
        return self._digests % tuple([text[at : at + 64] for at in self._order])

    def _fragments_of(self, certificate: Certificate) -> tuple[bytes, bytes, bytes]:
        migration = certificate.migration
        moved = migration.verdict if migration is not None else None
        key: tuple[int | Verdict | None, ...] = (moved,)
        if certificate.sampling is None:
            pairs = [(cell.mask, cell.verdict) for cell in certificate.cells]
            key = (moved, *[part for pair in pairs for part in pair])
            if (found := self._fragments.get(key)) is not None:
                return found
        predicate = to_predicate(certificate)
        fragments = (
            canonical_bytes(predicate["cells"]),
            canonical_bytes(predicate["outcome"]),
            _migrated(predicate.get("migration")),
        )
        if certificate.sampling is None:
            if len(self._fragments) >= CACHED:
                self._fragments.clear()
            self._fragments[key] = fragments
        return fragments


def _migrated(migration: JSON) -> bytes:
    """Return the members of the migration object that follow ``old``, without braces."""
    if not isinstance(migration, dict):
        return b""
    return canonical_bytes({key: migration[key] for key in migration if key != "old"})[1:-1]


def _packed(digests: tuple[str, ...]) -> bytes:
    return bytes.fromhex("".join([digest[7:] for digest in digests]))


def unpacked(packed: bytes) -> tuple[str, ...]:
    """Return joined 32-byte digests as ``sha256:<hex>`` texts."""
    text = packed.hex()
    return tuple(["sha256:" + text[at : at + 64] for at in range(0, len(text), 64)])


def _in_canonical_order(kinds: tuple[str, ...]) -> list[str]:
    return sorted(kinds, key=lambda kind: kind.encode("utf-16-be"))


def _digest_template(kinds: tuple[str, ...]) -> bytes:
    names = [canonical_bytes(kind).replace(b"%", b"%%") for kind in _in_canonical_order(kinds)]
    return b"{" + b",".join(name + b':"sha256:%s"' for name in names) + b"}"


def _written_order(kinds: tuple[str, ...]) -> tuple[int, ...]:
    """Return where each kind's digest starts in joined hex, in the order they are written."""
    return tuple(64 * kinds.index(kind) for kind in _in_canonical_order(kinds))
