"""Rates of a set of graded chains: pure functions of chains and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from decidendi.grading._chain import Chain
from decidendi.grading._labels import Labels, Marks, says
from decidendi.grading._score import Score, score
from decidendi.grading._taxonomy import UNSPECIFIED, Taxonomy
from decidendi.judgment import BadInputError, Unmeasured
from decidendi.stats import Difference, Rate, Resampler, Tally, wilson_rate

Graded: TypeAlias = tuple[Chain, Labels | None]
"""A chain with one source's labels; None where that source has none for it."""


@dataclass(frozen=True)
class Measures:
    """What a set of graded chains shows, each with n, an interval by unit, and what was left out.

    Attributes:
        chains: How many chains there are.
        units: How many units they come from.
        accuracy: Chains that choose the expert's option. No judge is needed.
        soundness: Premises without an error, of all labelled ones. Where labels end with the
            first error this is too high, as what follows it has none.
        correctness: Chains whose premises are all sound and whose conclusion is correct.
        gap: Accuracy less correctness, on the chains that have both.
        classes: The share of each class of conclusion.
        errors: By kind and sub-kind: the share of labelled premises that have it.
        chains_with: By kind: the share of wholly labelled chains with at least one such premise.
    """

    chains: int
    units: int
    accuracy: Rate
    soundness: Rate
    correctness: Rate
    gap: Difference
    classes: Mapping[str, Rate]
    errors: Mapping[str, Rate]
    chains_with: Mapping[str, Rate]


def measure(
    graded: Sequence[Graded], taxonomy: Taxonomy, *, resampler: Resampler | None = None
) -> Measures:
    """Measure a set of graded chains.

    Args:
        graded: Chains with the labels of one source.
        taxonomy: What errors there are.
        resampler: The draws, over units that hold all of these.
    """
    draws = resampler or Resampler([chain.unit for chain, _ in graded])
    rows = _Rows(draws)
    scores = [(chain.unit, _scored(chain, labels)) for chain, labels in graded]
    premises = [(chain.unit, marks) for chain, labels in graded for marks in _marks(chain, labels)]
    codes = [*taxonomy.codes, UNSPECIFIED]
    rows.add("accuracy", [(u, s.accuracy) for u, s in scores], bool)
    rows.add("soundness", premises, lambda marks: not marks)
    rows.add("correctness", [(u, s.correctness) for u, s in scores], bool)
    for entry in taxonomy.classes:
        rows.add(entry.code, [(u, s.conclusion) for u, s in scores], entry.code.__eq__)
    for code in codes:
        said = [(c.unit, says(m, code)) for c, row in graded for m in _marks(c, row, code)]
        rows.add(("premise", code), said, bool)
    for code in (*taxonomy.kind_codes, UNSPECIFIED):
        wholes = [
            (chain.unit, _anywhere(_marks(chain, labels, code), code)) for chain, labels in graded
        ]
        rows.add(("chain", code), wholes, bool)
    rates = rows.rates()
    both = [
        (u, bool(s.accuracy), bool(s.correctness))
        for u, s in scores
        if isinstance(s.accuracy, float) and isinstance(s.correctness, float)
    ]
    of = [unit for unit, _, _ in both]
    right = draws.tally([accurate for _, accurate, _ in both], of)
    correct = draws.tally([correct for _, _, correct in both], of)
    return Measures(
        len(graded),
        len({chain.unit for chain, _ in graded}),
        rates["accuracy"],
        rates["soundness"],
        rates["correctness"],
        draws.difference(right, correct),
        {entry.code: rates[entry.code] for entry in taxonomy.classes},
        {code: rates["premise", code] for code in codes},
        {code: rates["chain", code] for code in (*taxonomy.kind_codes, UNSPECIFIED)},
    )


