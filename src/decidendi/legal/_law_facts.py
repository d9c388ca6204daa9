"""Typed facts of a civil action: everything the executable rules read.

Dates are ISO text, amounts integer cents, States and federal districts their names in full.
An empty text means that the thing did not happen or is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal, TypeAlias, cast

from pydantic import TypeAdapter, ValidationError

from decidendi.judgment import JSON, BadInputError, Place, canonical_bytes

PartyKind: TypeAlias = Literal["person", "corporation", "company"]
Forum: TypeAlias = Literal["federal", "state"]
Method: TypeAlias = Literal["delivery", "waiver"]


@dataclass(frozen=True, slots=True)
class Party:
    """A plaintiff or defendant. Which fields count depends on the kind.

    Attributes:
        name: Unique in its action.
        kind: A person; a corporation; or an unincorporated company with members.
        domicile: A person's State when the action was filed.
        moved_to: The State a person moved to after that; no rule reads it.
        incorporated: A corporation's State of incorporation.
        headquarters: The State of its principal place of business.
        members: States of which a company's members are citizens.
        districts: The federal districts in which a defendant resides for venue (28 U.S.C.
            § 1391(c) and (d)).
    """

    name: str
    kind: PartyKind = "person"
    domicile: str = ""
    moved_to: str = ""
    incorporated: str = ""
    headquarters: str = ""
    members: tuple[str, ...] = ()
    districts: tuple[str, ...] = ()

    @property
    def citizenship(self) -> tuple[str, ...]:
        """The States of which the party is a citizen, sorted (28 U.S.C. § 1332(a) and (c)(1))."""
        states = {
            "person": (self.domicile,),
            "corporation": (self.incorporated, self.headquarters),
            "company": self.members,
        }[self.kind]
        return tuple(sorted(set(states)))


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim for money that each named plaintiff has against each named defendant."""

    kind: str
    cents: int
    plaintiffs: tuple[str, ...]
    defendants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Service:
    """How a defendant was brought in.

    Attributes:
        defendant: Its name.
        method: Summons and complaint delivered, or service waived.
        made: The day of delivery, or the day on which the signed waiver was filed.
        requested: The day on which the request for a waiver was sent.
    """

    defendant: str
    method: Method
    made: str
    requested: str = ""


@dataclass(frozen=True, slots=True)
class Removal:
    """A removal from a State court to the federal court of that State.

    Attributes:
        by: The removing defendant.
        filed: When the notice of removal was filed.
        removable_at_first: Whether the initial pleading stated a removable case.
        paper_received: Otherwise, when the paper came that first showed it to be removable.
        bad_faith: Whether the district court found that the plaintiff acted in bad faith to
            prevent removal.
    """

    by: str
    filed: str
    removable_at_first: bool = True
    paper_received: str = ""
    bad_faith: bool = False


@dataclass(frozen=True, slots=True)
class Venue:
    """What bears on venue besides where defendants reside.

    Attributes:
        district: The federal district in which the action was brought.
        events: The districts in which substantial parts of the events took place; none if
            they took place abroad.
        reach: The districts in which some defendant is subject to personal jurisdiction.
    """

    district: str
    events: tuple[str, ...] = ()
    reach: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pleadings:
    """What was served and filed after the complaint. Every field is a day, or empty.

    Attributes:
        answer: The answer, by the answering defendant, was served.
        answered_by: Who that is.
        by_mail: Whether the answer was served by mail, which adds three days for whoever must
            act after being served (Fed. R. Civ. P. 6(d)).
        motion: A motion under Rule 12(b), (e) or (f) was served.
        summary_judgment: A defendant's motion for summary judgment was served.
        amendment: An amended complaint was filed, with neither leave nor consent.
        amended_before: How often the complaint had been amended as of course before.
        jury_demand: A written jury demand was served.
        conference: The Rule 26(f) conference.
        disclosures: The initial disclosures were made.
        dismissal: The plaintiff's notice of dismissal was filed.
    """

    answer: str = ""
    answered_by: str = ""
    by_mail: bool = False
    motion: str = ""
    summary_judgment: str = ""
    amendment: str = ""
    amended_before: int = 0
    jury_demand: str = ""
    conference: str = ""
    disclosures: str = ""
    dismissal: str = ""


@dataclass(frozen=True, slots=True)
class Judgment:
    """The judgment and what followed it. Every text is a day, or empty.

    Attributes:
        entered: The judgment was entered.
        new_trial: A motion for a new trial was filed.
        alter: A motion to alter or amend the judgment was filed.
        disposed: The order disposing of the last such motion was entered.
        appeal: A notice of appeal was filed.
        united_states: Whether the United States is a party.
    """

    entered: str
    new_trial: str = ""
    alter: str = ""
    disposed: str = ""
    appeal: str = ""
    united_states: bool = False


