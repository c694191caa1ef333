"""Lower bounds on rho: each inequality against closed forms, the coverage of each bound, and wrong bounds that fail."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

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


def renyi(p, q, order):
    """The definition, term by term."""
    return math.log(p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)) / (order - 1)


@given(INNER, INNER, st.floats(1.01, 8))
def test_the_divergence_of_two_bernoulli_distributions_is_the_definition_and_order_one_its_limit(p, q, order):
    assert float(bernoulli_divergence(p, q, order)) == pytest.approx(renyi(p, q, order), rel=1e-6, abs=1e-9)
    near, limit = (float(bernoulli_divergence(p, q, order)) for order in (1 + 1e-6, 1.0))
    assert near == pytest.approx(limit, rel=1e-3, abs=1e-6)
    assert limit == pytest.approx(stats.entropy([p, 1 - p], [q, 1 - q]), rel=1e-6, abs=1e-9)


@given(CHANCES, CHANCES, CHANCES, st.sampled_from([1.0, 1.3, 2.0, 20.0]))
def test_a_lower_left_and_a_higher_right_chance_show_less(p, q, part, order):
    """So that the two Clopper-Pearson bounds may be put in."""
    p, q = max(p, q), min(p, q)
    middle = q + part * (p - q)
    for worse in ((middle, q), (p, middle)):
        for turn in (1, -1):
            ours, theirs = (bernoulli_divergence(*pair[::turn], order) for pair in (worse, (p, q)))
            assert ours <= theirs + 1e-9


def test_certain_and_impossible_events_have_their_limits():
    assert rho_of_event(0.5, 0.5)[0] == pytest.approx(0.0, abs=1e-12)
    assert rho_of_event(0.5, 0.0)[0] == rho_of_event(1.0, 0.5)[0] == math.inf
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
    likely = [(int(x), int(y)) for x, y in np.argwhere(weights > 1e-4) if x > y]
    left_out = 1 - weights[tuple(np.array(likely).T)].sum() - weights[np.triu_indices(runs + 1)].sum()
    assert left_out < 0.02
    wrong = sum(weights[x, y] for x, y in likely if event_rho_bound(x, runs, y, runs, error=error)[0] > true)
    naive = sum(weights[x, y] for x, y in likely if rho_of_event(x / runs, y / runs)[0] > true)
    assert wrong + left_out <= error < naive


@given(st.lists(st.tuples(st.floats(0.05, 1), st.floats(0.05, 1), st.floats(-4, 4)), min_size=3, max_size=3))
def test_the_mean_of_the_gains_is_at_most_the_divergence(outcomes):
    """Two distributions of three outcomes, and a function of the outcomes: each pair of outcomes has its gain."""
    p, q, values = np.array(outcomes).T
    p, q = p / p.sum(), q / q.sum()

    def mean(values):
        left, right = (side.ravel() for side in np.meshgrid(values, values, indexing="ij"))
        return float(gains(left, right) @ np.outer(p, q).ravel())

    assert mean(values) <= stats.entropy(p, q) + 1e-12
    assert mean(np.log(p / q)) == pytest.approx(stats.entropy(p, q))


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

    def drawn():
        return [np.where(generator.random(runs) < keep, ratio, -ratio) for keep in (1 - chance, chance)]

    fraction, _ = best_bet(*drawn(), -ratio, ratio, runs=runs, error=error)
    bet, samples = DivergenceBet(-ratio, ratio, fraction), [drawn() for _ in range(400)]
    bounds = np.array([bet.lower_bound(*sides, error=error) for sides in samples])
    naive = sum(float(gains(*sides).mean()) > divergence for sides in samples)
    assert (bounds > divergence).sum() <= stats.binom.isf(1e-9, 400, error) < naive
    assert bounds.mean() > 0.4 * divergence


def test_values_outside_the_limits_and_sides_of_different_size_are_refused():
    bet, inside = DivergenceBet(-1.0, 1.0, 0.1), np.zeros(3)
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
    assert best_bet(flat, flat, 0.0, 0.0, runs=50, error=0.1) == (0.0, -math.inf)
    assert DivergenceBet(0.0, 0.0, 0.0).lower_bound(flat, flat, error=0.1) == 0.0


@pytest.mark.parametrize("rho", [0.5, 0.05])
def test_a_rho_that_is_said_to_be_detectable_is_found_in_most_samples(rho):
    """With the known ratio. It is a statement about power, for 95% of the samples."""
    runs = 20_000
    true = detectable_rho(runs, error=1e-6, rho=rho)
    assert rho < true < 2 * rho
    shift, generator, scale = math.sqrt(2 * true), np.random.default_rng(3), 0.95
    limit = 4 * shift

    def drawn():
        values = (generator.normal(mean, 1, runs) for mean in (shift, 0))
        return [np.clip(scale * (shift * side - scale * true), -limit, limit) for side in values]

    fraction, _ = best_bet(*drawn(), -limit, limit, runs=runs, error=1e-6)
    bet = DivergenceBet(-limit, limit, fraction)
    assert sum(bet.lower_bound(*drawn(), error=1e-6) > rho for _ in range(40)) >= 32
    assert detectable_rho(100, error=1e-6, rho=50.0) == math.inf
    assert true < detectable_rho(runs // 100, error=1e-6, rho=rho)
