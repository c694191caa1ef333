"""Lemma 2.9: Gaussian noise that fits the l2 sensitivity gives zero-concentrated privacy."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.matrices import inverse, positive_definite_where
from pan_proofs.engines.relations import eq, gt, le, lt
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.display import displayed, equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, counterexample, equal, found, lemma

alpha = sp.Symbol("alpha", positive=True)
_mean, _other_mean, _place = sp.symbols("mu nu y", real=True)
_sigma, _rho, _sensitivity = sp.symbols("sigma rho Delta", positive=True)
_squares, _variance = sp.symbols("q v", positive=True)
_r = sp.Symbol("r", real=True)
_loss = sp.Symbol("D", real=True)
_CORRELATED = (gt(_r, -1), lt(_r, 1))
_NO_LARGER = le(1 / (2 * (1 - _r**2)), sp.Rational(1, 2))
"""The loss of one coordinate is no larger than for independent noise of the same variances."""
_ADJACENT = (sp.Gt(alpha, 1), sp.Le(_squares, _sensitivity**2))


def mixed(one: sp.Expr, other: sp.Expr) -> sp.Expr:
    """``alpha one + (1 - alpha) other``."""
    return alpha * one + (1 - alpha) * other


def divergence() -> sp.Expr:
    """The Rényi divergence of two normal variables with one variance, by integrating their densities."""
    shift = sp.Symbol("s", real=True)

    def exponent(mean: sp.Expr) -> sp.Expr:
        return -((_place - mean) ** 2) / (2 * _sigma**2)

    centre = mixed(_mean, _other_mean)
    # The variable of the integral is measured from the centre of the completed square.
    power = sp.expand(mixed(exponent(_mean), exponent(_other_mean)).subs(_place, shift + centre))
    constant = power.coeff(shift, 0)
    gaussian = sp.exp(sp.expand(power - constant)) / sp.sqrt(2 * sp.pi * _sigma**2)
    total = sp.integrate(sp.simplify(gaussian), (shift, -sp.oo, sp.oo))
    return sp.factor((sp.log(sp.simplify(total)) + sp.factor(constant)) / (alpha - 1))


def gaussian_mechanism() -> Claim:
    """The divergence by completing the square, the lemma, and its tightness."""
    return Claim(
        id="turnstile.gaussian_mechanism",
        title="The Gaussian mechanism",
        references=(Reference("turnstile", "Lemma 2.9, section 2.1", "the variance is lost and read as in the text"),),
        statement=r"Let $f$ have $\ell_2$ sensitivity at most $\Delta$. The algorithm that releases a sample of "
        r"$N(f(y), \frac{\Delta^2}{2 \rho} I)$ is $\rho$-zCDP: for neighbours and all $\alpha > 1$ the Rényi "
        r"divergence of order $\alpha$ is at most $\rho \alpha$.",
        notation=(
            (r"$y_i$, $\mu_i$, $\nu_i$", "coordinates of an output, and of the means for two neighbours"),
            ("$D$", "zCDP loss of both coordinates together"),
            (r"$p$, $q$; $\sigma$", "densities of the output for two neighbours; standard deviation of the noise"),
        ),
        hypotheses=(r"$\Delta > 0$ and $\rho > 0$",),
        silent=(
            r"the variance is forced by the use in section 3.1: $1/\rho'$ at each node for $\Delta^2 = 2 \rho / \rho'$",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the lemma",
                r"$D_\alpha = \alpha \lVert f(y) - f(y') \rVert^2 / (2 \sigma^2) \le \rho \alpha$ for "
                r"$\sigma^2 = \Delta^2 / (2 \rho)$, with equality at a distance of $\Delta$.",
                (*one_coordinate(), *all_coordinates(), *calibrated()),
                formal=symbolic(
                    le(alpha * _squares / (2 * (_sensitivity**2 / (2 * _rho))), _rho * alpha),
                    given=_ADJACENT,
                ),
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
                (_any_dimension(), *with_covariance()),
                formal=symbolic(
                    _COMPLETED,
                    where={total: sum_over_entries(term, _PAIR, _pairs) for total, term in _FORMS.items()},
                ),
            ),
            Part(
                Role.READING,
                "the variance, coordinate by coordinate, of correlated noise",
                r"If the coordinates of the noise are correlated, their variances do not suffice: the loss can be "
                r"larger.",
                correlated(),
                formal=symbolic(_NO_LARGER, given=_CORRELATED, refuted=True),
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


def one_coordinate() -> Steps:
    """Completing the square, then the integral."""
    return (
        equal(
            "completed_square",
            r"The exponents of $p^\alpha q^{1 - \alpha}$ for normal densities with means $\mu$ and $\nu$ are, up to "
            r"the factor $-1/(2 \sigma^2)$,",
            "",
            mixed((_place - _mean) ** 2, (_place - _other_mean) ** 2),
            (_place - mixed(_mean, _other_mean)) ** 2 + alpha * (1 - alpha) * (_mean - _other_mean) ** 2,
        ),
        equal_as(
            "divergence",
            r"The first square is that of a normal density about another centre, which integrates to $1$. So the Rényi "
            r"divergence of order $\alpha \ne 1$ is",
            (divergence, alpha * (_mean - _other_mean) ** 2 / (2 * _sigma**2)),
            r"\frac{1}{\alpha - 1} \log \int p^\alpha q^{1-\alpha} &= \frac{\alpha (\mu - \nu)^2}{2 \sigma^2}",
        ),
        found(
            "density",
            r"The densities are normalised.",
            "the integral of the normal density",
            lambda: sp.integrate(
                sp.exp(-(_place**2) / (2 * _sigma**2)) / sp.sqrt(2 * sp.pi * _sigma**2), (_place, -sp.oo, sp.oo)
            ),
            sp.Integer(1),
            engine="sympy",
        ),
    )


def all_coordinates() -> Steps:
    """The same for two coordinates at once, with any weights."""
    y, mu, nu = (sp.symbols(f"{name}_i {name}_j", real=True) for name in ("y", "mu", "nu"))

    def term(centres: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
        return (y[0] - centres[0]) * (y[1] - centres[1])

    centre = (mixed(mu[0], nu[0]), mixed(mu[1], nu[1]))
    return (
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


def calibrated() -> Steps:
    """The variance of the lemma."""
    return (
        at_most(
            "calibration",
            r"With $q = \lVert f(y) - f(y') \rVert^2 \le \Delta^2$ and $\sigma^2 = \Delta^2 / (2 \rho)$:",
            Inequality(
                "gaussian_mechanism.calibration",
                alpha * _squares / (2 * (_sensitivity**2 / (2 * _rho))),
                _rho * alpha,
                _ADJACENT,
            ),
            lines=r"\alpha\, q / (2 \sigma^2) &\le \rho \alpha",
        ),
        lemma(
            "vector_example",
            r"An example has three coordinates, a distance of $3$, $\rho = \frac12$, and so the variance $9$.",
            gaussian_loss("gaussian_mechanism.vector", independent(3, 9), (1, 2, -2), sp.Rational(1, 2)),
        ),
        displayed(
            counterexample(
                "half_the_variance",
                r"Half of this variance is too little: at a distance of $\Delta = 3$ the divergence of order $2$ is "
                r"$2 > 2 \rho = 1$.",
                le(_loss, alpha * _rho),
                {
                    _loss: lambda: 2 * independent(3, Fraction(9, 2)).loss((1, 2, -2)),
                    alpha: sp.Integer(2),
                    _rho: sp.Rational(1, 2),
                },
            ),
            r"D_2 = 2 \cdot \frac{9}{2 \cdot 9/2} = 2 &> 2 \rho = 1",
        ),
    )


def independent(size: int, variance: int | Fraction) -> GaussianObservation:
    """All data with independent noise of one variance."""
    unit = sp.eye(size).tolist()
    return GaussianObservation(unit, unit, (sp.Rational(variance) * sp.eye(size)).tolist())


def equicorrelated() -> GaussianObservation:
    """Two numbers, each with noise of variance 1; the correlation of the noise is a symbol."""
    return GaussianObservation([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1, _r], [_r, 1]])


_PAIR = _w, _y, _z, _a, _b = sp.symbols("w y z a b", real=True)
_pairs = sp.Symbol("k", integer=True, nonnegative=True)
_form, _twice = sp.symbols("X R", real=True)
_FORMS = {
    _form: _w * (mixed((_y - _a) * (_z - _b), _y * _z) - (_y - alpha * _a) * (_z - alpha * _b)),
    _twice: _w * _a * _b,
}
_COMPLETED = eq(_form, alpha * (1 - alpha) * _twice)


def _any_dimension() -> Step:
    """Completing the square of a quadratic form, over any number of pairs of coordinates."""
    return for_every_length(
        "any_dimension",
        r"The square of a quadratic form is completed as that of a number, for each pair of coordinates. The form with "
        r"the centre $\alpha a$ is that of a normal density with the same covariance, which integrates to $1$.",
        Induction(
            "gaussian_mechanism.any_dimension",
            _COMPLETED,
            _pairs,
            _PAIR,
            {total: total + term for total, term in _FORMS.items()},
            ((1, 2, 3, 1, 1), (2, 1, 0, 1, 3)),
            {alpha: sp.Integer(3)},
        ),
        r"X &= \alpha (1 - \alpha) R",
    )


def with_covariance() -> Steps:
    """The inverse, the loss for a symbol, and sums of noise as the tree has them."""
    # Times 1, 2 and 3 of the tree with four leaves: nodes (0, 1], (0, 2], (2, 3].
    sums = GaussianObservation([[1, 0, 0], [1, 1, 0], [1, 1, 1]], [[1, 0, 0], [0, 1, 0], [0, 1, 1]], sp.eye(3).tolist())
    return (
        lemma(
            "covariance",
            r"For two coordinates with variance $1$ and "
            r"correlation $r$, $-1 < r < 1$, the covariance is positive definite.",
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
                    [[1 / (1 - _r**2), -_r / (1 - _r**2)], [-_r / (1 - _r**2), 1 / (1 - _r**2)]],
                ),
            ),
        ),
        lemma(
            "one_coordinate_changes",
            r"If only the first of them changes, by $1$, the loss is $\frac{1}{2 (1 - r^2)}$.",
            gaussian_loss(
                "gaussian_mechanism.correlated",
                equicorrelated(),
                (1, 0),
                1 / (2 * (1 - _r**2)),
                hypotheses=(sp.Gt(_r, -1), sp.Lt(_r, 1)),
            ),
        ),
        lemma(
            "sums_of_nodes",
            r"The first three prefix sums from the tree with four leaves: the noise of the nodes $(0, 1]$, $(0, 2]$ "
            r"and $(2, 3]$, each of variance $1$. A change of the first entry by $1$ changes two of these nodes: the "
            r"loss is $1$, that of the nodes themselves.",
            (
                gaussian_loss("gaussian_mechanism.sums", sums, (1, 0, 0), 1),
                gaussian_loss(
                    "gaussian_mechanism.nodes",
                    GaussianObservation([[1, 0, 0], [1, 1, 0], [0, 0, 1]], sp.eye(3).tolist(), sp.eye(3).tolist()),
                    (1, 0, 0),
                    1,
                ),
            ),
        ),
    )


def correlated() -> Steps:
    """A correlation of one half, and a correlation of 1."""
    return (
        counterexample(
            "correlation_of_one_half",
            r"For $r = \frac12$ the loss is $\frac23$, and $\frac12$ for independent noise of the same variances.",
            le(_loss, _rho),
            {
                _loss: lambda: equicorrelated().loss((1, 0)).subs(_r, sp.Rational(1, 2)),
                _rho: lambda: independent(2, 1).loss((1, 0)),
            },
        ),
        counterexample(
            "any_correlation",
            r"The loss of a change of one coordinate is the one above. It is larger than for $r = 0$, as for $r = "
            r"\frac12$:",
            _NO_LARGER,
            {_r: sp.Rational(1, 2)},
            _CORRELATED,
        ),
        lemma(
            "common_noise",
            r"With the same noise in both coordinates their difference has none: a change of one coordinate is seen "
            r"with certainty, and the loss is infinite. A change of both by the same number has the loss $\frac12$.",
            (
                gaussian_loss("gaussian_mechanism.common", common_noise(), (1, 0), sp.oo),
                gaussian_loss("gaussian_mechanism.both", common_noise(), (1, 1), sp.Rational(1, 2)),
            ),
        ),
        at_most(
            "no_correlation_helps",
            r"Against a change of one coordinate alone no correlation helps.",
            Inequality(
                "gaussian_mechanism.larger",
                sp.Rational(1, 2),
                1 / (2 * (1 - _r**2)),
                (sp.Gt(_r, -1), sp.Lt(_r, 1)),
            ),
        ),
    )


def common_noise() -> GaussianObservation:
    """Two numbers with the same noise."""
    return GaussianObservation([[1, 0], [0, 1]], [[1], [1]], [[1]])


CLAIMS = {"turnstile.gaussian_mechanism": gaussian_mechanism}
