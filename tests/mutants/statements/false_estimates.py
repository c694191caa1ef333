"""Statements near those about errors, hashing and real-valued cells, and false; all are built like true ones."""

from __future__ import annotations

import sympy as sp

from pan_proofs.ledger.notation import epsilon, m
from tests.mutants.statements.reading import named

NAMES = named(
    "density.lemmas.estimate_errors",
    "density.lemmas.estimate_errors",
    "foundations.distributions",
    "density.lemmas.distinct_sampling",
    "density.claims.distinct_sampling.fixed_level",
    "density.lemmas.joint_loss",
    "density.claims.published.laplace",
    "density.claims.published.accuracy",
    "density.claims.real_cells.gaussian",
    "density.claims.real_cells.quantizer",
    "density.claims.real_cells.truncated",
    "foundations.claims.laplace_tails",
    "foundations.laplace_integrals",
)

_half = sp.Rational(1, 2)
_noise = 2 / (m**2 * epsilon**2)
_ratio = sp.Symbol("r", positive=True)
_value = sp.Symbol("nu", real=True)
x_of_laplace, h, n, q, w, big, s = sp.symbols("x h n q w L s", real=True)
kappa, t_of_laplace = sp.symbols("kappa t", positive=True)
half = sp.Rational(1, 2)


