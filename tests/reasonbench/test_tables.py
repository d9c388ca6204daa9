"""The paper's tables for a benchmark small enough to check each cell."""

import sys
from pathlib import Path

import pytest

from decidendi.reasonbench import (
    Row,
    Scorer,
    Table,
    Target,
    Text,
    all_tables,
    chance_receipts,
    composition,
    controls,
    diagnostics,
    failures,
    outcomes,
    selective,
    separation,
    shifts,
    structure,
)

sys.path.insert(0, str(Path(__file__).parent))
from small_gold import CALIBRATION, CONTROLS, DEPTH, GOLD, LOCKED, exact, predictions

RIGHT = exact([*LOCKED, *CALIBRATION, *DEPTH, *CONTROLS])
WRONG = RIGHT | {
    "L2": "old=deny new=approve receipt=grounds",
    "L3": "old=deny new=approve receipt=grounds",
    "L4": "?",
}


def scorer(method, by_seed, **more):
    return Scorer(predictions(by_seed, method=method, **more), GOLD, replicates=200)


ONE = scorer("one", {"1": RIGHT, "2": RIGHT})
TWO = scorer("two", {"1": WRONG, "2": RIGHT})


def cells(table):
    return {row[0]: row[1:] for row in table.texts}


def test_chance_by_hand():
    # Training families: (1,) once, (2,) once, none twice. Locked: (1,6), none, (7,), (2,).
    chance = chance_receipts(GOLD)
    assert chance["Train-prior random receipt"].share == pytest.approx((2 / 4 + 1 / 4) / 4)
    assert chance["Uniform observed-support receipt"].share == pytest.approx(2 / (3 * 4))
    table = cells(diagnostics([ONE], GOLD))
    assert table["Train-prior random receipt"][1] == "18.8%"
    assert table["one"][0].startswith("100.00% (0.00)")
    assert table["Character TF-IDF"] == ["not measured: not fitted"] * 2 + ["90.0%", "61.7%"]


def test_outcomes_and_their_adjusted_comparison():
    table = outcomes([ONE, TWO])
    rows = cells(table)
    assert rows["one"][3] == "not measured: the direct-receipt target has no cube"
    assert rows["one"][5] == "2"
    assert rows["two"][1].startswith("62.50% (53.03)")
    revised, receipt = next(r.cells[:2] for r in table.rows if r.label == "two minus one")
    assert revised.difference.value == 6 / 8 - 1
    assert receipt.difference.value == 5 / 8 - 1
    smaller = min(revised.difference.p, receipt.difference.p)
    assert min(revised.adjusted, receipt.adjusted) == pytest.approx(min(1, 2 * smaller))
    assert "comparisons, 2 in all" in table.note
    assert "Holm" not in outcomes([ONE]).note


def test_separation():
    rows = cells(separation([ONE, TWO]))
    assert rows["Exact receipt accuracy"][1].startswith("66.67%")
    assert rows["Revised-verdict minus receipt accuracy"][1].startswith("+16.67 pp")
    assert rows["Wrong receipt given both endpoints right"][1].startswith("25.00%")
    assert rows["Eligible seed-case observations"] == ["6", "5"]


def test_failures_structure_shifts_and_composition_count_their_cases():
    assert [row[1] for row in failures([TWO]).texts] == ["4", "4", "3", "by method"]
    sizes = cells(structure([ONE, TWO]))
    assert [sizes[f"Minimum size {n}"][0] for n in (1, 2, 3)] == ["2", "0", "1"]
    assert sizes["Minimum size 2"][1] == "not measured: the benchmark has no such case"
    assert sizes["Minimum size 3"][3].startswith("-50.00 pp")
    assert sizes["Several minimal receipts"][0] == "1"
    assert sizes["Not ambiguous (stable cases included)"][0] == "3"
    assert sizes["Revised: grounds, norms, authority"][0] == "2"
    moved = cells(shifts([ONE, TWO]))
    assert moved["Proof depth"][0] == "1"
    assert moved["Language"][1] == "not measured: the benchmark has no such case"
    composed = cells(composition([ONE, TWO]))
    assert composed["Two or three revised: revised verdict"][0] == "3"
    deeper = composed["… and greater depth: exact receipt"]
    assert deeper[:2] == ["0", "not measured: the benchmark has no such case"]


def test_controls_show_the_floor():
    rows = cells(controls([ONE, TWO]))
    assert rows["Inverse"][0] == "endpoints swap"
    assert rows["Order"][1].endswith("error ≥ 0.00%")
    assert rows["Order"][2].startswith("62.50%")  # three of four break in one of two seeds
    assert rows["Order"][2].endswith("error ≥ 18.75%")


def test_selective():
    sure = {identity: (text, 0.5) for identity, text in RIGHT.items()}
    table = selective([scorer("sure", {"": sure}), ONE])
    rows = cells(table)
    assert rows["sure, 80% aimed at"][3] == "0"
    assert rows["sure, 80% aimed at"][0].startswith("100.00%")
    assert rows["one"][0] == "not measured: no confidences, so nothing can be accepted by them"


def test_all_of_them_for_every_target():
    verdicts = scorer(
        "verdicts", {"1": exact(LOCKED, Target.DIRECT_VERDICT)}, target=Target.DIRECT_VERDICT
    )
    tables = all_tables([ONE, TWO, verdicts], GOLD)
    numbers = [table.number for table in tables]
    assert numbers == ["1", "2", "3", "failures", "4", "strata", "5", "6", "8", "9"]
    for table in tables:
        assert all(len(row) == len(table.columns) for row in table.texts)
        assert "None" not in str(table.texts)
    assert all_tables([ONE, TWO, verdicts], GOLD) == tables


def test_ragged_tables_are_refused():
    with pytest.raises(ValueError, match="differ in length"):
        Table("1", "t", ("a", "b"), (Row("x", (Text("1"), Text("2"))),))
