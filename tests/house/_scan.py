"""Reads the house: its rooms from design/house.md, its imports from the source."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "decidendi"


@lru_cache(maxsize=1)
def floors() -> dict[str, int]:
    """Room to floor, 0 at the bottom, as house.md draws them."""
    text = (ROOT / "design" / "house.md").read_text(encoding="utf-8")
    block = text.split("```floors\n", 1)[1].split("```", 1)[0]
    rows = [line.split() for line in block.strip().splitlines()]
    return {room: floor for floor, row in enumerate(reversed(rows)) for room in row}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str | None:
    """The room a module of the house belongs to; None for the front door and ``_version``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] != "_version" else None


@dataclass(frozen=True)
class Import:
    """One import of a module of the house."""

    importer: str
    imported: str
    place: str


@lru_cache(maxsize=1)
def modules() -> dict[str, Path]:
    return {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports_in(tree: ast.AST, importer: str, file: str) -> Iterator[Import]:
    """Every import of the house, wherever it stands: in functions, under TYPE_CHECKING too."""
    for node in ast.walk(tree):
        targets: list[str] = []
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                targets = ["decidendi.<relative>"]
            elif node.module:
                # `from decidendi import receipts` imports a room, `from decidendi.receipts
                # import certify` a name from its door.
                whole = [f"{node.module}.{alias.name}" for alias in node.names]
                targets = [w if w in modules() else node.module for w in whole]
        elif isinstance(node, ast.Call):
            targets = _dynamic(node)
        for target in dict.fromkeys(targets):
            if target == "decidendi" or target.startswith("decidendi."):
                yield Import(importer, target, f"{file}:{getattr(node, 'lineno', 0)}")


def _dynamic(call: ast.Call) -> list[str]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in ("import_module", "__import__") or not call.args:
        return []
    first = call.args[0]
    return [first.value] if isinstance(first, ast.Constant) and isinstance(first.value, str) else []


@lru_cache(maxsize=1)
def imports() -> tuple[Import, ...]:
    found: list[Import] = []
    for name, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found.extend(imports_in(tree, name, str(path.relative_to(ROOT))))
    return tuple(found)


@lru_cache(maxsize=1)
def tracked() -> tuple[Path, ...]:
    """Files under version control; without git, all files outside what tools made."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode == 0 and listing.stdout:
        paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        made = {".venv", ".git", "demo", "runs", "build", "dist"}
        paths = [
            path
            for path in ROOT.rglob("*")
            if not made & set(path.relative_to(ROOT).parts) and "cache" not in str(path)
        ]
    return tuple(path for path in paths if path.is_file())


def python_files() -> list[Path]:
    return [path for path in tracked() if path.suffix == ".py"]
