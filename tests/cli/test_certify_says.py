"""What ``decidendi certify`` says, in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "certification"))
from toyrun import DECIDE, World, write_evaluator

COMMAND = [sys.executable, "-c", "from decidendi.cli import main; main()", "certify"]


class Said:
    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr


def certify(world: World, *more: str) -> Said:
    paths = [world.v1, world.v2, "--cases", world.cases, "--out", world.out]
    command = [*COMMAND, *map(str, paths), *more]
    return Said(subprocess.run(command, capture_output=True, encoding="utf-8", check=False))


def test_many_bad_cases_are_listed_in_a_file(tmp_path: Path) -> None:
    world = World(tmp_path, count=5, tail="{}\n" * 25)
    said = certify(world)
    assert "line 15: id: missing" in said.out and "line 16" not in said.out
    assert "and 15 more; all in" in said.out
    assert len((world.out / "bad.jsonl").read_text().splitlines()) == 25


def test_what_was_executed_is_said_as_it_was(tmp_path: Path) -> None:
    world = World(tmp_path, count=60)
    calls = world.folder / "calls"
    counting = DECIDE.replace(
        "(grounds, norms, authority):",
        f"(grounds, norms, authority):\n    with open({str(calls)!r}, 'a') as file:\n"
        "        file.write('.')",
    )
    for folder, revised in ((world.v1, False), (world.v2, True)):
        write_evaluator(folder, revised=revised, code=counting)
    said = certify(world)
    found = re.search(r"(\d+) distinct states executed now, (\d+) of them once more", said.out)
    assert found is not None
    assert calls.stat().st_size == int(found[1]) + int(found[2])
    assert "nothing executed now" in certify(world).out
    drawn = World(tmp_path / "drawn", count=3, code=counting, extra="deterministic = false\n")
    calls.unlink()
    said = certify(drawn)
    assert f"; {calls.stat().st_size} draws made now" in said.out
