"""Section 4.4.4 of the thesis: Laplace cells truncated to the unit interval."""

from __future__ import annotations

from functools import cache

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.foundations.laplace_integrals import laplace_integral
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import bounded, counterexample, equal, found, lemma

eta, reach = sp.symbols("eta L", positive=True)
"""Half the distance of the means, and half the length of the interval."""
_slack = sp.Symbol("k", nonnegative=True)
_z = sp.Symbol("z", real=True)
_ONE = sp.Integer(1)
_tail = sp.exp(-reach)


@cache
def integral(function: sp.Expr = _ONE, *, sign: int = 1, low: sp.Expr | None = None) -> sp.Expr:
    """Integral of a function of ``z`` against the density with mean ``sign * eta``, over ``[low, L]``."""
    high = eta + _slack  # so that sympy knows the order of -L, -eta, eta and L
    start = -high if low is None else low
    found = laplace_integral(function, _z, sign * eta, sp.Integer(1), start, high)
    return sp.expand(sp.powsimp(sp.expand(found.subs(_slack, reach - eta))))


def normaliser(*, sign: int = 1) -> sp.Expr:
    """Probability of the interval under the untruncated distribution."""
    return integral(sign=sign)


def mean(*, sign: int = 1) -> sp.Expr:
    """Mean of the truncated distribution."""
    return integral(_z, sign=sign) / normaliser(sign=sign)


def variance(*, sign: int = 1) -> sp.Expr:
    """Variance of the truncated distribution."""
    return integral(_z**2, sign=sign) / normaliser(sign=sign) - mean(sign=sign) ** 2


def user_variance() -> sp.Expr:
    """Variance of a cell over the square of the distance of the means: what one user adds, times ``m^2``."""
    return variance() / (mean() - mean(sign=-1)) ** 2


def closed_mean() -> sp.Expr:
    """The mean by hyperbolic functions."""
    return (eta - (reach + 1) * _tail * sp.sinh(eta)) / (1 - _tail * sp.cosh(eta))


def closed_square() -> sp.Expr:
    """The mean square by hyperbolic functions."""
    return (2 + eta**2 - (reach**2 + 2 * reach + 2) * _tail * sp.cosh(eta)) / (1 - _tail * sp.cosh(eta))


def closed_total_variation() -> sp.Expr:
    """The largest difference of two probabilities, by hyperbolic functions."""
    return (1 - sp.exp(-eta) - _tail * sp.sinh(eta)) / (1 - _tail * sp.cosh(eta))


def total_variation() -> sp.Expr:
    """Largest difference of the probabilities of an event, at ``z > 0``, for the truncated distributions."""
    halves = (integral(sign=sign, low=sp.Integer(0)) / normaliser(sign=sign) for sign in (1, -1))
    return next(halves) - next(halves)


def untruncated_variation() -> sp.Expr:
    """The same for the distributions on the whole line."""
    halves = [laplace_integral(sp.Integer(1), _z, sign * eta, sp.Integer(1), sp.Integer(0), sp.oo) for sign in (1, -1)]
    return halves[0] - halves[1]


_eta, _reach, _w, _sinh, _cosh, _v = sp.symbols("eta L w s c v", real=True)
NAMED = {_eta: eta, _reach: reach, _w: _tail, _sinh: sp.sinh(eta), _cosh: sp.cosh(eta), _v: sp.exp(-eta)}
"""The values of the symbols that the solvers see."""


def normalised() -> tuple[Step, ...]:
    """Both distributions lose the same mass, so that the ratio is that of the untruncated distributions."""
    inside = sp.exp(-sp.Abs(sp.Symbol("z", real=True) - eta)) / 2
    other = sp.exp(-sp.Abs(sp.Symbol("z", real=True) + eta)) / 2
    return (
        equal_as(
            "normalisers",
            r"Let $z = (x - \frac12)/b$, $\eta = \varepsilon/2$, $L = 1/(2b)$ and $w = e^{-L}$: the cell takes values "
            r"$|z| \le L$, the means are $\pm \eta$, and they lie in $[0, 1]$ for $\eta \le L$. The denominator of the "
            r"truncated density is the same for both distributions, by integrating:",
            (normaliser, lambda: normaliser(sign=-1), 1 - _tail * sp.cosh(eta)),
            r"Z_{\mathrm{upd}} = Z_{\mathrm{init}} = \int_{-L}^{L} \tfrac12 e^{-|z \mp \eta|}\, dz &= 1 - w \cosh \eta",
        ),
        equal_as(
            "ratio",
            r"It cancels in the ratio, which is that of the untruncated densities and so between $e^{-\varepsilon}$ "
            r"and $e^{\varepsilon}$, the latter attained for $x \ge \mu_{\mathrm{upd}}$.",
            (lambda: (inside / normaliser()) / (other / normaliser(sign=-1)), inside / other),
            r"\frac{f_{\mathrm{upd}}(x)/Z_{\mathrm{upd}}}{f_{\mathrm{init}}(x)/Z_{\mathrm{init}}} &= "
            r"\frac{f_{\mathrm{upd}}(x)}{f_{\mathrm{init}}(x)}",
        ),
    )


