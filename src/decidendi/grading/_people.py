"""What several people say of the same chains: their agreement, and the label most of them give."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from decidendi.grading._chain import Chain
from decidendi.grading._labels import Content, Finding, Labels, Marks, Whole, codes_of, says
from decidendi.grading._measures import check_fits
from decidendi.grading._score import conclusion_class
from decidendi.grading._taxonomy import UNSPECIFIED, Taxonomy
from decidendi.judgment import BadInputError, Reason, Unmeasured
from decidendi.stats import (
    Agreement,
    Label,
    NoAgreement,
    Resampler,
    cohen_kappa,
    krippendorff_alpha,
)

PEOPLE = "people"
SPLIT = Unmeasured(Reason.UNDETERMINED, "the annotators are split")
Among: TypeAlias = Agreement | NoAgreement


@dataclass(frozen=True)
class PeopleAgreement:
    """How far people agree among themselves: before any judge is compared with them.

    Attributes:
        annotators: Who labelled how many chains.
        several: How many chains more than one of them labelled.
        wrong: Krippendorff's alpha on whether a premise is in error.
        kinds: On whether it has an error of that kind.
        conclusion: On the class of the conclusion.
        pair: Cohen's kappa on whether a premise is in error, where there are just two people.
    """

    annotators: Mapping[str, int]
    several: int
    wrong: Among
    kinds: Mapping[str, Among]
    conclusion: Among
    pair: Among | None


def of_these(chains: Sequence[Chain], labels: Sequence[Labels]) -> list[Labels]:
    """Return the labels that are of these chains; people may have labelled others too."""
    ids = {chain.id for chain in chains}
    return [row for row in labels if row.chain in ids]


def by_chain(chains: Sequence[Chain], labels: Sequence[Labels]) -> dict[str, list[Labels]]:
    """Group people's labels by chain.

    Raises:
        BadInputError: if one does not fit its chain, or somebody labels a chain twice.
    """
    known = {chain.id: chain for chain in chains}
    found: dict[str, list[Labels]] = defaultdict(list)
    for row in labels:
        check_fits(known.get(row.chain), row)
        if any(row.by == other.by for other in found[row.chain]):
            raise BadInputError(f"{row.by} labels the chain {row.chain!r} twice")
        found[row.chain].append(row)
    return dict(found)


def agreement(
    chains: Sequence[Chain], people: Mapping[str, list[Labels]], kinds: Taxonomy
) -> PeopleAgreement:
    """Measure people's agreement among themselves, by unit."""
    rows = [(chain, people[chain.id]) for chain in chains if chain.id in people]
    draws = Resampler([chain.unit for chain, _ in rows])
    names = Counter(row.by for _, group in rows for row in group)
    premises = [
        (chain.unit, [_of(row, place) for row in group])
        for chain, group in rows
        for place in range(chain.length or 0)
    ]
    units = [unit for unit, _ in premises]

    def alpha(code: str) -> Among:
        said = [[_has(marks, code) for marks in group] for _, group in premises]
        return krippendorff_alpha(said, units, resampler=draws)

    classes = [[_class(chain, row) for row in group] for chain, group in rows]
    of_chains = [chain.unit for chain, _ in rows]
    pair: Among | None = None
    if len(names) == 2:
        first, second = (
            [
                _has(_of_person(group, place, name), "")
                for chain, group in rows
                for place in range(chain.length or 0)
            ]
            for name in sorted(names)
        )
        pair = cohen_kappa(first, second, units, resampler=draws)
    return PeopleAgreement(
        dict(sorted(names.items())),
        sum(len(group) > 1 for _, group in rows),
        alpha(""),
        {code: alpha(code) for code in kinds.kind_codes},
        krippendorff_alpha(classes, of_chains, resampler=draws),
        pair,
    )


def consensus(chain: Chain, group: Sequence[Labels]) -> Labels:
    """Return what more than half of the people who labelled something say of it.

    Where they are split, there is no label. A premise that most call wrong, without most of them
    naming the same kind, is wrong in a way that is not specified.
    """
    if len(group) == 1:
        one = group[0]
        return Labels(chain.id, PEOPLE, one.premises, one.content, one.said)
    size = chain.length
    premises: tuple[Marks, ...] | Unmeasured
    if size is None or all(isinstance(row.premises, Unmeasured) for row in group):
        premises = next(r.premises for r in group if isinstance(r.premises, Unmeasured))
    else:
        premises = tuple(_most([_of(row, place) for row in group]) for place in range(size))
    contents = [row.content for row in group if isinstance(row.content, bool)]
    saids = [row.said for row in group if isinstance(row.said, str)]
    content: Content = None
    if contents:
        yes = sum(contents)
        content = SPLIT if 2 * yes == len(contents) else 2 * yes > len(contents)
    said: Whole = None
    if saids:
        top, count = Counter(saids).most_common(1)[0]
        said = top if 2 * count > len(saids) else SPLIT
    return Labels(chain.id, PEOPLE, premises, content, said)


def unanimous(group: Sequence[Labels], place: int) -> bool | None:
    """Say whether all who labelled a premise agree that it is sound, or wrong; None of one."""
    given = [bool(m) for m in (_of(row, place) for row in group) if isinstance(m, tuple)]
    return None if len(given) < 2 else len(set(given)) == 1


def _most(given: Sequence[Marks]) -> Marks:
    labelled = [marks for marks in given if isinstance(marks, tuple)]
    if not labelled:
        return next((marks for marks in given if isinstance(marks, Unmeasured)), None)
    wrong = sum(bool(marks) for marks in labelled)
    if 2 * wrong == len(labelled):
        return SPLIT
    if 2 * wrong < len(labelled):
        return ()
    counts = Counter(code for marks in labelled for code in codes_of(marks))
    often = sorted(code for code, count in counts.items() if 2 * count > len(labelled))
    # A kind is said by its sub-kind, if most name the same one.
    named = [c for c in often if not any(other.startswith(f"{c}.") for other in often)]
    carried = sum(any(f.carried for f in marks) for marks in labelled)
    return tuple(
        Finding(code, carried=2 * carried > len(labelled)) for code in named or [UNSPECIFIED]
    )


def _of(row: Labels, place: int) -> Marks:
    return row.premises if isinstance(row.premises, Unmeasured) else row.premises[place]


def _of_person(group: Sequence[Labels], place: int, name: str) -> Marks:
    return next((_of(row, place) for row in group if row.by == name), None)


def _has(marks: Marks, code: str) -> Label:
    """Say ``yes`` or ``no``: has it this error (or any, if none is named)?"""
    said = says(marks, code)
    return ("yes" if said else "no") if isinstance(said, bool) else said


def _class(chain: Chain, row: Labels) -> Label:
    return conclusion_class(chain.chosen, chain.gold, row.premises, row.content)
