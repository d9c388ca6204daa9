"""Student's t from its closed form is that of scipy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from decidendi.stats import _student


@given(st.integers(1, 3_000), st.floats(0.5, 0.999))
def test_quantiles_are_those_of_scipy(freedom, level):
    assert _student.t_quantile(level, freedom) == pytest.approx(
        t.ppf((1 + level) / 2, freedom), rel=1e-7
    )


@given(st.integers(1, 60), st.floats(0, 20))
def test_probabilities_are_those_of_scipy(freedom, reach):
    expected = t.cdf(reach, freedom) - t.cdf(-reach, freedom)
    # scipy's is 0 where t is 1e-9: the closed form is the better one there.
    assert _student.t_within(reach, freedom) == pytest.approx(expected, abs=1e-8)


def test_no_jump_where_the_expansion_begins():
    below, above = _student.t_quantile(0.95, 1_000), _student.t_quantile(0.95, 1_001)
    assert 0 < below - above < 1e-5
    assert _student.t_quantile(0.95, 10**9) == pytest.approx(norm.ppf(0.975), abs=1e-8)
    with pytest.raises(ValueError, match="no degree"):
        _student.t_quantile(0.95, 0)
