"""From a unit to its rows: main cases, and for locked ones their three controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from decidendi.evaluators import RulesAdjudicator
from decidendi.judgment import JSON, Adjudicator, Source, State
from decidendi.reasonbench._draw import Draw
from decidendi.reasonbench._logic_worlds import WORDS, WorldPlan, logic_cases
from decidendi.reasonbench._policy import PolicyRules
from decidendi.reasonbench._policy_worlds import ClausePlan, policy_cases
from decidendi.reasonbench._records import KINDS, GoldCase
from decidendi.reasonbench._render import ORDER, Renderer
from decidendi.reasonbench._splits import Unit
from decidendi.reasonbench._targets import Target, write_target
from decidendi.receipts import receipt_of_cube


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """One case as it is stored.

    Attributes:
        gold: Its labels.
        old: The old state.
        revised: The revised state.
        rendering: Which template put it into words.
        order: The order of the prompt's six sections; see ``ORDER``.
        prompt: What a predictor reads.
    """

    gold: GoldCase
    old: State
    revised: State
    rendering: str
    order: tuple[int, ...]
    prompt: str

    def as_json(self) -> dict[str, JSON]:
        """Return the row's columns; states by the digests of their sources."""
        gold = self.gold
        return {
            "id": gold.id,
            "stratum": gold.stratum,
            "unit": gold.unit,
            "split": gold.split,
            "family": gold.family,
            "depth": gold.depth,
            "mask": gold.mask,
            "control_of": gold.control_of,
            "control": gold.control,
            "cube": list(gold.cube),
            "receipt": list(gold.receipt),
            "old": list(self.old.key),
            "revised": list(self.revised.key),
            "rendering": self.rendering,
            "order": list(self.order),
            "prompt": self.prompt,
            **{column_of(target): write_target(target, gold) for target in Target},
        }


def column_of(target: Target) -> str:
    """Return the column that holds the exact answer to ``target``."""
    return "target_" + target.value.replace("-", "_")


def adjudicator_of(stratum: str) -> Adjudicator:
    """Return a new reference adjudicator of ``policy`` or ``logic``."""
    return PolicyRules() if stratum == "policy" else RulesAdjudicator()


def rows_of(unit: Unit, seed: int) -> tuple[list[BenchmarkRow], list[BenchmarkRow]]:
    """Draw a unit's cases; return its main rows, and its controls if it is locked.

    A pure function of its arguments, so that units can be made in any order and place.
    """
    if isinstance(unit.plan, ClausePlan):
        chosen = policy_cases(unit.plan, seed)
    else:
        assert isinstance(unit.plan, WorldPlan)
        chosen = logic_cases(unit.plan, seed)
    renderer = Renderer(unit.name, unit.rendering)
    main = []
    for i, case in enumerate(chosen, 1):
        gold = GoldCase(
            id=f"{unit.name}/{i:02}",
            stratum=unit.stratum,
            unit=unit.name,
            split=unit.split,
            mask=case.mask,
            cube=case.cube,
            receipt=case.receipt,
            depth=unit.depth,
            family=unit.family,
        )
        prompt = renderer.prompt(case.old, case.revised)
        main.append(BenchmarkRow(gold, case.old, case.revised, unit.rendering, ORDER, prompt))
    if unit.split != "locked":
        return main, []
    adjudicator = adjudicator_of(unit.stratum)
    controls = [control for row in main for control in _controls(row, renderer, adjudicator, seed)]
    return main, controls


def _controls(
    row: BenchmarkRow, renderer: Renderer, adjudicator: Adjudicator, seed: int
) -> Iterator[BenchmarkRow]:
    """Make the inverse, source-order and distractor controls of a locked row.

    Each is labelled by construction, and the label is then checked by executing its cube.
    """
    gold = row.gold
    swapped = gold.cube[::-1]  # cell S of the exchange is cell K \\ S of the case
    exact = receipt_of_cube(dict(enumerate(swapped)), KINDS)
    inverse = replace(
        gold,
        id=f"{gold.id}/inverse",
        control_of=gold.id,
        control="inverse",
        cube=swapped,
        receipt=exact.masks if exact else (),
    )
    order = replace(gold, id=f"{gold.id}/order", control_of=gold.id, control="order")
    beside = replace(gold, id=f"{gold.id}/distractor", control_of=gold.id, control="distractor")
    memo = Draw(seed, "distractor", gold.id).pick(WORDS["memos"])
    planned = [
        (inverse, row.revised, row.old, ORDER),
        (order, row.old, row.revised, _another_order(Draw(seed, "order", gold.id))),
        (beside, _with_memo(row.old, memo), _with_memo(row.revised, memo), ORDER),
    ]
    for control, old, revised, sections in planned:
        if execute(adjudicator, old, revised) != control.cube:
            raise ValueError(f"{control.id}: its cube is not the one it was labelled with")
        prompt = renderer.prompt(old, revised, sections)
        yield BenchmarkRow(control, old, revised, row.rendering, sections, prompt)


def execute(adjudicator: Adjudicator, old: State, revised: State) -> tuple[str, ...]:
    """Execute all eight hybrids; return their verdicts by mask."""
    pairs = list(zip(old.sources, revised.sources, strict=True))
    states = [
        State(pair[mask >> i & 1] for i, pair in enumerate(pairs))
        for mask in range(1 << len(KINDS))
    ]
    return tuple(str(verdict) for verdict in adjudicator.adjudicate(states))


def _another_order(draw: Draw) -> tuple[int, ...]:
    while (order := tuple(draw.shuffled(ORDER))) == ORDER:
        pass
    return order


def _with_memo(state: State, memo: str) -> State:
    """Add an irrelevant record to the grounds."""
    grounds, *rest = state.sources
    content = grounds.content
    assert isinstance(content, dict)
    return State([Source(grounds.kind, {**content, "memo": memo}), *rest])


def sources_of(rows: Sequence[BenchmarkRow]) -> list[Source]:
    """Return the distinct sources of ``rows``, in order of first use."""
    found: dict[tuple[str, str], Source] = {}
    for row in rows:
        for source in (*row.old.sources, *row.revised.sources):
            found.setdefault((source.kind, source.digest), source)
    return list(found.values())
