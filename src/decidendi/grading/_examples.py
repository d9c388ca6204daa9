"""Which chains of a run are shown in full: disagreements first, then every kind of error."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from decidendi.grading._chain import Chain
from decidendi.grading._labels import Labels, Marks, codes_of
from decidendi.grading._measures import Graded
from decidendi.grading._score import conclusion_class
from decidendi.judgment import Unmeasured

MISSED = "the judge misses an error that people see"
ALARM = "the judge sees an error where people see none"
OTHER_KIND = "judge and people name different kinds of error"
OTHER_PLACE = "judge and people place the first error differently"
OTHER_CLASS = "judge and people class the conclusion differently"
SPLIT = "people are split"
UNMEASURED = "a premise is unmeasured"
UNTOLD = "its premises could not be told apart"
UNCHOSEN = "no option could be read"
UNLABELLED = "it has no label by the judge"
AGREED = "judge and people agree on every premise"
SOUND = "the judge finds no error"

_FIRST = (MISSED, ALARM, OTHER_KIND, OTHER_PLACE, OTHER_CLASS, SPLIT)
_LAST = (UNMEASURED, UNTOLD, UNCHOSEN, UNLABELLED, AGREED, SOUND)


@dataclass(frozen=True, slots=True)
class Example:
    """A chain that is shown.

    Attributes:
        place: Its place in the run.
        why: What it was chosen for, in words.
    """

    place: int
    why: str


def choose(
    graded: Sequence[Graded],
    human: Mapping[str, Labels],
    names: Mapping[str, str],
    classes: Mapping[str, str],
    most: int,
) -> list[Example]:
    """Choose chains so that each of these things is seen once before any is seen twice.

    Equal runs and labels give equal choices: chains are taken in the order of the run, those
    that people labelled first.

    Args:
        graded: Chains with the judge's labels.
        human: What most people say, by chain.
        names: The name of each kind and sub-kind, in the order they are to be seen.
        classes: The name of each class of conclusion, likewise.
        most: How many are chosen at most.
    """
    tags = [set(_tags(chain, labels, human.get(chain.id))) for chain, labels in graded]
    words = {tag: tag for tag in _FIRST}
    words |= {code: f"an error: {name}" for code, name in names.items()}
    words |= {code: f"conclusion: {name}" for code, name in classes.items()}
    words |= {tag: tag for tag in _LAST}
    holders: dict[str, list[int]] = defaultdict(list)
    labelled_first = sorted(range(len(tags)), key=lambda place: graded[place][0].id not in human)
    for place in labelled_first:
        for tag in tags[place]:
            holders[tag].append(place)
    chosen: dict[int, str] = {}
    seen: dict[str, int] = defaultdict(int)
    for turn in range(1, most + 1):
        for tag, why in words.items():
            if len(chosen) >= most:
                break
            if seen[tag] >= turn:
                continue
            for place in holders[tag]:
                if place not in chosen:
                    chosen[place] = why
                    for each in tags[place]:
                        seen[each] += 1
                    break
    return [Example(place, why) for place, why in chosen.items()]


def _tags(chain: Chain, labels: Labels | None, human: Labels | None) -> Iterator[str]:
    """Yield everything about a chain that somebody may want to see."""
    if isinstance(chain.chosen, Unmeasured):
        yield UNCHOSEN
    if chain.length is None:
        yield UNTOLD
        return
    judge = _marks(labels, chain.length)
    people = _marks(human, chain.length)
    partly = labels.partly.premises if labels and labels.partly else ()
    yield from _codes([*judge, *partly, *people])
    if labels is None:
        yield UNLABELLED
    elif any(isinstance(marks, Unmeasured) for marks in judge):
        yield UNMEASURED
    elif all(marks == () for marks in judge):
        yield SOUND
    found = _class(chain, labels)
    if isinstance(found, str):
        yield found
    if human is not None:
        yield from _differences(judge, people)
        theirs = _class(chain, human)
        if isinstance(found, str) and isinstance(theirs, str) and found != theirs:
            yield OTHER_CLASS
        if labels is not None and labels.first_error != human.first_error:
            firsts = (labels.first_error, human.first_error)
            if all(isinstance(first, int) for first in firsts):
                yield OTHER_PLACE


def _differences(judge: Sequence[Marks], people: Sequence[Marks]) -> Iterator[str]:
    both = [
        (one, other)
        for one, other in zip(judge, people, strict=True)
        if isinstance(one, tuple) and isinstance(other, tuple)
    ]
    if any(isinstance(marks, Unmeasured) for marks in people):
        yield SPLIT
    if any(other and not one and not all(f.carried for f in other) for one, other in both):
        yield MISSED
    if any(one and not other for one, other in both):
        yield ALARM
    if any(one and other and codes_of(one) != codes_of(other) for one, other in both):
        yield OTHER_KIND
    if both and len(both) == len(judge) and all(bool(a) == bool(b) for a, b in both):
        yield AGREED


def _codes(marks: Sequence[Marks]) -> set[str]:
    return {code for m in marks if isinstance(m, tuple) for code in codes_of(m)}


def _marks(labels: Labels | None, size: int) -> Sequence[Marks]:
    if labels is None:
        return (None,) * size
    premises = labels.premises
    return (premises,) * size if isinstance(premises, Unmeasured) else premises


def _class(chain: Chain, labels: Labels | None) -> object:
    if labels is None:
        return None
    return conclusion_class(chain.chosen, chain.gold, labels.premises, labels.content)
