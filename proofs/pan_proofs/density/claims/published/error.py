"""Theorems 3.2 and 4.2 of the paper and 4.8 of the thesis: bias and mean squared error of the published estimators."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.estimate_errors import (
    BITS,
    Bits,
    Row,
    bounded_error,
    coin,
    coin_density,
    coins,
    derivations,
    derived,
    dwork,
    equations,
    finite_population,
    fixed_sample,
    half,
    initial_mean,
    laplace_cells,
    mean_squared_error,
    optimal_bernoulli,
    over_samples,
    random_order,
    sampled_density,
    sampled_density_steps,
    shorter,
    unbiased,
    variance_by_outcomes,
)
from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.relations import eq, ge, lt, ne
from pan_proofs.foundations.distributions import Mixture, variance
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.notation import density, epsilon, m, present, scale, t, tex, universe
from pan_proofs.ledger.steps import bounded, counterexample, equal, found, lemma

_OVER_SAMPLES = density * (1 - density) / m * finite_population
_APPEARED, _STREAM = r"d(\mathcal{S}_M)", r"d(\mathcal{S})"
_NOTATION = (
    ("$i$, $j$", "places of the sample"),
    (r"$\operatorname{Var}_{\mathrm{displayed}}$", "the variance as the printed proof displays it"),
)


def _parts(of: Bits) -> tuple[Part, ...]:
    """The parts of the claim about an estimator with bits."""
    return _unbiased(of), _bound(of), _not_the_displayed(of), _fixed(of), _uniform(of), _coins(of), _order(of)


def _unbiased(of: Bits) -> Part:
    rows = unbiased(of.estimate, of.average)
    return Part(
        Role.PUBLISHED,
        "unbiased",
        rf"For every stream and every sample, $E[\hat{{d}}] = {tex(of.average)}$ and $E[\tilde{{d}}] = {_APPEARED}$.",
        derivations(*rows),
        formal=equations(*rows[:2]),
    )


def _bound(of: Bits) -> Part:
    error, true = of.estimate.error(present), of.true(present)[3]
    gap = sp.cancel(of.bound - true)
    tanh = (t,) if of.bound.has(t) else ()
    return Part(
        Role.PUBLISHED,
        "the bound",
        rf"$E[(\tilde{{d}} - {_APPEARED})^2] \le {tex(of.bound)}$ for every stream and every sample: the bound exceeds "
        rf"the error by ${tex(gap)}$.",
        (
            bounded_error(
                "bound",
                rf"The error for a fixed sample is derived below. Times ${tex(of.scaled)}$ both sides are polynomials "
                r"of the parameters of the bits.",
                sp.cancel(error * of.scaled),
                sp.expand(of.bound * of.scaled),
                (present, epsilon, m, *tanh),
                lambda d, e, size, *tanh: (
                    *(size >= 1, e > 0, d >= 0, d <= 1),
                    *(end for one in tanh for end in (one > 0, one < 1)),
                ),
                (rf"E[(\tilde{{d}} - {_APPEARED})^2] &\le {tex(of.bound)}",),
            ),
            derived(
                "bound_gap",
                r"The bound exceeds the error by",
                rf"{tex(of.bound)} - E[(\tilde{{d}} - {_APPEARED})^2]",
                of.bound - error,
                gap,
            ),
        ),
        formal=symbolic(
            sp.Le(mean_squared_error, of.bound),
            eq(of.bound - mean_squared_error, gap),
            given=(present <= 1, t < 1),
            where={mean_squared_error: true},
        ),
    )


def _not_the_displayed(of: Bits) -> Part:
    average = variance_by_outcomes(of.bits)
    output = average / of.estimate.gap**2 + variance(of.estimate.noise)
    shown = of.displays(present)
    rows = (
        ("bit_absent", r"\operatorname{Var}(b_1)", "The bit of the user who has not appeared:", 0),
        ("bit_appeared", r"\operatorname{Var}(b_2)", "The bit of the other user:", 0),
        ("mean_of_bits", r"\operatorname{Var}(\hat{d})", "The sum over the outcomes of both bits, for their mean:", 1),
        ("output", r"\operatorname{Var}(\tilde{d})", "For the output it is", 2),
    )
    values = [*(variance_by_outcomes((one,)) for one in of.bits), average, output]
    claimed = [eq(sp.Symbol(left), shown[which]) for _, left, _, which in rows]
    return Part(
        Role.COUNTEREXAMPLE,
        "the displayed variances",
        rf"Let ${of.budget}$, $m = 2$, and let one of the two sampled users have appeared, so that ${_APPEARED} = "
        r"\frac12$. None of the three displayed variances is right.",
        tuple(
            counterexample(name, text, relation, {relation.lhs: partial(true.subs, of.example), **of.example})
            for (name, _, text, _), relation, true in zip(rows, claimed, values, strict=True)
        ),
        formal=symbolic(*(ne(*one.args) for one in claimed), where=of.example),
    )


def _fixed(of: Bits) -> Part:
    absent, appeared, of_mean, true = of.true(present)
    printed = of.displays(present)
    excess = present * (1 - present) / m
    rows: tuple[Row, ...] = (
        *(
            (
                f"bit_of_{name}",
                rf"A bit of a user who has {not_}appeared:",
                rf"\operatorname{{Var}}(b_{which})",
                at,
                value,
            )
            for which, name, not_, at, value in (
                (1, "absent", "not ", partial(variance, of.estimate.initial), absent),
                (2, "appeared", "", partial(variance, of.estimate.updated), appeared),
            )
        ),
        *fixed_sample(of.estimate, of_mean, true),
    )
    return Part(
        Role.AMENDED,
        "the variances for a fixed sample",
        rf"The variance of a bit is ${shorter(absent)}$ if the user has not appeared and ${shorter(appeared)}$ if so, "
        rf"$\operatorname{{Var}}(\hat{{d}}) = {shorter(of_mean)}$ and $\operatorname{{Var}}(\tilde{{d}}) = "
        rf"{shorter(true)}$. The last two are too large as printed if $0 < d < 1$, $d = {_APPEARED}$, the output's by "
        r"$\frac{d(1-d)}{m}$.",
        (
            *derivations(*rows),
            derived(
                "excess",
                r"The displayed variance of the output, less the true one:",
                r"\operatorname{Var}_{\mathrm{displayed}}(\tilde{d}) - \operatorname{Var}(\tilde{d})",
                printed[2] - of.estimate.error(present),
                excess,
            ),
        ),
        formal=(
            *equations(*rows),
            *symbolic(
                lt(true, printed[2]),
                lt(of_mean, printed[1]),
                given=(present > 0, present < 1),
            ),
        ),
    )


def _uniform(of: Bits) -> Part:
    error = of.true(density)[3] + _OVER_SAMPLES
    averaged = of.estimate.averaged_error(density, sampled_density())
    excess = density * (1 - density) * (m - 1) / (m * (universe - 1))
    row = over_samples(of.estimate, error)
    tanh = (t,) if of.bound.has(t) else ()
    return Part(
        Role.READING,
        "a uniform sample, about the density of the stream",
        rf"Let $U \ge 2$. Over a uniform sample without replacement $\tilde{{d}}$ is unbiased for $d = {_STREAM}$, "
        rf"with $E[(\tilde{{d}} - d)^2] = {shorter(error)}$. The bound of the theorem holds for this error too. The "
        r"displayed variance is attained for $m = 1$ and too large for $m > 1$, if $0 < d < 1$.",
        (
            *sampled_density_steps(),
            derived(*row),
            bounded_error(
                "bound_over_samples",
                r"As $d(1-d) \le \frac14$ and $(1-d)\frac{U-m}{U-1} \le 1$, it is at most the bound.",
                averaged * of.scaled,
                of.bound * of.scaled,
                (universe, density, epsilon, m, *tanh),
                lambda users, d, e, size, *tanh: (
                    *(users >= 2, size >= 1, size <= users, e > 0, d >= 0, d <= 1),
                    *(end for one in tanh for end in (one > 0, one < 1)),
                ),
                (rf"E[(\tilde{{d}} - {_STREAM})^2] &\le {tex(of.bound)}",),
            ),
            derived(
                "displayed_about_stream",
                rf"The displayed variance with ${_STREAM}$ in place of ${_APPEARED}$ exceeds it by",
                rf"\operatorname{{Var}}_{{\mathrm{{displayed}}}}(\tilde{{d}}) - E[(\tilde{{d}} - {_STREAM})^2]",
                of.displays(density)[2] - averaged,
                excess,
            ),
        ),
        formal=(
            *equations(row),
            *symbolic(
                sp.Le(mean_squared_error, of.bound),
                given=(universe >= 2, m <= universe, density <= 1, t < 1),
                where={mean_squared_error: error},
            ),
            *symbolic(eq(of.displays(density)[2] - error, excess), given=(universe >= 2,)),
        ),
    )


def _coins(of: Bits) -> Part:
    shown, realised = of.displays(coin), of.true(coin)[3]
    rows = coins(of.estimate, *shown, realised)
    gap = sp.factor(of.bound - shown[2])
    rows.append(
        (
            "coin_gap",
            r"The bound less the error about $\delta$ is a square:",
            rf"{tex(of.bound)} - E[(\tilde{{d}} - \delta)^2]",
            of.bound - of.estimate.averaged_error(coin, coin_density()),
            gap,
        )
    )
    return Part(
        Role.READING,
        "users who appear by independent coins",
        r"If every sampled user appears independently with probability $\delta$, all three displays hold with $\delta$ "
        rf"for ${_APPEARED}$, and the last is the mean squared error about $\delta$, less than the bound by "
        rf"${tex(gap)}$. About the density that the sample then has, it is ${shorter(realised)}$.",
        derivations(*rows),
        formal=equations(*rows[:5]),
    )


def _order(of: Bits) -> Part:
    of_bit, of_mean = of.displays(present)[0], of.true(present)[2]
    rows = random_order(of.estimate, of_bit, of_mean)
    outcomes = sp.Symbol("V", positive=True)
    return Part(
        Role.READING,
        "a fixed sample in random order",
        r"If only the order of the sample is random, the displayed $\operatorname{Var}(b_i)$ holds, but "
        r"$\operatorname{Var}(\hat{d}) = \frac{1}{m^2} \sum_i \operatorname{Var}(b_i)$ does not for $m \ge 2$ and "
        rf"$0 < {_APPEARED} < 1$: the bits are not independent.",
        (
            *derivations(*rows),
            counterexample(
                "order_example",
                r"With the values of the counterexample above, the sum $V$ over the outcomes of both bits is the same "
                r"in either order, and not $\frac{1}{m^2} \sum_i \operatorname{Var}(b_i)$.",
                eq(outcomes, of_bit / m),
                {outcomes: partial(variance_by_outcomes(of.bits).subs, of.example), **of.example},
            ),
        ),
        formal=(
            *equations(rows[0], rows[2]),
            *symbolic(
                lt(of_mean, of_bit / m),
                given=(present > 0, present < 1, ge(m, 2)),
            ),
        ),
        holds=False,
    )


_INDEPENDENT = r"the bits of different users and the noise are independent"
_COINS = (
    r"the proof takes the presence of a sampled user for a coin with probability $d(\mathcal{S}_M)$, independent for "
    r"different users, although stream and sample are fixed"
)


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
        notation=_NOTATION,
        hypotheses=(r"the sample $M$ is fixed",),
        silent=(
            r"$\varepsilon \le 2$, so that $\frac12 + \frac{\varepsilon}{4}$ is a probability",
            _INDEPENDENT,
            _COINS,
        ),
        uses=("general_error.two_kinds",),
        parts=_parts(BITS["dwork"]),
        remark=r"The proof needs no user to be as likely to appear as another, as it supposes: for a fixed stream the "
        r"expectation is an average over the cells. The displayed variances are those of another experiment, in which "
        r"the users are random and the error is taken about their chance of appearing. They exceed the true ones, so "
        r"that the theorem stands.",
    )


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
        r"\frac{2}{m^2\varepsilon^2}$. Displayed in the proof, with $d = d(\mathcal{S}_M)$: $\operatorname{Var}(b_i) = "
        r"\frac{1-t^2}{4} + d(1-d)t^2$, $\operatorname{Var}(\hat{d}) = \frac{1-t^2}{4m} + \frac{d(1-d)}{m}t^2$, and "
        r"$\operatorname{Var}(\tilde{d}) = \frac{1}{4m}\left(\frac{1}{t^2} - 1\right) + \frac{d(1-d)}{m} + "
        r"\frac{2}{m^2\varepsilon^2}$.",
        notation=_NOTATION,
        hypotheses=(r"the sample $M$ is fixed",),
        silent=(_INDEPENDENT, _COINS),
        uses=("general_error.two_kinds",),
        parts=_parts(BITS["optimal"]),
        remark=r"For a fixed sample the two kinds of bits have the same variance, so that the error depends neither on "
        r"the stream nor on the sample. The displays add a term that belongs to users who appear at random; the bound "
        r"pays for it with $\frac{1}{4m}$. About the density of the stream the term returns in part, and there the "
        r"bound is attained for $m = 1$, $d = \frac12$.",
    )


_LAPLACE = 2 * (m + 1) / (m**2 * epsilon**2)


def laplace_error() -> Claim:
    """The theorem, and what becomes of it when the sample or the users are random."""
    estimate = laplace_cells()
    spread = coin * (1 - coin)
    of_coins: Row = (
        "coin_error",
        r"The density of the sample has the mean $\delta$ and the variance $\delta(1-\delta)/m$.",
        r"E[(\tilde{d} - \delta)^2]",
        estimate.averaged_error(coin, coin_density()),
        _LAPLACE + spread / m,
    )
    of_cell: Row = (
        "coin_cell",
        r"A cell is a draw from the mixture of the two distributions:",
        r"\operatorname{Var}(x_i)",
        variance(Mixture(coin, estimate.updated, estimate.initial)),
        2 * scale**2 + spread * epsilon**2 * scale**2,
    )
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
        hypotheses=(r"the sample $M$ is fixed", r"$\mu_{\mathrm{init}} < \mu_{\mathrm{upd}}$"),
        silent=(r"the cells of different users and the noise are independent",),
        uses=("general_error.two_kinds",),
        parts=(
            _laplace_of_a_sample(),
            _among_the_others(),
            _larger(
                "a uniform sample, about the density of the stream",
                r"Let $U \ge 2$. Over a uniform sample without replacement $\tilde{d}$ is unbiased for $d = "
                r"d(\mathcal{S})$, with $E[(\tilde{d} - d)^2] = \frac{2(m+1)}{m^2\varepsilon^2} + "
                r"\frac{d(1-d)}{m}\frac{U-m}{U-1}$. The printed value is below this error if $0 < d < 1$ and $m < U$.",
                over_samples(estimate, _LAPLACE + _OVER_SAMPLES),
                given=(density > 0, density < 1, m < universe),
                example={universe: 2, m: 1, density: half, epsilon: 1},
            ),
            _larger(
                "users who appear by independent coins",
                r"If every sampled user appears independently with probability $\delta$, $\operatorname{Var}(x_i) = "
                r"2b^2 + \delta(1-\delta)\varepsilon^2 b^2$, and the mean squared error about $\delta$ is "
                r"$\frac{2(m+1)}{m^2\varepsilon^2} + \frac{\delta(1-\delta)}{m}$: under the reading that the displays "
                r"of the estimators with bits need, this theorem fails if $0 < \delta < 1$.",
                of_coins,
                of_cell,
                given=(coin > 0, coin < 1),
                example={m: 1, epsilon: 1, coin: half},
            ),
        ),
        remark=r"The comparison with the other two is one of the errors. The bounds on the probability of an error of "
        r"$\alpha$ are the same as for the estimator with a fair first bit (Theorem 4.9), and so are the sample sizes "
        r"computed from them. Here the source takes the variance of a cell for a user who has, or has not, appeared. "
        r"For the two estimators with bits it takes that of a user who appears by a coin. Comparing its three "
        r"formulas therefore compares two different errors: for a fixed sample those for bits are too large by "
        r"$\frac{d(1-d)}{m}$, $d = d(\mathcal{S}_M)$.",
    )


def _laplace_of_a_sample() -> Part:
    estimate = laplace_cells()
    of_cell = (r"\operatorname{Var}(x_i)", 2 * scale**2)
    rows = (
        (
            "absent",
            r"By integration over the two sides of the centre, for a user who has not appeared,",
            of_cell[0],
            lambda: variance(estimate.initial),
            of_cell[1],
        ),
        *unbiased(estimate, initial_mean + epsilon * scale * present)[1:],
        *fixed_sample(estimate, 2 * scale**2 / m, _LAPLACE),
    )
    return Part(
        Role.PUBLISHED,
        "for a fixed sample",
        r"For every stream and every sample $E[\tilde{d}] = d(\mathcal{S}_M)$ and $E[(\tilde{d} - d(\mathcal{S}_M))^2] "
        r"= \frac{2(m+1)}{m^2\varepsilon^2}$, in which no trace of $\mu_{\mathrm{init}}$, of $b$ or of the density is "
        r"left; the displays of the proof hold as well.",
        (
            *derivations(*rows),
            derived(
                "appeared",
                r"For a user who has appeared, with the centre $\mu_{\mathrm{upd}} = \mu_{\mathrm{init}} + "
                r"\varepsilon b$,",
                of_cell[0],
                variance(estimate.updated),
                of_cell[1],
            ),
            found(
                "free",
                r"The error depends on neither parameter of the cells, nor on the density.",
                "partial derivatives of the computed error with respect to mu_init, b and d_M",
                lambda: tuple(
                    sp.cancel(sp.diff(estimate.error(present), one)) for one in (initial_mean, scale, present)
                ),
                (sp.S.Zero, sp.S.Zero, sp.S.Zero),
                engine="sympy",
            ),
        ),
        formal=(*equations(*rows[:2], rows[3]), *symbolic(sp.Eq(mean_squared_error, _LAPLACE))),
    )


def _larger(
    title: str,
    statement: str,
    row: Row,
    *more: Row,
    given: tuple[sp.Basic, ...],
    example: dict[sp.Symbol, sp.Expr | int],
) -> Part:
    """A reading in which the sample's density varies: what is printed is less than the error."""
    error = row[-1]
    added = error - _LAPLACE
    before = sampled_density_steps() if error.has(universe) else ()
    return Part(
        Role.READING,
        title,
        statement,
        (
            *before,
            *derivations(*more, row),
            counterexample(
                f"{row[0]}_example",
                r"For instance, the printed value is not this error:",
                eq(sp.cancel(row[3]), _LAPLACE),
                example,
            ),
        ),
        formal=(
            *equations(*more, row),
            *symbolic(lt(_LAPLACE, _LAPLACE + added), given=given),
        ),
        holds=False,
        departs=r"For a fixed sample $M$ the output of Algorithm 4.3 is unbiased for $d(\mathcal{S}_M)$",
    )


