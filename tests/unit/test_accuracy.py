"""Statements about the error are refuted where they are wrong, and left where they are right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from pan_audits.accuracy import audit_accuracy
from pan_audits.accuracy.audit import DERIVED
from pan_audits.accuracy.tails import CAP, stated_tail
from pan_audits.running.sampler import Sampler
from pan_audits.statistics import ErrorBudget
from pan_audits.verdict import Verdict
from pan_estimators import (
    AccuracyStatement,
    IntegerUniverse,
    Quantity,
    Relation,
    Target,
    dwork,
    laplace,
    optimal_bernoulli,
    pan_private_distinct_sampling,
)
from pan_estimators.likelihood import _log_laplace_sum


def audited(estimator, runs=20_000, **more):
    population = estimator.universe.example_ids(10**4)
    return audit_accuracy(estimator, population, Sampler(None), ErrorBudget(), entropy=1, runs=runs, **more)


def by_statement(results, density):
    return {
        (result.statement.claim, str(result.statement.quantity), str(result.statement.relation)): result
        for result in results
        if result.density == density
    }


def test_the_displayed_variance_of_optbern_is_refuted_and_the_derived_one_is_not():
    found = by_statement(audited(optimal_bernoulli(universe=100, epsilon=0.5, sample_size=100)), 0.5)
    assert found[("density.optbern_error", "variance", "=")].verdict is Verdict.REFUTED
    assert found[("density.optbern_error", "bias", "=")].verdict is Verdict.NOT_REFUTED
    assert found[("density.optbern_error", "mean squared error", "<=")].verdict is Verdict.NOT_REFUTED
    derived = found[(DERIVED, "variance", "=")]
    assert derived.verdict is Verdict.NOT_REFUTED
    assert derived.detectable < 0.1 * derived.stated
    assert "REFUTED" in found[("density.optbern_error", "variance", "=")].describe()


@pytest.mark.parametrize("make", [dwork, laplace])
def test_what_is_true_is_not_refuted(make):
    for result in audited(make(universe=60, epsilon=0.5, sample_size=30), runs=8000):
        if result.statement.claim == DERIVED or result.statement.quantity is not Quantity.VARIANCE:
            assert result.verdict is Verdict.NOT_REFUTED, result.describe()


def test_a_probability_of_error_is_tested_where_the_bound_says_something():
    results = audited(optimal_bernoulli(universe=3000, epsilon=0.5, sample_size=2000), runs=500, densities=(0.5,))
    (result,) = (r for r in results if r.statement.quantity is Quantity.ERROR_PROBABILITY)
    assert 0 < result.stated <= 0.5
    assert result.measured <= result.stated
    assert "alpha" in result.describe()


def test_distinct_sampling_is_measured_against_the_users_that_qualify():
    results = audited(pan_private_distinct_sampling(universe=64, epsilon=0.5, sample_size=20), runs=3000)
    assert {str(result.statement.quantity) for result in results} == {"bias", "mean squared error"}


UNIVERSE = IntegerUniverse(40)


@dataclass(frozen=True)
class Shifted:
    """Dwork's estimator with an error of its own."""

    inner: object
    shift: float = 0.0
    stretch: float = 1.0
    universe: IntegerUniverse = UNIVERSE
    statements: tuple = ()

    def create(self, randomness):
        return self.inner.create(randomness)

    def update(self, state, ids, randomness):
        return self.inner.update(state, ids, randomness)

    def release(self, state, randomness):
        middle = 0.5
        return middle + self.stretch * (self.inner.release(state, randomness) - middle) + self.shift

    def sampled_users(self, state):
        return state.sample


def statement(quantity, relation, value, alpha=None):
    return AccuracyStatement(
        claim="test", quantity=quantity, relation=relation, target=Target.SAMPLED_DENSITY, value=value, alpha=alpha
    )


def value_of(number, density, sampled):
    return number


@pytest.mark.parametrize(
    ("quantity", "wrong"),
    [
        (Quantity.BIAS, {"shift": 0.15}),
        (Quantity.BIAS, {"shift": -0.15}),
        (Quantity.MEAN_SQUARED_ERROR, {"stretch": 1.3}),
        (Quantity.ERROR_PROBABILITY, {"stretch": 1.6}),
    ],
)
def test_a_wrong_estimator_is_found_and_the_right_one_is_not(quantity, wrong):
    inner = dwork(universe=40, epsilon=0.5, sample_size=40)
    square = max(s.value(0.5, 40) for s in inner.statements if s.quantity is Quantity.MEAN_SQUARED_ERROR)
    statements = (
        statement(Quantity.BIAS, Relation.EQUALS, partial(value_of, 0.0)),
        statement(Quantity.MEAN_SQUARED_ERROR, Relation.AT_MOST, partial(value_of, square)),
        statement(Quantity.ERROR_PROBABILITY, Relation.AT_MOST, partial(value_of, 0.16), alpha=0.9),
    )
    right = Shifted(inner, statements=statements)
    verdicts = {
        name: {r.statement.quantity: r.verdict for r in audited(estimator, runs=10_000, densities=(0.5,))}
        for name, estimator in (("right", right), ("wrong", replace(right, **wrong)))
    }
    assert set(verdicts["right"].values()) == {Verdict.NOT_REFUTED}
    assert verdicts["wrong"][quantity] is Verdict.REFUTED


def test_bias_without_any_bound_on_the_squared_error_is_inconclusive():
    inner = dwork(universe=40, epsilon=0.5, sample_size=40)
    alone = Shifted(inner, statements=(statement(Quantity.BIAS, Relation.EQUALS, partial(value_of, 0.0)),))
    (result,) = audited(alone, runs=200, densities=(0.5,))
    assert result.verdict is Verdict.INCONCLUSIVE


def test_an_estimator_without_statements_has_nothing_to_test():
    assert audited(Shifted(dwork(universe=40, epsilon=0.5, sample_size=40)), runs=10) == []


@pytest.mark.parametrize("make", [optimal_bernoulli, laplace])
def test_the_stated_tail_covers_the_exact_one(make):
    estimator, m, present = make(universe=20, epsilon=0.5, sample_size=20), 20, 10
    x = np.linspace(-15, 15, 300_001)
    step, noise = x[1] - x[0], estimator.noise_scale
    if make is laplace:
        density = np.exp(_log_laplace_sum(x, noise, m + 1))
    else:
        p, q = estimator.cells.p_init, estimator.cells.p_upd
        weights = np.convolve(
            binom.pmf(range(present + 1), present, q), binom.pmf(range(m - present + 1), m - present, p)
        )
        errors = (np.arange(m + 1) / m - p) / (q - p) - present / m
        density = sum(w * np.exp(-np.abs(x - e) / noise) / (2 * noise) for w, e in zip(weights, errors, strict=True))
    square = (x**2 * density).sum() * step
    excess = (np.maximum(x**2 / square - CAP, 0) * density).sum() * step
    assert excess <= stated_tail(estimator, square) < 1e-3
