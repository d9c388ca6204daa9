"""Benchmarks that several files look at; each is built once. Nobody may write into them."""

import sys
from pathlib import Path

import pytest

from decidendi.reasonbench import _build as building
from decidendi.reasonbench import build_benchmark

sys.path.insert(0, str(Path(__file__).parent))
from small_bench import few_units


@pytest.fixture(scope="session")
def frozen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frozen")
    build_benchmark(folder)
    return folder


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "units", few_units)
        build_benchmark(folder)
    return folder


@pytest.fixture
def bench(capsys, monkeypatch):
    """Run ``decidendi bench …``; return its exit code, output and errors."""
    from decidendi.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["decidendi", "bench", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        return stopped.value.code, out, err

    return run
