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

UNIVERSE = IntegerUniverse(40)
EQUALS, AT_MOST = Relation.EQUALS, Relation.AT_MOST
KEPT, REFUTED, OPEN = Verdict.NOT_REFUTED, Verdict.REFUTED, Verdict.INCONCLUSIVE


def audited(estimator, runs, densities=(0.5,)):
    inputs = [stream_of_density(estimator, users_of(estimator), density) for density in densities]
    return audit_accuracy(estimator, Sampler(None), ErrorBudget(), entropy=1, runs=runs, inputs=inputs)


def test_the_displayed_variance_of_optbern_is_refuted_and_the_derived_one_is_not():
    results = audited(optimal_bernoulli(universe=100, epsilon=0.5, sample_size=100), 20_000)
    found = {(one.statement.claim, str(one.statement.quantity), str(one.statement.relation)): one for one in results}
    displayed = found["density.optbern_error", "variance", "="]
    assert displayed.verdict is REFUTED
    assert "REFUTED" in displayed.describe()
    assert found["density.optbern_error", "bias", "="].verdict is KEPT
    assert found["density.optbern_error", "mean squared error", "<="].verdict is KEPT
    derived = found[DERIVED, "variance", "="]
    assert derived.verdict is KEPT
    assert derived.detectable < 0.15 * derived.stated


@pytest.mark.parametrize("make", [dwork, laplace])
def test_what_is_true_is_not_refuted(make):
    for result in audited(make(universe=60, epsilon=0.5, sample_size=30), 5000, (0.5, 1.0)):
        if result.statement.claim == DERIVED or result.statement.quantity is not Quantity.VARIANCE:
            assert result.verdict is KEPT, result.describe()


def test_a_probability_of_error_is_tested_where_the_bound_says_something():
    results = audited(optimal_bernoulli(universe=3000, epsilon=0.5, sample_size=2000), 300)
    (result,) = (r for r in results if r.statement.quantity is Quantity.ERROR_PROBABILITY)
    assert 0 < result.stated <= 0.5
    assert result.measured <= result.stated
    sampling = audited(pan_private_distinct_sampling(universe=64, epsilon=0.5, sample_size=20), 300)
    assert {str(result.statement.quantity) for result in sampling} == {"bias", "mean squared error"}


@dataclass(frozen=True)
class Shifted:
    """Dwork's estimator with an error of its own, or with one output."""

    inner: object = dwork(universe=40, epsilon=0.5, sample_size=40)
    shift: float = 0.0
    stretch: float = 1.0
    output: float | None = None
    universe: IntegerUniverse = UNIVERSE
    statements: tuple = ()

    def create(self, randomness):
        return self.inner.create(randomness)

    def update(self, state, ids, randomness):
        return self.inner.update(state, ids, randomness)

    def release(self, state, randomness):
        if self.output is not None:
            return self.output
        return 0.5 + self.stretch * (self.inner.release(state, randomness) - 0.5) + self.shift

    def sampled_users(self, state):
        return state.sample


def value_of(number, density, sampled):
    return number


def statement(quantity, relation, value, alpha=None):
    return AccuracyStatement(
        claim="test",
        quantity=quantity,
        relation=relation,
        target=Target.SAMPLED_DENSITY,
        value=value if callable(value) else partial(value_of, value),
        alpha=alpha,
    )


UNBIASED = statement(Quantity.BIAS, EQUALS, 0.0)


@pytest.fixture(scope="module")
def right():
    dworks = Shifted().inner.statements
    square = max(one.value(0.5, 40) for one in dworks if one.quantity is Quantity.MEAN_SQUARED_ERROR)
    squared = statement(Quantity.MEAN_SQUARED_ERROR, AT_MOST, square)
    return Shifted(statements=(UNBIASED, squared, statement(Quantity.ERROR_PROBABILITY, AT_MOST, 0.16, 0.9)))


@pytest.mark.parametrize(
    ("quantity", "wrong"),
    [
        (None, {}),
        (Quantity.BIAS, {"shift": -0.15}),
        (Quantity.MEAN_SQUARED_ERROR, {"stretch": 1.3}),
        (Quantity.ERROR_PROBABILITY, {"stretch": 1.6}),
    ],
)
def test_a_wrong_estimator_is_found_and_the_right_one_is_not(right, quantity, wrong):
    verdicts = {one.statement.quantity: one.verdict for one in audited(replace(right, **wrong), 10_000)}
    if quantity is None:
        assert set(verdicts.values()) == {KEPT}
    else:
        assert verdicts[quantity] is REFUTED


