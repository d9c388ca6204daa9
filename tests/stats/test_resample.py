"""The bootstrap by counts is the plain bootstrap, only faster."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from decidendi.stats import Resampler, _resample, bootstrap_rate, paired_difference

few = settings(max_examples=25, deadline=None)

observations = st.lists(
    st.tuples(st.booleans(), st.sampled_from("abcde"), st.sampled_from([11, 23, 37])),
    min_size=1,
    max_size=60,
)


def split(rows):
    return ([row[i] for row in rows] for i in range(3))


def plain_totals(resampler, hits, units, seeds):
    """Rebuild every replicate case by case from the same draws."""
    out = []
    for of_seeds, of_units in resampler.weights():
        for seed_counts, unit_counts in zip(of_seeds, of_units, strict=True):
            drawn = [
                (hit, s)
                for s, times in zip(resampler.seeds, seed_counts, strict=True)
                for _ in range(int(times))
                for u, again in zip(resampler.units, unit_counts, strict=True)
                for _ in range(int(again))
                for hit, unit, seed in zip(hits, units, seeds, strict=True)
                if unit == u and seed == s
            ]
            out.append((sum(hit for hit, _ in drawn), len(drawn)))
    return np.array(out, dtype=float)


@few
@given(observations)
def test_totals_equal_those_of_plain_resampling(rows):
    hits, units, seeds = split(rows)
    resampler = Resampler(units, seeds, replicates=30)
    tally = resampler.tally(hits, units, seeds)
    found = resampler.totals([tally.hits, tally.counts])
    assert (found == plain_totals(resampler, hits, units, seeds)).all()


@few
@given(observations, st.randoms())
def test_the_order_of_observations_does_not_matter(rows, random):
    hits, units, seeds = split(rows)
    resampler = Resampler("abcde", [11, 23, 37], replicates=50)
    shuffled = random.sample(rows, len(rows))
    again = resampler.tally(*split(shuffled))
    assert resampler.rate(resampler.tally(hits, units, seeds)) == resampler.rate(again)


def test_draws_are_the_same_however_they_are_cut_into_blocks(monkeypatch):
    whole = list(Resampler(range(40), range(5), replicates=500).weights())
    monkeypatch.setattr(_resample, "_BLOCK", 333)
    cut = list(Resampler(range(40), range(5), replicates=500).weights())
    assert len(cut) > len(whole) == 1
    for part in (0, 1):
        assert (np.concatenate([b[part] for b in cut]) == whole[0][part]).all()


def test_each_replicate_draws_as_many_as_there_are():
    for of_seeds, of_units in Resampler(range(17), range(3), replicates=200).weights():
        assert set(of_seeds.sum(axis=1)) == {3}
        assert set(of_units.sum(axis=1)) == {17}


def test_the_units_drawn_do_not_depend_on_the_number_of_seeds():
    one, five = Resampler(range(9), replicates=20), Resampler(range(9), range(5), replicates=20)
    assert (next(one.weights())[1] == next(five.weights())[1]).all()


def test_counts_have_the_multinomial_mean_and_spread():
    n, replicates = 12, 20_000
    blocks = [units for _, units in Resampler(range(n), replicates=replicates).weights()]
    counts = np.concatenate(blocks)
    assert counts.mean(axis=0) == pytest.approx(np.ones(n), abs=0.05)
    covariance = np.cov(counts.T)
    assert np.diag(covariance) == pytest.approx(np.full(n, 1 - 1 / n), abs=0.05)
    assert covariance[0, 1:] == pytest.approx(np.full(n - 1, -1 / n), abs=0.05)


@pytest.mark.parametrize(("hits", "n"), [(9, 27), (3, 40), (55, 80)])
def test_the_interval_is_scipys_percentile_interval(hits, n):
    sample = np.array([True] * hits + [False] * (n - hits))
    found = bootstrap_rate(list(sample), seed=5)
    theirs = scipy_stats.bootstrap(
        (sample.astype(float),), np.mean, method="percentile", n_resamples=10_000, rng=5
    ).confidence_interval
    # Ends sit on a grid of 1/n; two runs may fall to neighbouring grid points.
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1.01 / n)


def test_clustered_cases_give_a_wider_interval_than_independent_ones():
    hits = [i // 20 % 2 == 0 for i in range(200)]
    clustered = bootstrap_rate(hits, [i // 20 for i in range(200)])
    independent = bootstrap_rate(hits)
    assert clustered.high - clustered.low > 3 * (independent.high - independent.low)


@few
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=4, max_size=60))
def test_intervals_of_equal_units_hold_the_share(pairs):
    hits = [hit for pair in pairs for hit in pair]
    found = bootstrap_rate(hits, [i // 2 for i in range(len(hits))], replicates=2_000)
    assert 0 <= found.low <= found.share <= found.high <= 1


@few
@given(observations, st.data())
def test_exchanging_the_two_mirrors_the_difference(rows, data):
    hits, units, seeds = split(rows)
    others = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    resampler = Resampler(units, seeds, replicates=200)
    one, two = resampler.tally(hits, units, seeds), resampler.tally(others, units, seeds)
    there, back = resampler.difference(one, two), resampler.difference(two, one)
    assert there.value == -back.value
    assert there.p == back.p
    if there.low is not None:
        assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-12)


def test_a_difference_uses_the_same_draw_for_both():
    """Two methods that differ by the same amount in every unit differ by it in every replicate."""
    units = [i // 4 for i in range(80)]
    one = [i % 4 < 3 if u % 2 else i % 4 < 2 for i, u in enumerate(units)]
    two = [hit and i % 4 > 0 for i, hit in enumerate(one)]
    found = paired_difference(one, two, units)
    assert (found.value, found.low, found.high) == pytest.approx((0.25, 0.25, 0.25))
    assert found.p == 2 / 10_001
    assert found.units == 20


def test_no_difference_is_no_evidence():
    found = paired_difference([True, False, True], [True, False, True])
    assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_the_p_value_is_near_uniform_when_nothing_differs():
    rng = np.random.default_rng(3)
    ps = [
        paired_difference(
            list(rng.random(60) < 0.6), list(rng.random(60) < 0.6), replicates=400, seed=i
        ).p
        for i in range(300)
    ]
    assert np.mean([p <= 0.05 for p in ps]) <= 0.09
    assert 0.3 < np.mean([p <= 0.5 for p in ps]) < 0.65


def test_undefined_differences_are_none_and_say_so():
    resampler = Resampler("ab", replicates=50)
    some, nothing = resampler.tally([True, False], "ab"), resampler.tally([], "")
    found = resampler.difference(some, nothing)
    assert (found.value, found.low, found.high, found.p) == (None, None, None, None)
    assert found.method == "undefined: nothing measured"
    single = resampler.difference(resampler.tally([True], "a"), resampler.tally([False], "a"))
    assert (single.value, single.low, single.p) == (1, None, None)


def test_no_unit_at_all_is_undefined():
    nobody = Resampler([], [], replicates=20)
    nothing = nobody.tally([], [], [])
    assert nobody.rate(nothing).share is None
    assert nobody.difference(nothing, nothing).value is None


def test_replicates_without_a_denominator_are_counted_out():
    resampler = Resampler("abc", replicates=1_000)
    rare = resampler.tally([True], "a")  # one unit in three: missing from (2/3)^3 = 30% of draws
    all_of_them = resampler.tally([True, False, True], "abc")
    found = resampler.difference(all_of_them, rare)
    assert 230 < found.undefined < 370
    assert found.low <= found.value <= found.high


def test_several_rates_in_one_pass_equal_one_at_a_time():
    rng = np.random.default_rng(0)
    units = [i % 7 for i in range(70)]
    resampler = Resampler(units, replicates=300)
    tallies = [resampler.tally(list(rng.random(70) < p), units) for p in (0.2, 0.5, 0.9)]
    assert resampler.rates(tallies) == [resampler.rate(tally) for tally in tallies]


def test_several_seeds_need_saying_whose_an_observation_is():
    with pytest.raises(ValueError, match="several seeds"):
        Resampler("a", [1, 2]).tally([True], "a")
    with pytest.raises(ValueError, match="at least one"):
        Resampler("a", replicates=0)
    with pytest.raises(KeyError):
        Resampler("a").tally([True], "z")


def test_memory_does_not_grow_with_units_times_replicates():
    units = list(range(5_000))
    resampler = Resampler(units, replicates=4_000)
    tally = resampler.tally([u % 3 == 0 for u in units], units)
    tracemalloc.start()
    resampler.rate(tally)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # an index matrix of these would be 160 MB
