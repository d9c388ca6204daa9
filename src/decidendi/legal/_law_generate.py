"""Seeded fact patterns in which given authorities can be decided, as close to the line as asked.

Each part of a matter is drawn towards a wanted outcome, half of them met. The gold is never
what was wanted but what the rules decide on the finished facts.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from decidendi.judgment import BadInputError
from decidendi.legal._law_calendar import days_after, shifted, years_after
from decidendi.legal._law_facts import Judgment, Matter, Pleadings, Removal, Service
from decidendi.legal._law_people import ASIDES, parties_and_claims, venue_for
from decidendi.legal._law_places import STATE_OF, STATES
from decidendi.legal._law_render import render
from decidendi.legal._law_rules import rules

Closeness: TypeAlias = Literal["edge", "near", "far", "mixed"]
"""How far from the line: on it or a day off; some days; weeks; or any of these by chance."""

WORDS = 200
"""A story longer than this is drawn again: facts are to be short."""

FEDERAL_ONLY = frozenset({"1391-b", "4-m", "12-a-1"})
REMOVED_ONLY = frozenset({"1441-b-2", "1446-b", "1446-c", "81-c-2"})
AFTER_JUDGMENT = frozenset({"59-b", "59-e", "frap-4-a-1"})
ENDS_EARLY = frozenset({"41-a-1"})
LATER_THAN_DISMISSAL = frozenset({"26-a-1-c", "38-b", "81-c-2"}) | AFTER_JUDGMENT

# Days from the line by closeness: in time (0 is the last day), and late.
_INSIDE = {"edge": (0, 1), "near": (2, 6), "far": (8, 24)}
_OUTSIDE = {"edge": (1, 2), "near": (3, 9), "far": (12, 60)}


def generate(seed: int | str, authorities: Sequence[str], closeness: Closeness = "mixed") -> Matter:
    """Draw one matter to which every one of ``authorities`` applies.

    Args:
        seed: Equal arguments give equal matters, on any machine.
        authorities: Ids of executable authorities.
        closeness: How far dates and amounts stand from the line that decides.

    Raises:
        BadInputError: on an unknown authority, or on authorities that no one action has.
    """
    wanted = frozenset(authorities)
    compatible(wanted)
    for attempt in range(100):
        key = f"{seed}|{sorted(wanted)}|{closeness}|{attempt}"
        rng = random.Random(key)  # noqa: S311 - a draw must be repeatable, not unpredictable
        matter = _Drawing(rng, wanted, closeness).matter()
        if len(render(matter).split()) <= WORDS:
            return matter
    return matter


def compatible(authorities: frozenset[str]) -> None:
    """Raise ``BadInputError`` if no one action can have all of these authorities."""
    for name in sorted(authorities - set(rules())):
        raise BadInputError(f"no executable authority {name!r}", remedy=", ".join(rules()))
    for one, other, why in (
        (FEDERAL_ONLY, REMOVED_ONLY, "an action is brought in federal court or removed to it"),
        (ENDS_EARLY, LATER_THAN_DISMISSAL, "a dismissal ends the action before the other step"),
    ):
        if (first := authorities & one) and (second := authorities & other):
            names = f"{sorted(first)[0]} and {sorted(second)[0]}"
            raise BadInputError(f"{names} do not apply to one action: {why}")


@dataclass
class _Drawing:
    rng: random.Random
    wanted: frozenset[str]
    closeness: Closeness

    def matter(self) -> Matter:
        """Draw the parts in the order in which they happen."""
        rng = self.rng
        removed = bool(self.wanted & REMOVED_ONLY)
        plaintiffs, defendants, claims = parties_and_claims(rng, self.coin(), self.close())
        filed = shifted("2021-01-04", rng.randrange(0, 365 * 5))
        matter = Matter(
            forum="state" if removed else "federal",
            state=rng.choice(STATES),
            filed=_weekday(filed),
            plaintiffs=plaintiffs,
            defendants=defendants,
            claims=claims,
            federal_question=rng.random() < (0.15 if "1441-b-2" in self.wanted else 0.06),
            asides=tuple(rng.sample(ASIDES, rng.randrange(0, 2 if removed else 3))),
        )
        if removed:
            matter = self.removed(self.forum(matter))
        elif "1391-b" in self.wanted:
            where = venue_for(rng, matter, self.coin(), rules()["1391-b"])
            matter = replace(matter, venue=where, state=STATE_OF[where.district])
        if not removed and self.wanted & {"4-m", "12-a-1", "15-a-1", "38-b", "41-a-1"}:
            matter = self.served(matter)
        matter = self.pleaded(matter)
        if self.wanted & AFTER_JUDGMENT:
            matter = replace(matter, judgment=self.judged(matter))
        return matter

    # --- chance -----------------------------------------------------------------------------

    def coin(self) -> bool:
        """Whether an outcome is wanted to be met."""
        return self.rng.random() < 0.5

    def close(self) -> Literal["edge", "near", "far"]:
        """How close this one is."""
        if self.closeness == "mixed":
            return self.rng.choice(("edge", "near", "far"))
        return self.closeness

    def around(self, end: str, met: bool, not_before: str) -> str:
        """Draw a day in time or late, as far from ``end`` as the closeness says."""
        low, high = (_INSIDE if met else _OUTSIDE)[self.close()]
        distance = self.rng.randint(low, high)
        return max(shifted(end, -distance if met else distance), not_before)

    # --- parts ------------------------------------------------------------------------------

    def forum(self, matter: Matter) -> Matter:
        """Choose the State of a State court: often a defendant's own, for the forum rule."""
        local = [state for party in matter.defendants for state in party.citizenship]
        return replace(matter, state=self.rng.choice(local)) if self.coin() else matter

    def served(self, matter: Matter) -> Matter:
        """Serve the defendants of a federal action, or not in time."""
        rng, services = self.rng, []
        end = days_after(matter.filed, 90).end
        timely = "4-m" not in self.wanted or self.coin()
        late = -1 if timely else rng.randrange(len(matter.defendants))
        for index, party in enumerate(matter.defendants):
            if index == late and index > 0 and rng.random() < 0.3:
                continue  # never served
            soon = shifted(matter.filed, 5)
            if index == late or (index == 0 and "4-m" in self.wanted):
                made = self.around(end, index != late, soon)
            else:
                made = shifted(matter.filed, rng.randint(5, 70))
            if rng.random() < 0.3:
                sent = max(shifted(made, -rng.randint(8, 28)), shifted(matter.filed, 1))
                services.append(Service(party.name, "waiver", made, sent))
            else:
                services.append(Service(party.name, "delivery", made))
        excused = not timely and rng.random() < 0.25
        return replace(matter, services=tuple(services), good_cause=excused)

    def removed(self, matter: Matter) -> Matter:
        """Serve the defendants of a State action and remove it."""
        rng = self.rng
        by, filed = rng.choice(matter.defendants).name, matter.filed
        start = shifted(filed, rng.randint(4, 40))
        at_first = rng.random() < (0.25 if "1446-c" in self.wanted else 0.7)
        timely = self.coin()
        if at_first:
            paper = ""
            done = self.around(days_after(start, 30).end, timely, shifted(start, 1))
        else:
            done = self.around(years_after(filed, 1).end, rng.random() < 0.4, shifted(start, 32))
            low, high = (_INSIDE if timely else _OUTSIDE)[self.close()]
            distance = rng.randint(low, high)
            paper = shifted(done, -30 + distance if timely else -30 - distance)
            paper = max(paper, shifted(start, 1))
        services = [Service(by, "delivery", start)]
        for party in matter.defendants:
            if party.name != by and rng.random() < 0.75:
                made = shifted(done, rng.choice((-1, -3, -9, 1, 2, 8)))
                services.append(Service(party.name, "delivery", max(made, shifted(filed, 3))))
        removal = Removal(by, done, at_first, paper, bad_faith=not at_first and rng.random() < 0.2)
        return replace(matter, services=tuple(services), removal=removal)

    def pleaded(self, matter: Matter) -> Matter:
        """Answer, move, amend, demand, confer, dismiss: what the wanted authorities read."""
        rng, wanted = self.rng, self.wanted
        answered = bool(wanted & {"12-a-1", "38-b", "81-c-2"})
        pleadings = Pleadings()
        if answered or ("15-a-1" in wanted and self.coin()):
            by, answer = self.answer(matter)
            mail = bool(wanted & {"38-b", "15-a-1"}) and rng.random() < 0.25
            pleadings = Pleadings(answer=answer, answered_by=by, by_mail=mail)
        if "15-a-1" in wanted:
            pleadings = self.amended(matter, pleadings)
        if "38-b" in wanted:
            end = days_after(pleadings.answer, 14).end
            if pleadings.by_mail:
                end = days_after(end, 3).end
            demand = self.around(end, self.coin(), shifted(pleadings.answer, 1))
            pleadings = replace(pleadings, jury_demand=demand)
        if "26-a-1-c" in wanted:
            begun = pleadings.answer or self.begun(matter)
            met = _weekday(shifted(begun, rng.randint(20, 60)))
            end = days_after(met, 14).end
            made = self.around(end, self.coin(), shifted(met, 1))
            pleadings = replace(pleadings, conference=met, disclosures=made)
        if "41-a-1" in wanted:
            pleadings = self.dismissed(matter, pleadings)
        return replace(matter, pleadings=pleadings)

    def begun(self, matter: Matter) -> str:
        """The last day so far on which something happened."""
        days = [matter.filed, *(service.made for service in matter.services)]
        return max([*days, matter.removal.filed] if matter.removal else days)

    def answer(self, matter: Matter) -> tuple[str, str]:
        """Choose who answers and when."""
        if not matter.services:  # nobody asks when the defendant was served
            by = matter.defendants[0].name
            return by, shifted(self.begun(matter), self.rng.randint(15, 25))
        service = matter.services[0]
        if matter.removal:
            end = max(days_after(service.made, 21).end, days_after(matter.removal.filed, 7).end)
            early = shifted(matter.removal.filed, 1)
        elif service.method == "waiver":
            end, early = days_after(service.requested, 60).end, shifted(service.made, 1)
        else:
            end, early = days_after(service.made, 21).end, shifted(service.made, 1)
        return service.defendant, self.around(end, self.coin(), early)

    def amended(self, matter: Matter, pleadings: Pleadings) -> Pleadings:
        """Amend the complaint as of course, or too often, or too late."""
        rng = self.rng
        met = self.coin()
        # What comes before the answer would move the time for it.
        first = "12-a-1" in self.wanted
        if not pleadings.answer or (not first and self.coin()):
            day = pleadings.answer or shifted(self.begun(matter), rng.randint(14, 30))
            earlier = -rng.randint(1, 12) if pleadings.answer else 0
            motion = max(shifted(day, earlier), shifted(self.begun(matter), 1))
            pleadings = replace(pleadings, motion=motion)
        starts = [day for day in (pleadings.answer, pleadings.motion) if day]
        end = days_after(min(starts), 21).end
        again = not met and rng.random() < 0.4
        begun = pleadings.answer if first else self.begun(matter)
        filed = self.around(end, met or again, shifted(begun, 1))
        return replace(pleadings, amendment=filed, amended_before=int(again))

    def dismissed(self, matter: Matter, pleadings: Pleadings) -> Pleadings:
        """File a notice of dismissal before or after what ends the right to."""
        rng, met = self.rng, self.coin()
        early = shifted(self.begun(matter), 2)
        if "12-a-1" not in self.wanted and not pleadings.motion and rng.random() < 0.6:
            motion = shifted(early, rng.randint(6, 18))
            pleadings = replace(pleadings, motion=motion)
        if not pleadings.answer and not (met and rng.random() < 0.4):
            day = shifted(pleadings.motion or early, rng.randint(10, 40))
            if rng.random() < 0.5:
                pleadings = replace(pleadings, summary_judgment=day)
            else:
                by = matter.services[0].defendant
                pleadings = replace(pleadings, answer=day, answered_by=by)
        ends = [day for day in (pleadings.answer, pleadings.summary_judgment) if day]
        line = shifted(min(ends), -1) if ends else shifted(early, 60)
        return replace(pleadings, dismissal=self.around(line, met, early))

    def judged(self, matter: Matter) -> Judgment:
        """Enter judgment; move under Rule 59; appeal."""
        rng, wanted = self.rng, self.wanted
        begun = max([self.begun(matter), matter.pleadings.answer, matter.pleadings.disclosures])
        entered = _weekday(shifted(begun, rng.randint(200, 600)))
        end = days_after(entered, 28).end
        moved = {}
        for field, name in (("new_trial", "59-b"), ("alter", "59-e")):
            if name in wanted or ("frap-4-a-1" in wanted and rng.random() < 0.3):
                moved[field] = self.around(end, self.coin(), shifted(entered, 1))
        judgment = Judgment(entered, united_states=rng.random() < 0.2, **moved)
        if moved:
            disposed = _weekday(shifted(max(moved.values()), rng.randint(15, 70)))
            judgment = replace(judgment, disposed=disposed)
        if "frap-4-a-1" in wanted:
            tolled = any(day <= end for day in moved.values())
            start = judgment.disposed if tolled else entered
            last = days_after(start, 60 if judgment.united_states else 30).end
            appeal = self.around(last, self.coin(), shifted(start, 1))
            judgment = replace(judgment, appeal=appeal)
        return judgment


def _weekday(day: str) -> str:
    """The same day, or the Monday after if courts do not act on it."""
    while days_after(day, 0).end != day:
        day = days_after(day, 0).end
    return day
