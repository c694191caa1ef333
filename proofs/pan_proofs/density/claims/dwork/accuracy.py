"""Theorem 3.3 of the paper: how many users the estimator with a fair first bit must sample."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_sizes import (
    logarithms,
    long_log,
    order_for_small_beta,
    size_bounds,
    stated_no_order,
    stated_order_for_small_beta,
)
from pan_proofs.density.lemmas.accuracy.accuracy_statements import (
    stated_explicit,
    stated_shares,
    stated_sizes,
    stated_tails,
    stated_total,
)
from pan_proofs.density.lemmas.accuracy.accuracy_steps import (
    IN_WORDS,
    averaging,
    goals_add_up,
    plain,
    sizes_needed,
    split,
)
from pan_proofs.density.lemmas.accuracy.accuracy_terms import accuracy_terms
from pan_proofs.density.lemmas.accuracy.cells_given_density import bound_given_density, stated_dependence
from pan_proofs.density.lemmas.accuracy.fair_bit_counterexamples import (
    dependent_draws,
    everybody_is_sampled,
    given_the_density,
    stated_dependent_draws,
    stated_letter,
    two_fair_bits,
)
from pan_proofs.density.lemmas.accuracy.multiplicative import above_a_density, for_every_density
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import gt, le
from pan_proofs.foundations.displayed_steps import equality
from pan_proofs.foundations.hoeffding_bound import laplace_tail
from pan_proofs.foundations.sums_over_terms import stated_mean
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m
from pan_proofs.ledger.steps import at_most, counterexample, found

_half = sp.Rational(1, 2)
_below = sp.Symbol("h", positive=True)
"""The distance of a failure probability from 1."""
_third = sp.Symbol("p_3", nonnegative=True)
_noise_tail = sp.Symbol(r"P(|\Lambda| \ge \alpha \delta_1 \delta_2)")
_error = sp.Symbol(r"P(|\tilde{d}| \ge \frac{1}{2})")
_ONE_USER = {m: 1, epsilon: _half, alpha: _half, beta: _half}
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
            Reference(
                "paper",
                "Theorem 3.3, section 3, and its proof in appendix A",
                r"one text of the paper has $\frac13$ for $\frac18$ in the section; another has $\frac18$ in both "
                r"places",
            ),
            Reference("thesis", "Theorem 4.3, section 4.2.2", "has only the proof of the paper's appendix"),
        ),
        statement=r"If $m = O\left(\frac{1}{\varepsilon^2\alpha^2}\log\frac1\beta\right)$ users are sampled, then "
        r"$P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$. For $\delta_1, \delta_2 \in (0,1)$ the probability is "
        r"at most $p_1 + p_2 + p_3$, where $p_1 \le 2e^{-2m\alpha^2(1-\delta_1)^2}$, as a bound for independent draws; "
        r"$p_2 \le 2e^{-\frac18 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2}$; "
        r"$p_3 = e^{-\varepsilon\alpha m\delta_1\delta_2}$; and $p_1 \le \delta_3\beta \iff m \ge m_1$, "
        r"$p_2 \le \delta_4\beta \iff m \ge m_2$, $p_3 \le (1-\delta_3-\delta_4)\beta \iff m \ge m_3$. "
        r"In the proof: given $d(\mathcal{S}_M)$ the bits are independent.",
        notation=(
            ("$b_1$, $b_2$", "bits of the two users of the sample"),
            (r"$d_{\min}$", "lower bound of the densities"),
            ("$r_1$, $r_2$, $r_3$", r"rates $r$ of the three bounds $c\,e^{-rm}$"),
            ("$c$", r"threshold of the event about $\hat d$, or a factor of a bound $c\,e^{-rm}$"),
        ),
        hypotheses=(
            r"$0 < \varepsilon \le \frac12$",
            r"$\delta_i \in (0,1)$, $\delta_3 + \delta_4 < 1$",
            r"the stream is fixed; the sample is random, without replacement",
        ),
        silent=(
            r"$m$ is an integer and $m \le U$: for small $\varepsilon\alpha$ the sizes exceed the number of users",
            r"$0 < \alpha \le 1$ and $0 < \beta < 1$; $\log\frac1\beta$ vanishes as $\beta \to 1$, the sizes do not",
            r"each bit is drawn with fresh randomness: given the sample the bits are independent",
        ),
        in_words=IN_WORDS,
        uses=("density.union_lemma", "lemma.hoeffding", "lemma.hoeffding_without_replacement"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the three bounds, with the appendix's constant",
                r"For all $\delta_1, \delta_2 \in (0,1)$: $P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le p_1+p_2+p_3$, "
                r"$p_1 \le 2e^{-2m\alpha^2(1-\delta_1)^2}$, "
                r"$p_2 \le 2e^{-\frac18 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2}$ and "
                r"$p_3 = e^{-\varepsilon\alpha m\delta_1\delta_2}$. With the mean $\hat d$ of the bits and the noise "
                r"$\Lambda$, $p_1 = P(|d(\mathcal{S}_M) - d(\mathcal{S})| \ge \alpha(1-\delta_1))$, $p_2 = P(|\hat d - "
                r"E[\hat d \mid M]| \ge \frac\varepsilon4 \alpha\delta_1(1-\delta_2))$ and $p_3 = P(|\Lambda| \ge "
                r"\alpha\delta_1\delta_2)$; below, $P = P(|\tilde d - d(\mathcal{S})| \ge \alpha)$, and Hoeffding's "
                r"inequalities give $p_1 \le 2e^{-2ms^2}$ and $p_2 \le 2e^{-2ms^2}$ at two thresholds $s$.",
                (*split("dwork"), *_bounds()),
                formal=(
                    *stated_tails("dwork", 0, 2 * sp.exp(-2 * m * alpha**2 * (1 - delta_1) ** 2)),
                    *stated_tails("dwork", 1, _cells),
                    *symbolic(sp.Eq(_noise_tail, sp.exp(-epsilon * alpha * m * delta_1 * delta_2))),
                    *stated_total("dwork", sp.Symbol("P", nonnegative=True), _third),
                ),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "independence of the draws",
                r"The users are drawn without replacement, so that the draws are not independent. A bound for "
                r"independent draws does not apply to $p_1$. The printed bound on $p_1$ is true all the same, by "
                r"Hoeffding's inequality for sampling without replacement.",
                (dependent_draws(),),
                formal=stated_dependent_draws(),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "independence of the bits given the density",
                r"Given $d(\mathcal{S}_M)$ the bits are not independent, although each is drawn with fresh randomness. "
                r"The distribution of a bit depends on the user in that place of the sample, and the users in two "
                r"places are "
                r"not independent given $d(\mathcal{S}_M)$.",
                (given_the_density(),),
                formal=stated_dependence(),
            ),
            Part(
                Role.AMENDED,
                "independence given the sample",
                r"Given the sample the bits are independent. So the bound on $p_2$ holds given the sample. The "
                r"probability given $d(\mathcal{S}_M)$ is an average over samples, and has the same bound.",
                (bound_given_density(),),
                formal=stated_mean(_cells),
            ),
            Part(
                Role.READING,
                "the first two equivalences, to the letter",
                r"Let $p_1$ and $p_2$ be the probabilities themselves. Then the first two equivalences are false: $p_1 "
                r"\le \delta_3\beta$ does not imply $m \ge m_1$, and $p_2 \le \delta_4\beta$ does not imply $m \ge "
                r"m_2$.",
                (everybody_is_sampled(), two_fair_bits()),
                formal=stated_letter(),
                holds=False,
            ),
            Part(
                Role.PUBLISHED,
                "the equivalences, and sizes that suffice",
                r"In our reading the equivalences are about the bounds on $p_1$, $p_2$ and $p_3$, not about the "
                r"probabilities. Each bound is at most its share of $\beta$ if and only if $m \ge m_i$. So $m \ge "
                r"m_1$ implies $p_1 \le \delta_3\beta$, $m \ge m_2$ implies $p_2 \le \delta_4\beta$, $m \ge m_3$ is "
                r"equivalent to $p_3 \le (1-\delta_3-\delta_4)\beta$, and $\max(m_1,m_2,m_3) \le m \le U$ to be "
                r"sampled implies $P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$.",
                (*sizes_needed("dwork", _sizes), goals_add_up()),
                formal=(*stated_sizes("dwork", _sizes), *stated_shares()),
                ours=True,
            ),
            Part(
                Role.AMENDED,
                "an explicit size",
                r"For $0 < \varepsilon \le \frac12$, $0 < \alpha \le 1$ and $0 < \beta < 1$ it suffices that "
                r"$\frac{12}{\varepsilon^2\alpha^2}\log\frac6\beta \le m \le U$: then $m$ is at least $m_1$, $m_2$ and "
                r"$m_3$ at $\delta_1 = \frac89$, $\delta_2 = \frac{1}{20}$, $\delta_3 = \delta_4 = \frac13$. For $0 < "
                r"\varepsilon \le 2$ it suffices that $\frac{128}{\varepsilon^2\alpha^2}\log\frac6\beta \le m \le U$: "
                r"then $m$ is at least these sizes at $\delta_1 = \delta_2 = \frac12$.",
                _explicit(),
                formal=(
                    *stated_explicit(
                        "dwork",
                        12 * sp.log(6 / beta) / (epsilon * alpha) ** 2,
                        {delta_1: sp.Rational(8, 9), delta_2: sp.Rational(1, 20)},
                    ),
                    *stated_explicit(
                        "dwork",
                        128 * sp.log(6 / beta) / (epsilon * alpha) ** 2,
                        {delta_1: _half, delta_2: _half},
                        sp.Integer(2),
                    ),
                ),
            ),
            above_a_density(),
            for_every_density(),
            Part(
                Role.READING,
                "any size of that order",
                r"Read as: every $m$ of the order $\frac{1}{\varepsilon^2\alpha^2}\log\frac1\beta$ will do. That is "
                r"false: $m = 1$ is of that order.",
                _one_user(),
                formal=symbolic(
                    gt(_error, beta),
                    le(m, sp.log(1 / beta) / (epsilon * alpha) ** 2),
                    where=_ONE_USER,
                ),
                holds=False,
            ),
            Part(
                Role.READING,
                "the order for every failure probability",
                r"Read as: $\max(m_1,m_2,m_3) \le \frac{C}{\varepsilon^2\alpha^2}\log\frac1\beta$ with one $C$ for all "
                r"$0 < \beta < 1$. That is false.",
                _unbounded(),
                formal=stated_no_order("dwork"),
                holds=False,
            ),
            Part(
                Role.READING,
                "the order for small failure probabilities",
                r"Read so for $0 < \beta \le \frac12$ it is true: "
                r"$m \ge \frac{44}{\varepsilon^2\alpha^2}\log\frac1\beta$ suffices for $\varepsilon \le \frac12$, "
                r"$\alpha \le 1$.",
                order_for_small_beta(12, 44),
                formal=stated_order_for_small_beta(12 / (epsilon * alpha) ** 2, 44 / (epsilon * alpha) ** 2),
            ),
        ),
        remark=r"Without sampling, $m = U$, there is no $p_1$, and one may take $\delta_1 = 1$.",
    )


def _bounds() -> tuple[Step, ...]:
    return (
        equality(
            "bound_1",
            r"This is Hoeffding's inequality for a sample without replacement, at $s = \alpha(1-\delta_1)$.",
            r"p_1 \le 2e^{-2ms^2}",
            lambda: accuracy_terms("dwork").sampling,
            2 * sp.exp(-2 * m * alpha**2 * (1 - delta_1) ** 2),
        ),
        equality(
            "bound_2",
            r"Hoeffding's inequality holds for independent bits, given the sample, at the threshold of the cells.",
            r"p_2 \le 2e^{-2mc^2}",
            lambda: accuracy_terms("dwork").cells,
            _cells,
        ),
        averaging(),
        equality(
            "probability_3",
            r"Both tails of the noise, integrated from $\alpha\delta_1\delta_2$.",
            r"p_3",
            lambda: accuracy_terms("dwork").noise,
            sp.exp(-epsilon * alpha * m * delta_1 * delta_2),
        ),
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
    values = _ONE_USER
    # One fair bit, nobody appears: the output is 2/epsilon or -2/epsilon, plus noise.
    near, far = 2 / epsilon - alpha, 2 / epsilon + alpha
    hit = laplace_tail(scale, near, sides=1) - laplace_tail(scale, far, sides=1)
    return (
        counterexample(
            "one_user",
            r"One user is sampled and nobody appears; $\varepsilon = \alpha = \beta = \frac12$. The output is $\pm 4$ "
            r"plus noise of scale $2$, and is within $\frac12$ of $0$ with probability "
            r"$\frac12(e^{-7/4} - e^{-9/4})$.",
            le(_error, beta),
            {_error: (1 - hit).subs(values), **values},
            hypotheses=(le(m, sp.log(1 / beta) / (epsilon * alpha) ** 2),),
            lines=(
                r"P(|\tilde d| \ge \tfrac12) = 1 - \tfrac12(e^{-7/4} - e^{-9/4}) &> \tfrac{9}{10} > \tfrac12 = \beta",
                r"m = 1 &\le 16\log 2 = \tfrac{1}{\varepsilon^2\alpha^2}\log\tfrac1\beta",
            ),
        ),
    )


def _unbounded() -> tuple[Step, ...]:
    acc, share, two, logarithm = sp.symbols("alpha delta_1 l L", real=True)
    constant = sp.Symbol("C", positive=True)
    order = constant * sp.log(1 / beta) / (epsilon * alpha) ** 2
    values = {constant: sp.Integer(44), epsilon: _half, alpha: 1, beta: sp.Rational(999, 1000)}
    return (
        at_most(
            "least_size",
            r"As $\beta\delta_3 < 1$, the logarithm $L = \log\frac{2}{\beta\delta_3}$ in $m_1$ exceeds $l = \log 2$, "
            r"so that $m_1$ is at least $\frac{\log 2}{2\alpha^2}$, whatever $\delta_1$ and $\delta_3$ are.",
            Inequality(
                "dwork.least_size",
                two / (2 * acc**2),
                logarithm / (2 * acc**2 * (1 - share) ** 2),
                (acc > 0, acc <= 1, share > 0, share < 1, two > 0, logarithm > two),
                touching={acc: 1, share: 0, two: 1, logarithm: 1},
            ),
            (r"\frac{\log 2}{2\alpha^2} &\le m_1",),
        ),
        found(
            "unbounded",
            r"As $\beta\delta_3 < 1$, $m_1$ is at least $\frac{\log 2}{2\alpha^2(1-\delta_1)^2}$, and "
            r"$\log\frac1\beta$ tends to $0$ as $\beta \to 1$ from below.",
            "the limit of log(2)/log(1/(1 - h)) for h to 0 from above, where beta is 1 - h",
            lambda: sp.limit(sp.log(2) / sp.log(1 / (1 - _below)), _below, 0, "+"),
            sp.oo,
            engine="sympy",
            lines=(r"\lim_{\beta\to 1} \frac{\log 2}{\log(1/\beta)} &= \infty",),
        ),
        counterexample(
            "constant_44",
            r"For instance, the constant $C = 44$ that suffices for $\beta \le \frac12$ does not for $\beta = 0.999$, "
            r"with $\varepsilon = \frac12$ and $\alpha = 1$.",
            le(sp.log(2) / (2 * alpha**2), order),
            values,
            lines=(r"\frac{\log 2}{2\alpha^2} > \tfrac{3}{10} &> 44 \cdot 4 \log\tfrac{1000}{999}",),
        ),
    )


CLAIMS = {"density.dwork_accuracy": dwork_accuracy}
