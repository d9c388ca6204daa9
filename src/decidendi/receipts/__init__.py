"""Receipts: which replaced sources reproduce the new verdict, proved by executing hybrids.

Pure: no files, no network. Sources and verdicts in, certificates out.
"""

from decidendi.receipts._accounting import ChangeAccounting
from decidendi.receipts._cells import CellStore, RecentCells, Replays
from decidendi.receipts._certificate import (
    Cell,
    Certificate,
    Finding,
    IncompleteTableError,
    Migration,
    Sampling,
    Status,
    derive,
    interior_cells,
    why_open,
    worst_case_cells,
)
from decidendi.receipts._certify import certify, certify_many
from decidendi.receipts._drill import EXACT_PARTS, Drilled, Parts, drill, json_parts
from decidendi.receipts._lattice import in_order, levels, mask_of, names_of
from decidendi.receipts._receipt import (
    PredictedReceipt,
    Receipt,
    receipt_by_walk,
    receipt_of_cube,
)
from decidendi.receipts._sampled import StochasticAdjudicator
from decidendi.receipts._statement import (
    PREDICATE_TYPE,
    STATEMENT_TYPE,
    CertificateError,
    certificate_schema,
    from_predicate,
    statement_of,
    to_predicate,
    to_statement,
)
from decidendi.receipts._transition import Contract, Transition
from decidendi.receipts._verify import read_statement, verify_certificate, verify_statement

__all__ = [
    # certify
    "certify",
    "certify_many",
    "Transition",
    "Contract",
    "CellStore",
    "RecentCells",
    "Replays",
    "StochasticAdjudicator",
    # what comes out
    "Certificate",
    "Status",
    "Cell",
    "Finding",
    "Migration",
    "Sampling",
    "Receipt",
    "PredictedReceipt",
    "why_open",
    # failures of an update, against gold
    "ChangeAccounting",
    # drill down into one source
    "drill",
    "Drilled",
    "Parts",
    "json_parts",
    "EXACT_PARTS",
    # as documents
    "to_statement",
    "to_predicate",
    "from_predicate",
    "statement_of",
    "read_statement",
    "verify_statement",
    "verify_certificate",
    "certificate_schema",
    "CertificateError",
    "STATEMENT_TYPE",
    "PREDICATE_TYPE",
    # the lattice and its arithmetic
    "derive",
    "IncompleteTableError",
    "receipt_of_cube",
    "receipt_by_walk",
    "levels",
    "in_order",
    "names_of",
    "mask_of",
    "interior_cells",
    "worst_case_cells",
]
