"""Lemma 2.1: post-processing under approximate and under zero-concentrated privacy."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

from pan_proofs.continual.claims.composition import moment
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.foundations.finite_mechanisms import FAIR, Distribution, biased, distribution_of_coins, probability
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal, found, lemma

_p, _q, _value, _excess = sp.symbols("p q g e", nonnegative=True)
_x, _order = sp.symbols("x alpha", positive=True)
_t, _u = sp.symbols("t u", real=True)
_sum, _other, _delta, _more = sp.symbols("S Sprime delta E", nonnegative=True)
_loss, _budget = sp.symbols("D rho", real=True)
_flipped = sp.Symbol("P_0"), sp.Symbol("P_1")
"""The probabilities of a one after the mechanism, for the bits 0 and 1."""
_back = sp.Symbol("P'_0"), sp.Symbol("P'_1")
"""The same after the map."""

_TERM = (sp.Le(_value, 1), sp.Ge(_excess, _p - _x * _q))
_ADDED = (sp.Le(_sum, _x * _other + _more), sp.Le(_more, _delta))
FACTORS = (Fraction(3, 2), Fraction(2), Fraction(3))


def two_bits(bit: int, one: Fraction, other: Fraction) -> Distribution:
    """Two randomized responses to one bit."""
    return distribution_of_coins(lambda first, second: (bit ^ first, bit ^ second), biased(one), biased(other))


def mapped(distribution: Distribution, rule: int, coin: Distribution) -> Distribution:
    """The distribution of a map of two bits, given as a table of four bits, flipped by a coin of its own."""
    found: Distribution = {}
    for bits in product((0, 1), repeat=2):
        for flip in (0, 1):
            image = (rule >> (2 * bits[0] + bits[1]) & 1) ^ flip
            found[image] = found.get(image, Fraction(0)) + distribution[bits] * coin.get(flip, Fraction(0))
    return {image: chance for image, chance in found.items() if chance}


def post_processing() -> Claim:
    """Sums of excesses, and the power mean of ratios."""
    return Claim(
        id="turnstile.post_processing",
        title="Post-processing with a delta, and of zero-concentrated privacy",
        references=(Reference("turnstile", "Lemma 2.1, section 2"),),
        statement=r"If $\mathcal{A}$ is $(\varepsilon, \delta)$-differentially private and $\mathcal{B}$ is a "
        r"randomized map of its output, then $\mathcal{B} \circ \mathcal{A}$ is $(\varepsilon, \delta)$-differentially "
        r"private. If $\mathcal{A}$ is $\rho$-zCDP, then so is $\mathcal{B} \circ \mathcal{A}$.",
        notation=(("$p_1$, $p_2$; $q_1$, $q_2$", "probabilities of two outputs; the same for the neighbour"),),
        hypotheses=(r"$\varepsilon, \delta, \rho \ge 0$",),
        silent=(
            r"the coins of $\mathcal{B}$ are independent of those of $\mathcal{A}$",
            "sums over outputs stand for integrals over outputs of any kind",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "approximate privacy",
                r"The part of the distribution of $\mathcal{A}$ that exceeds $e^{\varepsilon}$ times that of the "
                r"neighbour has "
                r"the mass $\delta$ at most. A map weights it with probabilities.",
                approximate(),
                formal=symbolic(le(_sum, _x * _other + _delta), given=_ADDED),
            ),
            Part(
                Role.PUBLISHED,
                "zero-concentrated privacy",
                r"No map increases a Rényi divergence of order $\alpha > 1$. In the formulas $q_i$ and $r_i$ are the "
                r"probabilities, under the neighbour, and the ratios of any number of outputs that the map joins, "
                r"with $v_i \ge r_i^\alpha$, and $m$ is the ratio of the joined output, where $r^\alpha$ has the "
                r"value $M$ and the slope $s$: the terms $V = \sum q_i v_i$ are together at least that of the joined "
                r"output, $M Q$ with $Q = \sum q_i$. That $r^\alpha$ lies above its tangent is, with $t = r/m$, that "
                r"$t^\alpha \ge 1 + \alpha (t - 1)$: by logarithms for $t > 1$ and for $t = 1 - u$, unless the "
                r"tangent is not positive.",
                (*concentrated(), _joined_outputs()),
                formal=_stated_tangent(),
            ),
            Part(
                Role.READING,
                "a map that shares coins",
                r"If the map uses the coins of $\mathcal{A}$, the lemma is false. "
                r"In the formulas $P_0$ and $P_1$ are the probabilities of a one for the two bits, and "
                r"$P'_0$ and $P'_1$ those after the map.",
                shared(),
                formal=(
                    *symbolic(eq(_flipped[0], _flipped[1])),
                    *symbolic(
                        gt(_back[1], _x * _back[0] + _delta),
                        given=(eq(_x, 1), eq(_delta, 0)),
                    ),
                ),
                holds=False,
                departs=r"the coins of $\mathcal{B}$ are independent of those of $\mathcal{A}$",
            ),
        ),
        in_words=(
            (
                "all_maps",
                r"by induction a map that joins any number of outputs joins two of them at a time, and a map "
                r"with coins is a map of the output and the coins",
            ),
        ),
    )


def approximate() -> Steps:
    """Each output, then their sum."""
    return (
        at_most(
            "one_output",
            r"Let $g$ be the probability that the map sends an output to the event, $p$ and $q$ the probabilities of "
            r"the output for neighbours, $x = e^{\varepsilon}$ and $e = \max(0, p - x q)$.",
            Inequality(
                "post_processing.one_output",
                _value * _p,
                _x * _value * _q + _excess,
                _TERM,
            ),
            lines=r"g p &\le x g q + e",
        ),
        at_most(
            "all_outputs",
            r"The sum $E$ of all $e$ is the probability of the outputs with $p > x q$, minus $x$ times that for the "
            r"neighbour: at most $\delta$. So the probabilities $S, S'$ of the event after the map satisfy",
            Inequality(
                "post_processing.all_outputs",
                _sum,
                _x * _other + _delta,
                _ADDED,
            ),
            lines=r"S \le x S' + E &\le x S' + \delta",
        ),
    )


_chance, _ratio, _power = _OUTPUT = sp.symbols("q r v", real=True)
_outputs = sp.Symbol("k", integer=True, nonnegative=True)
_powers, _ratios, _mass = sp.symbols("V P Q", real=True)
_at_mean, _slope_there, _mean = sp.symbols("M s m", real=True)
_OUTPUTS = {_powers: _chance * _power, _ratios: _chance * _ratio, _mass: _chance}
_ABOVE = (_chance >= 0, ge(_power, _at_mean + _slope_there * (_ratio - _mean)))
_JOINED = ge(_powers, _at_mean * _mass + _slope_there * (_ratios - _mean * _mass))


def _joined_outputs() -> Step:
    """A weighted sum of values above a tangent, for any number of outputs."""
    return for_every_length(
        "joined_outputs",
        r"Any number of outputs: the weighted sum of the tangent at $m$ is that of $M$, as the deviations $\sum q_i "
        r"(r_i - m)$ cancel for $m = P/Q$.",
        Induction(
            "post_processing.joined_outputs",
            _JOINED,
            _outputs,
            _OUTPUT,
            {total: total + term for total, term in _OUTPUTS.items()},
            ((1, 1, 1), (1, 3, 5)),
            {_at_mean: sp.Integer(2), _slope_there: sp.Integer(2), _mean: sp.Rational(3, 2)},
            _ABOVE,
            weaker=sp.Rational(1001, 1000),
        ),
        r"V &\ge M Q + s\,(P - m Q)",
    )


def _stated_tangent() -> tuple[str, ...]:
    """The joined outputs, and both sides of the tangent, formally."""
    order = _order
    sums = {total: sum_over_entries(term, _OUTPUT, _outputs) for total, term in _OUTPUTS.items()}
    below = (sp.Gt(order, 1), sp.Gt(_u, 0))
    return (
        *symbolic(_JOINED, given=(*_ABOVE, sp.Ge(_outputs, 0)), where=sums),
        *symbolic(
            eq(_at_mean * _mass + _slope_there * (_ratios - _mean * _mass), _at_mean * _mass),
            given=(eq(_mean * _mass, _ratios),),
        ),
        *symbolic(
            ge(order * sp.log(_t) - sp.log(1 + order * (_t - 1)), 0),
            given=(sp.Gt(order, 1), sp.Gt(_t, 1)),
        ),
        *symbolic(
            ge(order * sp.log(1 - _u) - sp.log(1 - order * _u), 0),
            given=(*below, sp.Lt(_u, 1 / order)),
        ),
        *symbolic(le(1 - order * _u, 0), given=(*below, sp.Ge(_u, 1 / order))),
    )


def concentrated() -> Steps:
    """The tangent of a power, on both sides of 1, and all maps of two bits."""
    p_1, p_2, q_1, q_2 = sp.symbols("p_1 p_2 q_1 q_2", positive=True)
    mean = (p_1 + p_2) / (q_1 + q_2)
    order = sp.Symbol("alpha", positive=True)
    return (
        equal(
            "tangent",
            r"Two outputs that the map joins have the ratios $r_i = p_i/q_i$ with the mean $m = (p_1 + p_2)/(q_1 + "
            r"q_2)$. The tangent of $r^\alpha$ at $m$ has the deviations $\sum_i q_i (r_i - m)$, which cancel:",
            "",
            q_1 * (p_1 / q_1 - mean) + q_2 * (p_2 / q_2 - mean),
            sp.S.Zero,
        ),
        lemma(
            "above_its_tangent",
            r"The power is above its tangent: $t^\alpha \ge 1 + \alpha (t - 1)$ for $t = r_i/m > 0$. For $t > 1$, by "
            r"logarithms:",
            Slopes(
                "post_processing.above",
                order * sp.log(_t) - sp.log(1 + order * (_t - 1)),
                _t,
                sp.Integer(1),
                {_t: sp.Rational(11, 10), order: sp.Integer(2)},
                sp.Rational(1, 10),
                conditions=(sp.Gt(order, 1),),
            ).discharge(),
            lines=r"\alpha \log t &\ge \log(1 + \alpha (t - 1))",
        ),
        lemma(
            "below_one",
            r"For $t = 1 - u < 1$ as well, as long as $\alpha u < 1$. Otherwise the tangent is not positive.",
            Slopes(
                "post_processing.below",
                order * sp.log(1 - _u) - sp.log(1 - order * _u),
                _u,
                sp.Integer(0),
                {_u: sp.Rational(1, 10), order: sp.Integer(2)},
                sp.Rational(1, 10),
                end=1 / order,
                conditions=(sp.Gt(order, 1),),
            ).discharge(),
            lines=r"\alpha \log(1 - u) &\ge \log(1 - \alpha u)",
        ),
        equal(
            "joined",
            r"So $\sum_i q_i r_i^\alpha \ge m^\alpha \sum_i q_i$, the term of the joined output. By induction it holds "
            r"for a map that joins any number of outputs. A map with coins is such a map of the output and the coins, "
            r"and coins do not change the divergence.",
            "",
            mean**_order * (q_1 + q_2),
            (p_1 + p_2) ** _order * (q_1 + q_2) ** (1 - _order),
        ),
        enumerated(
            "all_maps",
            r"All maps of two randomized responses to one bit, with a biased coin and without one, are listed.",
            "factors 3/2, 2 and 3, orders 2 and 3, 16 maps, 2 coins: the moment after the map is at most that before",
            product(FACTORS, FACTORS, (2, 3), range(16), (0, 1)),
            partial(_no_larger, less=Fraction(1)),
            mutant=partial(_no_larger, less=Fraction(4, 5)),
        ),
    )


def _no_larger(case: tuple[Fraction, Fraction, int, int, int], *, less: Fraction) -> bool:
    one, other, order, rule, flipped = case
    distributions = [two_bits(bit, one, other) for bit in (0, 1)]
    coin: Distribution = biased(Fraction(3)) if flipped else {0: Fraction(1)}
    after = [mapped(distribution, rule, coin) for distribution in distributions]
    return moment(after[0], after[1], order) <= less * moment(distributions[0], distributions[1], order)


def shared() -> Steps:
    """A flipped bit, flipped back by the same coin."""

    def chance(bit: int, *, again: bool) -> Fraction:
        distribution = distribution_of_coins(lambda coin: bit ^ coin ^ (coin if again else 0), FAIR)
        return probability(distribution, lambda reported: reported == 1)

    return (
        found(
            "flipped",
            r"A bit that is flipped by a fair coin has no loss: $\varepsilon = \delta = 0$. A one has the same "
            r"probability for both bits.",
            "the probabilities of a one for the bits 0 and 1",
            lambda: (chance(0, again=False), chance(1, again=False)),
            (Fraction(1, 2), Fraction(1, 2)),
            quantities=_flipped,
        ),
        counterexample(
            "flipped_back",
            r"Flipped back by the same coin, it is the bit.",
            le(_back[1], _x * _back[0] + _delta),
            {
                _back[0]: lambda: chance(0, again=True),
                _back[1]: lambda: chance(1, again=True),
                _x: sp.Integer(1),
                _delta: sp.Integer(0),
            },
        ),
    )


CLAIMS = {"turnstile.post_processing": post_processing}
