"""Theorems 3.1 and 4.1 of the paper and 5 of the lecture: bits that are seen, and an output with Laplace noise."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.published_events import (
    BOTH,
    COIN,
    ETA,
    EVERY_SIZE,
    EXAMPLE,
    FOR_EVERY_SIZE,
    IS_WEIGHT,
    NEVER,
    OF_BOTH,
    ONCE,
    ONCE_WEIGHED,
    PAIR,
    WEIGHT,
    added_appearance,
    coins_replaced,
    different_lengths,
    event_refutes,
    given_a_zero,
    given_is_large,
    half,
    one_bits_weight,
    pair_replaced,
    probability,
    ratio_of_bits,
    ratios,
    with_values,
)
from pan_proofs.density.lemmas.published_losses import optimal_pair, published_loss
from pan_proofs.engines.computations import comparison, positive_everywhere
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import epsilon, t
from pan_proofs.ledger.steps import below_on_box, bounded, counterexample, equal, found, lemma

_x = sp.exp(epsilon)
_USED = -sp.log(1 - epsilon / 2)
"""What the state of Algorithm 1 loses."""
_e = sp.Symbol("e", real=True)
CLOCK = (
    r"The intrusion falls at the same place among the other users' updates in both streams, that is, streams have a "
    r"common clock. This holds for what is said of the state, too"
)
_ANY_LENGTH = r": at the same index of streams of different length even the state has no bound over all $m$."
SEEN = r"The sample is seen, or $m = U$. If it is hidden, the joint loss that is named is an upper bound."
_TWICE = (
    r"A user may appear before and after the intrusion; the proof compares the state only for a user who appears in "
    r"one stream and never in the other."
)
_MOVED = "streams that agree once one user is removed"


# What the bits of Algorithm 1 lose.


def _kept(name: str, logarithm: sp.Expr) -> Step:
    excess = epsilon - logarithm
    slopes = Slopes(name, excess, epsilon, sp.S.Zero, {epsilon: half / 2}, sp.S.One, sp.S.One, strict=True)
    return lemma(
        name,
        r"It is less than $\varepsilon$: the difference is $0$ at $\varepsilon = 0$ and rises up to $\varepsilon = 1$.",
        slopes.discharge(),
        (rf"{sp.latex(logarithm)} &< \varepsilon \qquad (0 < \varepsilon < 1)".replace(r"\epsilon", r"\varepsilon"),),
    )


def _coin_state() -> Part:
    return Part(
        Role.PUBLISHED,
        "the state",
        r"For $0 < \varepsilon \le \frac12$ the state at any one moment of a common clock is "
        r"$\varepsilon$-differentially private: $1 - \frac\varepsilon2 \le 1 + \frac\varepsilon2 \le e^\varepsilon$ "
        r"and $\frac{1}{1 + \varepsilon/2} \le \frac{1}{1 - \varepsilon/2} \le e^\varepsilon$.",
        (
            ratios(COIN, 1 + epsilon / 2, 1 - epsilon / 2),
            _kept("one_kept", sp.log(1 + epsilon / 2)),
            _kept("zero_kept", _USED),
        ),
        formal=symbolic(le(sp.log(1 + epsilon / 2), epsilon), le(_USED, epsilon), given=(epsilon <= half,)),
    )


def _zero_is_worse(name: str = "zero_is_worse") -> Step:
    return bounded(
        name,
        r"The bit 0 loses more than the bit 1, since $(1 + \frac\varepsilon2)(1 - \frac\varepsilon2) < 1$.",
        lt(1 + _e / 2, 1 / (1 - _e / 2)),
        _e > 0,
        _e < 2,
        lines=r"\log(1 + \tfrac\varepsilon2) &< -\log(1 - \tfrac\varepsilon2) \qquad (0 < \varepsilon < 2)",
    )


_threshold = sp.Symbol("epsilon_star", positive=True)
_LOW, _HIGH = sp.Rational(1593, 1000), sp.Rational(1594, 1000)
"""Between these two lies the largest epsilon for which the state of Algorithm 1 keeps its budget."""


def _kept_exactly_up_to() -> Part:
    excess, far = _USED - epsilon, sp.Rational(1, 100)
    at_zero, end = excess.subs(epsilon, _threshold), sp.Integer(2)
    solves = (eq(at_zero + _threshold, _threshold), lt(_threshold, 2))
    rises = (
        Slopes(
            "coin.rises_below",
            *(at_zero - excess, _threshold, epsilon, {epsilon: 1, _threshold: 1 + far}, sp.S.One, end),
            (ge(epsilon, 1), lt(epsilon, 2)),
            strict=True,
        ),
        Slopes(
            "coin.rises_above",
            *(excess - at_zero, epsilon, _threshold, {_threshold: 1, epsilon: 1 + far}, sp.S.One, end),
            (ge(_threshold, 1), lt(_threshold, 2)),
            strict=True,
        ),
        Slopes("coin.small", -excess, epsilon, sp.S.Zero, {epsilon: far}, sp.S.One, sp.S.One, strict=True),
        Slopes("coin.large", excess, epsilon, _HIGH, {epsilon: _HIGH + far}, sp.S.One, end, strict=True),
    )
    return Part(
        Role.READING,
        "the state without the bound on the budget",
        r"Let $0 < \varepsilon < 2$. At one moment of a common clock the state is $\varepsilon$-differentially private "
        r"if and only if $\varepsilon \le \varepsilon^\ast$, where $\varepsilon^\ast$ is the positive solution of "
        r"$-\log(1 - \frac\varepsilon2) = \varepsilon$. It satisfies $1.593 < \varepsilon^\ast < 1.594$.",
        (
            lemma(
                "threshold",
                r"The difference $g(\varepsilon) = -\log(1 - \frac\varepsilon2) - \varepsilon$ is negative up to $1$ "
                r"and rises from there on; balls find it negative between $1$ and $1.593$, and it is positive from "
                r"$1.594$ on.",
                (
                    *(one.discharge() for one in rises),
                    positive_everywhere("coin.middle", -excess, {epsilon: (sp.S.One, _LOW)}),
                    comparison("coin.zero.below", gt(excess, 0), {epsilon: _HIGH}),
                ),
                (r"g(1.593) &< 0 < g(1.594)",),
            ),
            _zero_is_worse("one_is_better"),
        ),
        formal=(
            *symbolic(lt(1 + epsilon / 2, 1 / (1 - epsilon / 2)), given=(lt(epsilon, 2),)),
            *symbolic(sp.And(gt(epsilon, _LOW), lt(epsilon, _HIGH)), given=(eq(_USED, epsilon), lt(epsilon, 2))),
            *symbolic(le(_USED, epsilon), given=(le(epsilon, 1),)),
            *symbolic(lt(_USED, epsilon), given=(*solves, ge(epsilon, 1), lt(epsilon, _threshold))),
            *symbolic(gt(_USED, epsilon), given=(*solves, ge(_threshold, 1), gt(epsilon, _threshold), lt(epsilon, 2))),
        ),
    )


def _coin_given_the_state(at: sp.Expr) -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the output given the state",
        r"Given the state that is seen at the intrusion, the output loses at least $\log(q_1 + p_1 e^4)$, which "
        r"exceeds $\varepsilon$ for all $0 < \varepsilon < 2$. Here $p_1 = \frac12 + \frac\varepsilon4$ and $q_1 = 1 - "
        r"p_1$.",
        (
            one_bits_weight(COIN, sp.Integer(4)),
            *given_a_zero(COIN, ONCE, at),
            below_on_box(
                "given_exceeds",
                r"It exceeds $e^\varepsilon$ on the whole range:",
                _x,
                ONCE,
                {epsilon: (sp.S.Zero, sp.Integer(2))},
                closest={epsilon: 2},
                weaker=sp.Rational(1, 10),
            ),
        ),
        formal=symbolic(lt(_x, ONCE), given=(epsilon < 2,)),
    )


def _moved(statement: str, *theorems: str) -> Part:
    """The refutation by the lecture's adjacency, and the exact loss, which Coq carries."""
    return Part(Role.READING, _MOVED, statement, (), theorems=theorems, holds=False)


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
        silent=(CLOCK + _ANY_LENGTH, _TWICE, SEEN),
        in_words=(("event", FOR_EVERY_SIZE),),
        uses=("joint_loss.tight", "thesis.post_processing"),
        parts=(
            _coin_state(),
            _kept_exactly_up_to(),
            _series(),
            _coin_given_the_state(half),
            _coin_joint(),
            _moved(
                r"With the lecture's adjacency state and output jointly lose more than $2\varepsilon$ for all $0 < "
                r"\varepsilon < 2$, every number of users and every sample size. By joint\_loss.tight the loss for a "
                r"seen sample is $\log\frac{(2-\varepsilon) + (2+\varepsilon) e^4}{2 (2-\varepsilon)}$.",
                "lecture_refuted",
                "dwork_loss",
            ),
            coins_replaced(),
            _output_alone(),
        ),
        nearby="calibrated.joint_privacy",
        remark=r"The gap is wide: the loss tends to $\log\frac{1 + e^4}{2} \approx 3.3$ as $\varepsilon$ tends to 0. "
        r"Composition itself is sound. What fails is the second budget: the sensitivity is that of the density, while "
        r"the output is $\frac4\varepsilon$ times the mean of the bits. For $\varepsilon = 2$, the largest budget for "
        r"which the algorithm is defined, the bit of a user who has appeared is never $0$, and the loss is infinite.",
    )


