"""Intervals, paired tests, agreement, sequential tests: statistics without a view on law."""

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
    # sequential tests
    "evidence_above_half",
    "fewest_draws",
    "first_majority",
]
