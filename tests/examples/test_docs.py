"""Every page's blocks run, in order, and print what the page says."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import _released
from _docs import Page, blocks_of, matches

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_page_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    if path.name == "real-data.md":
        _released.place(tmp_path)
    monkeypatch.chdir(tmp_path)
    page = Page(tmp_path)
    for block in blocks_of(path):
        page.run(block)
    assert page.ran


@pytest.mark.parametrize("path", [*PAGES, *ROOT.glob("*.md")], ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    broken = [
        target
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
        if "://" not in target and not os.path.exists(path.parent / target)
    ]
    assert broken == []


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\n…\nd", "a\nb\nc\nd\n", True),
        ("a\n…\nd", "a\nd\n", True),
        ("a … d", "a b c d", True),
        ("a\n…\nd", "a\nb\n", False),
        ("a", "a\nb", False),
        ("", "a", False),
        ("", "", True),
        ("a.c", "abc", False),
    ],
)
def test_output_is_compared(expected: str, printed: str, same: bool) -> None:
    assert matches(expected, printed) is same
