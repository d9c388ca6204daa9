"""Line charts with two axes, laid out in a fixed frame and drawn by the template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decidendi.report._palette import COLOURS
from decidendi.report._plots import Axis, share_axis, upward_axis

WIDTH, HEIGHT = 340, 236
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 14, 14, 44
SHAPES = ("dot", "square", "diamond", "ring")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its name, its look, and its points in the frame."""

    name: str
    css: str
    shape: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart.

    Attributes:
        title: What it shows.
        across: What runs from left to right.
        up: What runs upwards.
        columns: Grid lines from left to right: where, and their labels.
        rows: Grid lines upwards.
        frame: Left, top, right and bottom of the plotted area.
        lines: The lines.
        description: The same in words.
    """

    title: str
    across: str
    up: str
    columns: tuple[tuple[float, str], ...]
    rows: tuple[tuple[float, str], ...]
    frame: tuple[int, int, int, int]
    lines: tuple[Line, ...]
    description: str


Series = tuple[str, Sequence[tuple[float, float]]]
"""A name, and points as shares in [0, 1]."""


def chart(
    title: str, across: str, up: str, series: Sequence[Series], description: str, *, whole: bool
) -> Chart | None:
    """Lay out shares against shares; None if no series has a point.

    Args:
        title: What it shows.
        across: The horizontal axis, always from 0 to 100%.
        up: The vertical axis.
        series: The lines.
        description: The chart in words.
        whole: Whether the vertical axis runs to 100%, or to just above the highest point.
    """
    heights = [y for _, points in series for _, y in points]
    if not heights:
        return None
    horizontal, vertical = share_axis(), share_axis() if whole else upward_axis(max(heights))
    frame = (_LEFT, _TOP, WIDTH - _RIGHT, HEIGHT - _BOTTOM)

    def place(x: float, y: float) -> tuple[float, float]:
        return _x(horizontal.at(x)), _y(vertical.at(y))

    return Chart(
        title,
        across,
        up,
        tuple((_x(tick.at), tick.label) for tick in horizontal.ticks),
        _rows(vertical),
        frame,
        tuple(
            Line(
                name,
                f"v{i % COLOURS}",
                SHAPES[i % len(SHAPES)],
                tuple(place(x, y) for x, y in sorted(points)),
            )
            for i, (name, points) in enumerate(series)
        ),
        description,
    )


def _rows(axis: Axis) -> tuple[tuple[float, str], ...]:
    return tuple((_y(tick.at), tick.label) for tick in axis.ticks)


def _x(percent: float) -> float:
    return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * percent / 100, 1)


def _y(percent: float) -> float:
    return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * percent / 100, 1)
