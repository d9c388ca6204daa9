"""What a judge says against what people say, class by class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from decidendi.stats._absent import Label, first_absence

Compared: TypeAlias = tuple[str, str, Hashable]
"""One item: what people say, what the judge says, its unit."""


@dataclass(frozen=True)
class ClassCounts:
    """One class against all others.

    Attributes:
        found: Both say it.
        missed: People say it, the judge does not.
        false_alarms: The judge says it, people do not.
        spared: Neither says it.
    """

    found: int
    missed: int
    false_alarms: int
    spared: int


@dataclass(frozen=True)
class Confusion:
    """How often the judge says what where people say what.

    Attributes:
        labels: The classes, in order.
        counts: One row per class as people have it, one column per class as the judge has it.
        excluded: Items that lack a label, by whose it is and why.
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    excluded: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(self.labels)
        if len(set(self.labels)) != size:
            raise ValueError("a class is named twice")
        if [len(row) for row in self.counts] != [size] * size:
            raise ValueError(f"the counts are not a square of {size}")
        if any(count < 0 for row in self.counts for count in row):
            raise ValueError("counts are never negative")

    @property
    def n(self) -> int:
        """How many items both labelled."""
        return sum(map(sum, self.counts))

    @property
    def agreed(self) -> int:
        """How many items got the same label."""
        return sum(self.counts[i][i] for i in range(len(self.labels)))

    def counted(self, label: str) -> ClassCounts:
        """Return one class against all others."""
        at = self.labels.index(label)
        found = self.counts[at][at]
        missed = sum(self.counts[at]) - found
        false_alarms = sum(row[at] for row in self.counts) - found
        return ClassCounts(found, missed, false_alarms, self.n - found - missed - false_alarms)


def confusion(
    human: Sequence[Label], judge: Sequence[Label], *, labels: Sequence[str] | None = None
) -> Confusion:
    """Count pairs of labels of the same items.

    Args:
        human: What people say of each item.
        judge: What the judge says, in the same order.
        labels: The classes; those seen, sorted, where left out.

    Raises:
        ValueError: if the two differ in length, or a label is not among ``labels``.
    """
    pairs, left_out = compared(human, judge, range(len(human)))
    return counted(pairs, left_out, labels)


def compared(
    human: Sequence[Label], judge: Sequence[Label], units: Sequence[Hashable]
) -> tuple[list[Compared], dict[str, int]]:
    """Keep the items both labelled; count the others by who lacks a label, and why."""
    pairs: list[Compared] = []
    left_out: Counter[str] = Counter()
    for one, other, unit in zip(human, judge, units, strict=True):
        why = first_absence((("people", one), ("judge", other)))
        if why is not None:
            left_out[why] += 1
        else:
            assert isinstance(one, str) and isinstance(other, str)
            pairs.append((one, other, unit))
    return pairs, dict(left_out)


def counted(
    pairs: list[Compared], left_out: Mapping[str, int], labels: Sequence[str] | None
) -> Confusion:
    """Count pairs; the classes are those seen, sorted, where not given."""
    seen = Counter((one, other) for one, other, _ in pairs)
    used = {label for pair in seen for label in pair}
    classes = tuple(sorted(used) if labels is None else labels)
    if unknown := sorted(used - set(classes)):
        raise ValueError(f"{unknown[0]!r} is not among the classes {', '.join(classes)}")
    counts = tuple(tuple(seen[one, other] for other in classes) for one in classes)
    return Confusion(classes, counts, left_out)