def closer_means() -> tuple[Step, ...]:
    """The means move towards the middle."""
    return (
        equal_as(
            "mean",
            r"The truncated means are $\pm \mu$ with",
            (mean(), closed_mean()),
            r"\mu = \frac1Z \int_{-L}^{L} \tfrac z2 e^{-|z - \eta|}\, dz &= "
            r"\frac{\eta - (L+1)\, w \sinh \eta}{1 - w \cosh \eta}",
        ),
        lemma(
            "hyperbolic",
            r"The difference of the sides vanishes at $0$ and has the derivative $\sinh \eta + \eta e^{-\eta}$.",
            positive_for_positive(
                "truncated.hyperbolic",
                eta,
                (
                    (1 + eta) * sp.sinh(eta) - eta * sp.cosh(eta),
                    sp.sinh(eta) + eta * sp.exp(-eta),
                ),
                (sp.Integer(1),),
            ),
            lines=(r"\eta \cosh \eta &< (1 + \eta) \sinh \eta",),
        ),
        bounded(
            "closer",
            r"As $\eta \le L$, the truncated mean is closer to the middle. Here $s = \sinh \eta$ and $c = \cosh \eta$.",
            lt((_eta - (_reach + 1) * _w * _sinh) / (1 - _w * _cosh), _eta),
            _eta > 0,
            _reach >= _eta,
            _w > 0,
            _w * _cosh < 1,
            _sinh > 0,
            _cosh > 0,
            _eta * _cosh < (1 + _eta) * _sinh,
        ),
    )


def variation() -> tuple[Step, ...]:
    """Total variation before and after truncation."""
    sinh, cosh = (1 / _v - _v) / 2, (1 / _v + _v) / 2
    return (
        equal(
            "whole_line",
            r"The event that is told apart best is $z > 0$, where $f_{\mathrm{upd}} > f_{\mathrm{init}}$. On the whole "
            r"line the probabilities differ by",
            r"\mathrm{TV}",
            untruncated_variation,
            1 - sp.exp(-eta),
        ),
        equal_as(
            "interval",
            "On the interval they differ by",
            (total_variation(), closed_total_variation()),
            r"\mathrm{TV}_L &= \frac{1 - e^{-\eta} - w \sinh \eta}{1 - w \cosh \eta}",
        ),
        bounded(
            "less",
            r"This is less, for any scale: with $v = e^{-\eta}$ and $w = e^{-L} \le v$, and $\sinh \eta = "
            r"\frac12 (v^{-1} - v)$, $\cosh \eta = \frac12 (v^{-1} + v)$. It comes down to $\cosh \eta > 1$.",
            lt((1 - _v - _w * sinh) / (1 - _w * cosh), 1 - _v),
            _v > 0,
            _v < 1,
            _w > 0,
            _w <= _v,
            lines=r"\mathrm{TV}_L &< \mathrm{TV}",
        ),
    )


untruncated = 1 / (2 * eta**2)
"""The variance that one user adds without truncation: ``2/epsilon^2``."""
_square, _mean, _variance = sp.symbols("q n V", real=True)


def _region() -> tuple[Relational, ...]:
    return (
        _square > 0,
        _square <= 1,
        _mean > 0,
        _mean <= _square / 3,
        _variance >= 1 - 1 / (1 + _square / 6) ** 2,
    )


def stated_worse() -> tuple[str, ...]:
    """That the error is larger than without truncation, formally, given the bounds on the mean and the variance."""
    return symbolic(sp.Lt(1 / (2 * _square), _variance / (2 * _mean) ** 2), given=_region())


