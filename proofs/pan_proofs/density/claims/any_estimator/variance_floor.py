"""No unbiased estimator from private cells has a smaller variance than the additive one from tanh bits."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from pan_proofs.density.lemmas.optimality.many_cells import many_cells_part, without_a_hypothesis
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.foundations.linear_expectations import expectation, residual
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import epsilon, x
from pan_proofs.ledger.steps import at_most, equal, lemma

_ratio, _inverse, _estimator = sp.symbols("L M g", real=True)
_chi, _square = sp.symbols("chi2 v", positive=True)
_chi_real = sp.Symbol("c", real=True)
_ceiling = (x - 1) ** 2 / x


def variance_floor() -> Claim:
    """One cell, k cells, and what the hypotheses are for."""
    return Claim(
        id="cell.variance_floor",
        title="The least variance of any unbiased estimator from private cells",
        references=(
            Reference(
                "here",
                "cells",
                "strengthens section 4.2 of the paper: cells with values in any set instead of bits, and every "
                "unbiased estimator of the count instead of the additive one",
            ),
        ),
        statement=r"Let $k$ cells be independent, each with values in any measurable set and with distributions for "
        r"absence and presence that satisfy $\varepsilon$-differential privacy. Every unbiased estimator of the number "
        r"of users present has, for every configuration of the users, variance at least "
        r"$\frac{k x}{(x-1)^2} = \frac{k}{4 \sinh^2(\varepsilon/2)}$, $x = e^{\varepsilon}$. The $\tanh$ pair "
        r"attains this at every configuration.",
        notation=(
            ("$p_i$, $q_i$", "probabilities of the value $i$ under the two distributions"),
            (
                r"$\chi^2$, $\chi_u^2$",
                r"squared distance of the two distributions of one cell, and of the cell of the user $u$",
            ),
            (
                r"$E_0$, $E_1$, $E_\theta$",
                r"expectations for an absent user, a present one, and the configuration $\theta$",
            ),
        ),
        hypotheses=(
            r"$\varepsilon > 0$",
            r"$P_0(A) \le x P_1(A)$ and $P_1(A) \le x P_0(A)$ for every measurable $A$, for each cell",
            "the cells are independent given who is present",
            "the estimator is unbiased at every configuration",
        ),
        in_words=(
            (
                "products",
                r"the distribution of a cell has a density, and $E_1[g] = E_0[g L]$ for every distribution of this "
                r"kind",
            ),
            (
                "scores",
                "the cells are independent, so that the density for one changed user is a function of this "
                "user's cell alone",
            ),
            (
                "uncorrelated",
                "scores of different cells are uncorrelated for all distributions; the engines multiplied it out for "
                "three values",
            ),
            (
                "taken_off",
                "what is left of the estimator after some scores are taken off has the same products with the "
                "scores of the other users",
            ),
        ),
        parts=(_divergence_part(), _one_cell_part(), many_cells_part(), *without_a_hypothesis()),
        remark=r"For the density of a fixed sample of $m$ users divide by $m^2$: the floor is "
        r"$\frac{1}{4 m \sinh^2(\varepsilon/2)}$ before any noise of the output. Unbiasedness at the configuration "
        r"and at its $k$ neighbours is all that the proof uses.",
    )


def _divergence_part() -> Part:
    within = (x > 1, _ratio * x >= 1, _ratio <= x)
    pointwise = at_most(
        "pointwise",
        r"The two distributions have the same null sets, so that $P_1$ has a density $L$ with respect to $P_0$; by "
        r"the budget "
        r"$1/x \le L \le x$ almost everywhere. Hence $(L - \frac1x)(x - L) \ge 0$:",
        Inequality("variance_floor.pointwise", _ratio**2 + 1, (x + 1 / x) * _ratio, within, touching={x: 2, _ratio: 2}),
        lines=(r"L^2 + 1 &\le \left(x + \tfrac1x\right) L",),
    )
    factors = equal(
        "factors",
        "The difference of the sides is the product.",
        "",
        (_ratio - 1 / x) * (x - _ratio),
        (x + 1 / x) * _ratio - _ratio**2 - 1,
    )
    # E_0[1] = 1, E_0[L] = P_1(everything) = 1, and E_0[L^2] = 1 + chi^2 defines chi^2.
    moments = {_ratio: sp.S.One, _ratio**2: 1 + _chi}
    integrated = replace(
        equal(
            "integrated",
            r"Integrate over $P_0$. Since $E_0[1] = E_0[L] = 1$ and $\chi^2 = E_0[(L-1)^2] = E_0[L^2] - 1$,",
            "",
            expectation((_ratio - 1 / x) * (x - _ratio), (_ratio,), moments),
            _ceiling - _chi,
        ),
        lines=(r"0 \le E_0\left[(L - \tfrac1x)(x - L)\right] &= \frac{(x-1)^2}{x} - \chi^2",),
    )
    return Part(
        Role.PUBLISHED,
        "how far apart the distributions of a private cell can be",
        r"$\chi^2 = E_0\left[(dP_1/dP_0 - 1)^2\right] \le \frac{(x-1)^2}{x} = 4\sinh^2(\varepsilon/2)$, and the same "
        r"with $P_0$ and $P_1$ exchanged.",
        (
            pointwise,
            replace(factors, lines=(r"(L - \tfrac1x)(x - L) &= (x + \tfrac1x) L - L^2 - 1",)),
            integrated,
            _four_values(),
            _hyperbolic(),
        ),
        formal=(
            *symbolic(le(_ratio**2 + 1, (x + 1 / x) * _ratio), given=within),
            *symbolic(
                le(_chi, _ceiling),
                given=(ge(expectation((_ratio - 1 / x) * (x - _ratio), (_ratio,), moments), sp.S.Zero),),
            ),
            *symbolic(
                eq(_ceiling.subs(x, sp.exp(epsilon)), 4 * sp.sinh(epsilon / 2) ** 2),
            ),
        ),
    )


def _four_values() -> Step:
    """The same certificate for distributions on four values, written out."""
    absent, present = ([*sp.symbols(f"{name}_1:4", positive=True)] for name in ("p", "q"))
    absent, present = [*absent, 1 - sum(absent)], [*present, 1 - sum(present)]
    pairs = list(zip(absent, present, strict=True))
    products = sum((x * q - p) * (x * p - q) / (x * p) for p, q in pairs)
    step = equal(
        "four_values",
        r"For cells with finitely many values this is a certificate, a sum of products of slacks; with general "
        r"distributions "
        r"$p$ and $q$ on four values it was multiplied out.",
        "",
        products,
        _ceiling - sum((q - p) ** 2 / p for p, q in pairs),
    )
    line = (
        r"\sum_i \frac{(x q_i - p_i)(x p_i - q_i)}{x\, p_i} "
        r"&= \frac{(x-1)^2}{x} - \sum_i \frac{(q_i - p_i)^2}{p_i}"
    )
    return replace(step, lines=(line,))


def _hyperbolic() -> Step:
    step = equal(
        "hyperbolic", r"In terms of $\varepsilon$", "", _ceiling.subs(x, sp.exp(epsilon)), 4 * sp.sinh(epsilon / 2) ** 2
    )
    return replace(step, lines=(r"\frac{(x-1)^2}{x} &= 4 \sinh^2(\varepsilon/2)",))


def _one_cell_part() -> Part:
    # E_0[g] = 0 and E_0[g L] = E_1[g] = 1 say that g is unbiased.
    absent = {_estimator: sp.S.Zero, _estimator * _ratio: sp.S.One, _ratio: sp.S.One}
    # The same under P_1, with M = dP_0/dP_1: E_1[g] = 1, E_1[g M] = E_0[g] = 0, E_1[M] = 1.
    present = {_estimator: sp.S.One, _estimator * _inverse: sp.S.Zero, _inverse: sp.S.One}
    products = lemma(
        "products",
        r"Let $g$ be unbiased: $E_0[g] = 0$, $E_1[g] = E_0[gL] = 1$. For an absent user put $s = L - 1$, for one who "
        r"is present $s = 1 - M$ with $M = dP_0/dP_1$. Both have mean zero, and with the centred estimator the mean "
        r"product one.",
        [
            obligation
            for step in (
                equal(
                    "product_absent",
                    "",
                    "",
                    lambda: expectation(_estimator * (_ratio - 1), (_estimator, _ratio), absent),
                    sp.S.One,
                ),
                equal(
                    "product_present",
                    "",
                    "",
                    lambda: expectation((_estimator - 1) * (1 - _inverse), (_estimator, _inverse), present),
                    sp.S.One,
                ),
                equal("mean_absent", "", "", lambda: expectation(_ratio - 1, (_ratio,), absent), sp.S.Zero),
                equal("mean_present", "", "", lambda: expectation(1 - _inverse, (_inverse,), present), sp.S.Zero),
            )
            for obligation in step.obligations
        ],
        lines=(
            r"E_0[g\,(L - 1)] &= E_1[g] - E_0[g] = 1",
            r"E_1[(g - 1)(1 - M)] &= E_1[g] - E_0[g] = 1",
        ),
    )
    square = replace(
        equal(
            "square",
            r"Let $h$ be the centred estimator, with $E[h^2] = v$ the variance. A square that is not negative "
            r"(Cauchy and Schwarz), with $\chi^2 = E[s^2]$, which is not zero as $E[hs] = 1$:",
            "",
            lambda: residual(_square, sp.S.One, _chi),
            _square - 1 / _chi,
        ),
        lines=(r"0 \le E\left[\left(h - \frac{s}{\chi^2}\right)^2\right] &= v - \frac{1}{\chi^2}",),
    )
    floor = at_most(
        "floor",
        r"With the bound on $\chi^2$,",
        Inequality(
            "variance_floor.floor",
            x / (x - 1) ** 2,
            1 / _chi_real,
            (x > 1, _chi_real > 0, _chi_real <= _ceiling),
            touching={x: 2, _chi_real: sp.Rational(1, 2)},
        ),
        lines=(r"\frac{x}{(x-1)^2} &\le \frac{1}{\chi^2} \le v",),
    )
    return Part(
        Role.PUBLISHED,
        "one cell",
        r"An unbiased estimator of presence from one private cell has variance at least $\frac{1}{\chi^2} \ge "
        r"\frac{x}{(x-1)^2} = \frac{1}{4 \sinh^2(\varepsilon/2)}$, whether the user is absent or present.",
        (products, square, floor),
        formal=symbolic(
            sp.Implies(sp.And(x > 1, _chi_real > 0, _chi_real <= _ceiling), 1 / _chi_real >= x / (x - 1) ** 2)
        ),
    )


CLAIMS = {"cell.variance_floor": variance_floor}
