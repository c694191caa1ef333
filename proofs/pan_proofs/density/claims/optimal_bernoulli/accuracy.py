"""Theorem 4.3 of the paper: how many users the estimator with the optimal pair of bits must sample."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_sizes import (
    logarithms,
    long_log,
    order_for_small_beta,
    size_bounds,
    slope,
    stated_order_for_small_beta,
)
from pan_proofs.density.lemmas.accuracy.accuracy_statements import (
    stated_explicit,
    stated_shares,
    stated_sizes,
    stated_tails,
)
from pan_proofs.density.lemmas.accuracy.accuracy_steps import (
    IN_WORDS,
    averaging,
    goals_add_up,
    plain,
    sizes_needed,
    split,
)
from pan_proofs.density.lemmas.accuracy.accuracy_terms import PAIRS, accuracy_terms
from pan_proofs.density.lemmas.accuracy.cells_given_density import (
    bound_given_density,
    cells_given_density,
    stated_dependence,
)
from pan_proofs.density.lemmas.accuracy.ratios_of_sizes import (
    ratio_of_optimal_sizes,
    ratio_of_sizes,
    stated_ratios,
)
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.foundations.displayed_steps import equality
from pan_proofs.foundations.exact_tails import poisson_binomial, two_sided_tail
from pan_proofs.foundations.hoeffding_bound import laplace_tail, two_sided
from pan_proofs.foundations.sums_over_terms import stated_mean
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m, t
from pan_proofs.ledger.steps import below_on_box, compared, counterexample, lemma

_half = sp.Rational(1, 2)
_tanh = sp.tanh(epsilon / 2)
_p2 = sp.Symbol("p_2")
_cells = 2 * sp.exp(-2 * m * _tanh**2 * alpha**2 * delta_1**2 * (1 - delta_2) ** 2)
_sizes = (
    sp.log(2 / (beta * delta_3)) / (2 * alpha**2 * (1 - delta_1) ** 2),
    sp.log(2 / (beta * delta_4)) / (2 * _tanh**2 * alpha**2 * delta_1**2 * (1 - delta_2) ** 2),
    sp.log(1 / (beta * (1 - delta_3 - delta_4))) / (epsilon * alpha * delta_1 * delta_2),
)


def optbern_accuracy() -> Claim:
    """The changed bound, the sizes that suffice, and the comparison with the fair first bit."""
    return Claim(
        id="density.optbern_accuracy",
        title="Accuracy of the estimator with the optimal pair",
        references=(
            Reference("paper", "Theorem 4.3, section 4.3"),
            Reference("thesis", "Theorem 4.6, section 4.3.3", "spells the proof out, with the series of the tangent"),
        ),
        statement=r"If $m = O\left(\frac{1}{\varepsilon^2\alpha^2}\log\frac1\beta\right)$ users are sampled, then "
        r"$P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$. With $t = \tanh(\varepsilon/2)$: "
        r"$p_2 \le 2e^{-2mt^2\alpha^2\delta_1^2(1-\delta_2)^2}$, and $p_2 \le \delta_4\beta$ just for $m \ge m_2 = "
        r"\frac{\log(2/(\beta\delta_4))}{2t^2\alpha^2\delta_1^2(1-\delta_2)^2}$; "
        r"$\tanh(\frac x2) = \frac x2 - \frac{x^3}{24} + O(x^5)$. The sample size is half an order of magnitude below "
        r"that of the estimator with the fair first bit.",
        notation=(
            ("$b_1$, $b_2$", "bits of the two users of the sample"),
            ("$r_1$, $r_2$, $r_3$", r"rates $r$ of the three bounds $c\,e^{-rm}$"),
            (
                r"$m^*_{\mathrm{fair}}$, $m^*_{\mathrm{opt}}$",
                "optimal sizes of the fair first bit and of the optimal pair",
            ),
            ("$c$", r"threshold of the event about $\hat d$, or a factor of a bound $c\,e^{-rm}$"),
        ),
        hypotheses=(
            r"$0 < \varepsilon \le \frac12$",
            r"$\delta_i \in (0,1)$, $\delta_3 + \delta_4 < 1$",
            r"the stream is fixed; the sample is random, without replacement",
        ),
        silent=(
            r"$m$ is an integer and $m \le U$",
            r"$0 < \alpha \le 1$ and $0 < \beta < 1$; the order fails as $\beta \to 1$, as for the fair first bit",
            r"accuracy and failure probability of the figure that compares the sizes are not given in what is left of "
            r"it",
        ),
        in_words=IN_WORDS,
        uses=(
            "density.union_lemma",
            "density.dwork_accuracy",
            "density.optimal_sample_size",
            "lemma.hoeffding",
            "lemma.hoeffding_without_replacement",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the bound on the cells",
                r"$p_2 \le 2e^{-2mt^2\alpha^2\delta_1^2(1-\delta_2)^2}$; $p_1$ and $p_3$ are bounded as before.",
                (*split("optimal"), *_bounds()),
                formal=stated_tails("optimal", 1, _cells),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "independence of the bits given the density",
                r"The proof takes over the remark that the bits are independent given $d(\mathcal{S}_M)$. They are "
                r"not.",
                (_given_the_density(),),
                formal=stated_dependence(),
            ),
            Part(
                Role.AMENDED,
                "independence given the sample",
                r"Given the sample the bits are independent; so the bound on $p_2$ holds given the sample, and with it "
                r"the displayed bound given $d(\mathcal{S}_M)$.",
                (bound_given_density(),),
                formal=stated_mean(_cells),
            ),
            Part(
                Role.READING,
                "the equivalence, to the letter",
                r"Read of the probability itself it is false: $p_2 \le \delta_4\beta$ does not imply $m \ge m_2$.",
                (_small_p2(),),
                formal=symbolic(le(_p2, delta_4 * beta), lt(m, _sizes[1]), where=_ONE_OF_TWO),
                holds=False,
            ),
            Part(
                Role.PUBLISHED,
                "the equivalence, and sizes that suffice",
                r"In our reading the equivalence is about the bound on $p_2$, not about $p_2$: the bound is at most "
                r"$\delta_4\beta$ if and only if $m \ge m_2$. With the same for $p_1$ and $p_3$, "
                r"$\max(m_1,m_2,m_3) \le m \le U$ implies $P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$.",
                (*sizes_needed("optimal", _sizes), goals_add_up()),
                formal=(*stated_sizes("optimal", _sizes), *stated_shares()),
                ours=True,
            ),
            Part(
                Role.AMENDED,
                "an explicit size",
                r"For $0 < \varepsilon \le \frac12$, $0 < \alpha \le 1$ and $0 < \beta < 1$ it suffices that "
                r"$\frac{11}{10\,t^2\alpha^2}\log\frac6\beta \le m \le U$; for every $\varepsilon > 0$ it suffices "
                r"that $\frac{8}{t^2\alpha^2}\log\frac6\beta \le m \le U$. Then $m$ is at least $m_1$, $m_2$ and $m_3$ "
                r"at $\delta_3 = \delta_4 = \frac13$ and $\delta_1 = \frac45$, $\delta_2 = \frac{3}{20}$, or "
                r"$\delta_1 = \delta_2 = \frac12$.",
                _explicit(),
                formal=(
                    *stated_explicit(
                        "optimal",
                        11 * sp.log(6 / beta) / (10 * (_tanh * alpha) ** 2),
                        {delta_1: sp.Rational(4, 5), delta_2: sp.Rational(3, 20)},
                    ),
                    *stated_explicit(
                        "optimal",
                        8 * sp.log(6 / beta) / (_tanh * alpha) ** 2,
                        {delta_1: sp.Rational(1, 2), delta_2: sp.Rational(1, 2)},
                        sp.oo,
                    ),
                ),
            ),
            Part(
                Role.READING,
                "the order for small failure probabilities",
                r"For $\beta \le \frac12$, $\varepsilon \le \frac12$ and $\alpha \le 1$ it suffices that "
                r"$m \ge \frac{17}{\varepsilon^2\alpha^2}\log\frac1\beta$.",
                _order(),
                formal=_stated_order(),
            ),
            Part(
                Role.PUBLISHED,
                "the series of the tangent",
                r"$\tanh(\frac x2) = \frac x2 - \frac{x^3}{24} + O(x^5)$.",
                (_series(),),
                formal=symbolic(eq(sp.Symbol(_REST), sp.Rational(1, 240))),
            ),
            Part(
                Role.READING,
                "half an order of magnitude, as a rounded figure",
                r"At all certified sizes and in the limit the factor is between $10^{1/4}$ and $10^{3/4}$, so that to "
                r"the nearest half order the comparison is true. At equal shares the sizes $m_2$ are in the ratio "
                r"$16t^2/\varepsilon^2$, which decreases from $4$, its limit at $\varepsilon \to 0$, to $3.83\ldots$ "
                r"at $\varepsilon = \frac12$: $0.60$ to $0.58$ orders of magnitude. The optimal sizes $m^*$ for "
                r"$\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$ are in a ratio from $3.8\ldots$ at $\varepsilon = "
                r"\frac{1}{20}$ to $2.9\ldots$ at $\varepsilon = \frac12$: $0.58$ to $0.47$ orders; as $\varepsilon "
                r"\to 0$ their ratio tends to $4$ as well. In the formulas $m^*_1$ and $m^*_2$ are the optimal sizes "
                r"of the fair first bit and of the optimal pair, $L = \log \frac1\beta$, and $q \to 0$ is a share "
                r"that follows $\varepsilon$.",
                (*ratio_of_sizes(), *ratio_of_optimal_sizes()),
                formal=stated_ratios(),
            ),
        ),
    )


def _bounds() -> tuple[Step, ...]:
    terms, other = accuracy_terms("optimal"), accuracy_terms("dwork")
    return (
        equality(
            "bound_2",
            r"Hoeffding's inequality holds for independent bits, given the sample, at the threshold of the cells.",
            r"p_2 \le 2e^{-2mc^2}",
            lambda: two_sided(m, terms.thresholds[1]),
            _cells,
        ),
        averaging(),
        equality(
            "bound_1",
            r"The sample's bound is the same as before,",
            "",
            lambda: two_sided(m, terms.thresholds[0]),
            other.sampling,
            lines=(r"p_1 &\le 2e^{-2m\alpha^2(1-\delta_1)^2}",),
        ),
        equality(
            "probability_3",
            r"The probability for the noise is the same too.",
            "",
            lambda: laplace_tail(1 / (epsilon * m), terms.thresholds[2]),
            other.noise,
            lines=(r"p_3 &= e^{-\varepsilon\alpha m\delta_1\delta_2}",),
        ),
    )


def _given_the_density() -> Step:
    return cells_given_density(
        "given_the_density",
        r"With $e^\varepsilon = \frac32$ the bits are one with probability $\frac25$ and $\frac35$.",
        Fraction(2, 5),
        Fraction(3, 5),
        r"P(b_1 = b_2 = 1) = \tfrac{6}{25} &\ne \tfrac14 = P(b_1 = 1)\,P(b_2 = 1)",
    )


_ONE_OF_TWO = {m: 2, epsilon: sp.log(sp.Rational(3, 2)), alpha: _half, delta_1: _half, delta_2: _half}
_ONE_OF_TWO |= {beta: sp.Rational(3, 4), delta_4: sp.Rational(2, 3)}


def _small_p2() -> Step:
    values = dict(_ONE_OF_TWO)
    at = {epsilon: values[epsilon]}
    before, after = (Fraction(str(sp.nsimplify(one.subs(at).rewrite(sp.exp)))) for one in PAIRS["optimal"])
    threshold = 2 * accuracy_terms("optimal").thresholds[1].subs(values).rewrite(sp.exp)
    tail = two_sided_tail(poisson_binomial([before, after]), before + after, Fraction(str(sp.nsimplify(threshold))))
    return counterexample(
        "one_of_two",
        r"Two users, one of which appears; $e^\varepsilon = \frac32$, so that $t = \frac15$ and the bits are one with "
        r"probability $\frac25$ and $\frac35$; $\alpha = \delta_1 = \delta_2 = \frac12$, $\beta = \frac34$, "
        r"$\delta_4 = \frac23$. The sum of the bits is exactly $1$, its expectation, with probability $\frac{13}{25}$.",
        ge(m, _sizes[1]),
        values | {_p2: sp.Rational(tail.numerator, tail.denominator)},
        hypotheses=(
            le(_p2, delta_4 * beta),
            epsilon <= _half,
            gt(_sizes[1], 1100),
        ),
        lines=(r"p_2 = \tfrac{12}{25} \le \tfrac12 = \delta_4\beta,\quad m = 2 &< 1100 < m_2",),
    )


def _below_half() -> Step:
    return lemma(
        "tangent",
        r"For $y \ge 0$, $\tanh y \le y$; so $t \le \varepsilon/2$.",
        next(one for one in analytic_lemmas() if "tanh" in one.name),
        (r"0 < t &\le \varepsilon/2",),
    )


def _explicit() -> tuple[Step, ...]:
    eps, acc = plain[epsilon], plain[alpha]
    near_one = {delta_1: sp.Rational(4, 5), delta_2: sp.Rational(3, 20)}
    halves = {delta_1: _half, delta_2: _half}
    known = (slope > 0, slope <= eps / 2)
    small, large = (factor * long_log / (slope * acc) ** 2 for factor in (sp.Rational(11, 10), sp.Integer(8)))
    return (
        logarithms(),
        _below_half(),
        equality(
            "below_one",
            r"Besides $t < 1$:",
            r"1 - t",
            1 - _tanh,
            2 / (sp.exp(epsilon) + 1),
        ),
        *size_bounds("optimal", "near_one", near_one, small, (*known, eps <= _half), {eps: _half, slope: _half / 2}),
        *size_bounds(
            "optimal", "halves", halves, large, (*known, slope < 1), {eps: sp.Integer(2), slope: sp.Integer(1)}
        ),
    )


def _order() -> tuple[Step, ...]:
    """``t >= 0.489 epsilon`` up to one half, so that the explicit size is of the order in epsilon."""
    least = _SLOPE_AT_HALF
    return (
        compared(
            "slope_at_half",
            r"As is shown below, $t/\varepsilon$ decreases; so it is at least its value at $\varepsilon = \frac12$:",
            gt(2 * sp.tanh(sp.Rational(1, 4)), least),
            lines=(r"t/\varepsilon \ge 2\tanh\tfrac14 &> \tfrac{489}{1000}",),
        ),
        below_on_box(
            "slope_below_half",
            r"Balls show it from $\frac{3}{10}$ on; below, $e^\varepsilon > 1 + \varepsilon + \frac{\varepsilon^2}{2}$ "
            r"suffices.",
            least * epsilon,
            _tanh,
            {epsilon: (sp.Rational(3, 10), _half)},
            closest={epsilon: _half},
            weaker=sp.Rational(99, 100),
            lines=(r"\tfrac{489}{1000}\,\varepsilon &< t \qquad (\tfrac{3}{10} \le \varepsilon \le \tfrac12)",),
        ),
        *order_for_small_beta(sp.Rational(11, 10) / least**2, 17),
    )


_SLOPE_AT_HALF = sp.Rational(489, 1000)


def _stated_order() -> tuple[str, ...]:
    """The slope of the tangent, and that a size of the order is one that suffices."""
    factor = sp.Rational(11, 10) / _SLOPE_AT_HALF**2
    return (
        *symbolic(ge(_tanh, _SLOPE_AT_HALF * epsilon), given=(epsilon <= _half,)),
        *symbolic(
            le(sp.Rational(11, 10) / (t * alpha) ** 2, factor / (epsilon * alpha) ** 2),
            given=(ge(t, _SLOPE_AT_HALF * epsilon),),
        ),
        *stated_order_for_small_beta(factor / (epsilon * alpha) ** 2, 17 / (epsilon * alpha) ** 2),
    )


_series_variable = sp.Symbol("x", real=True)
_REST = r"\lim_{x \to 0} \frac{\tanh(\frac x2) - \frac x2 + \frac{x^3}{24}}{x^5}"


def _series() -> Step:
    x = _series_variable
    return equality(
        "series",
        r"The rest after the Taylor polynomial of degree $4$, over $x^5$, has a limit, so that it is $O(x^5)$.",
        _REST,
        lambda: sp.limit((sp.tanh(x / 2) - x / 2 + x**3 / 24) / x**5, x, 0),
        sp.Rational(1, 240),
    )


CLAIMS = {"density.optbern_accuracy": optbern_accuracy}
