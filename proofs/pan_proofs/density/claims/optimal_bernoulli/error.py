"""Theorem 4.2 of the paper: bias and mean squared error of the optimal Bernoulli estimator."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.errors import error_names as names
from pan_proofs.density.lemmas.errors.error_readings import (
    coin_reading,
    coin_steps,
    over_samples_step,
    random_order_reading,
)
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
from pan_proofs.density.lemmas.errors.published_estimates import (
    half,
    optimal_bernoulli,
    optimal_bits,
    variance_by_outcomes,
)
from pan_proofs.foundations.distributions import variance
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import displayed
from pan_proofs.ledger.notation import density, epsilon, m, present, t, universe, x
from pan_proofs.ledger.steps import counterexample, equal, lemma

BOUND = 1 / (4 * m * t**2) + 2 / (m**2 * epsilon**2)
"""The statement of the theorem about the mean squared error."""

_noise = 2 / (m**2 * epsilon**2)
_of_bit = (1 - t**2) / 4
_tested = {m: 2, present: half, t: sp.Rational(1, 5), epsilon: sp.log(sp.Rational(3, 2))}


def printed_variances(share: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """The displayed variances of a bit, of the mean of the bits, and of the output."""
    return (
        _of_bit + share * (1 - share) * t**2,
        (1 - t**2) / (4 * m) + share * (1 - share) * t**2 / m,
        (1 - t**2) / (4 * m * t**2) + share * (1 - share) / m + _noise,
    )


true_error = (1 - t**2) / (4 * m * t**2) + _noise
"""The variance of the output for a fixed sample, whatever its density."""


def optbern_error() -> Claim:
    """The theorem, and the equalities of its proof, under each reading."""
    return Claim(
        id="density.optbern_error",
        title="Error of the optimal Bernoulli estimator",
        references=(
            Reference("paper", "Theorem 4.2, section 4.2, and its proof, appendix B"),
            Reference("thesis", "Theorem 4.5, section 4.3.3", "the same displays"),
        ),
        statement=r"Let $t = \tanh(\varepsilon/2)$. For a fixed sample $M$ the output of Algorithm 2 is unbiased for "
        r"$d(\mathcal{S}_M)$, and $E[(\tilde{d} - d(\mathcal{S}_M))^2] \le \frac{1}{4mt^2} + "
        r"\frac{2}{m^2\varepsilon^2}$. Displayed in the proof, with $d = d(\mathcal{S}_M)$: "
        r"$\operatorname{Var}(b_i) = \frac{1-t^2}{4} + d(1-d)t^2$, "
        r"$\operatorname{Var}(\hat{d}) = \frac{1-t^2}{4m} + \frac{d(1-d)}{m}t^2$, and "
        r"$\operatorname{Var}(\tilde{d}) = \frac{1}{4m}\left(\frac{1}{t^2} - 1\right) + \frac{d(1-d)}{m} + "
        r"\frac{2}{m^2\varepsilon^2}$.",
        notation=(("$i$, $j$", "places of the sample"),),
        hypotheses=(r"the sample $M$ is fixed",),
        silent=(
            r"the bits of different users and the noise are independent",
            r"the proof takes the presence of a sampled user for a coin with probability $d(\mathcal{S}_M)$, "
            r"independent for different users, although stream and sample are fixed",
        ),
        uses=("general_error.two_kinds",),
        parts=(_unbiased(), _bound(), _counterexample(), _fixed_sample(), _uniform_sample(), _coins(), _random_order()),
        remark=r"For a fixed sample the two kinds of bits have the same variance, so that the error depends neither on "
        r"the stream nor on the sample. The displays add a term that belongs to users who appear at random; the bound "
        r"pays for it with $\frac{1}{4m}$. About the density of the stream the term returns in part, and there the "
        r"bound is attained.",
    )


def _unbiased() -> Part:
    average = (1 - t) / 2 + t * present
    return Part(
        Role.PUBLISHED,
        "unbiased",
        r"For every stream and every sample, $E[\hat{d}] = \frac{1-t}{2} + t\,d(\mathcal{S}_M)$ and "
        r"$E[\tilde{d}] = d(\mathcal{S}_M)$.",
        unbiased_steps(optimal_bernoulli(), average),
        formal=symbolic(sp.Eq(sp.Symbol("E_d_hat"), average), sp.Eq(names.output_given, present, evaluate=False)),
    )


def _bound() -> Part:
    scaled = 4 * m * t**2
    error = optimal_bernoulli().error(present)
    return Part(
        Role.PUBLISHED,
        "the bound",
        r"$E[(\tilde{d} - d(\mathcal{S}_M))^2] \le \frac{1}{4mt^2} + \frac{2}{m^2\varepsilon^2}$ for every stream and "
        r"every sample. Equality is never attained: the bound exceeds the error by $\frac{1}{4m}$.",
        (
            derived(
                "bound_gap",
                r"The bound less the error for a fixed sample, which is derived below:",
                r"\frac{1}{4mt^2} + \frac{2}{m^2\varepsilon^2} - E[(\tilde{d} - d(\mathcal{S}_M))^2]",
                BOUND - error,
                1 / (4 * m),
            ),
            bounded(
                "bound",
                r"So the error is below the bound. Both sides times $4mt^2$ are polynomials in $t$; they come together "
                r"as $t \to 0$.",
                sp.cancel(error * scaled),
                sp.expand(BOUND * scaled),
                lambda e, size, small: (size >= 1, e > 0, small > 0, small < 1),
                {t: 0, m: 1, epsilon: 1},
                (
                    r"\frac{1}{4m}\left(\frac{1}{t^2} - 1\right) + \frac{2}{m^2\varepsilon^2} &\le "
                    r"\frac{1}{4mt^2} + \frac{2}{m^2\varepsilon^2}",
                ),
            ),
        ),
        formal=symbolic(
            sp.Lt(mean_squared_error, BOUND, evaluate=False),
            sp.Eq(BOUND - mean_squared_error, 1 / (4 * m), evaluate=False),
            given=(t < 1, present <= 1),
            where={mean_squared_error: true_error},
        ),
    )


def _counterexample() -> Part:
    estimate = optimal_bernoulli()
    of_bit, of_mean, of_output = printed_variances(present)
    distributions = optimal_bits()
    average = variance_by_outcomes(distributions)
    output = average / estimate.gap**2 + variance(estimate.noise)
    return Part(
        Role.COUNTEREXAMPLE,
        "the displayed variances",
        r"Let $e^\varepsilon = \frac32$, $m = 2$, and let one of the two sampled users have appeared, so that "
        r"$d(\mathcal{S}_M) = \frac12$. None of the three displayed variances is right.",
        (
            _parameters(),
            *(
                _differs(f"bit_{name}", text, quantity, variance_by_outcomes((distribution,)), of_bit, line)
                for distribution, quantity, name, text, line in zip(
                    distributions,
                    (names.of_absent, names.of_appeared),
                    ("absent", "appeared"),
                    (r"The bit of the user who has not appeared:", r"The bit of the other user:"),
                    (
                        r"\operatorname{Var}(b_1) = \tfrac25 \cdot \tfrac35 = \tfrac{6}{25} &\ne \tfrac14",
                        r"\operatorname{Var}(b_2) = \tfrac35 \cdot \tfrac25 = \tfrac{6}{25} &\ne \tfrac14",
                    ),
                    strict=True,
                )
            ),
            _differs(
                "mean_of_bits",
                r"The sum over the four outcomes of the two bits gives, for their mean,",
                names.of_mean,
                average,
                of_mean,
                r"\operatorname{Var}(\hat{d}) = \tfrac14 \cdot 2 \cdot \tfrac{6}{25} = \tfrac{3}{25} &\ne \tfrac18",
            ),
            _differs(
                "output",
                r"For the output it is",
                names.of_output,
                output,
                of_output,
                r"\operatorname{Var}(\tilde{d}) = 25 \cdot \tfrac{3}{25} + \tfrac{1}{2\varepsilon^2} &\ne "
                r"\tfrac{25}{8} + \tfrac{1}{2\varepsilon^2}",
            ),
        ),
        formal=symbolic(
            sp.Ne(names.of_absent, of_bit, evaluate=False),
            sp.Ne(names.of_appeared, of_bit, evaluate=False),
            sp.Ne(names.of_mean, of_mean, evaluate=False),
            sp.Ne(names.of_output, of_output, evaluate=False),
            where=_tested,
        ),
    )


def _parameters() -> Step:
    of_exponential = (x - 1) / (x + 1)
    parts = (
        equal("general", "", "", sp.tanh(epsilon / 2), of_exponential.subs(x, sp.exp(epsilon))),
        equal("here", "", "", lambda: of_exponential.subs(x, sp.Rational(3, 2)), _tested[t]),
    )
    return lemma(
        "parameters",
        r"The parameters of the bits are $\frac{1 \mp t}{2} = \frac25, \frac35$, since",
        [obligation for step in parts for obligation in step.obligations],
        lines=(r"t = \tanh\frac{\varepsilon}{2} &= \frac{e^\varepsilon - 1}{e^\varepsilon + 1} = \tfrac15",),
    )


def _differs(name: str, text: str, quantity: sp.Symbol, true: sp.Expr, printed: sp.Expr, line: str) -> Step:
    values = {quantity: lambda: true.subs(_tested), **_tested}
    return displayed(counterexample(name, text, sp.Eq(quantity, printed, evaluate=False), values), line)


def _fixed_sample() -> Part:
    estimate = optimal_bernoulli()
    return Part(
        Role.AMENDED,
        "the variances for a fixed sample",
        r"$\operatorname{Var}(b_i) = \frac{1-t^2}{4}$ whether the user has appeared or not, "
        r"$\operatorname{Var}(\hat{d}) = \frac{1-t^2}{4m}$, and $\operatorname{Var}(\tilde{d}) = "
        r"\frac{1}{4m}\left(\frac{1}{t^2} - 1\right) + \frac{2}{m^2\varepsilon^2}$: the terms with $d(1-d)$ are to be "
        r"left out. This is the mean squared error, not a bound for it.",
        (
            derived(
                "bit_of_absent",
                r"A bit of a user who has not appeared:",
                r"\operatorname{Var}(b_i)",
                variance(estimate.initial),
                _of_bit,
            ),
            derived(
                "bit_of_appeared",
                r"A bit of a user who has appeared:",
                r"\operatorname{Var}(b_i)",
                variance(estimate.updated),
                _of_bit,
            ),
            *fixed_sample_steps(estimate, (1 - t**2) / (4 * m), true_error),
        ),
        formal=symbolic(
            sp.Eq(names.of_absent, _of_bit, evaluate=False),
            sp.Eq(names.of_appeared, _of_bit, evaluate=False),
            sp.Eq(names.of_mean_given, _of_bit / m, evaluate=False),
            sp.Eq(names.error_of_sample, true_error, evaluate=False),
        ),
    )


def _uniform_sample() -> Part:
    estimate = optimal_bernoulli()
    found = estimate.averaged_error(density, sampled_density())
    error = true_error + density * (1 - density) / m * finite_population
    return Part(
        Role.READING,
        "a uniform sample, about the density of the stream",
        r"Let $U \ge 2$. Over a uniform sample without replacement $\tilde{d}$ is unbiased for $d = d(\mathcal{S})$, "
        r"with $E[(\tilde{d} - d)^2] = \frac{1}{4m}\left(\frac{1}{t^2} - 1\right) + \frac{d(1-d)}{m}\frac{U-m}{U-1} + "
        r"\frac{2}{m^2\varepsilon^2}$. The bound of the theorem holds for this error too, and is attained for $m = "
        r"1$, $d = \frac12$.",
        (
            *sampled_density_steps(),
            over_samples_step(
                estimate,
                error,
                r"\frac{1}{4m}\left(\frac{1}{t^2} - 1\right) + \frac{d(1-d)}{m}\frac{U-m}{U-1} + "
                r"\frac{2}{m^2\varepsilon^2}",
            ),
            displayed(
                equal(
                    "gap_over_samples",
                    r"The bound less this error:",
                    "",
                    BOUND - found,
                    1 / (4 * m) - density * (1 - density) / m * finite_population,
                ),
                r"\frac{1}{4mt^2} + \frac{2}{m^2\varepsilon^2} - E[(\tilde{d} - d)^2] &= "
                r"\frac{1}{m}\left(\frac14 - d(1-d)\frac{U-m}{U-1}\right)",
            ),
            bounded(
                "bound_over_samples",
                r"This difference is not negative, as neither factor of the product exceeds its bound:",
                density * (1 - density) * finite_population,
                sp.Rational(1, 4),
                lambda users, d, size: (users >= 2, size >= 1, size <= users, d >= 0, d <= 1),
                {density: half, m: 1, universe: 2},
                (r"d(1-d)\frac{U-m}{U-1} &\le \tfrac14",),
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
        ),
    )


def _coins() -> Part:
    estimate = optimal_bernoulli()
    return coin_reading(
        r"If every sampled user appears independently with probability $\delta$, all three displays hold with $\delta$ "
        r"for $d(\mathcal{S}_M)$. The last is the mean squared error about $\delta$; the bound is attained for "
        r"$\delta = \frac12$. About the density that the sample then has, the error is that of a fixed sample.",
        (
            *coin_steps(estimate, printed_variances(coin), true_error),
            derived(
                "coin_gap",
                r"The bound less the error about $\delta$ is a square:",
                r"\frac{1}{4mt^2} + \frac{2}{m^2\varepsilon^2} - E[(\tilde{d} - \delta)^2]",
                BOUND - estimate.averaged_error(coin, coin_density()),
                (coin - half) ** 2 / m,
            ),
        ),
        printed_variances(coin),
        true_error,
    )


def _random_order() -> Part:
    of_outcomes = sp.Symbol("V", positive=True)
    return random_order_reading(
        optimal_bernoulli(),
        printed_variances(present)[0],
        (1 - t**2) / (4 * m),
        counterexample(
            "order_example",
            r"For $e^\varepsilon = \frac32$, $t = \frac15$, $m = 2$ and one user who has appeared, the sum over "
            r"the outcomes of the two bits gives $\frac{3}{25}$ in either order, and the displayed sum is",
            sp.Eq(of_outcomes, printed_variances(present)[0] / m, evaluate=False),
            {of_outcomes: lambda: variance_by_outcomes(optimal_bits()).subs(t, _tested[t]), **_tested},
            lines=(
                r"\operatorname{Var}(\hat{d}) = \tfrac{3}{25} &\ne \tfrac18 = "
                r"\tfrac14 \left(\tfrac14 + \tfrac14\right)",
            ),
        ),
    )


CLAIMS = {"density.optbern_error": optbern_error}
