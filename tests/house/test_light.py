"""The core is light: no extra is imported by importing, and --help loads nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from _scan import modules

EXTRAS = {
    "torch", "transformers", "ray", "inspect_ai", "regorus", "cedarpy", "securesystemslib",
    "cryptography", "altair", "vl_convert", "sklearn", "statsmodels", "clingo", "duckdb",
}  # fmt: skip
HEAVY = {"pyarrow", "scipy", "pandas", "jinja2", "numpy"}


def _loaded_by(code: str) -> set[str]:
    """Top-level names in sys.modules after running ``code`` in a fresh interpreter."""
    tail = "\nimport json, sys; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", code + tail], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_every_module_loads_no_extra() -> None:
    names = [name for name in modules() if not name.endswith("__main__")]
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
