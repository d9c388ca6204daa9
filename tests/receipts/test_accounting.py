"""Drift and inertia: counted against gold, never against what was not measured."""

from decidendi.judgment import Reason, Unmeasured
from decidendi.receipts import ChangeAccounting

YES, NO = "approve", "deny"


def accounted(rows):
    accounting = ChangeAccounting()
    for i, (verdicts, gold) in enumerate(rows):
        accounting.add(f"u{i}", verdicts, gold)
    return accounting


def test_worked_by_hand():
    accounting = accounted(
        [
            ((YES, YES), (YES, YES)),  # stable, kept
            ((NO, NO), (YES, YES)),  # stable, kept, though both verdicts are wrong
            ((YES, NO), (YES, YES)),  # drift
            ((YES, NO), (YES, NO)),  # change, seen
            ((NO, YES), (YES, NO)),  # change, seen, though in the wrong direction
            ((YES, YES), (YES, NO)),  # inertia
            ((YES, Unmeasured(Reason.TIMEOUT)), (YES, NO)),
            ((YES, NO), None),
        ]
    )
    assert (accounting.drift.numerator, accounting.drift.n) == (1, 3)
    assert (accounting.inertia.numerator, accounting.inertia.n) == (1, 3)
    assert accounting.drift.excluded == {"timeout": 1, "no gold": 1}
    assert accounting.with_gold == 6


def test_nothing_measured_is_undefined_not_zero():
    accounting = accounted([((YES, NO), None)])
    assert accounting.drift.share is None
    assert accounting.inertia.low is None


def test_units_are_the_observations():
    clustered = ChangeAccounting()
    for unit in ("u1", "u2"):
        for _ in range(50):
            clustered.add(unit, (YES, NO if unit == "u1" else YES), (YES, YES))
    apart = accounted([((YES, NO if i < 50 else YES), (YES, YES)) for i in range(100)])
    assert clustered.drift.share == apart.drift.share == 0.5
    assert clustered.drift.high - clustered.drift.low > apart.drift.high - apart.drift.low
