"""Stochastic adjudicators: decided, undetermined, and what is recorded of both."""

from fractions import Fraction

import pytest
from toys import EITHER, OLD, Coin, Toy

from decidendi.judgment import BadInputError, Case, Reason, State, Unmeasured
from decidendi.receipts import (
    Status,
    Transition,
    certify,
    certify_many,
    to_statement,
    verify_statement,
)
from decidendi.receipts._sampled import decide


def test_a_reliable_judge_is_certified_at_its_confidence():
    certificate = certify(Coin(0.95), OLD, EITHER, budget=200)
    assert certificate.status is Status.CERTIFIED
    assert certificate.receipt.members == (("grounds",), ("norms",))
    assert certificate.sampling.confidence == "0.95"
    assert all(12 <= len(cell.draws) <= 200 for cell in certificate.cells)
    assert verify_statement(to_statement(certificate)) == []


def test_a_coin_is_undetermined_not_guessed():
    certificate = certify(Coin(0.0, seed=3), OLD, EITHER, budget=40)
    assert certificate.status is Status.UNMEASURED
    assert certificate.old_verdict.reason is Reason.UNDETERMINED
    assert len(certificate.cells[0].draws) == 40
    assert verify_statement(to_statement(certificate)) == []


def test_draws_are_shared_between_cases_and_numbered_once():
    coin = Coin(0.9, seed=5)
    twice = [Transition(Case(f"c{i}"), State.of(OLD), State.of(EITHER)) for i in range(2)]
    first, second = certify_many(coin, twice, budget=200, chunk=1)
    assert first.cells == second.cells
    for repeats in coin.repeats.values():
        assert repeats == list(range(len(repeats)))


def test_a_higher_confidence_draws_more():
    loose, strict = (certify(Coin(1.0), OLD, EITHER, confidence=c) for c in ("0.9", "0.999"))
    assert len(loose.cells[0].draws) < len(strict.cells[0].draws)


def test_a_decision_needs_no_more_draws_than_are_recorded():
    draws = ["deny"] * 20
    level = Fraction(1, 20) / 8
    verdict, after = decide(draws, level=level, labels=3)
    assert verdict == "deny"
    assert decide(draws[: after - 1], level=level, labels=3)[0].reason is Reason.UNDETERMINED
    assert decide(draws[:after], level=level, labels=3) == ("deny", after)


def test_draws_without_a_verdict_are_neither_for_nor_against():
    missing = Unmeasured(Reason.NOT_CONVERGED)
    level = Fraction(1, 100)
    plain, after = decide(["a"] * 30, level=level, labels=2)
    mixed, later = decide([missing, "a"] * 30, level=level, labels=2)
    assert plain == mixed == "a"
    assert later == 2 * after
    none, _ = decide([missing] * 9, level=level, labels=2)
    assert "9 of them without a verdict" in none.detail


def test_a_model_that_never_answers_ends_undetermined():
    class Silent(Coin):
        def draw(self, states, repeats):
            raise ConnectionError("refused")

    certificate = certify(Silent(1.0), OLD, EITHER, budget=15)
    assert certificate.status is Status.UNMEASURED
    assert {d.reason for d in certificate.cells[0].draws} == {Reason.ERROR}


def test_a_state_that_is_no_well_typed_input_needs_no_repeated_draws():
    ill = Unmeasured(Reason.INTERFACE, "the prompt names grounds.nope, which is not there")

    class Unfit(Coin):
        def draw(self, states, repeats):
            super().draw(states, repeats)
            return [ill] * len(states)

    unfit = Unfit(1.0)
    certificate = certify(unfit, OLD, EITHER, budget=200)
    assert certificate.old_verdict == ill
    assert all(cell.draws == (ill,) for cell in certificate.cells)
    assert all(len(repeats) < 20 for repeats in unfit.repeats.values())
    assert verify_statement(to_statement(certificate)) == []
    level = Fraction(1, 100)
    assert decide(["a"] * 30 + [ill], level=level, labels=2)[0] == "a"
    assert decide(["a", ill] * 30, level=level, labels=2) == (ill, 2)


@pytest.mark.parametrize("confidence", ["0", "1", "1.5", "-0.5", "high", "nan", "1/0"])
def test_a_confidence_outside_the_open_interval_is_refused(confidence):
    with pytest.raises(BadInputError, match="confidence"):
        certify(Coin(1.0), OLD, EITHER, confidence=confidence)


def test_an_adjudicator_without_draws_cannot_be_stochastic():
    with pytest.raises(BadInputError, match="draw"):
        certify(Toy(deterministic=False), OLD, EITHER)


def test_the_chance_of_a_wrong_certificate_stays_below_delta():
    """True verdicts have probability 0.8; a wrong receipt may occur in at most 1 in 10."""
    truth = certify(Toy(), OLD, EITHER).receipt
    runs = [
        certify(Coin(0.7, seed=seed), OLD, EITHER, confidence="0.9", budget=400)
        for seed in range(150)
    ]
    certified = [c for c in runs if c.status is Status.CERTIFIED]
    assert len(certified) > 140
    assert sum(c.receipt != truth for c in certified) <= 15
