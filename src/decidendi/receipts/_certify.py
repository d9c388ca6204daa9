"""Certifying transitions: every level of the lattice is one batch over a chunk of cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol

from decidendi._version import __version__
from decidendi.judgment import (
    JSON,
    Adjudicator,
    Case,
    Identity,
    NonComparableError,
    State,
    is_measured,
)
from decidendi.receipts._cells import CellStore, Deterministic, RecentCells, Replays
from decidendi.receipts._certificate import Cell, Certificate, Migration, Sampling, derive
from decidendi.receipts._lattice import in_order
from decidendi.receipts._sampled import Sampler
from decidendi.receipts._transition import Contract, Progress, Transition
from decidendi.receipts._walk import Walk

CHUNK = 1024
"""Cases walked together: enough to fill a batch, few enough to keep memory flat."""


class Executor(Protocol):
    """Fills cells for many transitions at once."""

    def fill(self, wanted: Sequence[tuple[Progress, int]]) -> None:
        """Execute the wanted cells and store each in its progress."""
        ...


def certify_many(
    adjudicator: Adjudicator,
    transitions: Iterable[Transition],
    *,
    contract: Contract | None = None,
    store: CellStore | None = None,
    replays: Replays | None = None,
    confidence: str = "0.95",
    budget: int = 64,
    chunk: int = CHUNK,
) -> Iterator[Certificate]:
    """Certify a stream of transitions, in order, in flat memory.

    Args:
        adjudicator: What decides; if its identity says it is not deterministic it must also
            be a ``StochasticAdjudicator``.
        transitions: The cases with their old and revised local states.
        contract: The interface that hybrids must fit; none means that anything fits.
        store: Where executed cells are kept; by default the recent ones in memory.
        replays: Counts the sampled second executions of a deterministic adjudicator.
        confidence: For stochastic adjudicators, 1 - delta of each certificate, as text.
        budget: For stochastic adjudicators, the most draws spent on one cell.
        chunk: How many transitions are walked together.

    Yields:
        One certificate per transition, in order, whatever its outcome.

    Raises:
        NonComparableError: if a transition's kinds are not the adjudicator's.
    """
    identity = adjudicator.identity
    store = store if store is not None else RecentCells()
    executor: Executor
    sampling = None
    if identity.deterministic:
        executor = Deterministic(adjudicator, contract, store, replays or Replays())
    else:
        sampling = Sampling(confidence, budget)
        executor = Sampler(adjudicator, contract, store, sampling)
    stream = iter(transitions)
    while batch := [Progress(transition) for transition in islice(stream, chunk)]:
        for progress in batch:
            _check_kinds(identity, progress.transition)
        _endpoints(executor, batch)
        _interior(executor, batch)
        for progress in batch:
            yield _conclude(progress, identity, sampling)


def certify(
    adjudicator: Adjudicator,
    old: State | Mapping[str, JSON],
    revised: State | Mapping[str, JSON],
    case: Case | str = "case",
    *,
    contract: Contract | None = None,
    confidence: str = "0.95",
    budget: int = 64,
) -> Certificate:
    """Certify one transition.

    Args:
        adjudicator: What decides.
        old: The old state, or a mapping from kind to content.
        revised: The revised state, likewise.
        case: The case, or just its id.
        contract: The interface that hybrids must fit.
        confidence: As in ``certify_many``.
        budget: As in ``certify_many``.
    """
    states = [s if isinstance(s, State) else State.of(s) for s in (old, revised)]
    matter = case if isinstance(case, Case) else Case(case)
    stream = certify_many(
        adjudicator,
        [Transition(matter, *states)],
        contract=contract,
        confidence=confidence,
        budget=budget,
    )
    return next(stream)


def _check_kinds(identity: Identity, transition: Transition) -> None:
    for state in (transition.old, transition.revised, transition.migrated):
        if state is not None and state.kinds != identity.kinds:
            raise NonComparableError({"kinds": (identity.kinds, state.kinds)})


def _endpoints(executor: Executor, batch: Sequence[Progress]) -> None:
    wanted = []
    befores = []
    for progress in batch:
        wanted.append((progress, 0))
        if progress.changed:
            wanted.append((progress, progress.changed))
        if progress.transition.migrated is not None:
            # The unmigrated old state is an endpoint of its own, answering to the old form.
            before = Progress(
                Transition(
                    progress.transition.case, progress.transition.old, progress.transition.old
                )
            )
            befores.append((progress, before))
            wanted.append((before, 0))
    executor.fill(wanted)
    for progress, before in befores:
        progress.before = before.cells[0]


def _interior(executor: Executor, batch: Sequence[Progress]) -> None:
    walking = []
    for progress in batch:
        old, new = progress.cells[0], progress.cells[progress.changed]
        migrated_well = progress.before is None or progress.before == old
        if is_measured(old) and is_measured(new) and old != new and migrated_well:
            progress.walk = Walk(progress.changed, new)
            walking.append((progress, progress.walk))
    while walking:
        asked = [
            (progress, walk, needed) for progress, walk in walking if (needed := walk.needed())
        ]
        executor.fill([(progress, mask) for progress, _, needed in asked for mask in needed])
        for progress, walk, needed in asked:
            for mask in needed:
                walk.record(mask, progress.cells[mask])
        walking = [(progress, walk) for progress, walk, _ in asked]


def _conclude(progress: Progress, identity: Identity, sampling: Sampling | None) -> Certificate:
    transition = progress.transition
    migration = None
    if progress.before is not None:
        migration = Migration(transition.old.key, progress.before)
    cells = progress.cells
    return Certificate(
        case_id=transition.case.id,
        unit=transition.case.unit,
        adjudicator=identity,
        old=progress.base.key,
        revised=transition.revised.key,
        cells=tuple(
            [Cell(mask, cells[mask], progress.draws.get(mask, ())) for mask in in_order(cells)]
        ),
        finding=derive(identity.kinds, progress.changed, cells, migration),
        tool_version=__version__,
        migration=migration,
        sampling=sampling,
    )
