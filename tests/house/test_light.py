"""The core is light: no extra is imported by importing, and --help loads nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _scan import modules

EXTRAS = {
    "torch", "transformers", "ray", "inspect_ai", "regorus", "cedarpy", "securesystemslib",
    "cryptography", "altair", "vl_convert", "sklearn", "statsmodels", "clingo", "duckdb",
    "nupunkt", "eyecite",
}  # fmt: skip
HEAVY = {"pyarrow", "scipy", "pandas", "jinja2", "numpy"}


def _loaded_by(code: str) -> set[str]:
    """Top-level names in sys.modules after running ``code`` in a fresh interpreter."""
    tail = "\nimport json, sys; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", code + tail], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_every_room_loads_no_extra() -> None:
    """A private module may need an extra, if no door imports it."""
    names = [name for name, path in modules().items() if path.name == "__init__.py"]
    loaded = _loaded_by("\n".join(f"import {name}" for name in names))
    assert "decidendi" in loaded
    assert loaded & EXTRAS == set()


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import io, sys, contextlib\n"
        "sys.argv = ['decidendi', '--help']\n"
        "from decidendi.cli import main\n"
        "out = io.StringIO()\n"
        "with contextlib.redirect_stdout(out):\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as stop:\n"
        "        assert not stop.code, stop.code\n"
        "assert 'certify' in out.getvalue()\n"
    )
    assert _loaded_by(code) & (HEAVY | EXTRAS) == set()


WITHOUT_EXTRAS = """
import sys, importlib.abc
from pathlib import Path

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in EXTRAS:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Absent())
Path("v1").mkdir()
Path("v2").mkdir()
manifest = '''
name = "n"
version = "1"
verdicts = ["yes", "no"]
[adjudicator]
engine = "python"
entry = "f:f"
[sources.grounds]
from = "case"
[sources.norms]
files = ["n.json"]
'''
for version, limit in (("v1", 5), ("v2", 3)):
    Path(version, "evaluator.toml").write_text(manifest)
    Path(version, "n.json").write_text(str(limit))
    text = "def f(grounds, norms): return 'yes' if grounds <= norms else 'no'"
    Path(version, "f.py").write_text(text)
Path("cases.jsonl").write_text('{"id": "a", "grounds": 4}')
from decidendi.cli import main
for command in (
    "certify v1 v2 --cases cases.jsonl --out run", "explain run a", "verify run",
    "replay run --evaluators v1 v2", "explain run a --drill norms --evaluators v1 v2",
):
    sys.argv = ["decidendi", *command.split()]
    try:
        main()
    except SystemExit as stop:
        assert not stop.code, (command, stop.code)
"""


def test_all_of_it_works_without_the_extras(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = _loaded_by(f"EXTRAS = {EXTRAS!r}\n{WITHOUT_EXTRAS}")
    assert loaded & EXTRAS == set()
    assert (tmp_path / "run" / "report.html").stat().st_size > 0
