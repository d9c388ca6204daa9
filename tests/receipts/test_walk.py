"""The walk equals the definition, and executes not one cell too many or too few."""

from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.receipts import Receipt, levels, receipt_by_walk, receipt_of_cube
from decidendi.receipts._walk import Walk


def kinds(k):
    return tuple(f"kind{i}" for i in range(k))


@st.composite
def cubes(draw, max_k=6, labels="abc"):
    k = draw(st.integers(1, max_k))
    # Few revised labels make deep walks; many make shallow ones: draw the share as well.
    weights = draw(st.sampled_from(["ab", "aab", "aaaab", "abbb", labels]))
    cells = draw(st.lists(st.sampled_from(weights), min_size=2**k, max_size=2**k))
    return k, dict(enumerate(cells))


def test_equals_enumeration_on_every_two_valued_cube_of_three_kinds():
    for cells in product("ab", repeat=8):
        cube = dict(enumerate(cells))
        receipt, _ = receipt_by_walk(cube, kinds(3))
        assert receipt == receipt_of_cube(cube, kinds(3))


def test_equals_enumeration_on_every_three_valued_cube_of_two_kinds():
    for cells in product("abc", repeat=4):
        cube = dict(enumerate(cells))
        assert receipt_by_walk(cube, kinds(2))[0] == receipt_of_cube(cube, kinds(2))


@given(cubes())
def test_equals_enumeration_on_random_cubes(drawn):
    k, cube = drawn
    assert receipt_by_walk(cube, kinds(k))[0] == receipt_of_cube(cube, kinds(k))


@given(cubes())
def test_a_receipt_is_a_sperner_antichain_of_minimal_reproducing_sets(drawn):
    k, cube = drawn
    whole = 2**k - 1
    receipt, _ = receipt_by_walk(cube, kinds(k))
    if cube[0] == cube[whole]:
        assert receipt is None
        return
    assert isinstance(receipt, Receipt)
    assert 1 <= receipt.multiplicity <= comb(k, k // 2)
    assert receipt.complexity == min(mask.bit_count() for mask in receipt.masks)
    assert receipt.ambiguous == (receipt.multiplicity > 1)
    for member in receipt.masks:
        assert cube[member] == cube[whole]
        assert not any(o != member and o & ~member == 0 for o in receipt.masks)


def executed_by_walk(cube, k):
    walk = Walk(2**k - 1, cube[2**k - 1])
    executed = set()
    while needed := walk.needed():
        executed.update(needed)
        for mask in needed:
            walk.record(mask, cube[mask])
    return executed, walk


@given(cubes(max_k=4))
def test_every_executed_cell_is_necessary_and_every_other_is_not(drawn):
    """Lower bound: leaving one executed cell open, two completions disagree (design/walk.md)."""
    k, cube = drawn
    whole = 2**k - 1
    if cube[0] == cube[whole]:
        return
    executed, _ = executed_by_walk(cube, k)
    receipt = receipt_of_cube(cube, kinds(k))
    for row in levels(whole):
        for mask in row:
            flipped = dict(cube)
            flipped[mask] = "other" if cube[mask] == cube[whole] else cube[whole]
            assert (receipt_of_cube(flipped, kinds(k)) != receipt) == (mask in executed)


@given(cubes(max_k=5), st.randoms())
def test_renaming_the_kinds_renames_the_receipt(drawn, random):
    k, cube = drawn
    order = list(range(k))
    random.shuffle(order)

    def moved(mask):
        return sum(1 << order[i] for i in range(k) if mask >> i & 1)

    renamed = {moved(mask): label for mask, label in cube.items()}
    plain, permuted = receipt_by_walk(cube, kinds(k))[0], receipt_by_walk(renamed, kinds(k))[0]
    expected = None if plain is None else {moved(mask) for mask in plain.masks}
    assert (None if permuted is None else set(permuted.masks)) == expected


@given(cubes(max_k=5), st.data())
def test_with_open_cells_the_known_members_stand_whatever_those_cells_say(drawn, data):
    from decidendi.judgment import Reason, Unmeasured

    k, cube = drawn
    whole = 2**k - 1
    if cube[0] == cube[whole] or k < 2:
        return
    hidden = data.draw(st.sets(st.sampled_from(range(1, whole)), max_size=3))
    partial = {m: Unmeasured(Reason.ERROR) if m in hidden else v for m, v in cube.items()}
    _, walk = executed_by_walk(partial, k)
    assert set(walk.open) <= hidden
    families = []
    for labels in product([cube[whole], "other"], repeat=len(walk.open)):
        completed = {**cube, **{m: "other" for m in hidden}}
        completed.update(zip(walk.open, labels, strict=True))
        receipt = receipt_of_cube(completed, kinds(k))
        assert receipt is not None
        families.append(set(receipt.masks))
    known = set(walk.family())
    assert known <= set.intersection(*families)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32))
def test_sixteen_kinds_are_walked(seed):
    from random import Random

    random = Random(seed)
    target = random.getrandbits(16) or 1
    cube = {m: "new" if m & target == target else "old" for m in range(2**16)}
    receipt, executed = receipt_by_walk(cube, kinds(16))
    assert receipt is not None
    assert receipt.masks == (target,)
    assert executed <= 2**16 - 2


@pytest.mark.parametrize(("k", "interior"), [(1, 0), (2, 2), (3, 6), (10, 1022)])
def test_the_worst_case_meets_the_papers_bound(k, interior):
    cube = {m: "new" if m == 2**k - 1 else "old" for m in range(2**k)}
    receipt, executed = receipt_by_walk(cube, kinds(k))
    assert executed == interior == 2**k - 2
    assert receipt is not None
    assert receipt.masks == (2**k - 1,)
