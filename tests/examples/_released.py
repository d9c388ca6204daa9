"""Writes public sets as their owners release them, from ../shared/data where that is at hand.

Pages show commands on the files a reader would have; what lies in shared/data is put together
otherwise. Rows stay as they are; only where they stand changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def place(folder: Path) -> None:
    """Write what there is; nothing where the data are not at hand."""
    if DATA.is_dir():
        _steps(folder)
        _pairs(folder / "LLMBar" / "Dataset", "judges/pairwise_human.jsonl")
        answers = _rows("judges/lexglue_gold_vs_gpt35.jsonl")
        of_terms = [row for row in answers if row["task"] == "unfair_tos"]
        _write(folder / "unfair_tos.jsonl", of_terms)


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def _steps(folder: Path) -> None:
    mistakes = _rows("steps/bigbench_mistake.jsonl")
    for row in mistakes:
        for added in ("id", "task", "source"):
            del row[added]
    _write(folder / "mistakes.jsonl", mistakes)
    _json(folder / "processbench.json", _rows("steps/processbench.jsonl"))
    solutions = _rows("steps/mrmath_invalid_human_and_judges.jsonl")
    for judge in ("gpt4", "gpt3_5_turbo"):
        said = [{"id": row["id"], **row["judges"][judge]} for row in solutions]
        _write(folder / f"{judge}_eval_results.json", said)
    for row in solutions:
        for added in ("judges", "source"):
            del row[added]
    _write(folder / "mr-math_invalid_errors.json", solutions)
    for part in ("drop", "esnli"):
        name = f"roscoe-{part}-stepwise"
        rows = _rows(f"steps/roscoe_{part}_stepwise.jsonl")
        _json(folder / f"{name}.json", {"dataset": name, "instances": rows})
    proofs = _rows("steps/inferential_strategies.jsonl")
    _json(folder / "inferential_strategies.json", {"dataset": "proofs", "instances": proofs})


def _pairs(folder: Path, name: str) -> None:
    subsets: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(name):
        subsets.setdefault(row["subset"], []).append(row)
    for subset, rows in subsets.items():
        pairs = [
            {key: row[key] for key in ("input", "output_1", "output_2")}
            | {"label": row["human_label"]}
            for row in rows
        ]
        _json(folder / "Processed" / subset / "dataset.json", pairs)
        for judge in rows[0]["judges"]:
            said = [row["judges"][judge] for row in rows]
            results = [
                pair
                | {
                    "results": [
                        {
                            "swap = False": {"winner": orders["order_12"]},
                            "swap = True": {"winner": orders["order_21"]},
                        }
                    ]
                }
                for pair, orders in zip(pairs, said, strict=True)
            ]
            path = folder / "Processed" / subset / "evaluators" / judge / "result.json"
            _json(path, results)


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
