"""Chains in full: each premise with what the judge and people say of it, all of it bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from decidendi.judgment import Unmeasured, Verdict
from decidendi.report._grading_content import (
    ChainFigure,
    GradingPage,
    MarkFigure,
    PremiseFigure,
    PremiseMarks,
)
from decidendi.report._palette import Palette, Swatch
from decidendi.report._text import counted, number

CHAINS = 40
PREMISES = 40
"""Premises of one chain that are shown; the rest are counted."""

STRIP = 16
MARKS = 6
OPTIONS = 12

SOUND = "Sound"
UNMEASURED = Swatch("unmeasured", "!", "vx unmeasured")
NO_LABEL = Swatch("no label", "\N{EN DASH}", "vx")


class Marks:
    """How labels look: one colour and one code for each kind of error, and for none."""

    def __init__(self, names: Sequence[str]) -> None:
        self._palette = Palette((SOUND, *(name for name in names if name != SOUND)))
        self._sound = self._palette[SOUND]
        self.legend = (*(self._palette[n] for n in (SOUND, *names)), UNMEASURED, NO_LABEL)

    def of(self, mark: MarkFigure) -> Swatch:
        """Return the swatch of one error, with its sub-kind in the label."""
        name = f"{mark.kind}: {mark.sub}" if mark.sub else mark.kind
        return replace(self._palette[mark.kind], label=name)

    def all(self, marks: PremiseMarks) -> tuple[Swatch, ...]:
        """Return the swatches of a premise; there is always one."""
        if marks is None:
            return (NO_LABEL,)
        if isinstance(marks, Unmeasured):
            return (UNMEASURED,)
        return tuple(map(self.of, marks[:MARKS])) or (self._sound,)


def palette_of(page: GradingPage) -> Marks:
    """Return how the labels of a page look."""
    return Marks(page.marks)


@dataclass(frozen=True, slots=True)
class SaidView:
    """What one side says of a premise.

    Attributes:
        swatches: Its errors; or that it is sound, unmeasured, or has no label.
        more: Errors beyond those shown.
        note: Why it is unmeasured; that it follows from an earlier error; how people are divided.
        reasons: The reasons given, each with its error's label.
        first: It is the first premise that this side calls wrong.
    """

    swatches: tuple[Swatch, ...]
    more: int
    note: str
    reasons: tuple[tuple[str, str], ...]
    first: bool


@dataclass(frozen=True, slots=True)
class PremiseView:
    """One premise; ``differ`` says that judge and people call it differently."""

    text: str
    judge: SaidView
    people: SaidView | None
    differ: bool


@dataclass(frozen=True, slots=True)
class ChainView:
    """One chain, laid out.

    Attributes:
        item: The chain.
        matter: Characters of question, source and expert's analysis; 0 if it has none.
        same_as: The place on the page of the chain where the same matter stands; 0 if here.
        premises: Its premises.
        more: What is not shown of them, in words.
        strip: The judge's marks at a glance.
        conclusion: What is concluded, as names with values.
    """

    item: ChainFigure
    matter: int
    same_as: int
    options: tuple[tuple[str, str], ...]
    more_options: int
    premises: tuple[PremiseView, ...]
    more: str
    strip: tuple[Swatch, ...]
    strip_more: int
    end: tuple[tuple[str, str], ...]


def chain_views(page: GradingPage) -> list[ChainView]:
    """Return the chains of a page; what several share is shown with the first of them."""
    marks = palette_of(page)
    seen: dict[tuple[object, ...], int] = {}
    views = []
    for place, item in enumerate(page.chains[:CHAINS], 1):
        matter = (item.question, item.source, item.expert, item.options)
        views.append(_chain(item, marks, seen.get(matter, 0)))
        seen.setdefault(matter, place)
    return views


def _chain(item: ChainFigure, marks: Marks, same_as: int) -> ChainView:
    texts = (item.question, item.source, item.expert)
    strip = [swatch for p in item.premises[:STRIP] for swatch in marks.all(p.judge)[:1]]
    first = {
        "judge": _first(p.judge for p in item.premises),
        "people": _first(p.people for p in item.premises),
    }
    return ChainView(
        item=item,
        matter=sum(map(len, texts)) + sum(len(text) for _, text in item.options),
        same_as=same_as,
        options=item.options[:OPTIONS],
        more_options=len(item.options[OPTIONS:]),
        premises=tuple(
            _premise(premise, marks, item.labelled, place == first["judge"],
                     place == first["people"])
            for place, premise in enumerate(item.premises[:PREMISES])
        ),
        more=_more(item.premises[PREMISES:]),
        strip=tuple(strip),
        strip_more=len(item.premises[STRIP:]),
        end=tuple(_end(item)),
    )  # fmt: skip


def _first(marks: Iterable[PremiseMarks]) -> int | None:
    """Return the place of the first error, if nothing before it is unmeasured or unlabelled."""
    for place, one in enumerate(marks):
        if one is None or isinstance(one, Unmeasured):
            return None
        if one:
            return place
    return None


def _premise(
    premise: PremiseFigure, marks: Marks, labelled: bool, judge_first: bool, people_first: bool
) -> PremiseView:
    judge = _said(premise.judge, marks, judge_first, premise.limits)
    people = _said(premise.people, marks, people_first, premise.votes) if labelled else None
    return PremiseView(premise.text, judge, people, _differ(premise))


def _differ(premise: PremiseFigure) -> bool:
    """Say whether both labelled it, and not with the same kinds."""
    judge, people = premise.judge, premise.people
    if not isinstance(judge, tuple) or not isinstance(people, tuple):
        return False
    return {mark.kind for mark in judge} != {mark.kind for mark in people}


def _said(said: PremiseMarks, marks: Marks, first: bool, note: str) -> SaidView:
    notes = [note] if note else []
    reasons: tuple[tuple[str, str], ...] = ()
    if isinstance(said, Unmeasured):
        notes.append(reason(said))
    elif said:
        if all(mark.carried for mark in said):
            notes.append("follows from an earlier error")
        reasons = tuple((marks.of(m).label, m.why) for m in said[:MARKS] if m.why)
    more = len(said[MARKS:]) if isinstance(said, tuple) else 0
    return SaidView(marks.all(said), more, "; ".join(notes), reasons, first)


def reason(absent: Unmeasured) -> str:
    """Return why there is no label."""
    return f"{absent.reason.value}: {absent.detail}".removesuffix(": ")


def _more(rest: Sequence[PremiseFigure]) -> str:
    if not rest:
        return ""
    wrong = sum(bool(p.judge) and isinstance(p.judge, tuple) for p in rest)
    marked = f", {number(wrong)} of them in error by the judge" if wrong else ""
    return f"{counted(len(rest), 'more premise')} not shown{marked}."


def _end(item: ChainFigure) -> Iterator[tuple[str, str]]:
    """Yield what the chain comes to, as names with values."""
    yield "conclusion", item.conclusion or "none in words"
    yield "option chosen", _value(item.chosen)
    yield "right option", "not said" if item.gold is None else item.gold
    yield "class by the judge", _class(item.judge_class, item.judge_says)
    if item.labelled:
        yield "class by people", _class(item.people_class, item.people_say)


def _class(found: Verdict | None, said: str) -> str:
    name = "no label" if found is None else _value(found)
    return f"{name} ({said})" if said else name


def _value(found: Verdict) -> str:
    return f"unmeasured, {reason(found)}" if isinstance(found, Unmeasured) else found
