"""Items that a judge judged, some of them labelled by people too, as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from decidendi.judgment import Unmeasured
from decidendi.stats._absent import Value, first_absence
from decidendi.stats._ppi import Sample

if TYPE_CHECKING:  # numpy doubles the time of `import decidendi`: functions import it
    import numpy as np
    from numpy.typing import NDArray

    from decidendi.stats._resample import Floats


@dataclass(frozen=True)
class Judgments:
    """One quantity of the same items, as the judge and as people give it.

    Attributes:
        judge: The judge's value of each item; an item without one leaves the analysis.
        human: People's value of each item, in the same order; None where nobody labelled it.
        stood_in: Where the judge's value is not its own, but stands in for one it did not give;
            nowhere where left out.
    """

    judge: Sequence[Value]
    human: Sequence[Value]
    stood_in: Sequence[bool] = ()

    def __post_init__(self) -> None:
        if len(self.judge) != len(self.human):
            raise ValueError(f"{len(self.judge)} items judged, {len(self.human)} by people")
        if len(self.stood_in) not in (0, len(self.judge)):
            raise ValueError(f"{len(self.judge)} items judged, {len(self.stood_in)} stood in for")

    @classmethod
    def known(cls, values: Sequence[Value]) -> Judgments:
        """Wrap what is known of every item without judge or people, as accuracy is."""
        return cls(values, values)


@dataclass(frozen=True, eq=False)
class Items:
    """What remains of the items given, as arrays, and what was left out."""

    sample: Sample
    units: int
    excluded: Mapping[str, int]
    stood_in: int

    @property
    def labelled_units(self) -> int:
        """How many units have a labelled item."""
        return len(set(self.sample.unit.tolist()))

    @property
    def judged(self) -> int:
        """How many items have a judge's value, its own or one that stands in."""
        return len(self.sample.human) + len(self.sample.other_judge)

    @property
    def raw(self) -> float | None:
        """The judge's own mean."""
        total = self.sample.judge.sum() + self.sample.other_judge.sum()
        return float(total) / self.judged if self.judged else None


def gather(
    named: Sequence[tuple[str, Judgments]],
    signs: Sequence[float],
    units: Sequence[Hashable] | None,
) -> Items:
    """Sort items into labelled, judged and left out.

    Args:
        named: Quantities of the same items, each with a prefix for the reasons counted.
        signs: What each is multiplied by; the human value of an item is the signed sum.
        units: The unit of each item.
    """
    import numpy as np

    size = len(named[0][1].judge)
    if any(len(judgments.judge) != size for _, judgments in named):
        raise ValueError("the two sides have different numbers of items")
    if units is not None and len(units) != size:
        raise ValueError(f"{size} items, but {len(units)} units")
    judge = [_column(given.judge) for _, given in named]
    human = [_column(given.human) for _, given in named]
    judged = np.logical_and.reduce([there for _, there in judge])
    labelled = np.logical_and.reduce([judged, *(there for _, there in human)])
    excluded: Counter[str] = Counter()
    for i in np.flatnonzero(~judged).tolist():
        why = first_absence((f"{prefix}judge", given.judge[i]) for prefix, given in named)
        assert why is not None
        excluded[why] += 1
    kept = np.flatnonzero(judged).tolist()
    of = kept if units is None else [units[i] for i in kept]
    numbers = {unit: number for number, unit in enumerate(dict.fromkeys(of))}
    unit = np.zeros(size, dtype=np.intp)
    unit[judged] = [numbers[u] for u in of]
    signed = np.array(signs)[:, None]
    columns = (signed * np.stack([values for values, _ in judge])).T
    others = judged & ~labelled
    sample = Sample(
        human=(signed * np.stack([values for values, _ in human])).sum(axis=0)[labelled],
        judge=columns[labelled],
        unit=unit[labelled],
        other_judge=columns[others],
        other_unit=unit[others],
    )
    replaced = np.zeros(size, dtype=np.bool_)
    for _, given in named:
        replaced |= np.array(given.stood_in or [False] * size, dtype=np.bool_)
    return Items(sample, len(numbers), dict(excluded), int((replaced & judged).sum()))


def _column(values: Sequence[Value]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return numbers, 0 where one is absent, and where they are there."""
    import numpy as np

    there = [value is not None and not isinstance(value, Unmeasured) for value in values]
    numbers = np.array(
        [value if seen else 0.0 for value, seen in zip(values, there, strict=True)],
        dtype=np.float64,
    )
    outside = ~((numbers >= 0) & (numbers <= 1))  # NaN too
    if outside.any():
        raise ValueError(f"{values[int(outside.argmax())]} is not a share between 0 and 1")
    return numbers, np.array(there, dtype=np.bool_)
