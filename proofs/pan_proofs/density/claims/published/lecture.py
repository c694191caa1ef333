"""Theorem 6 of the lecture: the failure probability at its sample size, and the expectations in the proof."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.density.lemmas.accuracy_terms import PAIRS, accuracy_terms, bounds_of, rate
from pan_proofs.density.lemmas.estimate_errors import (
    averaged,
    derivations,
    dwork,
    half,
    sampled_density,
    sampled_density_steps,
)
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.foundations.distributions import mean
from pan_proofs.foundations.exact_tails import hypergeometric, poisson_binomial, two_sided_tail
from pan_proofs.foundations.hoeffding_bound import laplace_tail, one_sided, two_sided
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, density, epsilon, m, present, universe
from pan_proofs.ledger.steps import below_on_box, bounded, compared, counterexample, equal

_error = sp.Symbol("P_error", nonnegative=True)
_sample, _bits, _noise = sp.symbols("P_1 P_2 P_3")
"""The exact probabilities in the examples; the third is that of the noise."""
_ONE_USER = {m: 1, alpha: 1, epsilon: half, beta: sp.exp(-sp.Rational(1, 800))}
_THREE_USERS = {m: 3, alpha: 1, epsilon: sp.Integer(2), beta: sp.exp(-sp.Rational(3, 50))}
_powers = (sp.Rational(100, 9), sp.Rational(25, 9), sp.Rational(100, 3))
_tails = sp.symbols("p_1:4", nonnegative=True)
_deviations = (alpha / 3, epsilon * alpha / 12)
_size = 200 * sp.log(1 / beta) / (epsilon**2 * alpha**2)
_printed = (
    sp.exp(-2 * m * alpha**2 / 9),
    sp.exp(-2 * m * alpha**2 * epsilon**2 / 144),
    sp.exp(-epsilon * m * alpha / 3),
)


def lecture_accuracy() -> Claim:
    """The three bounds as displayed, with the right constants, and the theorem."""
    return Claim(
        id="lecture.accuracy",
        title="Accuracy at the lecture's sample size",
        references=(Reference("lecture", "Theorem 6 and its proof"),),
        statement=r"With $m = \frac{200\log(1/\beta)}{\varepsilon^2\alpha^2}$, $|d(\sigma) - \hat\theta| \le \alpha$ "
        r"except with probability $\beta$. In the proof: $P(|d(M) - d(\sigma)| \ge \frac\alpha3) \le e^{-\frac29 "
        r"m\alpha^2} \le \frac\beta3$, and $P(\hat\theta - d(M) \ge \frac{2\alpha}{3}) \le P(|\theta - E\theta| \ge "
        r"\frac{\alpha\varepsilon}{12}) + P(\operatorname{Lap}(\frac{1}{\varepsilon m}) \ge \frac\alpha3) \le "
        r"e^{-\frac{2m\alpha^2\varepsilon^2}{144}} + e^{-\frac{\varepsilon m\alpha}{3}} \le \frac{2\beta}{3}$.",
        notation=((r"$\theta$, $\hat\theta$", "mean of the bits, and the output"),),
        hypotheses=(r"the stream is fixed; the sample is random", r"$0 < \beta < 1$"),
        silent=(
            r"$0 < \varepsilon \le 2$, for the bits' probabilities; $0 < \alpha \le 1$",
            r"$m$ is an integer: the formula is rounded up; and $m \le |X|$",
            r"the sample is drawn without replacement",
        ),
        in_words=(
            ("upper_side_of_the_bits", "where the estimate is too large, the mean of the bits or the noise is"),
            (
                "two_sided_sample",
                "where the error is large, one of its three parts is; the bounds hold given the sample, and so for "
                "the mean over samples",
            ),
            ("at_onehalf", "a sum of positive powers rises, so that its value at one half bounds it below"),
            ("larger_samples", "a larger sample has the same bound, since the bound falls"),
        ),
        uses=(
            "density.union_lemma",
            "density.dwork_accuracy",
            "lemma.hoeffding",
            "lemma.hoeffding_without_replacement",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the noise, and the upper side of the estimate",
                r"$P(\operatorname{Lap}(\frac{1}{\varepsilon m}) \ge \frac\alpha3) = \frac12 e^{-\frac{\varepsilon "
                r"m\alpha}{3}}$; and the outer terms of the second display are in the stated order: the upper side "
                r"alone needs no absolute value. In the formula $P_3$ is this probability.",
                _one_side(),
                formal=symbolic(sp.Eq(_noise, _printed[2] / 2)),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the sample's bound",
                r"$P(|d(M) - d(\sigma)| \ge \frac\alpha3) \le e^{-\frac29 m\alpha^2}$ lacks the factor $2$ for two "
                r"sides, and is false; so is that this is at most $\frac\beta3$. "
                r"In the formulas $P_1$ is this probability, in an example.",
                (_sample_of_one(), _not_a_third()),
                formal=symbolic(
                    gt(_sample, _printed[0]),
                    gt(_printed[0], beta / 3),
                    where=_ONE_USER,
                ),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the bits' bound",
                r"$P(|\theta - E\theta| \ge \frac{\alpha\varepsilon}{12}) \le "
                r"e^{-\frac{2m\alpha^2\varepsilon^2}{144}}$ lacks the factor $2$ as well, and is false; so is the "
                r"second display with the noise added. In the formulas $P_2$ is this probability and $P_3$ that of "
                r"the noise, in two examples.",
                (_one_bit(), _three_bits()),
                formal=(
                    *symbolic(gt(_bits, _printed[1]), where=_ONE_USER),
                    *symbolic(gt(_bits + _noise, _printed[1] + _printed[2]), where=_THREE_USERS),
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the sum of the bounds",
                r"At the lecture's $m$ the two exponentials are not at most $\frac{2\beta}{3}$ for every $\beta$.",
                _nine_tenths(),
            ),
            Part(
                Role.AMENDED,
                "the right constants",
                r"For every $m \le |X|$: $P(|d(\sigma) - \hat\theta| \ge \alpha) \le 2e^{-\frac29 m\alpha^2} + "
                r"2e^{-\frac{2m\alpha^2\varepsilon^2}{144}} + e^{-\frac{\varepsilon m\alpha}{3}}$. "
                r"In the formula $p_1$, $p_2$ and $p_3$ are the probabilities that the sample, the bits "
                r"and the noise miss their third of $\alpha$.",
                _two_sides(),
                formal=symbolic(
                    sp.Le(_error, 2 * _printed[0] + 2 * _printed[1] + _printed[2]),
                    given=(
                        sp.Le(_error, sum(_tails)),
                        *(sp.Le(tail, two_sided(m, at)) for tail, at in zip(_tails, _deviations, strict=False)),
                        sp.Le(_tails[2], laplace_tail(1 / (epsilon * m), alpha / 3)),
                    ),
                ),
            ),
            Part(
                Role.AMENDED,
                "the theorem",
                r"Let $0 < \varepsilon \le 2$, $0 < \alpha \le 1$ and $0 < \beta \le \frac{97}{100}$. If "
                r"$\frac{200\log(1/\beta)}{\varepsilon^2\alpha^2} \le m \le |X|$, then "
                r"$P(|d(\sigma) - \hat\theta| \ge \alpha) \le \beta$.",
                (*small_beta(), *large_beta()),
                formal=(
                    *symbolic(
                        *(sp.Le(bound, beta**power) for bound, power in zip(_printed, _powers, strict=True)),
                        given=(sp.Ge(m, _size), epsilon <= 2, alpha <= 1, beta < 1),
                    ),
                    *symbolic(
                        eq((2 * beta ** _powers[0] + 2 * beta ** _powers[1] + beta ** _powers[2]) / beta, _divided())
                    ),
                    *symbolic(lt(_divided(), 1), given=(beta <= half,), where={_root: beta ** sp.Rational(1, 9)}),
                    *symbolic(
                        le((4 + 2 / m) / (m * epsilon**2 * alpha**2), _tail),
                        given=(ge(m, 200 * _level / (epsilon * alpha) ** 2), le(epsilon, 2), le(alpha, 1)),
                    ),
                    *symbolic(
                        lt(_tail, sp.exp(-_level)),
                        given=(ge(_level, sp.Rational(3, 100)), le(_level, sp.Rational(7, 10))),
                    ),
                    *symbolic(gt(sp.log(sp.Rational(100, 97)), sp.Rational(3, 100)), lt(sp.log(2), sp.Rational(7, 10))),
                ),
            ),
        ),
        remark=r"It is open whether the lecture's own size will do for $\frac{97}{100} < \beta < 1$. There the size "
        r"for $\beta = \frac{97}{100}$ suffices: $m \ge \frac{200}{\varepsilon^2\alpha^2}\max(\log\frac1\beta, "
        r"\log\frac{100}{97})$ will do for every $\beta$.",
    )


def _one_side() -> tuple[Step, ...]:
    threshold = accuracy_terms("dwork").thresholds[1].subs(SHARES)
    return (
        equal(
            "upper_tail_of_the_noise",
            r"One tail of the noise, integrated.",
            r"P(\operatorname{Lap}(\tfrac{1}{\varepsilon m}) \ge \tfrac\alpha3)",
            lambda: laplace_tail(1 / (epsilon * m), alpha / 3, sides=1),
            _printed[2] / 2,
        ),
        equal(
            "upper_side_of_the_bits",
            r"Hoeffding's inequality for one side at $\frac{\varepsilon}{4} \cdot \frac{\alpha}{3}$; the two events "
            r"cover $\hat\theta - d(M) \ge \frac{2\alpha}{3}$.",
            r"P(\theta - E\theta \ge \tfrac{\alpha\varepsilon}{12}) \le e^{-2m(\alpha\varepsilon/12)^2}",
            lambda: one_sided(m, threshold),
            _printed[1],
        ),
    )


def _sample_of_one() -> Step:
    tail = two_sided_tail(hypergeometric(2, 1, 1), Fraction(1, 2), Fraction(1, 3))
    return counterexample(
        "sample_of_one",
        r"Two users, one of which appears, and a sample of one: $d(M) \in \{0, 1\}$ is always $\frac12$ from "
        r"$d(\sigma)$. With $\varepsilon = \frac12$, $\alpha = 1$ this is the lecture's $m$ for $\beta = e^{-1/800}$.",
        le(_sample, _printed[0]),
        {_sample: sp.Rational(tail.numerator, tail.denominator), **_ONE_USER},
        hypotheses=(eq(m, _size), beta < 1),
        lines=(r"P(|d(M) - d(\sigma)| \ge \tfrac13) = 1 &> e^{-2/9} = 0.80\ldots",),
    )


def _not_a_third() -> Step:
    return counterexample(
        "not_a_third",
        r"At the same point:",
        le(_printed[0], beta / 3),
        _ONE_USER,
        hypotheses=(eq(m, _size),),
        lines=(r"e^{-2/9} = 0.80\ldots &> 0.33\ldots = \tfrac\beta3",),
    )


def _tail_of_fair_bits(count: int, eps: sp.Rational) -> sp.Rational:
    """P(abs(theta - 1/2) >= eps/12) when nobody appears, for ``alpha = 1``."""
    start = PAIRS["dwork"][0]
    distribution = poisson_binomial([Fraction(start.p, start.q)] * count)
    tail = two_sided_tail(distribution, Fraction(count, 2), count * Fraction(eps.p, eps.q) / 12)
    return sp.Rational(tail.numerator, tail.denominator)


def _one_bit() -> Step:
    return counterexample(
        "one_bit",
        r"One user, who does not appear; $\varepsilon = \frac12$, $\alpha = 1$, $\beta = e^{-1/800}$, for which the "
        r"lecture's $m$ is $1$. One fair bit is always $\frac12$ from its expectation.",
        le(_bits, _printed[1]),
        {_bits: _tail_of_fair_bits(1, half), **_ONE_USER},
        hypotheses=(eq(m, _size), beta < 1),
        lines=(r"P(|\theta - \tfrac12| \ge \tfrac{1}{24}) = 1 &> e^{-1/288} = 0.996\ldots",),
    )


def _three_bits() -> Step:
    values = _THREE_USERS
    return counterexample(
        "three_bits",
        r"Three users, none of which appears; $\varepsilon = 2$, $\alpha = 1$, $\beta = e^{-3/50}$, for which the "
        r"lecture's $m$ is $3$: the mean of three fair bits is at least $\frac16$ from $\frac12$.",
        le(_bits + _noise, _printed[1] + _printed[2]),
        {
            _bits: _tail_of_fair_bits(3, values[epsilon]),
            _noise: laplace_tail(1 / (epsilon * m), alpha / 3, sides=1).subs(values),
            **values,
        },
        hypotheses=(eq(m, _size), beta < 1),
        lines=(r"1 + \tfrac12 e^{-2} = 1.067\ldots &> 0.981\ldots = e^{-1/6} + e^{-2}",),
    )


def _nine_tenths() -> Step:
    return counterexample(
        "nine_tenths",
        r"$\varepsilon = \frac12$, $\alpha = 1$, $\beta = \frac{9}{10}$, for which the formula is $84.2\ldots$, "
        r"rounded up to $m = 85$.",
        le(_printed[1] + _printed[2], 2 * beta / 3),
        {m: 85, epsilon: half, alpha: 1, beta: sp.Rational(9, 10)},
        hypotheses=(ge(m, _size), lt(m - 1, _size)),
        lines=(r"e^{-85/288} + e^{-85/6} = 0.744\ldots &> 0.6 = \tfrac{2\beta}{3}",),
    )


def _two_sides() -> tuple[Step, ...]:
    return (
        equal(
            "two_sided_sample",
            r"The bounds of density.dwork\_accuracy at $\delta_1 = \frac23$, $\delta_2 = \frac12$, "
            r"a third of $\alpha$ for each source: for the sample, without replacement,",
            r"P(|d(M) - d(\sigma)| \ge \tfrac\alpha3) \le 2e^{-2m(\alpha/3)^2}",
            lambda: third_bounds()[0],
            2 * _printed[0],
        ),
        equal(
            "two_sided_bits",
            r"For the bits, given the sample,",
            r"P(|\theta - E\theta| \ge \tfrac{\alpha\varepsilon}{12}) \le 2e^{-2m(\alpha\varepsilon/12)^2}",
            lambda: third_bounds()[1],
            2 * _printed[1],
        ),
        equal(
            "two_sided_noise",
            r"For both sides of the noise,",
            r"P(|\operatorname{Lap}(\tfrac{1}{\varepsilon m})| \ge \tfrac\alpha3)",
            lambda: third_bounds()[2],
            _printed[2],
        ),
    )


# The theorem: by exponential bounds for small beta, by the variance for large beta.

SHARES = {delta_1: sp.Rational(2, 3), delta_2: half}
"""The lecture gives a third of the accuracy to each source of error."""

_level = sp.Symbol("L", positive=True)
_tail = 1 / (50 * _level) + 1 / (5000 * _level**2)
"""Chebyshev's bound at the size."""
_real_level, _real_eps, _real_alpha, _real_m, _v = sp.symbols("L epsilon alpha m v", real=True)


