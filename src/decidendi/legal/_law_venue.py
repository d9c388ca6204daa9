"""Venue: residence, events, and what is left."""

from __future__ import annotations

from decidendi.legal._law_facts import Matter, Venue
from decidendi.legal._law_places import STATE_OF
from decidendi.legal._law_trace import Decision, Trace


def venue(matter: Matter, trace: Trace) -> Decision:
    """28 U.S.C. § 1391(b): three ways, the third only where the first two open no district.

    Where each defendant resides (§ 1391(c), (d)) and is subject to personal jurisdiction is a
    fact here. Property as the subject of the action is left out.
    """
    known = matter.venue
    assert known is not None, "the registry asks only where it applies"
    brought = trace.fact(
        "residence",
        "venue.district",
        "The action was brought in {court}.",
        court=known.district,
    )
    together, residence = _residence(matter, known, trace, brought)
    events = _events(known, trace, brought)
    if residence[1] or events[1]:
        return trace.decide((residence, events), any_of=True)
    left = _what_is_left(known, trace, brought, together, (residence[0], events[0]))
    return trace.decide((residence, events, left), any_of=True)


def _residence(
    matter: Matter, known: Venue, trace: Trace, brought: int
) -> tuple[bool, tuple[int, bool]]:
    """§ 1391(b)(1). Also says whether all defendants share a State, which opens a district."""
    trace.rule(
        "residence",
        "First, {authority} allows a district in which any defendant resides, if all defendants "
        "reside in the State of that district.",
    )
    uses = [
        trace.fact(
            "residence",
            f"defendants.{index}.districts",
            "{name} resides in {districts:list}.",
            name=party.name,
            districts=list(party.districts),
        )
        for index, party in enumerate(matter.defendants)
    ]
    states = [{STATE_OF[d] for d in party.districts} for party in matter.defendants]
    shared = sorted(set.intersection(*states))
    home = sorted({d for party in matter.defendants for d in party.districts})
    here = STATE_OF[known.district]
    uses_all, all_here = trace.compare(
        "residence",
        (brought, *uses),
        ("state", "in", "shared"),
        "All defendants reside in {state}.",
        "Not all defendants reside in {state}.",
        state=here,
        shared=shared,
    )
    any_use, any_here = trace.compare(
        "residence",
        (brought, *uses),
        ("court", "in", "home"),
        "A defendant resides in {court}.",
        "No defendant resides in {court}.",
        court=known.district,
        home=home,
    )
    met = all_here and any_here
    text = "Residence opens {court}." if met else "Residence does not open {court}."
    element = trace.element("residence", met, (uses_all, any_use), text, court=known.district)
    return bool(shared), element


def _events(known: Venue, trace: Trace, brought: int) -> tuple[int, bool]:
    """§ 1391(b)(2)."""
    trace.rule(
        "events",
        "Second, {authority} allows a district in which a substantial part of the events took "
        "place.",
    )
    text = (
        "A substantial part of the events took place in {events:list}."
        if known.events
        else "The events took place outside the United States."
    )
    read = trace.fact("events", "venue.events", text, events=list(known.events))
    seen, met = trace.compare(
        "events",
        (brought, read),
        ("court", "in", "events"),
        "That includes {court}.",
        "That does not include {court}.",
        court=known.district,
        events=list(known.events),
    )
    text = "The events open {court}." if met else "The events do not open {court}."
    return trace.element("events", met, (seen,), text, court=known.district)


def _what_is_left(
    known: Venue, trace: Trace, brought: int, together: bool, before: tuple[int, ...]
) -> tuple[int, bool]:
    """§ 1391(b)(3)."""
    trace.rule(
        "residual",
        "Third, {authority} allows a district in which any defendant is subject to personal "
        "jurisdiction, but only if no district is open otherwise.",
    )
    elsewhere = together or bool(known.events)
    if elsewhere:
        why = (
            "The events open another district."
            if known.events
            else "The defendants' common State opens another district."
        )
        seen = trace.count("residual", before, None, why)
        text = "The third way is closed."
        return trace.element("residual", False, (seen,), text)
    none = trace.count(
        "residual",
        before,
        None,
        "The defendants share no State and the events took place abroad, so no district is open "
        "otherwise.",
    )
    text = "A defendant is subject to personal jurisdiction in {reach:list}."
    read = trace.fact("residual", "venue.reach", text, reach=list(known.reach))
    seen, met = trace.compare(
        "residual",
        (brought, read),
        ("court", "in", "reach"),
        "That includes {court}.",
        "That does not include {court}.",
        court=known.district,
        reach=list(known.reach),
    )
    text = "The third way opens {court}." if met else "The third way does not open {court}."
    return trace.element("residual", met, (none, seen), text, court=known.district)
