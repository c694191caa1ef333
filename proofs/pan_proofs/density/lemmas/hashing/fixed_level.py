"""Moments of distinct sampling at a fixed level, from the distributions of one coin and of the noise."""

from __future__ import annotations

from functools import cache

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, present, t
from pan_proofs.ledger.steps import at_most

members = sp.Symbol("n", positive=True, integer=True)
"""Number of users who qualify."""

_chance = sp.Symbol("pi", nonnegative=True)


def pair(gap: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The two probabilities of a member, for ``tanh(epsilon/2)``."""
    half = sp.Rational(1, 2)
    return half * (1 - gap), half * (1 + gap)


def membership_steps() -> tuple[Step, ...]:
    """An appearance makes a user a member with probability p_upd, whatever was before."""
    after = sp.Symbol("p_upd", real=True)
    stays, enters = after, after  # removed with probability 1 - p_upd; added with probability p_upd
    once = _chance * stays + (1 - _chance) * enters
    return (
        equal_as(
            "appearance",
            r"Let a qualifying user be a member with probability $\pi$. At an appearance a member is removed with "
            r"probability $1 - p_{\mathrm{upd}}$, and someone who is none is added with probability "
            r"$p_{\mathrm{upd}}$. After it the user is a member with probability",
            (once, after),
            r"\pi p_{\mathrm{upd}} + (1 - \pi) p_{\mathrm{upd}} &= p_{\mathrm{upd}}",
        ),
        equal_as(
            "appearances",
            r"This holds whatever $\pi$ was, and so after the next appearances. As the level never changes, no coin "
            r"of one user has an influence on another user.",
            (once.subs(_chance, once), after),
            r"p_{\mathrm{upd}} p_{\mathrm{upd}} + (1 - p_{\mathrm{upd}}) p_{\mathrm{upd}} &= p_{\mathrm{upd}}",
        ),
    )


def ratio_steps(if_member: str, if_not: str) -> tuple[Step, Step]:
    """The ratios of the probabilities of being a member, and of not being one, after and before an appearance.

    Parameters
    ----------
    if_member, if_not
        The texts of the two steps.
    """
    before, after = pair(sp.tanh(epsilon / 2))
    gap = r"\tanh(\varepsilon/2)"
    return (
        equal_as(
            "member",
            if_member,
            (after / before, sp.exp(epsilon)),
            r"\frac{p_{\mathrm{upd}}}{p_{\mathrm{init}}} = " + rf"\frac{{1 + {gap}}}{{1 - {gap}}} &= e^{{\varepsilon}}",
        ),
        equal_as(
            "absent",
            if_not,
            ((1 - after) / (1 - before), sp.exp(-epsilon)),
            r"\frac{1 - p_{\mathrm{upd}}}{1 - p_{\mathrm{init}}} = "
            rf"\frac{{1 - {gap}}}{{1 + {gap}}} &= e^{{-\varepsilon}}",
        ),
    )


@cache
def _coin(chance: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Mean and variance of a coin."""
    outcomes = {sp.Integer(1): chance, sp.Integer(0): 1 - chance}
    first, second = (sum(value**power * weight for value, weight in outcomes.items()) for power in (1, 2))
    return first, second - first**2


@cache
def _noise(scale: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Mean and variance of ``Laplace(0, scale)``, by integrating over the distance from 0 in units of the scale."""
    y = sp.Symbol("y", positive=True)
    first, second = (
        sp.integrate((scale**power * y**power + (-scale * y) ** power) / 2 * sp.exp(-y), (y, 0, sp.oo))
        for power in (1, 2)
    )
    return first, second - first**2


def _sums() -> tuple[sp.Expr, sp.Expr]:
    """Mean and variance of the number of members: ``n d_M`` coins of the one kind, the rest of the other."""
    (mean_0, variance_0), (mean_1, variance_1) = (_coin(chance) for chance in pair(t))
    appeared, others = members * present, members * (1 - present)
    return appeared * mean_1 + others * mean_0, appeared * variance_1 + others * variance_0


def _without_noise(number: sp.Expr, size: sp.Expr, gap: sp.Expr) -> sp.Expr:
    """The output for a number of members that is divided by ``size``."""
    return (number / size - sp.Rational(1, 2) + gap / 2) / gap


def weight_of_a_member(scale: sp.Expr, gap: sp.Expr = t) -> sp.Expr:
    """The step of the output from c members to c + 1, over the scale of the noise."""
    number = sp.Symbol("c", nonnegative=True)
    step = _without_noise(number + 1, members, gap) - _without_noise(number, members, gap)
    return step / scale


def output_mean(size: sp.Expr) -> sp.Expr:
    """Mean of the output that divides the number of members by ``size``."""
    return _without_noise(_sums()[0], size, t) + _noise(1 / (size * epsilon))[0]


def output_variance(size: sp.Expr) -> sp.Expr:
    """Variance of the same."""
    return _sums()[1] / (size * t) ** 2 + _noise(1 / (size * epsilon))[1]


def unbiased_step() -> Step:
    """The mean is the density of the sampled users."""
    return equal_as(
        "unbiased",
        r"Of the $n$ qualifying users $n\, d(\mathcal{S}_M)$ have appeared. With $p_{\mathrm{init}} = \frac{1-t}{2}$, "
        r"$p_{\mathrm{upd}} = \frac{1+t}{2}$, and noise of mean 0:",
        (output_mean(members), present),
        r"\mathbb{E}[\tilde{d}] &= \frac{1}{t}\left(d(\mathcal{S}_M) \frac{1+t}{2} + (1 - d(\mathcal{S}_M)) "
        r"\frac{1-t}{2} - \frac{1-t}{2}\right)",
        r"&= d(\mathcal{S}_M)",
    )


def mean_square_steps() -> tuple[Step, ...]:
    """Variance, and the bound of Theorems 4.2 and 5.2 for n users."""
    exact = (1 - t**2) / (4 * members * t**2) + 2 / (members**2 * epsilon**2)
    bound = 1 / (4 * members * t**2) + 2 / (members**2 * epsilon**2)
    count, gap, budget = sp.symbols("n t e", real=True)  # without assumptions, so that none of the hypotheses vanish
    plain = {members: count, t: gap, epsilon: budget}
    return (
        equal_as(
            "coin",
            r"A coin with probability $\frac{1+t}{2}$, or $\frac{1-t}{2}$, has the variance",
            (_coin(pair(t)[1])[1], _coin(pair(t)[0])[1], (1 - t**2) / 4),
            r"\mathrm{Var}(b_i) = \frac{1+t}{2} - \left(\frac{1+t}{2}\right)^2 &= \frac{1-t^2}{4}",
            r"\frac{1-t}{2} - \left(\frac{1-t}{2}\right)^2 &= \frac{1-t^2}{4}",
        ),
        equal_as(
            "variance",
            r"The $n$ coins are independent, and so is the noise, of variance $2/(n\varepsilon)^2$. The output is "
            r"unbiased, so that its mean squared error is its variance.",
            (output_variance(members), exact),
            r"\mathbb{E}[(\tilde{d} - d(\mathcal{S}_M))^2] &= \frac{n}{(nt)^2} \cdot \frac{1-t^2}{4} + "
            r"\frac{2}{(n\varepsilon)^2}",
            r"&= \frac{1-t^2}{4nt^2} + \frac{2}{n^2\varepsilon^2}",
        ),
        at_most(
            "bound",
            r"This is less than the bound; both sides are multiplied by $t^2$. The difference is $\frac{1}{4n}$.",
            Inequality(
                "fixed_level.bound",
                sp.expand(exact * t**2).xreplace(plain),
                sp.expand(bound * t**2).xreplace(plain),
                (gap > 0, gap < 1, count >= 1, budget > 0),
                strict=True,
                touching={gap: 0},
            ),
            lines=(
                r"\frac{1-t^2}{4n} + \frac{2t^2}{n^2\varepsilon^2} &< \frac{1}{4n} + \frac{2t^2}{n^2\varepsilon^2}",
            ),
        ),
    )
