"""Bias and mean squared error of an estimate from random cells, for a fixed sample, a random one, and random users.

A sample M of m users; independent cells, from one distribution for the users who have not appeared and from another for
those who have; the output is the mean of the cells, brought to the scale on which the two distributions have the means
0 and 1, plus independent noise of mean 0. Second moments of sums are sums over ordered pairs of terms, which is why the
formulas hold for all m, U and densities at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import product

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.relations import eq, le, lt
from pan_proofs.foundations.distributions import (
    Distribution,
    FiniteDistribution,
    KnownMoments,
    LaplaceDistribution,
    Mixture,
    bernoulli,
    mean,
    variance,
)
from pan_proofs.foundations.linear_expectations import expectation
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import density, epsilon, m, present, scale, t, tex, universe
from pan_proofs.ledger.steps import bounded, equal, lemma

coin = sp.Symbol("delta", nonnegative=True)
"""Probability with which each user appears, where the users are random."""

_sum, _noise = sp.symbols("s z", real=True)

Moments = tuple[sp.Expr, sp.Expr]
"""First and second raw moment."""


def indicator_sum(count: sp.Expr, single: sp.Expr, both: sp.Expr) -> Moments:
    """Moments of a sum of ``count`` indicators, each 1 with one probability and each two with another.

    The square is the sum over ordered pairs: ``count`` of an indicator with itself, the others of two.
    """
    return count * single, count * single + count * (count - 1) * both


def inclusion(drawn: sp.Expr = m, among: sp.Expr = universe) -> Moments:
    """Probability that a uniform sample without replacement contains one given user, and two: ratios of binomials."""
    samples = sp.binomial(among, drawn)
    return tuple(sp.combsimp(sp.binomial(among - held, drawn - held) / samples) for held in (1, 2))


def sampled_density() -> Moments:
    """Moments of d(S_M) for a uniform sample without replacement: ``d U`` users have appeared."""
    first, second = indicator_sum(density * universe, *inclusion())
    return first / m, second / m**2


def coin_density(size: sp.Expr = m) -> Moments:
    """Moments of the density of ``size`` users who appear independently with probability ``delta``."""
    first, second = indicator_sum(size, coin, coin**2)
    return first / size, second / size**2


@dataclass(frozen=True)
class CellEstimate:
    """The estimator.

    Attributes
    ----------
    initial
        Distribution of the cell of a user who has not appeared.
    updated
        Distribution of the cell of a user who has, however often.
    noise
        Distribution of the output's noise, with mean 0.
    """

    initial: Distribution
    updated: Distribution
    noise: Distribution

    @cached_property
    def gap(self) -> sp.Expr:
        """Distance of the two means."""
        return mean(self.updated) - mean(self.initial)

    @cached_property
    def sum_of_cells(self) -> Moments:
        """Moments of the sum of the cells given the sample, of whose users ``m d_M`` have appeared.

        Products of two different cells have, by independence, the product of their means.
        """
        counts = {True: m * present, False: m * (1 - present)}
        distributions = {True: self.updated, False: self.initial}
        first = sum(counts[kind] * distributions[kind].moment(1) for kind in counts)
        squares = sum(counts[kind] * distributions[kind].moment(2) for kind in counts)
        products = sum(
            counts[one]
            * (counts[other] - (1 if one is other else 0))
            * distributions[one].moment(1)
            * distributions[other].moment(1)
            for one in counts
            for other in counts
        )
        return first, squares + products

    def mean_of_cells(self) -> sp.Expr:
        """``E[d_hat | M]``, where d_hat is the mean of the cells."""
        return self.sum_of_cells[0] / m

    @property
    def variance_of_cells(self) -> sp.Expr:
        """``Var(d_hat | M)``."""
        first, second = self.sum_of_cells
        return (second - first**2) / m**2

    def expectation(self) -> sp.Expr:
        """``E[d_tilde | M]``."""
        return self._expected(self._output)

    def error(self, target: sp.Expr) -> sp.Expr:
        """``E[(d_tilde - target)^2 | M]``."""
        return self._expected((self._output - target) ** 2)

    def averaged_error(self, target: sp.Expr, densities: Moments) -> sp.Expr:
        """``E[(d_tilde - target)^2]`` when d(S_M) is random with the given moments; ``target`` may contain it."""
        return averaged(self.error(target), densities)

    @property
    def _output(self) -> sp.Expr:
        return (_sum / m - mean(self.initial)) / self.gap + _noise

    def _expected(self, polynomial: sp.Expr) -> sp.Expr:
        first, second = self.sum_of_cells
        centre, square = self.noise.moment(1), self.noise.moment(2)
        moments = {_sum: first, _sum**2: second, _noise: centre, _noise**2: square, _sum * _noise: first * centre}
        return expectation(polynomial, (_sum, _noise), moments)


def averaged(polynomial: sp.Expr, densities: Moments) -> sp.Expr:
    """Expectation of a polynomial in d(S_M) of degree 2 at most."""
    first, second = densities
    return expectation(polynomial, (present,), {present: first, present**2: second})


_noise_scale = sp.Symbol("b", positive=True)
_CELLS: dict[str, tuple[tuple[sp.Symbol, ...], Callable[..., tuple[Distribution, Distribution]]]] = {
    "bits": (sp.symbols("p q", real=True), lambda p, q: (bernoulli(p), bernoulli(q))),
    "laplace": (
        sp.symbols("u v s", real=True),
        lambda u, v, s: (LaplaceDistribution(u, s), LaplaceDistribution(v, s)),
    ),
}
"""Parameters of cells and their distributions before and after an appearance."""


@cache
def error_functions(cells: str) -> tuple[Callable[..., float], Callable[..., float]]:
    """Numerical variance of the output with Laplace noise: for a fixed sample, and over uniform samples.

    Parameters
    ----------
    cells
        ``"bits"`` with the parameters ``(p, q)``, or ``"laplace"`` with ``(u, v, s)``.

    Returns
    -------
    tuple of two functions
        Of ``(d_M, m, b, *parameters)`` and of ``(d, U, m, b, *parameters)``, where b is the scale of the noise.
    """
    parameters, distributions = _CELLS[cells]
    before, after = distributions(*parameters)
    known = {_gap: mean(after) - mean(before), _before: variance(before), _after: variance(after)}
    arguments = (present,), (density, universe)
    given, over = (
        sp.lambdify((*first, m, _noise_scale, *parameters), error.subs(known), modules="math")
        for first, error in zip(arguments, _errors(), strict=True)
    )
    return given, over


_start, _gap, _before, _after = sp.symbols("mu g v_0 v_1", real=True)


@cache
def _errors() -> tuple[sp.Expr, sp.Expr]:
    """For a fixed and for a uniform sample, in the gap of the means and the variances: no differences of squares."""
    kinds = KnownMoments(_start, _before), KnownMoments(_start + _gap, _after)
    estimate = CellEstimate(*kinds, LaplaceDistribution(sp.S.Zero, _noise_scale))
    return sp.factor(estimate.error(present)), sp.factor(estimate.averaged_error(density, sampled_density()))


# The published estimators.

half = sp.Rational(1, 2)
initial_mean = sp.Symbol("mu_init", real=True)
"""Mean of the Laplace cell of a user who has not appeared."""


def output_noise() -> LaplaceDistribution:
    """The noise of every published output."""
    return LaplaceDistribution(sp.S.Zero, 1 / (epsilon * m))


def dwork_bits() -> tuple[FiniteDistribution, FiniteDistribution]:
    """Bits with the parameters 1/2 and 1/2 + epsilon/4."""
    return bernoulli(half), bernoulli(half + epsilon / 4)


def optimal_bits() -> tuple[FiniteDistribution, FiniteDistribution]:
    """Bits with the parameters (1 - t)/2 and (1 + t)/2, where ``t = tanh(epsilon/2)``."""
    return bernoulli((1 - t) / 2), bernoulli((1 + t) / 2)


def dwork() -> CellEstimate:
    """Algorithm 1."""
    return CellEstimate(*dwork_bits(), output_noise())


def optimal_bernoulli() -> CellEstimate:
    """Algorithm 2."""
    return CellEstimate(*optimal_bits(), output_noise())


def laplace_cells() -> CellEstimate:
    """Algorithm 4.3 of the thesis: real cells of one scale b, with means at the distance ``epsilon b``."""
    updated = initial_mean + epsilon * scale
    return CellEstimate(LaplaceDistribution(initial_mean, scale), LaplaceDistribution(updated, scale), output_noise())


@dataclass(frozen=True)
class Bits:
    """An estimator with bits: its distributions, what the source states, what is true, and an example by hand."""

    estimate: CellEstimate
    bits: tuple[FiniteDistribution, FiniteDistribution]
    average: sp.Expr
    bound: sp.Expr
    displays: Callable[[sp.Expr], tuple[sp.Expr, sp.Expr, sp.Expr]]
    true: Callable[[sp.Expr], tuple[sp.Expr, sp.Expr, sp.Expr, sp.Expr]]
    scaled: sp.Expr
    example: dict[sp.Symbol, sp.Expr]
    budget: str


_QUARTER = sp.Rational(1, 4)
_NOISE_OF_OUTPUT = 2 / (m**2 * epsilon**2)
_OF_BIT = (1 - t**2) / 4

BITS = {
    "dwork": Bits(
        dwork(),
        dwork_bits(),
        half + epsilon / 4 * present,
        2 * (2 * m + 1) / (m**2 * epsilon**2),
        lambda d: (
            _QUARTER - epsilon**2 * d**2 / 16,
            1 / (4 * m) - epsilon**2 * d**2 / (16 * m),
            4 / (m * epsilon**2) - d**2 / m + _NOISE_OF_OUTPUT,
        ),
        lambda d: (
            _QUARTER,
            _QUARTER - epsilon**2 / 16,
            1 / (4 * m) - epsilon**2 * d / (16 * m),
            4 / (m * epsilon**2) - d / m + _NOISE_OF_OUTPUT,
        ),
        sp.S.One,
        {m: sp.Integer(2), present: half, epsilon: half},
        r"\varepsilon = \frac12",
    ),
    "optimal": Bits(
        optimal_bernoulli(),
        optimal_bits(),
        (1 - t) / 2 + t * present,
        1 / (4 * m * t**2) + _NOISE_OF_OUTPUT,
        lambda d: (
            _OF_BIT + d * (1 - d) * t**2,
            (1 - t**2) / (4 * m) + d * (1 - d) * t**2 / m,
            (1 - t**2) / (4 * m * t**2) + d * (1 - d) / m + _NOISE_OF_OUTPUT,
        ),
        lambda d: (_OF_BIT, _OF_BIT, (1 - t**2) / (4 * m), (1 - t**2) / (4 * m * t**2) + _NOISE_OF_OUTPUT),
        4 * m * t**2,
        {m: sp.Integer(2), present: half, t: sp.Rational(1, 5), epsilon: sp.log(sp.Rational(3, 2))},
        r"e^\varepsilon = \frac32$, $t = \frac15",
    ),
}
"""The estimators with a fair first bit and with the optimal pair: of the displays and of the true values for a fixed
sample the variances of the bits, of their mean and of the output, at a density.
"""


def variance_by_outcomes(cells: tuple[FiniteDistribution, ...]) -> sp.Expr:
    """Variance of the mean of a few independent cells, as a sum over all of their outcomes."""
    moments = [sp.S.Zero, sp.S.Zero]
    for outcome in product(*(cell.outcomes for cell in cells)):
        average = sum(value for value, _ in outcome) / sp.Integer(len(cells))
        weight = sp.Mul(*(chance for _, chance in outcome))
        moments = [moments[0] + average * weight, moments[1] + average**2 * weight]
    return moments[1] - moments[0] ** 2


Row = tuple[str, str, str, sp.Expr | Callable[[], sp.Expr], sp.Expr]
"""An equation: name and text of its step, the quantity in LaTeX, its computed value, and the stated one."""

mean_squared_error = sp.Symbol("MSE")
"""The mean squared error, in formal statements."""

finite_population = (universe - m) / (universe - 1)
"""The part of the sampling variance that is left without replacement."""

MEAN = r"E[\hat{d} \mid M]"
VARIANCE = r"\operatorname{Var}(\hat{d} \mid M)"
UNBIASED = r"E[\tilde{d} \mid M]"
ERROR = r"E[(\tilde{d} - d(\mathcal{S}_M))^2 \mid M]"
ERROR_OF_STREAM = r"E[(\tilde{d} - d(\mathcal{S}))^2]"
ERROR_OF_COIN = r"E[(\tilde{d} - \delta)^2]"


def derived(name: str, text: str, left: str, computed: sp.Expr | Callable[[], sp.Expr], stated: sp.Expr) -> Step:
    """The computed value equals the stated one. Only the stated one is shown."""
    return replace(equal(name, text, left, computed, stated), lines=(f"{left} &= {shorter(stated)}",))


def derivations(*rows: Row) -> tuple[Step, ...]:
    """A step for each equation."""
    return tuple(derived(*row) for row in rows)


def equations(*rows: Row) -> tuple[str, ...]:
    """The equations, formally."""
    return symbolic(*(eq(sp.Symbol(left), value) for _, _, left, _, value in rows))


def shorter(expression: sp.Expr) -> str:
    """LaTeX with the positive terms of a sum first."""
    terms = sorted(sp.Add.make_args(expression), key=lambda term: (term.could_extract_minus_sign(), str(term)))
    signed = [f" - {tex(-term)}" if term.could_extract_minus_sign() else f" + {tex(term)}" for term in terms]
    printed = "".join(signed).removeprefix(" + ").strip()
    for letter in (r"\mu", "p"):
        low, high = (rf"{letter}_{{\mathrm{{{kind}}}}}" for kind in ("init", "upd"))
        printed = printed.replace(f"- {low} + {high}", f"{high} - {low}")
    return printed


def bounded_error(
    name: str,
    text: str,
    smaller: sp.Expr,
    larger: sp.Expr,
    over: Sequence[sp.Symbol],
    hypotheses: Callable[..., tuple[Relational, ...]],
    lines: Sequence[str],
    *,
    strict: bool = False,
) -> Step:
    """An inequality put to the solvers over plain real symbols, so that no assumption is made silently.

    Parameters
    ----------
    over
        The symbols.
    hypotheses
        Called with the plain symbols in this order.
    """
    plain = {symbol: sp.Symbol(symbol.name, real=True) for symbol in over}
    relation = (lt if strict else le)(*(sp.together(side.xreplace(plain)) for side in (smaller, larger)))
    return bounded(name, text, relation, *hypotheses(*plain.values()), lines=lines)


def fixed_sample(estimate: CellEstimate, spread: sp.Expr, error: sp.Expr) -> tuple[Row, Row]:
    """Variance of the cells' mean, and the error, for a fixed sample."""
    return (
        (
            "fixed_mean_square",
            r"Given the sample the cells are independent, $m d(\mathcal{S}_M)$ of them of the one kind. The second "
            r"moment of their sum is a sum over ordered pairs; less the square of the first, over $m^2$, it is",
            VARIANCE,
            estimate.variance_of_cells,
            spread,
        ),
        (
            "fixed_error",
            r"The estimate is affine in $\hat{d}$, with independent noise of mean $0$.",
            ERROR,
            estimate.error(present),
            error,
        ),
    )


