"""A small Python evaluator in two versions, and cases for it, written to disk."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from decidendi.evaluators import Evaluator, load_evaluator

MANIFEST = """
name = "toy"
version = "{version}"
verdicts = ["approve", "deny", "refer"]
{extra}
[adjudicator]
engine = "python"
entry = "decide:decide"

[sources.grounds]
from = "case"

[sources.norms]
files = ["norms.json"]

[sources.authority]
files = ["authority.json"]
"""

DECIDE = """
def decide(grounds, norms, authority):
    if grounds.get("boom") and norms["days"] == 14:
        raise ValueError("cannot decide this")
    if grounds["region"] not in authority["regions"]:
        return "refer"
    within = grounds["days"] <= norms["days"] and grounds["cents"] <= norms["cents"]
    return "approve" if within else "deny"
"""


def write_evaluator(
    folder: Path,
    *,
    revised: bool,
    code: str = DECIDE,
    extra: str = "",
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    version = "2.0" if revised else "1.0"
    (folder / "evaluator.toml").write_text(MANIFEST.format(version=version, extra=extra))
    (folder / "decide.py").write_text(code)
    norms = {"days": 14, "cents": 20_000} if revised else {"days": 30, "cents": 10_000}
    (folder / "norms.json").write_text(json.dumps(norms))
    regions = ["north", "east"] if revised else ["north", "south"]
    (folder / "authority.json").write_text(json.dumps({"regions": regions}))
    return folder


def some_cases(count: int, seed: int = 1) -> list[dict[str, Any]]:
    rng = random.Random(seed)

    def grounds() -> dict[str, Any]:
        return {
            "region": rng.choice(["north", "south", "east", "west"]),
            "days": rng.choice([5, 20, 40]),
            "cents": rng.choice([5_000, 15_000, 30_000]),
        }

    cases = []
    for n in range(count):
        old = grounds()
        new = grounds() if rng.random() < 0.6 else old
        gold = {"old": "deny", "revised": rng.choice(["deny", "approve"])}
        cases.append(
            {
                "id": f"c{n}",
                "unit": f"u{n % 7}",
                "grounds": {"old": old, "revised": new},
                "gold": gold,
            }
        )
    return cases


def write_cases(path: Path, cases: list[dict[str, Any]], tail: str = "") -> Path:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases) + tail)
    return path


class World:
    """Two versions, cases, and a place for runs."""

    def __init__(self, folder: Path, count: int = 120, tail: str = "", **kwargs: Any) -> None:
        self.folder = folder
        self.v1 = write_evaluator(folder / "v1", revised=False, **kwargs)
        self.v2 = write_evaluator(folder / "v2", revised=True, **kwargs)
        self.cases = write_cases(folder / "cases.jsonl", some_cases(count), tail)
        self.out = folder / "run"

    @property
    def old(self) -> Evaluator:
        return load_evaluator(self.v1)

    @property
    def revised(self) -> Evaluator:
        return load_evaluator(self.v2)