def _series() -> Part:
    k = sp.Symbol("k", integer=True, nonnegative=True)
    first = sp.Symbol(r"\sum_{k \le 3} \varepsilon^k k!")
    repaired = sp.Symbol(r"\sum_k \frac{\varepsilon^k}{k!}")
    return Part(
        Role.READING,
        "the printed series",
        r"As it is printed, $\sum_k \varepsilon^k k!$, the series is not that of $e^\varepsilon$. This is a slip of "
        r"the pen. With $\frac{1}{k!}$ in place of $k!$ the series is $e^\varepsilon$, and the inequality that the "
        r"series serves to prove holds, as above.",
        (
            counterexample(
                "series",
                r"No term is negative. Already the first four exceed the sum that is stated.",
                le(first, _x),
                {first: lambda: sum(half**power * sp.factorial(power) for power in range(4)), epsilon: half},
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
            equal(
                "repaired",
                r"With $\frac{1}{k!}$ in place of $k!$ the sum is as stated.",
                r"\sum_{k \ge 0} \frac{\varepsilon^k}{k!}",
                lambda: sp.summation(epsilon**k / sp.factorial(k), (k, 0, sp.oo)),
                _x,
            ),
        ),
        formal=(*symbolic(gt(first, _x), where={epsilon: half}), *symbolic(eq(repaired, _x))),
        holds=False,
    )


def _coin_joint() -> Part:
    longer, shorter = added_appearance(COIN)
    # What a redrawn bit contributes to the chance that the output exceeds its value for ones alone.
    ones = sp.Rational(5, 8) + sp.Rational(3, 8) * sp.exp(-4)
    return Part(
        Role.COUNTEREXAMPLE,
        "the joint loss",
        r"State and output jointly lose at least $\log(q_1 + p_1 e^4)$, which exceeds $2\varepsilon$ for all $0 < "
        r"\varepsilon \le \frac12$. One appearance that is added suffices for this.",
        (
            event_refutes(
                "event",
                r"By hand, with $\varepsilon = \frac12$, $U = m = 2$, users $u$ and $v$: a bit is 1 with probability "
                r"$\frac12$ before and $\frac58$ after an appearance; the output is $4n - 4$ plus Laplace noise of "
                r"scale 1, if $n$ bits are 1 at the end. Let $S = (v, u)$ and $S' = (v)$, with the intrusion after the "
                r"first update. The event: the bit of $u$ is seen as 0 and the output exceeds 4. " + EVERY_SIZE,
                (longer, shorter),
                half,
                sp.Rational(3, 8) + sp.Rational(5, 8) * sp.exp(4),
                (
                    r"P_S &= \tfrac12 \left(\tfrac58 + \tfrac38 e^{-4}\right)^2 \cdot \tfrac12",
                    r"P_{S'} &= \tfrac12 \left(\tfrac58 + \tfrac38 e^{-4}\right) e^{-4} \cdot \tfrac12",
                    r"\frac{P_S}{P_{S'}} &= q_1 + p_1 e^4 = \tfrac38 + \tfrac58 e^4 = 34.4\ldots > e = "
                    r"e^{2\varepsilon}",
                ),
                shown=(ones**2 / 4, ones * sp.exp(-4) / 4),
                hypotheses=(epsilon <= half,),
            ),
        ),
        theorems=("dwork_refuted",),
    )


def _output_alone() -> Part:
    zero, one = sp.symbols("f_0 f_1", nonnegative=True)
    never, after = ((1 - chance) * zero + chance * one for chance in COIN)
    p, q, limit, largest = sp.symbols("p_0 p_1 rho R", real=True)
    return Part(
        Role.READING,
        "the output alone",
        r"Without the state, the output is $\varepsilon$-differentially private for $\varepsilon \le \frac12$. Let "
        r"$f_0$ and $f_1$ be the densities of the output if the bit of the user is $0$ and $1$ at the end. The density "
        r"is $\frac12 f_0 + \frac12 f_1$ if the user never appears, and $(\frac12 - \frac\varepsilon4) f_0 + (\frac12 "
        r"+ \frac\varepsilon4) f_1$ if the user appears.",
        (
            bounded(
                "output_alone",
                r"The output is computed from the final state with noise of its own. If the ratios of both bits are at "
                r"most $R = e^\varepsilon$, then so is that of the output's densities, at every $\rho$.",
                le(1 - q + q * limit, largest * (1 - p + p * limit)),
                p > 0,
                p < 1,
                q > 0,
                q < 1,
                limit > 0,
                largest >= 1,
                q <= largest * p,
                1 - q <= largest * (1 - p),
            ),
        ),
        formal=symbolic(le(after, _x * never), le(never, _x * after), given=(epsilon <= half,)),
    )


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
            SEEN,
        ),
        uses=("joint_loss.tight",),
        parts=(
            _chain(),
            _other_bit(),
            _kept_exactly_up_to(),
            _coin_given_the_state(sp.S.One),
            _lecture_joint(),
            different_lengths(),
        ),
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
                lambda: ratio_of_bits(COIN, 1),
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
    excess = _USED - epsilon / 2
    exceeded = Slopes("coin.half", excess, epsilon, sp.S.Zero, {epsilon: half}, sp.S.One, sp.Integer(2), strict=True)
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
                    le(1 / ratio_of_bits(COIN, 0), sp.exp(epsilon / 2)),
                    {epsilon: 1},
                    lines=(r"\frac{1/2}{1/4} = 2 &> e^{1/2} = 1.648\ldots",),
                ),
                (lambda: 1 / ratio_of_bits(COIN, 0).subs(epsilon, 1), sp.Integer(2)),
            ),
            _zero_is_worse(),
            lemma(
                "half_is_exceeded",
                r"The logarithm exceeds $\frac\varepsilon2$: the difference is 0 at 0, and rises.",
                exceeded.discharge(),
                (r"-\log(1 - \tfrac\varepsilon2) &> \tfrac\varepsilon2 \qquad (0 < \varepsilon < 2)",),
            ),
        ),
        formal=symbolic(gt(_USED, epsilon / 2), given=(epsilon < 2,)),
    )


