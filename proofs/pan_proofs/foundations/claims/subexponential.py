"""Definition 4.4 and Lemmas 4.3 to 4.6 of the thesis: sub-exponential variables and sums of Laplace variables."""

from __future__ import annotations

import sympy as sp

from pan_proofs.foundations.subexponential_steps import (
    chernoff,
    coin_violates,
    dependent,
    one_laplace,
    printed_product,
    root_of_the_product,
    spread,
    stated_coin,
    stated_dependent,
    stated_one_laplace,
    stated_printed_product,
    stated_root_of_the_product,
    stated_sum,
    stated_sum_tail,
    sum_is_subexponential,
    sum_tail,
    tail_bound,
    width,
)
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.notation import alpha

_tail = sp.Symbol("P_tail", nonnegative=True)
_tilt = sp.Symbol("lambda", nonnegative=True)


def subexponential() -> Claim:
    """The four lemmas."""
    small, large = tail_bound(alpha, spread, width)
    return Claim(
        id="thesis.subexponential",
        title="Sub-exponential variables",
        references=(Reference("thesis", "Definition 4.4 and Lemmas 4.3, 4.4, 4.5, 4.6, section 4.4.2"),),
        statement=r"$X$ is sub-exponential with $(v_s, b_s)$ if $E e^{\lambda (X - E X)} \le e^{v_s^2 \lambda^2/2}$ "
        r"for $|\lambda| < 1/b_s$. (4.3) Then $P(|X - E X| \ge \alpha)$ is at most $e^{-\alpha^2/(2 v_s^2)}$ for $0 "
        r"\le \alpha \le v_s^2/b_s$ and $e^{-\alpha/(2 b_s)}$ above. (4.4) A Laplace variable of scale $b$ is "
        r"sub-exponential with $(2b, \sqrt2\, b)$, (4.5) a sum of $m$ of them with $(2 b \sqrt m, \sqrt2\, b)$; (4.6) "
        r"the tail of the sum is at most $e^{-\alpha^2/(8 b^2 m)}$ for $\alpha \le 2 \sqrt2\, b m$ and $e^{-\alpha/(2 "
        r"\sqrt2\, b)}$ above.",
        notation=(
            ("$P_1$, $P_2$", "probabilities of the upper and of the lower tail"),
            (r"$\mu_i$", "mean of $X_i$"),
        ),
        hypotheses=(r"$b > 0$",),
        silent=(
            r"The $X_i$ of Lemmas 4.5 and 4.6 are independent.",
            r"$v_s$ and $b_s$ are positive; $b_s = 0$ would mean that the bound holds for all $\lambda$, and then only "
            r"the first branch is left.",
            r"In the text at hand the second parameter reads $\sqrt{2b}$ in Lemmas 4.4 and 4.5. The judgement is "
            r"about $\sqrt2\, b$: a scale must be proportional to $b$, the proof needs $b^2 \lambda^2 < \frac12$, and "
            r"Lemma 4.6 has it so.",
        ),
        parts=(
            Part(
                Role.COUNTEREXAMPLE,
                "Lemma 4.3 without a factor 2",
                r"The lemma is false as printed: a fair coin satisfies its hypothesis and not its conclusion.",
                coin_violates(),
                formal=stated_coin(),
            ),
            Part(
                Role.AMENDED,
                "Lemma 4.3 with a factor 2",
                r"$P(|X - E X| \ge \alpha) \le 2 e^{-\alpha^2/(2 v_s^2)}$ for $0 \le \alpha \le v_s^2/b_s$ and "
                r"$\le 2 e^{-\alpha/(2 b_s)}$ above; each tail alone satisfies the printed bound.",
                chernoff(),
                formal=(
                    *symbolic(
                        sp.Le(_tail, 2 * small),
                        given=(sp.Le(_tail, 2 * sp.exp(spread**2 * _tilt**2 / 2 - _tilt * alpha)),),
                        where={_tilt: alpha / spread**2},
                    ),
                    *symbolic(
                        sp.Le(_tail, 2 * large),
                        given=(
                            sp.Le(_tail, 2 * sp.exp(spread**2 / (2 * width**2) - alpha / width)),
                            sp.Ge(alpha, spread**2 / width),
                        ),
                    ),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "Lemma 4.4",
                r"A Laplace variable of scale $b$ is sub-exponential with parameters $(2b, \sqrt2\, b)$.",
                one_laplace(),
                formal=stated_one_laplace(),
            ),
            Part(
                Role.PUBLISHED,
                "Lemma 4.5",
                r"A sum of $m$ independent ones is sub-exponential with parameters $(2b\sqrt m, \sqrt2\, b)$.",
                sum_is_subexponential(),
                formal=stated_sum(),
            ),
            Part(
                Role.PUBLISHED,
                "Lemma 4.6",
                r"For $m$ independent variables let $v_s = 2 b \sqrt m$ and $b_s = \sqrt2\, b$. The exponents and the "
                r"border of Lemma 4.3 are then those that are printed in Lemma 4.6. With Lemma 4.3 in its true form "
                r"its bounds have a factor $2$. They hold as printed, without this factor, by another proof: that of "
                r"lemma.laplace\_sum\_tail.",
                sum_tail(),
                formal=stated_sum_tail(),
            ),
            Part(
                Role.READING,
                "a display in the proof of Lemma 4.5, to the letter",
                r"The product of the exponentials stands where that of their expectations is plainly meant. To the "
                r"letter the display is false; with expectations the proof is complete.",
                (printed_product(),),
                formal=stated_printed_product(),
                holds=False,
            ),
            Part(
                Role.READING,
                r"the second parameter read as the root of 2b",
                r"Lemma 4.4 is false with $b_s = \sqrt{2b}$.",
                (root_of_the_product(),),
                formal=stated_root_of_the_product(),
                holds=False,
            ),
            Part(
                Role.READING,
                "without independence",
                r"Lemmas 4.5 and 4.6 are false for dependent variables.",
                dependent(),
                formal=stated_dependent(),
                holds=False,
            ),
        ),
        uses=("lemma.laplace_sum_tail",),
    )


CLAIMS = {"thesis.subexponential": subexponential}
