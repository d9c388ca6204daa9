"""Policy worlds: a clause, records it might decide, revisions of it, and scopes it may have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from decidendi.judgment import Source, parse_json
from decidendi.reasonbench._draw import Draw
from decidendi.reasonbench._mutations import exceptions, mutants
from decidendi.reasonbench._policy import PolicyRules, compile_norms
from decidendi.reasonbench._quota import SINGLE, WHOLE, Chosen, InfeasibleError, Pool, Slot
from decidendi.reasonbench._quota import fill as fill_slots

DOMAINS = ("airline", "retail", "telecom")
ORDINARY, EXCEPTION = "ordinary", "exception"
"""Families of norms: threshold, set and connective revisions; or exception rules (held out)."""

CASES = 96
PER_MASK = CASES // 8
SINGLES_CHANGED = {1: 5, 2: 5, 4: 4}
"""How many of the twelve cases of each single mask change the verdict."""

_CLUSTERS, _VERSIONS, _NORMS, _AUTHORITY = 12, 4, 14, 8
_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause as data: see ``data/clauses``.

    Attributes:
        id: The unit's name.
        source: Its number in the inventory of clauses that it restates.
        domain: ``airline``, ``retail`` or ``telecom``.
        ask: What the request asks for, as words after "to".
        scope: The two dimensions over which its authority is scoped.
        context: For each dimension of a request, its values.
        inputs: For each field of a record, what it is called, its type and usual values.
        norms: The rules.
    """

    id: str
    source: str
    domain: str
    ask: str
    scope: tuple[str, ...]
    context: Mapping[str, list[str]]
    inputs: Mapping[str, Mapping[str, Any]]
    norms: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ClausePlan:
    """What is decided about a clause before its cases are drawn.

    Attributes:
        unit: The clause's id.
        family: Which revisions its norms undergo.
        changed: How many compositions (masks of two or three kinds) change the verdict.
        twos: How many of these have minimum size two.
        threes: How many have size three.
        ambiguous: How many have more than one minimal set.
    """

    unit: str
    family: str
    changed: int
    twos: int
    threes: int
    ambiguous: int


@lru_cache(maxsize=1)
def clauses() -> dict[str, Clause]:
    """Read the clauses, by id, in the order of the files."""
    found: dict[str, Clause] = {}
    for domain in DOMAINS:
        path = files("decidendi.reasonbench") / "data" / "clauses" / f"{domain}.json"
        document = parse_json(path.read_bytes())
        for row in document["clauses"]:
            found[row["id"]] = Clause(
                id=row["id"],
                source=row["source"],
                domain=document["domain"],
                ask=row["ask"],
                scope=tuple(row["scope"]),
                context=document["context"],
                inputs=row["inputs"],
                norms={"rules": row["rules"], "otherwise": row["otherwise"]},
            )
    return found


def policy_cases(plan: ClausePlan, seed: int) -> list[Chosen]:
    """Choose the 96 cases of a clause, twelve for each intervention mask."""
    clause = clauses()[plan.unit]
    for attempt in range(_ATTEMPTS):
        draw = Draw(seed, "clause", plan.unit, attempt)
        pool = _pool(clause, plan.family, draw)
        try:
            chosen = fill_slots(pool, policy_slots(plan, draw), draw)
        except InfeasibleError:
            continue
        return draw.shuffled(chosen)
    raise InfeasibleError(f"{plan.unit}: no pool in {_ATTEMPTS} attempts")


