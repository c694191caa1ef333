"""Section 4.4.4 of the thesis: Gaussian cells, and their truncation to the unit interval."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.engines.computations import computed_value, free_of, of_one_sign
from pan_proofs.engines.identities import equality
from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import bounded, equal, lemma

place = sp.Symbol("z", real=True)
first, second = sp.symbols("mu_init mu_upd", real=True)
spread, distance, theta = sp.symbols("sigma Delta theta", positive=True)
_y, _k = sp.Symbol("y", real=True), sp.Symbol("k", positive=True)


def log_density(at: sp.Expr, centre: sp.Expr) -> sp.Expr:
    """Logarithm of the normal density."""
    return -((at - centre) ** 2) / (2 * spread**2) - sp.log(2 * sp.pi * spread**2) / 2


def whole_line() -> tuple[Step, ...]:
    """The logarithm of the ratio is linear in the place, and so unbounded on both sides."""
    log_ratio = log_density(place, second) - log_density(place, first)
    slope = sp.diff(log_ratio, place)
    apart = sp.expand(log_ratio.subs(second, first + distance))
    return (
        equal(
            "log_ratio",
            r"The squares cancel and a linear function of $z$ remains.",
            r"\log \frac{f_{\mathrm{upd}}(z)}{f_{\mathrm{init}}(z)}",
            log_ratio,
            (second - first) * (2 * place - first - second) / (2 * spread**2),
        ),
        lemma(
            "unbounded",
            r"Let $\mu_{\mathrm{upd}} > \mu_{\mathrm{init}}$ (otherwise exchange the distributions). The slope "
            r"$(\mu_{\mathrm{upd}} - \mu_{\mathrm{init}})/\sigma^2$ is a positive constant, so the ratio exceeds every "
            r"bound for large $z$ and falls below every bound for small $z$: no budget suffices.",
            (
                equality("unbounded.slope", slope, (second - first) / spread**2),
                free_of("unbounded.constant", "the slope does not depend on the place", sp.simplify(slope), place),
                *(
                    computed_value(
                        f"unbounded.{end}",
                        f"the limit of {apart} for z to {end}",
                        partial(sp.limit, apart, place, far),
                        far,
                        engine="sympy",
                    )
                    for end, far in (("infinity", sp.oo), ("minus_infinity", -sp.oo))
                ),
            ),
            lines=(r"\log \frac{f_{\mathrm{upd}}(z)}{f_{\mathrm{init}}(z)} &\to \pm \infty \quad (z \to \pm \infty)",),
        ),
    )


def stated_whole_line() -> tuple[str, ...]:
    """The ratio, and from where on it is above, and below, any bound, for means in this order."""
    bound = sp.Symbol("K", positive=True)
    log_ratio = (second - first) * (2 * place - first - second) / (2 * spread**2)
    reach, middle = spread**2 * bound / (second - first), (first + second) / 2
    ordered = gt(second, first)
    return (
        *symbolic(eq(log_density(place, second) - log_density(place, first), log_ratio), given=(ordered,)),
        *symbolic(gt(log_ratio, bound), given=(ordered, gt(place, middle + reach))),
        *symbolic(lt(log_ratio, -bound), given=(ordered, lt(place, middle - reach))),
    )


def stated_truncated() -> tuple[str, ...]:
    """Both bounds of the logarithm of the ratio on the unit interval, and that they are attained."""
    log_ratio = distance * (2 * place - 1) / (2 * spread**2)
    fitting = {distance: 2 * spread**2 * epsilon}
    return (
        *symbolic(
            le(sp.Abs(log_ratio), epsilon),
            given=(ge(place, 0), le(place, 1)),
            where=fitting,
        ),
        *(
            one
            for end, value in ((1, epsilon), (0, -epsilon))
            for one in symbolic(eq(_symmetric_log_ratio().subs(fitting).subs(place, end), value))
        ),
    )


def _symmetric() -> tuple[sp.Expr, sp.Expr]:
    """The logarithms of the two densities for means symmetric about one half."""
    return log_density(place, (1 - distance) / 2), log_density(place, (1 + distance) / 2)


def _symmetric_log_ratio() -> sp.Expr:
    before, after = _symmetric()
    return after - before


def truncated() -> tuple[Step, ...]:
    """On the unit interval with symmetric means: equal normalisers, and the largest ratio at the ends."""
    logs = _symmetric()
    difference = _symmetric_log_ratio()
    fitting = {distance: 2 * spread**2 * epsilon}
    return (
        equal_as(
            "reflection",
            r"Let the means be $\frac12 (1 \mp \Delta)$. Reflection at $\frac12$ exchanges the two densities, so the "
            r"normalisers on $[0, 1]$ are equal and cancel.",
            (logs[1].subs(place, 1 - place), logs[0]),
            r"f_{\mathrm{upd}}(1 - z) &= f_{\mathrm{init}}(z)",
        ),
        equal_as(
            "truncated_ratio",
            r"The logarithm of the ratio is",
            (difference, distance * (2 * place - 1) / (2 * spread**2)),
            r"\log \frac{f_{\mathrm{upd}}(z)}{f_{\mathrm{init}}(z)} &= \frac{\Delta (2 z - 1)}{2 \sigma^2},",
        ),
        equal_as(
            "exact",
            r"This grows with $z$: it is largest at $z = 1$, smallest at $z = 0$, and with $\Delta = 2 \sigma^2 "
            r"\varepsilon$ lies between $-\varepsilon$ and $\varepsilon$, with equality at the ends only.",
            (difference.subs(fitting).subs(place, 1), epsilon),
            r"\log \frac{f_{\mathrm{upd}}(1)}{f_{\mathrm{init}}(1)} &= \varepsilon",
        ),
        equal_as(
            "exact_below",
            r"At the other end",
            (difference.subs(fitting).subs(place, 0), -epsilon),
            r"\log \frac{f_{\mathrm{upd}}(0)}{f_{\mathrm{init}}(0)} &= -\varepsilon.",
        ),
        bounded(
            "inside",
            r"In between, with $0 \le z \le 1$:",
            le(sp.Abs(2 * _y - 1), sp.Integer(1)),
            _y >= 0,
            _y <= 1,
            lines=r"|2 z - 1|\, \varepsilon &\le \varepsilon",
        ),
        equal_as(
            "tilted",
            r"So in $y = 2 z - 1 \in [-1, 1]$ the two distributions have the densities proportional to "
            r"$e^{-k y^2 \pm \theta y}$ with $k = 1/(8 \sigma^2)$ and $\theta = \varepsilon/2$.",
            (
                sp.diff(logs[1].subs(fitting).subs(place, (1 + _y) / 2), _y),
                sp.diff(-_k * _y**2 + theta * _y, _y).subs({_k: 1 / (8 * spread**2), theta: epsilon / 2}),
            ),
            r"\frac{d}{dy} \log f_{\mathrm{upd}} &= \frac{d}{dy} \left(-k y^2 + \theta y\right)",
        ),
    )


_t, _q, _mean, _second, _budget = sp.symbols("theta q n Q epsilon", real=True)
_near, _far, _at_near, _at_far = sp.symbols("A B W_A W_B", real=True)


def uniform_second_moment() -> sp.Expr:
    """``E y^2`` under the density proportional to ``cosh(theta y)`` on ``[-1, 1]``, by integrating."""
    weight = sp.exp(theta * _y) + sp.exp(-theta * _y)
    moments = [sp.integrate(sp.expand(_y**power * weight), (_y, 0, 1)) for power in (0, 2)]
    return moments[1] / moments[0]


def tilting() -> tuple[Step, ...]:
    """Mean and variance of a cell as moments of one even distribution."""
    tilted = sp.exp(theta * _y)
    even, odd = (tilted + tilted.subs(_y, -_y)) / 2, (tilted - tilted.subs(_y, -_y)) / 2
    return (
        equal_as(
            "parts",
            r"Reflection at $0$ exchanges the distributions with densities proportional to $e^{-k y^2 \pm \theta y}$: "
            r"they "
            r"have the means $\pm \mu$ and the same variance $V$, and each of $m$ users adds $r/m^2$ with $r = V/(2 "
            r"\mu)^2$ to the variance of the unbiased estimate. Split the exponential.",
            (tilted, even + odd, sp.cosh(theta * _y) + sp.sinh(theta * _y)),
            r"e^{\theta y} &= \cosh \theta y + \sinh \theta y",
        ),
        lemma(
            "parity",
            r"Let $E_\nu$ be the expectation under the even density proportional to $e^{-k y^2} \cosh \theta y$. Odd "
            r"functions integrate to $0$, so $\mu$ is the mean of $y \sinh(\theta y)/\cosh(\theta y)$ and $V + \mu^2$ "
            r"that of $y^2$.",
            (
                equality("parity.even", even.subs(_y, -_y), sp.cosh(theta * _y)),
                equality("parity.odd", odd.subs(_y, -_y), -sp.sinh(theta * _y)),
                equality("parity.quotient", odd / even, sp.tanh(theta * _y)),
            ),
            lines=(r"\mu = E_\nu [y \tanh \theta y], \quad V + \mu^2 &= E_\nu [y^2] = Q",),
        ),
        lemma(
            "tanh",
            r"As $\tanh s \le s$ for $s \ge 0$, and both are odd, $y \tanh \theta y \le \theta y^2$.",
            analytic_lemmas()[3],
            lines=(r"\mu &\le \theta Q",),
        ),
        bounded(
            "by_second_moment",
            r"So $4 r = Q/\mu^2 - 1$ is at least $1/(\theta^2 Q) - 1$.",
            le(1 / (_t**2 * _second), _second / _mean**2),
            _t > 0,
            _second > 0,
            _mean > 0,
            _mean <= _t * _second,
            lines=r"\frac{Q}{\mu^2} &\ge \frac{1}{\theta^2 Q}",
        ),
    )


def flat_is_widest() -> tuple[Step, ...]:
    """The second moment is largest without the Gaussian factor."""
    length = sp.Symbol("s", positive=True)
    factor = sp.Symbol("k", positive=True)
    slope = sp.diff(sp.exp(-factor * length), length)
    return (
        lemma(
            "weight_falls",
            r"The weight $e^{-k s}$ falls with $s = y^2$.",
            of_one_sign("weight_falls", f"its derivative {slope} is negative", -slope),
            lines=(r"\frac{d}{ds} e^{-k s} &< 0",),
        ),
        bounded(
            "association",
            r"For two places with squares $A \le B$ and weights $W_A \ge W_B$ the following holds. Averaged over two "
            r"independent draws from the density proportional to $\cosh \theta y$, it says that weighing with "
            r"$e^{-k y^2}$ cannot increase the mean of $y^2$.",
            le(_at_near * _near + _at_far * _far, _at_near * _far + _at_far * _near),
            _near >= 0,
            _far >= _near,
            _far <= 1,
            _at_far > 0,
            _at_near >= _at_far,
        ),
        equal_as(
            "flat_moment",
            r"So $Q$ is at most its value $Q_0$ for $k = 0$, the limit $\sigma \to \infty$:",
            (uniform_second_moment(), 1 + 2 / theta**2 - 2 * sp.coth(theta) / theta),
            r"Q \le Q_0 = \frac{\int_0^1 y^2 \cosh \theta y\, dy}{\int_0^1 \cosh \theta y\, dy} &= "
            r"1 + \frac{2}{\theta^2} - \frac{2 \coth \theta}{\theta}",
        ),
    )


def explicit() -> tuple[Step, ...]:
    """From hyperbolic functions to a number over the square of the budget."""
    cosh, sinh = sp.cosh(theta), sp.sinh(theta)
    bound = sp.Rational(1, 3) + 2 * theta**2 / 45
    first = theta * cosh - (1 + theta**2 / 3 - theta**4 / 45) * sinh
    rungs = (
        first,
        (15 + 4 * theta**2) * sinh - (15 * theta - theta**3) * cosh,
        7 * theta * cosh - (7 - theta**2) * sinh,
        9 * theta * sinh + theta**2 * cosh,
    )
    return (
        equal_as(
            "flat_bound",
            r"The first terms of its series bound it: the difference, times $\frac12 \theta^2 \sinh \theta$, is",
            ((bound - uniform_second_moment()) * theta**2 * sinh / 2, first),
            r"\left(\tfrac13 + \tfrac{2}{45} \theta^2 - Q_0\right) \tfrac12 \theta^2 \sinh \theta &= "
            r"\theta \cosh \theta - \left(1 + \tfrac13 \theta^2 - \tfrac1{45} \theta^4\right) \sinh \theta,",
        ),
        lemma(
            "flat_bound_sign",
            r"This is positive: it vanishes at $0$; its derivative is $\frac{\theta}{45}$ times $(15 + 4 \theta^2) "
            r"\sinh \theta - (15 \theta - \theta^3) \cosh \theta$, whose derivative is $\theta$ times $7 \theta \cosh "
            r"\theta - (7 - \theta^2) \sinh \theta$, whose derivative is $9 \theta \sinh \theta + \theta^2 \cosh "
            r"\theta$.",
            positive_for_positive("gaussian.flat", theta, rungs, (theta / 45, theta, sp.Integer(1))),
            lines=(r"Q_0 &< \tfrac13 + \tfrac{2}{45} \theta^2",),
        ),
        bounded(
            "series",
            r"With $q = \theta^2 = \varepsilon^2/4$ this gives $r \ge \frac{3}{\varepsilon^2} - \frac{7}{20}$; "
            r"multiplied by $q$, the inequality to be shown is",
            le(sp.Rational(3, 4) - sp.Rational(7, 20) * _q, (1 / (sp.Rational(1, 3) + 2 * _q / 45) - _q) / 4),
            _q > 0,
        ),
        bounded(
            "worse_than_laplace",
            r"For $\varepsilon \le \frac85$ this is more than the $2/\varepsilon^2$ of the plain Laplace cells; "
            r"multiplied by $\varepsilon^2$:",
            lt(sp.Integer(2), 3 - sp.Rational(7, 20) * _budget**2),
            _budget > 0,
            _budget <= sp.Rational(8, 5),
            gap=sp.Rational(24, 25),
            weaker=sp.Rational(19, 20),
        ),
        lemma(
            "optimal_bits",
            r"Optimal bits have $1/(4 \sinh^2 \theta) < 1/\varepsilon^2$,",
            positive_for_positive("gaussian.sinh", theta, (sinh - theta, cosh - 1, sinh), (sp.S.One, sp.S.One)),
            lines=(r"\sinh \theta &> \theta",),
        ),
        bounded(
            "against_optimal",
            r"So for $\varepsilon \le \frac12$ the Gaussian cells are at least $2.9$ times as bad.",
            lt(sp.Rational(29, 10), 3 - sp.Rational(7, 20) * _budget**2),
            _budget > 0,
            _budget <= sp.Rational(1, 2),
            gap=sp.Rational(999, 1000),
            weaker=sp.Rational(99, 100),
        ),
    )


least_constant = sp.Symbol(r"\lim_{\varepsilon \to 0} \varepsilon^2 r")
"""The limit of the constant for the flat distribution."""


def approached() -> tuple[Step, ...]:
    """The constant 3 is right: the flat distribution attains it in the limit."""
    weight = sp.exp(theta * _y)
    moments = [sp.integrate(sp.expand(_y**power * weight), (_y, -1, 1)) for power in range(3)]
    mean = moments[1] / moments[0]
    variance = moments[2] / moments[0] - mean**2
    closed = sp.coth(theta) - 1 / theta, 1 / theta**2 - 1 / sp.sinh(theta) ** 2
    ratio = closed[1] / (2 * closed[0]) ** 2 * 4 * theta**2
    return (
        equal_as(
            "flat_mean",
            r"For $\sigma \to \infty$, that is $k = 0$, integrate $y^j e^{\theta y}$ over $[-1, 1]$ for $j = 0, 1, 2$:",
            (mean, closed[0]),
            r"\mu &= \coth \theta - \frac 1\theta",
        ),
        equal_as(
            "flat_variance",
            r"The variance is",
            (variance, closed[1]),
            r"V &= \frac{1}{\theta^2} - \frac{1}{\sinh^2 \theta}",
        ),
        lemma(
            "flat_limit",
            r"For small budgets the bound is approached; for large ones $\varepsilon^2 r$ tends to $1$ while that of "
            r"optimal bits vanishes exponentially.",
            (
                computed_value(
                    "flat_limit.small",
                    "the limit of epsilon^2 r at 0",
                    lambda: sp.limit(ratio.rewrite(sp.exp), theta, 0, "+"),
                    sp.Integer(3),
                    engine="sympy",
                    quantities=(least_constant,),
                ),
                computed_value(
                    "flat_limit.large",
                    "the limit of epsilon^2 r at infinity",
                    lambda: sp.limit(ratio.rewrite(sp.exp), theta, sp.oo),
                    sp.Integer(1),
                    engine="sympy",
                ),
            ),
            lines=(r"\varepsilon^2 r &\to 3 \quad (\varepsilon \to 0)",),
        ),
    )


_user, _square = sp.symbols("r q", positive=True)


def gaussian() -> Claim:
    """The ratio on the line and on the interval, and how good the estimate can be."""
    return Claim(
        id="thesis.gaussian",
        title="Gaussian cells",
        references=(Reference("thesis", "section 4.4.4, on Gaussian distributions"),),
        statement=r"The ratio of two Gaussian densities of the same variance cannot be kept within $e^{\pm "
        r"\varepsilon}$. Truncated to $[0, 1]$, with properly selected means and variance, it can. (Our reading of "
        r"the selection: the means are symmetric about the middle of $[0, 1]$, at the distance $2 \sigma^2 "
        r"\varepsilon$.) The performance of the estimator is said not to be promising.",
        notation=(
            (r"$f_{\mathrm{init}}$, $f_{\mathrm{upd}}$", "densities of a cell before and after an appearance"),
            ("$A$, $B$; $W_A$, $W_B$", "squares of two places, and their weights"),
            (r"$\mu_{\mathrm{init}}$, $\mu_{\mathrm{upd}}$", "means of a cell before and after an appearance"),
        ),
        hypotheses=(r"The variance $\sigma^2$ is common to both distributions",),
        silent=(
            r"The proper selection is not given. The judgement is about means symmetric about $\frac12$ with "
            r"$\mu_{\mathrm{upd}} - \mu_{\mathrm{init}} = 2 \sigma^2 \varepsilon$, which use the whole budget, for "
            r"every $\sigma > 0$; the means need not lie in $[0, 1]$.",
            r"What is promising is not defined, so that the verdict does not depend on the performance. Its parts "
            r"judge the variance of the unbiased estimate that is linear in the cells.",
        ),
        uses=("cell.variance_floor",),
        parts=(
            Part(
                Role.PUBLISHED,
                "on the whole line",
                r"For different means the ratio is unbounded, above and towards $0$: the cells satisfy no budget.",
                whole_line(),
                formal=stated_whole_line(),
            ),
            Part(
                Role.PUBLISHED,
                "truncated to the unit interval",
                r"With symmetric means at the distance $2 \sigma^2 \varepsilon$ the truncated cells satisfy "
                r"$\varepsilon$-differential privacy, and use the whole budget.",
                truncated(),
                formal=stated_truncated(),
            ),
            Part(
                Role.READING,
                "the performance",
                r"Whatever $\sigma$ is, a user adds at least $\frac{3}{\varepsilon^2} - \frac{7}{20}$ where "
                r"unquantised Laplace cells add $\frac{2}{\varepsilon^2}$ and optimal bits less than "
                r"$\frac{1}{\varepsilon^2}$: for $\varepsilon \le \frac85$ the estimate is worse than from plain "
                r"Laplace cells, for $\varepsilon \le \frac12$ at least $2.9$ times as bad as from optimal bits.",
                (*tilting(), *flat_is_widest(), *explicit()),
                formal=symbolic(
                    sp.Ge(_user, 3 / epsilon**2 - sp.Rational(7, 20)),
                    given=(sp.Ge(_user, (1 / (sp.Rational(1, 3) + 2 * _square / 45) - _square) / (4 * _square)),),
                    where={_square: epsilon**2 / 4},
                ),
            ),
            Part(
                Role.READING,
                "the constant of the performance",
                r"The constant $3$ cannot be improved: it is approached for large $\sigma$ and small "
                r"$\varepsilon$.",
                approached(),
                formal=symbolic(eq(least_constant, 3)),
            ),
        ),
        remark=r"For no $\varepsilon$ can the estimate be better than from optimal bits, by the bound on the variance "
        r"for cells of any kind.",
    )


CLAIMS = {"thesis.gaussian": gaussian}
