"""Theorem 3.2 of the paper: bias and mean squared error of Dwork's estimator."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.errors import error_names as names
from pan_proofs.density.lemmas.errors.error_readings import (
    coin_reading,
    coin_steps,
    over_samples_step,
    random_order_reading,
)
from pan_proofs.density.lemmas.errors.error_steps import (
    APPEARED,
    bounded,
    derived,
    finite_population,
    fixed_sample_steps,
    mean_squared_error,
    sampled_density_steps,
    unbiased_steps,
)
from pan_proofs.density.lemmas.errors.estimate_errors import coin, sampled_density
from pan_proofs.density.lemmas.errors.published_estimates import dwork, dwork_bits, half, variance_by_outcomes
from pan_proofs.foundations.distributions import variance
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.display import displayed
from pan_proofs.ledger.notation import density, epsilon, m, present, universe
from pan_proofs.ledger.steps import counterexample, equal

BOUND = 2 * (2 * m + 1) / (m**2 * epsilon**2)
"""The statement of the theorem about the mean squared error."""

_noise = 2 / (m**2 * epsilon**2)


def printed_variances(share: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """The displayed variances of a bit, of the mean of the bits, and of the output."""
    return (
        sp.Rational(1, 4) - epsilon**2 * share**2 / 16,
        1 / (4 * m) - epsilon**2 * share**2 / (16 * m),
        4 / (m * epsilon**2) - share**2 / m + _noise,
    )


def true_error(share: sp.Expr) -> sp.Expr:
    """The variance of the output for a fixed sample."""
    return 4 / (m * epsilon**2) - share / m + _noise


def dwork_error() -> Claim:
    """The theorem, and the equalities of its proof, under each reading."""
    return Claim(
        id="density.dwork_error",
        title="Error of Dwork's estimator",
        references=(
            Reference("paper", "Theorem 3.2, section 3.1, and its proof, appendix A"),
            Reference("thesis", "Theorem 4.2, section 4.2.2", "the same displays, by way of its Lemma 4.1"),
        ),
        statement=r"For a fixed sample $M$ the output of Algorithm 1 is unbiased for $d(\mathcal{S}_M)$, and "
        r"$E[(\tilde{d} - d(\mathcal{S}_M))^2] \le \frac{2(2m+1)}{m^2\varepsilon^2}$. Displayed in the proof, with "
        r"$d = d(\mathcal{S}_M)$: $\operatorname{Var}(b_i) = \frac14 - \frac{\varepsilon^2 d^2}{16}$, "
        r"$\operatorname{Var}(\hat{d}) = \frac1{4m} - \frac{\varepsilon^2 d^2}{16m}$, and "
        r"$\operatorname{Var}(\tilde{d}) = \frac{4}{m\varepsilon^2} - \frac{d^2}{m} + \frac{2}{m^2\varepsilon^2}$.",
        notation=(("$i$, $j$", "places of the sample"),),
        hypotheses=(r"the sample $M$ is fixed",),
        silent=(
            r"$\varepsilon \le 2$, so that $\frac12 + \frac{\varepsilon}{4}$ is a probability",
            r"the bits of different users and the noise are independent",
            r"the proof takes the presence of a sampled user for a coin with probability $d(\mathcal{S}_M)$, "
            r"independent for different users, although stream and sample are fixed",
        ),
        uses=("general_error.two_kinds",),
        parts=(_unbiased(), _bound(), _counterexample(), _fixed_sample(), _uniform_sample(), _coins(), _random_order()),
        remark=r"The proof needs no user to be as likely to appear as another, as it supposes: for a fixed stream the "
        r"expectation is an average over the cells. The displayed variances are those of another experiment, in which "
        r"the users are random and the error is taken about their chance of appearing. They exceed the true ones, so "
        r"that the theorem stands.",
    )


def _unbiased() -> Part:
    return Part(
        Role.PUBLISHED,
        "unbiased",
        r"For every stream and every sample, $E[\hat{d}] = \frac12 + \frac{\varepsilon}{4} d(\mathcal{S}_M)$ and "
        r"$E[\tilde{d}] = d(\mathcal{S}_M)$.",
        unbiased_steps(dwork(), half + epsilon / 4 * present),
        formal=symbolic(
            sp.Eq(sp.Symbol("E_d_hat"), half + epsilon / 4 * present),
            sp.Eq(names.output_given, present, evaluate=False),
        ),
    )


def _bound() -> Part:
    return Part(
        Role.PUBLISHED,
        "the bound",
        r"$E[(\tilde{d} - d(\mathcal{S}_M))^2] \le \frac{2(2m+1)}{m^2\varepsilon^2}$ for every stream and "
        r"every sample, with equality if and only if no sampled user has appeared.",
        (
            bounded(
                "bound",
                r"The error for a fixed sample is derived below. It is greatest where nobody has appeared:",
                dwork().error(present),
                BOUND,
                lambda d, e, size: (size >= 1, e > 0, d >= 0, d <= 1),
                {present: 0, m: 1, epsilon: half},
                (
                    r"\frac{4}{m\varepsilon^2} - \frac{d(\mathcal{S}_M)}{m} + \frac{2}{m^2\varepsilon^2} &\le "
                    r"\frac{2(2m+1)}{m^2\varepsilon^2}",
                ),
            ),
            derived(
                "bound_gap",
                r"The bound exceeds the error by",
                r"\frac{2(2m+1)}{m^2\varepsilon^2} - E[(\tilde{d} - d(\mathcal{S}_M))^2]",
                BOUND - dwork().error(present),
                present / m,
            ),
        ),
        formal=symbolic(
            sp.Le(mean_squared_error, BOUND),
            sp.Equivalent(sp.Eq(mean_squared_error, BOUND, evaluate=False), sp.Eq(present, 0, evaluate=False)),
            given=(present <= 1,),
            where={mean_squared_error: true_error(present)},
        ),
    )


def _counterexample() -> Part:
    estimate = dwork()
    of_bit, of_mean, of_output = printed_variances(present)
    at = {m: 2, present: half, epsilon: half}

    def of_bit_of(number: int) -> sp.Expr:
        return variance_by_outcomes((dwork_bits()[number],)).subs(at)

    def of_average() -> sp.Expr:
        return variance_by_outcomes(dwork_bits()).subs(at)

    def of_estimate() -> sp.Expr:
        return of_average() / estimate.gap.subs(at) ** 2 + variance(estimate.noise).subs(at)

    return Part(
        Role.COUNTEREXAMPLE,
        "the displayed variances",
        r"Let $\varepsilon = \frac12$, $m = 2$, and let one of the two sampled users have appeared, so that "
        r"$d(\mathcal{S}_M) = \frac12$. None of the three displayed variances is right.",
        (
            displayed(
                counterexample(
                    "bit_absent",
                    r"The bit of the user who has not appeared is fair; its variance is not the displayed one.",
                    sp.Eq(names.of_absent, of_bit, evaluate=False),
                    {names.of_absent: partial(of_bit_of, 0), **at},
                ),
                r"\operatorname{Var}(b_1) = \tfrac12 \cdot \tfrac12 = \tfrac14 &\ne \tfrac{63}{256}",
            ),
            displayed(
                counterexample(
                    "bit_appeared",
                    r"Nor is that of the other bit.",
                    sp.Eq(names.of_appeared, of_bit, evaluate=False),
                    {names.of_appeared: partial(of_bit_of, 1), **at},
                ),
                r"\operatorname{Var}(b_2) = \tfrac58 \cdot \tfrac38 = \tfrac{15}{64} &\ne \tfrac{63}{256}",
            ),
            displayed(
                counterexample(
                    "mean_of_bits",
                    r"The sum over the four outcomes of the two bits gives, for their mean,",
                    sp.Eq(names.of_mean, of_mean, evaluate=False),
                    {names.of_mean: of_average, **at},
                ),
                r"\operatorname{Var}(\hat{d}) = \tfrac14\left(\tfrac14 + \tfrac{15}{64}\right) = \tfrac{31}{256} "
                r"&\ne \tfrac{63}{512}",
            ),
            displayed(
                counterexample(
                    "output",
                    r"For the output it is",
                    sp.Eq(names.of_output, of_output, evaluate=False),
                    {names.of_output: of_estimate, **at},
                ),
                r"\operatorname{Var}(\tilde{d}) = 64 \cdot \tfrac{31}{256} + 2 = \tfrac{39}{4} &\ne \tfrac{79}{8}",
            ),
        ),
        formal=symbolic(
            sp.Ne(names.of_absent, of_bit, evaluate=False),
            sp.Ne(names.of_appeared, of_bit, evaluate=False),
            sp.Ne(names.of_mean, of_mean, evaluate=False),
            sp.Ne(names.of_output, of_output, evaluate=False),
            where=at,
        ),
    )


def _fixed_sample() -> Part:
    excess = printed_variances(present)[2] - dwork().error(present)
    return Part(
        Role.AMENDED,
        "the variances for a fixed sample",
        r"$\operatorname{Var}(b_i)$ is $\frac14$ if the user has not appeared and $\frac14 - \frac{\varepsilon^2}{16}$ "
        r"if so. With $d = d(\mathcal{S}_M)$, $\operatorname{Var}(\hat{d}) = \frac{1}{4m} - "
        r"\frac{\varepsilon^2 d}{16m}$ and $\operatorname{Var}(\tilde{d}) = \frac{4}{m\varepsilon^2} - \frac{d}{m} + "
        r"\frac{2}{m^2\varepsilon^2}$: in the last two displays $d^2$ is to be replaced by $d$. Both are too "
        r"large as printed if $0 < d < 1$, the last by $\frac{d(1-d)}{m}$.",
        (
            equal(
                "bit_of_absent",
                r"A bit of a user who has not appeared:",
                r"\operatorname{Var}(b_i)",
                lambda: variance(dwork().initial),
                sp.Rational(1, 4),
            ),
            derived(
                "bit_of_appeared",
                r"A bit of a user who has appeared:",
                r"\operatorname{Var}(b_i)",
                variance(dwork().updated),
                sp.Rational(1, 4) - epsilon**2 / 16,
            ),
            *fixed_sample_steps(dwork(), 1 / (4 * m) - epsilon**2 * present / (16 * m), true_error(present)),
            displayed(
                equal(
                    "excess",
                    r"The displayed variance of the output, less the true one:",
                    "",
                    excess,
                    present * (1 - present) / m,
                ),
                rf"-\frac{{d^2}}{{m}} + \frac{{d}}{{m}} &= \frac{{d(1-d)}}{{m}}, \quad d = {APPEARED}",
            ),
        ),
        formal=_stated_fixed_sample(),
    )


def _stated_fixed_sample() -> tuple[str, ...]:
    """The four variances, and by how much the printed ones of the mean and of the output are too large."""
    _, of_mean, of_output = printed_variances(present)
    true_mean = 1 / (4 * m) - epsilon**2 * present / (16 * m)
    between = (present > 0, present < 1)
    return (
        *symbolic(
            sp.Eq(names.of_absent, sp.Rational(1, 4), evaluate=False),
            sp.Eq(names.of_appeared, sp.Rational(1, 4) - epsilon**2 / 16, evaluate=False),
            sp.Eq(names.of_mean_given, true_mean, evaluate=False),
            sp.Eq(names.error_of_sample, true_error(present), evaluate=False),
        ),
        *symbolic(
            sp.Lt(true_mean, of_mean, evaluate=False),
            sp.Lt(true_error(present), of_output, evaluate=False),
            sp.Eq(of_output - true_error(present), present * (1 - present) / m, evaluate=False),
            given=between,
        ),
    )


def _uniform_sample() -> Part:
    error = true_error(density) + density * (1 - density) / m * finite_population
    return Part(
        Role.READING,
        "a uniform sample, about the density of the stream",
        r"Let $U \ge 2$. Over a uniform sample without replacement $\tilde{d}$ is unbiased for $d = d(\mathcal{S})$, "
        r"with $E[(\tilde{d} - d)^2] = \frac{4}{m\varepsilon^2} - \frac{d}{m} + \frac{d(1-d)}{m}\frac{U-m}{U-1} + "
        r"\frac{2}{m^2\varepsilon^2}$. The bound of the theorem holds for this error too. The displayed variance is "
        r"attained for $m = 1$ and too large for $m > 1$, if $0 < d < 1$.",
        (
            *sampled_density_steps(),
            over_samples_step(
                dwork(),
                error,
                r"\frac{4}{m\varepsilon^2} - \frac{d}{m} + \frac{d(1-d)}{m}\frac{U-m}{U-1} + "
                r"\frac{2}{m^2\varepsilon^2}",
            ),
            bounded(
                "bound_over_samples",
                r"As $(1-d)\frac{U-m}{U-1} \le 1$, the error is at most that of $d = 0$.",
                dwork().averaged_error(density, sampled_density()),
                BOUND,
                lambda users, d, e, size: (users >= 2, size >= 1, size <= users, e > 0, d >= 0, d <= 1),
                {density: 0, m: 1, epsilon: half, universe: 2},
                (r"E[(\tilde{d} - d(\mathcal{S}))^2] &\le \frac{2(2m+1)}{m^2\varepsilon^2}",),
            ),
            derived(
                "displayed_about_stream",
                r"The displayed variance with $d(\mathcal{S})$ in place of $d(\mathcal{S}_M)$ exceeds it by",
                r"-\frac{d^2}{m} + \frac{d}{m} - \frac{d(1-d)}{m}\frac{U-m}{U-1}",
                printed_variances(density)[2] - dwork().averaged_error(density, sampled_density()),
                density * (1 - density) * (m - 1) / (m * (universe - 1)),
            ),
        ),
        formal=(
            *symbolic(
                sp.Eq(names.output_mean, density, evaluate=False),
                sp.Eq(names.error_of_stream, error, evaluate=False),
                given=(universe >= 2,),
            ),
            *symbolic(
                sp.Le(mean_squared_error, BOUND),
                given=(universe >= 2, m <= universe, density <= 1),
                where={mean_squared_error: error},
            ),
            *symbolic(
                sp.Eq(
                    printed_variances(density)[2] - error,
                    density * (1 - density) * (m - 1) / (m * (universe - 1)),
                    evaluate=False,
                ),
                given=(universe >= 2,),
            ),
        ),
    )


def _coins() -> Part:
    return coin_reading(
        r"If every sampled user appears independently with probability $\delta$, all three displays hold with $\delta$ "
        r"for $d(\mathcal{S}_M)$, and the last is the mean squared error about $\delta$. The mean squared error about "
        r"the density that the sample then has is again smaller, $\frac{4}{m\varepsilon^2} - \frac{\delta}{m} + "
        r"\frac{2}{m^2\varepsilon^2}$.",
        coin_steps(dwork(), printed_variances(coin), true_error(coin)),
        printed_variances(coin),
        true_error(coin),
    )


def _random_order() -> Part:
    of_bit, _, _ = printed_variances(present)
    of_outcomes = sp.Symbol("V", positive=True)
    return random_order_reading(
        dwork(),
        of_bit,
        1 / (4 * m) - epsilon**2 * present / (16 * m),
        counterexample(
            "order_example",
            r"For $\varepsilon = \frac12$, $m = 2$ and one user who has appeared, the sum over the outcomes of the "
            r"two bits gives $\frac{31}{256}$ in either order, and the displayed sum is",
            sp.Eq(of_outcomes, of_bit / m, evaluate=False),
            {
                of_outcomes: lambda: variance_by_outcomes(dwork_bits()).subs(epsilon, half),
                m: 2,
                present: half,
                epsilon: half,
            },
            lines=(
                r"\operatorname{Var}(\hat{d}) = \tfrac{31}{256} &\ne \tfrac{63}{512} = "
                r"\tfrac14 \left(\tfrac{63}{256} + \tfrac{63}{256}\right)",
            ),
        ),
    )


CLAIMS = {"density.dwork_error": dwork_error}