def _lecture_joint() -> Part:
    # At epsilon = 1: what a redrawn bit contributes to the chance that the output exceeds its value for ones alone.
    ones = sp.Rational(3, 4) + sp.Rational(1, 4) * sp.exp(-4)
    return Part(
        Role.COUNTEREXAMPLE,
        "the theorem",
        r"State and output jointly lose more than $2\varepsilon$ for every $0 < \varepsilon < 2$, every number of "
        r"users and every sample size; by joint\_loss.tight for a seen sample $\log\frac{(2-\varepsilon) + "
        r"(2+\varepsilon) e^4}{2 (2-\varepsilon)}$.",
        (
            event_refutes(
                "event",
                r"At $\varepsilon = 1$, $U = m = 2$, with users $u$ and $v$: let $\sigma = (v, u)$ and $\sigma' = "
                r"(v)$, with the intrusion after the first update. The output is $2n - 2$ plus Laplace noise of scale "
                r"$\frac12$, if $n$ bits are 1 at the end. The event: the bit of $u$ is seen as 0 and the output "
                r"exceeds 2.",
                added_appearance(COIN),
                sp.S.One,
                sp.Rational(1, 4) + sp.Rational(3, 4) * sp.exp(4),
                (
                    r"P_\sigma &= \tfrac12 \left(\tfrac34 + \tfrac14 e^{-4}\right)^2 \cdot \tfrac12",
                    r"P_{\sigma'} &= \tfrac12 \left(\tfrac34 + \tfrac14 e^{-4}\right) e^{-4} \cdot \tfrac12",
                    r"\frac{P_\sigma}{P_{\sigma'}} &= q_1 + p_1 e^4 = \tfrac14 + \tfrac34 e^4 = 41.1\ldots > e^2 = "
                    r"e^{2\varepsilon}",
                ),
                shown=(ones**2 / 4, ones * sp.exp(-4) / 4),
            ),
        ),
        theorems=("lecture_refuted", "dwork_loss"),
    )


