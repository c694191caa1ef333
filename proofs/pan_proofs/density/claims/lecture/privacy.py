"""Theorem 5 of the lecture: the privacy of its density estimator."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.intrusions.coin_cells import (
    COIN,
    FACTOR,
    ONCE,
    given_seen_bit,
    half_is_exceeded,
    kept_exactly_up_to,
    ratio_of_bits,
    zero_is_worse,
)
from pan_proofs.density.lemmas.intrusions.other_neighbours import different_lengths
from pan_proofs.density.lemmas.intrusions.published_events import (
    AFTER,
    BEFORE,
    EVERY_SIZE,
    added_appearance,
    event_refutes,
    is_the_entry,
    loss_formula,
    one_bits_weight,
    probability,
    with_values,
)
from pan_proofs.density.lemmas.losses.published_loss_proofs import coin_fails, stated_coin_loss
from pan_proofs.engines.relations import le
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import counterexample, equal, lemma

# At epsilon = 1: what a redrawn bit contributes to the chance that the output exceeds its value for ones alone.
_ones = sp.Rational(3, 4) + sp.Rational(1, 4) * sp.exp(-4)


def lecture_privacy() -> Claim:
    """The theorem, its chain of ratios, and its sentence on the output."""
    return Claim(
        id="lecture.privacy",
        title="Privacy of the lecture's density estimator",
        references=(Reference("lecture", "Theorem 5"),),
        statement=r"The estimator is user-level $2\varepsilon$-pan-private. In the proof: $\frac{P(b_x = 1 \mid "
        r"\sigma)}{P(b_x = 1 \mid \sigma')} \le \frac{1/2 + \varepsilon/4}{1/2} = 1 + \frac\varepsilon2 \le "
        r"e^{\varepsilon/2}$, which guarantees privacy against a single intrusion; and given the state, the output is "
        r"$\varepsilon$-differentially private.",
        notation=(
            (r"$\eta$", "weight of one bit in the output, in units of the noise's scale"),
            (r"$P_\sigma$, $P_{\sigma'}$", r"probabilities of the event for the streams $\sigma$ and $\sigma'$"),
        ),
        hypotheses=(),
        silent=(
            r"$0 < \varepsilon < 2$, without which $\frac12 + \frac\varepsilon4$ is no probability in $(0, 1)$.",
            r"Streams are neighbours if they agree once all occurrences of one user are removed; the intrusion falls "
            r"at the same place among the other users' updates, that is, streams have a common clock. This holds for "
            r"what is said of the state, too.",
            r"The sample is seen, or $m = U$. If it is hidden, the joint loss that is named is an upper bound.",
        ),
        uses=("joint_loss.tight",),
        parts=(_chain(), _other_bit(), kept_exactly_up_to(), _output(), _joint(), different_lengths()),
        nearby="calibrated.joint_privacy",
        remark=r"The chain of ratios looks at the bit 1 only. Its budget of $\frac\varepsilon2$ for the state would be "
        r"right for the bit 1, and is exceeded by the bit 0; $\varepsilon$, which the theorem needs, holds up to "
        r"$\varepsilon^\ast$ only. The output fails as in Theorem 3.1 of the paper.",
    )


def _chain() -> Part:
    named = {one.name: one for one in analytic_lemmas()}
    return Part(
        Role.PUBLISHED,
        "the chain for the bit 1",
        r"Seen at one moment of a common clock, the bit 1 has at most the ratio $1 + \frac\varepsilon2 \le "
        r"e^{\varepsilon/2}$.",
        (
            equal(
                "bit_one",
                r"From the two distributions,",
                r"\frac{P(b_x = 1 \mid \sigma)}{P(b_x = 1 \mid \sigma')}",
                lambda: ratio_of_bits(1),
                1 + epsilon / 2,
            ),
            lemma(
                "tangent",
                r"Moreover $1 + z \le e^z$ at $z = \frac\varepsilon2$. In the other order the ratio is below 1.",
                named["lemma.exp_above_tangent"],
                (r"1 + \tfrac\varepsilon2 &\le e^{\varepsilon/2}",),
            ),
        ),
        formal=symbolic(sp.Le(1 + epsilon / 2, sp.exp(epsilon / 2))),
    )


def _other_bit() -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the bit 0",
        r"As a guarantee against one intrusion $e^{\varepsilon/2}$ is wrong for every $0 < \varepsilon < 2$: seen as "
        r"0, the bit has the ratio $\frac{1}{1 - \varepsilon/2}$.",
        (
            with_values(
                counterexample(
                    "at_one",
                    r"At $\varepsilon = 1$: the bit is 0 with probability $\frac12$ if the user has not appeared, and "
                    r"$\frac14$ if they have.",
                    le(1 / ratio_of_bits(0), sp.exp(epsilon / 2)),
                    {epsilon: 1},
                    lines=(r"\frac{1/2}{1/4} = 2 &> e^{1/2} = 1.648\ldots",),
                ),
                (lambda: 1 / ratio_of_bits(0).subs(epsilon, 1), sp.Integer(2)),
            ),
            zero_is_worse(),
            half_is_exceeded(),
        ),
        formal=symbolic(sp.Lt(sp.exp(epsilon / 2), 1 / ratio_of_bits(0)), given=(epsilon < 2,)),
    )


def _output() -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the output given the state",
        r"Given the state that is seen at the intrusion, the output loses at least $\log(q_1 + p_1 e^4)$, which "
        r"exceeds $\varepsilon$ for all $0 < \varepsilon < 2$.",
        (
            one_bits_weight(COIN, sp.Integer(4), r"\eta = \frac{4}{\varepsilon m} \cdot \varepsilon m &= 4"),
            given_seen_bit(),
        ),
        formal=symbolic(sp.Lt(sp.exp(epsilon), ONCE), given=(epsilon < 2,)),
    )


def _joint() -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the theorem",
        r"State and output jointly lose more than $2\varepsilon$ for every $0 < \varepsilon < 2$; for a seen sample, "
        r"$\log\frac{(2-\varepsilon) + (2+\varepsilon) e^4}{2 (2-\varepsilon)}$.",
        (
            event_refutes(
                "event",
                r"At $\varepsilon = 1$, $U = m = 2$, with users $u$ and $v$: let $\sigma = (v, u)$ and $\sigma' = "
                r"(v)$, with the intrusion after the first update. The output is $2n - 2$ plus Laplace noise of scale "
                r"$\frac12$, if $n$ bits are 1 at the end. The event: the bit of $u$ is seen as 0 and the output "
                r"exceeds 2. " + EVERY_SIZE,
                added_appearance(COIN),
                sp.S.One,
                sp.Rational(1, 4) + sp.Rational(3, 4) * sp.exp(4),
                (
                    r"P_\sigma &= \tfrac12 \left(\tfrac34 + \tfrac14 e^{-4}\right)^2 \cdot \tfrac12",
                    r"P_{\sigma'} &= \tfrac12 \left(\tfrac34 + \tfrac14 e^{-4}\right) e^{-4} \cdot \tfrac12",
                    r"\frac{P_\sigma}{P_{\sigma'}} &= q_1 + p_1 e^4 = \tfrac14 + \tfrac34 e^4 > 41 > e^2 = "
                    r"e^{2\varepsilon}",
                ),
                exceeds=sp.Integer(41),
                shown=(_ones**2 / 4, _ones * sp.exp(-4) / 4),
            ),
            event_refutes(
                "moved_event",
                r"A worse pair, also at $\varepsilon = 1$: let $U = 2$, $m = 1$, and $u$ be the sampled user, $w$ the "
                r"other one. Let $\sigma = (w, u)$ and $\sigma' = (u, w)$, which agree once $u$ is removed, with the "
                r"intrusion after the first update. The output is $4b - 2$ plus Laplace noise of scale 1. The event: "
                r"the seen bit is 0 and the output exceeds 2.",
                (probability(COIN, AFTER, 0), probability(COIN, BEFORE, 0)),
                sp.S.One,
                sp.Rational(1, 2) + sp.Rational(3, 2) * sp.exp(4),
                (
                    r"P_\sigma &= \tfrac12 \left(\tfrac34 \cdot \tfrac12 + \tfrac14 \cdot \tfrac12 e^{-4}\right)",
                    r"P_{\sigma'} &= \tfrac14 \cdot \tfrac12 e^{-4}",
                    r"\frac{P_\sigma}{P_{\sigma'}} &= \tfrac12 + \tfrac32 e^4 > 81 > e^2 = e^{2\varepsilon}",
                ),
                exceeds=sp.Integer(81),
                shown=(_ones / 4, sp.exp(-4) / 8),
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
                (*coin_fails(), *is_the_entry("lecture", FACTOR, sp.Integer(4))),
                (r"e^{2\varepsilon} &< \frac{(2-\varepsilon) + (2+\varepsilon)\, e^4}{2\,(2-\varepsilon)}",),
            ),
        ),
        formal=stated_coin_loss(),
    )


CLAIMS = {"lecture.privacy": lecture_privacy}
