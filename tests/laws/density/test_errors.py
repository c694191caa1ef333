"""Errors of estimates: exact enumeration, and simulations of every published estimator."""

from __future__ import annotations

import itertools
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.density.lemmas.estimate_errors import (
    BITS,
    dwork_bits,
    error_functions,
    inclusion,
    optimal_bits,
    sampled_density,
    variance_by_outcomes,
)
from pan_proofs.foundations.distributions import FiniteDistribution
from pan_proofs.ledger.claim import ProofVerdict
from pan_proofs.ledger.notation import present
from pan_proofs.ledger.statements import Statement

VERDICTS = {
    "density.dwork_error": ProofVerdict.PROVED_AMENDED,
    "density.optbern_error": ProofVerdict.PROVED_AMENDED,
    "lecture.unbiased": ProofVerdict.PROVED,
    "thesis.laplace_error": ProofVerdict.PROVED,
    "general_error.two_kinds": ProofVerdict.PROVED,
    "calibrated.error": ProofVerdict.PROVED,
}
RUNS = 200_000
few = settings(max_examples=20, deadline=None)
chances = st.fractions(0, 1, max_denominator=12)
ratios = st.fractions(Fraction(1, 10), Fraction(7, 10), max_denominator=20)


@pytest.fixture(scope="module")
def claims(entries):
    return {name: entries[name].claim for name in VERDICTS}


@pytest.fixture(scope="module")
def formulas(claims):
    """For each claim and title of a part, the right sides of its formal statements."""
    return {
        (name, part.title): [Statement.read(text).conclusion.args[1] for text in part.formal]
        for name, claim in claims.items()
        for part in claim.parts
    }


def value(expression, **values):
    at = {symbol: sp.sympify(values[symbol.name]) for symbol in expression.free_symbols}
    return sp.cancel(expression.xreplace(at))


def rational(fraction):
    return sp.Rational(fraction.numerator, fraction.denominator)


@pytest.fixture(scope="module")
def errors(claims):
    """For each claim and title of a part, the mean squared error that it states."""
    stated = {}
    for name, claim in claims.items():
        for part in claim.parts:
            for text in part.formal:
                conclusion = Statement.read(text).conclusion
                if isinstance(conclusion, sp.Eq) and str(conclusion.args[0]).startswith(("MSE", r"E[(\tilde{d}")):
                    stated.setdefault((name, part.title), conclusion.args[1])
    return stated


# The general theorem, by exact enumeration that shares nothing with the derivation.


def moments_of(distribution):
    first = sum(outcome * weight for outcome, weight in distribution)
    return first, sum((outcome - first) ** 2 * weight for outcome, weight in distribution)


def exact(appeared, distributions, noise, target):
    """Expectation and squared error over all contents of the cells and all noise."""
    low, high = (moments_of(distribution)[0] for distribution in distributions)
    total, squares = Fraction(0), Fraction(0)
    for outcome in product(*(distributions[one] for one in appeared), noise):
        weight = prod((chance for _, chance in outcome), start=Fraction(1))
        average = sum(content for content, _ in outcome[:-1]) / Fraction(len(appeared))
        estimate = (average - low) / (high - low) + outcome[-1][0]
        total += estimate * weight
        squares += (estimate - target) ** 2 * weight
    return total, squares


def two_points(low, width, chance):
    return ((low, 1 - chance), (low + width, chance))


contents = st.fractions(-2, 2, max_denominator=6)
widths = st.fractions(Fraction(1, 6), 2, max_denominator=6)
cells = st.builds(two_points, contents, widths, chances)
setting = st.integers(2, 4).flatmap(
    lambda users: st.tuples(st.just(users), st.integers(1, min(3, users)), st.integers(0, users))
)


@few
@given(setting, cells, cells, widths, chances)
def test_the_general_theorem_agrees_with_an_enumeration(formulas, where, low, high, width, chance):
    users, size, count = where
    distributions = (low, high)
    (mu_init, v_init), (mu_upd, v_upd) = map(moments_of, distributions)
    if mu_init == mu_upd:
        return
    noise = ((-width, Fraction(1, 2)), (width, Fraction(1, 2)))
    of_distributions = {
        "mu_init": mu_init,
        "mu_upd": mu_upd,
        "v_init": v_init,
        "v_upd": v_upd,
        "w": width**2,
        "m": size,
    }
    of_distributions = {name: rational(Fraction(one)) for name, one in of_distributions.items()}

    def stated(title, **values):
        formula = formulas["general_error.two_kinds", title][-1]
        return value(formula, **of_distributions, **{name: rational(Fraction(one)) for name, one in values.items()})

    share = Fraction(count, users)
    samples = [[user < count for user in sample] for sample in combinations(range(users), size)]
    found = [exact(sample, distributions, noise, share) for sample in samples]
    assert sum(one for one, _ in found) / len(found) == share
    assert rational(sum(one for _, one in found) / len(found)) == stated(
        "a uniform sample without replacement", U=users, d=share
    )

    within = Fraction(sum(samples[-1]), size)
    average, error = exact(samples[-1], distributions, noise, within)
    assert average == within
    assert rational(error) == stated("a fixed sample", d_M=within)

    weighted = Fraction(0)
    for appeared in product((False, True), repeat=size):
        weight = prod((chance if one else 1 - chance for one in appeared), start=Fraction(1))
        weighted += weight * exact(appeared, distributions, noise, chance)[1]
    assert rational(weighted) == stated("users who appear at random", delta=chance)


