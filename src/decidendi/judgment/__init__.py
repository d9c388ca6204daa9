"""The words everything else is written in: case, source, state, verdict, adjudicator, digest.

This room imports nothing of the house. See ``design/house.md`` for the others.
"""

from decidendi.judgment._adjudicator import Adjudicator, Identity
from decidendi.judgment._canonical import (
    JSON,
    MAX_INTEGER,
    CanonicalError,
    canonical_bytes,
    digest_of,
    sha256,
)
from decidendi.judgment._case import Case
from decidendi.judgment._errors import (
    BadInputError,
    DecidendiError,
    MissingExtraError,
    NonComparableError,
    Place,
)
from decidendi.judgment._reading import JsonTextError, parse_json
from decidendi.judgment._state import GROUNDS_NORMS_AUTHORITY, Source, State
from decidendi.judgment._verdict import Reason, Unmeasured, Verdict, is_measured, one_line

__all__ = [
    # what is decided, and by what
    "Case",
    "Source",
    "State",
    "GROUNDS_NORMS_AUTHORITY",
    "Adjudicator",
    "Identity",
    # what comes out
    "Verdict",
    "Unmeasured",
    "Reason",
    "is_measured",
    "one_line",
    # canonical bytes and digests
    "JSON",
    "MAX_INTEGER",
    "canonical_bytes",
    "digest_of",
    "sha256",
    "parse_json",
    # errors
    "DecidendiError",
    "BadInputError",
    "CanonicalError",
    "JsonTextError",
    "MissingExtraError",
    "NonComparableError",
    "Place",
]