def unbiased(estimate: CellEstimate, average: sp.Expr) -> tuple[Row, Row, Row]:
    """Expectation of the cells' mean and of the output, for a fixed sample and on average over samples."""
    return (
        (
            "mean_of_cells",
            r"Fix the stream and the sample: $m d(\mathcal{S}_M)$ of the cells have the one mean and the others the "
            r"other. Nothing is assumed of which users appear.",
            MEAN,
            estimate.mean_of_cells,
            average,
        ),
        ("unbiased", r"The noise has mean $0$.", UNBIASED, estimate.expectation, present),
        (
            "unbiased_over_samples",
            r"A uniform sample has on average the density of the stream, hence also",
            r"E[\tilde{d}]",
            lambda: averaged(estimate.expectation(), sampled_density()),
            density,
        ),
    )


def inclusion_step() -> Step:
    """The probabilities that one user, and two, are in a uniform sample without replacement."""
    stated = (m / universe, m * (m - 1) / (universe * (universe - 1)))
    ratios = [
        equal(f"inclusion.ratio.{held}", "", "", partial(lambda held: inclusion()[held - 1], held), share)
        for held, share in enumerate(stated, start=1)
    ]
    one, two = inclusion()
    return lemma(
        "inclusion",
        r"Of the $\binom{U}{m}$ samples, $\binom{U-1}{m-1}$ hold a given user and $\binom{U-2}{m-2}$ two given users.",
        [obligation for step in ratios for obligation in step.obligations],
        lines=(rf"P(u \in M) &= {tex(one)}", rf"P(u, u' \in M) &= {tex(two)}"),
    )


