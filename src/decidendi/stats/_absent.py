"""Labels and values that may be absent, and why they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from decidendi.judgment import Unmeasured

Label: TypeAlias = str | Unmeasured | None
"""A label; or unmeasured, with its reason; or None where none was asked for."""

Value: TypeAlias = float | Unmeasured | None
"""A number, of which True is 1 and False 0; or absent as a ``Label`` is."""

NO_LABEL = "no label"
"""The reason counted for None."""


def why_absent(value: object) -> str | None:
    """Return why ``value`` is absent; None where it is there."""
    if value is None:
        return NO_LABEL
    return str(value.reason) if isinstance(value, Unmeasured) else None


def first_absence(named: Iterable[tuple[str, object]]) -> str | None:
    """Return who lacks a value and why, as ``judge: not-converged``; None where all have one."""
    for who, value in named:
        if (why := why_absent(value)) is not None:
            return f"{who}: {why}"
    return None
