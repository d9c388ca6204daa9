"""Doors hold no code, and what they offer is pinned in doors.txt."""

from __future__ import annotations

import ast
import importlib
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _scan import PACKAGE, ROOT, modules

PINS = Path(__file__).with_name("doors.txt")
DOORS = sorted(name for name, path in modules().items() if path.name == "__init__.py")


def _not_a_door(tree: ast.Module, module: str) -> list[str]:
    """Say what in a door is neither its docstring, a re-export, nor ``__all__``."""
    wrong = []
    for node in tree.body[1:] if ast.get_docstring(tree) else tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            own = node.module.startswith(f"{module}._") or module == "decidendi"
            if own or node.module == "__future__":
                continue
        if isinstance(node, ast.Assign) and [ast.unparse(t) for t in node.targets] == ["__all__"]:
            ast.literal_eval(node.value)
            continue
        wrong.append(f"line {node.lineno}: {ast.unparse(node)[:60]}")
    return wrong if ast.get_docstring(tree) else ["no docstring", *wrong]


@pytest.mark.parametrize("module", DOORS)
def test_doors_hold_no_code(module: str) -> None:
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    assert _not_a_door(tree, module) == []


@pytest.mark.parametrize("code", ["x = 1", "import json", "from decidendi.other import y", '"doc"'])
def test_code_in_a_door_is_seen(code: str) -> None:
    tree = ast.parse(code if code.startswith('"') else f'"""Doc."""\n{code}')
    assert _not_a_door(tree, "decidendi.room") == ([] if code == '"doc"' else [f"line 2: {code}"])


def test_rooms_hide_their_modules() -> None:
    open_to_all = [
        str(path.relative_to(ROOT))
        for path in PACKAGE.glob("*/**/*.py")
        if not path.name.startswith("_")
    ]
    assert open_to_all == [], "modules inside a room begin with an underscore"


def test_what_doors_offer_is_pinned() -> None:
    offered = [
        f"{module}.{name}"
        for module in DOORS
        for name in sorted(importlib.import_module(module).__all__)
    ]
    if os.environ.get("DECIDENDI_PIN_DOORS") == "1":
        PINS.write_text("\n".join(offered) + "\n", encoding="utf-8")
    pinned = PINS.read_text(encoding="utf-8").split()
    added, gone = sorted(set(offered) - set(pinned)), sorted(set(pinned) - set(offered))
    assert (added, gone) == ([], []), "on purpose? then DECIDENDI_PIN_DOORS=1 make test"


@pytest.mark.parametrize("module", DOORS)
def test_doors_list_what_they_import(module: str) -> None:
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    names = [
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    listed = importlib.import_module(module).__all__
    assert sorted(names) == sorted(listed)
    assert len(set(listed)) == len(listed)
