"""Certifying transitions: every level of the lattice is one batch over a chunk of cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, Protocol

from decidendi._version import __version__
from decidendi.judgment import (
    JSON,
    Adjudicator,
    BadInputError,
    Case,
    Identity,
    NonComparableError,
    Source,
    State,
    Verdict,
    is_measured,
)
from decidendi.receipts._cells import CellStore, Deterministic, Recent, RecentCells, Replays
from decidendi.receipts._certificate import (
    Cell,
    Certificate,
    Finding,
    Migration,
    Sampling,
    derive,
)
from decidendi.receipts._sampled import Sampler
from decidendi.receipts._transition import Contract, Key, Progress, Transition
from decidendi.receipts._walk import Walk

CHUNK = 512
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
    settled: Recent[_Question, _Answer] = Recent()
    stream = iter(transitions)
    while batch := list(islice(stream, chunk)):
        for transition, answer in zip(
            batch, _answers(executor, batch, identity, settled), strict=True
        ):
            yield Certificate(
                transition.case.id,
                transition.case.unit,
                identity,
                (transition.migrated or transition.old).key,
                transition.revised.key,
                answer.cells,
                answer.finding,
                __version__,
                answer.migration,
                sampling,
            )


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

    Raises:
        BadInputError: if a mapping does not hold exactly the adjudicator's kinds, or a content
            has no canonical form.
    """
    states = [_as_state(s, adjudicator.identity.kinds) for s in (old, revised)]
    matter = case if isinstance(case, Case) else Case(case)
    stream = certify_many(
        adjudicator,
        [Transition(matter, *states)],
        contract=contract,
        confidence=confidence,
        budget=budget,
    )
    return next(stream)


def _as_state(given: State | Mapping[str, JSON], kinds: tuple[str, ...]) -> State:
    """Return a state with its sources in the adjudicator's order of kinds."""
    if isinstance(given, State):
        return given
    if not isinstance(given, Mapping) or set(given) != set(kinds):
        got = ", ".join(map(repr, given)) if isinstance(given, Mapping) else repr(given)
        remedy = f"give one content for each of {', '.join(kinds)}"
        raise BadInputError(f"not a state of this evaluator: {got}", remedy=remedy)
    return State(Source(kind, given[kind]) for kind in kinds)


_Question = tuple[Key, Key, Key]
"""The keys of the old, the revised and the migrated state: all that an outcome depends on."""


class _Answer(NamedTuple):
    cells: tuple[Cell, ...]
    finding: Finding
    migration: Migration | None


def _answers(
    executor: Executor,
    batch: Sequence[Transition],
    identity: Identity,
    settled: Recent[_Question, _Answer],
) -> list[_Answer]:
    """Return the answer for each transition, working out each distinct question once."""
    known: dict[_Question, _Answer] = {}
    new: dict[_Question, Progress] = {}
    questions = []
    for transition in batch:
        old, revised, migrated = transition.old, transition.revised, transition.migrated
        question = (old.key, revised.key, migrated.key if migrated else ())
        questions.append(question)
        if question in new or question in known:
            continue
        if (answer := settled.get(question)) is not None:
            known[question] = answer
        else:
            _check_kinds(identity, transition)
            new[question] = Progress(transition)
    if new:
        _endpoints(executor, list(new.values()))
        _interior(executor, list(new.values()))
        for question, progress in new.items():
            known[question] = answer = _conclude(progress, identity.kinds)
            settled.put(question, answer)
    return [known[question] for question in questions]


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
            old = progress.transition.old
            before = Progress(Transition(progress.transition.case, old, old))
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
            progress.interior.extend(needed)
            for mask in needed:
                walk.record(mask, progress.cells[mask])
        walking = [(progress, walk) for progress, walk, _ in asked]


def _conclude(progress: Progress, kinds: tuple[str, ...]) -> _Answer:
    migration = None
    if progress.before is not None:
        migration = Migration(progress.transition.old.key, progress.before)
    order = [0, *progress.interior]
    if progress.changed:
        order.append(progress.changed)
    cells, draws = progress.cells, progress.draws
    if draws or migration:
        executed = tuple([Cell(mask, cells[mask], draws.get(mask, ())) for mask in order])
        return _Answer(executed, derive(kinds, progress.changed, cells, migration), migration)
    return _plain_answer(kinds, progress.changed, tuple([(mask, cells[mask]) for mask in order]))


@lru_cache(maxsize=4096)
def _plain_answer(
    kinds: tuple[str, ...], changed: int, table: tuple[tuple[int, Verdict], ...]
) -> _Answer:
    """Return the one answer shared by all cases with this executed table.

    Millions of cases share a few hundred tables; keeping one object for each keeps the garbage
    collector, which would otherwise take half of a bulk run, out of the way.
    """
    cells = tuple(Cell(mask, verdict) for mask, verdict in table)
    return _Answer(cells, derive(kinds, changed, dict(table)), None)