def sampled_density_steps() -> tuple[Step, ...]:
    """Mean and variance of the density of a uniform sample."""
    return (
        inclusion_step(),
        derived(
            "sampled_mean",
            r"$m\,d(\mathcal{S}_M)$ is the sum of the indicators $1\{u \in M\}$ of the $dU$ users who have appeared, "
            r"where $d = d(\mathcal{S})$.",
            r"E[d(\mathcal{S}_M)]",
            lambda: sampled_density()[0],
            density,
        ),
        derived(
            "sampled_variance",
            r"Its square is the sum over the $dU$ pairs of a user with itself and the $dU(dU-1)$ others.",
            r"\operatorname{Var}(d(\mathcal{S}_M))",
            lambda: sampled_density()[1] - sampled_density()[0] ** 2,
            density * (1 - density) / m * finite_population,
        ),
    )


def over_samples(estimate: CellEstimate, error: sp.Expr) -> Row:
    """The error about the stream's density for a uniform sample."""
    return (
        "over_samples",
        r"For a uniform sample $d(\mathcal{S}_M)$ is random, with mean $d = d(\mathcal{S})$ and variance "
        r"$\frac{d(1-d)}{m} \frac{U-m}{U-1}$. Averaging the squared distance from $d$ adds this variance.",
        ERROR_OF_STREAM,
        estimate.averaged_error(density, sampled_density()),
        error,
    )


