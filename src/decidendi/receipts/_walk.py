"""The bottom-up walk: executes exactly the cells that no receipt member lies strictly inside.

Why these and no others is proved in ``design/walk.md``. In short: a strict superset of a
member cannot be minimal, and any other cell left open has two completions that disagree.
"""

from __future__ import annotations

from decidendi.judgment import Verdict, is_measured
from decidendi.receipts._lattice import in_order, levels, strictly_inside


class Walk:
    """The search for the receipt of one transition whose endpoints differ.

    Ask ``needed()`` for the next level's cells, ``record`` a verdict for each, and repeat until
    nothing is needed. INVARIANT: every cell smaller than the current level is either recorded
    or has a member strictly inside it.

    Attributes:
        members: The reproducing cells found so far that contain no other (ascending size).
        open: Needed cells that have no verdict. While any is open the family is not known.
    """

    __slots__ = ("_changed", "_next", "_revised", "members", "open")

    def __init__(self, changed: int, revised: str) -> None:
        """Start below the endpoints: ``changed`` is the mask of changed kinds."""
        self._changed = changed
        self._revised = revised
        self._next = 0
        self.members: list[int] = []
        self.open: list[int] = []

    def needed(self) -> list[int]:
        """Return the next level's cells to execute; empty when the walk is over."""
        rows = levels(self._changed)
        if self._next >= len(rows):
            return []
        row = rows[self._next]
        self._next += 1
        if not self.members:
            return list(row)
        # A level of which nothing is needed has a member inside every cell, and so have all
        # levels above it: an empty list ends the walk.
        found = self.members
        return [mask for mask in row if not any(m & ~mask == 0 for m in found)]

    def record(self, mask: int, verdict: Verdict) -> None:
        """Take the verdict of a needed cell."""
        if not is_measured(verdict):
            self.open.append(mask)
        elif verdict == self._revised:
            self.members.append(mask)

    def family(self) -> tuple[int, ...]:
        """Return the members once the walk is over: the whole family if nothing is open.

        With open cells, only the members that stand whatever those cells would have said:
        the reproducing ones with no open cell strictly inside.
        """
        if self.open:
            return in_order(
                m for m in self.members if not any(strictly_inside(o, m) for o in self.open)
            )
        return in_order(self.members) or (self._changed,)
