"""Errors if the sample, its order, or the users are random."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from pan_proofs.density.lemmas.errors import error_names as names
from pan_proofs.density.lemmas.errors.error_steps import ERROR_OF_COIN, ERROR_OF_STREAM, derived
from pan_proofs.density.lemmas.errors.estimate_errors import CellEstimate, coin, coin_density, sampled_density
from pan_proofs.foundations.distributions import Mixture, mean, variance
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.notation import density, m, present
from pan_proofs.ledger.steps import equal


def over_samples_step(estimate: CellEstimate, error: sp.Expr, *shown: str) -> Step:
    """The error about the stream's density for a uniform sample."""
    step = equal(
        "over_samples",
        r"For a uniform sample $d(\mathcal{S}_M)$ is random, with mean $d = d(\mathcal{S})$ and variance "
        r"$\frac{d(1-d)}{m} \frac{U-m}{U-1}$. Averaging the squared distance from $d$ adds this variance.",
        ERROR_OF_STREAM,
        estimate.averaged_error(density, sampled_density()),
        error,
    )
    return replace(step, lines=(f"{ERROR_OF_STREAM} &= {shown[0]}", *(rf"&\quad {one}" for one in shown[1:])))


def coin_steps(
    estimate: CellEstimate, variances: tuple[sp.Expr, sp.Expr, sp.Expr], realised: sp.Expr
) -> tuple[Step, ...]:
    """One cell, the mean of the cells, and the error, when users appear independently with probability ``delta``."""
    of_cell, of_mean, error = variances
    cell = Mixture(coin, estimate.updated, estimate.initial)
    mixed = CellEstimate(cell, cell, estimate.noise)
    return (
        derived(
            "coin_cell",
            r"Let every sampled user appear independently with probability $\delta$. Each cell is then a draw from the "
            r"mixture of the two distributions,",
            r"\operatorname{Var}(b_i)",
            variance(cell),
            of_cell,
        ),
        derived(
            "coin_mean",
            r"The cells are independent, all of one distribution.",
            r"\operatorname{Var}(\hat{d})",
            mixed.variance_of_cells,
            of_mean,
        ),
        derived(
            "coin_error",
            r"The same by way of the density of the sample, which has mean $\delta$ and variance $\delta(1-\delta)/m$:",
            ERROR_OF_COIN,
            estimate.averaged_error(coin, coin_density()),
            error,
        ),
        derived(
            "coin_scaled",
            r"This is the variance of $\hat{d}$ on the scale of the output, plus that of the noise.",
            r"\operatorname{Var}(\tilde{d})",
            mixed.variance_of_cells / estimate.gap**2 + variance(estimate.noise),
            error,
        ),
        derived(
            "coin_realised",
            r"About the density that the users of the sample happen to have, the term $\delta(1-\delta)/m$ is absent, "
            r"as it is for a fixed sample.",
            r"E[(\tilde{d} - d(\mathcal{S}_M))^2]",
            estimate.averaged_error(present, coin_density()),
            realised,
        ),
    )


def coin_reading(
    statement: str, steps: tuple[Step, ...], variances: tuple[sp.Expr, sp.Expr, sp.Expr], realised: sp.Expr
) -> Part:
    """The reading that users appear independently, with the stated variances and the error about the sample."""
    stated = zip((names.of_cell, names.of_mean, names.of_output), variances, strict=True)
    return Part(
        Role.READING,
        "users who appear by independent coins",
        statement,
        steps,
        formal=symbolic(
            *(sp.Eq(name, value, evaluate=False) for name, value in stated),
            sp.Eq(names.error_of_coins, variances[2], evaluate=False),
            sp.Eq(names.error_of_sample, realised, evaluate=False),
        ),
    )


def random_order_reading(estimate: CellEstimate, of_cell: sp.Expr, of_mean: sp.Expr, example: Step) -> Part:
    """The reading that only the order of the sample is random, which the printed sum of variances does not survive."""
    between = (present > 0, present < 1)
    return Part(
        Role.READING,
        "a fixed sample in random order",
        r"If only the order of the sample is random, the displayed $\operatorname{Var}(b_i)$ holds, but "
        r"$\operatorname{Var}(\hat{d}) = \frac{1}{m^2} \sum_i \operatorname{Var}(b_i)$ does not for $m \ge 2$ and "
        r"$0 < d(\mathcal{S}_M) < 1$: the bits are not independent.",
        (*random_order_steps(estimate, of_cell, of_mean), example),
        formal=(
            *symbolic(sp.Eq(sp.Symbol("Var_b"), of_cell, evaluate=False)),
            *symbolic(sp.Eq(sp.Symbol("Var_d_hat"), of_mean, evaluate=False)),
            *symbolic(sp.Lt(of_mean, of_cell / m, evaluate=False), given=(*between, sp.Ge(m, 2, evaluate=False))),
        ),
        holds=False,
    )


def random_order_steps(estimate: CellEstimate, of_cell: sp.Expr, of_mean: sp.Expr) -> tuple[Step, ...]:
    """A fixed sample in random order: each cell alone is a mixture, but the cells are not independent."""
    # Of the m places k hold a user who has appeared; of the m(m - 1) pairs of places k(k - 1) hold two of them.
    appeared = m * present
    one, both = appeared / m, appeared * (appeared - 1) / (m * (m - 1))
    low, high = mean(estimate.initial), mean(estimate.updated)
    product = both * high**2 + 2 * (one - both) * high * low + (1 - 2 * one + both) * low**2
    cell = Mixture(one, estimate.updated, estimate.initial)
    covariance = product - mean(cell) ** 2
    sum_of_squares = (m * variance(cell) + m * (m - 1) * covariance) / m**2
    return (
        derived(
            "order_cell",
            r"Let the fixed sample be put in random order. The user in place $i$ has appeared with probability "
            r"$d(\mathcal{S}_M)$,",
            r"\operatorname{Var}(b_i)",
            variance(cell),
            of_cell,
        ),
        derived(
            "order_covariance",
            r"Two places hold two different users: for $i \ne j$ both have appeared with probability "
            r"$d(\mathcal{S}_M) \frac{m d(\mathcal{S}_M) - 1}{m - 1}$, and",
            r"\operatorname{Cov}(b_i, b_j)",
            covariance,
            -present * (1 - present) * sp.factor(high - low) ** 2 / (m - 1),
        ),
        derived(
            "order_mean",
            r"The mean does not depend on the order. With the covariances its variance is that for a fixed order; "
            r"without them it is too large.",
            r"\operatorname{Var}(\hat{d})",
            sum_of_squares,
            of_mean,
        ),
    )
