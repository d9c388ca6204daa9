"""Certification: which cells are executed, how often, and what each outcome is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import EITHER, OLD, Table, Toy, refunds

from decidendi.judgment import BadInputError, Case, NonComparableError, Reason, State, Unmeasured
from decidendi.receipts import (
    RecentCells,
    Replays,
    Status,
    Transition,
    certify,
    certify_many,
    interior_cells,
    receipt_of_cube,
    why_open,
)


def test_either_of_two_sources_suffices_and_both_are_kept():
    certificate = certify(Toy(), OLD, EITHER)
    assert certificate.status is Status.CERTIFIED
    assert certificate.receipt.members == (("grounds",), ("norms",))
    assert str(certificate.receipt) == "grounds | norms"
    assert (certificate.old_verdict, certificate.revised_verdict) == ("deny", "approve")


def test_supersets_of_a_member_are_not_executed():
    masks = [cell.mask for cell in certify(Toy(), OLD, EITHER).cells]
    assert masks == [0, 1, 2, 4, 7]


def test_one_changed_kind_needs_no_interior_cell():
    revised = {**OLD, "norms": {"window": 30}}
    toy = Toy()
    certificate = certify(toy, OLD, revised)
    assert [cell.mask for cell in certificate.cells] == [0, 2]
    assert certificate.receipt.members == (("norms",),)
    assert certificate.changed == 2


def test_a_changed_source_without_a_changed_verdict_is_a_no_op():
    certificate = certify(Toy(), OLD, {**OLD, "norms": {"window": 15}})
    assert certificate.status is Status.NO_OP
    assert certificate.receipt is None


def test_nothing_changed_is_identical_and_executes_one_cell():
    certificate = certify(Toy(), OLD, OLD)
    assert certificate.status is Status.IDENTICAL
    assert [cell.mask for cell in certificate.cells] == [0]


def test_each_level_is_one_batch_and_each_state_is_executed_once():
    toy = Toy()
    changes = [Transition(Case(f"c{i}"), State.of(OLD), State.of(EITHER)) for i in range(50)]
    list(certify_many(toy, changes, replays=Replays(first=0, every=10**9)))
    assert toy.batches == [2, 3]  # two endpoints, then three cells of size one
    assert len(set(toy.executed)) == len(toy.executed)


def test_stream_order_and_chunks_do_not_change_certificates():
    def transitions():
        for days in range(40):
            old = {**OLD, "grounds": {"region": "EU", "days": days}}
            new = {**EITHER, "grounds": {"region": "US", "days": days // 2}}
            yield Transition(Case(f"c{days}"), State.of(old), State.of(new))

    whole = list(certify_many(Toy(), transitions()))
    assert whole == list(certify_many(Toy(), transitions(), chunk=1))
    assert whole == list(certify_many(Toy(), transitions(), chunk=7, store=RecentCells(limit=2)))
    assert [c.case_id for c in whole] == [f"c{i}" for i in range(40)]


def test_a_stream_is_read_no_further_than_its_chunk():
    def endless():
        n = 0
        while True:
            yield Transition(Case(f"c{n}"), State.of(OLD), State.of(EITHER))
            n += 1

    stream = certify_many(Toy(), endless(), chunk=4)
    assert [next(stream).case_id for _ in range(6)] == [f"c{i}" for i in range(6)]


@given(
    st.integers(1, 4).flatmap(
        lambda k: st.tuples(
            st.just(k), st.lists(st.sampled_from("aab"), min_size=2**k, max_size=2**k)
        )
    )
)
def test_certifying_and_its_exchange_equal_the_definition(drawn):
    k, cells = drawn
    cube = dict(enumerate(cells))
    whole = 2**k - 1
    table = Table(cube, k)
    forward = certify(table, table.end(0), table.end(1))
    backward = certify(table, table.end(1), table.end(0))
    exchanged = {mask: cube[whole ^ mask] for mask in cube}
    assert forward.receipt == receipt_of_cube(cube, table.identity.kinds)
    assert backward.receipt == receipt_of_cube(exchanged, table.identity.kinds)
    assert (forward.old_verdict, forward.revised_verdict) == (
        backward.revised_verdict,
        backward.old_verdict,
    )
    assert len(forward.cells) <= interior_cells(whole) + 2


def test_a_failing_needed_cell_makes_it_uncertifiable_and_keeps_what_ran():
    def fragile(state):
        if state["grounds"]["days"] == 10 and state["norms"]["window"] == 14:
            raise ValueError("no such field at 0x7f3a2b1c")
        return refunds(state)

    certificate = certify(Toy(fragile), OLD, EITHER)
    assert certificate.status is Status.UNCERTIFIABLE
    assert certificate.receipt is None
    assert certificate.finding.known == (2,)  # norms alone reproduces it whatever {grounds} says
    failed = Unmeasured(Reason.ERROR, "ValueError: no such field at 0x…")
    assert why_open(certificate) == {1: failed, 5: failed}  # {1, 4} too, as {1} is not known
    assert {cell.mask for cell in certificate.cells} >= {0, 1, 2, 4, 7}


def test_a_failing_endpoint_is_unmeasured_not_unchanged():
    def broken(state):
        if state["norms"]["window"] == 30:
            raise RuntimeError("engine down")
        return refunds(state)

    certificate = certify(Toy(broken), OLD, EITHER)
    assert certificate.status is Status.UNMEASURED
    assert certificate.finding.open == (7,)


@pytest.mark.parametrize("answer", ["Approve", "", None, True, 1, ["approve"]])
def test_an_answer_outside_the_set_is_no_verdict(answer):
    certificate = certify(Toy(lambda state: answer), OLD, EITHER)
    assert certificate.status is Status.UNMEASURED
    assert certificate.old_verdict.reason is Reason.LABEL


def test_a_batch_of_the_wrong_length_costs_no_verdict_to_the_wrong_case():
    class Short(Toy):
        def adjudicate(self, states):
            return super().adjudicate(states)[:-1]

    certificate = certify(Short(), OLD, EITHER)
    assert certificate.status is Status.UNMEASURED
    assert "0 verdicts for 1 states" in certificate.old_verdict.detail


def test_a_false_claim_of_determinism_is_caught():
    answers = iter(["approve", "deny", "refer"] * 1000)
    replays = Replays()
    certificate = next(
        certify_many(
            Toy(lambda state: next(answers)),
            [Transition(Case("c"), State.of(OLD), State.of(EITHER))],
            replays=replays,
        )
    )
    assert replays.differing
    assert certificate.old_verdict.reason is Reason.NONDETERMINISTIC


def test_other_kinds_are_not_comparable():
    with pytest.raises(NonComparableError, match="kinds"):
        certify(Toy(), State.of({"grounds": {}}), State.of({"grounds": {}}))


@pytest.mark.parametrize("junk", [{"grounds": {}}, None, {**OLD, "budget": 1}, [1, 2, 3]])
def test_what_is_no_state_is_refused_with_its_kinds(junk):
    with pytest.raises(BadInputError, match="grounds, norms, authority"):
        certify(Toy(), OLD, junk)


def test_a_mapping_may_name_its_kinds_in_any_order():
    backwards = dict(reversed(EITHER.items()))
    assert certify(Toy(), OLD, backwards) == certify(Toy(), OLD, EITHER)


def test_a_slow_evaluator_is_kept_slice_by_slice():
    class Killed(BaseException):
        pass

    class Slow(Toy):
        def adjudicate(self, states):
            if len(self.executed) >= 100:
                raise Killed
            return super().adjudicate(states)

    store = RecentCells()
    changes = [
        Transition(Case(f"c{i}"), State.of({**OLD, "norms": {"window": i}}), State.of(EITHER))
        for i in range(500)
    ]
    with pytest.raises(Killed):
        list(certify_many(Slow(), changes, store=store, replays=Replays(0, 10**9)))
    kept = [store.get(change.old.key) for change in changes]
    assert sum(verdict is not None for verdict in kept) >= 90


class Schema:
    """Old grounds have ``days``, revised ones ``hours``; every other kind fits anything."""

    def problem(self, source, sides):
        if source.kind != "grounds":
            return None
        for side, field in ((1, "days"), (2, "hours")):
            if sides & side and field not in source.content:
                return f"{field} is missing"
        return None


def renamed(state):
    grounds = state["grounds"]
    hours = grounds["hours"] if "hours" in state["norms"] else grounds["days"] * 24
    limit = state["norms"].get("hours") or state["norms"]["window"] * 24
    if grounds["region"] not in state["authority"]:
        return "refer"
    return "approve" if hours <= limit else "deny"


HOURS = {
    "grounds": {"region": "EU", "hours": 240},
    "norms": {"hours": 720},
    "authority": ["EU", "US"],
}


def test_a_renamed_field_is_uncertifiable_under_this_interface():
    certificate = certify(Toy(renamed), OLD, HOURS, contract=Schema())
    assert certificate.status is Status.UNCERTIFIABLE
    reasons = why_open(certificate)
    assert {missing.reason for missing in reasons.values()} == {Reason.INTERFACE}
    assert reasons[2].detail == "grounds: hours is missing"


def migrated(norms):
    carried = {"grounds": {"region": "EU", "hours": 480}, "norms": norms, "authority": ["EU"]}
    return Transition(Case("c"), State.of(OLD), State.of(HOURS), State.of(carried))


def test_a_declared_migration_makes_it_certifiable():
    stream = certify_many(Toy(renamed), [migrated({"hours": 336})], contract=Schema())
    certificate = next(stream)
    assert certificate.status is Status.CERTIFIED
    assert certificate.receipt.members == (("grounds",), ("norms",))
    assert certificate.migration.verdict == "deny"
    assert certificate.migration.old == State.of(OLD).key


def test_a_migration_that_changes_the_old_verdict_certifies_nothing():
    certificate = next(certify_many(Toy(renamed), [migrated({"hours": 500})], contract=Schema()))
    assert certificate.status is Status.UNCERTIFIABLE
    assert "migration" in why_open(certificate)[0].detail


def test_recent_cells_stay_within_their_bound():
    store = RecentCells(limit=10)
    for i in range(1000):
        store.put((str(i),), ("a",))
        store.get(("0",))
    assert store.get(("0",)) == ("a",)  # asked for all the time, so never forgotten
    assert store.get(("500",)) is None
    assert store.get(("999",)) == ("a",)
