"""From service to trial: the times of the Federal Rules of Civil Procedure."""

from __future__ import annotations

from decidendi.legal._law_facts import Matter
from decidendi.legal._law_timing import after, in_time, with_mail
from decidendi.legal._law_trace import Decision, Trace


def service_in_time(matter: Matter, trace: Trace) -> Decision:
    """Fed. R. Civ. P. 4(m): service on every defendant within 90 days, good cause apart.

    Service that was waived counts as made when the waiver is filed (Rule 4(d)(4)).
    """
    count = trace.terms["days"]
    trace.rule(
        "time",
        "Under {authority} every defendant must be served within {days:days} after the complaint "
        "is filed, unless there is good cause.",
        days=count,
    )
    text = "The complaint was filed on {filed:date}."
    filed = trace.fact("time", "filed", text, filed=matter.filed)
    counted, period = after(trace, "time", filed, matter.filed, count)
    elements = []
    for index, service in enumerate(matter.services):
        text = (
            "{name} was served on {made:date}."
            if service.method == "delivery"
            else "{name} waived service, and the waiver was filed, which counts as service, on "
            "{made:date}."
        )
        path = f"services.{index}.made"
        made = trace.fact("time", path, text, name=service.defendant, made=service.made)
        act = f"Service on {service.defendant}"
        elements.append(in_time(trace, "time", (counted, made), act, service.made, period.end))
    for party in matter.defendants:
        if matter.service_of(party.name) is None:
            seen = trace.fact("time", "services", "{name} was not served.", name=party.name)
            text = "There was no service on {name}."
            elements.append(trace.element("time", False, (seen,), text, name=party.name))
    if all(holds for _, holds in elements):
        return trace.decide(tuple(elements))
    text = "The court found good cause for the failure to serve in time."
    shown = trace.fact(
        "good cause",
        "good_cause",
        text if matter.good_cause else text.replace("found good", "found no good"),
    )
    excuse = "The time must be extended." if matter.good_cause else "The time need not be extended."
    excused = trace.element("good cause", matter.good_cause, (shown,), excuse)
    return trace.decide((excused,))


def answer_in_time(matter: Matter, trace: Trace) -> Decision:
    """Fed. R. Civ. P. 12(a)(1)(A): answer within 21 days, or 60 after a request to waive service.

    Defendants outside the judicial districts of the United States (90 days) are left out.
    """
    by = matter.pleadings.answered_by
    service = matter.service_of(by)
    assert service is not None, "the registry asks only where it applies"
    waived = service.method == "waiver"
    trace.rule(
        "time",
        "Under {authority} a defendant must serve an answer within {days:days} after being served "
        "with the summons and complaint or, having waived service, within {waived:days} after "
        "the request for a waiver was sent.",
        **trace.terms,
    )
    path = f"services.{matter.services.index(service)}"
    if waived:
        start, count = service.requested, trace.terms["waived"]
        text = "{by} waived service; the request for a waiver was sent on {start:date}."
        begun = trace.fact("time", f"{path}.method {path}.requested", text, by=by, start=start)
    else:
        start, count = service.made, trace.terms["days"]
        text = "{by} did not waive service and was served on {start:date}."
        begun = trace.fact("time", f"{path}.method {path}.made", text, by=by, start=start)
    counted, period = after(trace, "time", begun, start, count)
    text = "{by} served the answer on {done:date}."
    answer = matter.pleadings.answer
    done = trace.fact("time", "pleadings.answer", text, by=by, done=answer)
    timely = in_time(trace, "time", (counted, done), "The answer", answer, period.end)
    return trace.decide((timely,))


def amendment_as_of_course(matter: Matter, trace: Trace) -> Decision:
    """Fed. R. Civ. P. 15(a)(1)(B), as amended in 2023: once, and within 21 days of a response."""
    pleadings, allowed = matter.pleadings, trace.terms["times"]
    trace.rule(
        "once",
        "Under {authority} a complaint may be amended as of course {times:times}.",
        times=allowed,
    )
    earlier = pleadings.amended_before
    text = "Before this amendment the complaint had been amended as of course {before:times}."
    if not earlier:
        text = "Before this amendment the complaint had {before:times} been amended as of course."
    read = trace.fact("once", "pleadings.amended_before", text, before=earlier)
    seen, fresh = trace.compare(
        "once",
        (read,),
        ("before", "<", "times"),
        "So the right had not been used up.",
        "So the right had been used up.",
        before=earlier,
        times=allowed,
    )
    text = "An amendment as of course was still available."
    available = trace.element(
        "once", fresh, (seen,), text if fresh else text.replace("still", "no longer")
    )
    return trace.decide((available, _amended_in_time(matter, trace)))


