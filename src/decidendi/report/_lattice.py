"""The lattice of one case: where its cells stand, what each says, what is ringed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from decidendi.judgment import Unmeasured
from decidendi.report._content import CellFigure, ExampleCase
from decidendi.report._palette import Palette, Swatch
from decidendi.report._text import counted, fitted, receipt_label, visible, width

DRAWN = 4
"""Up to so many changed kinds the lattice is drawn (16 nodes); above, the cells are a table."""

TABLE_ROWS = 64
"""Rows of the cell table before the rest are counted."""

# Lengths in SVG user units, which are CSS pixels where the figure is not scaled down. Three
# nodes abreast are 340 wide: the lattice of three kinds fits a phone unscaled.
_NODE = 104
_GAP = 10
_RISE = 46
_LINE = 14
_MARGIN = 8
_TAG = 10
# Columns of text that fit a node in the widest of the usual system fonts.
_COLUMNS = 14
_VERDICT_COLUMNS = 10


@dataclass(frozen=True, slots=True)
class Node:
    """One cell as drawn.

    Attributes:
        x: Left edge.
        y: Top edge.
        caption: The replaced kinds, in lines.
        look: ``measured``, ``failed`` or ``idle`` (not run).
        swatch: Its verdict's looks; None unless measured.
        text: The verdict, the reason for its absence, or "not run".
        ringed: Whether it is a minimal set.
    """

    x: int
    y: int
    caption: tuple[str, ...]
    look: str
    swatch: Swatch | None
    text: str
    ringed: bool


@dataclass(frozen=True, slots=True)
class Lattice:
    """A drawn lattice: the old state at the bottom, the revised one at the top."""

    width: int
    height: int
    node_width: int
    node_height: int
    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int, int, int], ...]
    description: str


@dataclass(frozen=True, slots=True)
class CellRow:
    """One cell as a table row."""

    replaced: str
    swatch: Swatch | None
    missing: str
    draws: int
    role: str


def lattice_of(example: ExampleCase, palette: Palette) -> Lattice | None:
    """Lay out the case's lattice; None if no kind changed or more than ``DRAWN`` did."""
    kinds = example.changed
    k = len(kinds)
    if not 1 <= k <= DRAWN:
        return None
    rows = [list(combinations(range(k), size)) for size in range(k + 1)]
    captions = {s: _caption(s, kinds) for row in rows for s in row}
    tall = 30 + _LINE * max(map(len, captions.values()))
    broad = max(len(row) for row in rows)
    full = broad * _NODE + (broad - 1) * _GAP + 2 * _MARGIN
    cells = {frozenset(cell.replaced): cell for cell in example.cells}
    ringed = {frozenset(member) for member in example.receipt or example.known}
    nodes: dict[tuple[int, ...], Node] = {}
    for size, row in enumerate(rows):
        y = _MARGIN + _TAG + (k - size) * (tall + _RISE)
        left = (full - len(row) * _NODE - (len(row) - 1) * _GAP) // 2
        for i, subset in enumerate(row):
            names = frozenset(kinds[j] for j in subset)
            x = left + i * (_NODE + _GAP)
            nodes[subset] = _node(
                (x, y), captions[subset], cells.get(names), names in ringed, palette
            )
    return Lattice(
        width=full,
        height=_TAG + 2 * _MARGIN + (k + 1) * tall + k * _RISE,
        node_width=_NODE,
        node_height=tall,
        nodes=tuple(nodes.values()),
        edges=_edges(nodes, tall),
        description=_description(example),
    )


def _node(
    place: tuple[int, int],
    caption: tuple[str, ...],
    cell: CellFigure | None,
    ringed: bool,
    palette: Palette,
) -> Node:
    if cell is None:
        return Node(*place, caption, "idle", None, "not run", ringed)
    if isinstance(cell.verdict, Unmeasured):
        return Node(*place, caption, "failed", None, cell.verdict.reason.value, ringed)
    return Node(
        *place,
        caption,
        "measured",
        palette[cell.verdict],
        fitted(cell.verdict, _VERDICT_COLUMNS),
        ringed,
    )


def _caption(subset: Sequence[int], kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the replaced kinds, packed into as few lines as fit a node."""
    if not subset:
        return ("old state",)
    if len(subset) == len(kinds):
        return ("revised state",)
    lines: list[str] = []
    for i in subset:
        name = fitted(kinds[i], _COLUMNS - 1)
        if lines and width(lines[-1]) + 3 + width(name) <= _COLUMNS:
            lines[-1] += f" + {name}"
        else:
            lines = [*lines[:-1], f"{lines[-1]} +", name] if lines else [name]
    return tuple(lines)


def _edges(nodes: dict[tuple[int, ...], Node], tall: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return a line from each cell up to each cell that replaces one kind more."""
    return tuple(
        (low.x + _NODE // 2, low.y, high.x + _NODE // 2, high.y + tall)
        for small, low in nodes.items()
        for large, high in nodes.items()
        if len(large) == len(small) + 1 and set(small) < set(large)
    )


def _description(example: ExampleCase) -> str:
    """Say the figure in words, for those who do not see it."""
    ran = len(example.cells)
    cells = 1 << len(example.changed)
    says = [
        f"{counted(cells, 'cell')}, of which {ran} {'was' if ran == 1 else 'were'} executed. "
        "Each replaces some of the changed sources by their revised version."
    ]
    ends = {frozenset(cell.replaced): cell.verdict for cell in example.cells}
    for name, key in (("old", frozenset[str]()), ("revised", frozenset(example.changed))):
        verdict = ends.get(key)
        if verdict is not None:
            what = verdict if isinstance(verdict, str) else f"no verdict ({verdict.reason.value})"
            says.append(f"The {name} state gives {fitted(what, 60)}.")
    if example.receipt:
        says.append(f"Minimal: {fitted(receipt_label(example.receipt), 200)}.")
    says.append("The table below the figure lists every executed cell.")
    return visible(" ".join(says))


def cell_rows(example: ExampleCase, palette: Palette) -> tuple[tuple[CellRow, ...], int]:
    """Return the executed cells as table rows, minimal sets first, and how many are left out."""
    ringed = {frozenset(member) for member in example.receipt or example.known}
    ordered = sorted(example.cells, key=lambda cell: _rank(cell, example, ringed))
    shown = ordered[:TABLE_ROWS]
    return tuple(_row(cell, example, ringed, palette) for cell in shown), len(ordered) - len(shown)


def _rank(cell: CellFigure, example: ExampleCase, ringed: set[frozenset[str]]) -> int:
    names = frozenset(cell.replaced)
    if not names:
        return 0
    if names == frozenset(example.changed):
        return 1
    return 2 if names in ringed else 3


def _row(
    cell: CellFigure, example: ExampleCase, ringed: set[frozenset[str]], palette: Palette
) -> CellRow:
    names = frozenset(cell.replaced)
    replaced = " + ".join(cell.replaced)
    if not names:
        replaced = "nothing: the old state"
    elif names == frozenset(example.changed):
        replaced = f"{replaced}: the revised state"
    missing, swatch = "", None
    if isinstance(cell.verdict, Unmeasured):
        missing = f"{cell.verdict.reason.value}: {cell.verdict.detail}".removesuffix(": ")
    else:
        swatch = palette[cell.verdict]
    return CellRow(replaced, swatch, missing, cell.draws, "minimal" if names in ringed else "")
