"""Runs the documentation: what a page shows is what happens.

Fenced blocks are run in the order in which they stand on the page, in one working folder:

    ```python             run, all of a page's in one namespace
    ```output             must be what the python block before it printed
    ```python file=NAME   written to NAME; so are ```toml file=NAME, ```json file=NAME, …
    ```console            lines after "$ " are run by bash; the lines below must be their output
    ```console needs=NAME the same, where the program NAME is installed
    ```console given=NAME any block with this runs only where the file NAME is in the folder
    ```text, ```sh, …     not run

In expected output, a line of "…" stands for any lines, and "…" inside a line for any text.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: str
    line: int
    info: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    lines = page.read_text(encoding="utf-8").splitlines()
    inside: tuple[int, str] | None = None
    kept: list[str] = []
    for number, line in enumerate(lines, 1):
        if inside is None and line.startswith("```"):
            inside, kept = (number, line[3:].strip()), []
        elif inside is not None and line == "```":
            yield Block(page.name, inside[0], inside[1], "\n".join(kept) + "\n")
            inside = None
        elif inside is not None:
            kept.append(line)
    assert inside is None, f"{page.name}: the block of line {inside} is not closed"


def matches(expected: str, printed: str) -> bool:
    """Compare output, "…" standing for anything; trailing spaces do not count."""
    pattern = ""
    for line in expected.rstrip().splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            parts = [re.escape(part) for part in line.rstrip().split("…")]
            pattern += ".*?".join(parts) + r"\n"
    tidy = "".join(f"{line.rstrip()}\n" for line in printed.rstrip().splitlines())
    return re.fullmatch(pattern, tidy) is not None


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Split a console block into commands and their expected output."""
    commands: list[tuple[str, str]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], ""))
        elif commands and commands[-1][0].endswith("\\"):
            commands[-1] = (f"{commands[-1][0]}\n{line}", "")
        else:
            assert commands, f"{block.place}: output before any command"
            command, output = commands[-1]
            commands[-1] = (command, f"{output}{line}\n")
    return commands


class Page:
    """One page under way: its namespace, its folder, what was printed last."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__docs__"}
        self.printed = ""
        self.code = 0
        self.ran = 0

    def run(self, block: Block) -> None:
        kind, *options = block.info.split()
        if any(shutil.which(option[6:]) is None for option in options if option[:6] == "needs="):
            return
        given = [option[6:] for option in options if option.startswith("given=")]
        if not all((self.folder / name).exists() for name in given):
            return
        named = [option[5:] for option in options if option.startswith("file=")]
        if named:
            path = self.folder / named[0]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif kind == "python":
            self._python(block)
        elif kind == "output":
            assert matches(block.text, self.printed), f"{block.place}: printed\n{self.printed}"
        elif kind == "console":
            for command, expected in commands_of(block):
                self._shell(block, command, expected)
        else:
            return
        self.ran += 1

    def _python(self, block: Block) -> None:
        out = io.StringIO()
        code = compile("\n" * block.line + block.text, block.page, "exec")
        with contextlib.redirect_stdout(out):
            exec(code, self.names)
        self.printed = out.getvalue()

    def _shell(self, block: Block, command: str, expected: str) -> None:
        beside = str(Path(sys.executable).parent)
        env = os.environ | {
            "PATH": f"{beside}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "Docs", "GIT_AUTHOR_EMAIL": "docs@example.invalid",
            "GIT_COMMITTER_NAME": "Docs", "GIT_COMMITTER_EMAIL": "docs@example.invalid",
        }  # fmt: skip
        done = subprocess.run(
            ["bash", "-c", f"(exit {self.code})\n{command}"],
            cwd=self.folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            check=False,
        )
        self.code = done.returncode
        where = f"{block.place}: $ {command}\nexit code {self.code}, printed\n{done.stdout}"
        assert matches(expected, done.stdout), where
        # A page that shows a failing command says so, by showing its exit code next.
        self.printed = done.stdout