def policy_slots(plan: ClausePlan, draw: Draw) -> list[Slot]:
    """Return the quotas of one clause.

    A revised scope can only refer or stop referring, and revised norms rarely refer, so the
    two together are hardly ever two reasons for one verdict: ambiguous receipts are asked of
    the compositions with grounds.
    """
    slots: list[Slot] = [(0, "=")] * PER_MASK
    for mask in SINGLE:
        changed = SINGLES_CHANGED[mask]
        slots += [(mask, "1u")] * changed + [(mask, "=")] * (PER_MASK - changed)
    places = draw.shuffled([mask for mask in (3, 5, 6, WHOLE) for _ in range(PER_MASK)])
    slots += [(WHOLE, "3u")] * plan.threes
    for _ in range(plan.threes):
        places.remove(WHOLE)
    for _ in range(plan.ambiguous):
        place = next(mask for mask in places if mask != 6)
        places.remove(place)
        slots.append((place, "1a"))
    ones = plan.changed - plan.threes - plan.twos - plan.ambiguous
    kinds = ["1u"] * ones + ["2u"] * plan.twos
    kinds += ["="] * (len(places) - len(kinds))
    slots += zip(places, kinds, strict=True)
    return slots


def _pool(clause: Clause, family: str, draw: Draw) -> Pool:
    return Pool(
        PolicyRules(),
        [
            [Source("grounds", content) for content in _grounds(clause, draw)],
            [Source("norms", content) for content in _norms(clause, family, draw)],
            [Source("authority", content) for content in _authority(clause, draw)],
        ],
        cluster=_VERSIONS,
    )


def _grounds(clause: Clause, draw: Draw) -> list[dict[str, Any]]:
    """Draw runs of records: one record, and revisions of one to three of its fields."""
    merits = compile_norms(clause.norms)
    share: Counter[str] = Counter()
    found: list[dict[str, Any]] = []
    tries = 0
    while len(found) < _CLUSTERS * _VERSIONS:
        request = {name: draw.pick(values) for name, values in clause.context.items()}
        record = {name: draw.pick(spec["of"]) for name, spec in clause.inputs.items()}
        disposition = merits(record)
        tries += 1
        if share[disposition] > _CLUSTERS // 2 and tries < 500:
            continue  # an even share of dispositions, where the clause gives one
        share[disposition] += 1
        first = {"request": request, "record": record}
        run = [first]
        while len(run) < _VERSIONS:
            edited = _edited(first, clause, draw)
            if edited not in run:
                run.append(edited)
        found += run
    return found


def _edited(content: dict[str, Any], clause: Clause, draw: Draw) -> dict[str, Any]:
    request, record = dict(content["request"]), dict(content["record"])
    names = sorted(clause.inputs)
    for name in draw.sample(names, min(len(names), 1 + draw.below(3))):
        record[name] = _another(record[name], clause.inputs[name]["of"], draw)
    if draw.chance(40):
        name = draw.pick(clause.scope)
        request[name] = _another(request[name], clause.context[name], draw)
    return {"request": request, "record": record}


def _another(value: Any, values: list[Any], draw: Draw) -> Any:  # noqa: ANN401 - any JSON value
    return draw.pick([other for other in values if other != value])


def _norms(clause: Clause, family: str, draw: Draw) -> list[dict[str, Any]]:
    """Draw versions of the norms: the clause as it stands, and one or two revisions of it."""
    if family == EXCEPTION:
        return draw.sample(exceptions(clause.norms, clause.inputs), _NORMS)
    single = [norms for _, norms in mutants(clause.norms, clause.inputs)]
    found = [clause.norms, *draw.sample(single, _NORMS - 4)]
    for _ in range(100):  # some are revised twice; a small clause has no other way
        twice = draw.pick([norms for _, norms in mutants(draw.pick(single), clause.inputs)])
        if len(found) < _NORMS and twice not in found:
            found.append(twice)
    return found


def _authority(clause: Clause, draw: Draw) -> list[dict[str, Any]]:
    """Draw scopes; each names most of the values of its two dimensions."""
    found: list[dict[str, Any]] = []
    while len(found) < _AUTHORITY:
        scope = {}
        for name in clause.scope:
            values = clause.context[name]
            least = len(values) // 2 + 1
            kept = set(draw.sample(values, least + draw.below(len(values) - least + 1)))
            scope[name] = [value for value in values if value in kept]
        if {"scope": scope} not in found:
            found.append({"scope": scope})
    return found