def coins(estimate: CellEstimate, of_cell: sp.Expr, of_mean: sp.Expr, error: sp.Expr, realised: sp.Expr) -> list[Row]:
    """One cell, the mean of the cells, and the error, when users appear independently with probability ``delta``."""
    cell = Mixture(coin, estimate.updated, estimate.initial)
    mixed = CellEstimate(cell, cell, estimate.noise)
    return [
        (
            "coin_cell",
            r"Let every sampled user appear independently with probability $\delta$. Each cell is then a draw from the "
            r"mixture of the two distributions,",
            r"\operatorname{Var}(b_i)",
            variance(cell),
            of_cell,
        ),
        (
            "coin_mean",
            r"The cells are independent, all of one distribution.",
            r"\operatorname{Var}(\hat{d})",
            mixed.variance_of_cells,
            of_mean,
        ),
        (
            "coin_error",
            r"The same by way of the density of the sample, which has mean $\delta$ and variance $\delta(1-\delta)/m$:",
            ERROR_OF_COIN,
            estimate.averaged_error(coin, coin_density()),
            error,
        ),
        (
            "coin_scaled",
            r"This is the variance of $\hat{d}$ on the scale of the output, plus that of the noise.",
            r"\operatorname{Var}(\tilde{d})",
            mixed.variance_of_cells / estimate.gap**2 + variance(estimate.noise),
            error,
        ),
        (
            "coin_realised",
            r"About the density that the users of the sample happen to have, the term $\delta(1-\delta)/m$ is absent, "
            r"as it is for a fixed sample.",
            r"E[(\tilde{d} - d(\mathcal{S}_M))^2]",
            estimate.averaged_error(present, coin_density()),
            realised,
        ),
    ]


