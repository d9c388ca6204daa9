"""Verdicts. A verdict is a label, or unmeasured with a reason; the two are different types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeGuard


class Reason(StrEnum):
    """Why a cell has no verdict."""

    ERROR = "error"
    """The engine raised or reported an error."""
    TIMEOUT = "timeout"
    """No answer within the time the user allowed."""
    INTERFACE = "interface"
    """The hybrid is not a well-typed input (schema, renamed field, changed unit)."""
    LABEL = "label"
    """The answer lies outside the declared verdict set."""
    NONDETERMINISTIC = "nondeterministic"
    """Declared deterministic, but two executions of the same state differ."""
    UNDETERMINED = "undetermined"
    """Drawn up to the budget without a decision at the required level."""
    NOT_CONVERGED = "not-converged"
    """The model gave no verdict that could be read."""


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """The absence of a verdict. Never wrong, never false, never zero.

    Attributes:
        reason: The class of cause, for counting.
        detail: What happened, for people. Part of a certificate, so keep it free of times,
            addresses and anything else that differs between two executions.
    """

    reason: Reason
    detail: str = ""


Verdict: TypeAlias = str | Unmeasured
"""A label from the evaluator's declared set, or ``Unmeasured``."""


def is_measured(verdict: Verdict) -> TypeGuard[str]:
    """Say whether ``verdict`` is a label."""
    return type(verdict) is str


def one_line(text: str, limit: int = 300) -> str:
    """Make a message fit for ``Unmeasured.detail``: one bounded line, no addresses."""
    text = re.sub(r"0x[0-9a-fA-F]{4,}", "0x…", text[: 4 * limit])
    text = "".join(c if c.isprintable() else " " for c in text)
    text = re.sub(r" {2,}", " ", text).strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"
