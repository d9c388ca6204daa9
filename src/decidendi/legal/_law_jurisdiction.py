"""Who may be in federal court: diversity of citizenship, and the forum-defendant rule."""

from __future__ import annotations

from decidendi.legal._law_facts import Matter, Party
from decidendi.legal._law_trace import Decision, Trace
from decidendi.legal._words import money


def diversity(matter: Matter, trace: Trace) -> Decision:
    """28 U.S.C. § 1332(a)(1), (c)(1): complete diversity, and more than $75,000.

    Citizenship is that at filing. An unincorporated company has its members' citizenships
    (Carden v. Arkoma Associates, 494 U.S. 185). The amount is asked of every plaintiff against
    every defendant whom the plaintiff sues: § 1332 itself, without § 1367. Aliens and States
    as parties are left out.
    """
    return trace.decide((_complete_diversity(matter, trace), _amount(matter, trace)))


def forum_defendant(matter: Matter, trace: Trace) -> Decision:
    """28 U.S.C. § 1441(b)(2): no removal on diversity alone past a served forum defendant.

    "Joined and served" is read as written, as three courts of appeals do: a forum defendant
    served only after the removal does not bar it.
    """
    removal = matter.removal
    assert removal is not None, "the registry asks only where it applies"
    trace.rule(
        "basis",
        "{authority} bars a removal that rests on diversity alone if a defendant who was served "
        "before the removal is a citizen of the State in which the action was brought.",
    )
    if matter.federal_question:
        seen = trace.fact(
            "basis",
            "federal_question",
            "One of the claims arises under federal law, so the removal does not rest on "
            "diversity alone.",
        )
        bar = "The bar of {authority} does not concern this removal."
        return trace.decide(
            (trace.element("basis", True, (seen,), bar, authority=trace.authority.name),)
        )
    basis = trace.fact(
        "basis",
        "federal_question",
        "No claim arises under federal law, so the removal rests on diversity alone.",
    )
    place = trace.fact(
        "forum",
        "state removal.filed",
        "The action was brought in a court of {state}, and the notice of removal was filed on "
        "{removed:date}.",
        state=matter.state,
        removed=removal.filed,
    )
    elements = [_no_bar(matter, trace, party, (basis, place)) for party in matter.defendants]
    return trace.decide(tuple(elements))


def citizenship_step(trace: Trace, element: str, path: str, party: Party) -> int:
    """Say of which States a party is a citizen, and why."""
    states = list(party.citizenship)
    if party.kind == "person":
        return trace.fact(
            element,
            f"{path}.domicile",
            "{name} is domiciled in {domicile} and is therefore a citizen of {states:list}.",
            name=party.name,
            domicile=party.domicile,
            states=states,
        )
    if party.kind == "corporation":
        return trace.fact(
            element,
            f"{path}.incorporated {path}.headquarters",
            "{name} is incorporated in {incorporated} and has its principal place of business in "
            "{headquarters}, and is therefore a citizen of {states:list}.",
            name=party.name,
            incorporated=party.incorporated,
            headquarters=party.headquarters,
            states=states,
        )
    return trace.fact(
        element,
        f"{path}.members",
        "{name} is an unincorporated company with members who are citizens of {members:list}, "
        "and is therefore a citizen of {states:list}.",
        name=party.name,
        members=list(party.members),
        states=states,
    )


def _complete_diversity(matter: Matter, trace: Trace) -> tuple[int, bool]:
    trace.rule(
        "diversity",
        "{authority} requires complete diversity: no plaintiff may be a citizen of the same "
        "State as any defendant.",
    )
    uses = []
    for side in ("plaintiffs", "defendants"):
        for index, party in enumerate(getattr(matter, side)):
            uses.append(citizenship_step(trace, "diversity", f"{side}.{index}", party))
    left = sorted({state for party in matter.plaintiffs for state in party.citizenship})
    right = sorted({state for party in matter.defendants for state in party.citizenship})
    sides = "the plaintiff side has {left:list}, the defendant side {right:list}"
    seen, diverse = trace.compare(
        "diversity",
        tuple(uses),
        ("left", "apart from", "right"),
        f"No State stands on both sides: {sides}.",
        f"{{shared:list}} stands on both sides: {sides}.",
        left=left,
        right=right,
        shared=sorted(set(left) & set(right)),
    )
    text = "The parties are completely diverse."
    return trace.element(
        "diversity", diverse, (seen,), text if diverse else text.replace("are", "are not")
    )


