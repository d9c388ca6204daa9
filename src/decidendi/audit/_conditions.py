"""The conditions of the audit: what each changes, and the relation it must keep to the target.

Each is an entry of ``data/conditions.json`` and one small function from a case to a sheet
(SPEC, section 2; Sadhu et al., sections 4.1 and 4.2).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from decidendi.audit._data import content
from decidendi.audit._edits import edit_words, nearest
from decidendi.audit._prompts import Sheet
from decidendi.judgment import BadInputError
from decidendi.legal import Authority, LegalCase, Pair, Task
from decidendi.reasoning import mask_precedent


class Relation(StrEnum):
    """What a condition's verdict must be, given the target's."""

    NONE = "none"
    """It is the target."""
    DIFFERS_WITH_GOLD = "differs-with-gold"
    """Another verdict where gold differs; elsewhere descriptive."""
    SAME = "same"
    """The same verdict."""
    SAME_AND_NOT_INJECTED = "same-and-not-injected"
    """The same verdict, and never the injected one by obedience."""
    DESCRIPTIVE = "descriptive"
    """Nothing is required: a baseline."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition, as the data file declares it."""

    id: str
    title: str
    relation: Relation
    changes: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A condition that a run includes, and which variant of it.

    Attributes:
        condition: Its id.
        variant: A wording's id (paraphrase) or ``framing@position`` (injection); empty for the
            condition's default.
    """

    condition: str
    variant: str = ""

    def __str__(self) -> str:
        return f"{self.condition}:{self.variant}" if self.variant else self.condition


@dataclass(frozen=True, slots=True)
class Varied:
    """One case under one condition.

    Attributes:
        sheet: What the prompt is made of.
        authority: What is asked about.
        variant: As in ``Chosen``, the default resolved.
        injected: The verdict that a note orders; empty without a note.
        note: The note.
        edited: How many words differ from the target's prompt.
    """

    sheet: Sheet
    authority: Authority
    variant: str = ""
    injected: str = ""
    note: str = ""
    edited: int = 0


class NotApplicableError(Exception):
    """A condition cannot be had of this case; the text is the reason, for counting."""


@lru_cache(maxsize=1)
def conditions() -> dict[str, Condition]:
    """Return all conditions, by id, the target first."""
    rows = content("conditions")["conditions"]
    return {
        row["id"]: Condition(row["id"], row["title"], Relation(row["relation"]), row["changes"])
        for row in rows
    }


def default_conditions(task: Task) -> tuple[Chosen, ...]:
    """Return what is run where the user does not say."""
    names = ("target", "masked") if precedents(task) else ("target", "control", "null")
    return tuple(Chosen(name) for name in (*names, "paraphrase", "injection", "unprompted"))


def precedents(task: Task) -> bool:
    """Say whether the authority is a cited precedent, which is masked and not swapped."""
    return task.kind == "precedent"


def parse_conditions(text: str, task: Task) -> tuple[Chosen, ...]:
    """Read ``target,paraphrase:breach,injection:all``; the target is always part of it.

    Raises:
        BadInputError: on a condition or variant that there is none of.
    """
    chosen = [Chosen("target")]
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, variant = item.partition(":")
        if name not in conditions():
            known = ", ".join(conditions())
            raise BadInputError(f"no condition {name!r}", remedy=f"one of: {known}")
        if not variant:
            chosen.append(Chosen(name))
            continue
        known_variants = variants(name, task)
        if not known_variants:
            raise BadInputError(f"{name} has no variants", remedy=f"ask for {name} alone")
        if variant != "all" and variant not in known_variants:
            listed = ", ".join(known_variants)
            raise BadInputError(f"{name}: no variant {variant!r}", remedy=f"all, or of: {listed}")
        wanted = known_variants if variant == "all" else (variant,)
        chosen += [Chosen(name, each) for each in wanted]
    return tuple(dict.fromkeys(chosen))


def variants(condition: str, task: Task) -> tuple[str, ...]:
    """Return the variants a condition has for a task."""
    if condition == "paraphrase":
        return tuple(wording.id for wording in task.wordings[1:])
    if condition == "injection":
        data = content("injections")
        return tuple(f"{f['id']}@{p}" for f in data["framings"] for p in data["positions"])
    return ()


def vary(chosen: Chosen, case: LegalCase, task: Task, pair: Pair, seed: int) -> Varied:
    """Put one case under one condition.

    Args:
        chosen: Condition and variant.
        case: The case.
        task: Its task.
        pair: Target and control.
        seed: For the label an injection orders where there are more than two.

    Raises:
        NotApplicableError: if the condition cannot be had of this case.
    """
    return _MAKERS[chosen.condition](chosen.variant, case, task, pair, seed)


def _target(variant: str, case: LegalCase, task: Task, pair: Pair, seed: int) -> Varied:
    return _asked(case, task, pair.target)


def _control(variant: str, case: LegalCase, task: Task, pair: Pair, seed: int) -> Varied:
    if precedents(task):
        raise NotApplicableError("a cited precedent is masked, not swapped")
    return _compared(case, task, pair, _asked(case, task, pair.control))


def _null(variant: str, case: LegalCase, task: Task, pair: Pair, seed: int) -> Varied:
    if precedents(task):
        raise NotApplicableError("a cited precedent is masked, not swapped")
    return _compared(case, task, pair, _asked(case, task, task.null.id))


def _paraphrase(variant: str, case: LegalCase, task: Task, pair: Pair, seed: int) -> Varied:
    wording = variant or _matched_wording(case, task, pair)
    varied = replace(_asked(case, task, pair.target, wording), variant=wording)
    return _compared(case, task, pair, varied)


def _matched_wording(case: LegalCase, task: Task, pair: Pair) -> str:
    """Return the paraphrase whose edit is nearest in size to the swap of the authority."""
    base = task.ask(case, pair.target).text
    swap = edit_words(base, task.ask(case, pair.control).text)
    sizes = [(w.id, edit_words(base, task.ask(case, pair.target, w.id).text))
             for w in task.wordings[1:]]  # fmt: skip
    if not sizes:
        raise NotApplicableError("the task has no other wording")
    return nearest(swap, sizes)


def _injection(variant: str, case: LegalCase, task: Task, pair: Pair, seed: int) -> Varied:
    data = content("injections")
    default = f"{data['default']['framing']}@{data['default']['position']}"
    framing, _, position = (variant or default).partition("@")
    template = next(f["template"] for f in data["framings"] if f["id"] == framing)
    label = opposite(case, task, pair, seed)
    note = template.replace("{marker}", task.marker).replace("{label}", label)
    target = _asked(case, task, pair.target)
    facts = _placed(case.facts, note, position)
    sheet = replace(target.sheet, facts=facts)
    edited = edit_words("", note)
    return Varied(sheet, target.authority, f"{framing}@{position}", label, note, edited)


def opposite(case: LegalCase, task: Task, pair: Pair, seed: int) -> str:
    """Return a wrong verdict for the target: the other one, or one drawn by the seed.

    Raises:
        NotApplicableError: without gold, since nothing is known to be wrong.
    """
    gold = case.gold.get(pair.target)
    if gold is None:
        raise NotApplicableError("no gold under the target")
    wrong = [label for label in task.labels if label != gold]
    drawn = hashlib.sha256(f"{seed}/{case.id}".encode()).digest()
    return wrong[int.from_bytes(drawn[:8]) % len(wrong)]


def _placed(facts: str, note: str, position: str) -> str:
    """Put a note into facts as a paragraph of its own."""
    if position == "start":
        return f"{note}\n\n{facts}"
    if position == "middle":
        half = len(facts) // 2
        # Between two sentences; in a single one, between two words.
        for cut in (facts.find(". ", half), facts.rfind(". ", 0, half), facts.find(" ", half) - 1):
            if cut >= 0:
                return f"{facts[: cut + 1]}\n\n{note}\n\n{facts[cut + 2 :]}"
    return f"{facts}\n\n{note}"


def _masked(variant: str, case: LegalCase, task: Task, pair: Pair, seed: int) -> Varied:
    if not precedents(task):
        raise NotApplicableError("there is no cited precedent to mask")
    masked = mask_precedent(case.facts)
    if not masked.found:
        raise NotApplicableError("no name of a precedent found")
    target = _asked(case, task, pair.target)
    question = target.sheet.question.replace(masked.name, task.null.name)
    sheet = replace(target.sheet, facts=masked.text, question=question)
    edited = len(masked.replaced) * edit_words(masked.name, task.null.name)
    # Where the question names the case, the placeholder is what is asked about.
    named = task.null if question != target.sheet.question else target.authority
    return Varied(sheet, named, edited=edited + edit_words(target.sheet.question, question))


def _unprompted(variant: str, case: LegalCase, task: Task, pair: Pair, seed: int) -> Varied:
    target = _asked(case, task, pair.target)
    edited = edit_words("", content("prompts")["system"]["naming"])
    return replace(target, sheet=replace(target.sheet, naming=False), edited=edited)


def _order(variant: str, case: LegalCase, task: Task, pair: Pair, seed: int) -> Varied:
    target = _asked(case, task, pair.target)
    return replace(target, sheet=replace(target.sheet, question_first=True))


def _asked(case: LegalCase, task: Task, authority: str, wording: str = "base") -> Varied:
    question = task.ask(case, authority, wording)
    sheet = Sheet(task, question.facts, question.text, question.options)
    return Varied(sheet, question.authority)


def _compared(case: LegalCase, task: Task, pair: Pair, varied: Varied) -> Varied:
    """Record how far the question is from the target's."""
    base = task.ask(case, pair.target).text
    return replace(varied, edited=edit_words(base, varied.sheet.question))


Maker = Callable[[str, LegalCase, Task, Pair, int], Varied]

_MAKERS: dict[str, Maker] = {
    "target": _target,
    "control": _control,
    "null": _null,
    "paraphrase": _paraphrase,
    "injection": _injection,
    "masked": _masked,
    "unprompted": _unprompted,
    "order": _order,
}


def shown(chosen: Iterable[Chosen]) -> str:
    """Write conditions as ``parse_conditions`` reads them."""
    return ",".join(str(each) for each in chosen)
