"""A judge's record: counts, rates by class, kappa and alpha, all from the same draws."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from decidendi.stats._absent import Label
from decidendi.stats._agreement import Agreement, NoAgreement, kappa_and_alpha
from decidendi.stats._confusion import Compared, Confusion, compared, counted
from decidendi.stats._rate import LEVEL, Rate, wilson_rate
from decidendi.stats._resample import Resampler, Tally


@dataclass(frozen=True)
class ClassRates:
    """How well the judge knows one class. Each is undefined where its denominator is empty.

    Attributes:
        precision: Of what the judge calls this, how much people do.
        recall: Of what people call this, how much the judge finds.
        specificity: Of what people call something else, how much the judge does.
        f1: Twice what both call this, over what either does, counted twice where both do.
    """

    precision: Rate
    recall: Rate
    specificity: Rate
    f1: Rate


@dataclass(frozen=True)
class JudgeRecord:
    """A judge against people on the same items.

    Attributes:
        confusion: The counts.
        agreed: The share of items with the same label.
        classes: The rates of each class.
        kappa: Cohen's kappa, or why there is none.
        alpha: Krippendorff's nominal alpha of the two, likewise, on the same items.
        units: How many units the compared items come from.
    """

    confusion: Confusion
    agreed: Rate
    classes: Mapping[str, ClassRates]
    kappa: Agreement | NoAgreement
    alpha: Agreement | NoAgreement
    units: int


def judge_record(
    human: Sequence[Label],
    judge: Sequence[Label],
    units: Sequence[Hashable] | None = None,
    *,
    labels: Sequence[str] | None = None,
    resampler: Resampler | None = None,
    level: float = LEVEL,
) -> JudgeRecord:
    """Compare a judge with people.

    Shares of independent items (no units, or one compared item in each) get Wilson's interval;
    those of clustered ones, and F1, kappa and alpha always, a percentile bootstrap over units, all
    from the same draws.

    Args:
        human: What people say of each item.
        judge: What the judge says, in the same order.
        units: The unit of each item; each its own where left out.
        labels: The classes; those seen, sorted, where left out.
        resampler: The draws, over units that hold all of these: give several records the same
            one and they stay paired.
        level: Confidence level.

    Raises:
        ValueError: if the columns differ in length, or a label is not among ``labels``.
    """
    of = list(range(len(human))) if units is None else list(units)
    pairs, left_out = compared(human, judge, of)
    counts = counted(pairs, left_out, labels)
    draws = resampler or Resampler(of)
    tallies = {("agreed", ""): _tally(draws, pairs, lambda one, other: one == other)}
    for label in counts.labels:
        tallies |= {(name, label): t for name, t in _of_class(draws, pairs, label).items()}
    units_compared = len({unit for _, _, unit in pairs})
    clustered = units_compared < len(pairs)
    resampled = {key: t for key, t in tallies.items() if clustered or key[0] == "f1"}
    drawn = draws.rates(list(resampled.values()), excluded=left_out, level=level)
    rates = dict(zip(resampled, drawn, strict=True))
    for key in tallies.keys() - rates.keys():
        rates[key] = wilson_rate(*tallies[key].total, excluded=left_out, level=level)
    return JudgeRecord(
        counts,
        rates["agreed", ""],
        {label: ClassRates(*(rates[name, label] for name in _NAMES)) for label in counts.labels},
        *kappa_and_alpha(human, judge, of, labels=counts.labels, resampler=draws, level=level),
        units_compared,
    )


_NAMES = "precision", "recall", "specificity", "f1"


def _of_class(draws: Resampler, pairs: list[Compared], label: str) -> dict[str, Tally]:
    """Return hits and denominators of one class against the others, by the name of the rate."""
    found = _tally(draws, pairs, lambda one, other: one == label == other).hits
    people = _tally(draws, pairs, lambda one, _: one == label)
    judge = _tally(draws, pairs, lambda _, other: other == label).hits
    others = people.counts - people.hits
    return {
        "precision": Tally(found, judge),
        "recall": Tally(found, people.hits),
        "specificity": Tally(others - (judge - found), others),
        "f1": Tally(2 * found, people.hits + judge),
    }


def _tally(draws: Resampler, pairs: list[Compared], hit: Callable[[str, str], bool]) -> Tally:
    return draws.tally([hit(one, other) for one, other, _ in pairs], [unit for *_, unit in pairs])
