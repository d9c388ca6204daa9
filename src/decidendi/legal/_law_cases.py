"""Executable law as cases of the ``law`` task, and its fact patterns as grounds of a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from decidendi.judgment import (
    GROUNDS_NORMS_AUTHORITY,
    JSON,
    BadInputError,
    Identity,
    Reason,
    State,
    Unmeasured,
    Verdict,
    digest_of,
)
from decidendi.legal._law_facts import Matter
from decidendi.legal._law_generate import Closeness, compatible, generate
from decidendi.legal._law_render import Style, render
from decidendi.legal._law_rules import Rule, decide_all, rules
from decidendi.legal._law_trace import NO, YES
from decidendi.legal._question import LegalCase, Pair
from decidendi.legal._sampling import SEED

REFER = "REFER"
SEMANTICS = 1
"""Raised whenever the meaning of a rule or of the facts changes; part of the digest."""


def case_of_matter(
    matter: Matter,
    name: str,
    style: Style = "story",
    law: Mapping[str, Rule] | None = None,
) -> LegalCase:
    """Put a matter into words, with gold and reason under every authority that applies."""
    decisions = decide_all(matter, law)
    return LegalCase(
        id=name,
        facts=render(matter, style),
        gold={key: decision.verdict for key, decision in decisions.items()},
        why={key: decision.reason for key, decision in decisions.items()},
        carried={"matter": matter.as_json(), "style": style},
    )


def law_cases(
    count: int,
    pair: Pair,
    *,
    seed: int = SEED,
    closeness: Closeness = "mixed",
    style: Style = "story",
    differing: bool = False,
    also: Sequence[str] = (),
) -> tuple[LegalCase, ...]:
    """Draw cases in which both authorities of a pair can be decided.

    Args:
        count: How many.
        pair: Target and control.
        seed: Equal arguments give equal cases.
        closeness: How far from the line that decides.
        style: How the facts are told.
        differing: Confound-free: gold differs under target and control, half of the cases
            (the odd one included) positive under the target.
        also: Further authorities that must apply.

    Raises:
        BadInputError: on authorities that no one action has.
    """
    authorities = (pair.target, pair.control, *also)
    compatible(frozenset(authorities))
    room = {YES: count - count // 2, NO: count // 2} if differing else {"any": count}
    law = rules()
    cases: list[LegalCase] = []
    for number in range(200 * (count + 1)):
        if not any(room.values()):
            return tuple(cases)
        matter = generate(f"{seed}/{number}", authorities, closeness)
        target = law[pair.target].decide(matter).verdict
        if differing and target == law[pair.control].decide(matter).verdict:
            continue
        stratum = target if differing else "any"
        if not room[stratum]:
            continue
        room[stratum] -= 1
        cases.append(case_of_matter(matter, f"law-{seed}-{number}", style, law))
    if not any(room.values()):
        return tuple(cases)
    raise BadInputError(
        f"found only {len(cases)} of {count} cases whose gold differs under {pair.target} and "
        f"{pair.control}",
        remedy="ask for fewer, or for another pair",
    )


class LawAdjudicator:
    """Executes the law behind the jurisdiction gate: facts, the rule's terms, which rules govern.

    Sources: *grounds* a matter as JSON; *norms* ``{"rule": id, "terms": {name: integer}}``;
    *authority* ``{"in_force": [id, …]}``. A rule that is not in force has no jurisdiction and
    gives ``REFER``; so an amendment of its terms, new facts and a change of what governs are
    told apart by a receipt.
    """

    def __init__(self) -> None:
        self._law = rules()
        self._identity = Identity(
            name="law",
            engine="law",
            digest=digest_of({"engine": "law", "semantics": SEMANTICS}),
            verdicts=(YES, NO, REFER),
            kinds=GROUNDS_NORMS_AUTHORITY,
        )

    @property
    def identity(self) -> Identity:
        """What this adjudicator is."""
        return self._identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state; facts that a rule cannot be decided on are an ``INTERFACE`` cell."""
        return [self._decide(state) for state in states]

    def _decide(self, state: State) -> Verdict:
        grounds, norms, authority = (source.content for source in state.sources)
        try:
            name, rule = self._rule(norms)
            in_force = authority.get("in_force") if isinstance(authority, dict) else None
            if not isinstance(in_force, list):
                raise BadInputError("authority: needs a list in_force")
            if name not in in_force:
                return REFER
            return rule.decide(Matter.of(grounds)).verdict
        except BadInputError as error:
            return Unmeasured(Reason.INTERFACE, str(error))

    def _rule(self, norms: JSON) -> tuple[str, Rule]:
        name = norms.get("rule") if isinstance(norms, dict) else None
        terms = norms.get("terms") if isinstance(norms, dict) else None
        if not isinstance(name, str) or name not in self._law or not isinstance(terms, dict):
            raise BadInputError("norms: needs a known rule and its terms")
        rule = self._law[name]
        known = set(rule.authority.terms)
        if set(terms) != known:
            raise BadInputError(f"norms.terms: needs exactly {', '.join(sorted(known)) or 'none'}")
        numbers = {key: value for key, value in terms.items() if type(value) is int and value >= 0}
        if len(numbers) != len(terms):
            raise BadInputError("norms.terms: needs integers from 0")
        return name, rule.amended(**numbers) if numbers else rule


def norms_of(rule: Rule) -> dict[str, JSON]:
    """Return a rule as the norms of a state."""
    return {"rule": rule.authority.id, "terms": dict(rule.authority.terms)}


def authority_of_rules(in_force: Iterable[str]) -> dict[str, JSON]:
    """Return which rules govern as the authority of a state."""
    return {"in_force": [*sorted(in_force)]}
