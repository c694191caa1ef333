"""No unbiased estimator from private cells has a smaller variance than the additive one from tanh bits."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.private_pairs import bernoulli, tanh_pair, unbiased_mean, unbiased_variance
from pan_proofs.engines.relations import eq, ge, le, lt
from pan_proofs.foundations.distributions import TwoSidedGeometric, variance
from pan_proofs.foundations.linear_expectations import expectation, residual
from pan_proofs.foundations.sums_over_terms import least_sum, stated_least_sum
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.notation import epsilon, p_init, p_upd, x
from pan_proofs.ledger.steps import bounded, counterexample, equal, lemma

_ratio = sp.Symbol("L", real=True)
_chi, _square = sp.symbols("chi2 v", positive=True)
_chi_real = sp.Symbol("c", real=True)
_cells = sp.Symbol("k", positive=True, integer=True)
_count = sp.Symbol("c", real=True)
_least = x / (x - 1) ** 2
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
                "taken_off",
                "scores of different cells are independent with mean zero, hence uncorrelated; what is left of the "
                "estimator after some scores are taken off has the same products with the scores of the other users",
            ),
        ),
        parts=(_divergence_part(), _one_cell_part(), _many_cells(), _biased(), _dependent(), _other_pair()),
        remark=r"For the density of a fixed sample of $m$ users divide by $m^2$: the floor is "
        r"$\frac{1}{4 m \sinh^2(\varepsilon/2)}$ before any noise of the output. Unbiasedness at the configuration "
        r"and at its $k$ neighbours is all that the proof uses.",
    )


def _divergence_part() -> Part:
    within = (x > 1, _ratio * x >= 1, _ratio <= x)
    pointwise = bounded(
        "pointwise",
        r"The two distributions have the same null sets, so that $P_1$ has a density $L$ with respect to $P_0$; by the "
        r"budget $1/x \le L \le x$ almost everywhere. Hence $(L - \frac1x)(x - L) \ge 0$:",
        le(_ratio**2 + 1, (x + 1 / x) * _ratio),
        *within,
        lines=r"L^2 + 1 &\le \left(x + \tfrac1x\right) L",
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


def _hyperbolic() -> Step:
    step = equal(
        "hyperbolic", r"In terms of $\varepsilon$", "", _ceiling.subs(x, sp.exp(epsilon)), 4 * sp.sinh(epsilon / 2) ** 2
    )
    return replace(step, lines=(r"\frac{(x-1)^2}{x} &= 4 \sinh^2(\varepsilon/2)",))


def _one_cell_part() -> Part:
    products = _scores(
        "products",
        r"Let $g$ be unbiased: $E_0[g] = 0$, $E_1[g] = E_0[gL] = 1$. For an absent user put $s = L - 1$, for one who "
        r"is present $s = 1 - M$ with $M = dP_0/dP_1$. Both have mean zero, and with the centred estimator the mean "
        r"product one.",
        r"E_0[g\,(L - 1)] &= E_1[g] - E_0[g] = 1",
        r"E_1[(g - 1)(1 - M)] &= E_1[g] - E_0[g] = 1",
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
    floor = bounded(
        "floor",
        r"With the bound on $\chi^2$,",
        le(x / (x - 1) ** 2, 1 / _chi_real),
        x > 1,
        _chi_real > 0,
        _chi_real <= _ceiling,
        lines=r"\frac{x}{(x-1)^2} &\le \frac{1}{\chi^2} \le v",
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


def _many_cells() -> Part:
    """``Var >= sum of 1/chi_u^2``, by taking off one score after the other."""
    return Part(
        Role.PUBLISHED,
        "many cells",
        r"For $k$ independent private cells, any unbiased estimator $T$ of the count and any configuration $\theta$: "
        r"$\operatorname{Var}_\theta(T) \ge \sum_u \frac{1}{\chi_u^2} \ge \frac{k x}{(x-1)^2}$. The score $s_u$ of "
        r"each user has $E_\theta[(T - c)\, s_u] = 1$, scores of two users are uncorrelated, and taking off the score "
        r"of $u$ lowers the mean square $E[h^2] = v$ of what is left by $\frac{1}{\chi_u^2}$. Each of these is at "
        r"least $f = \frac{x}{(x-1)^2}$, and so the sum of $n$ of them is at least $n f$. Equality holds at every "
        r"configuration for $T = \sum_u \frac{b_u - p_{\mathrm{init}}}{p_{\mathrm{upd}} - p_{\mathrm{init}}}$ with "
        r"the bits $b_u$ of the $\tanh$ pair.",
        (
            _scores(
                "scores",
                r"Fix $\theta$, with count $c$, and let $\theta^u$ be $\theta$ with user $u$ changed. By independence "
                r"the density $R_u$ of the distribution at $\theta^u$ with respect to that at $\theta$ is a function "
                r"of cell $u$ alone. Put $s_u = R_u - 1$ if $u$ is absent in $\theta$ and $s_u = 1 - R_u$ otherwise: "
                r"mean zero, and $E_\theta[s_u^2] = \chi_u^2 \le (x-1)^2/x$. As $T$ is unbiased at $\theta$ and at "
                r"$\theta^u$,",
                r"E_\theta[(T - c)\, s_u] &= \pm\left(E_{\theta^u}[T] - E_\theta[T]\right) = \pm(\pm 1) = 1",
                r"E_\theta[s_u] &= 0",
            ),
            _taken_off(),
            _summed(),
            _attained(),
        ),
        formal=(
            *symbolic(
                eq(sp.Symbol(r"E[(T - c)\, s_u]"), 1),
                eq(sp.Symbol(r"E[(h - s_u/\chi_u^2)^2]"), _square - 1 / _chi),
                eq(sp.Symbol(r"E[(h - s_u/\chi_u^2)\, s_v]"), 1),
            ),
            *stated_least_sum(_least, (x > 1,)),
            *symbolic(eq(sp.Symbol("Var_of_a_term"), _least)),
        ),
        theorems=("variance_floor",),
    )


def _scores(name: str, text: str, *lines: str) -> Step:
    """``E[(T - c) s] = 1`` from unbiasedness at the configuration and at its neighbour, for either user."""
    estimator, ratio = sp.symbols("T R", real=True)
    checked = []
    for user, sign in (("absent", 1), ("present", -1)):
        # The ratio R changes cell u alone, so E[T R] is the mean at the neighbour: one more, or one less.
        moments = {estimator: _count, estimator * ratio: _count + sign, ratio: sp.S.One}
        score = sign * (ratio - 1)
        value = partial(expectation, (estimator - _count) * score, (estimator, ratio), moments)
        mean = partial(expectation, score, (ratio,), moments)
        checked.append(equal(f"{name}.{user}", "", "", value, sp.S.One))
        checked.append(equal(f"{name}.mean_{user}", "", "", mean, sp.S.Zero))
    return lemma(name, text, [obligation for step in checked for obligation in step.obligations], lines)


def _taken_off() -> Step:
    """One score after the other: the square shrinks by ``1/chi_u^2`` and the products with the rest stay."""
    h, score, other = sp.symbols("h s r", real=True)
    moments = {h * other: sp.S.One, score * other: sp.S.Zero}
    rest = partial(expectation, (h - score / _chi) * other, (h, score, other), moments)
    checked = [
        equal("square_shrinks", "", "", lambda: residual(_square, sp.S.One, _chi), _square - 1 / _chi),
        equal("products_stay", "", "", rest, sp.S.One),
    ]
    return lemma(
        "taken_off",
        r"Take the scores off one after the other (Bessel). Let $h$ be what is left of $T - c$, and $E[h s_v] = 1$ "
        r"for every "
        r"user $v$ not yet taken. Taking off $u$ lowers the mean square by $1/\chi_u^2$ and changes no later product.",
        [obligation for step in checked for obligation in step.obligations],
        lines=(
            r"E\left[\left(h - \frac{s_u}{\chi_u^2}\right)^2\right] &= E[h^2] - \frac{1}{\chi_u^2}",
            r"E\left[\left(h - \frac{s_u}{\chi_u^2}\right) s_v\right] &= E[h s_v] - \frac{E[s_u s_v]}{\chi_u^2} = 1",
        ),
    )


def _summed() -> Step:
    """After k cells a mean square is left, which is not negative."""
    return least_sum(
        "summed",
        r"After all $k$ cells a square is left, so that $\operatorname{Var}_\theta(T) - \sum_u 1/\chi_u^2 \ge 0$. "
        r"Each term is at least $f = x/(x-1)^2$, and the sum grows term by term: if it is at least $jf$ after $j$ "
        r"cells, then",
        (r"(j + 1) f &\le \sum_{u \le j} \frac{1}{\chi_u^2} + \frac{1}{\chi_{j+1}^2}",),
    )


def _attained() -> Step:
    checked = []
    for name, parameter, mean in zip(("absent", "present"), tanh_pair, (sp.S.Zero, sp.S.One), strict=True):
        distribution = bernoulli(parameter)
        checked.append(equal(f"tanh_{name}", "", "", unbiased_variance(distribution, tanh_pair), _least))
        checked.append(equal(f"tanh_mean_{name}", "", "", partial(unbiased_mean, distribution, tanh_pair), mean))
    return lemma(
        "tanh_bit",
        r"For the $\tanh$ pair one term $(b - p_{\mathrm{init}})/(p_{\mathrm{upd}} - p_{\mathrm{init}})$ of the "
        r"additive estimator has the mean $0$ or $1$ and, absent or present, the variance",
        [obligation for step in checked for obligation in step.obligations],
        lines=(r"\frac{x/(1+x)^2}{((x-1)/(x+1))^2} &= \frac{x}{(x-1)^2}",),
    )


def _biased() -> Part:
    return derived(
        Role.READING,
        "biased estimators",
        r"Without unbiasedness the floor is false for the mean squared error, even for its maximum over all "
        r"configurations: the constant $\frac{k}{2}$ errs by at most $\frac{k}{2}$.",
        counterexample(
            "constant",
            r"One user, $x = 2$: the constant $\frac12$ has the mean squared error $\frac14$ at both "
            r"configurations.",
            ge(_cells**2 / 4, _cells * _least),
            {_cells: sp.Integer(1), x: sp.Integer(2)},
            (x > 1,),
            lines=(r"\tfrac14 &< 2 = \frac{x}{(x-1)^2}",),
        ),
        holds=False,
        departs="the estimator is unbiased at every configuration",
    )


def _dependent() -> Part:
    value = variance(TwoSidedGeometric(1 / x, 1 / x))
    step = replace(
        equal(
            "noisy_count",
            r"Let the state be the count plus noise $Z$ with $P(Z = z)$ proportional to $x^{-|z|}$. One user changes "
            r"the count by one and each probability by a factor of at most $x$; the state itself is unbiased. Its "
            r"variance, from the geometric series, is",
            r"\operatorname{Var}(Z)",
            value,
            2 * x / (x - 1) ** 2,
        ),
        lines=(r"\operatorname{Var}(Z) &= \frac{2x}{(x-1)^2}",),
    )
    return Part(
        Role.READING,
        "cells that are not independent",
        r"For a private state that is not made of independent cells the floor is false from $k = 3$ on: a noisy count "
        r"has a variance that does not grow with $k$.",
        (
            step,
            counterexample(
                "three_users",
                r"Take three users and $x = 2$.",
                ge(value, _cells * _least),
                {_cells: sp.Integer(3), x: sp.Integer(2)},
                (x > 1,),
                lines=(r"\operatorname{Var}(Z) = 4 &< 6 = \frac{3x}{(x-1)^2}",),
            ),
        ),
        formal=(
            *symbolic(eq(sp.Symbol("Var_Z"), 2 * x / (x - 1) ** 2)),
            *symbolic(
                lt(2 * x / (x - 1) ** 2, _cells * _least),
                given=(x > 1, ge(_cells, 3)),
            ),
        ),
        holds=False,
        departs="the cells are independent given who is present",
    )


def _other_pair() -> Part:
    """Another pair attains ``1/chi^2`` only by having a smaller ``chi^2``."""
    checked = []
    lines = []
    stated = []
    for name, parameter, other in (("absent", p_init, p_upd), ("present", p_upd, p_init)):
        distribution, changed = bernoulli(parameter), bernoulli(other)
        divergence = sum((changed[bit] - weight) ** 2 / weight for bit, weight in distribution.items())
        stated.append(eq(unbiased_variance(distribution, (p_init, p_upd)), 1 / divergence))
        checked.append(equal(f"pair_{name}", "", "", unbiased_variance(distribution, (p_init, p_upd)), 1 / divergence))
        p, q = (rf"{letter}_{{\mathrm{{{'init' if name == 'absent' else 'upd'}}}}}" for letter in "pq")
        lines.append(rf"\frac{{{p} {q}}}{{(p_{{\mathrm{{upd}}}} - p_{{\mathrm{{init}}}})^2}} &= \frac{{1}}{{\chi^2}}")
    step = lemma(
        "any_pair",
        r"For a bit of an absent and of a present user,",
        [obligation for one in checked for obligation in one.obligations],
        lines=lines,
    )
    return derived(
        Role.READING,
        "other pairs",
        r"The first of the two bounds, $\sum_u 1/\chi_u^2$, is attained by the additive estimator of any pair of "
        r"Bernoulli distributions; only the second singles out a pair.",
        step,
    )


CLAIMS = {"cell.variance_floor": variance_floor}
