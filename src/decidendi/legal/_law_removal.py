"""Removal in time, and the answer after it."""

from __future__ import annotations

from decidendi.legal._law_calendar import years_after
from decidendi.legal._law_facts import Matter
from decidendi.legal._law_timing import after, in_time
from decidendi.legal._law_trace import Decision, Trace


def thirty_days(matter: Matter, trace: Trace) -> Decision:
    """28 U.S.C. § 1446(b)(1)-(3): notice of removal within 30 days.

    Time runs from formal service (Murphy Bros. v. Michetti Pipe Stringing, 526 U.S. 344), for
    each defendant from its own; or from the paper that first showed the case to be removable.
    """
    removal = matter.removal
    assert removal is not None, "the registry asks only where it applies"
    count = trace.terms["days"]
    if removal.removable_at_first:
        service = matter.service_of(removal.by)
        assert service is not None, "the registry asks only where it applies"
        trace.rule(
            "time",
            "Under {authority} a defendant has {days:days} from being served with an initial "
            "pleading that shows the ground for removal to file a notice of removal.",
            days=count,
        )
        start, path = service.made, f"services.{matter.services.index(service)}.made"
        text = (
            "{by} was served with the complaint, which showed the ground for removal, on "
            "{start:date}."
        )
    else:
        trace.rule(
            "time",
            "Under {authority} a defendant to whom the initial pleading shows no ground for "
            "removal has {days:days} from receiving the paper that first shows one.",
            days=count,
        )
        start, path = removal.paper_received, "removal.removable_at_first removal.paper_received"
        text = (
            "The complaint did not show the ground for removal; {by} received the paper that first "
            "showed it on {start:date}."
        )
    begun = trace.fact("time", path, text, by=removal.by, start=start)
    counted, period = after(trace, "time", begun, start, count)
    return trace.decide((_removed(matter, trace, "time", counted, period.end),))


def one_year(matter: Matter, trace: Trace) -> Decision:
    """28 U.S.C. § 1446(c)(1): no later removal on diversity after a year, bad faith apart."""
    removal = matter.removal
    assert removal is not None, "the registry asks only where it applies"
    count = trace.terms["years"]
    trace.rule(
        "year",
        "Under {authority} a case that only later became removable cannot be removed on the "
        "basis of diversity more than {years:years} after it began, unless the plaintiff acted "
        "in bad faith to prevent removal.",
        years=count,
    )
    name = trace.authority.name
    for first, path, text in (
        (
            removal.removable_at_first,
            "removal.removable_at_first",
            "The ground for removal could be seen from the complaint.",
        ),
        (
            matter.federal_question,
            "federal_question",
            "A claim arises under federal law, so the removal does not rest on diversity alone.",
        ),
    ):
        if first:
            seen = trace.fact("year", path, text)
            free = "The limit of {authority} does not concern this removal."
            return trace.decide((trace.element("year", True, (seen,), free, authority=name),))
    begun = trace.fact(
        "year",
        "removal.removable_at_first filed",
        "The ground for removal could not be seen at first, and the case began on {filed:date}.",
        filed=matter.filed,
    )
    period = years_after(matter.filed, count)
    counted = trace.period("year", (begun,), "years", count, period)
    timely = _removed(matter, trace, "year", counted, period.end)
    if timely[1]:
        return trace.decide((timely,))
    found = removal.bad_faith
    text = "The district court found that the plaintiff had acted in bad faith to prevent removal."
    faith = trace.fact(
        "bad faith", "removal.bad_faith", text if found else text.replace("found", "did not find")
    )
    excuse = "The lateness is excused." if found else "The lateness is not excused."
    excused = trace.element("bad faith", found, (faith,), excuse)
    return trace.decide((timely, excused), any_of=True)


def answer_after_removal(matter: Matter, trace: Trace) -> Decision:
    """Fed. R. Civ. P. 81(c)(2): the longest of three periods, the last from the removal.

    A defendant served with summons and complaint together has the first two from one day.
    """
    removal = matter.removal
    assert removal is not None, "the registry asks only where it applies"
    pleadings, by = matter.pleadings, matter.pleadings.answered_by
    service = matter.service_of(by)
    assert service is not None, "the registry asks only where it applies"
    trace.rule(
        "time",
        "Under {authority} a defendant who had not answered before the removal has the longest of "
        "{days:days} from receiving the complaint, {days:days} from service of the summons, and "
        "{after:days} from the filing of the notice of removal.",
        days=trace.terms["days"],
        after=trace.terms["after"],
    )
    path = f"services.{matter.services.index(service)}.made"
    text = "{by} was served with summons and complaint together on {start:date}."
    served = trace.fact("time", path, text, by=by, start=service.made)
    first_count, first = after(trace, "time", served, service.made, trace.terms["days"])
    text = "The notice of removal was filed on {start:date}."
    removed = trace.fact("time", "removal.filed", text, start=removal.filed)
    second_count, second = after(trace, "time", removed, removal.filed, trace.terms["after"])
    end = max(first.end, second.end)
    longest = trace.count(
        "time",
        (first_count, second_count),
        "latest",
        "The later of {first:date} and {second:date} is {end:date}.",
        parts=[first.end, second.end],
        first=first.end,
        second=second.end,
        end=end,
    )
    text = "{by} served the answer on {done:date}."
    done = trace.fact("time", "pleadings.answer", text, by=by, done=pleadings.answer)
    timely = in_time(trace, "time", (longest, done), "The answer", pleadings.answer, end)
    return trace.decide((timely,))


def _removed(
    matter: Matter, trace: Trace, element: str, counted: int, end: str
) -> tuple[int, bool]:
    assert matter.removal is not None, "see the callers"
    text = "{by} filed the notice of removal on {done:date}."
    filed = matter.removal.filed
    done = trace.fact(element, "removal.filed", text, by=matter.removal.by, done=filed)
    return in_time(trace, element, (counted, done), "The removal", filed, end)
