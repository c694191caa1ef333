"""The error of every estimator that samples users, keeps a random cell of two kinds for each, and adds noise."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.estimate_errors import (
    ERROR,
    ERROR_OF_COIN,
    ERROR_OF_STREAM,
    MEAN,
    UNBIASED,
    VARIANCE,
    CellEstimate,
    Row,
    averaged,
    coin,
    coin_density,
    derivations,
    equations,
    finite_population,
    indicator_sum,
    mean_squared_error,
    sampled_density,
    sampled_density_steps,
)
from pan_proofs.engines.relations import eq
from pan_proofs.foundations.distributions import KnownMoments, Mixture, variance
from pan_proofs.foundations.linear_expectations import expectation
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.notation import density, m, present, universe
from pan_proofs.ledger.steps import equal

_low, _high = sp.symbols("mu_init mu_upd", real=True)
_v_low, _v_high, _w = sp.symbols("v_init v_upd w", nonnegative=True)
_gap = _high - _low


def _estimate() -> CellEstimate:
    return CellEstimate(KnownMoments(_low, _v_low), KnownMoments(_high, _v_high), KnownMoments(sp.S.Zero, _w))


def _error(share: sp.Expr) -> sp.Expr:
    return (share * _v_high + (1 - share) * _v_low) / (m * _gap**2) + _w


def two_kinds() -> Claim:
    """Bias and mean squared error about the sample's density, the stream's, and the chance of appearing."""
    return Claim(
        id="general_error.two_kinds",
        title="Errors of estimates from cells of two kinds",
        references=(Reference("here", "of which the sources' error theorems are special cases"),),
        statement=r"Of $U$ users $m$ are sampled. Each has a cell $c_i$, independent of the others, from a "
        r"distribution with mean $\mu_{\mathrm{init}}$ and variance $v_{\mathrm{init}}$ if the user has not appeared "
        r"and from one with $\mu_{\mathrm{upd}} \ne \mu_{\mathrm{init}}$ and $v_{\mathrm{upd}}$ otherwise. Let "
        r"$\hat{d} = \frac1m \sum_i c_i$ and "
        r"$\tilde{d} = \frac{\hat{d} - \mu_{\mathrm{init}}}{\mu_{\mathrm{upd}} - \mu_{\mathrm{init}}} + Z$ with "
        r"independent noise $Z$ of mean $0$ and variance $w$. Then $\tilde{d}$ is unbiased, and its mean squared error "
        r"is as given below for a fixed sample, for a uniform sample, and for users who appear at random.",
        hypotheses=(
            r"the cells and the noise are independent and have finite variances",
            r"$\mu_{\mathrm{init}} \ne \mu_{\mathrm{upd}}$",
            r"$1 \le m \le U$; for a uniform sample $U \ge 2$",
        ),
        parts=(_fixed(), _uniform(), _random_users()),
        remark=r"The three errors differ by the variance of the density of the sample about what is to be estimated: "
        r"none for a fixed sample, $\frac{d(1-d)}{m} \frac{U-m}{U-1}$ for a uniform sample, and "
        r"$\frac{\delta(1-\delta)}{m}$ for independent users. A statement on a mean squared error has to say which one "
        r"is meant.",
    )


def _fixed() -> Part:
    estimate = _estimate()
    appeared, others = m * present, m * (1 - present)
    rows: tuple[Row, ...] = (
        (
            "mean",
            r"Of the $m$ cells $m\,d(\mathcal{S}_M)$ have one mean and the others the other.",
            MEAN,
            estimate.mean_of_cells,
            _low + _gap * present,
        ),
        (
            "unbiased",
            r"The output undoes this affine map, and the noise has mean $0$.",
            UNBIASED,
            estimate.expectation,
            present,
        ),
        (
            "variance",
            r"Take from the sum of moments below the square of the sum's mean; the products of means cancel.",
            VARIANCE,
            estimate.variance_of_cells,
            (present * _v_high + (1 - present) * _v_low) / m,
        ),
        (
            "error",
            r"Expand the square of $\tilde{d} - d(\mathcal{S}_M)$ in the sum of the cells and the noise, and take "
            r"expectations term by term.",
            ERROR,
            estimate.error(present),
            _error(present),
        ),
    )
    return Part(
        Role.PUBLISHED,
        "a fixed sample",
        r"For every stream and every sample, $E[\tilde{d} \mid M] = d(\mathcal{S}_M)$, and with $d = d(\mathcal{S}_M)$ "
        r"$E[(\tilde{d} - d)^2 \mid M] = \frac{d\,v_{\mathrm{upd}} + (1-d)\,v_{\mathrm{init}}}"
        r"{m (\mu_{\mathrm{upd}} - \mu_{\mathrm{init}})^2} + w.$",
        (
            *derivations(*rows),
            equal(
                "pairs",
                r"The square of the sum of the cells has one term for each ordered pair of cells. With $k = "
                r"m\,d(\mathcal{S}_M)$ there are $k$ and $m-k$ of a cell with itself, and $k(k-1)$, $2k(m-k)$ and "
                r"$(m-k)(m-k-1)$ of two cells, whose product has the product of the means. These are all:",
                "",
                appeared + others + appeared * (appeared - 1) + 2 * appeared * others + others * (others - 1),
                m**2,
            ),
        ),
        formal=(*equations(rows[1]), *symbolic(sp.Eq(mean_squared_error, _error(present)))),
    )


def _uniform() -> Part:
    estimate = _estimate()
    error = _error(density) + density * (1 - density) / m * finite_population
    return Part(
        Role.PUBLISHED,
        "a uniform sample without replacement",
        r"For every stream, with $d = d(\mathcal{S})$ and $M$ uniform among the sets of $m$ users, $E[\tilde{d}] = d$ "
        r"and $E[(\tilde{d} - d)^2] = \frac{d\,v_{\mathrm{upd}} + (1-d)\,v_{\mathrm{init}}}"
        r"{m (\mu_{\mathrm{upd}} - \mu_{\mathrm{init}})^2} + \frac{d(1-d)}{m}\,\frac{U-m}{U-1} + w.$",
        (
            *sampled_density_steps(),
            *derivations(
                (
                    "uniform_unbiased",
                    r"Averaging $E[\tilde{d} \mid M] = d(\mathcal{S}_M)$ over the samples:",
                    r"E[\tilde{d}]",
                    lambda: averaged(estimate.expectation(), sampled_density()),
                    density,
                ),
                (
                    "uniform_error",
                    r"Given the sample, the mean square of $\tilde{d} - d(\mathcal{S})$ is a polynomial of degree $2$ "
                    r"in $d(\mathcal{S}_M)$. Averaging it needs the two moments above and no more.",
                    ERROR_OF_STREAM,
                    estimate.averaged_error(density, sampled_density()),
                    error,
                ),
            ),
        ),
        formal=symbolic(eq(sp.Symbol(r"E[d(\mathcal{S}_M)]"), density), sp.Eq(mean_squared_error, error)),
    )


def _random_users() -> Part:
    estimate = _estimate()
    first, second = coin_density()
    cell = Mixture(coin, estimate.updated, estimate.initial)
    mixed = CellEstimate(cell, cell, estimate.noise)
    spread = coin * (1 - coin) / m
    # The density of the whole stream is that of U independent users.
    appeared = indicator_sum(universe, coin, coin**2)
    moments = {density: appeared[0] / universe, density**2: appeared[1] / universe**2}
    return Part(
        Role.PUBLISHED,
        "users who appear at random",
        r"If every user appears independently with probability $\delta$, then for any sample that does not depend on "
        r"who appears, $E[\tilde{d}] = \delta$ and $E[(\tilde{d} - \delta)^2] = \frac{\delta\,v_{\mathrm{upd}} + "
        r"(1-\delta)\,v_{\mathrm{init}}}{m (\mu_{\mathrm{upd}} - \mu_{\mathrm{init}})^2} + \frac{\delta(1-\delta)}{m} "
        r"+ w.$ The same holds for $m$ draws with replacement from a stream of density $\delta$, each with a cell of "
        r"its own.",
        (
            *derivations(
                (
                    "coin_density",
                    r"The density of the sample is a mean of $m$ independent indicators.",
                    r"\operatorname{Var}(d(\mathcal{S}_M))",
                    second - first**2,
                    spread,
                ),
                (
                    "coin_error",
                    r"Averaging over it, as above,",
                    ERROR_OF_COIN,
                    estimate.averaged_error(coin, coin_density()),
                    _error(coin) + spread,
                ),
                (
                    "coin_mixture",
                    r"A second way: each cell alone is a draw from the mixture of the two distributions,",
                    r"\operatorname{Var}(c_i)",
                    variance(cell),
                    coin * _v_high + (1 - coin) * _v_low + coin * (1 - coin) * _gap**2,
                ),
                (
                    "coin_independent",
                    r"Moreover $m$ independent cells of this distribution lead to the same error.",
                    ERROR_OF_COIN,
                    mixed.variance_of_cells / _gap**2 + _w,
                    _error(coin) + spread,
                ),
                (
                    "coin_stream",
                    r"About the density that the stream of the $U$ random users happens to have, a uniform sample has "
                    r"the error of the previous part, averaged over $d(\mathcal{S})$.",
                    ERROR_OF_STREAM,
                    expectation(estimate.averaged_error(density, sampled_density()), (density,), moments),
                    _error(coin) + spread * (universe - m) / universe,
                ),
            ),
        ),
        formal=symbolic(sp.Eq(mean_squared_error, _error(coin) + spread)),
    )


CLAIMS = {"general_error.two_kinds": two_kinds}
