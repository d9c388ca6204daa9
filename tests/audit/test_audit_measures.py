"""The paper's intervals and p-values from its counts, and measures against a scripted truth."""

import math

import pytest
from audit_cases import cases_of, records_of
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.audit import Character, Observed, Options, Table, measure, prepared
from decidendi.audit import _measures as measures
from decidendi.audit._reading import named_spans
from decidendi.legal import task
from decidendi.stats import holm, mcnemar_p

# Hits, n, and the published interval in percent (Sadhu et al., tables 2, 6, 7, 8 and section 6).
# Every end is a quantile of the resampled count; with a thousand resamples it may fall one
# count aside, as the paper's own do where the same share has two intervals.
INTERVALS = [
    (9, 27, 14.8, 51.9),
    (9, 29, 13.8, 48.3),
    (17, 29, 41.4, 75.9),
    (11, 27, 22.2, 59.3),
    (11, 30, 20.0, 56.7),
    (10, 30, 16.7, 50.0),
    (1, 18, 0.0, 16.7),
    (4, 24, 4.2, 33.3),
    (5, 23, 8.7, 39.1),
    (2, 24, 0.0, 20.8),
    (13, 30, 23.3, 60.0),
    (9, 30, 13.3, 46.7),
    (15, 28, 35.7, 71.4),
    (18, 30, 40.0, 76.7),
    (21, 30, 53.3, 86.7),
    (13, 30, 26.7, 60.0),
    (14, 29, 31.0, 65.5),
    (12, 25, 28.0, 68.0),
    (14, 28, 32.1, 67.9),
    (13, 30, 26.7, 63.3),
    (12, 30, 23.3, 56.7),
    (23, 30, 60.0, 90.0),
]
# Discordant counts and the published p (tables 13 and 14).
P_VALUES = [
    (7, 6, 1.000), (4, 11, 0.118), (5, 7, 0.774), (9, 9, 1.000), (2, 10, 0.039),
    (7, 10, 0.629), (4, 6, 0.754), (2, 2, 1.000), (11, 6, 0.332), (10, 4, 0.180),
    (10, 2, 0.039), (8, 6, 0.791), (9, 6, 0.607), (6, 2, 0.289), (3, 5, 0.727),
    (7, 4, 0.549), (1, 6, 0.125), (1, 9, 0.021), (4, 10, 0.180), (5, 6, 1.000),
    (0, 9, 0.004), (11, 5, 0.210), (4, 7, 0.549), (4, 8, 0.388), (2, 13, 0.007),
    (2, 5, 0.453),
]  # fmt: skip


def observed(hits, n):
    keys = [(f"c{i}", 0) for i in range(n)]
    return Observed(
        {key: i < hits for i, key in enumerate(keys)}, {key: key[0] for key in keys}, {}
    )


@pytest.mark.parametrize(("hits", "n", "low", "high"), INTERVALS)
def test_intervals_of_the_paper(hits, n, low, high):
    rate = observed(hits, n).rate()
    step = 100 / n
    assert abs(100 * rate.low - low) <= step + 0.06
    assert abs(100 * rate.high - high) <= step + 0.06


def test_most_ends_are_the_papers_to_the_digit():
    exact = 0
    for hits, n, low, high in INTERVALS:
        rate = observed(hits, n).rate()
        exact += abs(100 * rate.low - low) < 0.06
        exact += abs(100 * rate.high - high) < 0.06
    assert exact >= 0.8 * 2 * len(INTERVALS)


def test_nine_of_27():
    assert str(observed(9, 27).rate()) == "9/27 = 33.3% [14.8, 51.9]"


def test_no_event_is_not_certainty():
    """The paper prints [0.0, 0.0] for 0 of 18; a resample of nothing says nothing."""
    rate = observed(0, 18).rate()
    assert rate.low == 0
    assert 0.1 < rate.high < 0.2
    assert "Wilson" in rate.method


@pytest.mark.parametrize(("a", "b", "p"), P_VALUES)
def test_p_values_of_the_paper(a, b, p):
    assert round(mcnemar_p(a, b), 3) == p


def test_the_smallest_p_of_the_paper_alone_survives_its_family():
    assert mcnemar_p(0, 12) < 0.001
    scotus = {i: mcnemar_p(a, b) for i, (a, b, _) in enumerate([*P_VALUES[13:], (0, 12, 0)])}
    survivors = [i for i, p in holm(scotus).items() if p < 0.05]
    assert survivors == [len(scotus) - 1]