def dwork_budget() -> Claim:
    """The two ratios, the budget as their larger logarithm, and that it is below the one allowed."""
    return Claim(
        id="density.dwork_budget",
        title="The budget that Algorithm 1 uses",
        references=(
            Reference("paper", "section 4.1, figures 2 and 3"),
            Reference("thesis", "section 4.3.1, figures 4.2 and 4.3"),
        ),
        statement=r"With $R(b) = f_{\mathrm{upd}}(b)/f_{\mathrm{init}}(b)$: $R(0) = 1 - \frac\varepsilon2$ and $R(1) "
        r"= 1 + \frac\varepsilon2$. The budget $\varepsilon_{\mathrm{actual}}$ that the state uses is at least "
        r"$\max\{\log(1 + \frac\varepsilon2),\ -\log(1 - \frac\varepsilon2)\}$, and less than $\varepsilon$.",
        hypotheses=(r"$0 < \varepsilon \le \frac12$",),
        silent=(
            r"The budget that is used is the least $\varepsilon'$ for which the state is "
            r"$\varepsilon'$-differentially private.",
        ),
        parts=(_ratios(), _budget(), _kept_exactly_up_to()),
        remark=r"The bound is printed as a lower one. It is attained, so that the budget used is exactly $-\log(1 - "
        r"\frac\varepsilon2) = \frac\varepsilon2 + \frac{\varepsilon^2}{8} + \ldots$, about half of what is allowed. "
        r"This is about the state alone; jointly with the output far more than $2\varepsilon$ is used.",
    )