FALSE = {
    "wrong constant": {
        "half of the noise is enough for the bound on Dwork's error": (
            "bounded_error('bound', '', dwork().error(present), (4 * m + 1) / (m**2 * epsilon**2), (present, "
            "epsilon, m), lambda d, e, size: (size >= 1, e > 0, d >= 0, d <= 1), ('V &\\\\le "
            "\\\\frac{4m+1}{m^2\\\\varepsilon^2}',))"
        ),
        "the last level as printed": (
            "equal('total', '', '', summation((1 / 2)**(Symbol('i', integer=True, nonnegative=True) + 1), "
            "(Symbol('i', integer=True, nonnegative=True), 0, Symbol('Q', integer=True, nonnegative=True))), "
            "S(1))"
        ),
        "noise of half the variance": (
            "equal('variance', '', '', output_variance(members), (1 - t**2) / (4 * members * t**2) + 1 / "
            "(members**2 * epsilon**2))"
        ),
        "loss linear in the printed budget": (
            "equal('ratio', '', '', (1 - x / (1 + x))**(-Symbol('k', integer=True, positive=True)), "
            "x**Symbol('k', integer=True, positive=True))"
        ),
        "half the loss of the state": (
            "equal('half_loss', '', '', density_ratio(updated + t_of_laplace, initial, updated, scale), "
            "exp(epsilon / 2))"
        ),
        "half the normal tail": (
            "below_on_box('tail', '', 1 - erf(Symbol('y', positive=True)), exp(-Symbol('y', positive=True)**2) "
            "/ 2, {Symbol('y', positive=True): (1 / 50, S(4))}, closest={Symbol('y', positive=True): 1 / 50}, "
            "weaker=9 / 10)"
        ),
        "twice the exponent of the sum's tail": (
            "below_on_box('exponent', '', exponent(S(2), kappa), -2 * kappa, {kappa: (1 / 100, S(1))}, "
            "closest={kappa: 1 / 100}, weaker=2)"
        ),
        "a quarter in the exponent of p_2": (
            "equal('quarter', '', '', three_bounds()[1], 2 * exp(-m * (epsilon * alpha * delta_1 * (1 - "
            "delta_2))**2 / 4))"
        ),
        "levels without their probability": (
            "equal('levels', '', '', regions()[0].moment / 2, initial - scale * exp(-epsilon / 2))"
        ),
        "total variation of the whole budget": "equal('variation', '', '', untruncated_variation(), 1 - exp(-2 * eta))",
    },
    "wrong sign": {
        "Dwork's error grows with the density": (
            "derived('error', '', 'V', dwork().error(present), 4 / (m * epsilon**2) + present / m + _noise)"
        ),
        "error with a plus": (
            "equal('variance', '', '', output_variance(members), (1 + t**2) / (4 * members * t**2) + 2 / "
            "(members**2 * epsilon**2))"
        ),
        "moments of the wrong sign": (
            "equal('moments', '', '', laplace_generating_function(scale, Symbol('lambda', real=True)), 1 / (1 "
            "+ scale**2 * Symbol('lambda', real=True)**2))"
        ),
        "an exponent that rises": "equal('rising', '', '', induced_pair()[0], exp((boundary - initial) / scale) / 2)",
        "truncation never helps": (
            "below_on_box('never', '', 1 / (2 * eta**2), truncated.user_variance(), {eta: (1 / 20, 1 / 20), reach: "
            "(half, S(1))}, closest={eta: 1 / 20, reach: half})"
        ),
        "a ladder with a wrong rung": (
            "lemma('missing', '', positive_for_positive('missing', t_of_laplace, (t_of_laplace - sinh(t_of_laplace), "
            "cosh(t_of_laplace)), (S(1),)), ())"
        ),
    },
    "missing hypothesis": {
        "the displays of the best bits hold for a fixed sample": (
            "derived('error', '', 'V', optimal_bernoulli().error(present), (1 - t**2) / (4 * m * t**2) + "
            "present * (1 - present) / m + _noise)"
        ),
        "any noise leaves the estimate unbiased": (
            "derived('mean', '', 'E', CellEstimate(bernoulli(_half), bernoulli(_half + epsilon / 4), "
            "KnownMoments(_value, S(1))).expectation(), present)"
        ),
        "the Laplace cells' error is that about the stream": (
            "derived('error', '', 'V', laplace_cells().averaged_error(density, sampled_density()), 2 * (m + 1) "
            "/ (m**2 * epsilon**2))"
        ),
        "random users add no error": (
            "derived('error', '', 'V', dwork().averaged_error(coin, coin_density()), 4 / (m * epsilon**2) - "
            "coin / m + _noise)"
        ),
        "every multiplier is a bijection": (
            "enumerated('all', '', 'every multiplier gives one user of the highest level', ((width, multiplier) for "
            "width in range(1, 5) for multiplier in range(1, 2**width)), lambda case: {levels.count(case[0]) for "
            "levels in hash_functions(case[0], 2**case[0], case[1:])} == {1}, mutant=lambda case: {levels.count(0) "
            "for levels in hash_functions(case[0], 2**case[0], case[1:])} == {0})"
        ),
        "levels are pairwise independent": (
            "enumerated('pairs', '', 'levels of user 0 and another, Q = 4', product(range(1, 16), range(4), "
            "range(4)), lambda case: pair_law(4, 0, case[0]).get(case[1:], 0) == Fraction(1, 2**(case[1] + case[2] + "
            "2)), mutant=lambda case: pair_law(4, 0, case[0]).get(case[1:], 0) == Fraction(1, 2**(case[1] + case[2] + "
            "1)))"
        ),
        "printed share is unbiased": (
            "equal('mean', '', '', output_mean(universe / 2**Symbol('ell', integer=True, nonnegative=True)), present)"
        ),
        "members depend on the level only": (
            "found('s', '', 'the number of distributions of the state', lambda: len({frozenset(Sampler(2, "
            "2).state_distribution(levels, (0,)).items()) for levels in Sampler(2, 2).hashes}), 1)"
        ),
        "unbiased given the level": (
            "found('s', '', 'means given the level', lambda: tuple((moments_given_level(Sampler(2, 2), "
            "Sampler(2, 2).state_distribution((1, 0), ()))[level][1] for level in (0, 1))), (Fraction(0),) * 2)"
        ),
        "the joint loss is kept": (
            "below_on_box('kept', '', kept_over_redrawn(), exp(1), {only(kept_over_redrawn().free_symbols): "
            "(Rational(0), S(2))}, closest={only(kept_over_redrawn().free_symbols): S(0)})"
        ),
        "the linear branch for every deviation": (
            "at_most('linear', '', Inequality('linear', s**2 / (2 * w**2), big / (2 * w), (w > 0, s > 0, big > 0)))"
        ),
        "closer means wherever they lie": (
            "at_most('closer', '', Inequality('closer', (n - (big + 1) * w * s) / (1 - w * h), n, (n > 0, big > 0, w "
            "> 0, w * h < 1, s > 0, h > 0, n * h < (1 + n) * s), strict=True))"
        ),
    },
    "wrong range": {
        "any sample leaves half of the sampling variance": (
            "bounded_error('half', '', density * (1 - density) / (2 * m), density * (1 - density) / m * "
            "finite_population, (universe, density, m), lambda users, d, size: (users >= 2, size >= 1, size <= users, "
            "d >= 0, d <= 1), ('\\\\frac{d(1-d)}{2m} &\\\\le \\\\frac{d(1-d)}{m}\\\\frac{U-m}{U-1}',))"
        ),
        "Dwork's bound holds for negative densities": (
            "bounded_error('bound', '', dwork().error(present), 2 * (2 * m + 1) / (m**2 * epsilon**2), (present, "
            "epsilon, m), lambda d, e, size: (size >= 1, e > 0, d >= -1, d <= 1), ('V &\\\\le "
            "\\\\frac{2(2m+1)}{m^2\\\\varepsilon^2}',))"
        ),
        "joint loss for weaker noise": (
            "at_most('joint', '', Inequality('joint', joint_ratio().subs(state_factor, x), x**2, (x > 1, limit >= 1, "
            "limit <= 2 * x)))"
        ),
        "unbiased for every sample size": (
            "enumerated('means', '', 'means for U = 2, m = 1, 2', product((1, 2), streams(2, 2)), lambda case: "
            "mean_estimate(Sampler(2, case[0]), case[1]) == Fraction(len(set(case[1])), 2), mutant=lambda "
            "case: mean_estimate(Sampler(2, case[0]), case[1]) == Fraction(len(case[1]), 2))"
        ),
        "a log-linear ratio beyond the means": (
            "equal('beyond', '', '', expand_log(log(density_ratio(updated + t_of_laplace, initial, updated, "
            "scale)), force=True), (epsilon * scale + 2 * t_of_laplace) / scale)"
        ),
        "the quadratic branch beyond its border": (
            "below_on_box('range', '', exponent(S(2), kappa), -kappa, {kappa: (1 / 100, 199 / 100)}, "
            "closest={kappa: 1 / 100}, weaker=2)"
        ),
        "the geometric series up to three quarters": (
            "at_most('geometric', '', Inequality('geometric', 1 / (1 - x_of_laplace), 1 + 2 * x_of_laplace, "
            "(x_of_laplace >= 0, x_of_laplace <= 3 / 4)))"
        ),
    },
    "correct only in the limit": {
        "the finite population leaves the share of those not sampled": (
            "derived('variance', '', 'V', sampled_density()[1] - sampled_density()[0]**2, density * (1 - "
            "density) / m * (1 - m / universe))"
        ),
        "tanh of half of epsilon is half of epsilon": (
            "derived('error', '', 'V', optimal_bernoulli().error(present).subs(t, tanh(epsilon / 2)), (4 / "
            "epsilon**2 - 1) / (4 * m) + _noise)"
        ),
        "the variance of geometric noise to first order": (
            "derived('variance', '', 'V', variance(TwoSidedGeometric(_ratio, _ratio)), 2 * _ratio / (1 - _ratio))"
        ),
        "even multipliers make levels independent": (
            "equal('pairs', '', '', (Symbol('N', positive=True, integer=True) / 2 - 1) / (Symbol('N', "
            "positive=True, integer=True) - 1) / 2, 1 / 4)"
        ),
        "quantised bits as good as optimal ones": (
            "at_most('optimal', '', Inequality('optimal', (2 * h - 1) * (h + 1)**2, 4 * h**2, (h > 1,)))"
        ),
    },
}
