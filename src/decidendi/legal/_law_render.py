"""Fact patterns in words: as a story, or as a docket sheet. Every fact a rule reads is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from decidendi.legal._law_facts import Claim, Matter, Party, Service
from decidendi.legal._words import in_words, joined, money, times

Style: TypeAlias = Literal["story", "docket"]
STYLES: tuple[Style, ...] = get_args(Style)


def render(matter: Matter, style: Style = "story") -> str:
    """Return the facts in words."""
    return _story(matter) if style == "story" else _docket(matter)


def _story(matter: Matter) -> str:
    """Sentences by subject: persons, claims, court, steps in the order of time."""
    sentences = [_who(party, matter) for party in (*matter.plaintiffs, *matter.defendants)]
    sentences += [*_sued(matter), *_where(matter)]
    steps = sorted(_steps(matter), key=lambda step: step[0])
    sentences += [f"On {in_words(day)}, {text}." for day, text in steps]
    sentences += [*_standing(matter), *matter.asides]
    return " ".join(sentences)


def _docket(matter: Matter) -> str:
    """Headed notes on parties and claims, then one dated entry a line."""
    lines = [f"Court: {_court(matter)}", "Parties:"]
    lines += [f"- Plaintiff: {_note(party)}" for party in matter.plaintiffs]
    lines += [f"- Defendant: {_note(party)}" for party in matter.defendants]
    lines += ["Claims:"]
    lines += [
        f"- {joined(claim.plaintiffs)} against {joined(claim.defendants)}: {claim.kind}, "
        f"{_amount(claim)}"
        for claim in matter.claims
    ]
    lines += ["Entries:", f"- {in_words(matter.filed)}: Complaint filed."]
    for day, text in sorted(_steps(matter), key=lambda step: step[0]):
        lines.append(f"- {in_words(day)}: {text[0].upper()}{text[1:]}.")
    notes = [*_where(matter, docket=True), *_standing(matter), *matter.asides]
    lines += ["Notes:", *(f"- {note}" for note in notes)] if notes else []
    return "\n".join(lines)


def _court(matter: Matter) -> str:
    if matter.forum == "state":
        return f"a State court of {matter.state}"
    if matter.venue:
        return f"the United States District Court for {matter.venue.district}"
    return f"a United States District Court in {matter.state}"


def _who(party: Party, matter: Matter) -> str:
    if party.kind == "person":
        text = f"{party.name} is domiciled in {party.domicile}"
        if party in matter.defendants and matter.venue:
            text += f", in {party.districts[0]}"
        if party.moved_to:
            text += f" (and moved to {party.moved_to} for good after the action had been filed)"
        return f"{text}."
    if party.kind == "corporation":
        text = (
            f"{party.name} is incorporated in {party.incorporated} and has its principal place of "
            f"business in {party.headquarters}"
        )
    else:
        text = (
            f"{party.name} is unincorporated, and its members are citizens of "
            f"{joined(party.members)}"
        )
    if party in matter.defendants and matter.venue:
        text += f"; for venue it resides in {joined(party.districts)}"
    return f"{text}."


def _note(party: Party) -> str:
    said = {
        "person": f"domiciled in {party.domicile}",
        "corporation": f"incorporated in {party.incorporated}, principal place of business in "
        f"{party.headquarters}",
        "company": f"unincorporated; members citizens of {joined(party.members)}",
    }[party.kind]
    text = f"{party.name} ({said})"
    return f"{text}; moved to {party.moved_to} after filing" if party.moved_to else text


def _amount(claim: Claim) -> str:
    text = money(claim.cents)
    text += " for each plaintiff" if len(claim.plaintiffs) > 1 else ""
    return text + (" from each defendant" if len(claim.defendants) > 1 else "")


def _sued(matter: Matter) -> Iterator[str]:
    for index, claim in enumerate(matter.claims):
        who, whom = joined(claim.plaintiffs), joined(claim.defendants)
        verb = "sue" if len(claim.plaintiffs) > 1 else "sues"
        if index == 0:
            yield f"{who} {verb} {whom} for {claim.kind}, claiming {_amount(claim)}."
        elif claim.defendants == matter.claims[0].defendants:
            yield f"A second claim between them, for {claim.kind}, is for {_amount(claim)}."
        else:
            yield f"{who} also {verb} {whom} for {claim.kind}, claiming {_amount(claim)}."
    yield f"The complaint was filed in {_court(matter)} on {in_words(matter.filed)}."


def _where(matter: Matter, *, docket: bool = False) -> Iterator[str]:
    if matter.removal or matter.federal_question:
        yield (
            "One of the claims also arises under federal law."
            if matter.federal_question
            else "All claims rest on State law; jurisdiction is based on diversity of citizenship."
        )
    if matter.venue is None:
        return
    if docket:
        for party in matter.defendants:
            yield f"{party.name} resides, for venue, in {joined(party.districts)}."
    events = matter.venue.events
    yield (
        f"The events took place in substantial part in {joined(events)}."
        if events
        else "The events all took place outside the United States."
    )
    yield f"A defendant is subject to personal jurisdiction in {joined(matter.venue.reach)}."


def _steps(matter: Matter) -> Iterator[tuple[str, str]]:
    """What happened, as day and clause, in no order."""
    for service in matter.services:
        yield from _served(service)
    if removal := matter.removal:
        if removal.paper_received:
            yield (
                removal.paper_received,
                f"{removal.by} received a paper from which the ground for removal could first be "
                "seen",
            )
        yield removal.filed, f"{removal.by} filed a notice of removal to the federal court"
    pleadings = matter.pleadings
    mail = " by mail" if pleadings.by_mail else ""
    who = "the plaintiff" if len(matter.plaintiffs) == 1 else "the plaintiffs"
    again = (
        f" (the complaint had been amended as of course {times(pleadings.amended_before)} before)"
        if pleadings.amended_before
        else " (the first amendment)"
    )
    for day, text in (
        (pleadings.answer, f"{pleadings.answered_by} served an answer{mail}"),
        (pleadings.motion, "a motion to dismiss under Rule 12(b) was served"),
        (pleadings.summary_judgment, "a motion for summary judgment was served by a defendant"),
        (
            pleadings.amendment,
            f"{who} filed an amended complaint without leave or consent{again}",
        ),
        (pleadings.jury_demand, f"{who} served a written demand for a jury trial"),
        (pleadings.conference, "the parties held their Rule 26(f) conference"),
        (pleadings.disclosures, f"{who} made the initial disclosures"),
        (pleadings.dismissal, f"{who} filed a notice of dismissal"),
    ):
        if day:
            yield day, text
    yield from _after_judgment(matter)


def _served(service: Service) -> Iterator[tuple[str, str]]:
    if service.method == "delivery":
        yield service.made, f"{service.defendant} was served with summons and complaint"
        return
    yield service.requested, f"a request to waive service was sent to {service.defendant}"
    yield service.made, f"the signed waiver of service by {service.defendant} was filed"


def _after_judgment(matter: Matter) -> Iterator[tuple[str, str]]:
    judgment = matter.judgment
    if judgment is None:
        return
    moved = "motion" if not (judgment.new_trial and judgment.alter) else "last of these motions"
    for day, text in (
        (judgment.entered, "judgment was entered"),
        (judgment.new_trial, "the losing side filed a motion for a new trial"),
        (judgment.alter, "the losing side filed a motion to alter or amend the judgment"),
        (judgment.disposed, f"an order disposing of the {moved} was entered"),
        (judgment.appeal, "the losing side filed a notice of appeal"),
    ):
        if day:
            yield day, text


def _standing(matter: Matter) -> Iterator[str]:
    """What is so without a day of its own."""
    for party in matter.defendants:
        if (matter.services or matter.removal) and matter.service_of(party.name) is None:
            yield f"{party.name} was never served."
    if removal := matter.removal:
        seen = "could" if removal.removable_at_first else "could not"
        yield f"The ground for removal {seen} be seen from the complaint."
        if not removal.removable_at_first:
            found = "found" if removal.bad_faith else "did not find"
            yield f"The court {found} that the plaintiff had acted in bad faith to prevent removal."
    if matter.pleadings.amendment and matter.pleadings.jury_demand:
        yield "The amended complaint raised no new issue of fact."
    if matter.services and not matter.removal:
        yield (
            "The court found good cause for any delay in service."
            if matter.good_cause
            else "The court found no good cause for any delay in service."
        )
    if matter.judgment:
        is_party = "is a party" if matter.judgment.united_states else "is not a party"
        yield f"The United States {is_party}."