def _amended_in_time(matter: Matter, trace: Trace) -> tuple[int, bool]:
    pleadings, count = matter.pleadings, trace.terms["days"]
    trace.rule(
        "time",
        "It must be made no later than {days:days} after service of the answer or of a motion "
        "under Rule 12(b), (e) or (f), whichever is earlier.",
        days=count,
    )
    responses = {
        "answer": ("The answer was served on {day:date}.", pleadings.answer),
        "motion": ("A motion under Rule 12(b) was served on {day:date}.", pleadings.motion),
    }
    served = {
        name: (trace.fact("time", f"pleadings.{name}", text, day=day), day)
        for name, (text, day) in responses.items()
        if day
    }
    text = "The amended complaint was filed on {done:date}."
    done = trace.fact("time", "pleadings.amendment", text, done=pleadings.amendment)
    if not served:
        text = "Neither had been served, so the time had not begun to run."
        seen = trace.fact("time", "pleadings.answer pleadings.motion", text)
        return trace.element("time", True, (seen, done), "The amendment was in time.")
    first = min(served, key=lambda name: served[name][1])
    use, start = served[first]
    if len(served) == 2:
        use = trace.count(
            "time",
            tuple(position for position, _ in served.values()),
            "earliest",
            "The earlier of {one:date} and {two:date} is {end:date}.",
            parts=[day for _, day in served.values()],
            one=served["answer"][1],
            two=served["motion"][1],
            end=start,
        )
    counted, period = after(trace, "time", use, start, count)
    if first == "answer" and pleadings.by_mail:
        counted, period = with_mail(trace, "time", counted, "pleadings.by_mail", period)
    return in_time(trace, "time", (counted, done), "The amendment", pleadings.amendment, period.end)


def initial_disclosures(matter: Matter, trace: Trace) -> Decision:
    """Fed. R. Civ. P. 26(a)(1)(C): within 14 days of the Rule 26(f) conference.

    Stipulations, court orders and objections that change the time are left out.
    """
    pleadings, count = matter.pleadings, trace.terms["days"]
    text = "Under {authority} initial disclosures are due within {days:days} after the conference."
    trace.rule("time", text, days=count)
    text = "The Rule 26(f) conference was held on {start:date}."
    begun = trace.fact("time", "pleadings.conference", text, start=pleadings.conference)
    counted, period = after(trace, "time", begun, pleadings.conference, count)
    text = "The initial disclosures were made on {done:date}."
    done = trace.fact("time", "pleadings.disclosures", text, done=pleadings.disclosures)
    act = "The disclosure"
    timely = in_time(trace, "time", (counted, done), act, pleadings.disclosures, period.end)
    return trace.decide((timely,))


def jury_demand(matter: Matter, trace: Trace) -> Decision:
    """Fed. R. Civ. P. 38(b): a written demand within 14 days of the last pleading on the issue.

    The last pleading is the answer here: no counterclaim or reply follows, and an amended
    complaint raises no new issue of fact.
    """
    pleadings, count = matter.pleadings, trace.terms["days"]
    trace.rule(
        "time",
        "Under {authority} a jury must be demanded in writing within {days:days} after service of "
        "the last pleading directed to the issue.",
        days=count,
    )
    text = "The last pleading directed to the issue, the answer, was served on {start:date}."
    begun = trace.fact("time", "pleadings.answer", text, start=pleadings.answer)
    counted, period = after(trace, "time", begun, pleadings.answer, count)
    if pleadings.by_mail:
        counted, period = with_mail(trace, "time", counted, "pleadings.by_mail", period)
    text = "The written jury demand was served on {done:date}."
    done = trace.fact("time", "pleadings.jury_demand", text, done=pleadings.jury_demand)
    act = "The jury demand"
    timely = in_time(trace, "time", (counted, done), act, pleadings.jury_demand, period.end)
    return trace.decide((timely,))


def notice_of_dismissal(matter: Matter, trace: Trace) -> Decision:
    """Fed. R. Civ. P. 41(a)(1)(A)(i): before an answer or a motion for summary judgment."""
    pleadings, elements = matter.pleadings, []
    trace.rule(
        "time",
        "Under {authority} a plaintiff may dismiss by notice before an answer or a motion for "
        "summary judgment is served.",
    )
    text = "The notice of dismissal was filed on {done:date}."
    done = trace.fact("time", "pleadings.dismissal", text, done=pleadings.dismissal)
    if pleadings.motion:
        trace.fact(
            "time",
            "pleadings.motion",
            "The motion served on {day:date} was made under Rule 12(b) and is neither an answer "
            "nor a motion for summary judgment.",
            day=pleadings.motion,
        )
    for field, name in (
        ("answer", "an answer"),
        ("summary_judgment", "a motion for summary judgment"),
    ):
        day: str = getattr(pleadings, field)
        what = "answer" if field == "answer" else "motion for summary judgment"
        if not day:
            text = "No {what} was served."
            seen = trace.fact("time", f"pleadings.{field}", text, what=what)
            met = True
        else:
            text = "The {what} was served on {day:date}."
            read = trace.fact("time", f"pleadings.{field}", text, what=what, day=day)
            seen, met = trace.compare(
                "time",
                (done, read),
                ("done", "<", "day"),
                "{done:date} is before {day:date}.",
                "{done:date} is not before {day:date}.",
                done=pleadings.dismissal,
                day=day,
            )
        text = "The notice came before {name}." if met else "The notice did not come before {name}."
        elements.append(trace.element("time", met, (seen,), text, name=name))
    return trace.decide(tuple(elements))