def _ratios() -> Part:
    return Part(
        Role.PUBLISHED,
        "the ratios",
        r"$R(0) = 1 - \frac\varepsilon2$ and $R(1) = 1 + \frac\varepsilon2$. "
        r"In the formulas $R_0$ and $R_1$ are $R(0)$ and $R(1)$.",
        (ratios(COIN, 1 + epsilon / 2, 1 - epsilon / 2),),
        formal=symbolic(*(sp.Eq(sp.Symbol(f"R_{bit}"), ratio_of_bits(COIN, bit)) for bit in (0, 1))),
    )


def _budget() -> Part:
    actual = sp.Symbol("epsilon_actual")
    zero, one = (ratio_of_bits(COIN, bit).subs(epsilon, _e) for bit in (0, 1))
    others = {"one": one, "zero": zero, "one_inverse": 1 / one}
    listed = partial(sp.exp, published_loss("dwork").state_loss)
    return Part(
        Role.PUBLISHED,
        "the budget",
        r"$\varepsilon_{\mathrm{actual}} = \max\{\log(1 + \frac\varepsilon2),\ -\log(1 - \frac\varepsilon2)\} = "
        r"-\log(1 - \frac\varepsilon2) < \varepsilon$.",
        (
            lemma(
                "suffices",
                r"Both orders of the streams and both bits count: $e^{\varepsilon'}$ must be at least $R(0)$, $R(1)$, "
                r"$\frac{1}{R(0)}$ and $\frac{1}{R(1)}$, and this is enough, since what is seen is the bit. The "
                r"largest of the four is $\frac{1}{R(0)}$ for $0 < \varepsilon < 2$. It is also what the joint loss "
                r"leaves if the noise has no end.",
                [
                    *(
                        Inequality(
                            f"budget.suffices.{name}", ratio, 1 / zero, (_e > 0, _e < 2), strict=True
                        ).discharge()
                        for name, ratio in others.items()
                    ),
                    *equal("listed", "", "", lambda: listed(), 1 / (1 - epsilon / 2)).obligations,
                ],
                (r"\max\left\{R(0),\ R(1),\ \frac{1}{R(0)},\ \frac{1}{R(1)}\right\} &= \frac{1}{R(0)}",),
            ),
            _zero_is_worse(),
            _kept("below", _USED),
        ),
        formal=symbolic(
            sp.Eq(actual, _USED),
            sp.Lt(actual, epsilon),
            given=(epsilon <= half,),
            where={actual: sp.Max(sp.log(1 + epsilon / 2), _USED, evaluate=False)},
        ),
    )


