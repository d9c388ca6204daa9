"""Certificates as files of their own: plain statements or signed envelopes; and back."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from decidendi.certification._runfile import RunFile
from decidendi.certification._verify import row_of
from decidendi.judgment import (
    BadInputError,
    MissingExtraError,
    Place,
    canonical_bytes,
    parse_json,
)
from decidendi.ledger import Inclusion, Ledger, Row, open_ledger, run_root
from decidendi.receipts import statement_of, verify_statement

PAYLOAD_TYPE = "application/vnd.in-toto+json"
PROOF_FORMAT = "decidendi-inclusion/1"
_NOT_SIGNED = "not signed, but a key was given to check its signature with"


def export_certificate(out: Path, case: str, key: Path | None = None) -> bytes:
    """Return the certificate of a case as a file: a statement, or an envelope if signed.

    Args:
        out: The run folder.
        case: The case's id.
        key: File with an unencrypted ed25519 private key in PEM; signs if given.

    Raises:
        BadInputError: if there is no such case, or the key cannot be used.
        MissingExtraError: if signing needs the extra ``sign``.
    """
    run = RunFile.read(out)
    with open_ledger(out) as ledger:
        statement = statement_of(parse_json(run.binder.predicate_bytes(row_of(ledger, case))))
    if key is None:
        return json.dumps(statement, indent=2, ensure_ascii=False).encode() + b"\n"
    return _signed(canonical_bytes(statement), key)


def inclusion_proof(out: Path, case: str) -> dict[str, Any]:
    """Return the proof that a case's certificate belongs to its run's Merkle root."""
    with open_ledger(out) as ledger:
        row = row_of(ledger, case)
        return _written_proof(ledger, row)


def _written_proof(ledger: Ledger, row: Row) -> dict[str, Any]:
    proof = ledger.inclusion(row)
    return {
        "format": PROOF_FORMAT,
        "root": "sha256:" + run_root(ledger.segments()).hex(),
        "index": proof.index,
        "leaves": proof.leaves,
        "siblings": [sibling.hex() for sibling in proof.siblings],
        "segment": proof.segment,
        "segments": proof.segments,
        "segment_siblings": [sibling.hex() for sibling in proof.segment_siblings],
    }


@dataclass(frozen=True)
class FileVerification:
    """What verifying one exported certificate found.

    Attributes:
        problems: Everything that is wrong.
        case: The case it is about, if it could be read.
        signature: ``unsigned``, ``signed, not checked: no key given``, ``signed by KEYID``, or
            ``signed, not by this key`` (which is a problem too).
        included: The run root that a proof leads to; None without one.
    """

    problems: tuple[str, ...]
    case: str | None
    signature: str
    included: str | None = None

    @property
    def verified(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify_file(
    path: Path, key: Path | None = None, proof: Path | None = None, root: str | None = None
) -> FileVerification:
    """Verify one exported certificate, offline.

    Args:
        path: A statement, or a DSSE envelope around one.
        key: A PEM file with the ed25519 public key that must have signed it.
        proof: A file with the proof that it belongs to a run.
        root: The run root that the proof must lead to, as known from elsewhere: a proof comes
            with a root of its own, which by itself says nothing about which run that is.

    Raises:
        BadInputError: if a file cannot be read, the key or proof is none, or a root is named
            without a proof.
        MissingExtraError: if checking a signature needs the extra ``sign``.
    """
    if root is not None and proof is None:
        raise BadInputError(
            "a root, and no proof that leads to it", remedy="add the proof that export --proof made"
        )
    document = _read_json(path)
    problems: list[str] = []
    signature = "unsigned"
    if isinstance(document, dict) and "payload" in document:
        document, signature, problems = _opened(document, key)
    elif key is not None:
        _public_key(key)
        problems = [_NOT_SIGNED]
    if document is None:
        return FileVerification(tuple(problems), None, signature)
    problems = [*problems, *verify_statement(document)]
    case = included = None
    if not problems:
        case = document["subject"][0]["name"]
        if proof is not None:
            digest = bytes.fromhex(document["subject"][0]["digest"]["sha256"])
            included, wrong = _follow(_read_json(proof), digest, proof)
            problems.extend(wrong)
            if included is not None and root is not None and root != included:
                problems.append(
                    f"inclusion: it belongs to the run with root {included}, not {root}"
                )
    return FileVerification(tuple(problems), case, signature, included)


def _read_json(path: Path) -> Any:  # noqa: ANN401 - a stranger's document
    try:
        if path.exists() and not path.is_file():
            raise BadInputError("not a regular file", remedy="name one with a certificate")
        return parse_json(path.read_bytes())
    except OSError as error:
        raise BadInputError(
            f"cannot be read: {error.strerror}",
            remedy="name a run folder or an exported certificate",
            place=Place(file=str(path)),
        ) from None
    except BadInputError as error:
        raise error.at(file=str(path)) from None
    except RecursionError:
        raise BadInputError(
            "nested too deeply", remedy="no certificate is", place=Place(file=str(path))
        ) from None


def _follow(document: Any, digest: bytes, path: Path) -> tuple[str | None, list[str]]:  # noqa: ANN401 - a stranger's document
    try:
        proof = Inclusion(
            index=int(document["index"]),
            leaves=int(document["leaves"]),
            siblings=tuple(map(bytes.fromhex, document["siblings"])),
            segment=int(document["segment"]),
            segments=int(document["segments"]),
            segment_siblings=tuple(map(bytes.fromhex, document["segment_siblings"])),
        )
        claimed = document["root"]
    except (KeyError, TypeError, ValueError):
        raise BadInputError(
            "not a proof of inclusion",
            remedy="make one with decidendi export --proof",
            place=Place(file=str(path)),
        ) from None
    reached = proof.root(digest)
    if reached is None or claimed != "sha256:" + reached.hex():
        return None, ["inclusion: the proof does not lead from this certificate to its root"]
    return str(claimed), []


# -- signatures (DSSE, ed25519) ------------------------------------------------------------------


def _signed(payload: bytes, key: Path) -> bytes:
    signer_module, dsse = _library()
    envelope = dsse.Envelope(payload, PAYLOAD_TYPE, {})
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        private = load_pem_private_key(key.read_bytes(), None)
    except OSError as error:
        raise _bad_key(key, f"cannot be read: {error.strerror}") from None
    except (ValueError, TypeError) as error:
        raise _bad_key(key, f"no unencrypted private key in PEM: {error}") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise _bad_key(key, "not an ed25519 key")
    envelope.sign(signer_module.CryptoSigner(private))
    return json.dumps(envelope.to_dict(), indent=2).encode() + b"\n"


def _opened(envelope: dict[str, Any], key: Path | None) -> tuple[Any | None, str, list[str]]:
    """Return the statement in an envelope, what its signature says, and what is wrong."""
    try:
        payload = base64.b64decode(envelope["payload"], validate=True)
        kind = envelope["payloadType"]
        given = [base64.b64decode(one["sig"], validate=True) for one in envelope["signatures"]]
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        return None, "unsigned", [f"not a DSSE envelope: {type(error).__name__} {error}"]
    problems = []
    if not isinstance(kind, str):
        return None, "unsigned", ["payloadType: not a text"]
    if kind != PAYLOAD_TYPE:
        problems.append(f"payloadType: {kind!r} is not {PAYLOAD_TYPE!r}")
    if extra := sorted(set(envelope) - {"payload", "payloadType", "signatures"}):
        problems.append(f"unknown fields of the envelope: {', '.join(extra)}")
    try:
        statement = parse_json(payload)
    except RecursionError:
        return None, "signed, not checked", [*problems, "payload: nested too deeply"]
    except BadInputError as error:
        return None, "signed, not checked", [*problems, f"payload: {error}"]
    if not given:
        return statement, "unsigned", problems if key is None else [*problems, _NOT_SIGNED]
    if key is None:
        return statement, "signed, not checked: no key given", problems
    public = _public_key(key)
    if any(_signs(public, signature, kind, payload) for signature in given):
        return statement, f"signed by {public.keyid}", problems
    return statement, "signed, not by this key", [*problems, "signatures: none is by this key"]


def _signs(key: Any, signature: bytes, kind: str, payload: bytes) -> bool:  # noqa: ANN401 - an SSlibKey, of an extra
    from securesystemslib.exceptions import UnverifiedSignatureError

    signer_module, dsse = _library()
    encoded = dsse.Envelope(payload, kind, {}).pae()
    try:
        key.verify_signature(signer_module.Signature(key.keyid, signature.hex()), encoded)
    except UnverifiedSignatureError:
        return False
    return True


def _public_key(path: Path) -> Any:  # noqa: ANN401 - an SSlibKey, of an extra
    signer_module, _ = _library()
    try:
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

        key = signer_module.SSlibKey.from_crypto(load_pem_public_key(path.read_bytes()))
    except OSError as error:
        raise _bad_key(path, f"cannot be read: {error.strerror}") from None
    except (ValueError, TypeError) as error:
        raise _bad_key(path, f"no public key in PEM: {error}") from None
    if key.keytype != "ed25519":
        raise _bad_key(path, f"an {key.keytype} key, not ed25519")
    return key


def _bad_key(path: Path, what: str) -> BadInputError:
    remedy = "make one with: openssl genpkey -algorithm ed25519 (and openssl pkey -pubout)"
    return BadInputError(what, remedy=remedy, place=Place(file=str(path)))


def _library() -> tuple[Any, Any]:
    try:
        from securesystemslib import dsse, signer
    except ImportError:
        raise MissingExtraError("signing", "sign") from None
    return signer, dsse
