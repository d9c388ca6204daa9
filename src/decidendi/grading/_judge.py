"""What a judge is: chains in, labels out. And one with known error rates, for trying things."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

from decidendi.grading._chain import Chain
from decidendi.grading._labels import Content, Finding, Labels, Marks
from decidendi.grading._taxonomy import Taxonomy, kind_of, taxonomy
from decidendi.judgment import BadInputError, Reason, Unmeasured, digest_of

DRY_RUN: Final = "dry_run"
"""The setting of a script that was told nothing: its labels are made up, its calls are counted."""


@dataclass(frozen=True)
class JudgeIdentity:
    """Which judge, exactly. A record is one version's, and of no other.

    Attributes:
        name: ``exact``, ``scripted``, or a model's name.
        version: Raised by its author whenever its labels could change.
        taxonomy: The digest of the taxonomy it labels with.
        settings: Everything else that can change a label: prompts' digests, parameters.
        designed_on: The names of the collections that it was designed on (its prompts were tried
            on them, its examples taken from them). It is never validated on those.
    """

    name: str
    version: str
    taxonomy: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    designed_on: tuple[str, ...] = ()

    @property
    def by(self) -> str:
        """What its labels say they are by."""
        return f"{self.name}/{self.version}"

    @property
    def dry_run(self) -> bool:
        """Whether its labels are made up, so that no rate of them means anything."""
        return bool(self.settings.get(DRY_RUN))

    @property
    def digest(self) -> str:
        """Of all of it."""
        return digest_of(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "name": self.name,
            "version": self.version,
            "taxonomy": self.taxonomy,
            "settings": dict(self.settings),
            "designed_on": list(self.designed_on),
        }


@runtime_checkable
class Judge(Protocol):
    """Whatever labels chains: a model, a program, a script."""

    @property
    def identity(self) -> JudgeIdentity:
        """Which judge this is."""

    def grade(self, chains: Sequence[Chain]) -> list[Labels]:
        """Label chains, in their order.

        What it cannot label is unmeasured, with the reason; it raises only where a chain is no
        chain it could ever label.
        """


def unlabelled(chain: Chain, by: str, reason: Unmeasured) -> Labels:
    """Return the labels of a chain that got none."""
    return Labels(chain.id, by, reason, content=reason)


@dataclass(frozen=True)
class ErrorRates:
    """How a scripted judge errs.

    Attributes:
        missed: The chance that a premise in error is called sound, by kind; ``""`` for the others.
        false_alarms: The chance that a sound premise is called wrong.
        confused: The chance that an error it finds is called another kind.
        failed: The chance that it gives no label for a premise.
    """

    missed: Mapping[str, float] = field(default_factory=dict)
    false_alarms: float = 0.0
    confused: float = 0.0
    failed: float = 0.0

    def __post_init__(self) -> None:
        chances = (*self.missed.values(), self.false_alarms, self.confused, self.failed)
        if not all(0 <= chance <= 1 for chance in chances):
            raise BadInputError("an error rate is a chance between 0 and 1")


class ScriptedJudge:
    """A judge that knows the truth and errs at known rates: its record must come out as scripted.

    What it says of a premise depends on the seed, the chain's id and the premise's place alone.
    """

    def __init__(
        self,
        truth: Sequence[Labels],
        rates: ErrorRates | None = None,
        *,
        seed: int = 42,
        kinds: Taxonomy | None = None,
        designed_on: Sequence[str] = (),
    ) -> None:
        """Give it the true labels of every chain that it will see."""
        self._truth = {labels.chain: labels for labels in truth}
        self._rates = rates or ErrorRates()
        self._seed = seed
        self._taxonomy = kinds or taxonomy()
        settings = {
            "seed": seed,
            "missed": {kind: str(chance) for kind, chance in self._rates.missed.items()},
            "false_alarms": str(self._rates.false_alarms),
            "confused": str(self._rates.confused),
            "failed": str(self._rates.failed),
        }
        self._identity = JudgeIdentity(
            "scripted", "1", self._taxonomy.digest, settings, tuple(designed_on)
        )

    @property
    def identity(self) -> JudgeIdentity:
        """Which judge this is."""
        return self._identity

    def grade(self, chains: Sequence[Chain]) -> list[Labels]:
        """Label chains as scripted."""
        return [self._labels(chain) for chain in chains]

    def _labels(self, chain: Chain) -> Labels:
        true = self._truth.get(chain.id)
        by = self._identity.by
        if true is None:
            return unlabelled(chain, by, Unmeasured(Reason.ERROR, "the script has no such chain"))
        if isinstance(true.premises, Unmeasured):
            return unlabelled(chain, by, true.premises)
        marks = tuple(self._marks(chain, at, real) for at, real in enumerate(true.premises))
        content: Content = true.content
        return Labels(chain.id, by, marks, content)

    def _marks(self, chain: Chain, place: int, true: Marks) -> Marks:
        # Text seeds: the same on every machine, whatever the order of the chains.
        rng = random.Random(f"{self._seed}|{chain.id}|{place}")  # noqa: S311 - repeatable on purpose
        fails, errs, swaps, pick = (rng.random() for _ in range(4))
        rates = self._rates
        if fails < rates.failed:
            return Unmeasured(Reason.NOT_CONVERGED, "the script fails here")
        if not isinstance(true, tuple):
            return true
        kinds = self._taxonomy.kind_codes
        if not true:
            false_alarm = errs < rates.false_alarms
            return (Finding(kinds[int(pick * len(kinds))]),) if false_alarm else ()
        kind = kind_of(true[0].code)
        if errs < rates.missed.get(kind, rates.missed.get("", 0.0)):
            return ()
        if swaps < rates.confused:
            others = [other for other in kinds if other != kind]
            return (Finding(others[int(pick * len(others))]),)
        return true
