"""Signed certificates: whose they are, and what happens to altered ones."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from toyrun import World

from decidendi.certification import certify_run, export_certificate, verify_file
from decidendi.judgment import BadInputError, canonical_bytes

pytest.importorskip("securesystemslib", reason="signing needs the extra 'sign'")
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)


def key_pair(folder: Path, name: str) -> tuple[Path, Path]:
    private = ed25519.Ed25519PrivateKey.generate()
    secret, public = folder / f"{name}.pem", folder / f"{name}.pub"
    secret.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(
        private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    return secret, public


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = World(tmp_path_factory.mktemp("world"), count=10)
    certify_run(world.old, world.revised, world.cases, world.out)
    return world.out


def test_signed_by_the_one_and_not_by_the_other(out: Path, tmp_path: Path) -> None:
    secret, public = key_pair(tmp_path, "team")
    _, stranger = key_pair(tmp_path, "stranger")
    path = tmp_path / "c.json"
    path.write_bytes(export_certificate(out, "c1", secret))
    found = verify_file(path, public)
    assert found.verified and found.signature.startswith("signed by ") and found.case == "c1"
    assert verify_file(path).signature == "signed, not checked: no key given"
    assert verify_file(path, stranger).problems == ("signatures: none is by this key",)
    envelope = json.loads(path.read_text())
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    plain = json.loads(export_certificate(out, "c1"))
    assert base64.b64decode(envelope["payload"]) == canonical_bytes(plain)


def test_an_altered_payload_loses_its_signature(out: Path, tmp_path: Path) -> None:
    secret, public = key_pair(tmp_path, "team")
    envelope = json.loads(export_certificate(out, "c1", secret))
    other = json.loads(export_certificate(out, "c2"))
    envelope["payload"] = base64.b64encode(canonical_bytes(other)).decode()
    path = tmp_path / "c.json"
    path.write_text(json.dumps(envelope))
    assert "signatures: none is by this key" in verify_file(path, public).problems
    envelope["payloadType"] = "text/plain"
    path.write_text(json.dumps(envelope))
    assert any(problem.startswith("payloadType") for problem in verify_file(path).problems)
    envelope["payload"] = "!"
    path.write_text(json.dumps(envelope))
    assert "not a DSSE envelope" in verify_file(path).problems[0]


def test_unsigned_is_verified_unsigned(out: Path, tmp_path: Path) -> None:
    _, public = key_pair(tmp_path, "team")
    path = tmp_path / "c.json"
    path.write_bytes(export_certificate(out, "c1"))
    assert verify_file(path).signature == "unsigned"
    assert verify_file(path).verified
    assert "not signed" in verify_file(path, public).problems[0]
    with pytest.raises(BadInputError, match="cannot be read"):
        verify_file(path, tmp_path / "missing.pub")
    payload = base64.b64encode(path.read_bytes()).decode()
    empty = {"payload": payload, "payloadType": "application/vnd.in-toto+json", "signatures": []}
    path.write_text(json.dumps(empty))
    assert verify_file(path).verified
    assert "not signed" in verify_file(path, public).problems[0]


def test_unusable_keys_are_explained(out: Path, tmp_path: Path) -> None:
    secret, public = key_pair(tmp_path, "team")
    with pytest.raises(BadInputError, match="no unencrypted private key"):
        export_certificate(out, "c1", public)
    with pytest.raises(BadInputError, match="cannot be read"):
        export_certificate(out, "c1", tmp_path / "missing.pem")
    other = rsa.generate_private_key(65537, 2048)
    (tmp_path / "rsa.pem").write_bytes(
        other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    with pytest.raises(BadInputError, match="not an ed25519 key"):
        export_certificate(out, "c1", tmp_path / "rsa.pem")
    path = tmp_path / "c.json"
    path.write_bytes(export_certificate(out, "c1", secret))
    with pytest.raises(BadInputError, match="no public key"):
        verify_file(path, secret)
