"""The promise of the calibrated estimator against announced intrusions."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.intrusions.flipped_bits import (
    TRANSITIONS,
    flip,
    gap,
    gaps,
    last_stretch,
    product_form,
    rate,
    runs,
    stated_last_stretch,
    stretches,
)
from pan_proofs.density.lemmas.intrusions.many_announced import noise_solutions, one_more_look, recursion, stated_noise
from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import stated_largest
from pan_proofs.density.lemmas.intrusions.one_user import geometric_limits, mixture
from pan_proofs.density.lemmas.losses.joint_loss import Setting, limit, maximal_ratios, state_factor
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import at_most, equal, lemma

_P, _Q = (1 + gap) / 2, (1 - gap) / 2
_zero = sp.Symbol("s_0", real=True)


def calibrated_announced_intrusions() -> Claim:
    """The recursion along the looks, and the noise for a total."""
    return Claim(
        id="calibrated.announced_intrusions",
        title="A joint promise with announced intrusions",
        references=(Reference("here", "for the calibrated estimator against announced intrusions"),),
        statement=r"Let the first pair be symmetric, $p_1 = \frac{E}{1+E} = 1 - p_0$, $E = e^{\varepsilon_1} > 1$, "
        r"with gap $g = \frac{E-1}{E+1}$. After each of $K \ge 0$ announced intrusions every bit is flipped with "
        r"probability $\varphi < \frac12$, and later draws come from the pair with gap $g_i = g (1 - 2\varphi)^i$: "
        r"$P_i = \frac{1+g_i}{2}$, $Q_i = \frac{1-g_i}{2}$. Put $s^{(0)}_0 = s^{(0)}_1 = E$ and $s^{(i)}_b = "
        r"\max\{s^{(i-1)}_0 w_i(0, b),\ s^{(i-1)}_1 w_i(1, b)\}$ with $w_i(0,0) = \frac{1-\varphi}{Q_i}$, $w_i(0,1) "
        r"= \frac{P_i}{\varphi}$, $w_i(1,0) = \frac{Q_i}{\varphi}$, $w_i(1,1) = \frac{1-\varphi}{P_i}$. With noise "
        r"$P(N = k) \propto r^{-|k|}$ on the number of ones, the joint privacy loss, user-level, of the states at "
        r"the $K$ announced intrusions and at one unannounced one after them, and of the output, is exactly "
        r"$\log\max\{s^{(K)}_0 (Q_K + P_K r),\ s^{(K)}_1 (P_K + Q_K r)\}$. It is exactly $T = \log S$ for $r = "
        r"\min\left\{\frac{S/s^{(K)}_0 - Q_K}{P_K}, \frac{S/s^{(K)}_1 - P_K}{Q_K}\right\}$, which exceeds 1 if and "
        r"only if $S$ exceeds both $s^{(K)}_b$.",
        notation=(
            ("$b_i$", "bit that look $i$ shows"),
            ("$P$, $Q$", "probabilities of the bits $1$ and $0$ at the last draw"),
            (
                "$F$, $X$, $Y$, $a$, $x$, $y$",
                "in the step on mixtures: the factor, the two sums so far, and the weight and the densities of the "
                "next term",
            ),
        ),
        hypotheses=(
            r"$\varepsilon_1 > 0$, $0 < \varphi < \frac12$, $r > 1$",
            r"the bits, the flips, the noise and the sample are independent",
        ),
        silent=(
            r"Intrusions fall at the same places among the other users' updates in both streams.",
            r"The unannounced intrusion comes after all announced ones, and before the output: if it came just before "
            r"an announced one, no flip would lie between the two looks, and the loss would be infinite.",
            r"There are no deletions.",
            r"If fewer intrusions may be announced, $r$ is the least of the rates for $0, \ldots, K$ of them.",
        ),
        uses=("joint_loss.tight",),
        in_words=(
            (
                "product",
                "a seen bit tells all about what was drawn before it, so that the probability of what the looks "
                "show is a product over the stretches between them",
            ),
            (
                "recursion",
                "the streams of a pair may differ in each stretch, so that the largest ratio is a product of "
                "largest ratios",
            ),
            (
                "runs",
                "the bits of other users have one distribution in both streams; so the joint density for many users "
                "is a "
                "mixture of shifts of that of one user",
            ),
        ),
        parts=(_looks(), _loss(), _noise(), _one_announced()),
        remark=r"Announced looks are dear: from one look to the next the gap shrinks by $1 - 2\varphi$, and "
        r"$P_i/\varphi$ is what a seen 0 followed by a seen 1 costs.",
    )


def _looks() -> Part:
    return Part(
        Role.PUBLISHED,
        "the looks",
        r"The largest ratio of the probabilities of all bits seen at the looks, ending with $b$, is $s^{(K)}_b$, for "
        r"every $K$. In the formulas $G$ is the gap of a bit, $P_K - Q_K$, and $\varphi$ the probability of a flip.",
        (
            product_form(),
            one_more_look(),
            gaps(),
            _first_look(),
            stretches(),
            recursion(),
        ),
        formal=symbolic(
            *(ge(value, 1 / value) for value in TRANSITIONS.values()),
            given=(flip > 0, flip < sp.Rational(1, 2), gap > 0, gap <= 1 - 2 * flip),
        ),
    )


def _first_look() -> Step:
    odds = sp.Symbol("E", positive=True)
    high, low = odds / (1 + odds), 1 / (1 + odds)
    return lemma(
        "first_look",
        r"At the first look both bits have the ratio $E$, in the one order or the other.",
        [equality(f"announced.first.{bit}", one, odds) for bit, one in ((0, (1 - low) / (1 - high)), (1, high / low))],
        (r"\frac{q_0}{q_1} = \frac{p_1}{p_0} &= E",),
    )


def _loss() -> Part:
    return Part(
        Role.PUBLISHED,
        "with the output",
        r"The joint loss is $\log\max\{s^{(K)}_0 (Q_K + P_K r),\ s^{(K)}_1 (P_K + Q_K r)\}$, for every number of "
        r"users. In the formulas $G = P_K - Q_K$, and $\rho$ is a ratio of densities of the noise.",
        (last_stretch(), mixture(), runs()),
        formal=stated_last_stretch(),
    )


def _noise() -> Part:
    return Part(
        Role.PUBLISHED,
        "the noise",
        r"The joint loss is $T = \log S$ for the stated $r$, and there is such an $r > 1$ if and only if $S > "
        r"\max\{s^{(K)}_0, s^{(K)}_1\}$. In the formulas $G = P_K - Q_K$, and $s_b$ is $s^{(K)}_b$.",
        (
            geometric_limits(),
            *noise_solutions(),
            at_most(
                "necessary",
                r"Both bounds grow with $S$ and are 1 at $S = s_b$. At the smaller of them one ratio is $S$ and the "
                r"other at most $S$; and $S$ must exceed $s_b$, since for $r > 1$",
                Inequality(
                    "announced.necessary",
                    _zero,
                    _zero * (_Q + _P * rate),
                    (gap > 0, gap < 1, _zero > 1, rate > 1),
                    strict=True,
                    touching={rate: 1},
                ),
                (r"s_0 &< s_0\,(Q + P r)",),
            ),
        ),
        formal=stated_noise(),
    )


def _one_announced() -> Part:
    at = {flip: 1 / (1 + state_factor), gap: ((state_factor - 1) / (state_factor + 1)) ** 2}
    transitions = {key: value.subs(at, simultaneous=True) for key, value in TRANSITIONS.items()}
    last = [one.subs(at, simultaneous=True).subs(rate, limit) for one in (_Q + _P * rate, _P + _Q * rate)]
    first, second = (ratio.value for ratio in maximal_ratios(Setting("symmetric", announced=1)))
    odds = state_factor
    stated = (
        odds * ((1 + odds**2) * limit + 2 * odds) / (2 * (1 + odds)),
        odds * (1 + odds**2) * (1 + odds**2 + 2 * odds * limit) / (1 + odds) ** 3,
    )
    return Part(
        Role.PUBLISHED,
        "one announced intrusion, with the flip of randomised response",
        r"For $K = 1$ and $\varphi = \frac{1}{1+E}$ the joint loss is the logarithm of the larger of "
        r"$\frac{E ((1 + E^2) r + 2E)}{2 (1 + E)}$ and $\frac{E (1 + E^2) (1 + E^2 + 2 E r)}{(1 + E)^3}$.",
        (
            lemma(
                "products",
                r"These are $E\, w_1(0, 0)\, w(0)$, which equals $E\, w_1(1, 0)\, w(0)$ or exceeds it, and $E\, "
                r"w_1(0, 1)\, w(1)$, the two ratios found by listing all patterns.",
                (
                    *equal("first", "", "", state_factor * transitions[0, 0] * last[0], first).obligations,
                    *equal("second", "", "", state_factor * transitions[0, 1] * last[1], second).obligations,
                    Inequality(
                        "announced.other_bit",
                        sp.cancel(transitions[1, 0]),
                        sp.cancel(transitions[0, 0]),
                        (state_factor > 1,),
                        touching={state_factor: 1},
                    ).discharge(),
                    Inequality(
                        "announced.same_bit",
                        sp.cancel(transitions[1, 1]),
                        sp.cancel(transitions[0, 1]),
                        (state_factor > 1,),
                        touching={state_factor: 1},
                    ).discharge(),
                ),
                (
                    r"E\, w_1(0, 0)\, w(0) &= \frac{E\,((1 + E^2)\, r + 2E)}{2\,(1 + E)}",
                    r"E\, w_1(0, 1)\, w(1) &= \frac{E\,(1 + E^2)\,(1 + E^2 + 2 E r)}{(1 + E)^3}",
                ),
            ),
        ),
        formal=symbolic(
            eq(state_factor * transitions[0, 0] * last[0], stated[0]),
            eq(state_factor * transitions[0, 1] * last[1], stated[1]),
        )
        + symbolic(
            le(transitions[1, 0], transitions[0, 0]),
            le(transitions[1, 1], transitions[0, 1]),
            given=(state_factor > 1,),
        )
        + stated_largest(Setting("symmetric", announced=1)),
    )


CLAIMS = {"calibrated.announced_intrusions": calibrated_announced_intrusions}