def test_bias_is_inconclusive_after_too_few_runs_to_bound_the_variance():
    (result,) = audited(Shifted(statements=(UNBIASED,)), 200)
    assert result.verdict is OPEN
    assert "more runs are needed" in result.describe()
    assert audited(Shifted(), 10) == []


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


def test_the_tail_around_the_stream_s_density_includes_the_sampling():
    """With little noise in the cells nearly all of the error is that of the sample."""
    estimator, runs = laplace(universe=10**6, epsilon=400.0, sample_size=6), 200_000
    generator = np.random.default_rng(7)
    noise = generator.laplace(0, estimator.noise_scale, (runs, 7)).sum(axis=1)
    squares = (generator.binomial(6, 0.1, runs) / 6 - 0.1 + noise) ** 2
    stated = 0.002
    simulated = np.maximum(squares / stated - CAP, 0).mean()
    sampled, whole = (
        stated_tail(estimator, stated, CAP, target) for target in (Target.SAMPLED_DENSITY, Target.DENSITY)
    )
    assert sampled < simulated <= whole


def judged(quantity, relation, value, errors, *, error=1e-6, density=0.5, alpha=None):
    """The result on runs with these errors; ``density`` may differ from run to run."""
    rows = np.empty((len(errors), 4))
    rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3] = errors + density, density, 10, 0.5
    table = Table((OUTPUT, SAMPLED_DENSITY, SAMPLED_USERS, DENSITY), rows)
    return judge(
        None, statement(quantity, relation, value, alpha), InputLabel("density", 0.5), table, ErrorBudget(error)
    )


EVERY = [
    (Quantity.BIAS, EQUALS, 0.0, None),
    (Quantity.VARIANCE, EQUALS, 1.0, None),
    (Quantity.MEAN_SQUARED_ERROR, AT_MOST, 1.0, None),
    (Quantity.ERROR_PROBABILITY, AT_MOST, 0.001, 5.0),
]


@pytest.mark.parametrize(("quantity", "relation", "value", "alpha"), EVERY)
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("share", [1.0, 0.02])
def test_an_output_that_is_no_number_is_an_error_like_any_other(quantity, relation, value, alpha, odd, share):
    errors = 0.1 * np.random.default_rng(1).standard_normal(3000)
    errors[: int(share * 3000)] = odd
    result = judged(quantity, relation, value, errors, alpha=alpha)
    # A large number is one: two runs that have it in common do not vary, and a few say nothing about a mean.
    exceptions = {(1e300, Quantity.VARIANCE, 1.0): KEPT, (1e300, Quantity.BIAS, 0.02): OPEN}
    assert result.verdict is exceptions.get((odd, quantity, share), REFUTED), result.describe()
    json.dumps(result.to_dict(), allow_nan=False)


def test_an_estimator_that_returns_no_number_is_refuted_on_every_statement():
    broken = Shifted(statements=tuple(statement(*row) for row in EVERY), output=float("nan"))
    for result in audited(broken, 300):
        assert result.verdict is REFUTED, result.describe()
        json.dumps(result.to_dict(), allow_nan=False)


SKEWED = 0.3 + 0.1 * np.random.default_rng(2).laplace(size=4000)
RARE = np.where(np.arange(2000) % 10 == 0, 1.0, 0.0)
ONCE = np.where(np.arange(500) == 7, 0.01, 0.0)


@pytest.mark.parametrize(
    ("quantity", "relation", "value", "errors", "verdict"),
    [
        (Quantity.BIAS, EQUALS, 0.3, SKEWED, KEPT),
        (Quantity.BIAS, AT_MOST, 0.3, SKEWED, KEPT),
        (Quantity.BIAS, AT_MOST, 0.5, SKEWED, KEPT),
        (Quantity.BIAS, EQUALS, 0.5, SKEWED, REFUTED),
        (Quantity.BIAS, EQUALS, 0.0, SKEWED, REFUTED),
        (Quantity.BIAS, AT_MOST, 0.2, SKEWED, REFUTED),
        # An exact estimator has no bias and no variance but for rounding.
        (Quantity.BIAS, EQUALS, 0.0, np.full(900, 1e-16), KEPT),
        (Quantity.BIAS, EQUALS, 0.0, np.full(900, 1e-3), REFUTED),
        *(
            (quantity, AT_MOST, value, errors, verdict)
            for quantity in (Quantity.VARIANCE, Quantity.MEAN_SQUARED_ERROR)
            for value, errors, verdict in (
                (0.0, np.full(500, 1e-16), KEPT),
                (0.0, ONCE, REFUTED),
                (-1.0, np.zeros(500), REFUTED),
                (np.nan, ONCE, OPEN),
            )
        ),
        (Quantity.ERROR_PROBABILITY, EQUALS, 0.1, RARE, KEPT),
        (Quantity.ERROR_PROBABILITY, EQUALS, 0.3, RARE, REFUTED),
        (Quantity.ERROR_PROBABILITY, AT_MOST, 0.3, RARE, KEPT),
        (Quantity.ERROR_PROBABILITY, AT_MOST, 0.05, RARE, REFUTED),
    ],
)
def test_a_stated_value_is_compared_with_the_measured_one(quantity, relation, value, errors, verdict):
    alpha = 0.5 if quantity is Quantity.ERROR_PROBABILITY else None
    result = judged(quantity, relation, value, errors, alpha=alpha)
    assert result.verdict is verdict, result.describe()


