"""Cells of a stochastic adjudicator: drawn repeatedly until an anytime-valid test decides.

Beyond the paper, which leaves stochastic evaluators open. A cell's verdict is the label with
probability above one half. The certificate's error delta is shared equally over the 2^k cells
of the lattice, an upper bound on the cells needed, so all needed verdicts are right together
with probability at least 1 - delta.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, runtime_checkable

from decidendi.judgment import (
    Adjudicator,
    BadInputError,
    Reason,
    State,
    Unmeasured,
    Verdict,
    is_measured,
)
from decidendi.receipts._cells import CellStore, Pace, failure, in_declared
from decidendi.receipts._certificate import Sampling, worst_case_cells
from decidendi.receipts._transition import Contract, Progress, ill_typed
from decidendi.stats import fewest_draws, first_majority


@runtime_checkable
class StochasticAdjudicator(Adjudicator, Protocol):
    """An adjudicator that may answer the same state differently."""

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        """Draw one verdict per state, independently.

        Args:
            states: The states; one state may stand several times.
            repeats: For each, how many draws of that state came before it. A cache of model
                answers must have it in its key.
        """
        ...


@lru_cache(maxsize=64)
def level_of(sampling: Sampling, changed: int) -> Fraction:
    """Return each cell's error level: delta over the 2^k cells of the lattice.

    Raises:
        BadInputError: if the confidence is not strictly between 0 and 1.
    """
    try:
        delta = 1 - Fraction(sampling.confidence)
    except (ValueError, ZeroDivisionError):
        delta = Fraction(-1)
    if not 0 < delta < 1:
        raise BadInputError(
            f"the confidence {sampling.confidence!r} is not strictly between 0 and 1",
            remedy='write it as a decimal, e.g. "0.95"',
        )
    return delta / worst_case_cells(changed)


def decide(draws: Sequence[Verdict], *, level: Fraction, labels: int) -> tuple[Verdict, int]:
    """Return the verdict that recorded draws establish at ``level``, and after how many draws.

    A draw that says its state is no well-typed input ends them: that is so of the state, and every
    other draw would say it too. Where neither comes, the verdict is undetermined, after all.
    """
    ends = next((i for i, draw in enumerate(draws) if _ill_typed(draw)), len(draws))
    given = [draw if is_measured(draw) else None for draw in draws[:ends]]
    if (found := first_majority(given, level=level, labels=labels)) is not None:
        return found
    if ends < len(draws):
        return draws[ends], ends + 1
    missing = sum(1 for draw in given if draw is None)
    detail = f"no label shown to exceed one half in {len(draws)} draws"
    if missing:
        detail += f", {missing} of them without a verdict"
    return Unmeasured(Reason.UNDETERMINED, detail), len(draws)


def _ill_typed(draw: Verdict) -> bool:
    return isinstance(draw, Unmeasured) and draw.reason is Reason.INTERFACE


def is_open(verdict: Verdict) -> bool:
    """Whether another draw may yet decide a cell whose draws establish this."""
    return isinstance(verdict, Unmeasured) and not _ill_typed(verdict)


class Sampler:
    """Fills cells by drawing, one batch per round over all undecided cells."""

    def __init__(
        self,
        adjudicator: Adjudicator,
        contract: Contract | None,
        store: CellStore,
        sampling: Sampling,
    ) -> None:
        if not isinstance(adjudicator, StochasticAdjudicator):
            raise BadInputError(
                f"{adjudicator.identity.name} is declared stochastic but cannot be drawn from",
                remedy="give it a draw() method, or declare it deterministic",
            )
        self._adjudicator = adjudicator
        self._contract = contract
        self._store = store
        self._sampling = sampling
        self._labels = len(adjudicator.identity.verdicts)
        self._pace = Pace()
        level_of(sampling, 1)  # refuse a bad confidence before anything is drawn

    def fill(self, wanted: Sequence[tuple[Progress, int]]) -> None:
        """Draw every wanted cell until it is decided or its budget is spent."""
        fitting: list[tuple[Progress, int]] = []
        for progress, mask in wanted:
            contract = self._contract
            if contract and (ill := ill_typed(contract, progress, mask)) is not None:
                progress.cells[mask] = ill
            else:
                fitting.append((progress, mask))
        while undecided := [want for want in fitting if not self._settle(*want)]:
            self._draw_round(undecided)

    def _settle(self, progress: Progress, mask: int) -> bool:
        """Decide the cell from the draws so far; say whether it needs no more of them."""
        draws = (self._store.get(progress.key(mask)) or ())[: self._sampling.budget]
        level = level_of(self._sampling, progress.changed)
        verdict, after = decide(draws, level=level, labels=self._labels)
        if is_open(verdict) and len(draws) < self._sampling.budget:
            return False
        progress.cells[mask] = verdict
        # Only the draws that decided: another case may since have drawn the same state on.
        progress.draws[mask] = draws[:after]
        return True

    def _draw_round(self, undecided: Sequence[tuple[Progress, int]]) -> None:
        states: list[State] = []
        repeats: list[int] = []
        for state, had, more in self._asked(undecided):
            states.extend([state] * more)
            repeats.extend(range(had, had + more))
        for part in self._pace.slices(len(states)):
            drawn = self._drawn(states[part], repeats[part])
            for state, verdict in zip(states[part], drawn, strict=True):
                self._store.put(state.key, (*(self._store.get(state.key) or ()), verdict))

    def _asked(self, undecided: Sequence[tuple[Progress, int]]) -> list[tuple[State, int, int]]:
        """Return each distinct state with its draws so far and how many to draw now."""
        asked: dict[tuple[str, ...], tuple[State, int, int]] = {}
        for progress, mask in undecided:
            key = progress.key(mask)
            if key in asked:
                continue
            had = len(self._store.get(key) or ())
            level = level_of(self._sampling, progress.changed)
            first = fewest_draws(level=level, labels=self._labels)
            more = first - had if had < first else max(1, first // 2)
            asked[key] = (progress.state(mask), had, min(more, self._sampling.budget - had))
        return list(asked.values())

    def _drawn(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        assert isinstance(self._adjudicator, StochasticAdjudicator)
        declared = self._adjudicator.identity.verdicts
        try:
            drawn = self._adjudicator.draw(states, repeats)
            if len(drawn) != len(states):
                raise RuntimeError(f"gave {len(drawn)} draws for {len(states)} states")
        except Exception as error:
            if len(states) == 1:
                return [failure(error)]
            return [self._drawn([s], [r])[0] for s, r in zip(states, repeats, strict=True)]
        return [in_declared(verdict, declared) for verdict in drawn]