@few
@given(setting)
def test_the_moments_of_a_sample_are_those_counted(where):
    users, size, count = where
    at = {"U": users, "m": size, "d": sp.Rational(count, users)}
    samples = list(combinations(range(users), size))
    densities = [Fraction(sum(user < count for user in sample), size) for sample in samples]
    first, second = sampled_density()
    assert value(first, **at) == rational(sum(densities) / len(samples))
    assert value(second, **at) == rational(sum(one**2 for one in densities) / len(samples))
    both = sum(0 in sample and 1 in sample for sample in samples)
    assert value(inclusion()[1], **at) == sp.Rational(both, len(samples))


# The displayed variances, by exact enumeration of two or three bits.


@few
@given(st.integers(1, 3), st.integers(0, 3), ratios)
def test_the_displays_for_bits_are_wrong_for_a_fixed_sample_unless_all_or_none_appeared(size, count, budget):
    count = min(count, size)
    share = sp.Rational(count, size)
    at = {"m": size, "d_M": share, "epsilon": rational(budget), "t": rational(budget)}
    for bits, displays, of_mean in (
        (dwork_bits(), BITS["dwork"].displays, lambda e, d: 1 / (4 * sp.Integer(size)) - e**2 * d / (16 * size)),
        (optimal_bits(), BITS["optimal"].displays, lambda t, d: (1 - t**2) / (4 * size)),
    ):
        chosen = [bits[i < count].outcomes for i in range(size)]
        distributions = tuple(
            FiniteDistribution(tuple((v, value(w, **at)) for v, w in distribution)) for distribution in chosen
        )
        true = variance_by_outcomes(distributions)
        assert true == of_mean(rational(budget), share)
        assert (true == value(displays(present)[1], **at)) is (count in (0, size))


# Every published estimator, simulated.


def draws(generator, name, appeared, budget):
    t = np.tanh(budget / 2)
    if name == "laplace":
        return generator.laplace(np.where(appeared, 0.3 + budget * 0.7, 0.3), 0.7)
    low, high = (0.5, 0.5 + budget / 4) if name == "dwork" else ((1 - t) / 2, (1 + t) / 2)
    return (generator.random(appeared.shape) < np.where(appeared, high, low)).astype(float)


def simulated(generator, name, appeared, budget):
    size = appeared.shape[1]
    average = draws(generator, name, appeared, budget).mean(axis=1)
    if name == "laplace":
        estimate = (average - 0.3) / (budget * 0.7)
    elif name == "dwork":
        estimate = 4 / budget * (average - 0.5)
    else:
        t = np.tanh(budget / 2)
        estimate = (average - 0.5 + t / 2) / t
    return estimate + generator.laplace(0, 1 / (budget * size), len(appeared))


def agrees(sample, expected):
    assert abs(sample.mean() - float(expected)) < 6 * sample.std() / np.sqrt(sample.size)


CLAIM = {"dwork": "density.dwork_error", "optbern": "density.optbern_error", "laplace": "thesis.laplace_error"}
FIXED = {
    "dwork": "the variances for a fixed sample",
    "optbern": "the variances for a fixed sample",
    "laplace": "for a fixed sample",
}


@pytest.mark.parametrize("name", CLAIM)
def test_the_error_of_a_fixed_sample_is_that_of_simulations(errors, name):
    generator, size, count, budget = np.random.default_rng(1), 5, 2, 0.8
    appeared = np.broadcast_to(np.arange(size) < count, (RUNS, size))
    estimates = simulated(generator, name, appeared, budget)
    error = errors[CLAIM[name], FIXED[name]]
    agrees(estimates, count / size)
    agrees((estimates - count / size) ** 2, value_at(error, m=size, d_M=count / size, budget=budget))


def value_at(expression, budget, **values):
    known = {"epsilon": budget, "t": float(np.tanh(budget / 2)), **values}
    return float(expression.subs({symbol: known[symbol.name] for symbol in expression.free_symbols}))


@pytest.mark.parametrize("name", CLAIM)
def test_the_error_of_a_uniform_sample_is_that_of_simulations(errors, claims, name):
    generator, users, size, count, budget = np.random.default_rng(2), 8, 4, 3, 1.5
    sampled = np.argsort(generator.random((RUNS, users)), axis=1)[:, :size]
    estimates = simulated(generator, name, sampled < count, budget)
    agrees(estimates, count / users)
    share, extra = count / users, (count / users) * (1 - count / users) / size * (users - size) / (users - 1)
    fixed = errors[CLAIM[name], FIXED[name]]
    expected = value_at(fixed, m=size, d_M=share, budget=budget) + extra
    agrees((estimates - share) ** 2, expected)
    if name != "laplace":
        part = next(one for one in claims[CLAIM[name]].parts if one.title.startswith("a uniform sample"))
        (formal,) = (one for one in map(Statement.read, part.formal) if isinstance(one.conclusion, sp.Le))
        smaller, larger = (side.xreplace(formal.names) for side in formal.conclusion.args)
        stated = value_at(smaller, m=size, d=share, U=users, budget=budget)
        assert stated == pytest.approx(expected, rel=1e-12)
        assert stated <= value_at(larger, m=size, budget=budget)


