"""The conditions of Theorems 3.5 and 3.6 of the thesis: needed, sufficient, or implied by the others."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.tables.lemmas.condition_steps import (
    BOTH,
    BY_FIRST,
    DOMINATED,
    ENOUGH,
    FEW,
    FIVE,
    INDEX,
    NOISY,
    STRONGEST,
    THREE,
    all_five,
    below,
    bound_on_sum,
    by_first,
    enough_variance,
    factor_of_sets,
    grows,
    implications,
    index,
    inverse_share,
    inverse_sum,
    little_noise,
    log_least,
    logarithm_left,
    much_noise,
    n_attributes,
    no_variance,
    noise,
    not_dominated,
    not_needed,
    records,
    root,
    set_size,
    sets_listed,
    size,
    small,
    small_product,
    spread,
    square,
    theta,
    total_noise,
    variance,
)
from pan_proofs.tables.lemmas.log_variance import (
    FEW_VALUES,
    FROM_BELOW,
    conditions_on_budget,
    few_values,
    five_terms,
    fixed_variance,
    stated_fixed_variance,
    stated_on_budget,
    stated_variance_above,
    variance_above,
)
from pan_proofs.tables.lemmas.log_variance import FIVE as OF_FIVE
from pan_proofs.tables.lemmas.log_variance import STRONGEST as OF_STRONGEST
from pan_proofs.tables.lemmas.log_variance_order import order_of_variance, stated_order


def entropy_conditions() -> Claim:
    """One direction of the equivalence holds; several steps are false, and each has a true form."""
    return Claim(
        id="bayesnet.entropy_conditions",
        title="Conditions for the entropy of noisy frequencies",
        references=(Reference("networks", "Theorems 3.5 and 3.6 and their proofs, section 3.4.2"),),
        statement=r"Theorem 3.5: the three conditions $\frac{dMb^2}{p_{\min}n^2}, \frac{dMb^2}{p_{\min}^2n^3}, "
        r"\frac{dM^2b^4}{p_{\min}^3n^4} = o(\frac dn)$ are equivalent to $\varepsilon = "
        r"\omega\bigl(\sqrt{\frac{M}{p_{\min}n}}\,N^{k+1}\bigr)$ and $p_{\min} = \omega(\frac1n)$; "
        r"$\frac{d}{p_{\min}n^2}$ is dominated by $\frac{dMb^2}{p_{\min}^2n^3}$. Theorem 3.6: since $\sigma^2 = "
        r"O(d^2)$, $\theta\log^2 p_{\min} = o(\frac1n)$ is equivalent to $\varepsilon = \omega\bigl(\sqrt{\frac "
        r"Mn}\,N^{k+1}|\log p_{\min}|\bigr)$ and sufficient for $d\,\theta\log^2 p_{\min} = o(\frac{\sigma^2}{n})$, "
        r"and $\frac{\theta}{p_{\min}} = o(\frac1n)$ implies it; $\frac{1}{p_{\min}^2n} = o(1)$, which is $p_{\min} = "
        r"\omega(\frac{1}{\sqrt n})$, implies the other four conditions on the five terms.",
        hypotheses=(r"$p_{\min} < e^{-2}$ in Theorem 3.6", r"$b = \Theta(\frac{N^{k+1}}{\varepsilon})$"),
        silent=(r"$k$ is fixed", "each condition is about the same sequence of distributions and numbers"),
        parts=(
            Part(
                Role.PUBLISHED,
                "sufficient for Theorem 3.5",
                r"Let $q = \frac{1}{p_{\min}n}$ and $w = \frac{Mb^2}{p_{\min}n}$. The three quantities over $\frac dn$ "
                r"are $w$, $wq$ and $w^2q$. If $w$ and $q$ are at most a small number $\eta$, all three are.",
                (
                    small_product("w_and_q", noise * inverse_share),
                    small_product("w_twice_and_q", noise**2 * inverse_share),
                ),
                formal=symbolic(THREE, given=BOTH),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the equivalence, with little noise",
                r"If $W = Mb^2$ is small, the three conditions do not imply $p_{\min} = \omega(\frac1n)$. In the "
                r"formula $q$ is $1$ while $w$ is as small as one likes.",
                (little_noise(),),
                formal=symbolic(le(inverse_share, small), given=FEW, refuted=True),
            ),
            Part(
                Role.AMENDED,
                "the equivalence, with noise of at least one count",
                r"If $W = Mb^2 \ge 1$, the first condition alone implies the two others and $p_{\min} = "
                r"\omega(\frac1n)$: then $q \le w$.",
                (much_noise(),),
                formal=symbolic(le(inverse_share, small), given=NOISY),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "conditions that must hold",
                r"The proof says that the three conditions must hold. They are not needed: the noise term of the "
                r"second order is $\frac{Mb^2R}{n^2}$ with $R = \sum_i \frac1{p_i}$, and $R$ can be much less than "
                r"$\frac{d}{p_{\min}}$, so that $\frac{Mb^2R}{dn} \to 0$ is enough for it. In the formula $R$ is this "
                r"sum and $Q = \frac{d}{p_{\min}}$, for $999$ equal probabilities and one of $10^{-5}$.",
                (not_needed(),),
                formal=symbolic(gt(bound_on_sum, 50 * inverse_sum)),
            ),
            Part(
                Role.PUBLISHED,
                "the number of sets in the budget",
                r"For fixed $k$ the number $\binom{N}{k+1}$ is of the order $N^{k+1}$: with $s = k + 1 \le N$ it is "
                r"at least $(\frac Ns)^s$, since it is the product of $\frac{N-i}{s-i} \ge \frac Ns$ for $i < s$.",
                (factor_of_sets(), sets_listed()),
                formal=symbolic(
                    le(n_attributes / set_size, (n_attributes - index) / (set_size - index)),
                    given=INDEX,
                ),
            ),
            Part(
                Role.PUBLISHED,
                "from the noise to the budget, and back",
                r"Let $b = c\,\frac K\varepsilon$ with $K = N^{k+1}$ and $c$ between two positive constants. Then "
                r"$\frac{Mb^2}{p_{\min}n} = \frac{c^2T^2}{\varepsilon^2}$ with $T = \sqrt{\frac{M}{p_{\min}n}}\,K$, "
                r"and $n\theta\log^2 p_{\min} = \frac{c^2T^2}{\varepsilon^2}$ with $T = \sqrt{\frac Mn}\,K|\log "
                r"p_{\min}|$. So each tends to $0$ if and only if $\varepsilon = \omega(T)$. In the same way "
                r"$\frac{1}{p_{\min}^2n} = T^2$ with $T = \frac{1}{p_{\min}\sqrt n}$. In the formulas $C$ is a bound "
                r"on $c$, from above in the first one and from below in the second one.",
                conditions_on_budget(),
                formal=stated_on_budget(),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the dominated term of the bias",
                r"$\frac{d}{p_{\min}n^2}$ is not dominated by $\frac{dW}{p_{\min}^2n^3}$: their ratio is "
                r"$\frac{p_{\min}n}{W}$, which Theorem 3.5 itself lets grow.",
                (not_dominated(),),
                formal=symbolic(DOMINATED, refuted=True),
            ),
            Part(
                Role.AMENDED,
                "the dominating term of the bias",
                r"If $W \ge 1$, it is dominated by $\frac{dW}{p_{\min}n^2}$.",
                (by_first(),),
                formal=symbolic(BY_FIRST, given=(ge(total_noise, 1),)),
            ),
            Part(
                Role.PUBLISHED,
                "implications between conditions of the two theorems",
                r"$\log^2 p \le \frac4p$, so that $\frac{\theta}{p_{\min}} = o(\frac1n)$ implies $\theta\log^2 "
                r"p_{\min} = o(\frac1n)$. As $\log^2 p_{\min} \ge 4$, this implies $\theta = o(\frac1n)$. In the "
                r"formulas $y = p_{\min}^{-1/2}$ and $L = |\log p_{\min}|$.",
                implications(),
                formal=(
                    *symbolic(gt(root - 1 - sp.log(root), 0), given=(root > 1,)),
                    *symbolic(
                        le(log_least**2, 4 * root**2),
                        given=(root >= 1, le(log_least, 2 * (root - 1))),
                    ),
                    *symbolic(
                        le(4 * theta, log_least**2 * theta),
                        given=(ge(log_least, 2),),
                    ),
                ),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "an upper bound on the variance",
                r"$\sigma^2 = O(d^2)$ bounds $\sigma^2$ from above, where the step needs a bound from below. For the "
                r"uniform distribution on $8$ values $\sigma^2 = 0$, and no noise is dominated. In the formula $V = "
                r"\sigma^2$.",
                (no_variance(),),
                formal=symbolic(gt(8 * theta * sp.log(8) ** 2, spread / records), given=(sp.Gt(theta, 0),)),
            ),
            Part(
                Role.AMENDED,
                "a bound on the variance from below",
                r"The step needs $\theta L^2 = o(\frac{\sigma^2}{dn})$. If $\sigma^2 \ge c\,d$ for a $c > 0$, $\theta "
                r"L^2 = o(\frac1n)$ is enough. The next part says that this is possible for few values only. In the "
                r"formula $q = n\theta L^2$, and $V$ is the variance.",
                (enough_variance(),),
                formal=symbolic(le(size * inverse_share, small * variance / below), given=ENOUGH),
            ),
            Part(
                Role.PUBLISHED,
                "the hypothesis on the variance holds always",
                r"For every distribution on $d$ values $\sigma^2 \le \sum_i p_i\log^2 p_i \le 16\sqrt d$. So "
                r"$\sigma^2 = "
                r"O(d^2)$ is true for all, and leaves out none. In the formulas $w = p^{1/4}$ and $L = |\log p|$.",
                variance_above(),
                formal=stated_variance_above(),
            ),
            Part(
                Role.AMENDED,
                "the order of the largest variance",
                r"For every distribution on $d$ values $\sigma^2 \le \log^2 d + 4$, and for some $\sigma^2 = \frac14 "
                r"\log^2(d-1)$. So the hypothesis can be written with $\log^2 d$ in place of $d^2$, and "
                r"$\frac{\sigma^2}{d} \to 0$ for a growing number of values.",
                order_of_variance(),
                formal=stated_order(),
            ),
            Part(
                Role.AMENDED,
                "no bound from below for a growing number of values",
                r"So $\sigma^2 \ge cd$ implies $d \le \frac{256}{c^2}$. For a growing number of values "
                r"$\theta\log^2 p_{\min} = o(\frac1n)$ is enough for no sequence of distributions by this step: the "
                r"condition must name $\frac{d}{\sigma^2}$. In the formula $g = \sqrt d$.",
                (few_values(),),
                formal=symbolic(FEW_VALUES, given=FROM_BELOW),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the strongest of the five conditions",
                r"The fourth term asks for $\frac{L}{p_{\min}^2n} \to 0$ even if $\sigma^2$ is of order $d^2$. With "
                r"$z = \frac{1}{p_{\min}^2n} = \frac1L$, that is $n = L\,p_{\min}^{-2}$, $z$ tends to $0$ and $Lz = 1$ "
                r"does not.",
                logarithm_left(),
                formal=(
                    *symbolic(eq(sp.Limit(1 / grows, grows, sp.oo), 0)),
                    *symbolic(le(log_least * square, sp.Rational(1, 2)), refuted=True),
                ),
            ),
            Part(
                Role.AMENDED,
                "the strongest condition",
                r"$\frac{L}{p_{\min}^2n} = o(1)$ with $L \ge 2$ implies the four others: over $\frac{d^2}{n}$ the five "
                r"terms are $z$, $z^2$, $Lpz$, $Lz$ and $z^{3/2}$. In the formula $x = \sqrt z$.",
                (*all_five(),),
                formal=symbolic(*(le(one, small) for one in FIVE), given=STRONGEST),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the five conditions for a variance that does not grow",
                r"All hypotheses hold for distributions of a growing number $d$ of values with one variance, and the "
                r"first of "
                r"the five terms is not $o(\frac{\sigma^2}{n})$: the condition $p_{\min} = \omega(\frac{1}{\sqrt n})$ "
                r"does not imply the five.",
                fixed_variance(),
                formal=stated_fixed_variance(),
            ),
            Part(
                Role.AMENDED,
                "the strongest condition, against the leading term",
                r"The five terms must be $o(\frac{\sigma^2}{n})$, and $\sigma^2$ is much less than $d^2$ for many "
                r"values. With $\rho = \frac{d^2}{\sigma^2}$ they are $\rho z$, $\rho z^2$, $\rho Lpz$, $\rho Lz$ and "
                r"$\rho z^{3/2}$ over $\frac{\sigma^2}{n}$, and $\rho \ge \frac1{16}$. So "
                r"$\frac{d^2L}{\sigma^2p_{\min}^2n} = o(1)$ with $L \ge 2$ is enough for all five. In the formulas $x "
                r"= \sqrt z$.",
                five_terms(),
                formal=symbolic(*(le(one, small) for one in OF_FIVE), given=OF_STRONGEST),
            ),
        ),
        remark=r"In the definition of $O$ for several variables only the largest of them needs to grow, so that "
        r"statements with $p_{\min} \to 0$ or $\varepsilon \to 0$ are read along sequences. For $k$ that grows with "
        r"$N$, $\binom{N}{k+1}$ is not of the order $N^{k+1}$: for $k = N - 1$ it is $1$.",
    )


CLAIMS = {"bayesnet.entropy_conditions": entropy_conditions}
