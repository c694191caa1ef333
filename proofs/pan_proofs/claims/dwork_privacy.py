"""Theorem 3.1 of the paper: the privacy of Algorithm 1."""

from __future__ import annotations

import sympy as sp

from pan_proofs.inequalities import Inequality
from pan_proofs.intrusions.coin_cells import COIN, FACTOR, chain, half, kept_exactly_up_to, ratios, taylor
from pan_proofs.intrusions.published_events import (
    AFTER,
    BEFORE,
    NEVER,
    event_refutes,
    is_the_entry,
    loss_formula,
    one_bits_weight,
)
from pan_proofs.joint_loss import limit
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, below_on_box, computed, counterexample, lemma
from pan_proofs.observations import p0, p1
from pan_proofs.published_loss_proofs import coin_fails

_WEIGHT_LINE = r"\eta = \frac{4}{\varepsilon m} \cdot \varepsilon m &= 4"


def dwork_privacy() -> Claim:
    """The theorem, and the sentences of its proof."""
    return Claim(
        id="density.dwork_privacy",
        title="Privacy of Algorithm 1",
        references=(
            Reference("paper", "Theorem 3.1, section 3.1 and appendix A"),
            Reference("thesis", "Theorem 4.1, section 4.2.1", r"the series is printed as $\sum_k \varepsilon^k k!$"),
        ),
        statement=r"If $\varepsilon \le \frac12$, then Algorithm 1 is $2\varepsilon$-pan-private. In the proof: the "
        r"state is $\varepsilon$-differentially private, by $e^{-\varepsilon} \le 1 \pm \frac\varepsilon2 \le "
        r"e^\varepsilon$; the sensitivity of the output is $\frac1m$, so that with noise of scale "
        r"$\frac{1}{\varepsilon m}$ the output given the state is $\varepsilon$-differentially private; and the joint "
        r"loss is the sum of the two.",
        hypotheses=(r"$0 < \varepsilon \le \frac12$",),
        silent=(
            r"The intrusion falls at the same place among the other users' updates in both streams.",
            r"A user may appear before and after the intrusion; the proof compares the state only for a user who "
            r"appears in one stream and never in the other.",
        ),
        uses=("joint_loss.tight", "thesis.post_processing"),
        parts=(_state(), kept_exactly_up_to(), _series(), _output_given_state(), _joint(), _nested(), _output_alone()),
        nearby="calibrated.joint_privacy",
        remark=r"The gap is wide: the loss tends to $\log\frac{1 + e^4}{2} \approx 3.3$ as $\varepsilon$ tends to 0. "
        r"Composition itself is sound. What fails is the second budget: the sensitivity is that of the density, while "
        r"the output is $\frac4\varepsilon$ times the mean of the bits.",
    )


def _state() -> Part:
    return Part(
        Role.PUBLISHED,
        "the state",
        r"For $0 < \varepsilon \le \frac12$ the state at any one time is $\varepsilon$-differentially private.",
        (ratios(), taylor(), chain()),
        formal=symbolic(sp.Le(sp.exp(-epsilon), 1 - epsilon / 2), sp.Le(1 + epsilon / 2, sp.exp(epsilon))),
    )


def _series() -> Part:
    k = sp.Symbol("k", integer=True, nonnegative=True)
    cancelled = sp.summation(half**k, (k, 0, sp.oo))
    return Part(
        Role.READING,
        "the printed series",
        r"As it is printed, the series is not that of $e^\varepsilon$. This is a slip of the pen: with "
        r"$\frac{1}{k!}$ for the factor it is, and the inequality that it is to show holds.",
        (
            counterexample(
                "series",
                r"With the factor $\frac{k!}{k!} = 1$, as in the paper, the sum at $\varepsilon = \frac12$ is 2. "
                r"With the factor $k!$, as in the thesis, the series diverges.",
                sp.Eq(epsilon * 2 * cancelled, sp.exp(epsilon), evaluate=False),
                {epsilon: half},
                lines=(r"\sum_{k \ge 0} \left(\tfrac12\right)^k = 2 &\ne e^{1/2}",),
            ),
            computed(
                "repaired",
                r"With the factor $\frac{1}{k!}$ the sum is as stated.",
                "the sum of epsilon^k/k! is exp(epsilon)",
                bool(sp.summation(epsilon**k / sp.factorial(k), (k, 0, sp.oo)) == sp.exp(epsilon)),
                engine="sympy",
                lines=(r"\sum_{k \ge 0} \frac{\varepsilon^k}{k!} &= e^\varepsilon",),
            ),
        ),
        holds=False,
    )


