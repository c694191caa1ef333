"""Lower bounds on rho: each inequality against closed forms, the coverage of each bound, and wrong bounds that fail."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from pan_audits.statistics import (
    MOST_HIGH,
    DivergenceBet,
    bernoulli_divergence,
    best_bet,
    detectable_rho,
    event_rho_bound,
    gains,
    largest_fraction,
    rho_of_event,
)

CHANCES = st.floats(0, 1)
INNER = st.floats(1e-6, 1 - 1e-6)
ORDERS = st.floats(1.01, 50)


def renyi(p, q, order):
    """The definition, term by term."""
    return math.log(p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)) / (order - 1)


@given(INNER, INNER, st.floats(1.01, 8))
def test_the_divergence_of_two_bernoulli_distributions_is_the_definition(p, q, order):
    assert float(bernoulli_divergence(p, q, order)) == pytest.approx(renyi(p, q, order), rel=1e-6, abs=1e-9)


@given(INNER, INNER)
def test_order_one_is_the_limit(p, q):
    near, limit = (float(bernoulli_divergence(p, q, order)) for order in (1 + 1e-6, 1.0))
    assert near == pytest.approx(limit, rel=1e-3, abs=1e-6)
    assert limit == pytest.approx(stats.entropy([p, 1 - p], [q, 1 - q]), rel=1e-6, abs=1e-9)


@given(CHANCES, CHANCES, CHANCES, st.sampled_from([1.0, 1.3, 2.0, 20.0]))
def test_a_lower_left_and_a_higher_right_chance_show_less(p, q, part, order):
    """So that the two Clopper-Pearson bounds may be put in."""
    p, q = max(p, q), min(p, q)
    middle = q + part * (p - q)
    for worse in ((middle, q), (p, middle)):
        for forth in (worse, worse[::-1]):
            best = (p, q) if forth == worse else (q, p)
            assert bernoulli_divergence(*forth, order) <= bernoulli_divergence(*best, order) + 1e-9


def test_certain_and_impossible_events_have_their_limits():
    assert rho_of_event(0.5, 0.5)[0] == pytest.approx(0.0, abs=1e-12)
    assert rho_of_event(0.5, 0.0)[0] == math.inf
    assert rho_of_event(1.0, 0.5)[0] == math.inf
    assert float(bernoulli_divergence(1.0, 0.5, 3.0)) == pytest.approx(math.log(2))
    assert event_rho_bound(5, 10, 7, 10, error=0.1) == (0.0, 1.0)


@settings(max_examples=50)
@given(st.floats(0.01, 5), st.floats(-3, 6))
def test_no_event_of_two_normal_distributions_shows_more_than_their_rho(rho, limit):
    """Data processing. The distributions N(m, 1) and N(0, 1) have rho = m^2/2 in every order."""
    shift = math.sqrt(2 * rho)
    assert rho_of_event(stats.norm.sf(limit - shift), stats.norm.sf(limit))[0] <= rho * (1 + 1e-6)


def test_a_rare_event_shows_its_rho_in_a_large_order():
    """One run in a thousand tells everything: the divergence of order 1 hardly notices it."""
    p, q = 1e-3, 1e-8
    rho, order = rho_of_event(p, q)
    assert rho > 100 * float(bernoulli_divergence(p, q, 1.0))
    assert rho == pytest.approx(renyi(p, q, order) / order)
    assert order > 2


@pytest.mark.parametrize(("runs", "p", "q"), [(30, 0.5, 0.1), pytest.param(200, 0.05, 0.01, marks=pytest.mark.more)])
def test_the_bound_of_an_event_is_above_its_rho_no_more_often_than_its_error(runs, p, q):
    """The probability is computed, outcome by outcome. The estimate itself is above it too often."""
    true, error = rho_of_event(p, q)[0], 0.2
    weights = np.outer(*(stats.binom.pmf(range(runs + 1), runs, chance) for chance in (p, q)))
    likely = [(x, y) for x, y in np.argwhere(weights > 1e-4) if x > y]
    bounds = {(x, y): event_rho_bound(int(x), runs, int(y), runs, error=error)[0] for x, y in likely}
    left_out = 1 - weights[tuple(np.array(likely).T)].sum() - weights[np.triu_indices(runs + 1)].sum()
    assert left_out < 0.02
    assert sum(weights[place] for place, bound in bounds.items() if bound > true) + left_out <= error
    naive = {(x, y): rho_of_event(x / runs, y / runs)[0] for x, y in likely}
    assert sum(weights[place] for place, bound in naive.items() if bound > true) > error


@st.composite
def distributions_and_functions(draw):
    """Two distributions of three outcomes, and a function of the outcomes."""
    weights = [np.array([draw(st.floats(0.05, 1)) for _ in range(3)]) for _ in range(2)]
    values = np.array([draw(st.floats(-4, 4)) for _ in range(3)])
    return *(one / one.sum() for one in weights), values


@given(distributions_and_functions())
def test_the_mean_of_the_gains_is_at_most_the_divergence(case):
    p, q, values = case
    mean = float(p @ values - q @ np.exp(values) + 1)
    tighter = float(p @ values - math.log(q @ np.exp(values)))
    divergence = stats.entropy(p, q)
    assert mean <= tighter + 1e-12
    assert tighter <= divergence + 1e-12
    ratio = np.log(p / q)
    assert p @ ratio - q @ np.exp(ratio) + 1 == pytest.approx(divergence)


@pytest.mark.parametrize("rho", [0.05, 0.5, 2.0])
def test_the_kullback_leibler_divergence_of_normal_distributions_is_their_rho(rho):
    """By integration. So the bound of a score can come near rho."""
    shift = math.sqrt(2 * rho)
    left, right = stats.norm(shift, 1), stats.norm(0, 1)
    found, _ = integrate.quad(lambda x: left.pdf(x) * (left.logpdf(x) - right.logpdf(x)), -15, 15)
    assert found == pytest.approx(rho, rel=1e-6)


def test_the_gains_of_many_runs_have_the_mean_of_the_dual_form():
    """A Monte Carlo check with a clipped ratio, against an integral: five standard errors."""
    rho, low, high = 0.5, -2.0, 1.5
    shift = math.sqrt(2 * rho)

    def function(x):
        return np.clip(shift * x - rho, low, high)

    generator = np.random.default_rng(1)
    drawn = gains(function(generator.normal(shift, 1, 200_000)), function(generator.normal(0, 1, 200_000)))
    mean, _ = integrate.quad(lambda x: stats.norm.pdf(x - shift) * function(x), -12, 12, limit=200)
    other, _ = integrate.quad(lambda x: stats.norm.pdf(x) * np.exp(function(x)), -12, 12, limit=200)
    assert abs(drawn.mean() - (mean - other + 1)) < 5 * drawn.std() / math.sqrt(drawn.size)
    assert mean - other + 1 < rho


@given(st.floats(-3, 0), st.floats(0, 3), st.floats(0, 1), st.lists(CHANCES, min_size=2, max_size=30))
def test_no_factor_is_negative_and_the_bound_is_where_the_wealth_reaches_its_threshold(low, high, part, places):
    if high - low < 1e-6:
        return
    bet = DivergenceBet(low, high, part * largest_fraction(low, high))
    values = np.clip(low + (high - low) * np.array(places), low, high)
    left, right = values[: values.size // 2], values[values.size // 2 :][: values.size // 2]
    assert ((gains(left, right) >= bet.least - 1e-12) & (gains(left, right) <= bet.most + 1e-12)).all()
    assert 1 + bet.fraction * (bet.least - bet.most) >= -1e-12
    bound = bet.lower_bound(left, right, error=0.5)
    assert 0 <= bound <= max(0.0, float(gains(left, right).mean()))
    if bound > 0:
        assert np.prod(1 + bet.fraction * (gains(left, right) - bound)) >= 2 * (1 - 1e-9)


@pytest.mark.parametrize("chance", [0.3, 0.05])
def test_the_bound_of_a_score_is_above_the_divergence_no_more_often_than_its_error(chance):
    """Randomised response with the exact ratio. The mean alone, which is no bound, is above it in half of the samples.

    A correct bound fails with probability below 1e-9: it is above the divergence in at most 0.1 of 400 samples.
    """
    ratio, runs, error = math.log((1 - chance) / chance), 200, 0.1
    divergence = (1 - 2 * chance) * ratio
    generator = np.random.default_rng(5)

    def drawn(keep):
        return np.where(generator.random(runs) < keep, ratio, -ratio)

    fraction, _ = best_bet(drawn(1 - chance), drawn(chance), -ratio, ratio, runs=runs, error=error)
    bet = DivergenceBet(-ratio, ratio, fraction)
    samples = [(drawn(1 - chance), drawn(chance)) for _ in range(400)]
    wrong = sum(bet.lower_bound(*sides, error=error) > divergence for sides in samples)
    naive = sum(float(gains(*sides).mean()) > divergence for sides in samples)
    assert wrong <= stats.binom.isf(1e-9, 400, error)
    assert naive > stats.binom.isf(1e-9, 400, error)
    assert np.mean([bet.lower_bound(*sides, error=error) for sides in samples]) > 0.4 * divergence


def test_values_outside_the_limits_and_sides_of_different_size_are_refused():
    bet = DivergenceBet(-1.0, 1.0, 0.1)
    inside = np.zeros(3)
    for left, right in ((np.array([0.0, 0.0, 1.5]), inside), (inside, np.array([0.0, math.nan, 0.0]))):
        with pytest.raises(ValueError, match="outside"):
            bet.lower_bound(left, right, error=0.1)
    with pytest.raises(ValueError, match="equally many"):
        bet.lower_bound(inside, inside[:2], error=0.1)
    with pytest.raises(ValueError, match="lose more than everything"):
        DivergenceBet(-1.0, 1.0, 1.1 * largest_fraction(-1.0, 1.0))
    with pytest.raises(ValueError, match="limits"):
        DivergenceBet(0.0, MOST_HIGH + 1, 0.0)


def test_a_constant_function_shows_nothing():
    flat = np.zeros(50)
    fraction, worth = best_bet(flat, flat, 0.0, 0.0, runs=50, error=0.1)
    assert (fraction, worth) == (0.0, -math.inf)
    assert DivergenceBet(0.0, 0.0, fraction).lower_bound(flat, flat, error=0.1) == 0.0


@pytest.mark.parametrize(("rho", "runs"), [(0.5, 20_000), (0.05, 20_000)])
def test_a_rho_that_is_said_to_be_detectable_is_found_in_most_samples(rho, runs):
    """With the known ratio. It is a statement about power, for 95% of the samples."""
    true = detectable_rho(runs, error=1e-6, rho=rho)
    assert rho < true < 2 * rho
    shift, generator, scale = math.sqrt(2 * true), np.random.default_rng(3), 0.95
    limit = 4 * shift

    def score(values):
        return np.clip(scale * (shift * values - true) + scale * (1 - scale) * true, -limit, limit)

    def drawn():
        return score(generator.normal(shift, 1, runs)), score(generator.normal(0, 1, runs))

    fraction, _ = best_bet(*drawn(), -limit, limit, runs=runs, error=1e-6)
    bet = DivergenceBet(-limit, limit, fraction)
    found = sum(bet.lower_bound(*drawn(), error=1e-6) > rho for _ in range(40))
    assert found >= 32


def test_a_rho_that_no_runs_can_show_is_not_called_detectable():
    assert detectable_rho(100, error=1e-6, rho=50.0) == math.inf
    assert detectable_rho(10**6, error=1e-6, rho=0.5) < detectable_rho(10**4, error=1e-6, rho=0.5)
