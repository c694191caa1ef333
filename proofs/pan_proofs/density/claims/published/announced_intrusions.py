"""Sections 2.2.2 and 3 of the paper: announced intrusions, and two that are not announced."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.cell_enumeration import Cell, PhaseEnd, Update, probability, through_flip
from pan_proofs.density.lemmas.flipped_bits import TRANSITIONS, flip, gap
from pan_proofs.density.lemmas.joint_loss import AFTER_A_FLIP, p, q
from pan_proofs.density.lemmas.joint_loss import E as _E
from pan_proofs.density.lemmas.joint_loss import r as _r
from pan_proofs.density.lemmas.published_events import COIN, EXAMPLE, added_appearance, event_refutes, half
from pan_proofs.density.lemmas.published_losses import published_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.foundations.analytic_lemmas import at_most as constant_at_most
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import bounded, counterexample, equal, lemma

_HIGH = AFTER_A_FLIP[0]
_STATES = _E * (_E**2 + 1) / (_E + 1)
_LEAST = 1 + 2 * (_E + 1) / (_E - 1) + 2 * (_E + 1) ** 2 / (_E - 1) ** 2
_budget = sp.exp(epsilon)
_NONE, _ONE = Update.NONE, Update.INSERT


def announced_intrusions() -> Claim:
    """That several announced intrusions can be handled, what a single one and two unannounced ones do."""
    return Claim(
        id="density.announced_intrusions",
        title="Announced intrusions: that they can be handled",
        references=(
            Reference(
                "paper", "section 2.2.2, and section 3, first remark", "one sentence has unannounced for announced"
            ),
            Reference("thesis", "section 4.1.1, after definition 4.2, and section 4.2, first remark"),
        ),
        statement=r"After an announced intrusion the algorithm can re-randomise its state, and so handle several "
        r"announced intrusions. Of unannounced ones it cannot tolerate two. Algorithm 1 can tolerate a single "
        r"intrusion, announced or unannounced. Of the first sentence the judgement is that some such algorithm "
        r"exists, for every number of intrusions and every total; of the second one Algorithms 1 and 2 only, and not "
        r"all algorithms; and of the last one Algorithm 1 as printed, with its promise $2\varepsilon$.",
        notation=(
            (
                "$w_i(a, b)$",
                "largest ratio that the stretch before look $i$ costs, from the seen bit $a$ to the seen bit $b$",
            ),
            ("$P$, $Q$", "probabilities of the bits $1$ and $0$ at the last draw"),
            ("$s$, $s_0$, $s_1$; $w$", "what the looks so far cost, for a seen bit; what one more stretch costs"),
            ("$M$, $y$", "bounds on what the looks so far cost, and on what one more costs"),
        ),
        silent=(
            r"How the state is re-randomised, with which noise, and what is then promised, is left to another paper.",
            r"An unannounced intrusion comes after all announced ones. If it came just before an announced one, no "
            r"flip would lie between the two looks, and the loss would be infinite, as for two unannounced ones.",
            r"To draw all bits from $f_{\mathrm{init}}$ again would also re-randomise the state, and forget the "
            r"stream.",
            r"In the reading with printed parameters each bit goes through randomised response, which flips it with "
            r"probability $\frac{1}{1 + e^\varepsilon}$; later draws come from the pair after the same flip; the "
            r"output divides by the gap that is left and has the printed noise; every look and the output cost "
            r"$\varepsilon$.",
        ),
        uses=("joint_loss.tight", "calibrated.announced_intrusions", "calibrated.joint_privacy"),
        parts=(_exists(), _two_unannounced(), _not_as_printed(), _with_other_noise(), _states(), _joint()),
        remark=r"With printed parameters the gap shrinks from $t$ to $t^2$, $t = \tanh\frac\varepsilon2$, so that one "
        r"bit weighs $\frac{1}{m t^2}$ in the output, while its noise is made for $\frac1m$: at $\varepsilon = 0.1$ "
        r"the loss is 39.5 and not 0.3. That no algorithm at all can tolerate two unannounced intrusions is a theorem "
        r"that the source cites; it is not judged here, and derived below for Algorithms 1 and 2 only.",
    )


def _exists() -> Part:
    weight, least, odds, bound, total, looks = sp.symbols("w s y M T K", real=True)
    part, number = sp.symbols("delta K", positive=True)
    within = (flip > 0, flip < half, gap > 0, gap <= 1 - 2 * flip)
    fair = 1 / (1 + sp.exp(part))
    all_looks = sp.exp(part) * sp.simplify((1 - fair) / fair) ** number
    below = total * (looks + 1) / (looks + 2)
    return derived(
        Role.PUBLISHED,
        "several announced intrusions can be handled",
        r"For every $K \ge 0$ and every $T > 0$ there are a symmetric pair, flips and noise with which the states at "
        r"$K$ announced intrusions and at one unannounced one after them, and the output, have exactly the joint loss "
        r"$T$, user-level. By calibrated.announced\_intrusions there is such noise just if the states lose less than "
        r"$T$. In the formulas $G$ is the gap of a bit at the looks, and $\varphi$ the probability of a flip.",
        lemma(
            "cheap_stretch",
            r"As $\varphi \le Q_i \le P_i \le 1 - \varphi$, no stretch costs more than the flip alone:",
            [
                Inequality(
                    f"announced.cheap.{last}.{bit}",
                    cost,
                    (1 - flip) / flip,
                    within,
                ).discharge()
                for (last, bit), cost in TRANSITIONS.items()
            ],
            (r"w_i(a, b) &\le \frac{1-\varphi}{\varphi}",),
        ),
        bounded(
            "cheap_looks",
            r"By induction all $K + 1$ looks cost at most $E\,(\frac{1-\varphi}{\varphi})^K$: if $s_0, s_1 \le M$ "
            r"and $w \le y$, then",
            le(least * weight, bound * odds),
            least > 0,
            weight > 0,
            least <= bound,
            weight <= odds,
        ),
        equal_as(
            "choice",
            r"Choose $E = e^\delta$ and $\varphi = \frac{1}{1 + e^\delta} < \frac12$ with $\delta = "
            r"\frac{T}{K+2}$:",
            (all_looks, sp.exp((number + 1) * part)),
            r"E \left(\frac{1-\varphi}{\varphi}\right)^K &= e^{(K+1)\delta}",
        ),
        bounded(
            "below_total",
            r"This is less than $e^T$, since $(K+1)\,\delta < T$:",
            lt(below, total),
            total > 0,
            looks >= 0,
        ),
        only=(
            "cheap_stretch",
            "choice",
            "below_total",
        ),
        theorems=("announced_private", "announced_exact"),
    )


def _two_unannounced() -> Part:
    return Part(
        Role.PUBLISHED,
        "two unannounced intrusions",
        r"Against two unannounced intrusions Algorithms 1 and 2 have no finite loss, with any pair of probabilities "
        r"$0 < p_0 < p_1 < 1$: without an appearance between the looks a bit is never seen as 0 and then as 1; with "
        r"one it is so with positive probability.",
        (),
        theorems=("published_bitmap",),
    )


def _not_as_printed() -> Part:
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
                    r"\frac{P_S}{P_{S'}} &= q_1 + p_1 e^4 = \tfrac38 + \tfrac58 e^4 = 34.4\ldots > e = "
                    r"e^{2\varepsilon}",
                ),
                hypotheses=(epsilon <= half,),
            ),
        ),
        formal=symbolic(gt(longer, sp.exp(2 * epsilon) * shorter), where={epsilon: half}),
    )


def _with_other_noise() -> Part:
    losses = {"one": sp.log(1 + epsilon / 2), "zero": -sp.log(1 - epsilon / 2)}
    return Part(
        Role.AMENDED,
        "a single intrusion, with other noise",
        r"For $0 < \varepsilon \le \frac12$, with the bits of Algorithm 1 and the two-sided geometric noise that the "
        r"calibrated estimator has for $p_0 = \frac12$, $p_1 = \frac12 + \frac\varepsilon4$ and $T = 2\varepsilon$, a "
        r"single intrusion, announced or unannounced, is tolerated: the joint loss is exactly $2\varepsilon$.",
        (
            lemma(
                "room",
                r"By calibrated.joint\_privacy the noise exists if the states lose less than the total: here $\log(1 + "
                r"\frac\varepsilon2)$ by a seen 1 and $-\log(1 - \frac\varepsilon2)$ by a seen 0. An announced "
                r"intrusion to which the algorithm does not respond is no different from an unannounced one.",
                [
                    Slopes(
                        f"single.{name}",
                        2 * epsilon - loss,
                        epsilon,
                        sp.S.Zero,
                        {epsilon: half},
                        sp.S.One,
                        sp.S.One,
                        strict=True,
                    ).discharge()
                    for name, loss in losses.items()
                ],
                (r"\log(1 + \tfrac\varepsilon2),\ -\log(1 - \tfrac\varepsilon2) &< 2\varepsilon",),
            ),
        ),
        formal=symbolic(*(lt(loss, 2 * epsilon) for loss in losses.values()), given=(epsilon <= half,)),
    )


def _states() -> Part:
    at = {flip: 1 / (1 + _E), gap: ((_E - 1) / (_E + 1)) ** 2}
    factors = {key: sp.cancel(value.subs(at, simultaneous=True)) for key, value in TRANSITIONS.items()}
    listed = sp.exp(published_loss("announced-intrusions").state_loss).subs(epsilon, EXAMPLE)
    return Part(
        Role.READING,
        "with printed parameters: the states alone",
        r"An announced and an unannounced look together lose $\varepsilon + \log\frac{1 + e^{2\varepsilon}}{1 + "
        r"e^\varepsilon} < 2\varepsilon$. Of the states alone the statement is right.",
        (
            equal(
                "states",
                r"The first look costs $E = e^\varepsilon$ for either bit. With $\varphi = \frac{1}{1+E}$ and the gap "
                r"$g_1 = \tanh^2\frac\varepsilon2$ after the flip, a seen 0 followed by a seen 1 costs",
                r"E\, w_1(0, 1)",
                lambda: _E * sp.cancel(TRANSITIONS[0, 1].subs(at, simultaneous=True)),
                _STATES,
            ),
            lemma(
                "states_larger",
                r"The other three transitions do not cost more, and the loss that is listed for the looks alone is "
                r"this one at $e^\varepsilon = \frac32$.",
                [
                    *(
                        Inequality(f"announced.states.{last}.{bit}", cost, factors[0, 1], (_E > 1,)).discharge()
                        for (last, bit), cost in factors.items()
                        if (last, bit) != (0, 1)
                    ),
                    *equal(
                        "listed",
                        "",
                        "",
                        lambda: sp.simplify(listed.rewrite(sp.exp)),
                        _STATES.subs(_E, sp.Rational(3, 2)),
                    ).obligations,
                ],
            ),
            bounded("states_below", r"For $E > 1$ this is less than $E^2$.", lt(_STATES, _E**2), _E > 1),
        ),
        formal=(
            *symbolic(eq(sp.Symbol("ratio"), _STATES)),
            *symbolic(lt(_STATES, sp.exp(2 * epsilon)), where={_E: sp.exp(epsilon)}),
        ),
    )


def _joint() -> Part:
    cell = Cell(((q, p), through_flip((q, p), q)), (q,), 1 / _r, _r)
    schedule = (PhaseEnd.ANNOUNCED, PhaseEnd.LOOK, PhaseEnd.OUTPUT)

    def density(pattern: tuple[Update, ...]) -> sp.Expr:
        """Of a 0 at both looks and an output above every count."""
        return sp.factor(probability(cell, schedule, pattern, (0, 0), (_r,)))

    def by_hand() -> sp.Expr:
        at = {_E: sp.Rational(3, 2), _r: sp.Rational(3, 2) ** 25}
        return (density((_NONE, _NONE, _ONE)) / density((_NONE, _NONE, _NONE))).subs(at)

    found = sp.Symbol("ratio")
    return Part(
        Role.READING,
        "with printed parameters: looks and output",
        r"With one announced and one unannounced intrusion and the output, the joint loss is at least $\varepsilon + "
        r"\log\frac{(1 + e^{2\varepsilon}) r + 2 e^\varepsilon}{2 (1 + e^\varepsilon)}$ with $\log r = \eta = "
        r"\varepsilon/\tanh^2\frac\varepsilon2$. It exceeds $3\varepsilon$ for all $0 < \varepsilon \le \frac12$.",
        (
            counterexample(
                "by_hand",
                r"By hand, with $e^\varepsilon = \frac32$ and $m = U = 2$, the users $u$ and $v$: $S = (v, v, u)$ and "
                r"$S' = (v, v)$, with an announced look after the first update and an unannounced one after the "
                r"second. The pair is $\frac25, \frac35$; each bit is flipped with probability $\frac25$ after the "
                r"first look, and then the pair is $\frac{12}{25}, \frac{13}{25}$. The gap is $\frac{1}{25}$, and one "
                r"bit weighs $25\varepsilon$ in units of the noise: $r = (\frac32)^{25}$. Both looks show 0 for both "
                r"bits, with the same probability in both streams, and the output lies above every count; the bit of "
                r"$v$ adds the same, seen number:",
                le(found, sp.exp(3 * epsilon)),
                {found: by_hand, epsilon: EXAMPLE},
                (epsilon <= half,),
                (
                    r"\frac{P_S}{P_{S'}} &= \tfrac{12}{25} + \tfrac{13}{25} \left(\tfrac32\right)^{25}",
                    r"&> 13000 > \tfrac{27}{8} = e^{3\varepsilon}",
                ),
            ),
            equal(
                "gap_left",
                r"In general: the gap of the pair is $t = \tanh\frac\varepsilon2$, and a flip with probability "
                r"$\frac{1}{1 + e^\varepsilon}$ multiplies it by $1 - \frac{2}{1 + e^\varepsilon} = t$. One bit "
                r"weighs in units of the noise",
                r"\eta",
                sp.simplify(published_loss("announced-intrusions").eta.rewrite(sp.exp)),
                epsilon * ((_budget + 1) / (_budget - 1)) ** 2,
            ),
            equal_as(
                "witness",
                r"Let the user appear after both looks only in $S$, and once before each look in $S'$; both looks show "
                r"0, and the output lies above every count. In general this has, with $E = e^\varepsilon$, $r = "
                r"e^\eta$, $\varphi = \frac{1}{1+E}$ and the pair $Q_1, P_1 = \frac{1 \mp t^2}{2}$ after the flip, the "
                r"ratio",
                (density((_NONE, _NONE, _ONE)) / density((_ONE, _ONE, _NONE)), _HIGH),
                r"\frac{q_0\,(1 - \varphi)\,(Q_1 + P_1 r)}{q_1\,Q_1} &= \frac{E\,((1 + E^2)\, r + 2E)}{2\,(1 + E)}",
            ),
            lemma(
                "exceeds",
                r"As $\tanh\frac\varepsilon2 \le \frac\varepsilon2$, we have $\eta \ge \frac2t$, and $r \ge 1 + "
                r"\frac2t + \frac{2}{t^2}$. Then this ratio exceeds $E^3$ for $E \le e^{1/2} < 1.65$.",
                (
                    constant_at_most("exp(1/2)", sp.exp(half), sp.Rational(33, 20)),
                    Inequality(
                        "announced.exceeds",
                        _E**3,
                        _HIGH,
                        (_E > 1, sp.Rational(33, 20) >= _E, _r >= _LEAST),
                        strict=True,
                        gap=half,
                        weaker=sp.Rational(1, 20),
                    ).discharge(),
                ),
                (
                    r"e^{3\varepsilon} &< \frac{E\,((1 + E^2)\, r + 2E)}{2\,(1 + E)} \qquad (0 < \varepsilon \le "
                    r"\tfrac12)",
                ),
            ),
        ),
        formal=symbolic(sp.Gt(_HIGH, _E**3), given=(_E > 1, sp.Rational(33, 20) >= _E, _r >= _LEAST)),
        holds=False,
    )


CLAIMS = {"density.announced_intrusions": announced_intrusions}