@dataclass(frozen=True, slots=True)
class Matter:
    """One civil action, as far as it is known.

    Attributes:
        forum: Where it was brought: in a federal district court or in a State court.
        state: The State in which that court sits.
        filed: When the complaint was filed.
        plaintiffs: At least one.
        defendants: At least one.
        claims: At least one.
        federal_question: Whether a claim also arises under federal law.
        services: At most one for each defendant.
        good_cause: Whether the court found good cause for a late service.
        removal: If it was removed.
        venue: If venue is in question.
        pleadings: What was served and filed.
        judgment: If there is one.
        asides: True statements that no rule reads, in words.
    """

    forum: Forum
    state: str
    filed: str
    plaintiffs: tuple[Party, ...]
    defendants: tuple[Party, ...]
    claims: tuple[Claim, ...]
    federal_question: bool = False
    services: tuple[Service, ...] = ()
    good_cause: bool = False
    removal: Removal | None = None
    venue: Venue | None = None
    pleadings: Pleadings = Pleadings()
    judgment: Judgment | None = None
    asides: tuple[str, ...] = ()

    def service_of(self, name: str) -> Service | None:
        """Return how a defendant was served, if it was."""
        return next((s for s in self.services if s.defendant == name), None)

    def as_json(self) -> dict[str, JSON]:
        """Return the facts as JSON: the grounds of an adjudicator."""
        return cast("dict[str, JSON]", _adapter().dump_python(self, mode="json"))

    @classmethod
    def of(cls, content: JSON) -> Matter:
        """Read facts from JSON.

        Raises:
            BadInputError: on a missing or unknown field, a wrong type, or a day that is none.
        """
        try:
            matter = _adapter().validate_json(canonical_bytes(content), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            raise BadInputError(str(first["msg"]), place=Place(field=field)) from None
        _refuse_unknown(content, matter.as_json(), "")
        _check_days(content, "")
        _check_names(matter)
        return matter


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[Matter]:
    return TypeAdapter(Matter)


_NEEDED_DAYS = {"filed", "made", "entered"}
_DAYS = {
    *_NEEDED_DAYS, "requested", "paper_received", "answer", "motion", "summary_judgment",
    "amendment", "jury_demand", "conference", "disclosures", "dismissal", "new_trial", "alter",
    "disposed", "appeal",
}  # fmt: skip


def _refuse_unknown(content: JSON, known: JSON, field: str) -> None:
    """Refuse fields that the facts do not have: a misspelt one would silently be its default."""
    if isinstance(content, list) and isinstance(known, list):
        for index, (item, whole) in enumerate(zip(content, known, strict=True)):
            _refuse_unknown(item, whole, f"{field}.{index}".lstrip("."))
    if isinstance(content, dict) and isinstance(known, dict):
        for key, item in content.items():
            path = f"{field}.{key}".lstrip(".")
            if key not in known:
                remedy = f"one of: {', '.join(known)}"
                raise BadInputError("no such field", remedy=remedy, place=Place(field=path))
            _refuse_unknown(item, known[key], path)


def _check_days(content: JSON, field: str) -> None:
    """Refuse a text in the place of a day that is none."""
    if isinstance(content, list):
        for index, item in enumerate(content):
            _check_days(item, f"{field}.{index}")
    if not isinstance(content, dict):
        return
    for key, item in content.items():
        path = f"{field}.{key}".lstrip(".")
        if key in _DAYS and isinstance(item, str) and (item or key in _NEEDED_DAYS):
            try:
                exact = date.fromisoformat(item).isoformat() == item
            except ValueError:
                exact = False
            if not exact:
                remedy = "write it as 2025-03-31"
                raise BadInputError(f"{item!r} is no day", remedy=remedy, place=Place(field=path))
        _check_days(item, path)


def _check_names(matter: Matter) -> None:
    """Refuse an action without parties or claims, and references to persons who are no party."""
    plaintiffs = {party.name for party in matter.plaintiffs}
    defendants = {party.name for party in matter.defendants}
    for field, value in {
        "plaintiffs": plaintiffs,
        "defendants": defendants,
        "claims": matter.claims,
    }.items():
        if not value:
            raise BadInputError("needs at least one", place=Place(field=field))
    used = {name for claim in matter.claims for name in claim.defendants}
    used |= {service.defendant for service in matter.services}
    used |= {matter.removal.by} if matter.removal else set()
    used |= {matter.pleadings.answered_by} - {""}
    strangers = used - defendants
    strangers |= {name for claim in matter.claims for name in claim.plaintiffs} - plaintiffs
    if strangers:
        raise BadInputError(f"{sorted(strangers)[0]!r} is not a party on that side")
