"""Digests of a model's files; those of large files are remembered."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from decidendi.judgment import digest_of
from decidendi.models._place import cache_root

_CHUNK = 1 << 22
_WEIGHTS = ("*.safetensors", "*.safetensors.index.json", "*.bin", "*.bin.index.json")
_CONFIG = ("config.json", "generation_config.json")
_TOKENIZER = (
    "tokenizer.json", "tokenizer.model", "tokenizer_config.json", "special_tokens_map.json",
    "added_tokens.json", "vocab.json", "merges.txt", "chat_template.jinja", "chat_template.json",
)  # fmt: skip


def model_digest(folder: Path) -> str:
    """Return the digest of a model's weights and configuration, by file name."""
    return _together(folder, (*_WEIGHTS, *_CONFIG))


def tokenizer_digest(folder: Path) -> str:
    """Return the digest of a tokenizer's files, by file name."""
    return _together(folder, _TOKENIZER)


def _together(folder: Path, patterns: Iterable[str]) -> str:
    files = sorted({file for pattern in patterns for file in folder.glob(pattern)})
    return digest_of({file.name: file_digest(file) for file in files})


def file_digest(file: Path, *, remember: bool = True) -> str:
    """Return ``sha256:…`` of a file.

    Args:
        file: Which.
        remember: Keep it in the user's cache, and trust what is kept there for a file of the
            same path, size and time of change.
    """
    file = file.resolve()
    stat = file.stat()
    store = _memory()
    key = f"{file}|{stat.st_size}|{stat.st_mtime_ns}"
    known = _load(store).get(key) if remember else None
    if known is not None:
        return known
    digest = hashlib.sha256()
    with file.open("rb") as handle:
        while chunk := handle.read(_CHUNK):
            digest.update(chunk)
    value = f"sha256:{digest.hexdigest()}"
    if remember and stat.st_size > _CHUNK:
        _save(store, {**_load(store), key: value})
    return value


def _memory() -> Path:
    return cache_root() / "digests.json"


def _load(store: Path) -> dict[str, str]:
    try:
        kept = json.loads(store.read_bytes())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _save(store: Path, kept: dict[str, str]) -> None:
    """Write whole or not at all; a lost entry is only computed again."""
    partial = store.with_suffix(f".{os.getpid()}")
    try:
        store.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(kept), encoding="utf-8")
        partial.replace(store)
    except OSError:
        partial.unlink(missing_ok=True)
