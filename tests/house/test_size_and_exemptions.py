"""Files and functions stay short, and every exemption from a check says why."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _scan import ROOT, python_files

FILE_LINES = 400
FUNCTION_LINES = 50
REASONED = re.compile(r"# long: \w+")
DIRECTIVE = re.compile(
    r"(?:ruff: )?noqa(?P<codes1>: ?[A-Z]+[0-9]+(?:, ?[A-Z]+[0-9]+)*)?"
    r"|type: ignore(?P<codes2>\[[a-z, -]+\])?"
    r"|pragma: no cover(?P<codes3>)"
)


def _too_long(text: str) -> list[str]:
    lines = text.splitlines()
    wrong = []
    if len(lines) > FILE_LINES and not any(REASONED.search(line) for line in lines[:10]):
        wrong.append(f"{len(lines)} lines")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        length = (node.end_lineno or 0) - node.lineno + 1
        if ast.get_docstring(node) is not None:
            doc = node.body[0]
            length -= (doc.end_lineno or 0) - doc.lineno + 1
        head = lines[node.lineno - 1 : node.body[0].lineno]
        if length > FUNCTION_LINES and not any(REASONED.search(line) for line in head):
            wrong.append(f"line {node.lineno}: {node.name} has {length} lines")
    return wrong


def _unreasoned(text: str) -> list[str]:
    """Exemptions that do not name what they exempt, or do not say why."""
    wrong = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        found = list(DIRECTIVE.finditer(token.string))
        said = DIRECTIVE.sub("", token.string)
        bare = any(not any(v is not None for v in m.groupdict().values()) for m in found)
        if found and (bare or not re.search(r"[A-Za-z]{3}", said)):
            wrong.append(f"line {token.start[0]}: {token.string}")
    return wrong


@pytest.mark.parametrize("path", python_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_short_and_reasoned(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert _too_long(text) == []
    assert _unreasoned(text) == []


def test_long_functions_are_seen() -> None:
    body = "    x = 1\n" * FUNCTION_LINES
    doc = '    """Says.\n' + "\n" * FUNCTION_LINES + '    """\n'
    assert _too_long(f"def f():\n{body}") == ["line 1: f has 51 lines"]
    assert _too_long(f"def f():  # long: a table\n{body}") == []
    assert _too_long(f"def f():\n{doc}    x = 1\n") == []
    assert _too_long("x = 1\n" * (FILE_LINES + 1)) == ["401 lines"]
    assert _too_long("# long: generated\n" + "x = 1\n" * FILE_LINES) == []


@pytest.mark.parametrize(
    ("comment", "stands"),
    [
        ("# noqa", False),
        ("# noqa: S101", False),
        ("# noqa: S101 - states an invariant", True),
        ("# noqa: S101, D100 - both are wrong here", True),
        ("# type: ignore", False),
        ("# type: ignore  # the stubs are wrong", False),
        ("# type: ignore[attr-defined]", False),
        ("# type: ignore[attr-defined]  # the stubs are wrong", True),
        ("# type: ignore[attr-defined]  # noqa: SIM110 - see above", True),
        ("# pragma: no cover", False),
        ("# pragma: no cover - only on Windows", True),
        ("# ruff: noqa", False),
        ("# any other comment", True),
    ],
)
def test_unreasoned_exemptions_are_seen(comment: str, stands: bool) -> None:
    assert (_unreasoned(f"x = 1  {comment}\n") == []) is stands
