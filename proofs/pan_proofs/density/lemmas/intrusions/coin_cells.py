"""The cells of Algorithm 1 and of the lecture: a fair coin before, and ``1/2 + epsilon/4`` after an appearance."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.intrusions.published_events import AFTER, NEVER, output_refutes, probability
from pan_proofs.density.lemmas.losses.joint_loss import limit
from pan_proofs.density.lemmas.optimality.private_pairs import bernoulli
from pan_proofs.engines.computations import comparison, computed_value, of_one_sign, positive_everywhere
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.foundations.analytic_lemmas import at_most as constant_at_most
from pan_proofs.foundations.ladders import positive_ladder
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, below_on_box, equal, lemma

half = sp.Rational(1, 2)
COIN = (half, half + epsilon / 4)
"""The printed pair."""

FACTOR = ((2 - epsilon) + (2 + epsilon) * sp.exp(4)) / (2 * (2 - epsilon))
"""The exponential of the joint loss; one bit weighs 4 in units of the noise."""

ONCE = (1 - COIN[1]) + COIN[1] * sp.exp(4)
"""``q1 + p1 exp(4)``."""

STATE_KEPT_BELOW = (sp.Rational(1593, 1000), sp.Rational(1594, 1000))
"""Between these two lies the largest epsilon for which the state keeps its budget."""

_e, _exponential = sp.symbols("e X", real=True)


def ratio_of_bits(bit: int) -> sp.Expr:
    """``R(b)``: probability of a bit after an appearance over that before."""
    before, after = (bernoulli(one) for one in COIN)
    return after[bit] / before[bit]


def ratios() -> Step:
    """The two ratios, from the distributions."""
    stated = {1: 1 + epsilon / 2, 0: 1 - epsilon / 2}
    checked = [equal(f"ratio.{bit}", "", "", partial(ratio_of_bits, bit), one) for bit, one in stated.items()]
    return lemma(
        "ratios",
        r"Of the state only the bit $b$ of the user differs in distribution. If the user has appeared before the "
        r"intrusion in "
        r"one of the streams and not in the other, the ratio of the probabilities is $R(b)$ or $1/R(b)$.",
        [one for step in checked for one in step.obligations],
        (
            r"R(1) = \frac{\frac12 + \frac\varepsilon4}{\frac12} &= 1 + \frac\varepsilon2",
            r"R(0) = \frac{\frac12 - \frac\varepsilon4}{\frac12} &= 1 - \frac\varepsilon2",
        ),
    )


def taylor() -> Step:
    """The facts about the exponential that are used."""
    named = {one.name: one for one in analytic_lemmas()}
    return lemma(
        "taylor",
        r"By Taylor's formula $e^\varepsilon \ge 1 + \varepsilon$, and $e^\varepsilon \ge 1 + \varepsilon + "
        r"\frac{\varepsilon^2}{2}$ for $\varepsilon \ge 0$.",
        (named["lemma.exp_above_tangent"], named["lemma.exp_above_square"]),
        (r"e^\varepsilon &\ge 1 + \varepsilon + \tfrac{\varepsilon^2}{2}",),
    )


def chain() -> Step:
    """All four inequalities between the ratios and the budget, for ``epsilon <= 1/2``."""
    within = (_e > 0, _e <= half, _exponential >= 1 + _e + _e**2 / 2)
    origin = {_e: sp.S.Zero, _exponential: sp.S.One}
    sides = {
        "one_above": (1 + _e / 2, _exponential),
        "one_below": (1 / _exponential, 1 + _e / 2),
        "zero_above": (1 - _e / 2, _exponential),
        "zero_below": (1 / _exponential, 1 - _e / 2),
    }
    return lemma(
        "chain",
        r"With $X = e^\varepsilon \ge 1 + \varepsilon + \frac{\varepsilon^2}{2}$ and $0 < \varepsilon \le \frac12$, "
        r"all four inequalities hold.",
        [Inequality(f"coin.{name}", *pair, within, touching=origin).discharge() for name, pair in sides.items()],
        (
            r"e^{-\varepsilon} \le 1 + \tfrac\varepsilon2 &\le e^\varepsilon",
            r"e^{-\varepsilon} \le 1 - \tfrac\varepsilon2 &\le e^\varepsilon",
        ),
    )


def zero_is_worse(name: str = "zero_is_worse") -> Step:
    """The bit 0 tells more than the bit 1."""
    return at_most(
        name,
        r"The bit 0 loses more than the bit 1, since $(1 + \frac\varepsilon2)(1 - \frac\varepsilon2) < 1$.",
        Inequality("coin.zero_is_worse", 1 + _e / 2, 1 / (1 - _e / 2), (_e > 0, _e < 2), strict=True, touching={_e: 0}),
        (r"\log(1 + \tfrac\varepsilon2) &< -\log(1 - \tfrac\varepsilon2) \qquad (0 < \varepsilon < 2)",),
    )


def half_is_exceeded() -> Step:
    """``-log(1 - epsilon/2) > epsilon/2`` for ``0 < epsilon < 2``."""
    s = sp.Symbol("s", positive=True)
    # epsilon/2 = s/(1 + s) runs through (0, 1), and -log(1 - epsilon/2) = log(1 + s).
    ladder = positive_ladder("coin.half", s, (sp.log(1 + s) - s / (1 + s), s), (1 / (1 + s) ** 2,))
    return lemma(
        "half_is_exceeded",
        r"Put $\frac\varepsilon2 = \frac{s}{1+s}$, which runs through $(0, 1)$ for $s > 0$. Then $-\log(1 - "
        r"\frac\varepsilon2) = \log(1+s)$, and $\log(1+s) - \frac{s}{1+s}$ is 0 at $s = 0$ and has a positive "
        r"derivative.",
        ladder,
        (
            r"\frac{d}{ds} \left(\log(1+s) - \frac{s}{1+s}\right) &= \frac{s}{(1+s)^2} > 0",
            r"-\log(1 - \tfrac\varepsilon2) &> \tfrac\varepsilon2 \qquad (0 < \varepsilon < 2)",
        ),
    )


def given_seen_bit() -> Step:
    """Given a seen 0, the output's ratio exceeds 27, and so ``e^epsilon``, for ``0 < epsilon < 2``."""
    present = COIN[1].subs(epsilon, _e)
    exceeds = Inequality(
        "coin.given",
        sp.Integer(27),
        1 - present + present * limit,
        (_e > 0, _e < 2, limit >= 54),
        strict=True,
        gap=sp.Rational(99, 100),
        weaker=half,
    )
    return lemma(
        "given_seen_bit",
        r"Let the bit be seen as 0 at the intrusion. Given this, an output above every count has two probabilities: "
        r"one if the user appears after the intrusion, and one if the user does not. The first is $q_1 + p_1 e^4$ "
        r"times the second. As $p_1 > \frac12$ and $e^4 \ge 54$, this is more than 27, while $e^\varepsilon < e^2 \le "
        r"8$ was promised. At $\varepsilon = \frac12$ the probabilities of this event break the promise.",
        (
            equality(
                "coin.once",
                probability(COIN, AFTER, 0) / probability(COIN, NEVER, 0),
                half - epsilon / 4 + (half + epsilon / 4) * sp.exp(4),
                "the ratio of the probabilities is q1 + p1 exp(4) as displayed",
            ),
            output_refutes("coin.given_at_one_half", COIN, half),
            exceeds.discharge(),
            constant_at_most("54", sp.Integer(54), sp.exp(4)),
            constant_at_most("e^2", sp.exp(2), sp.Integer(8)),
        ),
        (
            r"q_1 + p_1 e^4 &= \tfrac12 - \tfrac\varepsilon4 + \left(\tfrac12 + \tfrac\varepsilon4\right) e^4",
            r"e^\varepsilon < 8 < 27 &< q_1 + p_1 e^4 \qquad (0 < \varepsilon < 2)",
        ),
    )


