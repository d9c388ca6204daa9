"""What every adjudicator must obey, as a check that users can run on their own.

    problems = check_adjudicator(my_adjudicator, some_states)

or, with pytest, one test per law::

    class TestMine(AdjudicatorLaws):
        def adjudicator(self): ...
        def states(self): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from decidendi.judgment import (
    JSON,
    Adjudicator,
    Reason,
    Source,
    State,
    Unmeasured,
    Verdict,
    canonical_bytes,
)
from decidendi.receipts import StochasticAdjudicator

_MISTYPED: tuple[JSON, ...] = (None, True, 7, "text", [], {}, [{"a": None}], {"": {}})


def check_adjudicator(adjudicator: Adjudicator, states: Sequence[State]) -> list[str]:
    """Return every law that the adjudicator breaks on these states; none is good news.

    Args:
        adjudicator: The adjudicator.
        states: A few states of its kinds, best with different verdicts. Beside them the
            mistyped variants of the first few are tried.
    """
    return [problem for law in LAWS.values() for problem in law(adjudicator, states)]


class AdjudicatorLaws:
    """Tests for pytest: subclass it as ``Test…`` and say what is tested."""

    def adjudicator(self) -> Adjudicator:
        """Return the adjudicator under test."""
        raise NotImplementedError

    def states(self) -> Sequence[State]:
        """Return a few states of its kinds."""
        raise NotImplementedError

    def _check(self, law: str) -> None:
        problems = list(LAWS[law](self.adjudicator(), self.states()))
        assert not problems, "; ".join(problems)

    def test_identity(self) -> None:
        """The identity is constant, and of the kinds it decides."""
        self._check("identity")

    def test_answers(self) -> None:
        """One declared label, or unmeasured, for each state."""
        self._check("answers")

    def test_order(self) -> None:
        """Verdicts stand in the order of their states."""
        self._check("order")

    def test_batches(self) -> None:
        """A batch decides as its states do one by one."""
        self._check("batches")

    def test_repetition(self) -> None:
        """A deterministic adjudicator says the same again."""
        self._check("repetition")

    def test_mistyped(self) -> None:
        """A source of the wrong type is a cell without a verdict, or with one; it never raises."""
        self._check("mistyped")

    def test_sources_stay(self) -> None:
        """No source is changed by deciding."""
        self._check("sources stay")

    def test_draws(self) -> None:
        """A stochastic adjudicator can be drawn from."""
        self._check("draws")


def _identity(adjudicator: Adjudicator, states: Sequence[State]) -> Iterator[str]:
    about = adjudicator.identity
    if about != adjudicator.identity or about.key != adjudicator.identity.key:
        yield "its identity is not constant"
    if len(set(about.verdicts)) != len(about.verdicts) or not about.verdicts:
        yield f"its verdicts {list(about.verdicts)} are not distinct labels"
    for state in states:
        if state.kinds != about.kinds:
            yield f"the states have the kinds {list(state.kinds)}, it reads {list(about.kinds)}"
            return


def _answers(adjudicator: Adjudicator, states: Sequence[State]) -> Iterator[str]:
    if _decided(adjudicator, []) != []:
        yield "an empty batch does not give an empty list"
    yield from _ill_answered(adjudicator, states, "")


def _order(adjudicator: Adjudicator, states: Sequence[State]) -> Iterator[str]:
    forward = _decided(adjudicator, states)
    backward = _decided(adjudicator, list(reversed(states)))
    if isinstance(forward, str) or isinstance(backward, str):
        return  # the law of answers tells
    if _differ(adjudicator, forward, list(reversed(backward))):
        yield "the reversed batch does not give the reversed verdicts"


def _batches(adjudicator: Adjudicator, states: Sequence[State]) -> Iterator[str]:
    together = _decided(adjudicator, states)
    single = [_decided(adjudicator, [state]) for state in states]
    if isinstance(together, str) or any(isinstance(one, str) for one in single):
        return
    if _differ(adjudicator, together, [one[0] for one in single if not isinstance(one, str)]):
        yield "a batch does not decide as its states one by one"


def _repetition(adjudicator: Adjudicator, states: Sequence[State]) -> Iterator[str]:
    for state in states:
        twice = _decided(adjudicator, [state, state])
        if isinstance(twice, str) or len(twice) != 2:
            return  # the law of answers tells
        if _differ(adjudicator, twice[:1], twice[1:]):
            yield f"declared deterministic, but one state gave {twice[0]!r} and {twice[1]!r}"
            return


def _mistyped(adjudicator: Adjudicator, states: Sequence[State]) -> Iterator[str]:
    for state in states[:2]:
        for kind in state.kinds:
            for wrong in _MISTYPED:
                sources = [Source(kind, wrong) if s.kind == kind else s for s in state]
                told = f"with {kind} = {wrong!r}: "
                yield from _ill_answered(adjudicator, [State(sources)], told)


def _sources_stay(adjudicator: Adjudicator, states: Sequence[State]) -> Iterator[str]:
    _decided(adjudicator, states)
    for source in {id(source): source for state in states for source in state}.values():
        try:
            same = canonical_bytes(source.content) == source.data
        except Exception:  # whatever was put into it
            same = False
        if not same:
            yield f"the content of a {source.kind} source was changed"


def _draws(adjudicator: Adjudicator, states: Sequence[State]) -> Iterator[str]:
    if adjudicator.identity.deterministic:
        return
    if not isinstance(adjudicator, StochasticAdjudicator):
        yield "declared stochastic, but has no draw()"
        return
    try:
        drawn = adjudicator.draw([state for state in states for _ in "ab"], [0, 1] * len(states))
    except Exception as error:
        yield f"draw() raised {type(error).__name__}: {error}"
        return
    if len(drawn) != 2 * len(states):
        yield f"draw() gave {len(drawn)} verdicts for {2 * len(states)} states"


LAWS: dict[str, Callable[[Adjudicator, Sequence[State]], Iterator[str]]] = {
    "identity": _identity,
    "answers": _answers,
    "order": _order,
    "batches": _batches,
    "repetition": _repetition,
    "mistyped": _mistyped,
    "sources stay": _sources_stay,
    "draws": _draws,
}


def _decided(adjudicator: Adjudicator, states: Sequence[State]) -> list[Verdict] | str:
    """Return the verdicts of one batch, or what it raised."""
    try:
        return adjudicator.adjudicate(states)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _ill_answered(adjudicator: Adjudicator, states: Sequence[State], told: str) -> Iterator[str]:
    verdicts = _decided(adjudicator, states)
    if isinstance(verdicts, str):
        yield f"{told}adjudicate() raised {verdicts}"
        return
    if len(verdicts) != len(states):
        yield f"{told}{len(verdicts)} verdicts for {len(states)} states"
    for verdict in verdicts:
        if isinstance(verdict, Unmeasured):
            if not isinstance(verdict.reason, Reason) or not verdict.detail.isprintable():
                yield f"{told}an unmeasured verdict is not a reason and one line of text"
        elif verdict not in adjudicator.identity.verdicts:
            yield f"{told}{verdict!r} is not a declared verdict, and not unmeasured"


def _differ(adjudicator: Adjudicator, one: Sequence[Verdict], other: Sequence[Verdict]) -> bool:
    """Whether verdicts differ that should not. Timeouts and draws may."""
    if not adjudicator.identity.deterministic:
        return False
    told, others = [_told(verdict) for verdict in one], [_told(verdict) for verdict in other]
    return len(told) != len(others) or any(
        a != b and Reason.TIMEOUT not in (a, b) for a, b in zip(told, others, strict=True)
    )


def _told(verdict: Verdict) -> str:
    return verdict.reason if isinstance(verdict, Unmeasured) else f"label {verdict}"
