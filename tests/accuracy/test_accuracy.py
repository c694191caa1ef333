"""Statements about the error are refuted where they are wrong, and left where they are right."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from pan_audits.accuracy import audit_accuracy
from pan_audits.accuracy.judge import CAP, judge
from pan_audits.accuracy.result import DERIVED, InputLabel
from pan_audits.audit.sampler import Sampler
from pan_audits.density.capabilities import stated_tail, stream_of_density
from pan_audits.events import Table
from pan_audits.judging.verdict import Verdict
from pan_audits.problems.stream import users_of
from pan_audits.statistics import ErrorBudget
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
from pan_estimators.density.likelihood import _log_laplace_sum
from pan_estimators.density.target import DENSITY, OUTPUT, SAMPLED_DENSITY, SAMPLED_USERS
from tests.turns import every


def audited(estimator, runs=20_000, densities=(0.5, 1.0)):
    inputs = [stream_of_density(estimator, users_of(estimator), density) for density in densities]
    return audit_accuracy(estimator, Sampler(None), ErrorBudget(), entropy=1, runs=runs, inputs=inputs)


def by_statement(results, density):
    return {
        (result.statement.claim, str(result.statement.quantity), str(result.statement.relation)): result
        for result in results
        if result.label == InputLabel("density", density)
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


@pytest.mark.more
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
    every(
        2,
        [
            (Quantity.BIAS, {"shift": 0.15}),
            (Quantity.BIAS, {"shift": -0.15}),
            (Quantity.MEAN_SQUARED_ERROR, {"stretch": 1.3}),
            (Quantity.ERROR_PROBABILITY, {"stretch": 1.6}),
        ],
    ),
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


def test_bias_is_inconclusive_after_too_few_runs_to_bound_the_variance():
    inner = dwork(universe=40, epsilon=0.5, sample_size=40)
    alone = Shifted(inner, statements=(statement(Quantity.BIAS, Relation.EQUALS, partial(value_of, 0.0)),))
    (result,) = audited(alone, runs=200, densities=(0.5,))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "more runs are needed" in result.describe()


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
    assert excess <= stated_tail(estimator, square, CAP, Target.SAMPLED_DENSITY) < 1e-3


def judged(quantity, relation, value, errors, *, error=1e-6, density=0.5, alpha=None):
    """The verdict on runs with these errors; ``density`` may differ from run to run."""
    rows = np.empty((len(errors), 4))
    rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3] = errors + density, density, 10, 0.5
    table = Table((OUTPUT, SAMPLED_DENSITY, SAMPLED_USERS, DENSITY), rows)
    found = value if callable(value) else partial(value_of, value)
    stated = statement(quantity, relation, found, alpha)
    return judge(None, stated, InputLabel("density", 0.5), table, ErrorBudget(error))


EVERY = [
    (Quantity.BIAS, Relation.EQUALS, 0.0, None),
    (Quantity.VARIANCE, Relation.EQUALS, 1.0, None),
    (Quantity.MEAN_SQUARED_ERROR, Relation.AT_MOST, 1.0, None),
    (Quantity.ERROR_PROBABILITY, Relation.AT_MOST, 0.001, 5.0),
]


@pytest.mark.parametrize(("quantity", "relation", "value", "alpha"), EVERY)
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("share", [1.0, 0.02])
def test_an_output_that_is_no_number_is_an_error_like_any_other(quantity, relation, value, alpha, odd, share):
    errors = 0.1 * np.random.default_rng(1).standard_normal(3000)
    errors[: int(share * 3000)] = odd
    result = judged(quantity, relation, value, errors, alpha=alpha)
    # A large number is one: two runs that have it in common do not vary, and a few say nothing about a mean.
    expected = Verdict.REFUTED
    if odd == 1e300 and quantity is Quantity.VARIANCE and share == 1.0:
        expected = Verdict.NOT_REFUTED
    if odd == 1e300 and quantity is Quantity.BIAS and share < 1:
        expected = Verdict.INCONCLUSIVE
    assert result.verdict is expected, result.describe()
    json.dumps(result.to_dict(), allow_nan=False)


@dataclass(frozen=True)
class Broken(Shifted):
    """An estimator whose output is always the same."""

    output: float = float("nan")

    def release(self, state, randomness):
        return self.output


@pytest.mark.parametrize("output", [float("nan"), float("inf")])
def test_an_estimator_that_returns_no_number_is_refuted_on_every_statement(output):
    statements = tuple(statement(q, r, partial(value_of, v), a) for q, r, v, a in EVERY)
    broken = Broken(dwork(universe=40, epsilon=0.5, sample_size=40), statements=statements, output=output)
    for result in audited(broken, runs=300):
        assert result.verdict is Verdict.REFUTED, result.describe()
        json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("quantity", [Quantity.VARIANCE, Quantity.MEAN_SQUARED_ERROR])
def test_a_stated_square_of_zero_is_refuted_by_any_error(quantity):
    errors = np.zeros(500)
    assert judged(quantity, Relation.AT_MOST, 0.0, errors + 1e-16).verdict is Verdict.NOT_REFUTED
    errors[7] = 0.01
    assert judged(quantity, Relation.AT_MOST, 0.0, errors).verdict is Verdict.REFUTED
    assert judged(quantity, Relation.AT_MOST, -1.0, np.zeros(500)).verdict is Verdict.REFUTED
    assert judged(quantity, Relation.AT_MOST, np.nan, errors).verdict is Verdict.INCONCLUSIVE
    assert judged(quantity, Relation.AT_MOST, 1.0, errors[:1] * np.nan).measured is None


def test_a_stated_bias_is_compared_with_the_bias():
    errors = 0.3 + 0.1 * np.random.default_rng(2).laplace(size=4000)
    for relation, value, verdict in (
        (Relation.EQUALS, 0.3, Verdict.NOT_REFUTED),
        (Relation.AT_MOST, 0.3, Verdict.NOT_REFUTED),
        (Relation.AT_MOST, 0.5, Verdict.NOT_REFUTED),
        (Relation.EQUALS, 0.5, Verdict.REFUTED),
        (Relation.EQUALS, 0.0, Verdict.REFUTED),
        (Relation.AT_MOST, 0.2, Verdict.REFUTED),
    ):
        result = judged(Quantity.BIAS, relation, value, errors)
        assert (result.verdict, result.stated) == (verdict, pytest.approx(value)), result.describe()


def test_an_exact_estimator_has_no_bias_but_for_rounding():
    assert judged(Quantity.BIAS, Relation.EQUALS, 0.0, np.full(900, 1e-16)).verdict is Verdict.NOT_REFUTED
    assert judged(Quantity.BIAS, Relation.EQUALS, 0.0, np.full(900, 1e-3)).verdict is Verdict.REFUTED


def test_a_bias_is_no_part_of_the_variance_even_if_it_depends_on_the_sample():
    generator = np.random.default_rng(3)
    density = generator.integers(1, 9, 8000) / 10
    noise = 0.2 * (0.5 + density) * generator.standard_normal(8000)

    def variance(target, sampled):
        return (0.2 * (0.5 + target)) ** 2

    for factor, verdict in ((1.0, Verdict.NOT_REFUTED), (1.3, Verdict.REFUTED)):
        errors = 3 * density + factor * noise
        result = judged(Quantity.VARIANCE, Relation.EQUALS, variance, errors, density=density)
        assert result.verdict is verdict, result.describe()
    assert result.measured == pytest.approx((errors - 3 * density).var(), rel=0.1)


def test_a_variance_of_runs_that_are_all_different_is_inconclusive():
    density = np.linspace(0.1, 0.9, 300)
    result = judged(Quantity.VARIANCE, Relation.EQUALS, 1.0, 0 * density, density=density)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "no two runs" in result.describe()


@pytest.mark.more
@pytest.mark.parametrize("shape", ["normal", "laplace", "exponential", "rare"])
def test_no_bias_is_refuted_within_the_budget_whatever_the_true_variance(shape):
    """With the stated mean squared error as the scale, 0.08, 0.38 and 0.66 were for ratios of 4, 10 and 20."""
    generator, wrong, audits = np.random.default_rng(5), {}, 500
    draws = {
        "normal": lambda: generator.standard_normal(600),
        "laplace": lambda: generator.laplace(0, 0.5**0.5, 600),
        "exponential": lambda: generator.exponential(1, 600) - 1,
        "rare": lambda: ((generator.random(600) < 0.08) - 0.08) / (0.08 * 0.92) ** 0.5,
    }
    for ratio in (1, 2, 4, 10, 20):
        errors = [ratio**0.5 * draws[shape]() for _ in range(audits)]
        verdicts = [judged(Quantity.BIAS, Relation.EQUALS, 0.0, e, error=0.05).verdict for e in errors]
        wrong[ratio] = verdicts.count(Verdict.REFUTED) / audits
    print(shape, wrong)
    assert max(wrong.values()) <= 0.05


def test_what_is_detectable_is_detected():
    generator, runs = np.random.default_rng(6), 2000
    detectable = judged(Quantity.BIAS, Relation.EQUALS, 0.0, generator.laplace(size=runs)).detectable
    found = [
        judged(Quantity.BIAS, Relation.EQUALS, 0.0, detectable + generator.laplace(size=runs)).verdict
        for _ in range(100)
    ]
    assert found.count(Verdict.REFUTED) >= 90
    larger = judged(Quantity.VARIANCE, Relation.EQUALS, 1.0, generator.standard_normal(runs)).detectable
    stretched = [(1 + larger) ** 0.5 * generator.standard_normal(runs) for _ in range(100)]
    found = [judged(Quantity.VARIANCE, Relation.EQUALS, 1.0, errors).verdict for errors in stretched]
    assert found.count(Verdict.REFUTED) >= 90


def test_an_equal_probability_of_error_may_be_too_large():
    errors = np.where(np.arange(2000) % 10 == 0, 1.0, 0.0)
    for relation, value, verdict in (
        (Relation.EQUALS, 0.1, Verdict.NOT_REFUTED),
        (Relation.EQUALS, 0.3, Verdict.REFUTED),
        (Relation.AT_MOST, 0.3, Verdict.NOT_REFUTED),
        (Relation.AT_MOST, 0.05, Verdict.REFUTED),
    ):
        assert judged(Quantity.ERROR_PROBABILITY, relation, value, errors, alpha=0.5).verdict is verdict


def test_the_tail_around_the_stream_s_density_includes_the_sampling():
    """With little noise in the cells nearly all of the error is that of the sample."""
    estimator, runs = laplace(universe=10**6, epsilon=400.0, sample_size=6), 200_000
    generator = np.random.default_rng(7)
    noise = generator.laplace(0, estimator.noise_scale, (runs, 7)).sum(axis=1)
    squares = (generator.binomial(6, 0.1, runs) / 6 - 0.1 + noise) ** 2
    stated = 0.002
    simulated = np.maximum(squares / stated - CAP, 0).mean()
    assert (
        stated_tail(estimator, stated, CAP, Target.SAMPLED_DENSITY)
        < simulated
        <= stated_tail(estimator, stated, CAP, Target.DENSITY)
    )
