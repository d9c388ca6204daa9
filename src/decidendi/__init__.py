"""Decidendi proves which change made a verdict change."""

from decidendi._version import __version__
from decidendi.judgment import Adjudicator, Case, Identity, Reason, Source, State, Unmeasured
from decidendi.receipts import (
    Certificate,
    PredictedReceipt,
    Receipt,
    Status,
    Transition,
    certify,
    certify_many,
)

__all__ = [
    "__version__",
    "certify",
    "certify_many",
    "Case",
    "Source",
    "State",
    "Transition",
    "Adjudicator",
    "Identity",
    "Certificate",
    "Receipt",
    "PredictedReceipt",
    "Status",
    "Unmeasured",
    "Reason",
]