def example() -> tuple[Step, ...]:
    """The means and scale of Figure 4.6: the truncated cells make the better estimate."""
    return (
        equal_as(
            "same_variance",
            r"By reflection at $\frac12$ both truncated distributions have the same variance, $b^2 V$, and means at "
            r"the "
            r"distance $2 b \mu$. The mean of the cells, shifted and scaled, is unbiased, and each of $m$ users adds "
            r"$r/m^2$ to its variance.",
            (variance(sign=-1), variance()),
            r"r &= \frac{V}{(2 \mu)^2}",
        ),
        counterexample(
            "figure_means",
            r"Without truncation, $r = 2/\varepsilon^2 = 1/(2 \eta^2)$. Take the means $0.45$ and $0.55$ with $b = "
            r"1$, so that $\varepsilon = 0.1$, $\eta = \frac1{20}$ and $L = \frac12$.",
            ge(user_variance(), untruncated),
            {eta: sp.Rational(1, 20), reach: sp.Rational(1, 2)},
            lines=(r"r = 139.9\ldots = \frac{1.399\ldots}{\varepsilon^2} &< \frac{2}{\varepsilon^2} = 200",),
        ),
    )


def stated_example() -> tuple[str, ...]:
    """That truncation need not raise the error, formally."""
    middle, square = sp.symbols("mu Q", real=True)
    return symbolic(
        lt((square - middle**2) / (2 * middle) ** 2, untruncated),
        where={
            middle: closed_mean(),
            square: closed_square(),
            eta: sp.Rational(1, 20),
            reach: sp.Rational(1, 2),
        },
    )


def _second_moment() -> sp.Expr:
    """``E z^2/(E|z|)^2`` for the density proportional to ``exp(-|z|)`` on ``[-L, L]``."""
    z = sp.Symbol("z", real=True)
    mass, first, second = (sp.integrate(z**power * sp.exp(-z), (z, 0, reach)) for power in (0, 1, 2))
    return second * mass / first**2


_ends = (sp.Symbol(r"\lim_{L \to 0} R"), sp.Symbol(r"\lim_{L \to \infty} R"))


def stated_small_budget() -> tuple[str, ...]:
    """Both bounds of the ratio, which are its limits."""
    return (
        *symbolic(lt(_second_moment(), 2), gt(_second_moment(), sp.Rational(4, 3))),
        *symbolic(*(eq(end, value) for end, value in zip(_ends, (sp.Rational(4, 3), 2), strict=True))),
    )


def small_budget() -> tuple[Step, ...]:
    """For a fixed scale and a small budget truncation helps, by a factor between 2/3 and 1."""
    limit = sp.limit(sp.together(user_variance() / (untruncated / 2)), eta, 0, "+")
    ratio = _second_moment()
    growth = sp.exp(reach)
    quartic = 2 * growth**2 + growth * (-3 * reach**2 + 2 * reach - 4) + 2 - 2 * reach - reach**2
    rungs = (
        quartic,
        4 * growth**2 - growth * (3 * reach**2 + 4 * reach + 2) - 2 - 2 * reach,
        8 * growth**2 - growth * (3 * reach**2 + 10 * reach + 6) - 2,
        16 * growth - 3 * reach**2 - 16 * reach - 16,
        16 * growth - 6 * reach - 16,
        16 * growth - 6,
        16 * growth,
    )
    first = growth - 1 - reach
    one = sp.Integer(1)
    return (
        equal_as(
            "limit",
            r"Let $b$ be fixed and $\varepsilon \to 0$. Then $\varepsilon^2 r$ tends to the ratio $R$ of moments of "
            r"the density proportional to $e^{-|z|}$ on $[-L, L]$.",
            (limit, ratio),
            r"\varepsilon^2 r \to R(L) = \frac{E z^2}{(E |z|)^2} &= "
            r"\frac{(2 - (L^2 + 2L + 2)\, w)(1 - w)}{(1 - (1 + L)\, w)^2}",
        ),
        equal_as(
            "below_two",
            r"It is less than $2$. Multiplied by $(e^L - 1 - L)^2$ the difference is",
            ((2 - ratio) * first**2, reach * growth * ((reach - 2) + (reach + 2) * _tail)),
            r"(2 - R)(e^L - 1 - L)^2 &= L e^L \left(L - 2 + (L + 2) e^{-L}\right),",
        ),
        lemma(
            "below_two_sign",
            r"The last factor is positive: it vanishes at $0$ with its derivative, and its second derivative is "
            r"$L e^{-L}$.",
            positive_for_positive(
                "truncated.below_two",
                reach,
                (reach - 2 + (reach + 2) * _tail, 1 - (reach + 1) * _tail, reach * _tail),
                (one, one),
            ),
            lines=(r"L - 2 + (L + 2) e^{-L} &> 0",),
        ),
        equal_as(
            "above_four_thirds",
            r"It is more than $\frac43$. In the same way",
            ((3 * ratio - 4) * first**2, quartic),
            r"(3 R - 4)(e^L - 1 - L)^2 &= 2 e^{2L} + e^L (-3 L^2 + 2 L - 4) + 2 - 2L - L^2.",
        ),
        lemma(
            "above_four_thirds_sign",
            r"This vanishes at $0$ with its first two derivatives; the third is $e^L (16 e^L - 3 L^2 - 16 L - 16)$, "
            r"whose second factor vanishes at $0$ with its derivative and has the second derivative $16 e^L - 6 > 0$.",
            positive_for_positive("truncated.above_four_thirds", reach, rungs, (one, one, growth, one, one, one)),
            lines=(r"\tfrac43 < R(L) &< 2",),
        ),
        lemma(
            "ends",
            r"Both bounds are approached: $\frac43$ for $L \to 0$, the uniform density, and $2$ for $L \to \infty$, no "
            r"truncation.",
            (
                computed_value(
                    "ends.uniform",
                    "the limit of R for L to 0",
                    lambda: sp.limit(ratio, reach, 0, "+"),
                    sp.Rational(4, 3),
                    engine="sympy",
                    quantities=_ends[:1],
                ),
                computed_value(
                    "ends.untruncated",
                    "the limit of R for L to infinity",
                    lambda: sp.limit(ratio, reach, sp.oo),
                    sp.Integer(2),
                    engine="sympy",
                    quantities=_ends[1:],
                ),
            ),
            lines=(r"R(0) = \tfrac43,\quad R(\infty) &= 2",),
        ),
    )


