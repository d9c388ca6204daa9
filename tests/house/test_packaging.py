"""Everything that is installed is pinned, and no tracked file knows a machine or a host."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import (
    PackageNotFoundError,
    distribution,
    packages_distributions,
    version,
)
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import decidendi

sys.path.insert(0, str(Path(__file__).parent))
from _scan import ROOT, python_files, tracked

TELLTALES = re.compile(
    r"/work/\w|/tmp/\w|/(?:home|root|Users)/\w"
    r"|pythonhosted\.org|pypi\.org|registry\.npmjs\.|(?:deb|security)\.debian\.org"
)


def _pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): pin for name, pin in pairs}


def _closure(name: str, extras: frozenset[str], seen: dict[str, set[str]]) -> None:
    """Collect into ``seen`` what installing ``name[extras]`` brings, with the extras used."""
    key = canonicalize_name(name)
    if extras | {""} <= seen.get(key, set()):
        return
    seen.setdefault(key, set()).update(extras | {""})
    for text in distribution(name).requires or []:
        wanted = Requirement(text)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": e}) for e in seen[key]):
            _closure(wanted.name, frozenset(wanted.extras), seen)


def _installed_by(*extras: str) -> dict[str, set[str]]:
    seen: dict[str, set[str]] = {}
    try:
        _closure("decidendi", frozenset(extras), seen)
    except PackageNotFoundError as error:
        pytest.fail(f"{error.name} is declared but not installed")
    return seen


def test_what_dev_installs_is_pinned_at_the_version_in_use() -> None:
    seen = _installed_by("dev")
    pins = _pins()
    # "+cpu" says how a package was built, not which version it is.
    installed = {name: version(name).partition("+")[0] for name in seen if name != "decidendi"}
    assert len(installed) > 20
    assert {name: (v, pins.get(name)) for name, v in installed.items() if pins.get(name) != v} == {}


def test_what_is_imported_is_declared() -> None:
    """A machine that has more installed than we declare must not hide it."""
    allowed = set(_installed_by("dev"))
    owners = packages_distributions()
    undeclared = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in python_files()
        for name in _imported(path)
        if name in owners and not allowed & {canonicalize_name(o) for o in owners[name]}
    }
    assert sorted(undeclared) == []


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def test_one_version() -> None:
    assert decidendi.__version__ == version("decidendi")


def test_no_tracked_file_knows_a_machine_or_a_registry() -> None:
    told = []
    for path in tracked():
        data = path.read_bytes()
        if b"\0" in data:
            continue
        lines = data.decode("utf-8", "replace").splitlines()
        told += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
            for number, line in enumerate(lines, 1)
            if TELLTALES.search(line)
        ]
    assert told == []


def test_telltales_are_seen() -> None:
    parts = [("/work", "main"), ("/tmp", "x"), ("/home", "me"), ("https://pypi.", "org")]
    for first, rest in parts:
        assert TELLTALES.search(first + ("" if first.endswith(".") else "/") + rest)