def random_order(estimate: CellEstimate, of_cell: sp.Expr, of_mean: sp.Expr) -> list[Row]:
    """A fixed sample in random order: each cell alone is a mixture, but the cells are not independent."""
    # Of the m places k hold a user who has appeared; of the m(m - 1) pairs of places k(k - 1) hold two of them.
    both = present * (m * present - 1) / (m - 1)
    low, high = mean(estimate.initial), mean(estimate.updated)
    product = both * high**2 + 2 * (present - both) * high * low + (1 - 2 * present + both) * low**2
    cell = Mixture(present, estimate.updated, estimate.initial)
    covariance = product - mean(cell) ** 2
    return [
        (
            "order_cell",
            r"Let the fixed sample be put in random order. The user in place $i$ has appeared with probability "
            r"$d(\mathcal{S}_M)$,",
            r"\operatorname{Var}(b_i)",
            variance(cell),
            of_cell,
        ),
        (
            "order_covariance",
            r"Two places hold two different users: for $i \ne j$ both have appeared with probability "
            r"$d(\mathcal{S}_M) \frac{m d(\mathcal{S}_M) - 1}{m - 1}$, and",
            r"\operatorname{Cov}(b_i, b_j)",
            covariance,
            -present * (1 - present) * sp.factor(high - low) ** 2 / (m - 1),
        ),
        (
            "order_mean",
            r"The mean does not depend on the order. With the covariances its variance is that for a fixed order; "
            r"without them it is too large.",
            r"\operatorname{Var}(\hat{d})",
            (m * variance(cell) + m * (m - 1) * covariance) / m**2,
            of_mean,
        ),
    ]
