"""Drilling down: a source in a receipt, split into its changed parts, is a second cube.

Beyond the paper. If S is a member of a case's receipt and X one of its kinds, then replacing
S without X does not reproduce the revised verdict and replacing S does. So between those two
states, which differ in X alone, the verdict changes, and X's changed parts are the kinds of a
transition like any other: its certificate is an ordinary certificate.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from decidendi.judgment import (
    JSON,
    Adjudicator,
    BadInputError,
    Identity,
    Reason,
    Source,
    State,
    Unmeasured,
    Verdict,
    digest_of,
)
from decidendi.receipts._cells import execute
from decidendi.receipts._certificate import Certificate
from decidendi.receipts._certify import certify
from decidendi.receipts._lattice import names_of
from decidendi.receipts._sampled import StochasticAdjudicator
from decidendi.receipts._transition import Contract, Progress, Transition

EXACT_PARTS = 16
"""Up to so many parts the complete family is found; its lattice has 65,536 cells."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The changed parts of one source.

    Attributes:
        names: A name for each changed part, unique.
        build: Maps a mask over the parts to the source's content with those parts revised.
            INVARIANT: ``build(0)`` is the old content, and of all parts the revised one.
    """

    names: tuple[str, ...]
    build: Callable[[int], JSON]


@dataclass(frozen=True, slots=True)
class Drilled:
    """What drilling into one kind of one receipt member found.

    Attributes:
        kind: The kind that was split.
        member: The receipt member it was split in.
        parts: How many changed parts the source has.
        complete: Whether ``minimal`` is the complete family. If not it holds *one* minimal set.
        minimal: Minimal sets of parts whose revision reproduces the revised verdict.
        proven: Whether ``minimal`` has been shown to contain no smaller reproducing set. If
            not, removing any single part of it loses the verdict, and more was not searched.
        certificate: The executed cells; absent if not proven or not certified.
    """

    kind: str
    member: tuple[str, ...]
    parts: int
    complete: bool
    minimal: tuple[tuple[str, ...], ...]
    proven: bool
    certificate: Certificate | None


def drill(
    adjudicator: Adjudicator,
    transition: Transition,
    member: int,
    kind: str,
    parts: Parts,
    *,
    contract: Contract | None = None,
    confidence: str = "0.95",
    budget: int = 64,
) -> Drilled:
    """Find which changed parts of one source reproduce the revised verdict.

    Args:
        adjudicator: What decides.
        transition: The certified transition.
        member: A member of its receipt, as a mask over the adjudicator's kinds.
        kind: A kind in that member.
        parts: The changed parts of that kind's source.
        contract: The interface that hybrids must fit.
        confidence: For stochastic adjudicators.
        budget: For stochastic adjudicators.

    Raises:
        BadInputError: if ``kind`` is not in the member, or its source has no changed part.
    """
    names = names_of(member, adjudicator.identity.kinds)
    complete = _refuse_hopeless(adjudicator.identity, names, kind, len(parts.names))
    whole = Progress(transition).state(member)
    sides = 3 if transition.migrated is None else 2
    parted = _Parted(adjudicator, whole, kind, parts, (contract, sides))
    chosen = list(range(len(parts.names)))
    if not complete:
        chosen = _shrink(parted, len(parts.names))
        if len(chosen) > EXACT_PARTS:
            one = tuple(parts.names[i] for i in chosen)
            return Drilled(kind, names, len(parts.names), False, (one,), False, None)
    certificate = certify(
        parted.narrowed(chosen),
        parted.end(chosen, revised=False),
        parted.end(chosen, revised=True),
        transition.case,
        confidence=confidence,
        budget=budget,
    )
    found = certificate.receipt.members if certificate.receipt else ()
    return Drilled(
        kind,
        names,
        len(parts.names),
        complete,
        found if complete else found[:1],
        certificate.receipt is not None,
        certificate,
    )


def _refuse_hopeless(about: Identity, member: tuple[str, ...], kind: str, parts: int) -> bool:
    """Say whether the complete family can be found; raise if nothing can."""
    if kind not in member:
        raise BadInputError(
            f"{kind!r} is not in the receipt member {' + '.join(member)}",
            remedy=f"drill into one of {', '.join(member)}",
        )
    if not parts:
        raise BadInputError(f"the {kind} source has no changed part")
    if parts > EXACT_PARTS and not about.deterministic:
        raise BadInputError(
            f"the {kind} source has {parts} changed parts, and a stochastic evaluator can be "
            f"drilled into up to {EXACT_PARTS}",
            remedy="split the revision into smaller ones",
        )
    return parts <= EXACT_PARTS


def _shrink(parted: _Parted, count: int) -> list[int]:
    """Drop parts one by one while the verdict still is the revised one.

    The result is 1-minimal; without monotonicity it may hold a smaller reproducing set, which
    the exact search inside it then finds.
    """
    kept = list(range(count))
    full = parted.verdict(sum(1 << i for i in kept))
    dropped = True
    while dropped:
        dropped = False
        for part in list(kept):
            rest = [i for i in kept if i != part]
            if parted.verdict(sum(1 << i for i in rest)) == full:
                kept, dropped = rest, True
    return kept


class _Parted:
    """The evaluator as a function of one source's parts, everything else held fixed."""

    def __init__(
        self,
        base: Adjudicator,
        state: State,
        kind: str,
        parts: Parts,
        interface: tuple[Contract | None, int],
        chosen: Sequence[int] | None = None,
    ) -> None:
        self._base = base
        self._state = state
        self._kind = kind
        self._parts = parts
        self._interface = interface
        self._chosen = tuple(chosen if chosen is not None else range(len(parts.names)))
        about = base.identity
        fixed: JSON = [source.digest for source in state if source.kind != kind]
        self.identity = Identity(
            name=about.name,
            engine=about.engine,
            digest=digest_of({"adjudicator": about.key, "kind": kind, "others": fixed}),
            verdicts=about.verdicts,
            kinds=tuple(parts.names[i] for i in self._chosen),
            deterministic=about.deterministic,
        )

    def narrowed(self, chosen: Sequence[int]) -> _Parted:
        """Return the same with only some parts free; the others stay old."""
        return _Parted(self._base, self._state, self._kind, self._parts, self._interface, chosen)

    def end(self, chosen: Sequence[int], *, revised: bool) -> State:
        """Return the state in which every chosen part is old, or every one revised."""
        ends = [digest_of(self._parts.build(mask)) for mask in (0, self._all())]
        return State(
            Source(self._parts.names[i], {"part_of": ends[revised], "revised": revised})
            for i in chosen
        )

    def verdict(self, mask: int) -> Verdict:
        """Decide with the parts in ``mask`` revised."""
        built = self._built(mask)
        return built if isinstance(built, Unmeasured) else execute(self._base, [built])[0]

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state of parts."""
        return self._through(states, lambda built, _: execute(self._base, built))

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        """Draw from each state of parts."""
        base = self._base
        assert isinstance(base, StochasticAdjudicator)
        return self._through(states, lambda built, at: base.draw(built, [repeats[i] for i in at]))

    def _through(
        self,
        states: Sequence[State],
        decide: Callable[[list[State], list[int]], list[Verdict]],
    ) -> list[Verdict]:
        built = [self._built(self._mask(state)) for state in states]
        at = [i for i, one in enumerate(built) if not isinstance(one, Unmeasured)]
        fit = [one for one in built if not isinstance(one, Unmeasured)]
        decided = dict(zip(at, decide(fit, at), strict=True)) if fit else {}
        return [one if isinstance(one, Unmeasured) else decided[i] for i, one in enumerate(built)]

    def _mask(self, state: State) -> int:
        mask = 0
        for i, source in zip(self._chosen, state, strict=True):
            content = source.content
            assert isinstance(content, dict)
            mask |= bool(content["revised"]) << i
        return mask

    def _built(self, mask: int) -> State | Unmeasured:
        made = Source(self._kind, self._parts.build(mask))
        contract, sides = self._interface
        interior = mask not in (0, self._all())  # the ends were executed as cells before
        if contract and interior and (problem := contract.problem(made, sides)) is not None:
            return Unmeasured(Reason.INTERFACE, f"{self._kind}: {problem}")
        return State(made if source.kind == self._kind else source for source in self._state)

    def _all(self) -> int:
        return (1 << len(self._parts.names)) - 1


_ABSENT = object()
_Change = tuple[tuple[str | int, ...], Any]


def json_parts(old: JSON, revised: JSON) -> Parts:
    """Split two JSON documents into their changed fields.

    Objects are compared key by key and lists of equal length item by item, as deep as both
    sides allow; anything else that differs is one part.
    """
    changes = list(_changes((), old, revised))

    def build(mask: int) -> JSON:
        content: Any = copy.deepcopy(old)
        for i, (path, value) in enumerate(changes):
            if mask >> i & 1:
                content = _with(content, path, value)
        return content  # type: ignore[no-any-return]  # built from JSON by JSON values

    return Parts(tuple(_shown(path) for path, _ in changes), build)


def _changes(path: tuple[str | int, ...], old: Any, new: Any) -> Iterator[_Change]:  # noqa: ANN401 - any JSON value
    if old is not _ABSENT and new is not _ABSENT:
        if type(old) is type(new) and old == new and digest_of(old) == digest_of(new):
            return
        if isinstance(old, dict) and isinstance(new, dict):
            for key in sorted(old.keys() | new.keys()):
                yield from _changes((*path, key), old.get(key, _ABSENT), new.get(key, _ABSENT))
            return
        if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
            for i, (before, after) in enumerate(zip(old, new, strict=True)):
                yield from _changes((*path, i), before, after)
            return
    yield path, new


def _with(content: Any, path: tuple[str | int, ...], value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return ``content`` with the value at ``path`` put in, or taken out if absent."""
    if not path:
        return copy.deepcopy(value)
    holder = content
    for step in path[:-1]:
        holder = holder[step]
    if value is _ABSENT:
        del holder[path[-1]]
    else:
        holder[path[-1]] = copy.deepcopy(value)
    return content


def _shown(path: tuple[str | int, ...]) -> str:
    """Render a path unambiguously: plain keys joined by dots, others quoted."""
    out = ""
    for step in path:
        if isinstance(step, int):
            out += f"[{step}]"
        elif step.isidentifier():
            out += f".{step}" if out else step
        else:
            out += f"[{step!r}]"
    return out or "(whole)"
