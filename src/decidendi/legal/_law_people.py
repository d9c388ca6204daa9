"""Who sues whom for what, and where: the parts of a fact pattern that are not dates.

All persons and companies are invented.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from decidendi.legal._law_facts import Claim, Matter, Party, PartyKind, Venue
from decidendi.legal._law_places import DISTRICTS, STATE_OF, STATES
from decidendi.legal._law_rules import Rule

_FIRST = (
    "Adela", "Bram", "Cosima", "Dorian", "Edda", "Fenton", "Greta", "Hollis", "Imke", "Jonas",
    "Katya", "Lorcan", "Maren", "Nestor", "Odile", "Piers", "Quilla", "Rufus", "Sunniva", "Tobias",
    "Ursel", "Viggo", "Wanda", "Ximena", "Yorick", "Zelda", "Anselm", "Birgit", "Caspar", "Delia",
)  # fmt: skip
_LAST = (
    "Abernathy-Voss", "Brackwater", "Calloway", "Drummond", "Ellingsen", "Farrow", "Grimshaw",
    "Hathersage", "Ironside", "Jessup", "Kettering", "Lindqvist", "Marchbanks", "Nightingale",
    "Ormsby", "Pellegrin", "Quist", "Ravensworth", "Sallow", "Thackery", "Underhay", "Vanterpool",
    "Whitlock", "Yarborough",
)  # fmt: skip
_FIRMS = (
    "Alder Creek Milling", "Blue Heron Logistics", "Copperline Tools", "Dunmore Orchards",
    "Eastgate Instruments", "Foxglove Packaging", "Granite Peak Outfitters", "Harbor Lane Foods",
    "Ironwood Bicycles", "Juniper Hill Printing", "Kestrel Air Charter", "Larkspur Dental Supply",
    "Millrace Brewing", "North Fork Lumber", "Opal Street Software", "Pinecrest Elevators",
)  # fmt: skip
_CLAIMS = (
    "breach of contract", "negligence", "conversion", "breach of warranty", "fraud",
    "tortious interference", "unjust enrichment", "product liability", "defamation", "trespass",
)  # fmt: skip

ASIDES = (
    "The complaint ran to forty-one pages.",
    "Talks about a settlement before the action had led to nothing.",
    "The case was assigned to a judge who had joined the court the year before.",
    "Each side was represented by a single lawyer.",
    "A dispute over the caption of the case was resolved by agreement.",
    "The parties had done business with each other for eleven years.",
    "A local newspaper reported on the case.",
    "An earlier letter of demand had gone unanswered.",
    "The plaintiff's lawyer changed firms while the case was pending.",
    "Interest and costs were claimed as well.",
)
"""True statements that no rule reads."""

# Dollars from the limit by closeness, above and below; 0 below means exactly the limit.
_ABOVE = {"edge": (1, 400), "near": (1_000, 14_000), "far": (25_000, 900_000)}
_BELOW = {"edge": (0, 400), "near": (1_000, 14_000), "far": (20_000, 65_000)}
LIMIT_DOLLARS = 75_000


def parties_and_claims(
    rng: random.Random, met: bool, close: Literal["edge", "near", "far"]
) -> tuple[tuple[Party, ...], tuple[Party, ...], tuple[Claim, ...]]:
    """Draw parties and claims that meet 28 U.S.C. § 1332(a), or fail it in some way."""
    diverse, enough = met, met
    if not met:
        diverse, enough = rng.choice(((False, True), (True, False), (False, False)))
    counts = rng.choice(((1, 1), (1, 1), (1, 2), (2, 1)))
    names = _names(rng)
    pool = rng.sample(STATES, 10)
    left = tuple(_party(rng, names, pool[:4]) for _ in range(counts[0]))
    right = tuple(_party(rng, names, pool[4:8]) for _ in range(counts[1]))
    if not diverse:
        shared = rng.choice(left[-1].citizenship)
        right = (*right[:-1], _party(rng, names, pool[4:8], shared))
    if rng.random() < 0.25 and left[0].kind == "person":
        # A move after filing changes nothing, whichever way it points.
        trap = right[0].citizenship[0] if diverse else pool[9]
        first = left[0]
        moved = Party(first.name, "person", domicile=first.domicile, moved_to=trap)
        left = (moved, *left[1:])
    return left, right, _claims(rng, left, right, enough, close)


def _names(rng: random.Random) -> dict[str, list[str]]:
    firsts, lasts = rng.sample(_FIRST, 8), rng.sample(_LAST, 8)
    people = [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]
    return {"person": people, "firm": rng.sample(_FIRMS, 8)}


def _party(
    rng: random.Random, names: dict[str, list[str]], states: Sequence[str], among: str = ""
) -> Party:
    """Draw one party whose citizenships lie in ``states``, and include ``among`` if given."""
    kind: PartyKind = rng.choice(("person", "person", "corporation", "company"))
    if kind == "person":
        state = among or rng.choice(states)
        district = rng.choice(DISTRICTS[state])
        return Party(names["person"].pop(), "person", domicile=state, districts=(district,))
    chosen = rng.sample(states, 2)
    if among:
        chosen[rng.randrange(2)] = among
    at = chosen[1]
    districts = (rng.choice(DISTRICTS[at]),)
    if kind == "corporation":
        name = f"{names['firm'].pop()} Corporation"
        return Party(
            name, kind, incorporated=chosen[0], headquarters=chosen[1], districts=districts
        )
    return Party(
        f"{names['firm'].pop()} LLC", kind, members=tuple(sorted(chosen)), districts=districts
    )


def _claims(
    rng: random.Random,
    left: tuple[Party, ...],
    right: tuple[Party, ...],
    enough: bool,
    close: Literal["edge", "near", "far"],
) -> tuple[Claim, ...]:
    """Draw claims of all plaintiffs: against all defendants, or split so as not to add up."""
    low, high = (_ABOVE if enough else _BELOW)[close]
    distance = rng.randint(low, high)
    total = LIMIT_DOLLARS + (distance if enough else -distance)
    if distance >= 1_000:
        total -= total % 500
        total += 500 if enough and total <= LIMIT_DOLLARS else 0
    ours = tuple(party.name for party in left)
    theirs = tuple(party.name for party in right)
    kinds = rng.sample(_CLAIMS, 2)
    if not enough and len(theirs) == 2 and rng.random() < 0.6:
        # Together more than the limit, but against two defendants.
        parts = (total, rng.randrange(30_000, 70_000, 500))
        return tuple(
            Claim(kind, dollars * 100, ours, (defendant,))
            for kind, dollars, defendant in zip(kinds, parts, theirs, strict=True)
        )
    if rng.random() < 0.45:
        first = rng.randrange(total * 3 // 10, total * 7 // 10)
        first -= first % 250
        parts = (first, total - first)
        return tuple(
            Claim(kind, dollars * 100, ours, theirs)
            for kind, dollars in zip(kinds, parts, strict=True)
        )
    return (Claim(kinds[0], total * 100, ours, theirs),)


def venue_for(rng: random.Random, matter: Matter, met: bool, rule: Rule) -> Venue:
    """Draw venue facts that meet 28 U.S.C. § 1391(b) or fail it; by proposing until they do."""
    for _ in range(200):
        proposal = _propose(rng, matter)
        decision = rule.decide(replace(matter, venue=proposal))
        if (decision.verdict == "YES") == met:
            return proposal
    return proposal


def _propose(rng: random.Random, matter: Matter) -> Venue:
    homes = [district for party in matter.defendants for district in party.districts]
    near = [d for home in homes for d in DISTRICTS[STATE_OF[home]]]
    away = rng.sample([d for all_ in DISTRICTS.values() for d in all_], 3)
    court = rng.choice((rng.choice(homes), rng.choice(near), away[0], away[0]))
    events = rng.choice(((court,), (away[1],), tuple(away[1:]), (), ()))
    reach = {rng.choice((court, away[2])), rng.choice(homes)}
    return Venue(court, tuple(dict.fromkeys(events)), tuple(sorted(reach)))
