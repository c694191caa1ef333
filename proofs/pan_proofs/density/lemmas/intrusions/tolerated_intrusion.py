"""One intrusion, announced or not, that Algorithm 1 is to tolerate: not as printed, but with other noise."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.intrusions.coin_cells import COIN, half, ratio_of_bits, taylor
from pan_proofs.density.lemmas.intrusions.noise_limits import LIMITS, RATIOS, S, u, v
from pan_proofs.density.lemmas.intrusions.published_events import added_appearance, event_refutes
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le, lt
from pan_proofs.ledger.claim import Part, Role, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import equal, lemma

_pair = {p0: COIN[0], p1: COIN[1]}


def not_as_printed() -> Part:
    """A pair of streams, a seen bit and an output by which Algorithm 1 breaks its promise of two budgets."""
    longer, shorter = added_appearance(COIN)
    return Part(
        Role.COUNTEREXAMPLE,
        "a single intrusion, as printed",
        r"Algorithm 1 as printed does not tolerate a single intrusion, announced or unannounced, with its promise "
        r"$2\varepsilon$: not at $\varepsilon = \frac12$.",
        (
            event_refutes(
                "single",
                r"Let $\varepsilon = \frac12$ and $U = m = 2$, with the users $u$ and $v$; $S = (v, u)$, $S' = (v)$. A "
                r"bit is 1 with probability $\frac12$ before and $\frac58$ after an appearance; if $n$ bits are 1 at "
                r"the end, the output is $4n - 4$ plus Laplace noise of scale 1. The intrusion comes after the first "
                r"update; nothing changes if it is announced. The event: the bit of $u$ is seen as 0, and the output "
                r"exceeds 4. In $S'$ the bit of $u$ stays 0, in $S$ it is drawn again.",
                (longer, shorter),
                half,
                sp.Rational(3, 8) + sp.Rational(5, 8) * sp.exp(4),
                (
                    r"P_S &= \tfrac12 \left(\tfrac58 + \tfrac38 e^{-4}\right)^2 \cdot \tfrac12",
                    r"P_{S'} &= \tfrac12 \left(\tfrac58 + \tfrac38 e^{-4}\right) e^{-4} \cdot \tfrac12",
                    r"\frac{P_S}{P_{S'}} &= q_1 + p_1 e^4 = \tfrac38 + \tfrac58 e^4 > 34 > e = e^{2\varepsilon}",
                ),
                exceeds=sp.Integer(34),
                shown=(
                    (sp.Rational(5, 8) + sp.Rational(3, 8) * sp.exp(-4)) ** 2 / 4,
                    (sp.Rational(5, 8) + sp.Rational(3, 8) * sp.exp(-4)) * sp.exp(-4) / 4,
                ),
                hypotheses=(epsilon <= half,),
            ),
        ),
        formal=symbolic(gt(longer, sp.exp(2 * epsilon) * shorter), where={epsilon: half}),
    )


def with_other_noise() -> Part:
    """With the noise of the calibrated estimator Algorithm 1 keeps its promise."""
    budget, e = sp.symbols("X e", real=True)
    within = (e > 0, e <= half, budget >= 1 + e + e**2 / 2)
    origin = {e: sp.S.Zero, budget: sp.S.One}
    reached = [equal(f"single_{name}", "", "", partial(_at_its_limit, name), S) for name in LIMITS]
    states = (
        equal("single_one", "", "", partial(ratio_of_bits, 1), 1 + epsilon / 2),
        equal("single_zero", "", "", lambda: 1 / ratio_of_bits(0), 1 / (1 - epsilon / 2)),
    )
    return Part(
        Role.AMENDED,
        "a single intrusion, with other noise",
        r"For $0 < \varepsilon \le \frac12$, with the bits of Algorithm 1 and the two-sided geometric noise that the "
        r"calibrated estimator has for $p_0 = \frac12$, $p_1 = \frac12 + \frac\varepsilon4$ and $T = 2\varepsilon$, a "
        r"single intrusion, announced or unannounced, is tolerated: the joint loss is exactly $2\varepsilon$.",
        (
            taylor(),
            lemma(
                "room",
                r"The calibrated noise exists if the states lose less than the total. Here $A = 1 + \frac\varepsilon2$ "
                r"and $B = \frac{1}{1 - \varepsilon/2}$, and with $X = e^\varepsilon \ge 1 + \varepsilon + "
                r"\frac{\varepsilon^2}{2}$ both are less than $X^2$.",
                (
                    *(one for step in states for one in step.obligations),
                    *(
                        Inequality(f"single.{name}", one, budget**2, within, strict=True, touching=origin).discharge()
                        for name, one in (("one", 1 + e / 2), ("zero", 1 / (1 - e / 2)))
                    ),
                ),
                (r"1 + \tfrac\varepsilon2 < e^{2\varepsilon},\quad \frac{1}{1 - \varepsilon/2} &< e^{2\varepsilon}",),
            ),
            lemma(
                "solved",
                r"So calibrated.joint\_privacy applies: $u$ and $v$ are the larger ones of two limits "
                r"each. At its limit each of the four ratios is $S = e^{2\varepsilon}$. An announced intrusion to "
                r"which the algorithm does not respond is no different from an unannounced one.",
                tuple(one for step in reached for one in step.obligations),
                (r"B\,(q_1 + p_1/u) = S \quad \text{at} \quad u &= \frac{p_1}{S/B - q_1}",),
            ),
        ),
        formal=_stated_other_noise(),
    )


def _stated_other_noise() -> tuple[str, ...]:
    """The states leave room for noise, and each of the four ratios is the total at its limit."""
    total = sp.exp(2 * epsilon)
    return (
        *symbolic(
            lt(1 + epsilon / 2, total),
            lt(1 / (1 - epsilon / 2), total),
            given=(epsilon <= half,),
        ),
        *(
            one
            for name in LIMITS
            for one in symbolic(
                eq(RATIOS[name], S),
                given=(
                    eq(LIMITS[name], _share_of(name)),
                    gt(_share_of(name), 0),
                    gt(S, 1),
                    le(epsilon, half),
                ),
                where=_pair,
            )
        ),
    )


def _share_of(name: str) -> sp.Symbol:
    """The parameter of the noise on which a ratio depends."""
    return u if name.endswith("high") else v


def _at_its_limit(name: str) -> sp.Expr:
    """One of the four ratios at the least u, or v, that it allows, for the printed pair."""
    return (
        RATIOS[name].subs(_pair, simultaneous=True).subs(_share_of(name), LIMITS[name].subs(_pair, simultaneous=True))
    )
