"""Labels: what somebody (a judge, a person, the planter) says of each premise of a chain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from decidendi.grading._taxonomy import UNSPECIFIED, kind_of
from decidendi.judgment import Reason, Unmeasured

SOUND: Final = "sound"
WRONG: Final = "wrong"
Whole: TypeAlias = Literal["sound", "wrong"] | Unmeasured | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One error of a premise.

    Attributes:
        code: Kind, or kind and sub-kind.
        why: The reason given, in words.
        carried: The premise follows rightly from an earlier one that is itself in error, and
            would be right if that one were.
    """

    code: str
    why: str = ""
    carried: bool = False


Marks: TypeAlias = tuple[Finding, ...] | Unmeasured | None
"""The errors of one premise, none if it is sound; or unmeasured; or None: nobody labelled it."""

Content: TypeAlias = bool | Unmeasured | None
"""Whether the conclusion says what its option says; None where it says nothing to compare."""


@dataclass(frozen=True, slots=True)
class Partly:
    """Labels for some kinds of error, where the others were not looked for.

    Attributes:
        kinds: Those that were.
        premises: One entry for each premise, as far as these kinds go.
    """

    kinds: tuple[str, ...]
    premises: tuple[Marks, ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """What one source says of one chain.

    Attributes:
        chain: The chain's id.
        by: Who says it: an annotator, or a judge with its version.
        premises: One entry for each premise; or why there is none for any.
        content: Whether the conclusion says what the option chosen says.
        said: Whether the chain as a whole is sound, where that was said without saying where it
            goes wrong; None where it follows from the premises.
        about: What else its source says of the labels (what was planted, the judge's calls).
        partly: What is known where only some kinds were looked for. ``premises`` then has no
            label for any: none is sound unless every kind was looked for.
    """

    chain: str
    by: str
    premises: tuple[Marks, ...] | Unmeasured
    content: Content = None
    said: Whole = None
    about: Mapping[str, Any] = field(default_factory=dict, hash=False)
    partly: Partly | None = None

    def marks(self, place: int, code: str = "") -> Marks:
        """Return the label of one premise, as far as an error of this name is concerned."""
        if self.partly is not None and kind_of(code) in self.partly.kinds:
            return self.partly.premises[place]
        return self.premises if isinstance(self.premises, Unmeasured) else self.premises[place]

    @property
    def whole(self) -> Whole:
        """``wrong`` if a premise is in error, ``sound`` if none is; else why that is unknown.

        One unmeasured premise leaves the whole unmeasured, whatever the others are (see
        ``conclusion_class``); premises without a label only keep it from being sound.
        """
        if self.said is not None:
            return self.said
        if isinstance(self.premises, Unmeasured):
            return self.premises
        for marks in self.premises:
            if isinstance(marks, Unmeasured):
                return marks
        if any(is_wrong(marks) for marks in self.premises):
            return WRONG
        return None if None in self.premises else SOUND

    @property
    def first_error(self) -> int | Unmeasured | None:
        """The 0-based place of the first premise in error; None if there is none.

        Unmeasured if a premise before it is, or if nobody said which one it is.
        """
        if isinstance(self.premises, Unmeasured):
            return self.premises
        for place, marks in enumerate(self.premises):
            if isinstance(marks, Unmeasured):
                return marks
            if marks is None:
                return Unmeasured(Reason.UNDETERMINED, "premises without a label come first")
            if marks:
                return place
        if self.said == WRONG:
            return Unmeasured(Reason.UNDETERMINED, "called wrong, but not where")
        return None


def is_wrong(marks: Marks) -> bool:
    """Say whether a premise is known to be in error."""
    return isinstance(marks, tuple) and bool(marks)


def codes_of(marks: Iterable[Finding]) -> set[str]:
    """Return codes with the kinds they belong to."""
    return {code for found in marks for code in (found.code, kind_of(found.code))}


def says(marks: Marks, code: str) -> bool | Unmeasured | None:
    """Say whether a premise has this error; or any error, if none is named.

    Where an error is there whose kind nobody said, it may be of this kind: then there is no label.
    """
    if not isinstance(marks, tuple):
        return marks
    codes = codes_of(marks)
    if not code or code in codes:
        return bool(codes)
    return None if UNSPECIFIED in codes else False


def stops_at_first_error(premises: Iterable[Marks]) -> bool:
    """Say whether the labels end with the first error, and nothing after it was labelled.

    That something has no label then depends on what the labels are: such premises are no random
    part of all, and shares of them mean nothing.
    """
    marks = list(premises)
    first = next(
        (i for i, m in enumerate(marks) if m is None or isinstance(m, Unmeasured) or m), None
    )
    if first is None or not is_wrong(marks[first]):
        return False
    rest = marks[first + 1 :]
    return bool(rest) and all(m is None for m in rest)


def up_to_first_error(size: int, first: int | None) -> tuple[Marks, ...]:
    """Return the labels of a set that marks the first wrong step alone.

    Steps before it are sound, it is wrong in a way nobody named, and nothing is said of the rest.

    Raises:
        ValueError: if there is no such step.
    """
    if first is None:
        return ((),) * size
    if not 0 <= first < size:
        raise ValueError(f"no step {first} among {size}")
    return (*((),) * first, (Finding(UNSPECIFIED),), *(None,) * (size - first - 1))
