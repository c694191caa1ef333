"""Theorem 3.1 of the paper: the privacy of Algorithm 1."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.intrusions.coin_cells import (
    COIN,
    FACTOR,
    ONCE,
    added_exceeds,
    chain,
    given_seen_bit,
    half,
    kept_exactly_up_to,
    ratios,
    taylor,
)
from pan_proofs.density.lemmas.intrusions.other_neighbours import coins_replaced
from pan_proofs.density.lemmas.intrusions.published_events import (
    AFTER,
    BEFORE,
    EVERY_SIZE,
    FOR_EVERY_SIZE,
    OF_BOTH,
    added_appearance,
    event_refutes,
    is_the_entry,
    loss_formula,
    one_bits_weight,
    probability,
)
from pan_proofs.density.lemmas.losses.joint_loss import limit
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.density.lemmas.losses.published_loss_proofs import coin_fails, stated_coin_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, counterexample, found, lemma

_given_the_bit = sp.Symbol(r"\frac{P(O \mid b = 0)}{P'(O \mid b = 0)}")
_WEIGHT_LINE = r"\eta = \frac{4}{\varepsilon m} \cdot \varepsilon m &= 4"
# At epsilon = 1/2: what a redrawn bit contributes to the chance that the output exceeds its value for ones alone.
_ones = sp.Rational(5, 8) + sp.Rational(3, 8) * sp.exp(-4)


def dwork_privacy() -> Claim:
    """The theorem, and the sentences of its proof."""
    return Claim(
        id="density.dwork_privacy",
        title="Privacy of Algorithm 1",
        references=(
            Reference("paper", "Theorem 3.1, section 3.1 and appendix A"),
            Reference("thesis", "Theorem 4.1, section 4.2.1"),
        ),
        statement=r"If $\varepsilon \le \frac12$, then Algorithm 1 is $2\varepsilon$-pan-private. In the proof: the "
        r"state is $\varepsilon$-differentially private, by $e^{-\varepsilon} \le 1 \pm \frac\varepsilon2 \le "
        r"e^\varepsilon$; the sensitivity of the output is $\frac1m$, so that with noise of scale "
        r"$\frac{1}{\varepsilon m}$ the output given the state is $\varepsilon$-differentially private; and the joint "
        r"loss is the sum of the two.",
        notation=((r"$\eta$", "weight of one bit in the output, in units of the noise's scale"),),
        hypotheses=(r"$0 < \varepsilon \le \frac12$",),
        silent=(
            r"The intrusion falls at the same place among the other users' updates in both streams, that is, streams "
            r"have a common clock. This holds for what is said of the state, too: at the same index of streams of "
            r"different length even the state has no bound over all $m$.",
            r"A user may appear before and after the intrusion; the proof compares the state only for a user who "
            r"appears in one stream and never in the other.",
            r"The sample is seen, or $m = U$. If it is hidden, the joint loss that is named is an upper bound.",
        ),
        in_words=(("event", FOR_EVERY_SIZE),),
        uses=("joint_loss.tight", "thesis.post_processing"),
        parts=(
            _state(),
            kept_exactly_up_to(),
            _series(),
            _output_given_state(),
            _joint(),
            _moved(),
            coins_replaced(),
            _output_alone(),
        ),
        nearby="calibrated.joint_privacy",
        remark=r"The gap is wide: the loss tends to $\log\frac{1 + e^4}{2} \approx 3.3$ as $\varepsilon$ tends to 0. "
        r"Composition itself is sound. What fails is the second budget: the sensitivity is that of the density, while "
        r"the output is $\frac4\varepsilon$ times the mean of the bits.",
    )


def _state() -> Part:
    return Part(
        Role.PUBLISHED,
        "the state",
        r"For $0 < \varepsilon \le \frac12$ the state at any one moment of a common clock is "
        r"$\varepsilon$-differentially private.",
        (ratios(), taylor(), chain()),
        formal=symbolic(
            sp.Le(sp.exp(-epsilon), 1 - epsilon / 2),
            sp.Le(1 + epsilon / 2, sp.exp(epsilon)),
            given=(epsilon <= sp.Rational(1, 2),),
        ),
    )


def _series() -> Part:
    k = sp.Symbol("k", integer=True, nonnegative=True)
    partial = sp.Symbol(r"\sum_{k \le 3} \varepsilon^k k!")
    repaired = sp.Symbol(r"\sum_k \frac{\varepsilon^k}{k!}")
    return Part(
        Role.READING,
        "the printed series",
        r"As it is printed, $\sum_k \varepsilon^k k!$, the series is not that of $e^\varepsilon$. This is a slip of "
        r"the pen. With $\frac{1}{k!}$ in place of $k!$ the series is $e^\varepsilon$, and the inequality that the "
        r"series serves to prove holds.",
        (
            counterexample(
                "series",
                r"No term is negative. Already the first four exceed the sum that is stated.",
                le(partial, sp.exp(epsilon)),
                {partial: lambda: sum(half**power * sp.factorial(power) for power in range(4)), epsilon: half},
                lines=(r"\sum_{k \le 3} \left(\tfrac12\right)^k k! = \tfrac{11}{4} &> e^{1/2} = 1.648\ldots",),
            ),
            found(
                "diverges",
                r"With $k!$ the quotient of neighbouring terms is $(k+1)\,\varepsilon$, which has no bound. So the "
                r"series diverges.",
                "the limit of the quotient of neighbouring terms at epsilon = 1/2",
                lambda: sp.limit(sp.combsimp(sp.factorial(k + 1) / sp.factorial(k)) * half, k, sp.oo),
                sp.oo,
                engine="sympy",
            ),
            equal_as(
                "repaired",
                r"With $\frac{1}{k!}$ in place of $k!$ the sum is as stated.",
                (lambda: sp.summation(epsilon**k / sp.factorial(k), (k, 0, sp.oo)), sp.exp(epsilon)),
                r"\sum_{k \ge 0} \frac{\varepsilon^k}{k!} &= e^\varepsilon",
            ),
        ),
        formal=(
            *symbolic(gt(partial, sp.exp(epsilon)), where={epsilon: half}),
            *symbolic(eq(repaired, sp.exp(epsilon))),
            *symbolic(
                le(sp.exp(-epsilon), 1 - epsilon / 2),
                le(1 + epsilon / 2, sp.exp(epsilon)),
                given=(epsilon <= half,),
            ),
        ),
        holds=False,
    )


def _output_given_state() -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the output given the state",
        r"Given the state that is seen at the intrusion, the output loses at least $\log(q_1 + p_1 e^4)$, which "
        r"exceeds $\varepsilon$ for all $0 < \varepsilon < 2$. Here $p_1 = \frac12 + \frac\varepsilon4$ and $q_1 = 1 - "
        r"p_1$; $O$ is the set of outputs above every count, $b = 0$ is the seen bit, and $P'$ is the probability "
        r"without the appearance.",
        (one_bits_weight(COIN, sp.Integer(4), _WEIGHT_LINE), given_seen_bit()),
        formal=(
            *symbolic(eq(_given_the_bit, ONCE)),
            *symbolic(sp.Lt(sp.exp(epsilon), ONCE), given=(epsilon < 2,)),
        ),
    )


def _joint() -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the joint loss",
        r"State and output jointly lose at least $\log(q_1 + p_1 e^4)$, which exceeds $2\varepsilon$ for all $0 < "
        r"\varepsilon \le \frac12$. One appearance that is added suffices for this: $P_S$ and $P_{S'}$ are the "
        r"probabilities of the event below with and without it.",
        (
            event_refutes(
                "event",
                r"By hand, with $\varepsilon = \frac12$, $U = m = 2$, users $u$ and $v$: a bit is 1 with probability "
                r"$\frac12$ before and $\frac58$ after an appearance; the output is $4n - 4$ plus Laplace noise of "
                r"scale 1, if $n$ bits are 1 at the end. Let $S = (v, u)$ and $S' = (v)$, with the intrusion after the "
                r"first update. The event: the bit of $u$ is seen as 0 and the output exceeds 4. " + EVERY_SIZE,
                added_appearance(COIN),
                half,
                sp.Rational(3, 8) + sp.Rational(5, 8) * sp.exp(4),
                (
                    r"P_S &= \tfrac12 \left(\tfrac58 + \tfrac38 e^{-4}\right)^2 \cdot \tfrac12",
                    r"P_{S'} &= \tfrac12 \left(\tfrac58 + \tfrac38 e^{-4}\right) e^{-4} \cdot \tfrac12",
                    r"\frac{P_S}{P_{S'}} &= q_1 + p_1 e^4 = \tfrac38 + \tfrac58 e^4 > 34 > e = e^{2\varepsilon}",
                ),
                exceeds=sp.Integer(34),
                shown=(_ones**2 / 4, _ones * sp.exp(-4) / 4),
                hypotheses=(epsilon <= half,),
            ),
            equal_as(
                "every_budget",
                r"In the same way for every $\varepsilon$,",
                (added_appearance(COIN)[0] / added_appearance(COIN)[1], ONCE),
                r"\frac{P_S}{P_{S'}} &= q_1 + p_1 e^4 = \tfrac12 - \tfrac\varepsilon4 + \left(\tfrac12 + "
                r"\tfrac\varepsilon4\right) e^4",
            ),
            added_exceeds(),
        ),
        formal=(
            *symbolic(eq(OF_BOTH, ONCE)),
            *symbolic(sp.Lt(sp.exp(2 * epsilon), ONCE), given=(epsilon <= half,)),
        ),
    )


def _moved() -> Part:
    return Part(
        Role.READING,
        "streams that agree once one user is removed",
        r"With the lecture's adjacency the joint loss for a seen sample is $\log\frac{(2-\varepsilon) + "
        r"(2+\varepsilon) e^4}{2 (2-\varepsilon)}$. It exceeds $2\varepsilon$ for all $0 < \varepsilon < 2$. For "
        r"$\varepsilon = 2$, the largest budget for which the algorithm is defined, the bit of a user who has appeared "
        r"is never $0$, and the loss is infinite.",
        (
            event_refutes(
                "moved_event",
                r"Let $\varepsilon = \frac12$, $U = 2$, $m = 1$, and $u$ be the sampled user, $w$ the other one. Let "
                r"$S = (w, u)$ and $S' = (u, w)$, with the intrusion after the first update. The output is $8b - 4$ "
                r"plus Laplace noise of scale 2. The event: the seen bit is 0 and the output exceeds 4.",
                (probability(COIN, AFTER, 0), probability(COIN, BEFORE, 0)),
                half,
                half + sp.Rational(5, 6) * sp.exp(4),
                (
                    r"P_S &= \tfrac12 \left(\tfrac58 \cdot \tfrac12 + \tfrac38 \cdot \tfrac12 e^{-4}\right)",
                    r"P_{S'} &= \tfrac38 \cdot \tfrac12 e^{-4}",
                    r"\frac{P_S}{P_{S'}} &= \tfrac12 + \tfrac56 e^4 > 45 > e = e^{2\varepsilon}",
                ),
                exceeds=sp.Integer(45),
                shown=(_ones / 4, sp.Rational(3, 16) * sp.exp(-4)),
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
        formal=stated_coin_loss(),
        holds=False,
    )


def _output_alone() -> Part:
    largest = sp.Symbol("R", real=True)
    within = (p0 > 0, p0 < 1, p1 > 0, p1 < 1, limit > 0, largest >= 1, p1 <= largest * p0, 1 - p1 <= largest * (1 - p0))
    return Part(
        Role.READING,
        "the output alone",
        r"Without the state, the output is $\varepsilon$-differentially private for $\varepsilon \le \frac12$. Let "
        r"$f_0$ and $f_1$ be the densities of the output if the bit of the user is $0$ and $1$ at the end. The density "
        r"is $\frac12 f_0 + \frac12 f_1$ if the user never appears, and $(\frac12 - \frac\varepsilon4) f_0 + (\frac12 "
        r"+ \frac\varepsilon4) f_1$ if the user appears.",
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
        formal=_stated_output_alone(),
    )


def _stated_output_alone() -> tuple[str, ...]:
    """The densities of the output without and with appearances, from those of the output for the bits 0 and 1."""
    zero, one = sp.symbols("f_0 f_1", nonnegative=True)
    never, after = ((1 - chance) * zero + chance * one for chance in (half, half + epsilon / 4))
    factor = sp.exp(epsilon)
    return symbolic(
        le(after, factor * never),
        le(never, factor * after),
        given=(epsilon <= half,),
    )


CLAIMS = {"density.dwork_privacy": dwork_privacy}
