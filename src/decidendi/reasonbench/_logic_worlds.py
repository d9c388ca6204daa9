"""Logical worlds: named individuals, facts, positive rules, and which rules have authority.

In the manner of the RuleTaker grammar (Clark, Tafjord and Richardson, 2020), with what that
generator leaves to chance put under control: the query has one or two routes, every route is a
chain of the same number of rules, and no revision shortens one, so *wherever the query is
derivable its proof has the world's depth*. What is not derivable would have that depth if the
sources allowed it. Depth is thus a trait of the world, and every world has the same quotas of
outcomes, so depth tells nothing of the label. No rule concludes one of its own conditions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from decidendi.evaluators import RulesAdjudicator
from decidendi.judgment import Source, parse_json, sha256
from decidendi.reasonbench._draw import Draw
from decidendi.reasonbench._quota import PAIRS, SINGLE, WHOLE, Chosen, InfeasibleError, Pool, Slot
from decidendi.reasonbench._quota import fill as fill_slots

WORDS: dict[str, list[str]] = parse_json(
    (files("decidendi.reasonbench") / "data" / "words.json").read_bytes()
)
"""Names and attributes of worlds, and the irrelevant records of the distractor control."""

ORDINARY, JOIN = "chain", "join"
"""Families of worlds: linear routes; or a route in which two chains meet (held out)."""

_GROUNDS, _NORMS, _AUTHORITY = 10, 9, 8
_ATTEMPTS = 40


@dataclass(frozen=True, slots=True)
class WorldPlan:
    """What is decided about a world before it is drawn: by the split, never by the outcome."""

    unit: str
    depth: int
    family: str = ORDINARY


@dataclass(slots=True)
class _World:
    """A world while it is drawn. Numbers are those of rules.

    Attributes:
        who: The one asked about; ``others`` are the rest.
        spare: Attributes not used so far, the next one last.
        query: The attribute asked about.
        rules: All rules, as attributes; ``heads`` conclude the query, ``inner`` lead to those,
            and ``idle`` ones lead nowhere.
        leaves: The attributes that the routes start from.
        asides: Attributes that lead nowhere.
        beside: Facts that lead nowhere.
    """

    who: str
    others: list[str]
    spare: list[str]
    query: str = ""
    rules: list[dict[str, Any]] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    inner: list[int] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)
    leaves: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)

    def attribute(self) -> str:
        """Take an attribute not used so far."""
        return self.spare.pop()


def logic_cases(plan: WorldPlan, seed: int) -> list[Chosen]:
    """Draw the world of ``plan`` and choose its 19 cases."""
    for attempt in range(_ATTEMPTS):
        draw = Draw(seed, "world", plan.unit, attempt)
        pool = _pool(_world(plan, draw), draw)
        try:
            chosen = fill_slots(pool, logic_slots(draw), draw)
        except InfeasibleError:
            continue
        return draw.shuffled(chosen)
    raise InfeasibleError(f"{plan.unit}: no world in {_ATTEMPTS} attempts")


def logic_slots(draw: Draw) -> list[Slot]:
    """Return the 19 quotas: 11 changed (sizes 7, 3, 1; 4 ambiguous) and 8 stable.

    They are the published mix, which divides evenly over worlds: one state untouched, each
    single source once decisive and once idle, and twelve compositions. Which composition gets
    which outcome is drawn, so that the mask does not tell the receipt.
    """
    ones, both, twos, more = draw.pick([(0, 4, 3, 0), (1, 3, 2, 1), (2, 2, 1, 2)])
    slots: list[Slot] = [(0, "=")]
    slots += [(mask, kind) for mask in SINGLE for kind in ("1u", "=")]
    slots += [(WHOLE, kind) for kind in ["3u", *["2a"] * more]]
    masks = [WHOLE] * (2 - more) + [mask for mask in PAIRS for _ in range(3)]
    kinds = ["1u"] * ones + ["1a"] * both + ["2u"] * twos + ["="] * 4
    slots += zip(masks, draw.shuffled(kinds), strict=True)
    return slots


def _world(plan: WorldPlan, draw: Draw) -> _World:
    names = draw.sample(WORDS["names"], 3)
    world = _World(names[0], names[1:], draw.shuffled(WORDS["attributes"]))
    world.query = world.attribute()
    join = plan.family == JOIN
    routes = 2 if join or draw.chance(50) else 1
    for i in range(routes):
        _route(world, plan.depth, join and i == 0, draw)
    for _ in range(3):
        body = [draw.pick([*world.leaves, *world.asides] or [world.query])]
        if draw.chance(50):
            body.append(world.attribute())
            world.asides.append(body[-1])
        world.idle.append(_add(world, draw.shuffled(body), world.attribute(), draw))
    world.asides += [world.attribute() for _ in range(2)]
    everyone = [world.who, *world.others]
    world.beside = [f"{draw.pick(everyone)} is {aside}" for aside in world.asides]
    world.beside += [f"{name} is {draw.pick(world.leaves)}" for name in world.others]
    _number(world, draw)
    return world


def _route(world: _World, depth: int, join: bool, draw: Draw) -> None:
    """Add one chain of ``depth`` rules that ends in the query; joined by a second if asked."""
    ends = [_chain(world, depth - 1, draw) for _ in range(2 if join else 1)]
    if not join and draw.chance(40):
        ends.append(world.attribute())
        world.leaves.append(ends[-1])
    world.heads.append(_add(world, draw.shuffled(ends), world.query, draw))


def _chain(world: _World, rules: int, draw: Draw) -> str:
    """Add a chain of rules from a new leaf; return the attribute it ends in."""
    end = world.attribute()
    world.leaves.append(end)
    for i in range(rules):
        body = [end]
        if i and draw.chance(25):
            body.append(world.attribute())
            world.leaves.append(body[-1])
        end = world.attribute()
        world.inner.append(_add(world, draw.shuffled(body), end, draw))
    return end


def _add(world: _World, body: list[str], head: str, draw: Draw) -> int:
    """Add a rule: about everybody in four of five, else about the one asked about."""
    rule: dict[str, Any] = {"if": body, "then": head}
    rule["over"] = [world.who, *world.others] if draw.chance(80) else [world.who]
    world.rules.append(rule)
    return len(world.rules) - 1


def _number(world: _World, draw: Draw) -> None:
    """Give the rules their places and names, which say nothing of their role."""
    order = draw.shuffled(range(len(world.rules)))
    for place, i in enumerate(order):
        world.rules[i]["place"] = place
        world.rules[i]["id"] = f"R{place + 1}"


def _pool(world: _World, draw: Draw) -> Pool:
    grounds = _distinct("grounds", _GROUNDS, lambda: _grounds(world, draw))
    norms = _distinct("norms", _NORMS, lambda: _norms(world, draw))
    authority = _distinct("authority", _AUTHORITY, lambda: _authority(world, draw))
    return Pool(RulesAdjudicator(), [grounds, norms, authority])


def _distinct(kind: str, n: int, make: Any) -> list[Source]:  # noqa: ANN401 - a JSON maker
    found: dict[str, Source] = {}
    for _ in range(4 * n):
        source = Source(kind, make())
        found.setdefault(source.digest, source)
        if len(found) == n:
            break
    return list(found.values())


def _grounds(world: _World, draw: Draw) -> dict[str, Any]:
    """Draw accepted facts: most leaves hold; one that does not holds of somebody else.

    As many facts whatever follows from them, or counting them would tell the verdict.
    """
    facts = [f"{world.who} is {leaf}" for leaf in world.leaves] + world.beside
    moved = draw.sample(world.leaves, draw.pick([0, 0, 1, 1, 1, 2]))
    for fact in [f"{world.who} is {leaf}" for leaf in moved] + draw.sample(
        world.beside, draw.below(3)
    ):
        _, _, attribute = fact.partition(" is ")
        free = [f"{name} is {attribute}" for name in world.others]
        free = [other for other in free if other not in facts]
        if free:
            facts[facts.index(fact)] = draw.pick(free)
        elif attribute in world.leaves:
            facts.remove(fact)
    # One order for the whole world, so that a revision shows as its facts and nothing else.
    facts.sort(key=lambda fact: sha256(f"{world.query}: {fact}".encode()))
    return {"facts": facts, "query": f"{world.who} is {world.query}"}


def _norms(world: _World, draw: Draw) -> list[dict[str, Any]]:
    """Draw rules: up to two that matter are narrowed, turned elsewhere or given up for another.

    As many rules whatever follows from them, as with the facts.
    """
    live = [*world.heads, *world.inner]
    hit = draw.sample(live, draw.pick([0, 0, 1, 1, 1, 2]))
    if draw.chance(20):
        hit = list(world.heads)
    hit += draw.some(world.idle, 40)
    rules = []
    for i, rule in sorted(enumerate(world.rules), key=lambda item: item[1]["place"]):
        body, head = list(rule["if"]), rule["then"]
        if i in hit:
            change = draw.below(3)
            if change == 0:
                body = draw.sample([*world.asides, *world.leaves], len(body))
            if change == 1:
                body.append(draw.pick(world.spare[:6]))
            else:
                head = draw.pick(world.spare[6:12])
        rules.append(_ground(rule["id"], body, head, rule["over"]))
    return rules


def _ground(name: str, body: list[str], head: str, over: list[str]) -> dict[str, Any]:
    if len(over) > 1:
        atoms = [f"? is {a}" for a in body]
        return {"id": name, "over": over, "if": atoms, "then": f"? is {head}"}
    return {"id": name, "if": [f"{over[0]} is {a}" for a in body], "then": f"{over[0]} is {head}"}


def _authority(world: _World, draw: Draw) -> list[str]:
    """Draw the authoritative rules: without some, without every rule for the query, or all.

    Two rules lack authority in every version, idle ones where no others do: again so that
    counting them tells nothing.
    """
    case = draw.below(10)
    live = [*world.heads, *world.inner]
    if case < 3:
        out = list(world.heads)
    elif case < 7:
        out = draw.sample(live, draw.pick([1, 1, 2]))
    else:
        out = []
    out += draw.shuffled(world.idle)[: max(0, 2 - len(out))]
    kept = [rule for i, rule in enumerate(world.rules) if i not in out]
    return [rule["id"] for rule in sorted(kept, key=lambda rule: rule["place"])]
