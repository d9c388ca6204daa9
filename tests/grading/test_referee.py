"""The referee's test, with the figures that were published (arXiv 2502.05675 and its review)."""

import json
import sys

import pytest

from decidendi.cli import main
from decidendi.grading import PeoplesGap, outcome_of, referee
from decidendi.judgment import BadInputError
from decidendi.stats import wilson_interval

PUBLISHED = [
    PeoplesGap("Mistral", 0.133, 30),
    PeoplesGap("Llama", 0.167, 30),
    PeoplesGap("GPT-3.5", 0.097, 30),
    PeoplesGap("GPT-4-turbo", 0.100, 30),
]


def test_the_published_gap_does_not_stand():
    found = referee(PUBLISHED, 0.27)
    assert found.outcome == "does not stand"
    assert found.mean == pytest.approx(0.12425)
    assert [rate.numerator for _, rate in found.models] == [4, 5, 3, 3]
    assert (found.people.numerator, found.people.n) == (15, 120)
    assert (found.people.low, found.people.high) == wilson_interval(15, 120)
    assert found.people.high < 0.20 < 0.27


def test_a_gap_near_peoples_stands_and_a_wide_interval_says_nothing():
    assert referee(PUBLISHED, 0.12).outcome == "stands"
    few = [PeoplesGap("m", 0.2, 15)]
    assert referee(few, 0.27).outcome == "not enough labels"
    assert referee(few, 0.9).outcome == "does not stand"
    assert outcome_of(0.3, 0.25, 0.45) == "stands"
    assert outcome_of(0.3, 0.25, 0.46) == "not enough labels"


@pytest.mark.parametrize(
    ("people", "judged"),
    [([], 0.1), ([PeoplesGap("m", 0.1, 0)], 0.1), ([PeoplesGap("m", 1.3, 30)], 0.1),
     (PUBLISHED, 27)],
)  # fmt: skip
def test_what_is_no_share_is_refused(people, judged):
    with pytest.raises(BadInputError):
        referee(people, judged)


def test_a_model_named_twice_is_refused(capsys):
    twice = [*PUBLISHED, PeoplesGap("Llama", 0.2, 30)]
    with pytest.raises(BadInputError, match="the model 'Llama' is named 2 times"):
        referee(twice, 0.27)
    people = ["--people", "m=13.3/30", "--people", "n=10/30", "--people", "m=13.3/30"]
    code, printed = run(capsys, "--judged", "27", *people)
    assert code == 2
    assert "the model 'm' is named 2 times" in printed.err


def run(capsys, *words):
    sys.argv = ["decidendi", "referee", *words]
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code, capsys.readouterr()


def test_the_command(capsys):
    people = ["--people", "mistral=13.3/30", "--people", "llama=16.7/30"]
    people += ["--people", "gpt-3.5=9.7/30", "--people", "gpt-4-turbo=10.0/30"]
    code, printed = run(capsys, "--judged", "27", *people)
    assert code == 1
    assert "does not stand" in printed.out
    code, printed = run(capsys, "--judged", "12", *people, "--json")
    assert code == 0
    assert json.loads(printed.out)["outcome"] == "stands"
    code, printed = run(capsys, "--judged", "12", "--people", "mistral:13")
    assert code == 2
    assert "MODEL=POINTS/CHAINS" in printed.err
