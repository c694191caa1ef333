"""Theorem 4.1 of the paper: the privacy of Algorithm 2."""

from __future__ import annotations

import sympy as sp

from pan_proofs.analytic_lemmas import analytic_lemmas
from pan_proofs.engines import Obligation
from pan_proofs.inequalities import Inequality
from pan_proofs.intrusions.published_events import (
    AFTER,
    BEFORE,
    BOTH,
    NEVER,
    event_refutes,
    is_the_entry,
    loss_formula,
    one_bits_weight,
)
from pan_proofs.intrusions.tanh_cells import ETA, EXAMPLE, PAIR, state_ratios
from pan_proofs.joint_loss import limit, state_factor
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.identities import identity_checks
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, equal, lemma
from pan_proofs.published_loss_proofs import optimal_pair_fails

_x = sp.exp(epsilon)
FACTOR = _x * (1 + _x * sp.exp(ETA)) / (1 + _x)
"""The exponential of the joint loss of Algorithm 2."""


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
        r"budget. In the proof: the ratios of the two laws of a bit are $e^\varepsilon$ and $e^{-\varepsilon}$; the "
        r"rest is as for Algorithm 1.",
        hypotheses=(r"$0 < \varepsilon \le \frac12$",),
        silent=(
            r"The intrusion falls at the same place among the other users' updates in both streams.",
            r"A user may appear before and after the intrusion; the proof compares the state only for a user who "
            r"appears in one stream and never in the other.",
        ),
        uses=("joint_loss.tight",),
        parts=(_state(), _output(), _joint(), _nested()),
        nearby="calibrated.joint_privacy",
        remark=r"As $\varepsilon$ tends to 0, $\eta = \varepsilon/\tanh(\varepsilon/2)$ tends to 2, and the joint "
        r"loss to $\log\frac{1 + e^2}{2} \approx 1.43$. For large $\varepsilon$ it exceeds $2\varepsilon$ by less "
        r"and less, but always.",
    )


def _state() -> Part:
    return Part(
        Role.PUBLISHED,
        "the state",
        r"The state at any one time is $\varepsilon$-differentially private and uses all of this budget, for every "
        r"$\varepsilon > 0$.",
        (state_ratios(),),
        formal=symbolic(sp.Eq(PAIR[1] / PAIR[0], _x, evaluate=False)),
    )


def _output() -> Part:
    gap = sp.Symbol("t", real=True)
    return Part(
        Role.COUNTEREXAMPLE,
        "the output given the state",
        r"One bit weighs $\eta = \frac{\varepsilon}{\tanh(\varepsilon/2)}$ in units of the noise, which exceeds "
        r"$\max\{\varepsilon, 2\}$.",
        (
            one_bits_weight(
                PAIR,
                ETA,
                r"\eta = \frac{\varepsilon m}{m \tanh(\varepsilon/2)} &= \frac{\varepsilon}{\tanh(\varepsilon/2)}",
            ),
            at_most(
                "larger",
                r"As $\tanh(\varepsilon/2) < 1$,",
                Inequality("optbern.noise", sp.S.One, 1 / gap, (gap > 0, gap < 1), strict=True, touching={gap: 1}),
                (r"\varepsilon &< \eta",),
            ),
            lemma(
                "larger_than_two",
                r"and as $\tanh\frac\varepsilon2 \le \frac\varepsilon2$,",
                [one for one in analytic_lemmas() if one.name == "lemma.tanh_below_identity"],
                (r"2 &\le \eta",),
            ),
        ),
    )


def _joint() -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the joint loss",
        r"The joint loss is $\varepsilon + \log\frac{1 + e^{\varepsilon + \eta}}{1 + e^\varepsilon}$. It exceeds "
        r"$2\varepsilon$ for every $\varepsilon > 0$.",
        (
            event_refutes(
                "event",
                r"By hand, with $e^\varepsilon = \frac32$, so that $\varepsilon < \frac12$, and $m = 1$: the bit is "
                r"1 with probability $\frac25$ before and $\frac35$ after an appearance; the output is $5b - 2$ plus "
                r"Laplace noise that exceeds $z \ge 0$ with probability $\frac12 (\frac23)^z$. In $S$ the only user "
                r"appears once, after the intrusion; in $S'$ once, before it. The event: the seen bit is 0 and the "
                r"output exceeds 3.",
                PAIR,
                (AFTER, BEFORE),
                EXAMPLE,
                (
                    r"P_S &= \tfrac35 \left(\tfrac35 \cdot \tfrac12 + \tfrac25 \cdot \tfrac12 "
                    r"\left(\tfrac23\right)^5\right)",
                    r"P_{S'} &= \tfrac25 \cdot \tfrac12 \left(\tfrac23\right)^5",
                    r"\frac{P_S}{P_{S'}} &= \tfrac{2379}{320} > \tfrac94 = e^{2\varepsilon}",
                ),
                hypotheses=(epsilon <= sp.Rational(1, 2),),
            ),
            _shown_ratio(),
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
    )