def _output_given_state() -> Part:
    given = (1 - COIN[1]) + COIN[1] * sp.exp(4)
    least = sp.Symbol("p", real=True)
    return Part(
        Role.COUNTEREXAMPLE,
        "the output given the state",
        r"One bit of the final state weighs 4 in units of the noise, whatever $\varepsilon$ is: the output loses 4 "
        r"nats between two final states, and $\log(q_1 + p_1 e^4) > 3$ given the state at the intrusion.",
        (
            one_bits_weight(COIN, sp.Integer(4), _WEIGHT_LINE),
            equal_as(
                "given_seen_bit",
                r"Given that the bit was seen as 0, an output above every count is more likely by the following factor "
                r"if the user appears after the intrusion than if they do not,",
                (
                    (1 - p1 + p1 * sp.exp(4)).subs(p1, COIN[1]),
                    (half - epsilon / 4) + (half + epsilon / 4) * sp.exp(4),
                ),
                r"q_1 + p_1 e^4 &= \tfrac12 - \tfrac\varepsilon4 + \left(\tfrac12 + \tfrac\varepsilon4\right) e^4",
            ),
            at_most(
                "given_is_large",
                r"which for $p_1 > \frac12$ and $e^4 \ge 54$ is more than 27, and so more than $e^3$, while "
                r"$\varepsilon \le \frac12$ was promised.",
                Inequality(
                    "dwork.given",
                    sp.Integer(21),
                    1 - least + least * limit,
                    (least >= half, least < 1, limit >= 54),
                    strict=True,
                    gap=sp.Rational(9, 10),
                    weaker=sp.Rational(1, 2),
                ),
                (r"e^3 < 21 &< q_1 + p_1 e^4",),
            ),
            lemma(
                "constants",
                r"Balls for the constants.",
                coin_fails()[:2],
                (r"e^3 \le 21,\quad 54 &\le e^4",),
            ),
            counterexample(
                "given_at_half",
                r"For instance, at $\varepsilon = \frac12$ the factor is not at most $e^\varepsilon$.",
                sp.Le(given, sp.exp(epsilon), evaluate=False),
                {epsilon: half},
                lines=(r"\tfrac38 + \tfrac58 e^4 > 34 &> e^{1/2}",),
            ),
        ),
    )


def _joint() -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the joint loss",
        r"The joint loss is $\log\frac{(2-\varepsilon) + (2+\varepsilon) e^4}{2 (2-\varepsilon)}$. It exceeds "
        r"$2\varepsilon$ for all $0 < \varepsilon < 2$, where the algorithm is defined.",
        (
            event_refutes(
                "event",
                r"By hand, with $\varepsilon = \frac12$, $m = 1$: the bit is 1 with probability $\frac12$ before and "
                r"$\frac58$ after an appearance; the output is $8b - 4$ plus Laplace noise of scale 2. In $S$ the "
                r"only user appears once, after the intrusion; in $S'$ once, before it. The event: the seen bit is 0 "
                r"and the output exceeds 4.",
                COIN,
                (AFTER, BEFORE),
                half,
                (
                    r"P_S &= \tfrac12 \left(\tfrac58 \cdot \tfrac12 + \tfrac38 \cdot \tfrac12 e^{-4}\right)",
                    r"P_{S'} &= \tfrac38 \cdot \tfrac12 e^{-4}",
                    r"\frac{P_S}{P_{S'}} &= \tfrac12 + \tfrac56 e^4 > 45 > e = e^{2\varepsilon}",
                ),
                hypotheses=(epsilon <= half,),
            ),
            loss_formula(
                COIN,
                sp.Integer(4),
                FACTOR,
                r"B\,(q_1 + p_1 e^4) &= \frac{(2-\varepsilon) + (2+\varepsilon)\, e^4}{2\,(2-\varepsilon)}",
            ),
            lemma(
                "all_budgets",
                r"For all $0 < \varepsilon < 2$: with $h = e^{\varepsilon/2}$ the tangent gives $(1 - "
                r"\frac\varepsilon2) h \le 1$, and $h^3 < e^3 \le 21$; these and $e^4 \ge 54$ suffice.",
                (*coin_fails(), *is_the_entry("dwork", FACTOR, sp.Integer(4))),
                (r"e^{2\varepsilon} &< \frac{(2-\varepsilon) + (2+\varepsilon)\, e^4}{2\,(2-\varepsilon)}",),
            ),
        ),
    )


def _nested() -> Part:
    return Part(
        Role.READING,
        "nested streams only",
        r"If one stream must arise from the other by removing appearances, or a single one, the promise is false as "
        r"well, for every $0 < \varepsilon \le \frac12$.",
        (
            event_refutes(
                "nested_event",
                r"In $S$ the user appears once, after the intrusion; in $S'$ never. The event is the same.",
                COIN,
                (AFTER, NEVER),
                half,
                (r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^4 = \tfrac38 + \tfrac58 e^4 &> 34 > e = e^{2\varepsilon}",),
                hypotheses=(epsilon <= half,),
            ),
            below_on_box(
                "nested_all",
                r"The ratio is $q_1 + p_1 e^4$ for every $\varepsilon$, of which balls show that it exceeds "
                r"$e^{2\varepsilon}$ on the whole range.",
                sp.exp(2 * epsilon),
                (1 - COIN[1]) + COIN[1] * sp.exp(4),
                {epsilon: (sp.S.Zero, half)},
                closest={epsilon: half},
                weaker=sp.Rational(1, 20),
                lines=(r"e^{2\varepsilon} &< q_1 + p_1 e^4 \qquad (0 \le \varepsilon \le \tfrac12)",),
            ),
        ),
        holds=False,
    )


def _output_alone() -> Part:
    largest = sp.Symbol("R", real=True)
    within = (p0 > 0, p0 < 1, p1 > 0, p1 < 1, limit > 0, largest >= 1, p1 <= largest * p0, 1 - p1 <= largest * (1 - p0))
    return Part(
        Role.READING,
        "the output alone",
        r"Without the state, the output is $\varepsilon$-differentially private for $\varepsilon \le \frac12$.",
        (
            at_most(
                "output_alone",
                r"The output is computed from the final state with noise of its own. If the ratios of both bits are at "
                r"most $R = e^\varepsilon$, then so is that of the output's densities, at every $\rho$.",
                Inequality(
                    "dwork.output",
                    1 - p1 + p1 * limit,
                    largest * (1 - p0 + p0 * limit),
                    within,
                    touching={largest: 1, p0: half, p1: half},
                ),
                (r"q_1 + p_1\rho &\le R\,(q_0 + p_0\rho)",),
            ),
        ),
    )


CLAIMS = {"density.dwork_privacy": dwork_privacy}
