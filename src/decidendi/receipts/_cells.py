"""Executing cells: one batch at a time, once per distinct state."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from time import perf_counter
from typing import Generic, Protocol, TypeVar

from decidendi.judgment import Adjudicator, Reason, State, Unmeasured, Verdict, one_line
from decidendi.receipts._transition import Contract, Key, Progress, ill_typed


class CellStore(Protocol):
    """Where executed verdicts are kept, by state key, for one adjudicator identity."""

    def get(self, key: Key) -> tuple[Verdict, ...] | None:
        """Return what was executed for this state: one verdict, or every draw."""
        ...

    def put(self, key: Key, verdicts: tuple[Verdict, ...]) -> None:
        """Keep what was executed for this state."""
        ...


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A mapping with a bound: it forgets the keys not asked for recently."""

    def __init__(self, limit: int = 100_000) -> None:
        self._half = max(1, limit // 2)
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        """Return what is kept for this key, if anything."""
        found = self._young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.put(key, found)
        return found

    def put(self, key: K, value: V) -> None:
        """Keep a value, forgetting the older half of the keys when full."""
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[key] = value


class RecentCells(Recent[Key, tuple[Verdict, ...]]):
    """A store of executed cells in memory, with a bound."""


class Replays:
    """Executes a sample of states twice, to catch a false claim of determinism.

    The sample is the first states executed, and of the rest one in ``every``.

    Attributes:
        sampled: How many states were executed twice.
        differing: How many of those gave two different verdicts.
    """

    def __init__(self, first: int = 16, every: int = 64) -> None:
        self._first = first
        self._every = every
        self._seen = 0
        self.sampled = 0
        self.differing = 0

    def chooses(self, state: State) -> bool:
        """Say whether to execute this state a second time."""
        self._seen += 1
        if self._seen <= self._first:
            return True
        return hash(state.key) % self._every == 0


class Pace:
    """Cuts a batch into slices that take about a second each.

    What is executed is kept slice by slice, so a killed run loses little, however slow the
    evaluator. Slices grow while they are quick, so a fast evaluator still gets long batches.
    """

    LEAST = 8
    """Never fewer in a slice: an evaluator may decide its states concurrently."""

    def __init__(self, size: int = 32) -> None:
        self._size = size

    def slices(self, count: int) -> Iterator[slice]:
        """Yield slices over ``count`` items; each is timed until the next is asked for."""
        start = 0
        while start < count:
            stop = min(start + self._size, count)
            began = perf_counter()
            yield slice(start, stop)
            took = perf_counter() - began
            if took < 0.5 and stop - start == self._size:
                self._size *= 2
            elif took > 2:
                self._size = max(self.LEAST, self._size // 2)
            start = stop


def execute(adjudicator: Adjudicator, states: Sequence[State]) -> list[Verdict]:
    """Execute one batch, turning every failure into an ``Unmeasured`` verdict of its state."""
    try:
        verdicts = adjudicator.adjudicate(states)
        if len(verdicts) != len(states):
            raise RuntimeError(f"gave {len(verdicts)} verdicts for {len(states)} states")
    except Exception as error:
        if len(states) == 1:
            return [failure(error)]
        return [execute(adjudicator, [state])[0] for state in states]
    declared = adjudicator.identity.verdicts
    return [in_declared(verdict, declared) for verdict in verdicts]


def in_declared(verdict: object, declared: tuple[str, ...]) -> Verdict:
    """Return ``verdict`` if it is unmeasured or a declared label; else an unmeasured one."""
    if isinstance(verdict, Unmeasured):
        return verdict
    if isinstance(verdict, str) and verdict in declared:
        return declared[declared.index(verdict)]
    return Unmeasured(Reason.LABEL, f"{one_line(repr(verdict), 80)} is not one of {list(declared)}")


def failure(error: BaseException) -> Unmeasured:
    """Return the error cell for an exception raised while executing a state."""
    return Unmeasured(Reason.ERROR, one_line(f"{type(error).__name__}: {error}"))


def execute_checked(
    adjudicator: Adjudicator, states: Sequence[State], replays: Replays
) -> list[Verdict]:
    """Execute one batch of a deterministic adjudicator, replaying a sample of it."""
    verdicts = execute(adjudicator, states)
    again = [i for i, state in enumerate(states) if replays.chooses(state)]
    if again:
        second = execute(adjudicator, [states[i] for i in again])
        replays.sampled += len(again)
        for i, verdict in zip(again, second, strict=True):
            if verdict != verdicts[i] and _is_label_or_answer(verdict, verdicts[i]):
                replays.differing += 1
                verdicts[i] = Unmeasured(
                    Reason.NONDETERMINISTIC,
                    "declared deterministic, but two executions of one state differ",
                )
    return verdicts


def _is_label_or_answer(one: Verdict, other: Verdict) -> bool:
    """Whether a difference is one of verdicts: two wordings of one error are not."""
    if isinstance(one, Unmeasured) and isinstance(other, Unmeasured):
        return one.reason is not other.reason
    timeouts = (one, other)
    return not any(isinstance(v, Unmeasured) and v.reason is Reason.TIMEOUT for v in timeouts)


class Deterministic:
    """Executes each distinct state once and remembers it."""

    def __init__(
        self,
        adjudicator: Adjudicator,
        contract: Contract | None,
        store: CellStore,
        replays: Replays,
    ) -> None:
        self._adjudicator = adjudicator
        self._contract = contract
        self._store = store
        self._replays = replays
        self._pace = Pace()

    def fill(self, wanted: Sequence[tuple[Progress, int]]) -> None:
        """Execute the wanted cells, each distinct state once."""
        contract, known = self._contract, self._store.get
        index: dict[Key, int] = {}
        states: list[State] = []
        asking: list[tuple[Progress, int]] = []
        sharing: list[tuple[int, Progress, int]] = []
        for progress, mask in wanted:
            if contract and (ill := ill_typed(contract, progress, mask)) is not None:
                progress.cells[mask] = ill
                continue
            key = progress.key(mask)
            if (stored := known(key)) is not None:
                progress.cells[mask] = stored[0]
            elif (at := index.get(key)) is not None:
                sharing.append((at, progress, mask))
            else:
                index[key] = len(states)
                states.append(progress.state(mask, key))
                asking.append((progress, mask))
        verdicts: list[Verdict] = []
        for part in self._pace.slices(len(states)):
            decided = execute_checked(self._adjudicator, states[part], self._replays)
            for state, verdict in zip(states[part], decided, strict=True):
                self._store.put(state.key, (verdict,))
            verdicts += decided
        for (progress, mask), verdict in zip(asking, verdicts, strict=True):
            progress.cells[mask] = verdict
        for at, progress, mask in sharing:
            progress.cells[mask] = verdicts[at]
