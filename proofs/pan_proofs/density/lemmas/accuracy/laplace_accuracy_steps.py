"""Steps for the accuracy of the Laplace density estimator: the split of its error and the three bounds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_steps import averaging
from pan_proofs.density.lemmas.losses.unbounded_losses import mean, place, redrawn_density
from pan_proofs.density.lemmas.losses.unbounded_losses import scale as unit
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.foundations.hoeffding_bound import laplace_tail, two_sided
from pan_proofs.foundations.subexponential_steps import tail_bound
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, density, epsilon, m, present, scale
from pan_proofs.ledger.steps import at_most, counterexample, equal

_half = sp.Rational(1, 2)
_initial, _average, _noise = sp.symbols("mu_init dhat Lambda", real=True)
_error = sp.Symbol("p_error", nonnegative=True)
_gap = epsilon * scale
cells_share = alpha * delta_1 * (1 - delta_2)
"""The part of the accuracy that is left to the cells."""


def three_bounds() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """The bounds on the three probabilities: of the sample, of the cells, of the noise."""
    quadratic, _ = tail_bound(m * _gap * cells_share, 2 * scale * sp.sqrt(m), sp.sqrt(2) * scale)
    return (
        two_sided(m, alpha * (1 - delta_1)),
        2 * quadratic,
        laplace_tail(1 / (epsilon * m), alpha * delta_1 * delta_2),
    )


def stated_three_bounds() -> tuple[str, ...]:
    """The three bounds, formally; those on tails are assumptions, and the range in which that of a sum is quadratic."""
    deviation, distance = sp.symbols("a s", real=True)
    of_sample, tail = sp.symbols("p_1 p_2", nonnegative=True)
    noise = sp.Symbol(r"P(|\Lambda| \ge \alpha \delta_1 \delta_2)")
    quadratic = sp.exp(-(deviation**2) / (8 * scale**2 * m))
    printed = sp.exp(-m * epsilon**2 * cells_share**2 / 8)
    return (
        *symbolic(
            le(of_sample, 2 * sp.exp(-2 * m * alpha**2 * (1 - delta_1) ** 2)),
            given=(le(of_sample, two_sided(m, distance)),),
            where={distance: alpha * (1 - delta_1)},
        ),
        *(
            text
            for factor in (1, 2)
            for text in symbolic(
                le(tail, factor * printed),
                given=(le(tail, factor * quadratic),),
                where={deviation: m * epsilon * scale * cells_share},
            )
        ),
        *symbolic(
            le(deviation, 2 * sp.sqrt(2) * scale * m),
            given=(
                le(epsilon * alpha, 2 * sp.sqrt(2)),
                delta_1 < 1,
                delta_2 < 1,
                eq(deviation, m * epsilon * scale * cells_share),
            ),
        ),
        *symbolic(eq(noise, sp.exp(-epsilon * alpha * m * delta_1 * delta_2))),
    )


def split() -> tuple[Step, ...]:
    """The error as a sum of three, and the shares of the accuracy."""
    expected = present * (_initial + _gap) + (1 - present) * _initial
    output = (_average - _initial) / _gap + _noise
    return (
        equal_as(
            "error_in_three",
            r"Let $\hat d$ be the mean of the cells, $E \hat d$ its expectation given the sample, $\Lambda$ the "
            r"noise. As "
            r"$\mu_{\mathrm{upd}} - \mu_{\mathrm{init}} = \varepsilon b$, the error of the output has three parts.",
            (output - density, _noise + (_average - expected) / _gap + (present - density)),
            r"E \hat d &= \mu_{\mathrm{init}} + \varepsilon b\, d(\mathcal{S}_M)",
            r"\tilde d - d(\mathcal{S}) &= \frac{\hat d - \mu_{\mathrm{init}}}{\varepsilon b} + \Lambda - "
            r"d(\mathcal{S})",
            r"&= \Lambda + \frac{\hat d - E \hat d}{\varepsilon b} + (d(\mathcal{S}_M) - d(\mathcal{S}))",
        ),
        equal(
            "shares",
            r"The lemma on sums is applied with $\delta_1$ and then with $\delta_2$; the three shares of $\alpha$ add "
            r"up.",
            r"\alpha (1 - \delta_1) + \alpha \delta_1 (1 - \delta_2) + \alpha \delta_1 \delta_2",
            alpha * (1 - delta_1) + cells_share + alpha * delta_1 * delta_2,
            alpha,
        ),
    )


def bounds() -> tuple[Step, ...]:
    """The three bounds as printed."""
    eps, accuracy, first, second, width, size = sp.symbols("epsilon alpha delta_1 delta_2 b m", real=True)
    return (
        equal(
            "bound_1",
            r"The sample is drawn without replacement; Hoeffding's inequality holds for it as for independent draws.",
            "p_1 \\le 2 e^{-2 m (\\alpha (1 - \\delta_1))^2}",
            lambda: three_bounds()[0],
            2 * sp.exp(-2 * m * alpha**2 * (1 - delta_1) ** 2),
        ),
        at_most(
            "quadratic_range",
            r"Given the sample, the sum of the cells must deviate by $m \varepsilon b\, \alpha \delta_1 (1 - "
            r"\delta_2)$. For $\varepsilon \le \frac12$ and $\alpha < 4$ this is less than $2 b m$,",
            Inequality(
                "laplace_accuracy.range",
                size * eps * width * accuracy * first * (1 - second),
                2 * width * size,
                (
                    eps > 0,
                    eps <= _half,
                    accuracy > 0,
                    accuracy < 4,
                    first > 0,
                    first < 1,
                    second > 0,
                    second < 1,
                    width > 0,
                    size >= 1,
                ),
                strict=True,
                touching={eps: _half, accuracy: 4, first: 1, second: 0, width: 1, size: 1},
            ),
            lines=(r"m \varepsilon b\, \alpha \delta_1 (1 - \delta_2) < m \varepsilon b\, \alpha &< 2 b m",),
        ),
        at_most(
            "branch",
            r"So this is below the border $2 \sqrt2\, b m$ of the quadratic branch, as $2 < 2 \sqrt2$. The same is "
            r"true whenever $\varepsilon \alpha \le 2 \sqrt2$.",
            Inequality(
                "laplace_accuracy.branch", width**2, 8, (width >= 0, width < 2), gap=_half, weaker=sp.Rational(1, 3)
            ),
            lines=(r"(2 b m)^2 &\le (2 \sqrt2\, b m)^2",),
        ),
        equal(
            "bound_2",
            r"There the tail of the sum is at most $e^{-a^2/(8 b^2 m)}$ with $a$ the deviation. The printed bound is "
            r"twice that; the factor is not needed.",
            r"p_2 \le 2 e^{-a^2/(8 b^2 m)}",
            lambda: three_bounds()[1],
            2 * sp.exp(-m * epsilon**2 * cells_share**2 / 8),
        ),
        replace(
            averaging(),
            text=r"Given the sample the cells are independent, each with a distribution of its own, and the bound does "
            r"not depend on the sample: it survives the average over samples.",
        ),
        equal(
            "probability_3",
            r"Both tails of the noise, integrated from $\alpha \delta_1 \delta_2$:",
            "p_3",
            lambda: three_bounds()[2],
            sp.exp(-epsilon * alpha * m * delta_1 * delta_2),
        ),
    )


_ONE_USER = {epsilon: _half, alpha: _half, beta: _half, m: sp.Integer(1)}
_of_that_order = le(m, sp.log(1 / beta) / (epsilon * alpha) ** 2)


@cache
def _one_user_error() -> sp.Expr:
    """The probability of an error of alpha for one user who does not appear."""
    height, start = sp.symbols("h c", positive=True)
    # Cell and noise have one scale: the density of their sum above its centre, integrated over both tails.
    above = sp.simplify(redrawn_density().subs(place, mean + height))
    tail = sp.simplify(2 * sp.integrate(sp.expand(above), (height, start, sp.oo)))
    return tail.subs({start: alpha, unit: 1 / epsilon})


def stated_one_user() -> tuple[str, ...]:
    """That the size 1 is of the order, and fails, formally."""
    return symbolic(gt(_one_user_error(), beta), _of_that_order, where=_ONE_USER)


def one_user() -> Step:
    """One sampled user who does not appear: the exact error probability."""
    return counterexample(
        "one_user",
        r"One user, $U = m = 1$, who does not appear; $\varepsilon = \alpha = \beta = \frac12$. The output is a cell "
        r"plus noise, both of scale $1/\varepsilon = 2$, and $P(|\tilde d| \ge \alpha) = (1 + \tfrac12 \varepsilon "
        r"\alpha) e^{-\varepsilon \alpha}$.",
        le(_one_user_error(), beta),
        _ONE_USER,
        hypotheses=(_of_that_order,),
        lines=(
            r"P(|\tilde d| \ge \tfrac12) = \tfrac98 e^{-1/4} = 0.876\ldots &> \tfrac12 = \beta",
            r"m = 1 &\le 16 \log 2 = \tfrac{1}{\varepsilon^2 \alpha^2} \log \tfrac1\beta",
        ),
    )