def third_bounds() -> list[sp.Expr]:
    """The three bounds with a third of the accuracy each; the cells are those of the fair first bit."""
    return [one.subs(SHARES) for one in bounds_of(accuracy_terms("dwork"))]


_root = sp.Symbol("w", nonnegative=True)
"""The ninth root of beta."""


def _divided() -> sp.Expr:
    """The sum of the three bounds, as powers of beta, over beta."""
    first, second, third = (beta ** (power - 1) for power in _powers)
    return 2 * first + 2 * second + third


def small_beta() -> tuple[Step, ...]:
    """Up to one half the three exponentials are powers of beta whose sum is at most beta."""
    powers = _powers
    shown = (
        r"\tfrac29 m\alpha^2 &\ge \tfrac{100}{9} L",
        r"\tfrac{1}{72} m\alpha^2\varepsilon^2 &\ge \tfrac{25}{9} L",
        r"\tfrac13 \varepsilon m\alpha &\ge \tfrac{100}{3} L",
    )
    steps = []
    for name, bound, power, line in zip(("sample", "bits", "noise"), third_bounds(), powers, shown, strict=True):
        exponent = (rate(bound)[1] * 200 * _real_level / (epsilon * alpha) ** 2).subs(
            {epsilon: _real_eps, alpha: _real_alpha}
        )
        steps.append(
            bounded(
                f"power_{name}",
                rf"Let $\beta \le \frac12$ and $L = \log\frac1\beta$. The exponent of the {name} is at least that of "
                rf"$\beta^{{{power}}}$:",
                le(power * _real_level, sp.cancel(exponent)),
                _real_level > 0,
                _real_eps > 0,
                _real_eps <= 2,
                _real_alpha > 0,
                _real_alpha <= 1,
                lines=line,
            )
        )
    whole = 2 * beta ** powers[0] + 2 * beta ** powers[1] + beta ** powers[2]
    divided = _divided()
    athalf = divided.subs(beta, half)
    return (
        *steps,
        equal(
            "divided",
            r"Divide the sum by $\beta$:",
            "",
            whole / beta,
            divided,
            lines=(
                r"\tfrac1\beta \left(2\beta^{100/9} + 2\beta^{25/9} + \beta^{100/3}\right) "
                r"&= 2\beta^{91/9} + 2\beta^{16/9} + \beta^{97/3}",
            ),
        ),
        compared(
            "at_onehalf",
            r"All powers are positive, so that the quotient grows with $\beta$; at $\frac12$ it is less than $1$.",
            lt(athalf, sp.Rational(6, 10)),
            lines=(r"2\beta^{91/9} + 2\beta^{16/9} + \beta^{97/3} &< 0.6 \quad\text{at }\beta = \tfrac12",),
        ),
        below_on_box(
            "up_to_onehalf",
            r"Balls show the same at once, with $w = \beta^{1/9}$; for $\beta \le \frac12$ it is at most $0.926$.",
            _divided().subs(beta, _root**9),
            sp.S.One,
            {_root: (sp.S.Zero, sp.Rational(926, 1000))},
            closest={_root: sp.Rational(926, 1000)},
            weaker=half,
            lines=(r"2w^{91} + 2w^{16} + w^{291} &< 1 \qquad (0 \le w \le 0.926)",),
        ),
    )