def test_a_bias_is_no_part_of_the_variance_even_if_it_depends_on_the_sample():
    generator = np.random.default_rng(3)
    density = generator.integers(1, 9, 8000) / 10
    noise = 0.2 * (0.5 + density) * generator.standard_normal(8000)

    def variance(target, sampled):
        return (0.2 * (0.5 + target)) ** 2

    for factor, verdict in ((1.0, KEPT), (1.3, REFUTED)):
        result = judged(Quantity.VARIANCE, EQUALS, variance, 3 * density + factor * noise, density=density)
        assert result.verdict is verdict, result.describe()
        assert result.measured == pytest.approx((factor * noise).var(), rel=0.1)
    density = np.linspace(0.1, 0.9, 300)
    result = judged(Quantity.VARIANCE, EQUALS, 1.0, 0 * density, density=density)
    assert result.verdict is OPEN
    assert "no two runs" in result.describe()


@pytest.mark.more
@pytest.mark.parametrize("shape", ["normal", "rare"])
def test_no_bias_is_refuted_within_the_budget_whatever_the_true_variance(shape):
    """With the stated mean squared error as the scale, 0.08, 0.38 and 0.66 were for ratios of 4, 10 and 20."""
    generator, audits = np.random.default_rng(5), 400
    for ratio in (1, 4, 20):
        wrong = 0
        for _ in range(audits):
            rare = ((generator.random(600) < 0.08) - 0.08) / (0.08 * 0.92) ** 0.5
            errors = ratio**0.5 * (rare if shape == "rare" else generator.standard_normal(600))
            wrong += judged(Quantity.BIAS, EQUALS, 0.0, errors, error=0.05).verdict is REFUTED
        assert wrong <= 0.05 * audits


def test_what_is_detectable_is_detected():
    generator, runs = np.random.default_rng(6), 2000
    for quantity, stated, draw in (
        (Quantity.BIAS, 0.0, lambda more: more + generator.laplace(size=runs)),
        (Quantity.VARIANCE, 1.0, lambda more: (1 + more) ** 0.5 * generator.standard_normal(runs)),
    ):
        detectable = judged(quantity, EQUALS, stated, draw(0)).detectable
        found = [judged(quantity, EQUALS, stated, draw(detectable)).verdict for _ in range(60)]
        assert found.count(REFUTED) >= 54


@pytest.mark.parametrize("relation", [EQUALS, AT_MOST])
def test_what_is_detectable_of_a_probability_of_error_is_detected_with_a_power_of_95_percent(relation):
    runs, stated, error = 800, 0.1, 0.01
    results = [
        judged(Quantity.ERROR_PROBABILITY, relation, stated, 1.0 * (np.arange(runs) < wrong), error=error, alpha=0.5)
        for wrong in range(240)
    ]
    refuting = np.array([result.verdict is REFUTED for result in results])
    detectable = results[80].detectable
    power = [float(binom.pmf(range(240), runs, stated + sign * detectable) @ refuting) for sign in (1, -1)]
    assert power[0] == pytest.approx(0.95, abs=1e-6)
    assert (power[1] >= 0.95) == (relation is EQUALS)
    # Of a true statement, no more is refuted than the error allows.
    assert float(binom.pmf(range(240), runs, stated) @ refuting) <= error
    impossible = judged(Quantity.ERROR_PROBABILITY, relation, 1.0, np.zeros(9) + 1, alpha=0.5)
    assert impossible.detectable is None