# Against a model whose truth is known.


@pytest.mark.parametrize("task", ["echr", "scotus", "contractnli", "law"])
@pytest.mark.parametrize("dependence", [0.0, 1.0])
def test_full_and_no_dependence(task, dependence):
    character = Character(dependence=dependence, wobble=0, obedience=0)
    found = measure(
        "m",
        records_of(task, character, "control,null,paraphrase,order"),
        cases_of(task).design.task,
        replicates=50,
    )
    assert found.get("swap").share == dependence
    assert found.get("null").share == dependence
    assert found.get("paraphrase").share == 0
    assert found.get("order").share == 0
    assert found.net.value == dependence
    assert found.get("confound-free").share == dependence


@pytest.mark.parametrize("dependence", [0.0, 1.0])
def test_masked_precedent(dependence):
    records = records_of("casehold", Character(dependence=dependence, wobble=0), "masked")
    found = measure("m", records, cases_of("casehold").design.task, replicates=50)
    assert found.get("masked").share == dependence
    assert found.get("masked").n > 0


def test_partial_dependence_is_found_within_its_error():
    ready = prepared(Options(task="law", n=300))
    character = Character(dependence=0.3, obedience=0.8, wobble=0.1, naming=0.7, unprompted=0.2)
    records = records_of("law", character, None, n=300)
    found = measure("m", records, ready.design.task, replicates=200)
    for name, truth in {
        "swap": 0.3, "paraphrase": 0.1, "engagement": 0.7, "engagement-unprompted": 0.2,
        "targeted": 0.8,
    }.items():  # fmt: skip
        rate = found.get(name)
        error = 4 * math.sqrt(truth * (1 - truth) / rate.n)
        assert abs(rate.share - truth) <= error, name
        assert rate.low <= rate.share <= rate.high


def test_obedience_is_compliance():
    records = records_of("echr", Character(obedience=1, dependence=0, wobble=0), "injection")
    found = measure("m", records, cases_of("echr").design.task, replicates=50)
    assert found.get("compliance").share == 1
    assert found.get("targeted").share == 1
    # The ordered verdict is never gold's, so an obedient model is never right under attack.
    assert found.get("attacked").share == 0
    assert found.get("clean").share == found.get("accuracy").share
    # A verdict that was wrong before does not change: change is the stricter figure.
    assert found.get("injection").share == pytest.approx(found.get("clean").share)


def test_every_framing_and_position_is_obeyed_and_resisted():
    for obedience in (0, 1):
        character = Character(obedience=obedience, dependence=0, wobble=0)
        records = records_of("echr", character, "injection:all", n=6)
        found = measure("m", records, cases_of("echr").design.task, replicates=20)
        rates = [m.rate for m in found.measures if m.id.startswith("compliance:")]
        assert len(rates) == 15
        changed = [m.rate for m in found.measures if m.id.startswith("injection:")]
        assert all(rate.share == 1 for rate in rates) if obedience else True
        assert obedience or all(rate.share == 0 for rate in changed)


@pytest.mark.parametrize("fault", ["failure", "refusal", "rambling"])
def test_what_gives_no_verdict_is_excluded_and_counted(fault):
    records = records_of("echr", Character(**{fault: 0.5}), "control,injection")
    found = measure("m", records, cases_of("echr").design.task, replicates=50)
    swap = found.get("swap")
    assert 0 < swap.n < found.cases
    assert swap.n + sum(swap.excluded.values()) == found.cases
    assert set(swap.excluded) <= {"target: not-converged", "control: not-converged"}
    assert found.convergence[0].rate.n == found.cases
    assert found.convergence[0].rate.numerator < found.cases


def test_a_model_that_never_answers_measures_nothing():
    found = measure(
        "m", records_of("echr", Character(failure=1), None), cases_of("echr").design.task,
        replicates=20,
    )  # fmt: skip
    for name in ("swap", "accuracy", "compliance", "confound-free", "paraphrase"):
        assert found.get(name).share is None
        assert found.get(name).n == 0
    assert found.net.value is None
    assert found.tests == ()