def _amount(matter: Matter, trace: Trace) -> tuple[int, bool]:
    limit = trace.terms["limit"]
    trace.rule(
        "amount",
        "{authority} requires an amount in controversy of more than {limit:money}; what one "
        "plaintiff claims from one defendant is added up.",
        limit=limit,
    )
    results = []
    for plaintiff in matter.plaintiffs:
        for defendant in matter.defendants:
            found = _between(matter, trace, plaintiff, defendant, limit)
            results += [found] if found else []
    enough = all(holds for _, holds in results)
    uses = tuple(position for position, _ in results)
    text = "The amount in controversy is large enough."
    return trace.element("amount", enough, uses, text if enough else text.replace("is", "is not"))


def _between(
    matter: Matter, trace: Trace, plaintiff: Party, defendant: Party, limit: int
) -> tuple[int, bool] | None:
    """Add up what one plaintiff claims from one defendant, and compare; None without a claim."""
    chosen = [
        index
        for index, claim in enumerate(matter.claims)
        if plaintiff.name in claim.plaintiffs and defendant.name in claim.defendants
    ]
    if not chosen:
        return None
    amounts = [matter.claims[index].cents for index in chosen]
    read = trace.fact(
        "amount",
        " ".join(f"claims.{index}.cents" for index in chosen),
        "{plaintiff} claims {amounts:list} from {defendant}.",
        plaintiff=plaintiff.name,
        defendant=defendant.name,
        amounts=[money(cents) for cents in amounts],
    )
    if len(amounts) > 1:
        read = trace.count(
            "amount",
            (read,),
            "sum",
            "Added up, that is {total:money}.",
            total=sum(amounts),
            parts=amounts,
        )
    return trace.compare(
        "amount",
        (read,),
        ("total", ">", "limit"),
        "{total:money} is more than {limit:money}.",
        "{total:money} is not more than {limit:money}.",
        total=sum(amounts),
        limit=limit,
    )


def _no_bar(
    matter: Matter, trace: Trace, party: Party, before: tuple[int, ...]
) -> tuple[int, bool]:
    """Say whether one defendant bars the removal."""
    assert matter.removal is not None, "see the caller"
    index = matter.defendants.index(party)
    citizen = citizenship_step(trace, "forum", f"defendants.{index}", party)
    citizen, local = trace.compare(
        "forum",
        (*before, citizen),
        ("state", "in", "states"),
        "{name} is thus a citizen of {state}, the State of the court.",
        "{name} is thus no citizen of {state}, the State of the court.",
        name=party.name,
        state=matter.state,
        states=list(party.citizenship),
    )
    if not local:
        text = "{name} does not bar the removal."
        return trace.element("forum", True, (citizen,), text, name=party.name)
    service = matter.service_of(party.name)
    if service is None:
        served = trace.fact("forum", "services", "{name} had not been served.", name=party.name)
        early = False
    else:
        served = trace.fact(
            "forum",
            f"services.{matter.services.index(service)}.made",
            "{name} was served on {served:date}.",
            name=party.name,
            served=service.made,
        )
        served, early = trace.compare(
            "forum",
            (*before, served),
            ("served", "<", "removed"),
            "{served:date} is before the removal on {removed:date}.",
            "{served:date} is not before the removal on {removed:date}.",
            served=service.made,
            removed=matter.removal.filed,
        )
    text = "{name} bars the removal." if early else "{name} does not bar the removal."
    return trace.element("forum", not early, (citizen, served), text, name=party.name)
