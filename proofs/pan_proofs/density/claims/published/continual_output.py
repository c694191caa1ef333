"""Section 2.2.3 of the paper: output at several times.

Of Algorithms 1 and 2 a modification exists; more outputs as printed are none. Algorithm 3 already loses without bound.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import sympy as sp

from pan_proofs.density.claims.distinct_sampling.privacy import two_users_at_level_zero
from pan_proofs.density.lemmas.cell_enumeration import Cell, PhaseEnd, Update, probability
from pan_proofs.density.lemmas.joint_loss import (
    inversion,
    joint_ratio,
    limit,
    noise_factor,
    p0,
    p1,
    total_factor,
)
from pan_proofs.density.lemmas.private_pairs import bernoulli
from pan_proofs.density.lemmas.published_events import (
    EXAMPLE,
    IS_WEIGHT,
    ONCE_WEIGHED,
    PAIR,
    added_appearance,
    event_refutes,
    given_is_large,
    half,
)
from pan_proofs.engines.relations import eq, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import below_on_box, counterexample, equal, found, lemma

_outputs = sp.Symbol("R", positive=True, integer=True)
_rate = sp.Symbol("r", positive=True)
_ratio = sp.Symbol("Q", positive=True)
_LOW, _HIGH = 2 * (2 - epsilon) * sp.exp(2 * epsilon), (2 - epsilon) + (2 + epsilon) * sp.exp(4)
"""Algorithm 1 loses more than two budgets just if the one is less than the other."""


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
        notation=((r"$\mathcal{M}_{DS}$", "the set of members of Algorithm 3"),),
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
    at_zero = two_users_at_level_zero()
    return Part(
        Role.COUNTEREXAMPLE,
        "Algorithm 3",
        r"Of Algorithm 3 the sentence is false. Its state alone breaks $2\varepsilon$ by one appearance, whatever is "
        r"output and how often; with more appearances it breaks every bound (Theorem 5.1). Outputs at more times only "
        r"add to what is seen: to forget them is post-processing.",
        at_zero.steps,
        formal=at_zero.formal,
    )


def _exists() -> Part:
    solved = joint_ratio(_outputs).subs(limit, noise_factor() ** (1 / _outputs))
    return derived(
        Role.AMENDED,
        "for Algorithms 1 and 2 a modification exists",
        r"For Algorithms 1 and 2: for every $R \ge 1$, every $T > 0$ and every $0 < \varepsilon_1 < T$ there is noise "
        r"with which the state at one intrusion and all $R$ outputs have exactly the joint loss $T$, user-level. In "
        r"particular for $T = 2\varepsilon$, $\varepsilon_1 = \varepsilon$.",
        equal(
            "solved",
            r"Take the symmetric pair with $E = e^{\varepsilon_1}$, and let the number of ones be released at "
            r"each time with fresh noise, $P(N = k) \propto r^{-|k|}$. By calibrated.continual\_output the joint "
            r"loss is the logarithm of $\frac{E\,(1 + E\, r^R)}{1 + E}$. The equation with $S = e^T$ is linear in "
            r"$r^R$, and is solved for every $R$ by $r^R = \frac{S}{E} + \frac{S}{E^2} - \frac1E$:",
            "",
            solved,
            total_factor,
        ),
        lemma(
            "positive",
            r"This number exceeds 1 if and only if $S > E$, that is, $\varepsilon_1 < T$. Then $\log r > 0$, so "
            r"that this is a distribution.",
            inversion(),
            (r"r^R &> 1 \qquad (T > \varepsilon_1)",),
        ),
        only=("solved",),
    )


def _single_output(name: str, text: str) -> tuple[Step, Step]:
    """That one printed output and the state lose more than two budgets, for Algorithms 1 and 2."""
    return (
        below_on_box(
            f"{name}_1",
            text + r" Algorithm 1 exceeds $2\varepsilon$ for all $0 < \varepsilon < 2$ (Theorem 3.1):",
            _LOW,
            _HIGH,
            {epsilon: (sp.S.Zero, sp.Integer(2))},
            closest={epsilon: 0},
            weaker=sp.Rational(1, 30),
        ),
        given_is_large(
            f"{name}_2",
            r"Algorithm 2 exceeds it for every $\varepsilon > 0$ (Theorem 4.1), as $q_1 + p_1 e^\eta = \frac{1 + "
            r"e^{\varepsilon + \eta}}{1 + e^\varepsilon}$ exceeds $e^\varepsilon = B^{-1} e^{2\varepsilon}$.",
        ),
    )


_BOTH_FAIL = (
    *symbolic(lt(_LOW, _HIGH), given=(lt(epsilon, 2),)),
    *symbolic(gt(ONCE_WEIGHED, sp.exp(epsilon)), given=IS_WEIGHT),
)


def _one_of_them() -> Part:
    return Part(
        Role.READING,
        "with the printed total: one output among several",
        r"If one of the outputs is that of Algorithm 1 or 2 as printed, the joint loss of the state and all outputs "
        r"exceeds $2\varepsilon$: for $0 < \varepsilon < 2$, and for every $\varepsilon > 0$, respectively. To forget "
        r"the other outputs is post-processing.",
        (
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
            *_single_output(
                "single", r"With one output the joint loss for a seen sample is $B\,(q_1 + p_1 e^\eta)$, $B = q_0/q_1$."
            ),
        ),
        formal=_BOTH_FAIL,
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


def _as_printed() -> Part:
    excess, count = sp.symbols("z k", positive=True)
    stated = (1 - p0) / (1 - p1) * ((1 - p1) + p1 * _rate**_outputs)
    return Part(
        Role.READING,
        "with the printed total: all outputs with the printed noise",
        r"If each of $R$ outputs has the printed noise, the joint loss is at least $\log B(q_1 + p_1 e^{R\eta})$, "
        r"with $\eta = 4$ for Algorithm 1 and $\eta = \varepsilon/\tanh\frac\varepsilon2$ for Algorithm 2. It has no "
        r"bound in $R$.",
        (
            equal(
                "witness",
                r"The user appears once: after the intrusion but before all outputs in $S$, before the intrusion in "
                r"$S'$. The bit is seen as 0, and all outputs lie above every count. In $S$ the new bit stays for all "
                r"outputs, each of which has the ratio $r = e^\eta$ if it is 1. With $p_0 = p_{\mathrm{init}}$, $p_1 = "
                r"p_{\mathrm{upd}}$, $q_i = 1 - p_i$, $B = q_0/q_1$:",
                r"\frac{q_0\,(q_1 + p_1 r^R)}{q_1}",
                witness,
                stated,
            ),
            counterexample(
                "two_outputs",
                r"By hand, for Algorithm 2 with $e^\varepsilon = \frac32$, $m = U = 2$ and two outputs: the pair is "
                r"$\frac25, \frac35$, and $r = \left(\frac32\right)^5$. Let $S = (v, u)$, $S' = (v)$, with the "
                r"intrusion after the first update and both outputs at the end. The bit of $u$ is seen as 0, with the "
                r"same probability in both streams; in $S'$ it stays 0. Both outputs lie above every count:",
                le(_ratio, sp.exp(2 * epsilon)),
                {_ratio: partial(_all_above, 2, Fraction(3, 2) ** 5), epsilon: EXAMPLE},
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
            ),
        ),
        formal=symbolic(eq(sp.Symbol("ratio"), stated)),
        holds=False,
    )


def _shared() -> Part:
    total = sp.Symbol("eta", positive=True)
    stated = (1 - p0) / (1 - p1) * ((1 - p1) + p1 * sp.exp(total))
    return Part(
        Role.READING,
        "with the printed total: the budget shared among the outputs",
        r"If each output has noise of $R$ times the printed scale, all outputs together still lose, with the state, at "
        r"least what one printed output loses, for every $R$.",
        (
            equal(
                "shared_witness",
                r"Now one bit weighs $\frac{\eta}{R}$ in each output, so that $r = e^{\eta/R}$. The same event, over "
                r"all $R$ outputs, has the ratio of a single output:",
                r"B\,(q_1 + p_1 (e^{\eta/R})^R)",
                partial(witness, _outputs, sp.exp(total / _outputs)),
                stated,
            ),
            *_single_output("shared", r"By this ratio the single output exceeds its promise."),
            counterexample(
                "shared_example",
                r"By hand, for Algorithm 2 with $e^\varepsilon = \frac32$ and five outputs, each with noise of five "
                r"times the printed scale, so that $r = \frac32$. With the streams and the event of the two outputs "
                r"above, now that all five lie above every count:",
                le(_ratio, sp.exp(2 * epsilon)),
                {_ratio: partial(_all_above, 5, Fraction(3, 2)), epsilon: EXAMPLE},
                (epsilon <= half,),
                (
                    r"\frac{P_S}{P_{S'}} = \tfrac25 + \tfrac35 \left(\tfrac32\right)^5 = \tfrac{793}{160} &> \tfrac94 "
                    r"= e^{2\varepsilon}",
                ),
            ),
        ),
        formal=(*symbolic(eq(sp.Symbol("ratio"), stated)), *_BOTH_FAIL),
        holds=False,
    )


CLAIMS = {"density.continual_output": continual_output}
