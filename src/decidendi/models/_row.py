"""One answer as it grows: when it ends, what is put into it, where its margin is read.

Knows nothing of tensors. Per step, the engine asks for ``candidates`` (and hands over their
log-probabilities if there are any), then offers the model's choice to ``step``, which says what
token really comes next.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from decidendi.judgment import Reason, Unmeasured
from decidendi.models._candidates import Candidates, resolve
from decidendi.models._codec import Codec, Running
from decidendi.models._records import Cause, Decoding, Finish, Forced, Margin

NO_MARKER = Unmeasured(Reason.NOT_CONVERGED, "the answer has no marker")
INSIDE = Unmeasured(Reason.NOT_CONVERGED, "the marker ends inside a token")
ELSEWHERE = Unmeasured(Reason.NOT_CONVERGED, "no label comes after the marker")
CUT = Unmeasured(Reason.NOT_CONVERGED, "the answer ends at the marker")


class Row:
    """An answer in the making.

    Attributes:
        finish: Why it ended; None while it goes on.
        forced: What was put in.
        margin: At the last marker so far.
        closest: The smallest distance by which the model's choice won.
    """

    def __init__(
        self,
        codec: Codec,
        decoding: Decoding,
        ends: Collection[int],
        *,
        said: str = "",
        seed: int | None = None,
    ) -> None:
        """Begin.

        Args:
            codec: Of the model.
            decoding: As asked for.
            ends: Tokens that end an answer.
            said: The beginning of the answer, if the prompt holds it.
            seed: Of the tokens drawn, where decoding has a temperature.
        """
        self._random = random.Random(seed)  # noqa: S311 - draws of a model, not secrets
        self._codec = codec
        self._decoding = decoding
        self._ends = frozenset(ends)
        opened, closed = (said.rfind(tag) for tag in decoding.think)
        self._thinking = opened > closed
        self._running = Running(codec)
        self._put: deque[int] = deque()
        self._between: deque[int] = deque()
        self._candidates: Candidates | None = None
        self._limit = decoding.max_new_tokens
        self._seen = 0  # characters searched for tags, marker and stop texts
        self._cut: int | None = None
        self._declared = False  # the marker came outside reasoning
        self.finish: Finish | None = None
        self.forced: Forced | None = None
        self.margin: Margin | Unmeasured = NO_MARKER
        self.closest: float | None = None

    @property
    def ids(self) -> tuple[int, ...]:
        """All new tokens."""
        return tuple(self._running.ids)

    @property
    def text(self) -> str:
        """The answer so far, cut before a stop text."""
        return self._running.whole()[: self._cut]

    @property
    def candidates(self) -> Candidates | None:
        """The tokens to compare in the choice now at hand; None: none."""
        return None if self._between or self._put else self._candidates

    @property
    def temperature(self) -> float:
        """The temperature at which the next token is drawn; 0: the likeliest is taken."""
        return 0.0 if self._put else self._decoding.temperature

    def chance(self) -> float:
        """Return the next random number of this row, in [0, 1)."""
        return self._random.random()

    def read(self, log_probs: Mapping[str, float]) -> None:
        """Take the log-probabilities of the candidates."""
        assert self._candidates is not None
        at = len(self._running.ids)
        self.margin = Margin(dict(log_probs), dict(self._candidates.token_ids), at)
        self._candidates = None

    def step(self, choice: int, gap: float | None) -> int | None:
        """Go one token further.

        Args:
            choice: The model's likeliest token, or the one drawn.
            gap: By how much it won, in nats; None if it was drawn.

        Returns:
            The token that comes, to be fed to the model; None if the answer is finished.
        """
        if self._put:
            choice = self._put.popleft()
        else:
            if gap is not None:
                self.closest = gap if self.closest is None else min(gap, self.closest)
            if choice in self._ends:
                self._end(Finish.END, Cause.ENDED)
                if self.finish:
                    return None
                choice = self._put.popleft()
        self._running.push(choice)
        self._follow(choice)
        self._look()
        return None if self.finish else choice

    def _look(self) -> None:
        """Look for tags, marker and stop texts in what is new; end or force where it is time."""
        text, seen = self._running.text, self._seen
        self._tags(text, seen)
        self._marker(text, seen)
        if not self._put:
            self._limits(text, seen)
        self._seen = len(text)

    def _tags(self, text: str, seen: int) -> None:
        opening, closing = self._decoding.think
        opened, closed = (_last(text, tag, seen) for tag in (opening, closing))
        if max(opened, closed) >= 0:
            self._thinking = opened > closed

    def _marker(self, text: str, seen: int) -> None:
        """Get ready to read the margin if the marker has just come."""
        marker = self._decoding.marker
        found = _last(text, marker.text, seen) if marker else -1
        if marker is None or found < 0:
            return
        self._declared |= not self._thinking
        self._candidates = None
        if found + len(marker.text) < len(text) or not self._running.complete:
            self.margin = INSIDE
            return
        resolved = resolve(self._codec, self._running.ids, marker)
        if isinstance(resolved, Unmeasured):
            self.margin = resolved
            return
        self._candidates, self.margin = resolved, CUT
        if self.forced and len(self._running.ids) == self.forced.at + self.forced.tokens:
            self._put_in(resolved.between)
        else:
            self._between = deque(resolved.between)

    def _follow(self, token: int) -> None:
        """Go along the tokens that all labels begin with; give up if the model leaves them."""
        if self._between and self._between.popleft() != token:
            self._between.clear()
            self._candidates, self.margin = None, ELSEWHERE

    def _limits(self, text: str, seen: int) -> None:
        """End or force if a stop text has come or the tokens are spent."""
        length, budget = len(self._running.ids), self._decoding.reasoning_budget
        stop = self._stop(text, seen)
        if stop is not None:
            self._cut = stop
            self._end(Finish.STOP, Cause.ENDED)
        elif length >= self._limit or (
            self._thinking and not self.forced and budget is not None and length >= budget
        ):
            self._end(Finish.LENGTH, Cause.BUDGET)

    def _stop(self, text: str, seen: int) -> int | None:
        """Return where a stop text begins; after a forced marker a line's end is one too."""
        if self.forced:
            tail = text[self._tail :]
            rest = tail.lstrip()
            line = rest.find("\n")
            if line >= 0:
                return len(text) - len(rest) + line
        found = [_first(text, stop, max(seen, self._tail)) for stop in self._decoding.stop]
        return min((place for place in found if place >= 0), default=None)

    def _end(self, finish: Finish, cause: Cause) -> None:
        """Finish, unless a verdict is to be forced."""
        decoding = self._decoding
        if self._thinking:
            forcing = decoding.reasoning_budget is not None
        else:
            forcing, cause = decoding.force_missing and not self._declared, Cause.MISSING
        if not forcing or self.forced:
            self.finish = finish
            return
        self._cut = None
        self.force(cause)

    def force(self, cause: Cause) -> None:
        """Close the reasoning if it is open, and put the marker in."""
        decoding = self._decoding
        assert decoding.marker is not None  # nothing is forced without one
        line = "" if self._running.text.endswith("\n") else "\n"
        closing = f"{decoding.think[1]}\n" if self._thinking else ""
        self.forced = Forced(cause, len(self._running.ids), "", 0)
        self._candidates = None
        self._put_in(self._codec.encode(line + closing + decoding.marker.text))

    def _put_in(self, ids: Sequence[int]) -> None:
        """Queue tokens that the model did not choose."""
        assert self.forced is not None
        self._put.extend(ids)
        inserted = self.forced.inserted + self._codec.decode(list(ids))
        tokens = self.forced.tokens + len(ids)
        self.forced = replace(self.forced, inserted=inserted, tokens=tokens)
        self._limit = self.forced.at + tokens + self._decoding.forced_tokens

    @property
    def _tail(self) -> int:
        """Where the model's own text begins again after what was put in; 0 if nothing was."""
        if self.forced is None:
            return 0
        last = self._running.text.rfind(self.forced.inserted)
        return last + len(self.forced.inserted) if last >= 0 else len(self._running.text)


def _last(text: str, part: str, seen: int) -> int:
    """Return where ``part`` begins for the last time, if it ends after ``seen``; else -1."""
    return text.rfind(part, max(0, seen - len(part) + 1))


def _first(text: str, part: str, seen: int) -> int:
    """Return where ``part`` begins first, if it ends after ``seen``; else -1."""
    return text.find(part, max(0, seen - len(part) + 1))