def test_variants_are_told_apart():
    records = records_of("echr", Character(), "paraphrase:all", n=6)
    found = measure("m", records, cases_of("echr").design.task, replicates=20)
    names = [m.id for m in found.measures if m.id.startswith("paraphrase")]
    assert len(names) >= 6
    assert [name for name in names if ":" not in name] == ["paraphrase"]


def test_variants_are_averaged_for_each_case():
    records = records_of("echr", Character(wobble=0.5), "control,paraphrase:all,injection:all", n=6)
    found = measure("m", records, cases_of("echr").design.task, replicates=50)
    for name in ("paraphrase", "compliance", "injection"):
        alone = [m.rate for m in found.measures if m.id.startswith(f"{name}:")]
        together = found.get(name)
        assert together.numerator == sum(rate.numerator for rate in alone)
        assert together.n == sum(rate.n for rate in alone) == 6 * len(alone)
    assert found.net.units == 6
    assert found.net.value == pytest.approx(
        found.get("swap").share - found.get("paraphrase").share
    )  # the mean over wordings, whichever stands first
    reordered = measure("m", records[::-1], cases_of("echr").design.task, replicates=50)
    assert reordered.net.value == pytest.approx(found.net.value)


def test_a_case_in_many_wordings_is_one_unit():
    wordings = [f"w{j}" for j in range(5)]
    hits = {(f"c{i}", 0, w): i < 5 for i in range(10) for w in wordings}
    units = {(f"c{i}", 0): f"c{i}" for i in range(10)}
    once = {(f"c{i}", 0, ""): i < 5 for i in range(10)}
    many, few = Observed(hits, units, {}).rate(), Observed(once, units, {}).rate()
    assert (many.low, many.high) == (few.low, few.high)


def test_units_are_resampled_together():
    keys = [(f"c{i}", 0) for i in range(40)]
    units = {key: f"u{i // 20}" for i, key in enumerate(keys)}
    hits = {key: i < 20 for i, key in enumerate(keys)}
    alone = Observed(hits, {key: key[0] for key in keys}, {}).rate()
    clustered = Observed(hits, units, {}).rate()
    assert clustered.high - clustered.low > alone.high - alone.low


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=1, max_size=20))
def test_margin_shift_is_the_mean_change(margins):
    table = Table(margin_records(margins))
    shift = measures.margin_shift(table, "control", "YES", replicates=50)
    changes = [after - before for before, after in margins]
    assert shift.n == len(margins)
    assert shift.mean == pytest.approx(sum(changes) / len(changes), abs=1e-9)
    assert shift.absolute == pytest.approx(sum(map(abs, changes)) / len(changes), abs=1e-9)


def margin_records(margins):
    from dataclasses import replace

    base = records_of("echr", Character(), "control", n=2)
    target = next(r for r in base if r.condition == "target")
    control = next(r for r in base if r.condition == "control")
    for i, (before, after) in enumerate(margins):
        for record, margin in ((target, before), (control, after)):
            generation = replace(record.generation, margin=margin)
            yield replace(record, case=f"c{i}", unit=f"c{i}", generation=generation)


def test_margins_are_unmeasured_without_probabilities():
    found = measure("m", records_of("echr", Character(), None), cases_of("echr").design.task,
                    replicates=20)  # fmt: skip
    assert found.shifts == {}


@pytest.mark.parametrize(
    ("authority", "text"),
    [
        ("12-a-1", "FRCP 12(a)(1)"),
        ("12-a-1", "Fed. R. Civ. P. 12(a)(1)"),
        ("38-b", "Federal Rule of Civil Procedure 38"),
        ("41-a-1", "FRCP 41(a)"),
        ("1441-b-2", "28 U.S.C. § 1441(b)"),
        ("1332-a", "28 USC 1332"),
    ],
)
def test_a_shorter_citation_names_an_authority_in_every_style(authority, text):
    found = task("law").authority(authority)
    assert named_spans(f"It is governed by {text}, as is settled.", found)


def test_an_answer_that_was_withheld_is_no_answer_without_the_name():
    records = records_of("echr", Character(refusal=0.5, naming=1), "control", 12)
    found = measures.engagement(Table(records), "target")
    assert set(found.hits.values()) == {True}
    assert len(found.hits) + found.excluded["target: withheld"] == 12
    assert 0 < found.excluded["target: withheld"] < 12
    assert len(measures.convergence(Table(records), "target").hits) == 12
