"""Where a run's certificates and executed cells live: SQLite, or Parquet segments in bulk."""

from decidendi.ledger._cells import Cells
from decidendi.ledger._database import LedgerError
from decidendi.ledger._ledger import (
    DATABASE,
    SEGMENT_CASES,
    BadRow,
    Ledger,
    Segment,
    digest_in,
    run_root,
)
from decidendi.ledger._merkle import Inclusion, root
from decidendi.ledger._open import create_ledger, open_ledger
from decidendi.ledger._row import Binder, Row, changed_kinds, unpacked

__all__ = [
    # the ledger of a run
    "Ledger",
    "create_ledger",
    "open_ledger",
    "LedgerError",
    "DATABASE",
    "SEGMENT_CASES",
    # what it holds
    "Row",
    "Binder",
    "BadRow",
    "Cells",
    "changed_kinds",
    "unpacked",
    "digest_in",
    # what seals it
    "Segment",
    "Inclusion",
    "run_root",
    "root",
]
