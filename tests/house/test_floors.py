"""Arrows run down, there is no circle, and rooms are entered through their doors."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _scan import PACKAGE, Import, floors, imports, imports_in, modules, room_of


def _wrong_way(found: Import) -> str | None:
    """Say what is wrong with one import; None if it may stand."""
    source, target = room_of(found.importer), room_of(found.imported)
    if found.imported == "decidendi.<relative>":
        return "a relative import"
    if found.imported == "decidendi._version" or source == target:
        return None
    if found.imported == "decidendi":
        return "a room imports the front door"
    if target not in floors():
        return f"{target} is not a room of design/house.md"
    if source is not None and floors()[source] <= floors()[target]:
        return f"{source} is not above {target}"
    if found.imported.count(".") > 1:
        return "another room's private module; use its door"
    return None


def test_every_room_is_on_the_plan() -> None:
    built = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert built - set(floors()) == set()
    strays = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "_version", "__main__"}
    assert strays == set(), "modules belong in rooms"


def test_arrows_run_down_and_through_doors() -> None:
    wrong = [f"{i.place}: {i.imported}: {why}" for i in imports() if (why := _wrong_way(i))]
    assert wrong == []


def test_there_are_imports_to_check() -> None:
    assert any(room_of(i.importer) != room_of(i.imported) for i in imports())


def test_no_circle_among_modules() -> None:
    below: dict[str, set[str]] = {name: set() for name in modules()}
    for found in imports():
        if found.imported in below and found.imported != found.importer:
            below[found.importer].add(found.imported)
    while leaves := {name for name, needs in below.items() if not needs & set(below)}:
        below = {name: needs for name, needs in below.items() if name not in leaves}
    assert sorted(below) == [], "these modules import each other in a circle"


@pytest.mark.parametrize(
    ("importer", "code"),
    [
        ("decidendi.judgment._x", "from decidendi.receipts import certify"),
        ("decidendi.stats._x", "from decidendi.report import anything"),
        ("decidendi.receipts._x", "import decidendi"),
        ("decidendi.receipts._x", "from . import _walk"),
        ("decidendi.ledger._x", "from decidendi.receipts._walk import Walk"),
        ("decidendi.ledger._x", "def f():\n    import decidendi.cli"),
        ("decidendi.ledger._x", "if TYPE_CHECKING:\n    from decidendi.certification import Run"),
        ("decidendi.ledger._x", "importlib.import_module('decidendi.cli')"),
        ("decidendi.ledger._x", "from decidendi import receipts, cli"),
        ("decidendi.ledger._x", "from decidendi.attic import box"),
    ],
)
def test_the_check_sees_what_it_should(importer: str, code: str) -> None:
    found = list(imports_in(ast.parse(code), importer, "here.py"))
    assert any(_wrong_way(i) for i in found)


def test_the_check_lets_pass_what_may_stand() -> None:
    code = "from decidendi.receipts import certify\nfrom decidendi.judgment import Case"
    found = list(imports_in(ast.parse(code), "decidendi.ledger._x", "here.py"))
    assert len(found) == 2
    assert not any(_wrong_way(i) for i in found)