@pytest.mark.parametrize("name", CLAIM)
def test_the_error_about_the_chance_of_appearing_is_that_of_simulations(errors, name):
    generator, size, chance, budget = np.random.default_rng(3), 4, 0.35, 1.2
    appeared = generator.random((RUNS, size)) < chance
    estimates = simulated(generator, name, appeared, budget)
    agrees(estimates, chance)
    if name == "laplace":
        fixed = errors[CLAIM[name], FIXED[name]]
        expected = value_at(fixed, m=size, budget=budget) + chance * (1 - chance) / size
    else:
        error = errors[CLAIM[name], "users who appear by independent coins"]
        expected = value_at(error, m=size, delta=chance, budget=budget)
    agrees((estimates - chance) ** 2, expected)
    realised = {"m": size, "d_M": chance, "budget": budget}
    agrees((estimates - appeared.mean(axis=1)) ** 2, value_at(errors[CLAIM[name], FIXED[name]], **realised))


# The calibrated estimators, and the distributions.


def geometric(generator, ratio, size):
    return generator.geometric(1 - ratio, size) - 1


def test_the_calibrated_error_is_that_of_simulations(formulas):
    generator, users, size, count = np.random.default_rng(5), 9, 5, 4
    low, high, up, down = 0.3, 0.8, 0.55, 0.4
    added = geometric(generator, up, RUNS) - geometric(generator, down, RUNS)
    centre, spread = up / (1 - up) - down / (1 - down), formulas["calibrated.error", "the noise"][1]
    agrees(added, centre)
    spread = float(spread.subs({symbol: {"r": up, "s": down}[symbol.name] for symbol in spread.free_symbols}))
    agrees((added - centre) ** 2, spread)

    sampled = np.argsort(generator.random((RUNS, users)), axis=1)[:, :size] < count
    known = {"p_init": low, "p_upd": high, "V": spread, "m": size, "U": users, "budget": 1}
    for appeared, title, share in (
        (np.broadcast_to(np.arange(size) < 2, (RUNS, size)), "a fixed sample", 2 / size),
        (sampled, "a uniform sample, about the density of the stream", count / users),
    ):
        ones = (generator.random((RUNS, size)) < np.where(appeared, high, low)).sum(axis=1)
        estimates = (ones + added - size * low - centre) / (size * (high - low))
        error = formulas["calibrated.error", title][-1]
        agrees(estimates, share)
        agrees((estimates - share) ** 2, value_at(error, d=share, d_M=share, **known))


def enumerated(users, appeared, size, p, q):
    """Exact mean and variance of the noiseless output over all samples and bits."""
    outcomes = []
    samples = list(itertools.combinations(range(users), size))
    for sample in samples:
        for bits in itertools.product((0, 1), repeat=size):
            weight = Fraction(1, len(samples))
            for user, bit in zip(sample, bits, strict=True):
                chance = q if user < appeared else p
                weight *= chance if bit else 1 - chance
            outcomes.append(((Fraction(sum(bits), size) - p) / (q - p), weight))
    mean = sum(value * weight for value, weight in outcomes)
    return mean, sum(value**2 * weight for value, weight in outcomes) - mean**2


@pytest.mark.parametrize(("users", "appeared", "size"), [(4, 1, 2), (5, 3, 3), (4, 4, 2), (5, 0, 2), (4, 2, 4)])
def test_the_numerical_variance_of_bits_is_the_enumerated_one(users, appeared, size):
    p, q = Fraction(1, 3), Fraction(3, 5)
    mean, variance = enumerated(users, appeared, size, p, q)
    _, over_samples = error_functions("bits")
    assert mean == Fraction(appeared, users)
    assert over_samples(appeared / users, users, size, 0.0, 1 / 3, 3 / 5) == pytest.approx(float(variance), rel=1e-12)
    given_sample, _ = error_functions("bits")
    assert given_sample(0.0, size, 0.5, 1 / 3, 3 / 5) == pytest.approx(0.5 + (2 / 9) / size / (4 / 15) ** 2)


def test_the_numerical_variance_of_laplace_cells_is_that_of_simulated_ones():
    generator = np.random.default_rng(7)
    cells = generator.laplace(0.3, 0.7, (RUNS, 3)).mean(axis=1)
    estimates = (cells - 0.3) / 0.4 + generator.laplace(0, 0.2, RUNS)
    agrees(estimates**2, error_functions("laplace")[0](0.0, 3, 0.2, 0.3, 0.7, 0.7))
