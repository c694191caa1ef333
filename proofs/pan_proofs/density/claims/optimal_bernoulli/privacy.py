"""Theorem 4.1 of the paper: the privacy of Algorithm 2."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import SECOND
from pan_proofs.density.lemmas.intrusions.other_neighbours import pair_replaced
from pan_proofs.density.lemmas.intrusions.published_events import (
    AFTER,
    BEFORE,
    BOTH,
    EVERY_SIZE,
    FOR_EVERY_SIZE,
    NEVER,
    OF_BOTH,
    added_appearance,
    event_refutes,
    is_the_entry,
    loss_formula,
    one_bits_weight,
    probability,
)
from pan_proofs.density.lemmas.intrusions.tanh_cells import (
    ETA,
    EXAMPLE,
    IS_WEIGHT,
    ONCE,
    ONCE_WEIGHED,
    PAIR,
    WEIGHT,
    added_exceeds,
    given_exceeds,
    state_ratios,
)
from pan_proofs.density.lemmas.losses.joint_loss import limit, state_factor
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.density.lemmas.losses.published_loss_proofs import optimal_pair_fails
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, lt
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, t
from pan_proofs.ledger.steps import at_most, lemma

_x = sp.exp(epsilon)
FACTOR = _x * (1 + _x * sp.exp(ETA)) / (1 + _x)
"""The exponential of the joint loss of Algorithm 2."""

# At exp(epsilon) = 3/2: 1/r, and what a redrawn bit contributes to the chance of an output above its value for ones.
_fifths, _power = sp.Rational(3, 5), sp.Rational(2, 3) ** 5
_ones = _fifths + sp.Rational(2, 5) * _power


def optbern_privacy() -> Claim:
    """The theorem, and the sentences of its proof."""
    return Claim(
        id="density.optbern_privacy",
        title="Privacy of Algorithm 2",
        references=(
            Reference("paper", "Theorem 4.1, section 4.3 and appendix B"),
            Reference("thesis", "Theorem 4.4, section 4.3.3"),
        ),
        statement=r"If $\varepsilon \le \frac12$, then Algorithm 2 is $2\varepsilon$-pan-private and uses all of its "
        r"budget. In the proof: the ratios of the two distributions of a bit are $e^\varepsilon$ and "
        r"$e^{-\varepsilon}$; the "
        r"rest is as for Algorithm 1.",
        notation=(("$b_1(S)$", "bit of the user at the intrusion, in the stream $S$"),),
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
        uses=("joint_loss.tight",),
        parts=(_state(), _output(), _joint(), _moved(), pair_replaced(), _nested()),
        nearby="calibrated.joint_privacy",
        remark=r"As $\varepsilon$ tends to 0, $\eta = \varepsilon/\tanh(\varepsilon/2)$ tends to 2, and the joint "
        r"loss to $\log\frac{1 + e^2}{2} \approx 1.43$. For large $\varepsilon$ it exceeds $2\varepsilon$ by less "
        r"and less, but always.",
    )


def _state() -> Part:
    return Part(
        Role.PUBLISHED,
        "the state",
        r"The state at any one moment of a common clock is $\varepsilon$-differentially private and uses all of this "
        r"budget, for every $\varepsilon > 0$.",
        (state_ratios(),),
        formal=symbolic(
            sp.Eq(((1 + t) / 2) / ((1 - t) / 2), _x),
            sp.Eq(((1 - t) / 2) / ((1 + t) / 2), 1 / _x),
            where={t: sp.tanh(epsilon / 2)},
        ),
    )


def _output() -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the output given the state",
        r"One bit weighs $\eta = \frac{\varepsilon}{\tanh(\varepsilon/2)}$ in units of the noise. Given the state that "
        r"is seen at the intrusion, the output loses at least $\log\frac{1 + e^{\varepsilon + \eta}}{1 + "
        r"e^\varepsilon}$, which exceeds $\varepsilon$ for all $\varepsilon > 0$.",
        (
            one_bits_weight(
                PAIR,
                ETA,
                r"\eta = \frac{\varepsilon m}{m \tanh(\varepsilon/2)} &= \frac{\varepsilon}{\tanh(\varepsilon/2)}",
            ),
            equal_as(
                "given_seen_bit",
                r"Let the bit be seen as 0 at the intrusion. Given this, an output above every count is $q_1 + p_1 "
                r"e^\eta$ times as likely if the user appears after the intrusion as if they do not.",
                (
                    (1 - p1 + p1 * sp.exp(ETA)).subs(p1, PAIR[1]),
                    ONCE.subs({state_factor: _x, limit: sp.exp(ETA)}, simultaneous=True),
                ),
                r"q_1 + p_1 e^\eta &= \frac{1 + e^{\varepsilon + \eta}}{1 + e^\varepsilon}",
            ),
            given_exceeds(),
        ),
        formal=symbolic(
            eq(epsilon / sp.tanh(epsilon / 2), ETA),
            eq(sp.Symbol("ratio"), (1 + _x * sp.exp(ETA)) / (1 + _x)),
        )
        + symbolic(gt(ONCE_WEIGHED, _x), given=IS_WEIGHT),
    )


def _joint() -> Part:
    longer, shorter = added_appearance(PAIR)
    return Part(
        Role.COUNTEREXAMPLE,
        "the joint loss",
        r"State and output jointly lose at least $\log\frac{1 + e^{\varepsilon + \eta}}{1 + e^\varepsilon}$, which "
        r"exceeds $2\varepsilon$ for all $0 < \varepsilon \le \frac12$. One appearance that is added suffices for "
        r"this: $P_S$ and $P_{S'}$ are the probabilities of the event below with and without it.",
        (
            event_refutes(
                "event",
                r"By hand, with $e^\varepsilon = \frac32$, so that $\varepsilon < \frac12$, and $U = m = 2$, users $u$ "
                r"and $v$: a bit is 1 with probability $\frac25$ before and $\frac35$ after an appearance; the output "
                r"is $\frac52 n - 2$, if $n$ bits are 1 at the end, plus Laplace noise that exceeds $z \ge 0$ with "
                r"probability $\frac12 (\frac23)^{2z}$. Let $S = (v, u)$ and $S' = (v)$, with the intrusion after the "
                r"first update. The event: the bit of $u$ is seen as 0 and the output exceeds 3. " + EVERY_SIZE,
                (longer, shorter),
                EXAMPLE,
                sp.Rational(793, 160),
                (
                    r"P_S &= \tfrac35 \left(\tfrac35 + \tfrac25 \left(\tfrac23\right)^5\right)^2 \cdot \tfrac12",
                    r"P_{S'} &= \tfrac35 \left(\tfrac35 + \tfrac25 \left(\tfrac23\right)^5\right) "
                    r"\left(\tfrac23\right)^5 \cdot \tfrac12",
                    r"\frac{P_S}{P_{S'}} &= q_1 + p_1 e^\eta = \tfrac{793}{160} > \tfrac94 = e^{2\varepsilon}",
                ),
                shown=(_fifths * _ones**2 / 2, _fifths * _ones * _power / 2),
                hypotheses=(epsilon <= sp.Rational(1, 2),),
            ),
            equal_as(
                "every_budget",
                r"In the same way for every $\varepsilon$,",
                (longer / shorter, ONCE.subs({state_factor: _x, limit: sp.exp(ETA)}, simultaneous=True)),
                r"\frac{P_S}{P_{S'}} &= q_1 + p_1 e^\eta = \frac{1 + e^{\varepsilon + \eta}}{1 + e^\varepsilon}",
            ),
            added_exceeds(),
        ),
        formal=symbolic(eq(OF_BOTH, (1 + _x * sp.exp(ETA)) / (1 + _x)))
        + symbolic(gt(ONCE_WEIGHED, sp.exp(2 * epsilon)), given=(*IS_WEIGHT, epsilon <= sp.Rational(1, 2))),
    )


def _moved() -> Part:
    return Part(
        Role.READING,
        "streams that agree once one user is removed",
        r"With the lecture's adjacency the joint loss for a seen sample is $\varepsilon + \log\frac{1 + e^{\varepsilon "
        r"+ \eta}}{1 + e^\varepsilon}$. It exceeds $2\varepsilon$ for every $\varepsilon > 0$.",
        (
            event_refutes(
                "moved_event",
                r"Let $e^\varepsilon = \frac32$, $U = 2$, $m = 1$, and $u$ be the sampled user, $w$ the other one. Let "
                r"$S = (w, u)$ and $S' = (u, w)$, with the intrusion after the first update. The output is $5b - 2$ "
                r"plus Laplace noise that exceeds $z \ge 0$ with probability $\frac12 (\frac23)^z$. The event: the "
                r"seen bit is 0 and the output exceeds 3.",
                (probability(PAIR, AFTER, 0), probability(PAIR, BEFORE, 0)),
                EXAMPLE,
                sp.Rational(2379, 320),
                (
                    r"P_S &= \tfrac35 \left(\tfrac35 \cdot \tfrac12 + \tfrac25 \cdot \tfrac12 "
                    r"\left(\tfrac23\right)^5\right)",
                    r"P_{S'} &= \tfrac25 \cdot \tfrac12 \left(\tfrac23\right)^5",
                    r"\frac{P_S}{P_{S'}} &= \tfrac{2379}{320} > \tfrac94 = e^{2\varepsilon}",
                ),
                shown=(_fifths * _ones / 2, sp.Rational(2, 5) * _power / 2),
                hypotheses=(epsilon <= sp.Rational(1, 2),),
            ),
            loss_formula(
                PAIR,
                ETA,
                FACTOR,
                r"B\,(q_1 + p_1 e^\eta) &= \frac{e^\varepsilon (1 + e^{\varepsilon+\eta})}{1 + e^\varepsilon}",
            ),
            lemma(
                "all_budgets",
                r"For every $\varepsilon > 0$: let $u = e^{-\varepsilon}$. Then $\eta = \varepsilon + "
                r"\frac{2\varepsilon u}{1-u}$, so that $e^\eta = \frac{w}{u}$ with $w \ge 1 + \frac{2\varepsilon "
                r"u}{1-u}$, and $\varepsilon \ge 1 - u$. These suffice for",
                (*analytic_lemmas()[:1], *optimal_pair_fails(), *is_the_entry("optimal-bernoulli", FACTOR, ETA)),
                (r"e^{2\varepsilon} &< \frac{e^\varepsilon (1 + e^{\varepsilon+\eta})}{1 + e^\varepsilon}",),
            ),
        ),
        formal=symbolic(eq(sp.Symbol("ratio"), FACTOR))
        + symbolic(gt(_x * ONCE_WEIGHED, sp.exp(2 * epsilon)), given=IS_WEIGHT),
        holds=False,
    )


def _nested() -> Part:
    both = state_factor * (state_factor + limit) / (1 + state_factor)
    return Part(
        Role.READING,
        "several appearances removed",
        r"If one stream must arise from the other by removing appearances of one user, the promise is false for all "
        r"$\varepsilon < \log 3$.",
        (
            event_refutes(
                "nested_event",
                r"Let $U = 2$, $m = 1$, and $u$ be the sampled user, $w$ the other one. Let $S = (u, u, w)$ and $S' = "
                r"(w)$, with the intrusion after the first update. The event: the seen bit is 1 and the output lies "
                r"below $-2$. At $e^\varepsilon = \frac32$,",
                tuple(probability(PAIR, pattern, 1, above=False) for pattern in (BOTH, NEVER)),
                EXAMPLE,
                sp.Rational(873, 160),
                (r"\frac{P_S}{P_{S'}} = A\,(p_1 + q_1 e^\eta) = \tfrac{873}{160} &> \tfrac94 = e^{2\varepsilon}",),
            ),
            at_most(
                "nested_all",
                r"With $E = e^\varepsilon$ this ratio exceeds $E^2$ just if $e^\eta > E^2$.",
                Inequality(
                    "optbern.nested",
                    state_factor**2,
                    both,
                    (state_factor > 1, limit > state_factor**2),
                    strict=True,
                    touching={state_factor: 2, limit: 4},
                ),
                (r"E^2 &< \frac{E\,(E + e^\eta)}{1 + E}",),
            ),
            lemma(
                "nested_range",
                r"That is $\eta > 2\varepsilon$, or $\tanh\frac\varepsilon2 < \frac12$, or $e^\varepsilon < 3$.",
                (
                    equality(
                        "optbern.both",
                        SECOND.subs({p0: PAIR[0], p1: PAIR[1]}, simultaneous=True),
                        both.subs(state_factor, _x),
                        "A (p1 + q1 r) for the symmetric pair",
                    ),
                    equality(
                        "optbern.half",
                        sp.tanh(epsilon / 2),
                        (_x - 1) / (_x + 1),
                        "tanh(epsilon/2) = (E - 1)/(E + 1) for E = exp(epsilon), which is 1/2 at E = 3",
                    ),
                    Inequality(
                        "optbern.below_three",
                        (state_factor - 1) / (state_factor + 1),
                        sp.Rational(1, 2),
                        (state_factor > 1, state_factor < 3),
                        strict=True,
                        touching={state_factor: 3},
                    ).discharge(),
                ),
                (r"\frac{E - 1}{E + 1} &< \tfrac12 \qquad (1 < E < 3)",),
            ),
        ),
        formal=symbolic(eq(sp.Symbol("ratio"), _x * (limit + _x) / (1 + _x)))
        + symbolic(
            gt(_x * (_x + sp.exp(WEIGHT)) / (1 + _x), sp.exp(2 * epsilon)),
            given=(*IS_WEIGHT, lt(_x, 3)),
        ),
        holds=False,
    )


CLAIMS = {"density.optbern_privacy": optbern_privacy}