def means_at_the_ends() -> tuple[Step, ...]:
    """With the means at 0 and 1 truncation makes the estimate worse."""
    at_end = {reach: eta}
    cosh, sinh = sp.cosh(eta), sp.sinh(eta)
    return (
        equal_as(
            "end_mean",
            r"Let the means be $0$ and $1$, that is $b = 1/\varepsilon$ and $L = \eta$.",
            (mean().subs(at_end), eta * cosh / sinh - 1),
            r"\mu &= \eta \coth \eta - 1",
        ),
        equal_as(
            "end_variance",
            r"The variance in the unit of $b$ is",
            (variance().subs(at_end), 1 - eta**2 / sinh**2),
            r"V &= 1 - \frac{\eta^2}{\sinh^2 \eta}",
        ),
        lemma(
            "mean_bound",
            r"The mean is less than $\frac13 \eta^2$,",
            positive_for_positive(
                "truncated.mean",
                eta,
                ((1 + eta**2 / 3) * sinh - eta * cosh, eta * cosh - sinh, sinh),
                (eta / 3, eta),
            ),
            lines=(r"\eta \cosh \eta &< (1 + \tfrac13 \eta^2) \sinh \eta",),
        ),
        lemma(
            "variance_bound",
            r"Moreover $V$ is more than $1 - (1 + \frac16 \eta^2)^{-2}$, by the series of $\sinh$.",
            positive_for_positive(
                "truncated.variance",
                eta,
                (sinh - eta - eta**3 / 6, cosh - 1 - eta**2 / 2, sinh - eta, cosh - 1, sinh),
                (sp.Integer(1),) * 4,
            ),
            lines=(r"\sinh \eta &> \eta + \tfrac16 \eta^3",),
        ),
        bounded(
            "worse",
            r"So for $\eta \le 1$, that is $\varepsilon \le 2$, with $q = \eta^2$ and $n = \mu$:",
            lt(2 * _mean**2, _square * _variance),
            *_region(),
            lines=r"\frac{2}{\varepsilon^2} < r \iff 2 n^2 &< q V",
            gap=sp.Rational(21, 25),
            weaker=sp.Rational(4, 5),
        ),
        found(
            "three",
            r"For $\varepsilon \to 0$ the error is half as large again as without truncation.",
            "the limit of epsilon^2 V/(2 mu)^2",
            lambda: sp.limit(((1 - eta**2 / sinh**2) / (eta * cosh / sinh - 1) ** 2) * eta**2, eta, 0, "+"),
            sp.Integer(3),
            engine="sympy",
            lines=(r"\varepsilon^2 r &\to 3",),
        ),
    )