def _shown_ratio() -> Step:
    value = FACTOR.subs(epsilon, EXAMPLE)
    return equal(
        "shown",
        r"The same number comes from the formula below, at $e^\eta = \left(\frac32\right)^5$:",
        "",
        value,
        sp.Rational(2379, 320),
    )


def _nested() -> Part:
    within = (state_factor > 1, limit > state_factor**2)
    both = state_factor * (state_factor + limit) / (1 + state_factor)
    once = (1 + state_factor * limit) / (1 + state_factor)
    gap = (_x - 1) / (_x + 1)
    return Part(
        Role.READING,
        "nested streams only",
        r"If one stream must arise from the other by removing appearances, the promise is false for $\varepsilon < "
        r"\log 3$, and so for all that the theorem is about. For a single appearance it is false at $e^\varepsilon = "
        r"\frac32$.",
        (
            event_refutes(
                "nested_event",
                r"In $S$ the user appears before and after the intrusion, in $S'$ never. The event: the seen bit is "
                r"1 and the output lies below $-2$. At $e^\varepsilon = \frac32$,",
                PAIR,
                (BOTH, NEVER),
                EXAMPLE,
                (r"\frac{P_S}{P_{S'}} = A\,(p_1 + q_1 e^\eta) = \tfrac{873}{160} &> \tfrac94 = e^{2\varepsilon}",),
                bit=1,
                above=False,
            ),
            event_refutes(
                "single_event",
                r"With a single appearance, after the intrusion, against none, the bit 0 and an output above 3,",
                PAIR,
                (AFTER, NEVER),
                EXAMPLE,
                (r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^\eta = \tfrac{793}{160} &> \tfrac94 = e^{2\varepsilon}",),
            ),
            at_most(
                "nested_all",
                r"With $E = e^\varepsilon$ the first of these ratios exceeds $E^2$ just if $e^\eta > E^2$.",
                Inequality(
                    "optbern.nested",
                    state_factor**2,
                    both,
                    within,
                    strict=True,
                    touching={state_factor: 2, limit: 4},
                ),
                (r"E^2 &< \frac{E\,(E + e^\eta)}{1 + E}",),
            ),
            lemma(
                "nested_range",
                r"That is $\eta > 2\varepsilon$, or $\tanh\frac\varepsilon2 < \frac12$, or $e^\varepsilon < 3$.",
                (
                    Obligation(
                        "optbern.half",
                        "tanh(epsilon/2) is 1/2 at exp(epsilon) = 3",
                        identity_checks(gap.subs(epsilon, sp.log(3)), sp.Rational(1, 2)),
                    ),
                    Inequality(
                        "optbern.below_three",
                        (state_factor - 1) / (state_factor + 1),
                        sp.Rational(1, 2),
                        (state_factor > 1, state_factor < 3),
                        strict=True,
                        touching={state_factor: 3},
                    ).discharge(),
                    Obligation(
                        "optbern.shown",
                        "the displayed ratios are 873/160 and 793/160",
                        (
                            *identity_checks(_at_example(both), sp.Rational(873, 160)),
                            *identity_checks(_at_example(once), sp.Rational(793, 160)),
                        ),
                    ),
                ),
                (r"\frac{E - 1}{E + 1} &< \tfrac12 \qquad (1 < E < 3)",),
            ),
        ),
        holds=False,
    )


def _at_example(ratio: sp.Expr) -> sp.Expr:
    return ratio.subs({state_factor: sp.exp(EXAMPLE), limit: sp.exp(ETA.subs(epsilon, EXAMPLE))}, simultaneous=True)


CLAIMS = {"density.optbern_privacy": optbern_privacy}
