"""Intervals, paired tests, agreement, sequential tests: statistics without a view on law."""

from decidendi.stats._paired import McNemar, holm, mcnemar, mcnemar_p
from decidendi.stats._rate import Rate, wilson_interval, wilson_rate
from decidendi.stats._resample import (
    Difference,
    Resampler,
    Tally,
    bootstrap_p,
    bootstrap_rate,
    paired_difference,
    rate,
)
from decidendi.stats._selective import (
    Accepting,
    Claim,
    Selective,
    accepting,
    selective_risk,
    threshold_for,
)
from decidendi.stats._sequential import evidence_above_half, fewest_draws, first_majority

__all__ = [
    # shares with intervals
    "Rate",
    "rate",
    "wilson_rate",
    "wilson_interval",
    "bootstrap_rate",
    # resampling seeds and units, pairs kept
    "Resampler",
    "Tally",
    "Difference",
    "paired_difference",
    "bootstrap_p",
    # two answers on the same cases, several tests at once
    "McNemar",
    "mcnemar",
    "mcnemar_p",
    "holm",
    # accepting only confident claims
    "Claim",
    "Accepting",
    "accepting",
    "Selective",
    "selective_risk",
    "threshold_for",
    # sequential tests
    "evidence_above_half",
    "fewest_draws",
    "first_majority",
]
