"""Evaluators in folders, for tests: the same refunds in every engine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

SOURCES = """
[sources.grounds]
from = "case"
[sources.norms]
files = ["{norms}"]
[sources.authority]
files = ["authority.json"]
"""
AUTHORITY = json.dumps({"EU": {"since": 2020}})
DECIDE = """
def decide(grounds, norms, authority):
    if grounds["region"] not in authority:
        return "refer"
    return "approve" if grounds["amount"] <= norms["limit"] else "deny"
"""
REGO = """package refunds
import rego.v1
default verdict := "deny"
known if input.authority[input.grounds.region]
verdict := "refer" if not known
verdict := "approve" if { known; input.grounds.amount <= 100 }
"""
CEDAR = """
// Nobody decides for a desk that is not open.
@id("refer")
permit(principal, action == Action::"refer", resource)
unless { resource has open && resource.open };

@id("small")
permit(principal is User, action == Action::"approve", resource)
when { context.amount <= 100 };
"""


def manifest(engine: str, settings: str, norms: str = "norms.json", more: str = "") -> str:
    return (
        'name = "refunds"\nversion = "1"\nverdicts = ["approve", "deny", "refer"]\n'
        f'[adjudicator]\nengine = "{engine}"\n{settings}\n'
        + SOURCES.replace("{norms}", norms)
        + more
    )


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def python_folder(folder: Path, decide: str = DECIDE, more: str = "", **files: str | bytes) -> Path:
    """Write an evaluator in Python; ``files`` by name with ``__`` for a dot."""
    base: dict[str, str | bytes] = {
        "evaluator.toml": manifest("python", 'entry = "decide:decide"', more=more),
        "decide.py": decide,
        "norms.json": '{"limit": 100}',
        "authority.json": AUTHORITY,
    }
    return write(folder, base | {name.replace("__", "."): text for name, text in files.items()})
