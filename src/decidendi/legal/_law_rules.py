"""The registry of executable authorities: which there are, when one applies, what it decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from decidendi.judgment import BadInputError
from decidendi.legal._law_facts import Matter
from decidendi.legal._law_judgment import alter_judgment, new_trial, notice_of_appeal
from decidendi.legal._law_jurisdiction import diversity, forum_defendant
from decidendi.legal._law_places import STATE_OF
from decidendi.legal._law_pleading import (
    amendment_as_of_course,
    answer_in_time,
    initial_disclosures,
    jury_demand,
    notice_of_dismissal,
    service_in_time,
)
from decidendi.legal._law_removal import answer_after_removal, one_year, thirty_days
from decidendi.legal._law_trace import Decision, Trace
from decidendi.legal._law_venue import venue
from decidendi.legal._question import Authority
from decidendi.legal._tasks import task


@dataclass(frozen=True, slots=True)
class Rule:
    """An authority that can be executed. Amend it with ``amended``.

    Attributes:
        authority: Its citation, text and terms.
        execute: Writes the trace and decides.
        gap: Says in words what facts it lacks; empty if it applies.
    """

    authority: Authority
    execute: Callable[[Matter, Trace], Decision]
    gap: Callable[[Matter], str]

    def decide(self, matter: Matter) -> Decision:
        """Decide whether the authority's requirements are met.

        Raises:
            BadInputError: if the matter lacks facts that the authority needs.
        """
        if lacking := self.gap(matter):
            raise BadInputError(f"{self.authority.name} cannot be decided: {lacking}")
        return self.execute(matter, Trace(self.authority))

    def amended(self, **terms: int) -> Rule:
        """Return the rule with other terms (days, cents); raises ``KeyError`` on an unknown one."""
        return Rule(self.authority.amended(**terms), self.execute, self.gap)


def rules() -> dict[str, Rule]:
    """Every executable authority by id, as the law stands in the task file."""
    found = {}
    for authority in task("law").authorities:
        execute, gap = _EXECUTE[authority.id]
        found[authority.id] = Rule(authority, execute, gap)
    return found


def decide_all(matter: Matter, law: Mapping[str, Rule] | None = None) -> dict[str, Decision]:
    """Decide a matter under every authority that applies to it."""
    law = rules() if law is None else law
    return {name: rule.decide(matter) for name, rule in law.items() if not rule.gap(matter)}


def _none(matter: Matter) -> str:
    return ""


def _removed(matter: Matter) -> str:
    return "" if matter.removal else "there was no removal"


def _removed_in_time(matter: Matter) -> str:
    removal = matter.removal
    if removal is None:
        return "there was no removal"
    if not removal.removable_at_first:
        return "" if removal.paper_received else "no paper showed the case to be removable"
    return _delivered(matter, removal.by)


def _answered_after_removal(matter: Matter) -> str:
    if matter.removal is None:
        return "there was no removal"
    if not matter.pleadings.answer:
        return "no answer was served"
    if matter.pleadings.answer < matter.removal.filed:
        return "the answer was served before the removal"
    return _delivered(matter, matter.pleadings.answered_by)


def _delivered(matter: Matter, name: str) -> str:
    service = matter.service_of(name)
    if service is None or service.method != "delivery":
        return f"{name or 'the answering defendant'} was not served by delivery"
    return ""


def _federal(matter: Matter) -> str:
    if matter.forum != "federal":
        return "the action was not brought in a federal court"
    return ""


def _venue(matter: Matter) -> str:
    if matter.venue is None:
        return _federal(matter) or "nothing is known of venue"
    homes = [district for party in matter.defendants for district in party.districts]
    for district in (matter.venue.district, *matter.venue.events, *matter.venue.reach, *homes):
        if district not in STATE_OF:
            return f"{district!r} is no federal district known here"
    if not all(party.districts for party in matter.defendants):
        return "a defendant's residence is unknown"
    return _federal(matter)


def _served(matter: Matter) -> str:
    return _federal(matter) or ("" if matter.services else "nothing is known of service")


def _answered(matter: Matter) -> str:
    if lacking := _federal(matter):
        return lacking
    if not matter.pleadings.answer:
        return "no answer was served"
    pleadings = matter.pleadings
    if "" < pleadings.motion <= pleadings.answer:
        return "a motion under Rule 12 moves the time to answer (Rule 12(a)(4))"
    if "" < pleadings.amendment <= pleadings.answer:
        return "an amended complaint moves the time to answer (Rule 15(a)(3))"
    service = matter.service_of(pleadings.answered_by)
    if service is None:
        return "the answering defendant was not served"
    return "" if service.method == "delivery" or service.requested else "no request for a waiver"


def _pleading(*fields: str) -> Callable[[Matter], str]:
    def gap(matter: Matter) -> str:
        missing = [name for name in fields if not getattr(matter.pleadings, name)]
        return f"there was no {missing[0].replace('_', ' ')}" if missing else ""

    return gap


def _judgment(field: str) -> Callable[[Matter], str]:
    def gap(matter: Matter) -> str:
        if matter.judgment is None:
            return "there was no judgment"
        return "" if getattr(matter.judgment, field) else f"there was no {field.replace('_', ' ')}"

    return gap


_EXECUTE: dict[str, tuple[Callable[[Matter, Trace], Decision], Callable[[Matter], str]]] = {
    "1332-a": (diversity, _none),
    "1441-b-2": (forum_defendant, _removed),
    "1446-b": (thirty_days, _removed_in_time),
    "1446-c": (one_year, _removed),
    "1391-b": (venue, _venue),
    "4-m": (service_in_time, _served),
    "12-a-1": (answer_in_time, _answered),
    "15-a-1": (amendment_as_of_course, _pleading("amendment")),
    "26-a-1-c": (initial_disclosures, _pleading("conference", "disclosures")),
    "38-b": (jury_demand, _pleading("answer", "jury_demand")),
    "41-a-1": (notice_of_dismissal, _pleading("dismissal")),
    "59-b": (new_trial, _judgment("new_trial")),
    "59-e": (alter_judgment, _judgment("alter")),
    "81-c-2": (answer_after_removal, _answered_after_removal),
    "frap-4-a-1": (notice_of_appeal, _judgment("appeal")),
}
