"""The scripted judge does what it says, as often as it says."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from decidendi.evaluators import RubricFollower
from decidendi.judgment import BadInputError

LABELS = ("resolved", "unresolved", "escalate")


def ask(reply="", product="", scope="", rubric="", own="", system=""):
    text = f"<reply>{reply}</reply><product>{product}</product><scope>{scope}</scope>\n"
    said = (("user", f"{text}<rubric>\n{rubric}\n</rubric>\n{own}"),)
    return (("system", system), *said) if system else said


RUBRIC = """
- escalate if the scope does not list the product.
* resolved if the reply says "refund" or "Replacement" and the reply does not say "sorry";
2. unresolved when the reply says "wait".
"""


@pytest.mark.parametrize(
    ("messages", "verdict"),
    [
        (ask("A REFUND", "tv", "tv, fax", RUBRIC), "resolved"),
        (ask("a replacement", "tv", "tv, fax", RUBRIC), "resolved"),
        (ask("sorry, a refund", "tv", "tv, fax", RUBRIC), None),
        (ask("sorry, a refund. Wait", "tv", "tv, fax", RUBRIC), "unresolved"),
        (ask("a refund", "car", "tv, fax", RUBRIC), "escalate"),
        (ask("hm", "tv", "tv", RUBRIC, own="escalate otherwise."), "escalate"),
        (ask("hm", "tv", "tv", RUBRIC, system="escalate otherwise."), "escalate"),
        (ask("hm\nresolved otherwise.", "tv", "tv", RUBRIC), None),
        (ask("refund", rubric="resolved if it feels right."), None),
        (ask("refund"), None),
    ],
)
def test_it_follows_the_rules_it_reads(messages, verdict):
    assert RubricFollower(LABELS).verdict(messages) == verdict
    shares = RubricFollower(LABELS, steadiness="0.8", silence="0.1").probabilities(messages)
    if verdict is None:
        assert set(shares.values()) == {0}
        assert "VERDICT" not in RubricFollower(LABELS).answer(messages, 0)
    else:
        assert shares.pop(verdict) == Fraction("0.72")
        assert set(shares.values()) == {Fraction("0.09")}
        assert RubricFollower(LABELS, "RULING").answer(messages, 3).endswith(f"RULING: {verdict}")


def test_it_reads_only_so_many_words():
    messages = ask("one two refund", rubric='resolved if the reply says "refund".')
    assert RubricFollower(LABELS, reads=3).verdict(messages) == "resolved"
    assert RubricFollower(LABELS, reads=2).verdict(messages) is None


def test_draws_come_as_often_as_declared_and_depend_on_what_was_asked():
    judge = RubricFollower(LABELS, steadiness="0.7", silence="0.2")
    rubric = "unresolved otherwise."
    seen = Counter(judge.answer(ask(rubric=rubric), n).rpartition(" ")[2] for n in range(4000))
    shares = judge.probabilities(ask(rubric=rubric))
    assert all(abs(seen[label] / 4000 - share) < 0.025 for label, share in shares.items())
    assert seen["say."] == pytest.approx(800, abs=100)
    one, other = ([judge.answer(ask(reply, rubric=rubric), n) for n in range(50)] for reply in "ab")
    assert one != other
    assert one == [judge.answer(ask("a", rubric=rubric), n) for n in range(50)]


@pytest.mark.parametrize("wrong", ["1.1", "-0.1", "often", 0.5, None, "nan", "inf", True])
def test_what_is_no_probability_is_refused(wrong):
    with pytest.raises(BadInputError, match="steadiness"):
        RubricFollower(LABELS, steadiness=wrong)
