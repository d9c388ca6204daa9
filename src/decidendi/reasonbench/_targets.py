"""Learning targets: what a predictor is asked to write, and the strict reader of it.

Chen & Zhang, section 6.1. Each target has exactly one spelling of each answer, and the reader
takes nothing else: what it accepts, written again, gives the same text. An answer that no case
can have (a receipt without a change, a change without one, a member within another) has no
spelling, and is malformed too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from decidendi.judgment import BadInputError
from decidendi.reasonbench._records import KINDS, GoldCase
from decidendi.receipts import PredictedReceipt, mask_of, names_of, receipt_of_cube


class Target(StrEnum):
    """What a predictor is asked to write."""

    DIRECT_VERDICT = "direct-verdict"
    """``old=approve new=deny``"""
    DIRECT_RECEIPT = "direct-receipt"
    """``old=approve new=deny receipt=grounds|norms+authority``; ``receipt=none`` for no change"""
    RATIONALE_RECEIPT = "rationale-receipt"
    """One sentence on a line of its own, then the direct receipt"""
    JUDGMENT_CUBE = "judgment-cube"
    """``cube=`` and eight verdicts between commas, by mask of replaced kinds 0 … 7"""

    @property
    def has_receipt(self) -> bool:
        """Whether an answer says what the receipt is."""
        return self is not Target.DIRECT_VERDICT


def target_named(name: object) -> Target:
    """Return the target of that name.

    Raises:
        BadInputError: if there is none.
    """
    try:
        return Target(str(name))
    except ValueError:
        raise BadInputError(
            f"{str(name)[:40]!r} is not a target", remedy=f"use one of {', '.join(Target)}"
        ) from None


@dataclass(frozen=True, slots=True)
class Answer:
    """A well-formed answer. What it says of the receipt is a prediction, never a certificate.

    Attributes:
        old: The verdict before the revision.
        revised: The verdict after it.
        receipt: The family; None where the target does not ask for it.
        cube: The eight cells; None where the target does not ask for them.
    """

    old: str
    revised: str
    receipt: PredictedReceipt | None = None
    cube: tuple[str, ...] | None = None

    @property
    def changed(self) -> bool:
        """Whether it says that the verdict changed."""
        return self.old != self.revised


@dataclass(frozen=True, slots=True)
class Malformed:
    """An answer that cannot be read. It is the predictor's error, not unmeasured."""

    why: str


def write_target(target: Target, case: GoldCase) -> str:
    """Return the one text that answers ``case`` exactly."""
    if target is Target.JUDGMENT_CUBE:
        return "cube=" + ",".join(case.cube)
    verdicts = f"old={case.old} new={case.revised}"
    if target is Target.DIRECT_VERDICT:
        return verdicts
    direct = f"{verdicts} receipt={_family(case.receipt)}"
    return f"{rationale(case)}\n{direct}" if target is Target.RATIONALE_RECEIPT else direct


def rationale(case: GoldCase) -> str:
    """Return the deterministic sentence that the rationale target begins with."""
    if not case.mask:
        return f"No source was revised, so the verdict stays {case.old}."
    if not case.changed:
        return f"What was revised leaves the verdict at {case.old}."
    members = []
    for mask in case.receipt:
        names = names_of(mask, KINDS)
        members.append(
            f"the {names[0]} alone"
            if len(names) == 1
            else f"the {', '.join(names[:-1])} and {names[-1]} together"
        )
    comma = "," if len(members) > 1 else ""
    return f"Revising {', or '.join(members)}{comma} turns {case.old} into {case.revised}."


