"""Parts of the claim on the least variance: many cells, the estimator that attains it, and the hypotheses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.optimality.private_pairs import bernoulli, tanh_pair, unbiased_mean, unbiased_variance
from pan_proofs.engines.relations import eq, ge, lt
from pan_proofs.foundations.linear_expectations import expectation, residual
from pan_proofs.foundations.sums_over_terms import least_sum, stated_least_sum
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.notation import p_init, p_upd, x
from pan_proofs.ledger.steps import counterexample, enumerated, equal, lemma

_cells = sp.Symbol("k", positive=True, integer=True)
_count = sp.Symbol("c", real=True)
_chi, _square = sp.symbols("chi2 v", positive=True)
_least = x / (x - 1) ** 2


def many_cells_part() -> Part:
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
        (_score_product(), _uncorrelated(), _taken_off(), _summed(), *_attained()),
        formal=(
            *symbolic(
                eq(sp.Symbol(r"E[(T - c)\, s_u]"), 1),
                eq(sp.Symbol(r"E[s_{u} s_{v}]"), 0),
                eq(sp.Symbol(r"E[(h - s_u/\chi_u^2)^2]"), _square - 1 / _chi),
                eq(sp.Symbol(r"E[(h - s_u/\chi_u^2)\, s_v]"), 1),
            ),
            *stated_least_sum(_least, (x > 1,)),
            *symbolic(eq(sp.Symbol("Var_of_a_term"), _least)),
        ),
    )


def _score_product() -> Step:
    """``E[(T - c) s_u] = 1`` from unbiasedness at the configuration and at its neighbour."""
    estimator, ratio = sp.symbols("T R", real=True)
    checked = []
    for name, sign in (("absent", 1), ("present", -1)):
        # The ratio R changes cell u alone, so E[T R] is the mean at the neighbour: one more, or one less.
        moments = {estimator: _count, estimator * ratio: _count + sign, ratio: sp.S.One}
        score = sign * (ratio - 1)
        value = partial(expectation, (estimator - _count) * score, (estimator, ratio), moments)
        mean = partial(expectation, score, (ratio,), moments)
        checked.append(equal(f"score_{name}", "", "", value, sp.S.One))
        checked.append(equal(f"score_mean_{name}", "", "", mean, sp.S.Zero))
    return lemma(
        "scores",
        r"Fix $\theta$, with count $c$, and let $\theta^u$ be $\theta$ with user $u$ changed. By independence the "
        r"density $R_u$ of the distribution at $\theta^u$ with respect to that at $\theta$ is a function of cell $u$ "
        r"alone. "
        r"Put $s_u = R_u - 1$ if $u$ is absent in $\theta$ and $s_u = 1 - R_u$ otherwise: mean zero, and "
        r"$E_\theta[s_u^2] = \chi_u^2 \le (x-1)^2/x$. As $T$ is unbiased at $\theta$ and at $\theta^u$,",
        [obligation for step in checked for obligation in step.obligations],
        lines=(
            r"E_\theta[(T - c)\, s_u] &= \pm\left(E_{\theta^u}[T] - E_\theta[T]\right) = \pm(\pm 1) = 1",
            r"E_\theta[s_u] &= 0",
        ),
    )


def _uncorrelated() -> Step:
    """The product of the scores of two independent cells, each with three values and general distributions."""
    cells = []
    for name in ("a", "b"):
        distribution, other = ([*sp.symbols(f"{name}{letter}_1:3", positive=True)] for letter in ("p", "q"))
        cells.append(list(zip([*distribution, 1 - sum(distribution)], [*other, 1 - sum(other)], strict=True)))
    value = sum(p * r * (q / p - 1) * (s / r - 1) for (p, q), (r, s) in product(*cells))
    step = equal(
        "uncorrelated",
        r"Scores of different cells are independent with mean zero, hence uncorrelated; with three values each and "
        r"general distributions it was multiplied out.",
        "",
        value,
        sp.S.Zero,
    )
    return replace(step, lines=(r"E_\theta[s_u s_v] &= E_\theta[s_u]\, E_\theta[s_v] = 0",))


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


def _attained() -> tuple[Step, ...]:
    checked = []
    for name, parameter, mean in zip(("absent", "present"), tanh_pair, (sp.S.Zero, sp.S.One), strict=True):
        distribution = bernoulli(parameter)
        checked.append(equal(f"tanh_{name}", "", "", unbiased_variance(distribution, tanh_pair), _least))
        checked.append(equal(f"tanh_mean_{name}", "", "", partial(unbiased_mean, distribution, tanh_pair), mean))
    single = lemma(
        "tanh_bit",
        r"For the $\tanh$ pair one term $(b - p_{\mathrm{init}})/(p_{\mathrm{upd}} - p_{\mathrm{init}})$ of the "
        r"additive estimator has the mean $0$ or $1$ and, absent or present, the variance",
        [obligation for step in checked for obligation in step.obligations],
        lines=(r"\frac{x/(1+x)^2}{((x-1)/(x+1))^2} &= \frac{x}{(x-1)^2}",),
    )
    sizes = (1, 2, 3)
    factors = (Fraction(3, 2), Fraction(2), Fraction(7))
    configurations = [one for size in sizes for one in product((0, 1), repeat=size)]
    cases = (
        (*additive_errors(configuration, factor), len(configuration), factor)
        for factor, configuration in product(factors, configurations)
    )
    return single, enumerated(
        "all_configurations",
        r"Variances of independent terms add up to $kx/(x-1)^2$, at every configuration. This is enumerated as a "
        r"check.",
        "the mean error over all bits is 0 and the variance kx/(x-1)^2, at all configurations of "
        f"k = {sizes} users, x = 3/2, 2, 7",
        cases,
        lambda case: case[0] == 0 and case[1] == case[2] * case[3] / (case[3] - 1) ** 2,
        # The other sign in the denominator.
        mutant=lambda case: case[0] == 0 and case[1] == case[2] * case[3] / (case[3] + 1) ** 2,
        lines=(r"\operatorname{Var}_\theta(T) &= \frac{k x}{(x-1)^2} \quad \text{for every } \theta",),
    )


def additive_variances(cells: int, factor: Fraction) -> dict[tuple[int, ...], Fraction]:
    """Mean squared error of the additive estimator at each configuration, by going through all bits."""
    return {one: additive_errors(one, factor)[1] for one in product((0, 1), repeat=cells)}


def additive_errors(configuration: tuple[int, ...], factor: Fraction) -> tuple[Fraction, Fraction]:
    """Mean error and mean squared error of the additive estimator at a configuration, by going through all bits."""
    before, after = 1 / (1 + factor), factor / (1 + factor)
    mean, square = Fraction(0), Fraction(0)
    for bits in product((0, 1), repeat=len(configuration)):
        weight = Fraction(1)
        for here, bit in zip(configuration, bits, strict=True):
            one = after if here else before
            weight *= one if bit else 1 - one
        error = sum((bit - before) / (after - before) for bit in bits) - sum(configuration)
        mean += weight * error
        square += weight * error**2
    return mean, square


def without_a_hypothesis() -> tuple[Part, ...]:
    """Biased estimators, and cells that are not independent."""
    return _biased(), _dependent(), _other_pair()


def _biased() -> Part:
    return Part(
        Role.READING,
        "biased estimators",
        r"Without unbiasedness the floor is false for the mean squared error, even for its maximum over all "
        r"configurations: the constant $\frac{k}{2}$ errs by at most $\frac{k}{2}$.",
        (
            counterexample(
                "constant",
                r"One user, $x = 2$: the constant $\frac12$ has the mean squared error $\frac14$ at both "
                r"configurations.",
                ge(_cells**2 / 4, _cells * _least),
                {_cells: sp.Integer(1), x: sp.Integer(2)},
                (x > 1,),
                lines=(r"\tfrac14 &< 2 = \frac{x}{(x-1)^2}",),
            ),
        ),
        formal=symbolic(ge(_cells**2 / 4, _cells * _least), given=(x > 1,), refuted=True),
        holds=False,
        departs="the estimator is unbiased at every configuration",
    )


def geometric_variance(ratio: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    """Total mass and variance of the distribution proportional to ``ratio^|z|``, from the geometric series."""
    series = 1 / (1 - ratio)
    second = sp.together(ratio * sp.diff(ratio * sp.diff(series, ratio), ratio))
    mass = 2 * series - 1
    return mass, 2 * second / mass


def _dependent() -> Part:
    alpha = sp.Symbol("alpha", positive=True)
    mass, variance = geometric_variance(alpha)
    value = variance.subs(alpha, 1 / x)
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
    total = equal("noise_mass", "", "", mass, (1 + alpha) / (1 - alpha))
    return Part(
        Role.READING,
        "cells that are not independent",
        r"For a private state that is not made of independent cells the floor is false from $k = 3$ on: a noisy count "
        r"has a variance that does not grow with $k$.",
        (
            replace(step, obligations=(*step.obligations, *total.obligations)),
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
    return Part(
        Role.READING,
        "other pairs",
        r"The first of the two bounds, $\sum_u 1/\chi_u^2$, is attained by the additive estimator of any pair of "
        r"Bernoulli distributions; only the second singles out a pair.",
        (step,),
        formal=symbolic(*stated),
    )
