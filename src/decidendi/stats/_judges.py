"""Two judges on the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from decidendi.stats._absent import Label, first_absence
from decidendi.stats._paired import McNemar, holm, mcnemar, sign_flip_p
from decidendi.stats._rate import LEVEL
from decidendi.stats._resample import Difference, Resampler


@dataclass(frozen=True)
class JudgeComparison:
    """Which of two judges agrees with people more often, on the same items.

    Attributes:
        counts: Items both, one or neither has right, with the exact test of independent items.
        difference: The first judge's share right less the second's, by units.
        p: The p-value that fits the items: ``counts.p`` if each is a unit of its own, else that
            of the exact sign-flip test over units; None where there is neither. The bootstrap's
            own, ``difference.p``, is far too small where few items tell the judges apart.
        adjusted: ``p`` after Holm over the family it was tested in; None where ``p`` is.
        method: Which test ``p`` comes from, in words for people.
        excluded: Items left out, by whose label they lack and why.
    """

    counts: McNemar
    difference: Difference
    p: float | None
    adjusted: float | None
    method: str
    excluded: Mapping[str, int] = field(default_factory=dict)


def compare_judges(
    human: Sequence[Label],
    first: Sequence[Label],
    second: Sequence[Label],
    units: Sequence[Hashable] | None = None,
    *,
    labels: Sequence[str] | None = None,
    resampler: Resampler | None = None,
    level: float = LEVEL,
) -> tuple[JudgeComparison, dict[str, JudgeComparison]]:
    """Compare two judges over all items, and within each class that people see.

    An item counts if people and both judges labelled it. Within a class the question is whose
    recall is higher; the classes are one family for Holm, the comparison over all items is a
    question of its own. McNemar's test needs independent items: where units have several, p
    comes from its generalisation to units, ``sign_flip_p``.

    Args:
        human: What people say of each item.
        first: What the first judge says, in the same order.
        second: What the second judge says, likewise.
        units: The unit of each item; each its own where left out.
        labels: The classes to compare in; those people use, sorted, where left out.
        resampler: The draws, over units that hold all of these.
        level: Confidence level.

    Returns:
        The comparison over all items, and that within each class. A class without items has
        no p-value and is no member of the family.
    """
    of = list(range(len(human))) if units is None else list(units)
    draws = resampler or Resampler(of)
    kept: list[tuple[str, bool, bool, Hashable]] = []
    left_out: Counter[str] = Counter()
    for gold, one, other, unit in zip(human, first, second, of, strict=True):
        named = (("people", gold), ("first judge", one), ("second judge", other))
        if (why := first_absence(named)) is not None:
            left_out[why] += 1
        else:
            assert isinstance(gold, str)
            kept.append((gold, one == gold, other == gold, unit))
    everything = _compared(draws, kept, dict(left_out), level)
    classes = sorted({gold for gold, *_ in kept}) if labels is None else labels
    within = {
        label: _compared(draws, [row for row in kept if row[0] == label], {}, level)
        for label in classes
    }
    adjusted = holm({label: found.p for label, found in within.items() if found.p is not None})
    return (
        replace(everything, adjusted=everything.p),
        {label: replace(found, adjusted=adjusted.get(label)) for label, found in within.items()},
    )


def _compared(
    draws: Resampler,
    rows: list[tuple[str, bool, bool, Hashable]],
    left_out: Mapping[str, int],
    level: float,
) -> JudgeComparison:
    first, second = [row[1] for row in rows], [row[2] for row in rows]
    of = [row[3] for row in rows]
    counts = mcnemar(first, second)
    difference = draws.difference(draws.tally(first, of), draws.tally(second, of), level=level)
    if not rows:
        return JudgeComparison(
            counts, difference, None, None, "undefined: nothing compared", left_out
        )
    if len(set(of)) == len(of):
        return JudgeComparison(counts, difference, counts.p, None, "exact McNemar", left_out)
    if len(set(of)) == 1:
        return JudgeComparison(counts, difference, None, None, difference.method, left_out)
    net: Counter[Hashable] = Counter()
    for one, other, unit in zip(first, second, of, strict=True):
        net[unit] += one - other
    method = "exact sign-flip test over units"
    return JudgeComparison(
        counts, difference, sign_flip_p(list(net.values())), None, method, left_out
    )
