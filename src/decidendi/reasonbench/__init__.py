"""ReasonBench: worlds, cases, splits, controls, prompts, scores; the benchmark of explainers."""

from decidendi.reasonbench._records import (
    CONTROLS,
    KINDS,
    SPLITS,
    STRATA,
    Control,
    GoldCase,
    Split,
    Stratum,
)

__all__ = [
    # records
    "GoldCase",
    "KINDS",
    "STRATA",
    "SPLITS",
    "CONTROLS",
    "Stratum",
    "Split",
    "Control",
]
