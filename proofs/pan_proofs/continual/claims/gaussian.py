"""Lemmas 2.9, A.1 and A.2: Gaussian noise that fits the l2 sensitivity, and tails of normal variables."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.continual.steps import stated
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.matrices import inverse, positive_definite_where
from pan_proofs.engines.relations import eq, gt, le, lt
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import bounded, compared, counterexample, equal, found, lemma

alpha = sp.Symbol("alpha", positive=True)
_place, _shift = sp.symbols("y s", real=True)
_mean, _other_mean = sp.symbols("mu nu", real=True)
_sigma, _rho, _sensitivity, _squares = sp.symbols("sigma rho Delta q", positive=True)
_r, _loss = sp.symbols("r D", real=True)
_CORRELATED = (gt(_r, -1), lt(_r, 1))
_OF_ONE = 1 / (2 * (1 - _r**2))
"""The loss of one coordinate of two with correlated noise of variance 1."""
_NO_LARGER = le(_OF_ONE, sp.Rational(1, 2))
_DENSITY = sp.exp(-(_place**2) / (2 * _sigma**2)) / sp.sqrt(2 * sp.pi * _sigma**2)


def mixed(one: sp.Expr, other: sp.Expr) -> sp.Expr:
    """``alpha one + (1 - alpha) other``."""
    return alpha * one + (1 - alpha) * other


def divergence() -> sp.Expr:
    """The Rényi divergence of two normal variables with one variance, by integrating their densities."""
    # The variable of the integral is measured from the centre of the completed square.
    exponents = (-((_place - mean) ** 2) / (2 * _sigma**2) for mean in (_mean, _other_mean))
    power = sp.expand(mixed(*exponents).subs(_place, _shift + mixed(_mean, _other_mean)))
    constant = power.coeff(_shift, 0)
    gaussian = sp.exp(sp.expand(power - constant)) / sp.sqrt(2 * sp.pi * _sigma**2)
    total = sp.integrate(sp.simplify(gaussian), (_shift, -sp.oo, sp.oo))
    return sp.factor((sp.log(sp.simplify(total)) + sp.factor(constant)) / (alpha - 1))


def independent(size: int, variance: int | Fraction) -> GaussianObservation:
    """All data with independent noise of one variance."""
    unit = sp.eye(size).tolist()
    return GaussianObservation(unit, unit, (sp.Rational(variance) * sp.eye(size)).tolist())


def equicorrelated() -> GaussianObservation:
    """Two numbers, each with noise of variance 1; the correlation of the noise is a symbol."""
    return GaussianObservation([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1, _r], [_r, 1]])


def common_noise() -> GaussianObservation:
    """Two numbers with the same noise."""
    return GaussianObservation([[1, 0], [0, 1]], [[1], [1]], [[1]])


def _one_coordinate() -> Steps:
    """Completing the square, then the integral; and the same for two coordinates at once, with any weights."""
    y, mu, nu = (sp.symbols(f"{name}_i {name}_j", real=True) for name in ("y", "mu", "nu"))
    centre = tuple(map(mixed, mu, nu))

    def term(centres: tuple[sp.Expr, ...]) -> sp.Expr:
        return (y[0] - centres[0]) * (y[1] - centres[1])

    return (
        equal_as(
            "divergence",
            r"The square in the exponents of $p^\alpha q^{1 - \alpha}$ is completed, for normal densities with means "
            r"$\mu$ and $\nu$. What is left is a normal density about another centre, which integrates to $1$. So the "
            r"Rényi divergence of order $\alpha \ne 1$ is",
            (divergence, alpha * (_mean - _other_mean) ** 2 / (2 * _sigma**2)),
            r"\frac{1}{\alpha - 1} \log \int p^\alpha q^{1-\alpha} &= \frac{\alpha (\mu - \nu)^2}{2 \sigma^2}",
        ),
        found(
            "density",
            r"The densities are normalised.",
            "the integral of the normal density",
            lambda: sp.integrate(_DENSITY, (_place, -sp.oo, sp.oo)),
            sp.Integer(1),
            engine="sympy",
        ),
        equal(
            "coordinates",
            r"The square is completed in the same way in every dimension and for every quadratic form "
            r"$\sum_{i,j} P_{ij} (y_i - \mu_i)(y_j - \mu_j)$: for each pair $i, j$ the identity holds, and it is "
            r"summed with the weights $P_{ij}$. For independent noise $P = I / \sigma^2$ this gives "
            r"$D_\alpha = \alpha \lVert \mu - \nu \rVert^2 / (2 \sigma^2)$.",
            "",
            mixed(term(mu), term(nu)),
            term(centre) + alpha * (1 - alpha) * (mu[0] - nu[0]) * (mu[1] - nu[1]),
        ),
    )


_PAIR = _w, _y, _z, _a, _b = sp.symbols("w y z a b", real=True)
_pairs = sp.Symbol("k", integer=True, nonnegative=True)
_form, _twice = sp.symbols("X R", real=True)


def _any_dimension() -> Step:
    """Completing the square of a quadratic form, over any number of pairs of coordinates."""
    form = mixed((_y - _a) * (_z - _b), _y * _z) - (_y - alpha * _a) * (_z - alpha * _b)
    return for_every_length(
        "any_dimension",
        r"The square of a quadratic form is completed as that of a number, for each pair of coordinates. The form with "
        r"the centre $\alpha a$ is that of a normal density with the same covariance, which integrates to $1$.",
        Induction(
            "gaussian_mechanism.any_dimension",
            eq(_form, alpha * (1 - alpha) * _twice),
            _pairs,
            _PAIR,
            {_form: _form + _w * form, _twice: _twice + _w * _a * _b},
            ((1, 2, 3, 1, 1), (2, 1, 0, 1, 3)),
            {alpha: sp.Integer(3)},
        ),
    )


def gaussian_mechanism() -> Claim:
    """The divergence by completing the square, the lemma, and its tightness."""
    calibration = bounded(
        "calibration",
        r"With $q = \lVert f(y) - f(y') \rVert^2 \le \Delta^2$ and $\sigma^2 = \Delta^2 / (2 \rho)$:",
        le(alpha * _squares / (2 * (_sensitivity**2 / (2 * _rho))), _rho * alpha),
        sp.Gt(alpha, 1),
        sp.Le(_squares, _sensitivity**2),
    )
    dimension = _any_dimension()
    # Times 1, 2 and 3 of the tree with four leaves: nodes (0, 1], (0, 2], (2, 3].
    carried, unit = [[1, 0, 0], [0, 1, 0], [0, 1, 1]], sp.eye(3).tolist()
    return Claim(
        id="turnstile.gaussian_mechanism",
        title="The Gaussian mechanism",
        references=(Reference("turnstile", "Lemma 2.9, section 2.1", "the variance is lost and read as in the text"),),
        statement=r"Let $f$ have $\ell_2$ sensitivity at most $\Delta$. The algorithm that releases a sample of "
        r"$N(f(y), \frac{\Delta^2}{2 \rho} I)$ is $\rho$-zCDP: for neighbours and all $\alpha > 1$ the Rényi "
        r"divergence of order $\alpha$ is at most $\rho \alpha$.",
        notation=(
            (r"$y_i$, $\mu_i$, $\nu_i$", "coordinates of an output, and of the means for two neighbours"),
            (r"$p$, $q$; $\sigma$", "densities of the output for two neighbours; standard deviation of the noise"),
            ("$D$", "divergence"),
        ),
        hypotheses=(r"$\Delta > 0$ and $\rho > 0$",),
        silent=(
            r"the variance is forced by the use in section 3.1: $1/\rho'$ at each node for $\Delta^2 = 2 \rho / \rho'$",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "the lemma",
                r"$D_\alpha = \alpha \lVert f(y) - f(y') \rVert^2 / (2 \sigma^2) \le \rho \alpha$ for "
                r"$\sigma^2 = \Delta^2 / (2 \rho)$, with equality at a distance of $\Delta$.",
                *_one_coordinate(),
                calibration,
                lemma(
                    "vector_example",
                    r"An example has three coordinates, a distance of $3$, $\rho = \frac12$, and so the variance "
                    r"$9$.",
                    gaussian_loss("gaussian_mechanism.vector", independent(3, 9), (1, 2, -2), sp.Rational(1, 2)),
                ),
                counterexample(
                    "half_the_variance",
                    r"Half of this variance is too little: at a distance of $\Delta = 3$ the divergence of order "
                    r"$2$ is",
                    le(_loss, alpha * _rho),
                    {
                        _loss: lambda: 2 * independent(3, Fraction(9, 2)).loss((1, 2, -2)),
                        alpha: sp.Integer(2),
                        _rho: sp.Rational(1, 2),
                    },
                ),
                only=("calibration",),
            ),
            Part(
                Role.READING,
                "noise with a covariance",
                r"For an observation $A x + B z$ with noise of covariance $S$ and $C = B S B^T$, the divergence is "
                r"$\alpha \rho$ with $\rho = \frac12 (A d)^T C^{-1} (A d)$ for data that differ by $d$. In the "
                r"formula the sums go over the pairs of coordinates, with the entries $w$ of $C^{-1}$, the values $y, "
                r"z$ of an output, and $a, b$ of $A d$: $X$ is $\alpha Q(y - a) + (1 - \alpha) Q(y) - Q(y - \alpha "
                r"a)$ for the quadratic form $Q$, and $R = 2 \rho$. So the integral of $p^\alpha q^{1-\alpha}$ is "
                r"$e^{-X/2} = e^{(\alpha - 1) \alpha \rho}$.",
                (
                    dimension,
                    lemma(
                        "covariance",
                        r"For two coordinates with variance $1$ and "
                        r"correlation $r$, $-1 < r < 1$, the covariance is positive definite. If only the first of "
                        r"them changes, by $1$, the loss is $\frac{1}{2 (1 - r^2)}$.",
                        (
                            positive_definite_where(
                                "gaussian_mechanism.correlation",
                                [[1, _r], [_r, 1]],
                                (sp.Gt(_r, -1), sp.Lt(_r, 1)),
                                (sp.Gt(_r, -1), sp.Le(_r, 1)),
                            ),
                            inverse(
                                "gaussian_mechanism.inverse",
                                [[1, _r], [_r, 1]],
                                [[2 * _OF_ONE, -2 * _r * _OF_ONE], [-2 * _r * _OF_ONE, 2 * _OF_ONE]],
                            ),
                            gaussian_loss(
                                "gaussian_mechanism.correlated",
                                equicorrelated(),
                                (1, 0),
                                _OF_ONE,
                                hypotheses=(sp.Gt(_r, -1), sp.Lt(_r, 1)),
                            ),
                        ),
                    ),
                    lemma(
                        "sums_of_nodes",
                        r"The first three prefix sums from the tree with four leaves: the noise of the nodes $(0, 1]$, "
                        r"$(0, 2]$ and $(2, 3]$, each of variance $1$. A change of the first entry by $1$ changes two "
                        r"of these nodes: the loss is $1$, that of the nodes themselves.",
                        [
                            gaussian_loss(
                                f"gaussian_mechanism.{name}", GaussianObservation(data, factor, unit), (1, 0, 0), 1
                            )
                            for name, data, factor in (
                                ("sums", [[1, 0, 0], [1, 1, 0], [1, 1, 1]], carried),
                                ("nodes", [[1, 0, 0], [1, 1, 0], [0, 0, 1]], unit),
                            )
                        ],
                    ),
                ),
                formal=stated(dimension),
            ),
            derived(
                Role.READING,
                "the variance, coordinate by coordinate, of correlated noise",
                r"If the coordinates of the noise are correlated, their variances do not suffice: the loss can be "
                r"larger.",
                counterexample(
                    "any_correlation",
                    r"The loss of a change of one coordinate is the one above. It is larger than for $r = 0$, as "
                    r"for $r = \frac12$:",
                    _NO_LARGER,
                    {_r: sp.Rational(1, 2)},
                    _CORRELATED,
                ),
                lemma(
                    "common_noise",
                    r"With the same noise in both coordinates their difference has none: a change of one "
                    r"coordinate is seen with certainty, and the loss is infinite. A change of both by the same "
                    r"number has the loss $\frac12$.",
                    (
                        gaussian_loss("gaussian_mechanism.common", common_noise(), (1, 0), sp.oo),
                        gaussian_loss("gaussian_mechanism.both", common_noise(), (1, 1), sp.Rational(1, 2)),
                    ),
                ),
                bounded(
                    "no_correlation_helps",
                    r"Against a change of one coordinate alone no correlation helps.",
                    le(sp.Rational(1, 2), _OF_ONE),
                    sp.Gt(_r, -1),
                    sp.Lt(_r, 1),
                ),
                only=("any_correlation",),
                holds=False,
                departs=r"$N(f(y), \frac{\Delta^2}{2 \rho} I)$",
            ),
        ),
        in_words=(
            ("divergence", r"the density of a normal distribution integrates to $1$ about any centre"),
            (
                "any_dimension",
                r"a quadratic form is the sum over its pairs of coordinates, and the normal distribution with its "
                r"covariance has a density",
            ),
        ),
    )


_least, _variance, _most = sp.symbols("lambda v V", positive=True)
_one, _more, _tail = sp.symbols("P Q E", nonnegative=True)
_number, _level = sp.Symbol("m", positive=True), sp.Symbol("y", real=True)
_variables = sp.Symbol("m", positive=True, integer=True)
_WITHOUT = le(1 - sp.erf(_least / sp.sqrt(2)) ** _variables, 2 * sp.exp(-(_least**2) / 2))
"""The probability for independent standard normal variables is at most the bound for one."""


def gaussian_max() -> Claim:
    """Both lemmas with a factor to spare, for dependent variables and smaller variances too."""
    union = bounded(
        "union",
        r"Let $P \le E = e^{-\lambda^2/(2 \sigma^2)}$ be the largest tail of one variable. The probability $Q$ "
        r"that one of $m$ exceeds $\lambda$ is at most the sum of the tails, whatever their dependence.",
        le(_more, 2 * _number * _tail),
        sp.Ge(_number, 1),
        sp.Le(_more, _number * _one),
        sp.Le(_one, _tail),
        gap=sp.Rational(1, 2),
        weaker=sp.Rational(1, 3),
    )
    return Claim(
        id="turnstile.gaussian_max",
        title="The largest of several normal variables",
        references=(
            Reference("turnstile", "Lemma A.1, appendix A", "the formula is lost"),
            Reference("turnstile", "Lemma A.2, appendix A", "the formula is lost"),
        ),
        statement=r"For $R \sim N(0, \sigma^2)$: $P(|R| > \lambda) \le 2 e^{-\lambda^2 / (2 \sigma^2)}$. For $R_1, "
        r"\ldots, R_m \sim N(0, \sigma^2)$: $P(\max_j |R_j| > \lambda) \le 2 m e^{-\lambda^2 / (2 \sigma^2)}$.",
        notation=(("$v$, $V$", "variance of one variable, and a bound on it"),),
        hypotheses=(r"$\lambda > 0$ and $\sigma > 0$",),
        silent=(
            "the lost formulas are read as the usual ones",
            r"section 3 uses the second for dependent variables whose variances are at most $\sigma^2$",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "without the factor 2",
                r"Both bounds hold with half the right side, for any dependence, and for variances of at most "
                r"$\sigma^2$.",
                equal_as(
                    "scaled",
                    r"Integrating the density of $R$ beyond $\lambda$ on both sides gives the tail of a standard "
                    r"normal variable at $\lambda / \sigma$, which is at most $e^{-\lambda^2 / (2 \sigma^2)}$.",
                    (
                        lambda: 2 * sp.integrate(_DENSITY, (_place, _least, sp.oo)),
                        1 - sp.erf(_least / (_sigma * sp.sqrt(2))),
                    ),
                    r"P(|R| > \lambda) &= 2 \int_\lambda^\infty \frac{e^{-r^2/(2 \sigma^2)}}{\sqrt{2 \pi "
                    r"\sigma^2}}\,dr = 1 - \operatorname{erf}\Bigl(\frac{\lambda}{\sqrt2\,\sigma}\Bigr)",
                ),
                bounded(
                    "smaller_variance",
                    r"A smaller variance $v \le V$ gives a smaller exponent.",
                    le(-(_least**2) / (2 * _variance), -(_least**2) / (2 * _most)),
                    sp.Le(_variance, _most),
                    weaker=sp.Rational(1001, 1000),
                ),
                union,
                found(
                    "use",
                    r"The value at which the bound with the factor $2$ is $0.01$, as section 3 needs it:",
                    r"the solution of 2 m exp(-y) = 1/100",
                    lambda: sp.solve(2 * _number * sp.exp(-_level) - sp.Rational(1, 100), _level)[0],
                    sp.log(200 * _number),
                    engine="sympy",
                    lines=r"\frac{\lambda^2}{2 \sigma^2} &= \log(200 m)",
                ),
                only=("union",),
            ),
            derived(
                Role.READING,
                "without the number of variables",
                r"The bound for one variable does not hold for the largest of several.",
                counterexample(
                    "ten_variables",
                    r"For $m$ independent standard normal variables the probability is $1 - "
                    r"\operatorname{erf}(\lambda / \sqrt2)^m$, the left side here. The largest of ten exceeds $2$ "
                    r"in absolute value with probability $1 - \operatorname{erf}(\sqrt 2)^{10}$, about $0.37$.",
                    _WITHOUT,
                    {_variables: sp.Integer(10), _least: sp.Integer(2)},
                ),
                compared(
                    "with_number",
                    r"With the number of variables the bound holds.",
                    le(1 - sp.erf(sp.sqrt(2)) ** 10, 20 * sp.exp(-2)),
                ),
                only=("ten_variables",),
                holds=False,
                departs=r"$P(\max_j |R_j| > \lambda) \le 2 m e^{-\lambda^2 / (2 \sigma^2)}$",
            ),
        ),
        uses=("lemma.gaussian_tail",),
    )


CLAIMS = {"turnstile.gaussian_mechanism": gaussian_mechanism, "turnstile.gaussian_max": gaussian_max}