# Algorithm 2.


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
        r"$e^{-\varepsilon}$; the rest is as for Algorithm 1.",
        hypotheses=(r"$0 < \varepsilon \le \frac12$",),
        silent=(CLOCK + _ANY_LENGTH, _TWICE, SEEN),
        in_words=(("event", FOR_EVERY_SIZE),),
        uses=("joint_loss.tight",),
        parts=(
            Part(
                Role.PUBLISHED,
                "the state",
                r"The state at any one moment of a common clock is $\varepsilon$-differentially private and uses all "
                r"of this budget, for every $\varepsilon > 0$.",
                (ratios(optimal_pair(), _x, 1 / _x),),
                formal=symbolic(
                    sp.Eq(((1 + t) / 2) / ((1 - t) / 2), _x),
                    sp.Eq(((1 - t) / 2) / ((1 + t) / 2), 1 / _x),
                    where={t: sp.tanh(epsilon / 2)},
                ),
            ),
            _given_the_state(),
            _joint(),
            _moved(
                r"With the lecture's adjacency state and output jointly lose more than $2\varepsilon$ for every "
                r"$\varepsilon > 0$, every number of users and every sample size. By joint\_loss.tight the loss for a "
                r"seen sample is $\varepsilon + \log\frac{1 + e^{\varepsilon + \eta}}{1 + e^\varepsilon}$.",
                "optimal_bernoulli_refuted",
                "optimal_bernoulli_loss",
            ),
            pair_replaced(),
            _nested(),
        ),
        nearby="calibrated.joint_privacy",
        remark=r"As $\varepsilon$ tends to 0, $\eta = \varepsilon/\tanh(\varepsilon/2)$ tends to 2, and the joint "
        r"loss to $\log\frac{1 + e^2}{2} \approx 1.43$. For large $\varepsilon$ it exceeds $2\varepsilon$ by less "
        r"and less, but always.",
    )