def large_beta() -> tuple[Step, ...]:
    """From one half to 97/100 by Chebyshev's inequality, with the exact variance."""
    estimate = dwork()
    users, share = sp.symbols("U d", real=True)
    real = {universe: users, density: share, m: _real_m, epsilon: _real_eps}
    variance = sp.factor(estimate.averaged_error(density, sampled_density()).subs(real))
    bound = (4 + 2 / _real_m) / (_real_m * _real_eps**2)
    return (
        equal(
            "unbiased",
            r"Let $\frac12 \le \beta \le \frac{97}{100}$. Given the sample the estimate's expectation is",
            r"E\,\hat\theta",
            estimate.expectation,
            present,
        ),
        bounded(
            "variance",
            r"Computed from the distributions of the bits, the noise and the sample, its variance is largest when "
            r"nobody appears (for a single user the sample adds nothing, and the rest is smaller):",
            le(variance, bound),
            share >= 0,
            share <= 1,
            _real_m >= 1,
            users >= _real_m,
            users >= 2,
            _real_eps > 0,
            _real_eps <= 2,
            lines=r"\operatorname{Var}\hat\theta &\le \frac{1}{m\varepsilon^2}\left(4 + \frac2m\right)",
        ),
        bounded(
            "chebyshev",
            r"With $v = m\varepsilon^2\alpha^2$, so that $m \ge v/4$, Chebyshev's inequality gives",
            le((4 + 2 / _real_m) / _v, (4 + 8 / _v) / _v),
            _v > 0,
            _real_m >= _v / 4,
            lines=r"P(|\hat\theta - d(\sigma)| \ge \alpha) \le \frac1v\left(4 + \frac2m\right) &"
            r"\le \frac1v\left(4 + \frac8v\right)",
        ),
        bounded(
            "larger_samples",
            r"This falls as $v \ge 200L$ grows; at $200L$ it is",
            le((4 + 8 / _v) / _v, sp.cancel(_tail.subs(_level, _real_level))),
            _real_level > 0,
            _v >= 200 * _real_level,
            lines=r"\frac1v\left(4 + \frac8v\right) &\le \frac{1}{50L} + \frac{1}{5000L^2}",
        ),
        below_on_box(
            "below_beta",
            r"That is less than $\beta = e^{-L}$, by balls for $\frac{3}{100} \le L \le \frac{7}{10}$,",
            _tail,
            sp.exp(-_level),
            {_level: (sp.Rational(3, 100), sp.Rational(7, 10))},
            closest={_level: sp.Rational(3, 100)},
            weaker=sp.Rational(9, 10),
        ),
        compared(
            "ends",
            r"The interval holds $\log\frac{100}{97}$ and $\log 2$.",
            gt(sp.log(sp.Rational(100, 97)), sp.Rational(3, 100)),
            lt(sp.log(2), sp.Rational(7, 10)),
            lines=(r"\tfrac{3}{100} < \log\tfrac{100}{97},\quad \log 2 &< \tfrac{7}{10}",),
        ),
    )


