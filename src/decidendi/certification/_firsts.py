"""The first few cases of each outcome, to name those that tripped a gate."""

from __future__ import annotations

from collections.abc import Iterator

from decidendi.certification._shape import Shape
from decidendi.ledger import BadRow, Row

NAMED = 5


class Firsts:
    """Collects the first cases of each outcome in the order of the file.

    Attributes:
        cases: By outcome (a status, ``changed``, ``ambiguous``, ``nondeterministic`` or
            ``bad``) the ids of its first cases; lines where there is no id.
    """

    def __init__(self) -> None:
        self.cases: dict[str, list[str]] = {}

    def add(self, row: Row, shape: Shape) -> None:
        """Note a certificate. Rows come in the order of the cases."""
        for name in _outcomes(shape):
            self._note(name, row.case_id)

    def add_bad(self, row: BadRow) -> None:
        """Note a record that could not be used."""
        self._note("bad", f"line {row.line}")

    def _note(self, name: str, case: str) -> None:
        some = self.cases.setdefault(name, [])
        if len(some) < NAMED:
            some.append(case)


def _outcomes(shape: Shape) -> Iterator[str]:
    yield shape.status.value
    if shape.changed:
        yield "changed"
    if len(shape.receipt) > 1:
        yield "ambiguous"
    if shape.flickers:
        yield "nondeterministic"