def pair_up(chains: Sequence[Chain], labels: Sequence[Labels]) -> list[Graded]:
    """Put chains and one source's labels together, in the order of the chains.

    Raises:
        BadInputError: if there are labels for a chain that is not there, twice for one, or more
            or fewer than it has premises.
    """
    by_id = {chain.id: chain for chain in chains}
    found: dict[str, Labels] = {}
    for row in labels:
        check_fits(by_id.get(row.chain), row)
        if row.chain in found:
            raise BadInputError(f"{row.by} labels the chain {row.chain!r} twice")
        found[row.chain] = row
    return [(chain, found.get(chain.id)) for chain in chains]


def check_fits(chain: Chain | None, labels: Labels) -> None:
    """Refuse labels that do not fit the chain they name.

    Raises:
        BadInputError: if there is no such chain, or the numbers of premises differ.
    """
    if chain is None:
        raise BadInputError(f"{labels.by} labels a chain that is not there: {labels.chain!r}")
    size = chain.length
    if size is None or isinstance(labels.premises, Unmeasured):
        return
    rows = [labels.premises, *([labels.partly.premises] if labels.partly else [])]
    if any(len(row) != size for row in rows):
        raise BadInputError(
            f"{labels.by} labels {len(labels.premises)} premises of the chain {chain.id!r}, which "
            f"has {size}",
            remedy="label the premises as they are numbered in the chains of the run",
        )


def _scored(chain: Chain, labels: Labels | None) -> Score:
    return score(chain, labels or Labels(chain.id, "", (None,) * (chain.length or 1)))


def _marks(chain: Chain, labels: Labels | None, code: str = "") -> Sequence[Marks]:
    """Return one entry for each premise; one for a chain that has none told apart.

    Args:
        chain: The chain.
        labels: Of one source.
        code: What is asked of them; errors of some kinds may have been looked for alone.
    """
    if isinstance(chain.premises, Unmeasured):
        return (chain.premises,)
    if labels is None:
        return (None,) * len(chain.premises)
    if isinstance(labels.premises, Unmeasured):
        return (labels.premises,) * len(chain.premises)
    return [labels.marks(place, code) for place in range(len(chain.premises))]


def _anywhere(premises: Sequence[Marks], code: str) -> bool | Unmeasured | None:
    """Say whether any premise has this error, if all of them are labelled."""
    found = [says(marks, code) for marks in premises]
    for said in found:
        if said is None or isinstance(said, Unmeasured):
            return said
    return any(found)


class _Rows:
    """Tallies by name; one pass over the draws for all of them."""

    def __init__(self, draws: Resampler) -> None:
        self.draws = draws
        self._tallies: dict[object, tuple[Tally, bool, dict[str, int]]] = {}

    def add(
        self,
        name: object,
        rows: Sequence[tuple[str, object]],
        hit: Callable[[object], bool],
    ) -> None:
        """Count hits among the measured rows; the others by reason."""
        left_out: Counter[str] = Counter()
        kept: list[tuple[str, bool]] = []
        for unit, value in rows:
            if value is None or isinstance(value, Unmeasured):
                left_out["no label" if value is None else str(value.reason)] += 1
            else:
                kept.append((unit, bool(hit(value))))
        of = [unit for unit, _ in kept]
        clustered = len(set(of)) < len(of)
        tally = self.draws.tally([yes for _, yes in kept], of)
        self._tallies[name] = (tally, clustered, dict(left_out))

    def rates(self) -> dict[object, Rate]:
        """Return the rates: Wilson's interval for independent rows, the bootstrap for others."""
        names = [name for name, (_, clustered, _) in self._tallies.items() if clustered]
        drawn = self.draws.rates([self._tallies[name][0] for name in names]) if names else []
        found = dict(zip(names, drawn, strict=True))
        out: dict[object, Rate] = {}
        for name, (tally, _, left_out) in self._tallies.items():
            drawn_rate = found.get(name)
            out[name] = (
                wilson_rate(*tally.total, excluded=left_out)
                if drawn_rate is None
                else replace(drawn_rate, excluded=left_out)
            )
        return out
