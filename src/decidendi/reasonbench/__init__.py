"""ReasonBench: worlds, cases, splits, controls, prompts, scores; the benchmark of explainers."""

from decidendi.reasonbench._audit import BenchmarkAudit, audit_benchmark
from decidendi.reasonbench._baselines import MAJORITY, PUBLISHED_BASELINES, TFIDF, baselines
from decidendi.reasonbench._build import build_benchmark
from decidendi.reasonbench._cells import Cell, Compared, Expected, Text, shown
from decidendi.reasonbench._consistency import (
    COVERAGES,
    RELATIONS,
    Consistency,
    OperatingPoint,
    consistency,
    reason_debt,
)
from decidendi.reasonbench._mix import PUBLISHED
from decidendi.reasonbench._page import page_of, write_page
from decidendi.reasonbench._policy import PolicyRules
from decidendi.reasonbench._policy_worlds import Clause, clauses
from decidendi.reasonbench._predictions import (
    Fault,
    FaultKind,
    Predicted,
    Predictions,
    read_predictions,
)
from decidendi.reasonbench._prompts import ALL, prompts, splits_named
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
from decidendi.reasonbench._rego import rego_of
from decidendi.reasonbench._render import ORDER, RENDERINGS, Renderer, instruction
from decidendi.reasonbench._rows import BenchmarkRow, column_of, rows_of
from decidendi.reasonbench._schema import prediction_schema
from decidendi.reasonbench._scores import (
    Metric,
    Score,
    Scorer,
    SeedShare,
    Unscored,
    Where,
    contrast,
)
from decidendi.reasonbench._scoring import Scoring, score_files, table_as_json
from decidendi.reasonbench._splits import FROZEN, SEED, Holdout, Unit, holdout, units
from decidendi.reasonbench._store import (
    check_files,
    gold_of,
    read_gold,
    read_manifest,
    read_rows,
)
from decidendi.reasonbench._tables import (
    Row,
    Table,
    all_tables,
    chance_receipts,
    composition,
    controls,
    diagnostics,
    failures,
    outcomes,
    selective,
    separation,
    shifts,
    strata,
    structure,
)
from decidendi.reasonbench._targets import (
    Answer,
    Malformed,
    Target,
    rationale,
    read_fields,
    read_output,
    target_named,
    write_target,
)

__all__ = [
    # build, audit, read
    "build_benchmark",
    "audit_benchmark",
    "BenchmarkAudit",
    "FROZEN",
    "SEED",
    "PUBLISHED",
    "read_manifest",
    "check_files",
    "read_gold",
    "read_rows",
    "gold_of",
    "column_of",
    # worlds, units and splits
    "units",
    "Unit",
    "rows_of",
    "BenchmarkRow",
    "holdout",
    "Holdout",
    "clauses",
    "Clause",
    "PolicyRules",
    "rego_of",
    # prompts
    "prompts",
    "splits_named",
    "ALL",
    "Renderer",
    "RENDERINGS",
    "ORDER",
    "instruction",
    # surface baselines
    "baselines",
    "MAJORITY",
    "TFIDF",
    "PUBLISHED_BASELINES",
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
    "target_named",
    "Answer",
    "Malformed",
    "write_target",
    "rationale",
    "read_output",
    "read_fields",
    # what it wrote
    "read_predictions",
    "prediction_schema",
    "Predictions",
    "Predicted",
    "Fault",
    "FaultKind",
    # scores
    "Scorer",
    "Metric",
    "Score",
    "SeedShare",
    "Unscored",
    "Where",
    "contrast",
    "consistency",
    "Consistency",
    "RELATIONS",
    "reason_debt",
    "OperatingPoint",
    "COVERAGES",
    # files scored together
    "score_files",
    "Scoring",
    "page_of",
    "write_page",
    # the paper's tables
    "all_tables",
    "diagnostics",
    "chance_receipts",
    "outcomes",
    "separation",
    "failures",
    "structure",
    "strata",
    "shifts",
    "controls",
    "selective",
    "composition",
    "Table",
    "Row",
    "Cell",
    "Text",
    "Expected",
    "Compared",
    "shown",
    "table_as_json",
]