def read_output(target: Target, text: str, labels: Sequence[str]) -> Answer | Malformed:
    """Read an answer from its full text; nothing is trimmed, guessed or corrected.

    Args:
        target: What was asked for.
        text: The whole output.
        labels: The verdicts of the case's stratum.
    """
    if text != text.strip():
        return Malformed("blank space or a line feed around it; nothing is trimmed")
    if target is Target.JUDGMENT_CUBE:
        if not text.startswith("cube="):
            return Malformed("does not begin with cube=")
        return _from_cube(text.removeprefix("cube=").split(","), labels)
    if target is Target.RATIONALE_RECEIPT:
        sentence, newline, text = text.partition("\n")
        if not newline or len(sentence) < 2 or not sentence.endswith("."):
            return Malformed("does not begin with a sentence on its own line")
    fields = [part.partition("=") for part in text.split(" ")]
    names = ["old", "new", "receipt"] if target.has_receipt else ["old", "new"]
    if [name for name, _, _ in fields] != names:
        return Malformed("is not " + " ".join(f"{name}=…" for name in names))
    old, revised = fields[0][2], fields[1][2]
    if stray := [label for label in (old, revised) if label not in labels]:
        return Malformed(f"{stray[0][:40]!r} is not a verdict here")
    if not target.has_receipt:
        return Answer(old, revised)
    receipt = _read_family(fields[2][2])
    return receipt if isinstance(receipt, Malformed) else _coherent(old, revised, receipt)


def read_fields(target: Target, fields: object, labels: Sequence[str]) -> Answer | Malformed:
    """Read an answer that comes in parsed fields.

    Args:
        target: What was asked for.
        fields: ``{"old": …, "revised": …, "receipt": [["grounds"], ["norms", "authority"]]}``,
            without ``receipt`` for the direct verdict; ``{"cube": [eight verdicts]}`` for the
            cube. Members may stand in any order; fields beyond these are malformed.
        labels: The verdicts of the case's stratum.
    """
    if target is Target.JUDGMENT_CUBE:
        wanted = {"cube"}
    else:
        wanted = {"old", "revised"} | ({"receipt"} if target.has_receipt else set())
    if not isinstance(fields, Mapping) or set(fields) != wanted:
        return Malformed(f"fields are not {', '.join(sorted(wanted))}")
    if target is Target.JUDGMENT_CUBE:
        cells = fields["cube"]
        return _from_cube(cells, labels) if isinstance(cells, list) else Malformed("no list")
    for name in ("old", "revised"):
        if not isinstance(fields[name], str) or fields[name] not in labels:
            return Malformed(f"{str(fields[name])[:40]!r} is not a verdict here")
    if not target.has_receipt:
        return Answer(fields["old"], fields["revised"])
    try:
        receipt = PredictedReceipt.of(fields["receipt"], KINDS)
    except (TypeError, ValueError):
        return Malformed("the receipt is not a list of lists of kinds")
    if 0 in receipt.masks:
        return Malformed("the receipt has an empty member")
    return _coherent(fields["old"], fields["revised"], receipt)


def _coherent(old: str, revised: str, receipt: PredictedReceipt) -> Answer | Malformed:
    """Return the answer, unless no case at all could have it: such a text has no meaning."""
    masks = receipt.masks
    if old == revised and masks:
        return Malformed("contradicts itself: a receipt, though the verdict stays")
    if old != revised and not masks:
        return Malformed("contradicts itself: no receipt, though the verdict changes")
    if any(one != other and one & other == one for one in masks for other in masks):
        return Malformed("contradicts itself: one member of the receipt contains another")
    return Answer(old, revised, receipt)


def _from_cube(cells: Sequence[object], labels: Sequence[str]) -> Answer | Malformed:
    """Derive endpoints and receipt from predicted cells; they agree by construction."""
    cube = tuple(cell for cell in cells if isinstance(cell, str) and cell in labels)
    if len(cells) != 1 << len(KINDS) or len(cube) != len(cells):
        return Malformed(f"is not {1 << len(KINDS)} verdicts")
    derived = receipt_of_cube(dict(enumerate(cube)), KINDS)
    receipt = PredictedReceipt(KINDS, derived.masks if derived else ())
    return Answer(cube[0], cube[-1], receipt, cube)


def _family(masks: Sequence[int]) -> str:
    return "|".join("+".join(names_of(mask, KINDS)) for mask in masks) or "none"


def _read_family(text: str) -> PredictedReceipt | Malformed:
    if text == "none":
        return PredictedReceipt(KINDS, ())
    try:
        masks = [mask_of(member.split("+"), KINDS) for member in text.split("|")]
    except ValueError:
        return Malformed(f"{text[:40]!r} is not a family of kinds")
    receipt = PredictedReceipt.of((names_of(mask, KINDS) for mask in masks), KINDS)
    if _family(receipt.masks) != text:
        return Malformed("the receipt is not in its one order")
    return receipt
