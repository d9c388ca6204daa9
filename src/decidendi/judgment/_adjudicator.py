"""The one thing an evaluator must be able to do: give verdicts for states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from decidendi.judgment._canonical import JSON, digest_of
from decidendi.judgment._state import GROUNDS_NORMS_AUTHORITY, State
from decidendi.judgment._verdict import Verdict


@dataclass(frozen=True)
class Identity:
    """Everything that can change an adjudicator's verdicts, besides the sources it is given.

    Attributes:
        name: The evaluator's name.
        engine: What executes it: ``python``, ``rego``, ``cedar``, ``rules``, …
        digest: Digest of its executable parts and settings (entry code, query, engine version).
        verdicts: The declared labels, in the order that reports show them.
        kinds: The kinds of source it reads, in order.
        deterministic: Whether equal states always give equal verdicts.
    """

    name: str
    engine: str
    digest: str
    verdicts: tuple[str, ...]
    kinds: tuple[str, ...] = GROUNDS_NORMS_AUTHORITY
    deterministic: bool = True

    def as_json(self) -> dict[str, JSON]:
        """Return the identity as it stands in a certificate."""
        return {
            "name": self.name,
            "engine": self.engine,
            "digest": self.digest,
            "verdicts": list(self.verdicts),
            "kinds": list(self.kinds),
            "deterministic": self.deterministic,
        }

    @property
    def key(self) -> str:
        """Digest of the whole identity: the adjudicator's part of every cache key."""
        return digest_of(self.as_json())


class Adjudicator(Protocol):
    """An executable evaluator, D in the papers.

    A case reaches D only through its sources (its grounds, and the norms and authority local
    to it): that is what lets equal states share one execution, and what makes a certificate
    that binds the sources' digests complete.
    """

    @property
    def identity(self) -> Identity:
        """What this adjudicator is; constant for its lifetime."""
        ...

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state, in order. One call is one batch.

        Must not raise for what a state contains: an engine's error on one state is an
        ``Unmeasured`` verdict for that state. Labels outside the declared set are returned
        as ``Unmeasured`` with ``Reason.LABEL``.
        """
        ...
