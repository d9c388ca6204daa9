"""ReasonBench: worlds, cases, splits, controls, prompts, scores; the benchmark of explainers."""

from decidendi.reasonbench._records import (
    CONTROLS,
    KINDS,
    LABELS,
    SPLITS,
    STRATA,
    Control,
    GoldCase,
    GoldSet,
    Split,
    Stratum,
)
from decidendi.reasonbench._targets import (
    Answer,
    Malformed,
    Target,
    rationale,
    read_fields,
    read_output,
    write_target,
)

__all__ = [
    # records
    "GoldCase",
    "GoldSet",
    "KINDS",
    "LABELS",
    "STRATA",
    "SPLITS",
    "CONTROLS",
    "Stratum",
    "Split",
    "Control",
    # what a predictor is asked to write
    "Target",
    "Answer",
    "Malformed",
    "write_target",
    "rationale",
    "read_output",
    "read_fields",
]
