"""Chains with what the judge and people say of them, as the page takes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from decidendi.grading._chain import Chain
from decidendi.grading._compare import marks_of
from decidendi.grading._examples import choose
from decidendi.grading._labels import SOUND, WRONG, Finding, Labels, Marks
from decidendi.grading._measures import Graded
from decidendi.grading._score import conclusion_class
from decidendi.grading._taxonomy import UNSPECIFIED, Taxonomy, kind_of
from decidendi.judgment import Unmeasured, Verdict
from decidendi.report import ChainFigure, MarkFigure, PremiseFigure, PremiseMarks

SHOWN = 30
"""Chains shown in full."""

TOLD = 12_000
"""Characters of any text that are handed to the page, which cuts them shorter still."""

KIND_NOT_SAID = "Kind not said"


class Names:
    """What kinds of error and classes of conclusion are called.

    Attributes:
        kinds: The kinds, in order, with the error whose kind nobody said at the end.
        classes: The name of each class.
        errors: The name of each kind and sub-kind, in order.
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        """Read them from a taxonomy."""
        self._kind = {kind.code: kind.name for kind, _ in taxonomy.kinds}
        self._kind[UNSPECIFIED] = KIND_NOT_SAID
        self._sub = {sub.code: sub.name for _, subs in taxonomy.kinds for sub in subs}
        self.kinds = tuple(self._kind.values())
        self.classes = {entry.code: entry.name for entry in taxonomy.classes}
        self.errors = {code: self.of(code) for code in (*taxonomy.codes, UNSPECIFIED)}

    def of(self, code: str) -> str:
        """Return the name of a kind, or of a kind and its sub-kind."""
        kind = self._kind.get(kind_of(code), code)
        return f"{kind}: {self._sub.get(code, code)}" if "." in code else kind

    def of_kinds(self, labels: Sequence[str]) -> dict[str, str]:
        """Return names for what ``kinds_of`` gives: sound, the kinds, several at once."""
        order = [SOUND, *self._kind]
        known = sorted(labels, key=lambda label: [order.index(c) for c in label.split(" + ")][::-1])
        named = {SOUND: SOUND, **self._kind}
        return {label: " + ".join(named[c] for c in label.split(" + ")) for label in known}

    def mark(self, found: Finding) -> MarkFigure:
        """Return one error as the page takes it."""
        kind = self._kind.get(kind_of(found.code), found.code)
        return MarkFigure(kind, self._sub.get(found.code, ""), found.why, found.carried)


def chain_figures(
    graded: Sequence[Graded],
    people: Mapping[str, Sequence[Labels]],
    most: Mapping[str, Labels],
    names: Names,
) -> Iterator[ChainFigure]:
    """Yield the chains that are shown.

    Args:
        graded: The chains of the run with the judge's labels.
        people: People's labels, by chain.
        most: What most of them say.
        names: What kinds and classes are called.
    """
    for example in choose(graded, most, names.errors, names.classes, SHOWN):
        chain, labels = graded[example.place]
        human = most.get(chain.id)
        yield ChainFigure(
            chain=chain.id,
            premises=tuple(_premises(chain, labels, human, people.get(chain.id, ()), names)),
            conclusion=chain.conclusion[:TOLD],
            chosen=chain.chosen,
            gold=chain.gold,
            judge_class=_class(chain, labels, names),
            people_class=_class(chain, human, names),
            labelled=human is not None,
            unit=chain.unit,
            collection=chain.collection,
            model=chain.model,
            question=chain.question[:TOLD],
            options=tuple((option.label, option.text) for option in chain.options),
            source=chain.source[:TOLD],
            expert=chain.expert[:TOLD],
            text=chain.text[:TOLD] if chain.length is None else "",
            broken=chain.premises if isinstance(chain.premises, Unmeasured) else None,
            why=example.why[:1].upper() + example.why[1:],
            judge_says=_further(labels),
            people_say=_further(human),
        )


def _premises(
    chain: Chain,
    labels: Labels | None,
    human: Labels | None,
    people: Sequence[Labels],
    names: Names,
) -> Iterator[PremiseFigure]:
    if isinstance(chain.premises, Unmeasured):
        return
    for place, text in enumerate(chain.premises):
        judge, limits = _judged(labels, place, names)
        yield PremiseFigure(
            text[:TOLD],
            _marks(judge, names),
            _marks(marks_of(human, place), names),
            _votes([marks_of(row, place) for row in people]),
            limits,
        )


def _judged(labels: Labels | None, place: int, names: Names) -> tuple[Marks, str]:
    """Return the judge's marks of a premise, and what it looked for if that is not everything.

    A premise without the errors that were looked for is not thereby sound: it has no label.
    """
    if labels is None or labels.partly is None:
        return marks_of(labels, place), ""
    found = labels.partly.premises[place]
    kinds = ", ".join(names.of(kind).lower() for kind in labels.partly.kinds)
    if found == ():
        return None, f"looked for and not found: {kinds}"
    return found, "" if isinstance(found, Unmeasured) else f"looked for {kinds} alone"


def _marks(marks: Marks, names: Names) -> PremiseMarks:
    return tuple(map(names.mark, marks)) if isinstance(marks, tuple) else marks


def _votes(given: Sequence[Marks]) -> str:
    """Say how people are divided; nothing where they are not."""
    labelled = [bool(marks) for marks in given if isinstance(marks, tuple)]
    wrong = sum(labelled)
    if wrong in (0, len(labelled)):
        return ""
    return f"{wrong} of {len(labelled)} see an error"


def _class(chain: Chain, labels: Labels | None, names: Names) -> Verdict | None:
    if labels is None:
        return None
    found = conclusion_class(chain.chosen, chain.gold, labels.premises, labels.content)
    return names.classes.get(found, found) if isinstance(found, str) else found


def _further(labels: Labels | None) -> str:
    """Return what else is said of a chain as a whole."""
    if labels is None:
        return ""
    notes = []
    if labels.said == WRONG and isinstance(labels.first_error, Unmeasured):
        notes.append("called wrong, without saying where")
    if labels.content is False:
        notes.append("what the conclusion says of its option, that option does not say")
    if isinstance(labels.content, Unmeasured):
        notes.append(f"whether it says what its option says: unmeasured, {labels.content.reason}")
    return "; ".join(notes)
