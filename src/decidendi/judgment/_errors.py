"""The tree of errors. Everything raised on purpose descends from ``DecidendiError``.

    DecidendiError
    ├── BadInputError          something the user handed over; the command line exits with 2
    │   ├── CanonicalError     a value outside the canonical domain
    │   └── JsonTextError      text that is not the JSON we accept
    ├── MissingExtraError      an optional dependency is needed
    └── NonComparableError     two evaluators or runs cannot be compared at all

A failure while *executing* an evaluator is not an exception: it is an ``Unmeasured`` cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Place:
    """Where bad input stands: file, 1-based line, and field path; any part may be unknown."""

    file: str | None = None
    line: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        """Render as ``file:line: field``, leaving out what is unknown."""
        where = self.file or ""
        if self.line is not None:
            where += f":{self.line}" if where else f"line {self.line}"
        if self.field:
            where += f": {self.field}" if where else self.field
        return where


class DecidendiError(Exception):
    """Root of every error this package raises on purpose."""


class BadInputError(DecidendiError):
    """Input that cannot be used.

    Attributes:
        what: What is wrong, as a sentence without its place.
        remedy: What the user can do about it; may be empty.
        place: Where it stands.
    """

    def __init__(self, what: str, *, remedy: str = "", place: Place | None = None) -> None:
        self.what = what
        self.remedy = remedy
        self.place = place or Place()
        super().__init__(what)

    def __str__(self) -> str:
        """Render as ``place: what. remedy``."""
        head = f"{where}: " if (where := str(self.place)) else ""
        tail = f" ({self.remedy})" if self.remedy else ""
        return f"{head}{self.what}{tail}"

    def at(
        self, *, file: str | None = None, line: int | None = None, field: str | None = None
    ) -> Self:
        """Return self with the missing parts of its place filled in; a field is prefixed."""
        inner = self.place.field
        joined = f"{field}.{inner}" if field and inner else (field or inner)
        self.place = replace(
            self.place,
            file=self.place.file or file,
            line=self.place.line if self.place.line is not None else line,
            field=joined,
        )
        return self


class MissingExtraError(DecidendiError):
    """An optional dependency is not installed.

    Attributes:
        what: What needs it.
        extra: The extra of this package that brings it.
        remedy: How to install it.
    """

    def __init__(self, what: str, extra: str) -> None:
        self.what = what
        self.extra = extra
        self.remedy = f"install the extra {extra}, e.g. pip install '.[{extra}]' in a clone"
        super().__init__(f"{what} needs an extra: {self.remedy}")


class NonComparableError(DecidendiError):
    """Two evaluators or runs differ in something that makes any comparison meaningless.

    Attributes:
        differing: For each differing field, its old and its revised value.
    """

    def __init__(self, differing: Mapping[str, tuple[object, object]]) -> None:
        self.differing = dict(differing)
        parts = "; ".join(
            f"{name}: {old!r} against {new!r}" for name, (old, new) in differing.items()
        )
        super().__init__(f"non-comparable: {parts}")