def _among_the_others() -> Part:
    """The three errors for the same fixed sample: times m, and without the noise of the output."""
    laplace, fair = 2 / epsilon**2, 4 / epsilon**2 - present
    optimal, hyperbolic = (1 - t**2) / (4 * t**2), 1 / (4 * sp.sinh(epsilon / 2) ** 2)
    share, sine, budget = sp.symbols("d_M s epsilon", real=True)
    above = sp.Symbol("y", positive=True)
    return Part(
        Role.PUBLISHED,
        "its error among the others",
        r"For the same fixed sample and $0 < \varepsilon \le \frac12$ the mean squared error is below that of the "
        r"estimator with a fair first bit: per user $\frac{2}{\varepsilon^2} < \frac{4}{\varepsilon^2} - "
        r"d(\mathcal{S}_M)$. For every $\varepsilon > 0$ it is above that of the estimator with the optimal pair: with "
        r"$t = \tanh(\varepsilon/2)$, $\frac{1-t^2}{4t^2} < \frac{1}{\varepsilon^2} < \frac{2}{\varepsilon^2}$.",
        (
            *(
                equal(
                    f"gap_to_the_{name}",
                    rf"The noise of the output is the same in all three. The error {less}, times $m$, is",
                    "",
                    sp.expand(m * difference),
                    value,
                )
                for name, less, difference, value in (
                    (
                        "fair_bit",
                        "with a fair first bit less that with Laplace cells",
                        dwork().error(present) - laplace_cells().error(present),
                        fair - laplace,
                    ),
                    (
                        "optimal_pair",
                        "with Laplace cells less that with the optimal pair",
                        laplace_cells().error(present) - optimal_bernoulli().error(present),
                        laplace - optimal,
                    ),
                )
            ),
            bounded(
                "below_the_fair_bit",
                r"The first difference is positive, since",
                lt(share, 2 / budget**2),
                share >= 0,
                share <= 1,
                budget > 0,
                budget <= half,
                gap=sp.Rational(1, 8),
                weaker=sp.Rational(1, 9),
            ),
            equal(
                "optimal_by_sinh",
                r"For the second, with $1 - \tanh^2 = 1/\cosh^2$:",
                "",
                optimal.subs(t, sp.tanh(epsilon / 2)),
                hyperbolic,
            ),
            lemma(
                "sinh_above",
                r"For $y > 0$, $\sinh y > y$: the difference vanishes at $0$ and its derivatives are positive.",
                positive_for_positive(
                    "laplace_error.sinh",
                    above,
                    (sp.sinh(above) - above, sp.cosh(above) - 1, sp.sinh(above)),
                    (sp.Integer(1), sp.Integer(1)),
                ),
                lines=(r"\sinh\tfrac\varepsilon2 &> \tfrac\varepsilon2",),
            ),
            bounded(
                "optimal_below_one",
                r"So, with $s = \sinh\frac\varepsilon2$, it is less than half of what Laplace cells give:",
                lt(1 / (4 * sine**2), 1 / budget**2),
                budget > 0,
                sine > budget / 2,
            ),
        ),
        formal=(
            *symbolic(sp.Lt(laplace, fair), given=(present <= 1, epsilon <= half)),
            *symbolic(sp.Eq(optimal, hyperbolic), where={t: sp.tanh(epsilon / 2)}),
            *symbolic(sp.Lt(hyperbolic, 1 / epsilon**2)),
        ),
    )


CLAIMS = {
    "density.dwork_error": dwork_error,
    "density.optbern_error": optbern_error,
    "thesis.laplace_error": laplace_error,
}