def truncated() -> Claim:
    """The effect of truncation on the ratio, the means, the distance of the distributions, and the error."""
    return Claim(
        id="thesis.truncated",
        title="Truncated Laplace cells",
        references=(Reference("thesis", "section 4.4.4, on truncated distributions"),),
        statement=r"Truncate both Laplace distributions to $[0, 1]$, with means symmetric about $\frac12$. Then the "
        r"normalisers cancel in $f_{\mathrm{upd}}/f_{\mathrm{init}}$, which stays within $e^{\pm \varepsilon}$. But "
        r"the means of the truncated distributions are closer to each other while the scale is the same, so that for "
        r"a fixed "
        r"budget the two distributions are harder to distinguish. The truncation is said to appear problematic.",
        notation=(
            (
                r"$Z$, $Z_{\mathrm{init}}$, $Z_{\mathrm{upd}}$",
                "probability of the interval under the two distributions, and its common value",
            ),
            (
                r"$\mathrm{TV}$, $\mathrm{TV}_L$",
                "total variation between the distributions, on the line and on the interval",
            ),
            (
                r"$f_{\mathrm{init}}$, $f_{\mathrm{upd}}$",
                "densities of a cell before and after an appearance, without truncation",
            ),
        ),
        hypotheses=(
            r"$\mu_{\mathrm{init}} + \mu_{\mathrm{upd}} = 1$, $\mu_{\mathrm{upd}} - \mu_{\mathrm{init}} = \varepsilon "
            r"b > 0$",
        ),
        silent=(
            r"The means lie in $[0, 1]$, that is $\varepsilon b \le 1$.",
            r"What it means that distributions are harder to distinguish: judged by total variation. That the "
            r"sentence is about "
            r"the estimator's error, which depends on the variance of the unbiased estimate, is another reading.",
            r"What appears to be problematic is not defined. This is no statement that can be judged, so that the "
            r"verdict does not depend on it.",
        ),
        uses=("cell.variance_floor", "laplace_cells.state_privacy"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the ratio",
                r"The normalisers are equal, and the ratio is bounded by $e^{\pm \varepsilon}$.",
                normalised(),
                formal=_stated_ratio(),
            ),
            Part(
                Role.PUBLISHED,
                "the means",
                r"The truncated means are closer to each other than the untruncated ones.",
                closer_means(),
                formal=symbolic(
                    lt(closed_mean(), eta),
                    given=(reach >= eta,),
                    where=NAMED,
                ),
            ),
            Part(
                Role.PUBLISHED,
                "harder to distinguish in total variation",
                r"No event is told apart as well as $\{x > \frac12\}$ without truncation, for any scale.",
                variation(),
                formal=symbolic(
                    lt(closed_total_variation(), 1 - sp.exp(-eta)),
                    given=(reach >= eta,),
                    where=NAMED,
                ),
            ),
            Part(
                Role.READING,
                "harder for the estimator",
                r"Read of the estimator's error it is false. The density is estimated from the mean of the cells. "
                r"Truncation brings the means closer, but it reduces the variance of a cell by more than that: the "
                r"error can become smaller.",
                example(),
                formal=stated_example(),
                holds=False,
                departs="harder to distinguish: judged by total variation",
            ),
            Part(
                Role.READING,
                "the estimator's error for a fixed scale and a small budget",
                r"For fixed $b$ and $\varepsilon \to 0$ a user adds $R/\varepsilon^2$ with $\frac43 < R < 2$ instead "
                r"of $2/\varepsilon^2$: truncation lowers the error, by at most a third.",
                small_budget(),
                formal=stated_small_budget(),
            ),
            Part(
                Role.READING,
                "the estimator's error for means at the ends",
                r"For means at $0$ and $1$ and every $\varepsilon \le 2$ truncation raises the error, for "
                r"$\varepsilon \to 0$ to $3/\varepsilon^2$.",
                means_at_the_ends(),
                formal=stated_worse(),
            ),
        ),
        remark=r"In no case does the error fall below that of optimal bits, by the bound on the variance for cells of "
        r"any kind: truncated cells remain at least $\frac43$ times as bad for fixed scale and small $\varepsilon$. "
        r"The printed formula for the truncated density is right.",
    )


def _stated_ratio() -> tuple[str, ...]:
    """Both bounds of the ratio of the truncated densities, for a budget of ``2 eta``."""
    content = sp.Symbol("z", real=True)
    inside, other = (sp.exp(-sp.Abs(content - mean)) / 2 for mean in (eta, -eta))
    ratio = (inside / normaliser()) / (other / normaliser(sign=-1))
    return symbolic(
        le(ratio, sp.exp(2 * eta)),
        ge(ratio, sp.exp(-2 * eta)),
    )


CLAIMS = {"thesis.truncated": truncated}