def added_exceeds() -> Step:
    """``q1 + p1 exp(4)`` exceeds ``exp(2 epsilon)`` for ``0 < epsilon <= 1/2``."""
    return below_on_box(
        "all_of_the_range",
        r"Balls show that this ratio exceeds $e^{2\varepsilon}$ on the whole range of the theorem.",
        sp.exp(2 * epsilon),
        ONCE,
        {epsilon: (sp.S.Zero, half)},
        closest={epsilon: half},
        weaker=sp.Rational(1, 20),
        lines=(r"e^{2\varepsilon} &< q_1 + p_1 e^4 \qquad (0 \le \varepsilon \le \tfrac12)",),
    )


def kept_exactly_up_to() -> Part:
    """For which epsilon the state keeps its budget: a reading without the assumption that epsilon is at most 1/2."""
    excess = -sp.log(1 - epsilon / 2) - epsilon
    low, high = STATE_KEPT_BELOW
    curvature = sp.diff(excess, epsilon, 2)
    share = sp.Symbol("s", positive=True)
    return Part(
        Role.READING,
        "the state without the bound on the budget",
        r"Let $0 < \varepsilon < 2$. At one moment of a common clock the state is $\varepsilon$-differentially private "
        r"if and only if $\varepsilon \le \varepsilon^\ast$, where $\varepsilon^\ast$ is the positive solution of "
        r"$-\log(1 - \frac\varepsilon2) = \varepsilon$. It satisfies $1.593 < \varepsilon^\ast < 1.594$.",
        (
            lemma(
                "threshold",
                r"The difference $g(\varepsilon) = -\log(1 - \frac\varepsilon2) - \varepsilon$ is convex, vanishes "
                r"at 0 and has the slope $-\frac12$ there: it is negative up to a single positive zero and positive "
                r"beyond. Balls enclose the zero.",
                (
                    equality("coin.curvature", curvature, 1 / (2 - epsilon) ** 2),
                    of_one_sign(
                        "coin.convex",
                        f"the second derivative {curvature} is positive below 2: at epsilon = 2 s/(1 + s), s > 0",
                        sp.factor(curvature.subs(epsilon, 2 * share / (1 + share))),
                    ),
                    computed_value(
                        "coin.start",
                        "value and slope at 0",
                        lambda: tuple(sp.limit(one, epsilon, 0) for one in (excess, sp.diff(excess, epsilon))),
                        (sp.S.Zero, -half),
                        engine="sympy",
                    ),
                    comparison("coin.zero.above", lt(excess, 0), {epsilon: low}),
                    comparison("coin.zero.below", gt(excess, 0), {epsilon: high}),
                    *_one_zero(excess),
                ),
                (
                    r"g''(\varepsilon) &= \frac{1}{(2 - \varepsilon)^2} > 0",
                    r"g(1.593) &< 0 < g(1.594)",
                ),
            ),
            zero_is_worse("one_is_better"),
        ),
        formal=_stated_threshold(),
    )


