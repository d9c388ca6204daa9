"""Loads a model: the embedded one, a folder, or what the library has in its cache. No network."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import TYPE_CHECKING

from decidendi.judgment import BadInputError, MissingExtraError
from decidendi.models._digests import model_digest, tokenizer_digest
from decidendi.models._embedded import EMBEDDED, MissingModelError, embedded_folder
from decidendi.models._model import LocalModel
from decidendi.models._quiet import quiet
from decidendi.models._records import ModelFacts

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

DTYPES = ("float32", "bfloat16", "float16")
LIBRARIES = ("decidendi", "torch", "transformers")


def load_model(
    name: str = EMBEDDED, *, dtype: str = "float32", device: str | None = None
) -> LocalModel:
    """Load a model that is on this machine.

    Args:
        name: ``embedded``, a folder, or the id of a model that has been downloaded.
        dtype: Of weights and arithmetic. In anything but float32 the company in which a prompt
            is answered can change the answer.
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``; by default a GPU if there is one.

    Raises:
        MissingExtraError: without the extra ``local``.
        MissingModelError: if the model is not on this machine.
        BadInputError: if the type of number is none we know, or the folder holds no model.
    """
    if dtype not in DTYPES:
        raise BadInputError(f"no dtype {dtype!r}", remedy=f"one of {', '.join(DTYPES)}")
    try:
        import torch
        import transformers  # noqa: F401 - says early that it is missing
    except ImportError:
        raise MissingExtraError("a model on this machine", "local") from None
    folder = embedded_folder() if name == EMBEDDED else _folder(name)
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    model, tokenizer = _read(folder, getattr(torch, dtype), device)
    facts = ModelFacts(
        name=name,
        digest=model_digest(folder),
        tokenizer=tokenizer_digest(folder),
        dtype=dtype,
        device=str(model.device),
        attention=str(model.config._attn_implementation),
        threads=torch.get_num_threads(),
        versions={lib: importlib.metadata.version(lib) for lib in LIBRARIES},
    )
    return LocalModel(model, tokenizer, facts)


def _folder(name: str) -> Path:
    """Return the folder of a model given by path, or by an id that was downloaded before."""
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, OSError):
        raise MissingModelError(
            f"no model {name!r} on this machine: give a folder, "
            f"or download it first (hf download {name})"
        ) from None


def _read(
    folder: Path, dtype: torch.dtype, device: str
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Return model and tokenizer, ready to answer. Code that comes with a model never runs."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    with quiet():
        try:
            tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
            model = AutoModelForCausalLM.from_pretrained(
                str(folder), dtype=dtype, local_files_only=True, attn_implementation="sdpa"
            )
        except (OSError, ValueError, KeyError) as error:
            raise BadInputError(
                f"{folder.name} can't be loaded as a language model: {error}"
            ) from None
    return model.to(device).eval().requires_grad_(False), tokenizer