def lecture_unbiased() -> Claim:
    """Both expectations as printed, and on average over the sample."""
    estimate = dwork()
    average = half + epsilon * present / 4
    return Claim(
        id="lecture.unbiased",
        title="The lecture's estimate is unbiased",
        references=(Reference("lecture", "proof of Theorem 6"),),
        statement=r"$E[\theta] = \frac12 + \frac{\varepsilon\, d(M)}{4}$ and $E[\hat\theta] = d(M)$, where $d(M)$ is "
        r"the density within the sample, $\theta$ the mean of its bits and $\hat\theta$ the output.",
        notation=(("$b_x$", "bit of the user $x$"),),
        silent=(
            r"the sample $M$ is fixed: the expectations are over the bits and the noise",
            r"$\varepsilon \le 2$, so that $\frac12 + \frac{\varepsilon}{4}$ is a probability",
            r"$m$ is an integer, at most the number of users",
        ),
        uses=("general_error.two_kinds",),
        parts=(
            Part(
                Role.PUBLISHED,
                "for every stream and every sample",
                r"$E[\theta] = \frac12 + \frac{\varepsilon\, d(M)}{4}$ and $E[\hat\theta] = d(M)$, with "
                r"$d(M) = d(\mathcal{S}_M)$.",
                derivations(
                    (
                        "absent",
                        r"The bit of a user who has not appeared has the mean",
                        r"E[b_x]",
                        lambda: mean(estimate.initial),
                        half,
                    ),
                    (
                        "appeared",
                        r"The bit of a user who has appeared, however often, has the mean",
                        r"E[b_x]",
                        lambda: mean(estimate.updated),
                        half + epsilon / 4,
                    ),
                    (
                        "mean_of_bits",
                        r"$m\,d(\mathcal{S}_M)$ of the $m$ bits are of the second kind.",
                        r"E[\theta]",
                        estimate.mean_of_cells,
                        average,
                    ),
                    (
                        "output",
                        r"The output is $\frac{4}{\varepsilon}(\theta - \frac12)$ plus noise, whose density is even.",
                        r"E[\hat\theta]",
                        estimate.expectation,
                        present,
                    ),
                ),
                formal=symbolic(sp.Eq(sp.Symbol("E_theta"), average), sp.Eq(sp.Symbol("E_theta_hat"), present)),
            ),
            Part(
                Role.READING,
                "over a uniform sample",
                r"Over the sample, the bits and the noise together $E[\hat\theta] = d(\sigma)$, the density of the "
                r"stream, and $E[\theta] = \frac12 + \frac{\varepsilon\, d(\sigma)}{4}$.",
                (
                    *sampled_density_steps()[:2],
                    *derivations(
                        (
                            "mean_over_samples",
                            r"Averaging, with $d = d(\sigma)$,",
                            r"E[\theta]",
                            lambda: averaged(estimate.mean_of_cells(), sampled_density()),
                            half + epsilon * density / 4,
                        ),
                        (
                            "output_over_samples",
                            r"The output has the mean",
                            r"E[\hat\theta]",
                            lambda: averaged(estimate.expectation(), sampled_density()),
                            density,
                        ),
                    ),
                ),
                formal=symbolic(
                    sp.Eq(sp.Symbol("E_theta"), half + epsilon * density / 4), sp.Eq(sp.Symbol("E_theta_hat"), density)
                ),
            ),
        ),
    )


CLAIMS = {"lecture.accuracy": lecture_accuracy, "lecture.unbiased": lecture_unbiased}
