"""The numerical mathematics of the estimators, beside a library that they do not need."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq
from scipy.stats import binom, gamma, laplace, norm

from pan_estimators.numerics import MonotoneCurve, binomial, distribution_of_sum, laplace_sum_cdf, root

FUNCTIONS = {
    "line": (lambda x: 3 * x - 1, 0.0, 9.0),
    "cube": (lambda x: (x - 1) ** 3, -5.0, 7.0),
    "logarithm": (math.log, 1e-9, 50.0),
    "steep": (lambda x: math.expm1(40 * (x - 0.3)), -1.0, 2.0),
    "flat": (lambda x: math.atan(1e6 * (x - 0.7)), 0.0, 1.0),
    "jump": (lambda x: 1.0 if x > 0.25 else -1.0, 0.0, 1.0),
    "large": (lambda x: x - 3e15, 0.0, 1e17),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_root_is_found_as_closely_as_asked_and_no_slower_than_by_bisection(name, mirrored):
    given_function, low, high = FUNCTIONS[name]
    calls = []

    def function(x):
        calls.append(x)
        return -given_function(-x) if mirrored else given_function(x)

    if mirrored:
        low, high = -high, -low
    found = root(function, low, high, tolerance=1e-13)
    steps = len(calls)
    assert all(low <= x <= high for x in calls)
    allowed = 1e-13 + 4 * math.ulp(abs(found))
    below, above = function(max(low, found - allowed)), function(min(high, found + allowed))
    assert below * above <= 0
    assert steps <= 1.5 * math.log2((high - low) / allowed) + 5
    if name in ("line", "logarithm", "steep"):
        assert found == pytest.approx(brentq(function, low, high, xtol=1e-14), abs=2e-13)
        assert steps <= 25


def test_an_end_that_is_a_root_is_found_and_no_change_of_sign_is_refused():
    assert root(lambda x: x, 0.0, 5.0, tolerance=1e-9) == 0
    assert root(lambda x: x - 5, 0.0, 5.0, tolerance=1e-9) == 5
    with pytest.raises(ValueError, match="the same sign at 1"):
        root(lambda x: x, 1.0, 5.0, tolerance=1e-9)


@given(
    st.lists(st.tuples(st.integers(1, 50), st.floats(-1, 1) | st.sampled_from([0.0, 1e-200])), min_size=2, max_size=30)
)
def test_the_monotone_curve_is_that_of_the_library(points):
    places = np.cumsum([step for step, _ in points])
    values = np.array([value for _, value in points])
    asked = np.unique(np.concatenate([places, np.linspace(places[0], places[-1], 77)]))
    with np.errstate(over="ignore"):
        expected = PchipInterpolator(places, values)(asked)
    assert MonotoneCurve.through(places, values)(asked) == pytest.approx(expected, rel=1e-12, abs=1e-13)


def test_the_curve_never_turns_where_its_points_rise():
    places = np.arange(12) ** 2
    values = norm.cdf(np.linspace(-6, 6, 12))
    assert (np.diff(MonotoneCurve.through(places, values)(np.arange(122))) >= 0).all()


@pytest.mark.parametrize("trials", [0, 5, 300, 10**6])
@pytest.mark.parametrize("probability", [1e-12, 0.45, 0.999])
def test_the_binomial_distribution_is_that_of_the_library(trials, probability):
    low, weights = binomial(trials, probability)
    numbers = low + np.arange(weights.size)
    assert numbers[-1] <= trials
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    assert weights == pytest.approx(binom.pmf(numbers, trials, probability), rel=1e-8, abs=1e-14)
    assert binom.cdf(low - 1, trials, probability) + binom.sf(numbers[-1], trials, probability) < 1e-15


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 3), (40, 200), (3000, 500)])
def test_the_distribution_of_a_sum_is_the_convolution(first, second):
    distributions = [binom.pmf(np.arange(n + 1), n, p) for n, p in ((first, 0.3), (second, 0.6))]
    found = distribution_of_sum(*distributions)
    assert found == pytest.approx(np.convolve(*distributions), abs=1e-15)
    assert (found >= 0).all()


def sum_by_quadrature(value, terms):
    """The difference of two gamma variables."""
    reach = 12 * math.sqrt(terms) + 40
    ends = (max(0.0, terms - reach), terms + reach)
    return quad(
        lambda y: gamma.cdf(value + y, terms) * gamma.pdf(y, terms), *ends, limit=400, epsabs=1e-13, points=[terms]
    )[0]


@pytest.mark.parametrize("terms", [2, 4, 100, 5001])
def test_the_distribution_of_a_sum_of_laplace_variables_is_the_one_by_quadrature(terms):
    values = np.array([-4.0, -1.0, -0.1, 0.0, 0.3, 1.0, 2.5]) * math.sqrt(2 * terms)
    expected = [sum_by_quadrature(float(value), terms) for value in values]
    assert laplace_sum_cdf(values, terms) == pytest.approx(expected, abs=1e-9)


def test_the_distribution_of_two_laplace_variables_is_the_closed_form():
    values = np.linspace(-90, 90, 201)
    upper = 1 - (2 + np.abs(values)) / 4 * np.exp(-np.abs(values))
    assert laplace_sum_cdf(values, 2) == pytest.approx(np.where(values >= 0, upper, 1 - upper), abs=1e-12)


def test_the_distribution_of_very_many_laplace_variables_is_normal_and_its_ends_are_certain():
    values = np.array([-1e200, -3.0, 0.0, 0.7, 3.0, 1e200])
    assert laplace_sum_cdf(values * math.sqrt(2e12), 10**12) == pytest.approx(norm.cdf(values), abs=1e-11)
    assert laplace_sum_cdf(values, 5)[[0, -1]].tolist() == [0, 1]
    assert laplace.cdf(0.0) == laplace_sum_cdf(values, 5)[2] == 0.5