_threshold = sp.Symbol("epsilon_star", positive=True)


def _one_zero(excess: sp.Expr) -> tuple[Obligation, ...]:
    """The difference is negative up to 1593/1000 and positive from 1594/1000 on, and it increases from 1 on."""
    low, high = STATE_KEPT_BELOW
    at_zero = excess.subs(epsilon, _threshold)
    hundredth = sp.Rational(1, 100)
    rises = {
        "below": Slopes(
            "coin.rises_below",
            at_zero - excess,
            _threshold,
            epsilon,
            {epsilon: 1, _threshold: 1 + hundredth},
            sp.S.One,
            sp.Integer(2),
            (ge(epsilon, 1), lt(epsilon, 2)),
            strict=True,
        ),
        "above": Slopes(
            "coin.rises_above",
            excess - at_zero,
            epsilon,
            _threshold,
            {_threshold: 1, epsilon: 1 + hundredth},
            sp.S.One,
            sp.Integer(2),
            (ge(_threshold, 1), lt(_threshold, 2)),
            strict=True,
        ),
        "small": Slopes(
            "coin.small", -excess, epsilon, sp.S.Zero, {epsilon: hundredth}, sp.S.One, sp.S.One, strict=True
        ),
        "large": Slopes(
            "coin.large", excess, epsilon, high, {epsilon: high + hundredth}, sp.S.One, sp.Integer(2), strict=True
        ),
    }
    return (
        *(one.discharge() for one in rises.values()),
        positive_everywhere("coin.middle", -excess, {epsilon: (sp.S.One, low)}),
    )


def _stated_threshold() -> tuple[str, ...]:
    """The bit that loses more, and the threshold: up to it the budget is kept, and beyond it is not."""
    low, high = STATE_KEPT_BELOW
    used, at_threshold = (-sp.log(1 - one / 2) for one in (epsilon, _threshold))
    solves = (eq(at_threshold, _threshold), lt(_threshold, 2))
    return (
        *symbolic(
            lt(1 + epsilon / 2, 1 / (1 - epsilon / 2)),
            given=(lt(epsilon, 2),),
        ),
        *symbolic(
            sp.And(gt(epsilon, low), lt(epsilon, high)),
            given=(eq(used, epsilon), lt(epsilon, 2)),
        ),
        *symbolic(le(used, epsilon), given=(le(epsilon, 1),)),
        *symbolic(
            lt(used, epsilon),
            given=(*solves, ge(epsilon, 1), lt(epsilon, _threshold)),
        ),
        *symbolic(
            gt(used, epsilon),
            given=(
                *solves,
                ge(_threshold, 1),
                gt(epsilon, _threshold),
                lt(epsilon, 2),
            ),
        ),
    )
