"""Evaluators that ask a model, written to disk, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MANIFEST = """
name = "judge"
version = "{version}"
verdicts = ["yes", "no", "refer"]
deterministic = {deterministic}

[adjudicator]
engine = "model"
{more}
[sources.grounds]
from = "case"
[sources.rubric]
files = ["rubric.md"]
[sources.prompt]
files = ["prompt.md"]
[sources.model]
files = ["model.json"]
"""
PROMPT = """<grounds>{grounds}</grounds>
<rubric>
{rubric}
</rubric>
End with VERDICT: and yes, no or refer."""
RUBRIC = 'yes if the grounds says "good".\nno otherwise.\n'


def judge(
    folder: Path,
    *,
    model: Mapping[str, Any] | None = None,
    rubric: str = RUBRIC,
    prompt: str = PROMPT,
    deterministic: bool = False,
    version: str = "1",
    more: str = "",
) -> Path:
    """Write one."""
    folder.mkdir(parents=True)
    told = str(deterministic).lower()
    manifest = MANIFEST.format(version=version, deterministic=told, more=more)
    (folder / "evaluator.toml").write_text(manifest)
    (folder / "rubric.md").write_text(rubric)
    (folder / "prompt.md").write_text(prompt)
    (folder / "model.json").write_text(json.dumps(model or {"name": "scripted/judge"}))
    return folder


def cases(path: Path, *grounds: Any) -> Path:
    """Write cases, one for each grounds."""
    lines = [json.dumps({"id": f"c{n}", "grounds": each}) for n, each in enumerate(grounds)]
    path.write_text("\n".join(lines) + "\n")
    return path
