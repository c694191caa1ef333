"""Section 2.2.3 of the paper: output at several times.

Of Algorithms 1 and 2 a modification exists; more outputs as printed are none. Algorithm 3 already loses without bound.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import product

import sympy as sp

from pan_proofs.density.claims.distinct_sampling.privacy import no_bound, two_users_at_level_zero
from pan_proofs.density.lemmas.intrusions.coin_cells import COIN, half
from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import FIRST, B
from pan_proofs.density.lemmas.intrusions.published_events import added_appearance, event_refutes
from pan_proofs.density.lemmas.intrusions.several_releases import joint_ratio
from pan_proofs.density.lemmas.intrusions.tanh_cells import ETA, EXAMPLE, IS_WEIGHT, ONCE_WEIGHED, PAIR
from pan_proofs.density.lemmas.losses.cell_enumeration import Cell, PhaseEnd, largest_joint_ratio, probability
from pan_proofs.density.lemmas.losses.joint_loss import limit, state_factor
from pan_proofs.density.lemmas.losses.joint_loss_proofs import inversion, noise_factor, total_factor
from pan_proofs.density.lemmas.losses.observations import Update, p0, p1
from pan_proofs.density.lemmas.losses.published_loss_proofs import coin_fails, optimal_pair_fails, stated_coin_loss
from pan_proofs.density.lemmas.optimality.private_pairs import bernoulli
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import counterexample, enumerated, equal, found, lemma

_outputs = sp.Symbol("R", positive=True, integer=True)
_rate = sp.Symbol("r", positive=True)
_ratio = sp.Symbol("Q", positive=True)


def witness(outputs: sp.Expr = _outputs, rate: sp.Expr = _rate) -> sp.Expr:
    """Ratio of (drawn once after the intrusion) against (drawn once before it), the bit seen as 0, all outputs high.

    After the intrusion the bit b is drawn once and stays: every output has the ratio ``rate**b``.
    """
    drawn = bernoulli(p1)
    likelier = (1 - p0) * sum(chance * rate ** (outputs * bit) for bit, chance in drawn.items())
    return likelier / (1 - p1)


def continual_output() -> Claim:
    """The algorithm that has no bound, that the other two can be modified, and what outputs as printed lose."""
    return Claim(
        id="density.continual_output",
        title="Continual output: that some modification keeps a promise",
        references=(
            Reference("paper", "section 2.2.3, last paragraph"),
            Reference("thesis", "section 4.1.2, after definition 4.3"),
        ),
        statement=r"A technique like that of another paper can be applied to all the algorithms that the paper "
        r"develops, so that they produce output continually and still guarantee user-level pan-privacy. This is about "
        r"Algorithms 1, 2 and 3. Judged of each is whether some such modification exists: for every number $R$ of "
        r"outputs and every total. The technique of the other paper is not judged.",
        notation=((r"$I$; $O_1, \ldots, O_R$, $O$", "what is seen at the intrusion; the outputs, and one of them"),),
        silent=(
            r"The source gives neither the modification, nor its noise, nor the total that is kept.",
            r"The number $R$ of outputs, and their times, are public and known in advance. A promise for any number "
            r"of outputs at one level of noise is not what is judged.",
            r"Such a modification changes the outputs, their number and their noise, and at most the probabilities of "
            r"the bits. It leaves Algorithm 3 its level, which depends on the data.",
            r"Of the readings below, the ones with outputs as printed have the total $2\varepsilon$ that is printed "
            r"for a single output.",
            r"The intrusion falls at the same place among the other users' updates in both streams, and may come "
            r"before the first output.",
        ),
        uses=("joint_loss.tight", "thesis.post_processing", "calibrated.continual_output"),
        parts=(_distinct_sampling(), _exists(), _one_of_them(), _as_printed(), _shared()),
        remark=r"Of Algorithm 3 see Theorem 5.1: its state loses without bound already with a single output. The noise "
        r"of each output grows in proportion to $R$. A mechanism that adds noise to increments in a tree could need "
        r"less; none is given for these random bits. Whatever the technique, a promise of $2\varepsilon$ cannot be had "
        r"by adding outputs to Algorithms 1 and 2 as they are printed.",
    )


def _distinct_sampling() -> Part:
    two_users, inside = two_users_at_level_zero().steps
    ratio, _, _, unbounded, _ = no_bound().steps
    return Part(
        Role.COUNTEREXAMPLE,
        "Algorithm 3",
        r"Of Algorithm 3 the sentence is false. Its state alone breaks $2\varepsilon$ by one appearance, whatever is "
        r"output and how often; with more appearances it breaks every bound (Theorem 5.1).",
        (
            lemma(
                "distinct_sampling",
                r"Let $U = m = 2$ and $e^\varepsilon = \frac32$, so $p_{\mathrm{init}} = \frac25$, $p_{\mathrm{upd}} = "
                r"\frac35$, and let the adversary see $L = 0$ and the member $v$ alone. Without appearances the "
                r"probability is $\frac25 \cdot \frac35 = \frac{6}{25}$. After one appearance of the other user, who "
                r"must not have been added then, it is $\frac{6}{25} \cdot \frac25 = \frac{12}{125}$, and after two "
                r"$\frac{24}{625}$; enumeration of the algorithm gives these numbers. Outputs at more times only add "
                r"to what is seen: to forget them is post-processing.",
                two_users.obligations,
                two_users.lines,
            ),
            replace(inside, name="distinct_sampling_range"),
            replace(ratio, name="distinct_sampling_ratio"),
            replace(unbounded, name="distinct_sampling_unbounded"),
        ),
        formal=(*two_users_at_level_zero().formal, *no_bound().formal),
    )


def _exists() -> Part:
    symmetric = {p0: 1 / (1 + state_factor), p1: state_factor / (1 + state_factor)}
    solution = noise_factor()
    ratio = joint_ratio(_outputs)
    weight, number = sp.symbols("eta R", real=True)
    return Part(
        Role.AMENDED,
        "for Algorithms 1 and 2 a modification exists",
        r"For Algorithms 1 and 2: for every $R \ge 1$, every $T > 0$ and every $0 < \varepsilon_1 < T$ there is noise "
        r"with which the state at one intrusion and all $R$ outputs have exactly the joint loss $T$, user-level. In "
        r"particular for $T = 2\varepsilon$, $\varepsilon_1 = \varepsilon$.",
        (
            equal_as(
                "theorem",
                r"Take the symmetric pair with $E = e^{\varepsilon_1}$, and let the number of ones be released at "
                r"each time with fresh noise, $P(N = k) \propto r^{-|k|}$. By calibrated.continual\_output the joint "
                r"loss is the logarithm of the following ratio; it is that of one appearance after the intrusion "
                r"against one before it, with all outputs above every count.",
                (witness(_outputs, limit).subs(symmetric, simultaneous=True), ratio),
                r"\frac{q_0\,(q_1 + p_1 r^R)}{q_1} &= \frac{E\,(1 + E\, r^R)}{1 + E}",
            ),
            equal_as(
                "solved",
                r"The equation with $S = e^T$ is linear in $r^R$, and is solved for every $R$ by",
                (ratio.subs(limit, solution ** (1 / _outputs)), total_factor),
                r"r = \left(\frac{S}{E} + \frac{S}{E^2} - \frac1E\right)^{1/R}:\qquad \frac{E\,(1 + E\, r^R)}{1 + E} "
                r"&= S",
            ),
            lemma(
                "positive",
                r"The number in brackets, $e^\eta$, exceeds 1 if and only if $S > E$, that is, $\varepsilon_1 < T$. "
                r"Then $\log r = \frac{\eta}{R} > 0$, so that this is a distribution.",
                (
                    *inversion(),
                    Inequality(
                        "continual.rate",
                        sp.S.Zero,
                        weight / number,
                        (weight > 0, number >= 1),
                        strict=True,
                        touching={weight: 0, number: 1},
                        raised=sp.S.One,
                    ).discharge(),
                ),
                (r"\log r = \frac{\eta}{R} &> 0 \qquad (T > \varepsilon_1)",),
            ),
            equal_as(
                "double",
                r"For the total $2\varepsilon$ with $\varepsilon_1 = \varepsilon$ this is",
                (
                    lambda: noise_factor().subs({total_factor: sp.exp(2 * epsilon), state_factor: sp.exp(epsilon)}),
                    sp.exp(epsilon) + 1 - sp.exp(-epsilon),
                ),
                r"r^R &= e^\varepsilon + 1 - e^{-\varepsilon}",
            ),
        ),
        formal=symbolic(sp.Eq(ratio.subs(limit, solution ** (1 / _outputs)), total_factor)),
    )


def _one_of_them() -> Part:
    return Part(
        Role.READING,
        "with the printed total: one output among several",
        r"If one of the outputs is that of Algorithm 1 or 2 as printed, the joint loss of the state and all outputs "
        r"exceeds $2\varepsilon$: for $0 < \varepsilon < 2$, and for every $\varepsilon > 0$, respectively.",
        (
            _dropping(),
            event_refutes(
                "one_event",
                r"By hand, for Algorithm 2 with $e^\varepsilon = \frac32$ and $m = U = 2$: let $S = (v, u)$, $S' = "
                r"(v)$, with the intrusion after the first update and all outputs at the end. The event is about the "
                r"printed output alone: the bit of $u$ is seen as 0, and that output exceeds 3, its value for two ones "
                r"without noise. The other outputs may be anything.",
                added_appearance(PAIR),
                EXAMPLE,
                sp.Rational(793, 160),
                (r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^\eta &= \tfrac{793}{160} > \tfrac94 = e^{2\varepsilon}",),
                hypotheses=(epsilon <= half,),
            ),
            lemma(
                "single_1",
                r"With one output, Algorithm 1 exceeds $2\varepsilon$ for all $0 < \varepsilon < 2$ (Theorem 3.1),",
                coin_fails(),
                (r"e^{2\varepsilon} &< \frac{(2-\varepsilon) + (2+\varepsilon)\, e^4}{2\,(2-\varepsilon)}",),
            ),
            lemma(
                "single_2",
                r"Algorithm 2 exceeds it for every $\varepsilon > 0$ (Theorem 4.1).",
                optimal_pair_fails(),
                (r"e^{2\varepsilon} &< \frac{e^\varepsilon (1 + e^{\varepsilon + \eta})}{1 + e^\varepsilon}",),
            ),
        ),
        formal=(
            *stated_coin_loss(),
            *symbolic(gt(sp.exp(epsilon) * ONCE_WEIGHED, sp.exp(2 * epsilon)), given=IS_WEIGHT),
        ),
        holds=False,
    )


def _dropping() -> Step:
    rates = (Fraction(3, 2), Fraction(3))
    pairs = ((Fraction(2, 5), Fraction(3, 5)), (Fraction(1, 2), Fraction(5, 8)))
    return enumerated(
        "dropping",
        r"To forget all outputs but one is post-processing: the joint loss with more outputs is at least that with "
        r"one.",
        "in fractions, the largest ratio with two outputs exceeds that with one, for pairs and rates",
        product(rates, pairs),
        lambda case: _largest(*case, outputs=2) > _largest(*case, outputs=1),
        # It does not exceed it by the factor r.
        mutant=lambda case: _largest(*case, outputs=2) > case[0] * _largest(*case, outputs=1),
        lines=(
            r"\sup_{I, O_1, \ldots, O_R} \frac{P_S(I, O_1, \ldots, O_R)}{P_{S'}(I, O_1, \ldots, O_R)} &\ge "
            r"\sup_{I, O} \frac{P_S(I, O)}{P_{S'}(I, O)}",
        ),
    )


@cache
def _largest(rate: Fraction, pair: tuple[Fraction, Fraction], *, outputs: int) -> Fraction:
    return largest_joint_ratio(Cell((pair,), (), 1 / rate, rate), outputs=outputs)


def _as_printed() -> Part:
    excess, count = sp.symbols("z k", positive=True)
    stated = B * ((1 - p1) + p1 * _rate**_outputs)
    return Part(
        Role.READING,
        "with the printed total: all outputs with the printed noise",
        r"If each of $R$ outputs has the printed noise, the joint loss is at least $\log B(q_1 + p_1 e^{R\eta})$, "
        r"with $\eta = 4$ for Algorithm 1 and $\eta = \varepsilon/\tanh\frac\varepsilon2$ for Algorithm 2. It has no "
        r"bound in $R$.",
        (
            equal_as(
                "witness",
                r"The user appears once: after the intrusion but before all outputs in $S$, before the intrusion in "
                r"$S'$. The bit is seen as 0, and all outputs lie above every count. In $S$ the new bit stays for all "
                r"outputs, each of which has the ratio $\rho = r = e^\eta$ if it is 1. With $p_0 = "
                r"p_{\mathrm{init}}$, $p_1 = p_{\mathrm{upd}}$, $q_i = 1 - p_i$, $B = q_0/q_1$:",
                (witness, stated),
                r"\frac{q_0\,(q_1 + p_1 r^R)}{q_1} &= B\,(q_1 + p_1 r^R)",
            ),
            enumerated(
                "witness_enumerated",
                r"Following the bit through the updates and outputs gives the same.",
                "R = 1, 2, 3, 4 at p_init = 2/5, p_upd = 3/5, r = 3",
                range(1, 5),
                lambda outputs: _followed(outputs) == _stated(outputs),
                # The bit as if it were drawn again before each output.
                mutant=lambda outputs: _followed(outputs) == _stated(0) * (_stated(1) / _stated(0)) ** outputs,
            ),
            counterexample(
                "two_outputs",
                r"By hand, for Algorithm 2 with $e^\varepsilon = \frac32$, $m = U = 2$ and two outputs: the pair is "
                r"$\frac25, \frac35$, and $r = \left(\frac32\right)^5$. Let $S = (v, u)$, $S' = (v)$, with the "
                r"intrusion after the first update and both outputs at the end. The bit of $u$ is seen as 0, with the "
                r"same probability in both streams; in $S'$ it stays 0. Both outputs lie above every count:",
                le(_ratio, sp.exp(2 * epsilon)),
                {_ratio: lambda: _all_above(2, Fraction(3, 2) ** 5), epsilon: EXAMPLE},
                (epsilon <= half,),
                lines=(
                    r"\frac{P_S}{P_{S'}} = \tfrac25 + \tfrac35 \left(\tfrac32\right)^{10} = \tfrac{35839}{1024} &> "
                    r"\tfrac94 = e^{2\varepsilon}",
                ),
            ),
            found(
                "no_bound",
                r"Since $r > 1$, no budget is enough for all $R$.",
                "the limit of r^R in R, at r = 1 + z for positive z",
                lambda: sp.limit((1 + excess) ** count, count, sp.oo),
                sp.oo,
                engine="sympy",
                lines=(r"B\,(q_1 + p_1 r^R) &\to \infty \qquad (R \to \infty)",),
            ),
        ),
        formal=symbolic(eq(sp.Symbol("ratio"), stated)),
        holds=False,
    )


def _all_above(outputs: int, rate: Fraction) -> Fraction:
    """The likelihood ratio of the seen bit 0 and outputs above every count, if the bit is drawn once after the look."""
    cell = Cell(((Fraction(2, 5), Fraction(3, 5)),), (), 1 / rate, rate)
    schedule = (PhaseEnd.LOOK, *[PhaseEnd.OUTPUT] * outputs)
    later = (Update.NONE,) * (outputs - 1)
    likelier, rarer = (
        probability(cell, schedule, (Update.NONE, update, *later), (0,), (rate,) * outputs)
        for update in (Update.INSERT, Update.NONE)
    )
    return likelier / rarer


@cache
def _followed(outputs: int) -> Fraction:
    """The ratio of the witness for a number of outputs, by following the bit."""
    before, after, rate = Fraction(2, 5), Fraction(3, 5), Fraction(3)
    cell = Cell(((before, after),), (), 1 / rate, rate)
    schedule = (PhaseEnd.LOOK, *[PhaseEnd.OUTPUT] * outputs)
    later = (Update.NONE,) * (outputs - 1)
    values = [
        probability(cell, schedule, (*first, *later), (0,), (rate,) * outputs)
        for first in ((Update.NONE, Update.INSERT), (Update.INSERT, Update.NONE))
    ]
    return values[0] / values[1]


def _stated(outputs: int) -> Fraction:
    value = witness(sp.Integer(outputs), sp.Integer(3)).subs({p0: sp.Rational(2, 5), p1: sp.Rational(3, 5)})
    return Fraction(int(value.p), int(value.q))


def _shared() -> Part:
    coin, optimal = (
        FIRST.subs({p0: pair[0], p1: pair[1], limit: sp.exp(eta)}, simultaneous=True)
        for pair, eta in ((COIN, sp.Integer(4)), (PAIR, ETA))
    )
    total = sp.Symbol("eta", positive=True)
    return Part(
        Role.READING,
        "with the printed total: the budget shared among the outputs",
        r"If each output has noise of $R$ times the printed scale, all outputs together still lose, with the state, at "
        r"least what one printed output loses, for every $R$.",
        (
            equal_as(
                "shared_witness",
                r"Now one bit weighs $\frac{\eta}{R}$ in each output, so that $r = e^{\eta/R}$. The same event, over "
                r"all $R$ outputs, has the ratio of a single output:",
                (lambda: witness(_outputs, sp.exp(total / _outputs)), FIRST.subs(limit, sp.exp(total))),
                r"B\,(q_1 + p_1 (e^{\eta/R})^R) &= B\,(q_1 + p_1 e^\eta)",
            ),
            lemma(
                "shared_fails",
                r"This is the ratio by which the single output exceeds its promise: for Algorithm 1 at $\eta = 4$, "
                r"and for Algorithm 2 at $\eta = \varepsilon/\tanh\frac\varepsilon2$.",
                (
                    *coin_fails(),
                    *optimal_pair_fails(),
                    *equal("coin", "", "", partial(_shared_by, sp.Integer(4), COIN), coin).obligations,
                    *equal("optimal", "", "", partial(_shared_by, ETA, PAIR), optimal).obligations,
                ),
                (r"B\,(q_1 + p_1 e^{R \cdot \eta/R}) = B\,(q_1 + p_1 e^\eta) &> e^{2\varepsilon}",),
            ),
            counterexample(
                "shared_example",
                r"By hand, for Algorithm 2 with $e^\varepsilon = \frac32$ and five outputs, each with noise of five "
                r"times the printed scale, so that $r = \frac32$. With the streams and the event of the two outputs "
                r"above, now that all five lie above every count:",
                le(_ratio, sp.exp(2 * epsilon)),
                {_ratio: lambda: _all_above(5, Fraction(3, 2)), epsilon: EXAMPLE},
                (epsilon <= half,),
                (
                    r"\frac{P_S}{P_{S'}} = \tfrac25 + \tfrac35 \left(\tfrac32\right)^5 = \tfrac{793}{160} &> \tfrac94 "
                    r"= e^{2\varepsilon}",
                ),
            ),
        ),
        formal=(
            *symbolic(eq(sp.Symbol("ratio"), FIRST.subs(limit, sp.exp(total)))),
            *stated_coin_loss(),
            *symbolic(gt(sp.exp(epsilon) * ONCE_WEIGHED, sp.exp(2 * epsilon)), given=IS_WEIGHT),
        ),
        holds=False,
    )


def _shared_by(eta: sp.Expr, pair: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """The ratio of the witness if one bit weighs ``eta/R`` in each of the R outputs."""
    return witness(_outputs, sp.exp(eta / _outputs)).subs({p0: pair[0], p1: pair[1]}, simultaneous=True)


CLAIMS = {"density.continual_output": continual_output}
