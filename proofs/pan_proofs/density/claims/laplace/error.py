"""Theorem 4.8 of the thesis: bias and mean squared error of the Laplace density estimator."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from pan_proofs.density.lemmas.errors.error_comparison import laplace_among_the_others
from pan_proofs.density.lemmas.errors.error_names import density_of_sample, of_mean_given, output_given
from pan_proofs.density.lemmas.errors.error_readings import over_samples_step
from pan_proofs.density.lemmas.errors.error_steps import (
    bounded,
    derived,
    finite_population,
    fixed_sample_steps,
    mean_squared_error,
    sampled_density_steps,
    unbiased_steps,
)
from pan_proofs.density.lemmas.errors.estimate_errors import coin, coin_density, sampled_density
from pan_proofs.density.lemmas.errors.published_estimates import initial_mean, laplace_cells
from pan_proofs.foundations.distributions import Mixture, variance
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.display import displayed
from pan_proofs.ledger.notation import density, epsilon, m, present, scale, universe
from pan_proofs.ledger.steps import counterexample, equal, found

ERROR = 2 * (m + 1) / (m**2 * epsilon**2)
"""The statement of the theorem about the mean squared error."""


def laplace_error() -> Claim:
    """The theorem, and what becomes of it when the sample or the users are random."""
    return Claim(
        id="thesis.laplace_error",
        title="Error of the Laplace density estimator",
        references=(Reference("thesis", "Theorem 4.8, section 4.4.2; comparison in section 4.4"),),
        statement=r"The cells are $\operatorname{Laplace}(\mu_{\mathrm{init}}, b)$ and "
        r"$\operatorname{Laplace}(\mu_{\mathrm{upd}}, b)$ with $b = (\mu_{\mathrm{upd}} - "
        r"\mu_{\mathrm{init}})/\varepsilon$. For a fixed sample $M$ the output of Algorithm 4.3 is unbiased for "
        r"$d(\mathcal{S}_M)$, and $E[(\tilde{d} - d(\mathcal{S}_M))^2] = \frac{2(m+1)}{m^2\varepsilon^2}$, whatever "
        r"the choice of $\mu_{\mathrm{init}}$, $\mu_{\mathrm{upd}}$ and $b$. Displayed in the proof: "
        r"$\operatorname{Var}(x_i) = 2b^2$ and $\operatorname{Var}(\hat{d}) = \frac{2b^2}{m}$. The estimator "
        r"outperforms the one with a fair first bit, and does not match the one with the optimal pair (section 4.4).",
        notation=(
            (
                r"$E_{\mathrm{fair}}$, $E_{\mathrm{Laplace}}$, $E_{\mathrm{opt}}$",
                "mean squared errors with a fair first bit, with Laplace cells, and with the optimal pair",
            ),
        ),
        hypotheses=(r"the sample $M$ is fixed", r"$\mu_{\mathrm{init}} < \mu_{\mathrm{upd}}$"),
        silent=(r"the cells of different users and the noise are independent",),
        uses=("general_error.two_kinds",),
        parts=(_published(), laplace_among_the_others(), _uniform_sample(), _coins()),
        remark=r"The comparison with the other two is one of the errors. The bounds on the probability of an error of "
        r"$\alpha$ are the same as for the estimator with a fair first bit (Theorem 4.9), and so are the sample sizes "
        r"computed from them. Here the source takes the variance of a cell for a user who has, or has not, appeared. "
        r"For the two estimators with bits it takes that of a user who appears by a coin. Comparing its three "
        r"formulas therefore compares two different errors: for a fixed sample those for bits are too large by "
        r"$\frac{d(1-d)}{m}$, $d = d(\mathcal{S}_M)$.",
    )


def _published() -> Part:
    estimate = laplace_cells()
    return Part(
        Role.PUBLISHED,
        "for a fixed sample",
        r"For every stream and every sample $E[\tilde{d}] = d(\mathcal{S}_M)$ and $E[(\tilde{d} - d(\mathcal{S}_M))^2] "
        r"= \frac{2(m+1)}{m^2\varepsilon^2}$; the displays of the proof hold as well.",
        (
            derived(
                "absent",
                r"By integration over the two sides of the centre, for a user who has not appeared,",
                r"\operatorname{Var}(x_i)",
                lambda: variance(estimate.initial),
                2 * scale**2,
            ),
            derived(
                "appeared",
                r"For a user who has appeared, with the centre $\mu_{\mathrm{upd}} = \mu_{\mathrm{init}} + "
                r"\varepsilon b$,",
                r"\operatorname{Var}(x_i)",
                variance(estimate.updated),
                2 * scale**2,
            ),
            *unbiased_steps(estimate, initial_mean + epsilon * scale * present),
            *fixed_sample_steps(estimate, 2 * scale**2 / m, ERROR),
            found(
                "free",
                r"No trace of $\mu_{\mathrm{init}}$, of $b$ or of the density is left in the error.",
                "partial derivatives of the computed error with respect to mu_init, b and d_M",
                lambda: tuple(
                    sp.cancel(sp.diff(estimate.error(present), one)) for one in (initial_mean, scale, present)
                ),
                (sp.S.Zero, sp.S.Zero, sp.S.Zero),
                engine="sympy",
            ),
        ),
        formal=symbolic(
            sp.Eq(output_given, present, evaluate=False),
            sp.Eq(sp.Symbol("Var_x"), 2 * scale**2, evaluate=False),
            sp.Eq(of_mean_given, 2 * scale**2 / m, evaluate=False),
            sp.Eq(mean_squared_error, ERROR),
        ),
    )


def _uniform_sample() -> Part:
    estimate = laplace_cells()
    added = density * (1 - density) / m * finite_population
    found = estimate.averaged_error(density, sampled_density())
    return Part(
        Role.READING,
        "a uniform sample, about the density of the stream",
        r"Let $U \ge 2$. Over a uniform sample without replacement $\tilde{d}$ is unbiased for $d = d(\mathcal{S})$, "
        r"with $E[(\tilde{d} - d)^2] = \frac{2(m+1)}{m^2\varepsilon^2} + \frac{d(1-d)}{m}\frac{U-m}{U-1}$. The "
        r"printed value is below this error if $0 < d < 1$ and $m < U$.",
        (
            *sampled_density_steps(),
            over_samples_step(
                estimate,
                ERROR + added,
                r"\frac{2(m+1)}{m^2\varepsilon^2} + \frac{d(1-d)}{m}\frac{U-m}{U-1}",
            ),
            bounded(
                "above_the_printed",
                r"If $0 < d < 1$ and $m < U$, it is above the printed value.",
                ERROR,
                found,
                lambda users, d, e, size: (size >= 1, size < users, e > 0, d > 0, d < 1),
                {density: 0, m: 1, universe: 2, epsilon: 1},
                (r"\frac{2(m+1)}{m^2\varepsilon^2} &< E[(\tilde{d} - d(\mathcal{S}))^2]",),
                strict=True,
            ),
            displayed(
                counterexample(
                    "not_the_printed",
                    r"With two users, one of whom has appeared, $m = 1$ and $\varepsilon = 1$:",
                    sp.Eq(sp.cancel(found), ERROR, evaluate=False),
                    {universe: 2, m: 1, density: sp.Rational(1, 2), epsilon: 1},
                ),
                r"E[(\tilde{d} - d(\mathcal{S}))^2] = 4 + \tfrac14 &\ne 4",
            ),
        ),
        formal=(
            *symbolic(
                sp.Eq(density_of_sample, density, evaluate=False),
                sp.Eq(mean_squared_error, ERROR + added, evaluate=False),
            ),
            *symbolic(sp.Lt(ERROR, ERROR + added, evaluate=False), given=(density > 0, density < 1, m < universe)),
        ),
        holds=False,
        departs=r"For a fixed sample $M$ the output of Algorithm 4.3 is unbiased for $d(\mathcal{S}_M)$",
    )


def _coins() -> Part:
    estimate = laplace_cells()
    cell = Mixture(coin, estimate.updated, estimate.initial)
    spread = coin * (1 - coin)
    return Part(
        Role.READING,
        "users who appear by independent coins",
        r"If every sampled user appears independently with probability $\delta$, $\operatorname{Var}(x_i) = 2b^2 + "
        r"\delta(1-\delta)\varepsilon^2 b^2$, and the mean squared error about $\delta$ is "
        r"$\frac{2(m+1)}{m^2\varepsilon^2} + \frac{\delta(1-\delta)}{m}$: under the reading that the displays of the "
        r"estimators with bits need, this theorem fails if $0 < \delta < 1$.",
        (
            derived(
                "coin_cell",
                r"A cell is a draw from the mixture of the two distributions:",
                r"\operatorname{Var}(x_i)",
                variance(cell),
                2 * scale**2 + spread * epsilon**2 * scale**2,
            ),
            derived(
                "coin_error",
                r"The density of the sample has the mean $\delta$ and the variance $\delta(1-\delta)/m$.",
                r"E[(\tilde{d} - \delta)^2]",
                estimate.averaged_error(coin, coin_density()),
                ERROR + spread / m,
            ),
            replace(
                equal(
                    "coin_excess",
                    r"So the printed value is too small for this error, by",
                    "",
                    estimate.averaged_error(coin, coin_density()) - ERROR,
                    spread / m,
                ),
                lines=(r"E[(\tilde{d} - \delta)^2] - \frac{2(m+1)}{m^2\varepsilon^2} &= \frac{\delta(1-\delta)}{m}",),
            ),
            displayed(
                counterexample(
                    "coin_not_the_printed",
                    r"With $m = 1$, $\varepsilon = 1$ and a fair coin:",
                    sp.Eq(sp.cancel(estimate.averaged_error(coin, coin_density())), ERROR, evaluate=False),
                    {m: 1, epsilon: 1, coin: sp.Rational(1, 2)},
                ),
                r"E[(\tilde{d} - \delta)^2] = 4 + \tfrac14 &\ne 4",
            ),
        ),
        formal=(
            *symbolic(
                sp.Eq(sp.Symbol("Var_x"), 2 * scale**2 + spread * epsilon**2 * scale**2, evaluate=False),
                sp.Eq(mean_squared_error, ERROR + spread / m, evaluate=False),
            ),
            *symbolic(sp.Lt(ERROR, ERROR + spread / m, evaluate=False), given=(coin > 0, coin < 1)),
        ),
        holds=False,
        departs=r"For a fixed sample $M$ the output of Algorithm 4.3 is unbiased for $d(\mathcal{S}_M)$",
    )


CLAIMS = {"thesis.laplace_error": laplace_error}
