"""After judgment: motions under Rule 59, and the appeal."""

from __future__ import annotations

from decidendi.legal._law_calendar import days_after
from decidendi.legal._law_facts import Judgment, Matter
from decidendi.legal._law_timing import after, in_time
from decidendi.legal._law_trace import Decision, Trace

_MOTIONS = {
    "new_trial": "a motion for a new trial",
    "alter": "a motion to alter or amend the judgment",
}


def new_trial(matter: Matter, trace: Trace) -> Decision:
    """Fed. R. Civ. P. 59(b): 28 days, which Rule 6(b)(2) does not let a court extend."""
    return _motion(matter, trace, "new_trial")


def alter_judgment(matter: Matter, trace: Trace) -> Decision:
    """Fed. R. Civ. P. 59(e): 28 days, likewise."""
    return _motion(matter, trace, "alter")


def _motion(matter: Matter, trace: Trace, field: str) -> Decision:
    judgment = matter.judgment
    assert judgment is not None, "the registry asks only where it applies"
    count, name = trace.terms["days"], _MOTIONS[field]
    filed: str = getattr(judgment, field)
    text = "Under {authority} {name} must be filed within {days:days} after entry of the judgment."
    trace.rule("time", text, name=name, days=count)
    begun = _entered(judgment, trace)
    counted, period = after(trace, "time", begun, judgment.entered, count)
    text = "The motion was filed on {done:date}."
    done = trace.fact("time", f"judgment.{field}", text, done=filed)
    return trace.decide((in_time(trace, "time", (counted, done), "The motion", filed, period.end),))


def notice_of_appeal(matter: Matter, trace: Trace) -> Decision:
    """Fed. R. App. P. 4(a)(1), (4)(A) and (B)(i): 30 days, or 60 with the United States.

    A timely motion under Rule 59 lets the time run from the order that disposes of it; a notice
    filed before that order becomes effective with it, and is in time. Extensions under 4(a)(5)
    and (6) are left out.
    """
    judgment = matter.judgment
    assert judgment is not None, "the registry asks only where it applies"
    terms = trace.terms
    trace.rule(
        "time",
        "Under {authority} a notice of appeal must be filed within {days:days} after entry of the "
        "judgment, or within {government:days} if the United States is a party.",
        days=terms["days"],
        government=terms["government"],
    )
    party = judgment.united_states
    text = "The United States is a party." if party else "The United States is not a party."
    who = trace.fact("time", "judgment.united_states", text)
    count = terms["government"] if party else terms["days"]
    begun = _entered(judgment, trace)
    start = judgment.entered
    tolling = _tolling(judgment, trace, begun)
    text = "The notice of appeal was filed on {done:date}."
    if tolling is not None and not judgment.disposed:
        done = trace.fact("time", "judgment.appeal", text, done=judgment.appeal)
        text = "The motion has not been decided, so the time for an appeal has not begun to run."
        seen = trace.fact("time", "judgment.disposed", text)
        met = trace.element("time", True, (tolling, seen, done), "The appeal was in time.")
        return trace.decide((met,))
    if tolling is not None:
        start = judgment.disposed
        begun = trace.fact(
            "time",
            "judgment.disposed",
            "The time therefore runs from the entry of the order on that motion, {start:date}.",
            start=start,
        )
    period = days_after(start, count)
    counted = trace.period("time", (who, begun), "days", count, period)
    done = trace.fact("time", "judgment.appeal", text, done=judgment.appeal)
    timely = in_time(trace, "time", (counted, done), "The appeal", judgment.appeal, period.end)
    return trace.decide((timely,))


def _entered(judgment: Judgment, trace: Trace) -> int:
    text = "Judgment was entered on {start:date}."
    return trace.fact("time", "judgment.entered", text, start=judgment.entered)


def _tolling(judgment: Judgment, trace: Trace, begun: int) -> int | None:
    """Return the step that shows a timely motion under Rule 59; None if there is none."""
    filed = {field: getattr(judgment, field) for field in _MOTIONS if getattr(judgment, field)}
    if not filed:
        return None
    limit = trace.terms["motion"]
    trace.rule(
        "tolling",
        "If a party moves under Rule 59 within {days:days} after entry of the judgment, the time "
        "runs from the entry of the order disposing of the motion.",
        days=limit,
    )
    counted, period = after(trace, "tolling", begun, judgment.entered, limit)
    found = None
    for field, day in filed.items():
        text = "A party filed {name} on {done:date}."
        done = trace.fact("tolling", f"judgment.{field}", text, name=_MOTIONS[field], done=day)
        seen, timely = trace.compare(
            "tolling",
            (counted, done),
            ("done", "<=", "end"),
            "{done:date} is not later than {end:date}, so that motion moves the time.",
            "{done:date} is later than {end:date}, so that motion does not move the time.",
            done=day,
            end=period.end,
        )
        found = seen if timely else found
    return found
