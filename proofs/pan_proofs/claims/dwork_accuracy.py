"""Theorem 3.3 of the paper: how many users the estimator with a fair first bit must sample."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.accuracy_displays import equality
from pan_proofs.accuracy_sizes import logarithms, long_log, order_for_small_beta, size_bounds
from pan_proofs.accuracy_steps import averaging, goals_add_up, plain, sizes_needed, split
from pan_proofs.accuracy_terms import accuracy_terms
from pan_proofs.exact_tails import hypergeometric, poisson_binomial, two_sided_tail
from pan_proofs.hoeffding_bound import laplace_tail
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m
from pan_proofs.ledger.steps import computed, counterexample

_half = sp.Rational(1, 2)
_p1, _p2, _p3, _error, _joint = sp.symbols("p_1 p_2 p_3 p_error p_12", nonnegative=True)
_cells = 2 * sp.exp(-m * epsilon**2 * alpha**2 * delta_1**2 * (1 - delta_2) ** 2 / 8)
_sizes = (
    sp.log(2 / (beta * delta_3)) / (2 * alpha**2 * (1 - delta_1) ** 2),
    8 * sp.log(2 / (beta * delta_4)) / (epsilon**2 * alpha**2 * delta_1**2 * (1 - delta_2) ** 2),
    sp.log(1 / (beta * (1 - delta_3 - delta_4))) / (epsilon * alpha * delta_1 * delta_2),
)


def dwork_accuracy() -> Claim:
    """The three bounds, the three sizes, and sizes that suffice."""
    return Claim(
        id="density.dwork_accuracy",
        title="Accuracy of the estimator with a fair first bit",
        references=(
            Reference("paper", "Theorem 3.3, section 3, and its proof in appendix A"),
            Reference("thesis", "Theorem 4.3, section 4.2.2", "has only the proof of the paper's appendix"),
        ),
        statement=r"If $m = O\left(\frac{1}{\varepsilon^2\alpha^2}\log\frac1\beta\right)$ users are sampled, then "
        r"$P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$. For $\delta_1, \delta_2 \in (0,1)$ the probability is "
        r"at most $p_1 + p_2 + p_3$, where $p_1 \le 2e^{-2m\alpha^2(1-\delta_1)^2}$, as a bound for independent draws; "
        r"$p_2 \le 2e^{-\frac13 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2}$ in the section, with $\frac18$ in the "
        r"appendix; $p_3 = e^{-\varepsilon\alpha m\delta_1\delta_2}$; and $p_1 \le \delta_3\beta \iff m \ge m_1$, "
        r"$p_2 \le \delta_4\beta \iff m \ge m_2$, $p_3 \le (1-\delta_3-\delta_4)\beta \iff m \ge m_3$.",
        hypotheses=(
            r"$0 < \varepsilon \le \frac12$",
            r"$\delta_i \in (0,1)$, $\delta_3 + \delta_4 < 1$",
            r"the stream is fixed; the sample is random, without replacement",
        ),
        silent=(
            r"$m$ is an integer and $m \le U$: for small $\varepsilon\alpha$ the sizes exceed the number of users",
            r"$0 < \alpha \le 1$ and $0 < \beta < 1$; $\log\frac1\beta$ vanishes as $\beta \to 1$, the sizes do not",
            r"the bits are independent of each other and of the sample",
        ),
        uses=("density.union_lemma", "lemma.hoeffding", "lemma.hoeffding_without_replacement"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the three bounds, with the appendix's constant",
                r"For all $\delta_1, \delta_2 \in (0,1)$: $P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le p_1+p_2+p_3$, "
                r"$p_1 \le 2e^{-2m\alpha^2(1-\delta_1)^2}$, "
                r"$p_2 \le 2e^{-\frac18 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2}$ and "
                r"$p_3 = e^{-\varepsilon\alpha m\delta_1\delta_2}$.",
                (*split("dwork"), *_bounds()),
                formal=symbolic(
                    sp.Le(_p1, 2 * sp.exp(-2 * m * alpha**2 * (1 - delta_1) ** 2)),
                    sp.Le(_p2, _cells),
                    sp.Eq(_p3, sp.exp(-epsilon * alpha * m * delta_1 * delta_2)),
                ),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the section's constant",
                r"With $\frac13$ for $\frac18$, as the section prints, the bound on $p_2$ is false. (The extraction "
                r"may have damaged the digit: the section's own $m_2$ has the $8$. The printed digit is judged.)",
                (_third(),),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "independence of the draws",
                r"The draws are not independent, so that a bound for independent draws says nothing about $p_1$: it is "
                r"true by the lemma on sampling without replacement.",
                (_dependent_draws(),),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the first two equivalences",
                r"$p_1 \le \delta_3\beta$ and $p_2 \le \delta_4\beta$ do not imply $m \ge m_1$ and $m \ge m_2$.",
                (_small_p1(), _small_p2()),
            ),
            Part(
                Role.AMENDED,
                "sizes that suffice",
                r"Each bound is at most its share of $\beta$ just from $m_i$ on. So $m \ge m_1$ implies "
                r"$p_1 \le \delta_3\beta$, $m \ge m_2$ implies $p_2 \le \delta_4\beta$, $m \ge m_3$ is equivalent to "
                r"$p_3 \le (1-\delta_3-\delta_4)\beta$, and $\max(m_1,m_2,m_3) \le m \le U$ to be sampled implies "
                r"$P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$.",
                (*sizes_needed("dwork", _sizes), goals_add_up()),
                formal=symbolic(*(sp.Ge(m, size) for size in _sizes)),
            ),
            Part(
                Role.AMENDED,
                "an explicit size",
                r"For $0 < \varepsilon \le \frac12$, $0 < \alpha \le 1$ and $0 < \beta < 1$ it suffices that "
                r"$\frac{12}{\varepsilon^2\alpha^2}\log\frac6\beta \le m \le U$; for $0 < \varepsilon \le 2$ it "
                r"suffices that $\frac{128}{\varepsilon^2\alpha^2}\log\frac6\beta \le m \le U$.",
                _explicit(),
                formal=symbolic(sp.Ge(m, 12 * sp.log(6 / beta) / (epsilon * alpha) ** 2)),
            ),
            Part(
                Role.READING,
                "any size of that order",
                r"Read as: every $m$ of the order $\frac{1}{\varepsilon^2\alpha^2}\log\frac1\beta$ will do. That is "
                r"false: $m = 1$ is of that order.",
                _one_user(),
                holds=False,
            ),
            Part(
                Role.READING,
                "the order for every failure probability",
                r"Read as: $\max(m_1,m_2,m_3) \le \frac{C}{\varepsilon^2\alpha^2}\log\frac1\beta$ with one $C$ for all "
                r"$0 < \beta < 1$. That is false.",
                (_unbounded(),),
                holds=False,
            ),
            Part(
                Role.READING,
                "the order for small failure probabilities",
                r"Read so for $0 < \beta \le \frac12$ it is true: "
                r"$m \ge \frac{44}{\varepsilon^2\alpha^2}\log\frac1\beta$ suffices for $\varepsilon \le \frac12$, "
                r"$\alpha \le 1$.",
                order_for_small_beta(12, 44),
            ),
        ),
        remark=r"Without sampling, $m = U$, there is no $p_1$, and one may take $\delta_1 = 1$.",
    )


def _bounds() -> tuple[Step, ...]:
    terms = accuracy_terms("dwork")
    return (
        equality(
            "bound_1",
            r"Hoeffding's inequality for a sample without replacement, at $s = \alpha(1-\delta_1)$.",
            r"p_1 \le 2e^{-2ms^2}",
            terms.sampling,
            2 * sp.exp(-2 * m * alpha**2 * (1 - delta_1) ** 2),
        ),
        equality(
            "bound_2",
            r"Hoeffding's inequality for independent bits, given the sample, at the threshold of the cells.",
            r"p_2 \le 2e^{-2mc^2}",
            terms.cells,
            _cells,
        ),
        averaging(),
        equality(
            "probability_3",
            r"Both tails of the noise, integrated from $\alpha\delta_1\delta_2$.",
            r"p_3",
            terms.noise,
            sp.exp(-epsilon * alpha * m * delta_1 * delta_2),
        ),
    )


def _third() -> Step:
    values = {m: 64, epsilon: _half, alpha: 1, delta_1: sp.Rational(9, 10), delta_2: sp.Rational(1, 10)}
    threshold = 64 * accuracy_terms("dwork").thresholds[1].subs(values)
    tail = two_sided_tail(poisson_binomial([Fraction(1, 2)] * 64), Fraction(32), Fraction(threshold.p, threshold.q))
    return counterexample(
        "a_third_is_too_much",
        r"Nobody of $U = m = 64$ users appears: all bits are fair. With $\varepsilon = \frac12$, $\alpha = 1$, "
        r"$\delta_1 = \frac{9}{10}$, $\delta_2 = \frac{1}{10}$ the sum of the bits must be at least "
        rf"${float(threshold)}$ from $32$, that is $7$.",
        sp.Le(_p2, 2 * sp.exp(-m * epsilon**2 * alpha**2 * delta_1**2 * (1 - delta_2) ** 2 / 3), evaluate=False),
        {_p2: sp.Rational(tail.numerator, tail.denominator), **values},
        hypotheses=(epsilon <= _half, delta_1 < 1, delta_2 < 1),
        lines=(
            rf"p_2 = P(|S_{{64}} - 32| \ge 7) = {float(tail):.4f}\ldots &> "
            rf"{2 * float(sp.exp(-sp.Rational(64, 12) * sp.Rational(81, 100) ** 2)):.4f}\ldots "
            r"= 2e^{-\frac13 \cdot 64 \cdot \frac14 \cdot (\frac{81}{100})^2}",
        ),
    )


def _dependent_draws() -> Step:
    # U = 2, one of them has appeared, both are drawn.
    law = hypergeometric(2, 1, 2)
    both = law.get(2, Fraction(0))
    single = hypergeometric(2, 1, 1)[1]
    return counterexample(
        "dependent_draws",
        r"Of $U = 2$ users one has appeared, and $m = 2$: both draws have appeared with probability $0$, each with "
        r"probability $\frac12$.",
        sp.Eq(_joint, _p1**2, evaluate=False),
        {_joint: sp.Rational(both.numerator, both.denominator), _p1: sp.Rational(single.numerator, single.denominator)},
        lines=(r"P(X_1 = X_2 = 1) = 0 &\ne \tfrac14 = P(X_1 = 1)\,P(X_2 = 1)",),
    )


def _small_p1() -> Step:
    values = {m: 10, alpha: sp.Rational(1, 10), beta: _half, delta_1: _half, delta_3: sp.Rational(1, 3)}
    tail = two_sided_tail(hypergeometric(10, 5, 10), Fraction(5), Fraction(10, 20))
    return counterexample(
        "everybody_is_sampled",
        r"All of $U = m = 10$ users are sampled, half of which have appeared; $\alpha = \frac{1}{10}$, "
        r"$\beta = \delta_1 = \frac12$, $\delta_3 = \frac13$.",
        sp.Ge(m, _sizes[0], evaluate=False),
        values | {_p1: sp.Rational(tail.numerator, tail.denominator)},
        hypotheses=(sp.Le(_p1, delta_3 * beta, evaluate=False),),
        lines=(r"p_1 = 0 \le \delta_3\beta,\quad m = 10 &< 497 < m_1",),
    )


def _small_p2() -> Step:
    values = {m: 2, epsilon: _half, alpha: _half, beta: sp.Rational(3, 4), delta_1: _half, delta_2: _half}
    values[delta_4] = sp.Rational(2, 3)
    threshold = 2 * accuracy_terms("dwork").thresholds[1].subs(values)
    tail = two_sided_tail(poisson_binomial([Fraction(1, 2)] * 2), Fraction(1), Fraction(threshold.p, threshold.q))
    return counterexample(
        "two_fair_bits",
        r"Two users, of which nobody appears; $\varepsilon = \alpha = \delta_1 = \delta_2 = \frac12$, "
        r"$\beta = \frac34$, $\delta_4 = \frac23$: the bits' mean is exactly $\frac12$ with probability $\frac12$.",
        sp.Ge(m, _sizes[1], evaluate=False),
        values | {_p2: sp.Rational(tail.numerator, tail.denominator)},
        hypotheses=(sp.Le(_p2, delta_4 * beta, evaluate=False),),
        lines=(r"p_2 = \tfrac12 \le \delta_4\beta,\quad m = 2 &< 2800 < m_2",),
    )


def _explicit() -> tuple[Step, ...]:
    eps, acc = plain[epsilon], plain[alpha]
    near_one = {delta_1: sp.Rational(8, 9), delta_2: sp.Rational(1, 20)}
    halves = {delta_1: _half, delta_2: _half}
    small, large = 12 * long_log / (eps * acc) ** 2, 128 * long_log / (eps * acc) ** 2
    return (
        logarithms(),
        *size_bounds("dwork", "near_one", near_one, small, (eps > 0, eps <= _half), {eps: _half}),
        *size_bounds("dwork", "halves", halves, large, (eps > 0, eps <= 2), {eps: sp.Integer(2)}),
    )


def _one_user() -> tuple[Step, ...]:
    scale = 1 / (epsilon * m)
    values = {m: 1, epsilon: _half, alpha: _half, beta: _half}
    # One fair bit, nobody appears: the output is 2/epsilon or -2/epsilon, plus noise.
    near, far = 2 / epsilon - alpha, 2 / epsilon + alpha
    hit = laplace_tail(scale, near, sides=1) - laplace_tail(scale, far, sides=1)
    return (
        counterexample(
            "one_user",
            r"One user is sampled and nobody appears; $\varepsilon = \alpha = \beta = \frac12$. The output is $\pm 4$ "
            r"plus noise of scale $2$, and is within $\frac12$ of $0$ with probability "
            r"$\frac12(e^{-7/4} - e^{-9/4})$.",
            sp.Le(_error, beta, evaluate=False),
            {_error: (1 - hit).subs(values), **values},
            hypotheses=(sp.Le(m, sp.log(1 / beta) / (epsilon * alpha) ** 2, evaluate=False),),
            lines=(
                r"P(|\tilde d| \ge \tfrac12) = 1 - \tfrac12(e^{-7/4} - e^{-9/4}) &> \tfrac{9}{10} > \tfrac12 = \beta",
                r"m = 1 &\le 16\log 2 = \tfrac{1}{\varepsilon^2\alpha^2}\log\tfrac1\beta",
            ),
        ),
    )


def _unbounded() -> Step:
    least = sp.limit(sp.log(2) / sp.log(1 / beta), beta, 1, "-")
    return computed(
        "unbounded",
        r"As $\beta\delta_3 < 1$, $m_1$ is at least $\frac{\log 2}{2\alpha^2(1-\delta_1)^2}$, and $\log\frac1\beta$ "
        r"tends to $0$ as $\beta \to 1$.",
        "the limit of log(2)/log(1/beta) from below",
        bool(least is sp.oo),
        engine="sympy",
        lines=(r"\lim_{\beta\to 1} \frac{\log 2}{\log(1/\beta)} &= \infty",),
    )


CLAIMS = {"density.dwork_accuracy": dwork_accuracy}