_ratio, _weighed = (1 + _x * sp.exp(ETA)) / (1 + _x), sp.Symbol("ratio")
_E = sp.Symbol("E", real=True)


def _given_the_state() -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the output given the state",
        r"One bit weighs $\eta = \frac{\varepsilon}{\tanh(\varepsilon/2)}$ in units of the noise. Given the state that "
        r"is seen at the intrusion, the output loses at least $\log\frac{1 + e^{\varepsilon + \eta}}{1 + "
        r"e^\varepsilon}$, which exceeds $\varepsilon$ for all $\varepsilon > 0$.",
        (
            one_bits_weight(PAIR, ETA),
            *given_a_zero(PAIR, _ratio, EXAMPLE),
            given_is_large(
                "given_is_large",
                r"With $E = e^\varepsilon$ this exceeds $E$ just if $e^\eta > E + 1 - \frac1E$.",
            ),
        ),
        formal=(*symbolic(eq(_weighed, _ratio)), *symbolic(gt(ONCE_WEIGHED, _x), given=IS_WEIGHT)),
    )


def _joint() -> Part:
    longer, shorter = added_appearance(PAIR)
    # At exp(epsilon) = 3/2: 1/r, and what a redrawn bit contributes to the chance of an output above its value for
    # ones.
    fifths, power = sp.Rational(3, 5), sp.Rational(2, 3) ** 5
    ones = fifths + sp.Rational(2, 5) * power
    return Part(
        Role.COUNTEREXAMPLE,
        "the joint loss",
        r"State and output jointly lose at least $\log\frac{1 + e^{\varepsilon + \eta}}{1 + e^\varepsilon}$, which "
        r"exceeds $2\varepsilon$ for all $0 < \varepsilon \le \frac12$. One appearance that is added suffices for "
        r"this.",
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
                shown=(fifths * ones**2 / 2, fifths * ones * power / 2),
                hypotheses=(epsilon <= half,),
            ),
        ),
        theorems=("optimal_bernoulli_refuted",),
    )


def _nested() -> Part:
    limit = sp.Symbol("r", real=True)
    both = _E * (_E + limit) / (1 + _E)
    likelier, rarer = (probability(PAIR, pattern, 1, above=False) for pattern in (BOTH, NEVER))
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
                (likelier, rarer),
                EXAMPLE,
                sp.Rational(873, 160),
                (r"\frac{P_S}{P_{S'}} = A\,(p_1 + q_1 e^\eta) = \tfrac{873}{160} &> \tfrac94 = e^{2\varepsilon}",),
            ),
            equal(
                "nested_ratio",
                r"In general,",
                OF_BOTH.name,
                likelier / rarer,
                _x * (_x + sp.exp(ETA)) / (1 + _x),
            ),
            bounded(
                "nested_all",
                r"With $E = e^\varepsilon$ and $r = e^\eta$ this exceeds $E^2$ just if $r > E^2$, that is $\eta > "
                r"2\varepsilon$, or $\tanh\frac\varepsilon2 < \frac12$, or $E < 3$.",
                lt(_E**2, both),
                _E > 1,
                limit > _E**2,
            ),
            bounded(
                "nested_range",
                r"For $\tanh\frac\varepsilon2 = \frac{E-1}{E+1}$,",
                lt((_E - 1) / (_E + 1), half),
                _E > 1,
                _E < 3,
            ),
        ),
        formal=(
            *symbolic(eq(OF_BOTH, _x * (_x + sp.exp(ETA)) / (1 + _x))),
            *symbolic(gt(_x * (_x + sp.exp(WEIGHT)) / (1 + _x), sp.exp(2 * epsilon)), given=(*IS_WEIGHT, lt(_x, 3))),
        ),
        holds=False,
    )


CLAIMS = {
    "density.dwork_privacy": dwork_privacy,
    "density.dwork_budget": dwork_budget,
    "density.optbern_privacy": optbern_privacy,
    "lecture.privacy": lecture_privacy,
}
