"""Scoring files of predictions together: reading them, setting them beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from decidendi.judgment import JSON, NonComparableError
from decidendi.reasonbench._baselines import baselines
from decidendi.reasonbench._cells import Cell, Compared, Expected, Text, shown
from decidendi.reasonbench._consistency import Consistency
from decidendi.reasonbench._predictions import Predictions, read_predictions
from decidendi.reasonbench._records import GoldSet
from decidendi.reasonbench._scores import Score, Scorer, Unscored
from decidendi.reasonbench._splits import FROZEN
from decidendi.reasonbench._store import read_gold
from decidendi.reasonbench._tables import Table, all_tables
from decidendi.reasonbench._targets import Target
from decidendi.stats import Difference


@dataclass(frozen=True)
class Scoring:
    """Files of predictions, scored.

    Attributes:
        gold: The benchmark.
        scorers: One method per file; differences are against the first.
        surface: The surface baselines, where they were fitted.
        strangers: Files that predict another benchmark, with its digest. They are not scored:
            their figures and these are non-comparable.
    """

    gold: GoldSet
    scorers: tuple[Scorer, ...]
    surface: tuple[Scorer, ...] = ()
    strangers: Mapping[str, str] = field(default_factory=dict)

    @property
    def frozen(self) -> bool:
        """Whether this is the frozen benchmark, so that figures compare with those of others."""
        return self.gold.digest == FROZEN

    @property
    def whole(self) -> bool:
        """Whether every file could be scored and nothing was wrong with any."""
        return not self.strangers and not any(s.predictions.faults for s in self.scorers)

    @cached_property
    def tables(self) -> list[Table]:
        """Every table of the paper; none if no file is of this benchmark."""
        return all_tables(self.scorers, self.gold, self.surface) if self.scorers else []

    def as_json(self) -> dict[str, JSON]:
        """Return everything for machines: numbers as they are, beside the text for people."""
        return {
            "benchmark": self.gold.digest,
            "frozen": self.frozen,
            "methods": [_method(scorer.predictions) for scorer in self.scorers],
            "non-comparable": dict(self.strangers),
            "tables": [table_as_json(table) for table in self.tables],
        }


def score_files(
    folder: Path,
    paths: Sequence[Path],
    *,
    target: Target | None = None,
    seeds: int | None = None,
    surface: bool = False,
    replicates: int = 10_000,
) -> Scoring:
    """Read files of predictions and pair them with gold.

    Args:
        folder: A built benchmark.
        paths: One file per method.
        target: What was asked for, for files that do not say it.
        seeds: How many seeds each file should hold, if that is known.
        surface: Whether to fit the surface baselines for Table 1; takes half a minute.
        replicates: Bootstrap replicates of every interval.

    Raises:
        BadInputError: if the folder holds no benchmark, or a file cannot be scored.
        MissingExtraError: for the baselines without the extra ``bench``.
    """
    gold = read_gold(folder)
    scorers: list[Scorer] = []
    strangers: dict[str, str] = {}
    for path, method in zip(paths, _methods(paths), strict=True):
        try:
            read = read_predictions(path, gold, method=method, target=target, seeds=seeds)
        except NonComparableError as error:
            strangers[str(path)] = str(error.differing["benchmark"][1])
        else:
            scorers.append(Scorer(read, gold, replicates=replicates))
    fitted = baselines(folder) if surface else ()
    own = tuple(Scorer(one, gold, replicates=replicates) for one in fitted)
    return Scoring(gold, tuple(scorers), own, strangers)


def _methods(paths: Sequence[Path]) -> list[str]:
    """Name each file's method by its stem, by its folder too where two would share a name."""
    stems = Counter(path.stem for path in paths)
    names = [
        path.stem if stems[path.stem] == 1 else f"{path.absolute().parent.name}/{path.stem}"
        for path in paths
    ]
    again: Counter[str] = Counter()
    for i, name in enumerate(names):
        again[name] += 1
        if again[name] > 1:
            names[i] = f"{name} ({again[name]})"
    return names


def _method(read: Predictions) -> dict[str, JSON]:
    return {
        "method": read.method,
        "target": read.target.value,
        "seeds": [*read.by_seed],
        "answers": read.answers,
        "malformed": read.malformed,
        "names the benchmark": read.bound,
        "renderings": [*read.renderings],
        "file": read.digest,
        "faults": [
            {"fault": fault.kind.value, "count": fault.count, "examples": [*fault.examples]}
            for fault in read.faults
        ],
    }


def table_as_json(table: Table) -> dict[str, JSON]:
    """Return a table for machines: each row's label, and its cells in numbers and text."""
    return {
        "table": table.number,
        "title": table.title,
        "columns": [*table.columns],
        "rows": [
            {"label": row.label, "cells": [_cell(cell) for cell in row.cells]} for row in table.rows
        ],
        "note": table.note,
    }


def _cell(cell: Cell) -> dict[str, Any]:
    """Return a cell's numbers, as shares in [0, 1], and its text."""
    return {"text": shown(cell), **_numbers(cell)}


def _numbers(cell: Cell) -> dict[str, Any]:
    match cell:
        case Text():
            return {}
        case Unscored(why):
            return {"not measured": why}
        case Expected(share):
            return {"expected": share}
        case Score():
            return _of_score(cell)
        case Consistency(score=score):
            return {**_of_score(score), "floor": cell.floor, "pair error": cell.pair_error}
        case Compared(difference, adjusted):
            return {**_of_difference(difference), "adjusted p": adjusted}
        case Difference():
            return _of_difference(cell)


def _of_score(score: Score) -> dict[str, Any]:
    return {
        "mean": score.mean,
        "spread": score.spread,
        "low": score.rate.low,
        "high": score.rate.high,
        "hits": score.rate.numerator,
        "n": score.rate.n,
        "seeds": [{"seed": s.seed, "hits": s.numerator, "n": s.n} for s in score.by_seed],
    }


def _of_difference(found: Difference) -> dict[str, Any]:
    return {"difference": found.value, "low": found.low, "high": found.high, "p": found.p}
