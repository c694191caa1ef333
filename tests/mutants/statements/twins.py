"""Formulas that differ in one place from formulas of the ledger, and are false: the steps must not lead to them."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.vectors import sum_over_entries
from pan_proofs.ledger.notation import (
    alpha,
    beta,
    delta_1,
    delta_2,
    delta_3,
    delta_4,
    density,
    epsilon,
    m,
    present,
    universe,
)
from pan_proofs.ledger.statements import symbolic
from tests.mutants.statements.reading import eq, le

half = sp.Rational(1, 2)
noise = 2 / (m**2 * epsilon**2)
once = (half - epsilon / 4) + (half + epsilon / 4) * sp.exp(4)
true_error = 4 / (m * epsilon**2) - present / m + noise
bound = 2 * (2 * m + 1) / (m**2 * epsilon**2)
value, other, output, nu, z = sp.symbols("f fprime y nu z", real=True)
q, qprime, length = sp.symbols("q qprime l", real=True)
sensitivity, cutoff, queries, accuracy = sp.symbols("Delta c k alpha", positive=True)
loss, change, deviation, part, least, total = sp.symbols("R T a s f S", real=True)
number = sp.Symbol("N", integer=True, nonnegative=True)
terms = sp.Symbol("n", integer=True, nonnegative=True)
p_1, p_2, p_3, error, tail = sp.symbols("p_1 p_2 p_3 P p_2", nonnegative=True)
rest = sp.Symbol("delta_5", positive=True)
first, second, third = sp.symbols("T_1 T_2 T_3", real=True)
chi, square = sp.symbols("chi2 v", positive=True)
W, rho = sp.symbols("W rho", positive=True)
a, r = sp.symbols("a r", nonnegative=True)
w = sp.Symbol("w", nonnegative=True, integer=True)
copies, each, answers = sp.symbols("N b bprime", positive=True)
mean_error = sp.Symbol("MSE")
lost, refusals, computed, alarm, price, changes = sp.symbols("l a r p c w", nonnegative=True)
rho_0, limit = sp.symbols("rho B", nonnegative=True)
kept, kept_least = sp.symbols("p pprime", nonnegative=True)
distance, end, runs, run = sp.symbols("D E n M", nonnegative=True)
norm_one, norm_other, inner, norm = sp.symbols("A B C S", nonnegative=True)


def named(formula: str, right: object) -> tuple[str, ...]:
    return symbolic(eq(sp.Symbol(formula), right))


def sums() -> dict[sp.Symbol, sp.Expr]:
    entry = (output, value, other)
    exponents = sp.Abs(output - other) - sp.Abs(output - value)
    return {
        loss: sum_over_entries(exponents, entry, number),
        change: sum_over_entries(sp.Abs(value - other), entry, number),
    }


def quiet() -> tuple[sp.Basic, ...]:
    return tuple(le(2 * sign * one, accuracy) for one in (nu, z) for sign in (1, -1))


at_half = {m: sp.Integer(2), present: half, epsilon: half}
uniform = 4 / (m * epsilon**2) - density / m + density * (1 - density) / m * (universe - m) / (universe - 1) + noise
cells = alpha * delta_1 * (1 - delta_2)
shares = (
    le(error, p_1 + p_2 + p_3),
    le(p_1, delta_3 * beta),
    le(p_2, delta_4 * beta),
    le(p_3, rest * beta),
)
centre, slope = sp.symbols("c t", real=True)
TWINS = {
    "density.bernoulli_family": {
        "the condition": [
            (
                "symbolic(Equivalent(centre * slope <= (1 - centre) * slope, centre <= 3 / 5), given=(slope > "
                "0, slope < 1, centre > 0, centre < 1))"
            ),
        ],
    },
    "density.laplace_mechanism": {
        "the bound": [
            (
                "symbolic(exp(epsilon * loss / sensitivity) <= exp(epsilon / 2), given=(change <= "
                "sensitivity,), where=sums())"
            ),
            (
                "symbolic(exp(epsilon * loss / sensitivity) <= exp(epsilon), where=sums(), given=(change <= 2 "
                "* sensitivity,))"
            ),
        ],
        "the bound is attained": [
            "symbolic(exp(sensitivity / scale) > exp(epsilon), given=(scale <= sensitivity / epsilon,))",
        ],
    },
    "density.dwork_privacy": {
        "the output given the state": [
            'named("\\\\frac{P(O \\\\mid b = 0)}{P\'(O \\\\mid b = 0)}", once + epsilon / 4)',
        ],
        "the state without the bound on the budget": [
            "symbolic(1 + epsilon / 2 < 1 / (1 - epsilon / 2))",
        ],
    },
    "density.dwork_error": {
        "unbiased": [
            "named('E[\\\\tilde{d} \\\\mid M]', present**2)",
        ],
        "the bound": [
            (
                "symbolic(Equivalent(mean_error == bound, present == 1), given=(present <= 1,), "
                "where={mean_error: true_error})"
            ),
            "symbolic(mean_error <= bound - 1 / m, given=(present <= 1,), where={mean_error: true_error})",
        ],
        "the displayed variances": [
            "symbolic(Symbol('\\\\mathrm{Var}(b_1)') != 1 / 4, where=at_half)",
        ],
        "the variances for a fixed sample": [
            "named('\\\\mathrm{Var}(\\\\hat{d} \\\\mid M)', 1 / (4 * m) - epsilon**2 * present**2 / (16 * m))",
            "symbolic(true_error < true_error + (present - present**2) / m)",
        ],
        "a uniform sample, about the density of the stream": [
            "named('E[(\\\\tilde{d} - d(\\\\mathcal{S}))^2]', uniform - density * (1 - density) / m)",
        ],
    },
    "density.optbern_error": {
        "the bound": [
            (
                "symbolic(1 / (4 * m * t**2) + noise - mean_error == 1 / (2 * m), given=(t < 1, present <= "
                "1), where={mean_error: (1 - t**2) / (4 * m * t**2) + noise})"
            ),
        ],
        "the variances for a fixed sample": [
            "named('\\\\mathrm{Var}(b_1)', (1 - t**2) / 4 + present * (1 - present) * t**2)",
        ],
    },
    "density.dwork_accuracy": {
        "the equivalences, and sizes that suffice": [
            "symbolic(error <= beta, given=(*shares, delta_3 + delta_4 + rest == 2))",
        ],
        "an explicit size": [
            (
                "symbolic(m >= 128 * log(6 / beta) / (alpha**2 * epsilon**2), given=(m >= 127 * log(6 / beta) "
                "/ (epsilon * alpha)**2, epsilon <= 2, alpha <= 1, beta < 1))"
            ),
        ],
    },
    "density.tightest_beta": {
        "the minimum is a valid bound": [
            (
                "symbolic(1 <= first + second + third, given=(*(one >= 0 for one in (first, second, third)), "
                "Or(first >= 2, second >= 2, third >= half)))"
            ),
        ],
    },
    "turnstile.sparse_vector": {
        "privacy": [
            "symbolic(qprime + nu < z + 1, given=(qprime <= q + 2, q + nu < z))",
            "symbolic(qprime + nu + 1 >= z + 1, given=(qprime >= q - 1, q + nu >= z))",
            "symbolic(Abs(nu + 2) - Abs(nu) <= 1)",
        ],
        "accuracy until the cutoff": [
            "named('k e^{-\\\\alpha \\\\varepsilon/(8c)}', Symbol('beta', positive=True) / cutoff)",
            "symbolic(2 * cutoff * length <= length, given=(length <= 1, cutoff >= 1))",
            "symbolic(q >= -accuracy / 2, given=(*quiet(), q + nu >= z))",
        ],
    },
    "turnstile.adaptive": {
        "privacy": [
            "symbolic(copies * each + answers <= rho, given=(each <= rho / copies, answers <= rho / 2))",
        ],
        "the largest bound (Claim 3.9)": [
            "symbolic(2 * W <= Max(w, 2 * rho * a**2), given=(Or(W <= w, r <= a), W <= rho * r**2))",
        ],
    },
    "thesis.laplace_accuracy": {
        "the three bounds": [
            (
                "symbolic(deviation <= 2 * sqrt(2) * scale * m, given=(epsilon * alpha <= 4, delta_1 < 1, "
                "delta_2 < 1, deviation == m * epsilon * scale * cells))"
            ),
        ],
    },
    "thesis.subexponential": {
        "Lemma 4.6": [
            "named('\\\\frac{v_s^2}{b_s}', 2 * scale * m)",
        ],
    },
    "continual.adaptive": {
        "the budget": [
            (
                "symbolic(lost + refusals + computed <= rho_0, given=(lost <= 2 * changes * price, refusals "
                "<= alarm, (2 * changes - 1) * price + alarm + computed <= rho_0))"
            ),
            "symbolic(changes * price + alarm <= limit / 2, given=(2 * changes * price + alarm <= limit,))",
        ],
        "the loss of a pair": [
            "symbolic(norm_one + norm_other - inner <= 2 * norm, given=(norm_one <= norm, norm_other <= 2 * norm))",
        ],
    },
    "continual.presence": {
        "the noise": [
            "symbolic(norm_one + norm_other - 2 * inner <= norm, given=(norm_one <= norm, norm_other <= norm))",
        ],
    },
    "continual.calibrated": {
        "one change": [
            "symbolic(1 - kept**2 + (1 - kept)**2 <= 1 - kept_least, given=(kept_least <= kept, kept <= 1))",
        ],
        "many changes": [
            (
                "symbolic(distance <= end + runs * run, given=(distance <= norm_one + norm_other + inner, "
                "norm_one + norm_other <= 2 * end, inner <= runs * run))"
            ),
        ],
    },
    "cell.variance_floor": {
        "many cells": [
            "named('E[(h - s_u/\\\\chi_u^2)^2]', square - 2 / chi)",
            (
                "symbolic(total >= 2 * terms * least, given=(x > 1, part >= least, x / (x - 1)**2 == least), "
                "where={total: sum_over_entries(part, (part,), terms)})"
            ),
        ],
    },
}
