"""Failure accounting for an evaluator update: drift and inertia (Chen & Zhang, section 4)."""

from __future__ import annotations

from collections import Counter

from decidendi.judgment import Unmeasured, Verdict
from decidendi.stats import Rate, rate


class ChangeAccounting:
    """Sets what an evaluator's verdicts did beside what the gold verdicts did.

    With A the cases whose gold endpoints differ and M those where the evaluator's do, *drift*
    is M without A, as a share of the gold-stable cases; *inertia* is A without M, as a share
    of the gold changes. A case without both verdicts is in neither, and is counted by reason;
    so is a case without gold.
    """

    def __init__(self) -> None:
        self._stable: list[tuple[str, bool]] = []
        self._changed: list[tuple[str, bool]] = []
        self._excluded: Counter[str] = Counter()

    def add(
        self, unit: str, verdicts: tuple[Verdict, Verdict], gold: tuple[str, str] | None
    ) -> None:
        """Count one case by its old and revised verdicts and, if known, their gold."""
        if gold is None:
            self._excluded["no gold"] += 1
            return
        for verdict in verdicts:
            if isinstance(verdict, Unmeasured):
                self._excluded[verdict.reason.value] += 1
                return
        moved = verdicts[0] != verdicts[1]
        if gold[0] == gold[1]:
            self._stable.append((unit, moved))
        else:
            self._changed.append((unit, not moved))

    @property
    def with_gold(self) -> int:
        """How many measured cases had gold."""
        return len(self._stable) + len(self._changed)

    @property
    def drift(self) -> Rate:
        """The share of gold-stable cases on which the evaluator changed."""
        return self._rate(self._stable)

    @property
    def inertia(self) -> Rate:
        """The share of gold changes on which the evaluator did not change."""
        return self._rate(self._changed)

    def _rate(self, observed: list[tuple[str, bool]]) -> Rate:
        units = [unit for unit, _ in observed]
        return rate([hit for _, hit in observed], units, excluded=self._excluded)
