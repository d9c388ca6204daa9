"""Intervals, paired tests, agreement, sequential tests: statistics without a view on law."""

from decidendi.stats._sequential import evidence_above_half, fewest_draws, first_majority

__all__ = ["evidence_above_half", "fewest_draws", "first_majority"]
