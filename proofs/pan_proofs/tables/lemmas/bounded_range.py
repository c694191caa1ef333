"""Choices by the exponential mechanism have a loss of bounded range, and cost a rho of an eighth of its square."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge, le
from pan_proofs.engines.shapes import Convex
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.foundations.hoeffding_bound import cumulant, probability, tilt
from pan_proofs.ledger.claim import Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_shape, for_every_length
from pan_proofs.ledger.steps import at_most

share = sp.Symbol("e", positive=True)
"""The epsilon of one choice."""
excess = sp.Symbol("b", positive=True)
"""The order less 1."""
_scores = sp.symbols("q_1 q_2 qprime_1 qprime_2", real=True)
_sensitivity = sp.Symbol("Delta", positive=True)
CLOSE = tuple(
    le(one, _sensitivity)
    for number in (0, 1)
    for one in (_scores[number] - _scores[number + 2], _scores[number + 2] - _scores[number])
)
"""Both scores change by at most the sensitivity."""
RANGE = le(
    share * (_scores[0] - _scores[2]) / (2 * _sensitivity) - share * (_scores[1] - _scores[3]) / (2 * _sensitivity),
    share,
)
"""The losses of two candidates differ by at most the epsilon of the choice."""
_exponent = sp.Symbol("z", real=True)
TANGENT = le(_exponent, sp.exp(_exponent) - 1)
"""The exponential function lies above its tangent at 0."""
_place, _turn = sp.symbols("v y", real=True)
_power, _upper, _lower = sp.symbols("t A B", real=True)
BETWEEN = (
    sp.Ge(_place, 0),
    sp.Le(_place, 1),
    sp.Gt(_power, 0),
    sp.Le(_power * (1 + _turn * (1 - _place)), _upper),
    sp.Le(_power * (1 - _turn * _place), _lower),
)
CHORD = le(_power, _place * _upper + (1 - _place) * _lower)
"""A value of the exponential function lies below the chord of two others."""
_mass = sp.Symbol("p", real=True)
_steep = sp.Symbol("c", real=True)
_outputs = sp.Symbol("k", integer=True, nonnegative=True)
_moment, _masses, _mean = sp.symbols("V Q P", real=True)
_ENTRY = (_mass, _place, _power)
_TERMS = {_moment: _mass * _power, _masses: _mass, _mean: _mass * _place}
_BELOW = (sp.Ge(_mass, 0), le(_power, 1 + _steep * _place))
SUMS = le(_moment, _masses + _steep * _mean)
"""The same for expectations over any number of outputs."""
_loss, _log_moment = sp.symbols("mu h", real=True)
TWICE = (
    ge(-_loss + share**2 / 8, 0),
    le(_log_moment, excess * _loss + excess**2 * share**2 / 8),
)
COST = le(_log_moment, excess * (1 + excess) * share**2 / 8)
"""The Rényi divergence of every order is that of the rho of an eighth of the squared range."""


def bounded_range() -> Steps:
    """The range of the loss of a choice."""
    first, second, one, other = sp.symbols("w_1 w_2 wprime_1 wprime_2", positive=True)
    total, other_total = sp.symbols("n nprime", positive=True)
    return (
        equal_as(
            "normalisers_cancel",
            r"Two candidates have the weights $w_1, w_2$ and $w_1', w_2'$ for two neighbours, and the sums of all "
            r"weights are $n$ and $n'$. In the ratio of their probabilities the sums cancel.",
            (
                lambda: (first / total) / (one / other_total) / ((second / total) / (other / other_total)),
                (first / one) / (second / other),
            ),
            r"\frac{w_1/n}{w_1'/n'} \Big/ \frac{w_2/n}{w_2'/n'} &= \frac{w_1}{w_1'} \Big/ \frac{w_2}{w_2'}",
        ),
        at_most(
            "range_of_a_choice",
            r"The weights are $\exp\frac{e q}{2 \Delta}$ for scores $q$. The scores $q_1$ and $q_2$ of two candidates, "
            r"and $q_1'$ and $q_2'$ for the neighbour, differ by at most $\Delta$. So the losses of the candidates "
            r"differ by at most $e$.",
            Inequality(
                "bounded_range.range",
                RANGE.lhs,
                RANGE.rhs,
                CLOSE,
                touching=dict(zip((*_scores, _sensitivity, share), (1, 0, 0, 1, 1, 2), strict=True)),
            ),
            lines=r"\frac{e\,(q_1 - q_1')}{2 \Delta} - \frac{e\,(q_2 - q_2')}{2 \Delta} &\le e",
        ),
    )


def cost_of_range() -> Steps:
    """The moments of a loss of bounded range, by Hoeffding's lemma at two places."""
    return (
        by_shape(
            "tangent",
            r"The exponential function lies above its tangent at $0$, for every number $z$.",
            Convex(
                "bounded_range.tangent",
                TANGENT.lhs,
                TANGENT.rhs,
                _exponent,
                sp.S.Zero,
                {_exponent: sp.Rational(1, 10)},
                sp.Rational(1, 100),
            ),
        ),
        at_most(
            "chord",
            r"Write the loss of an output as $\ell_0 + e v$ with $0 \le v \le 1$, and let $t = e^{y v}$. The tangent "
            r"at this place gives $t\,(1 + y (1 - v)) \le A = e^{y}$ and $t\,(1 - y v) \le B = 1$. Hence $t$ lies "
            r"below the chord.",
            Inequality(
                "bounded_range.chord",
                CHORD.lhs,
                CHORD.rhs,
                BETWEEN,
                touching={_place: 0, _turn: 1, _power: 1, _upper: 2, _lower: 1},
            ),
        ),
        for_every_length(
            "sum_of_chords",
            r"With the probabilities $p$ of the outputs, and $c = e^y - 1$: $V$ is the expectation of $e^{y v}$, $Q$ "
            r"is $1$, and $P$ is the expectation of $v$.",
            Induction(
                "bounded_range.sums",
                SUMS,
                _outputs,
                _ENTRY,
                {total: total + term for total, term in _TERMS.items()},
                ((1, 1, 3), (1, 1, 3)),
                {_steep: sp.Integer(2)},
                _BELOW,
            ),
            r"V &\le Q + c P",
        ),
        by_shape(
            "one_bit",
            r"Hence the logarithm of $V$ is at most that of $1 - p + p e^y$ with $p = P$, the moment of one bit, and "
            r"this is at most $p y + \frac{y^2}{8}$. Here $\lambda$ stands for $y$.",
            Convex(
                "bounded_range.bit",
                cumulant(),
                tilt**2 / 8,
                tilt,
                sp.S.Zero,
                {tilt: sp.Rational(1, 10), probability: sp.Rational(1, 3)},
                sp.Rational(1, 100),
                (probability < 1,),
            ),
        ),
        at_most(
            "two_places",
            r"Let $\mu$ be the expected loss. For $y = -e$ the expectation of $e^{-\ell}$ is $1$, so that $0 \le -\mu "
            r"+ \frac{e^2}{8}$. For $y = b e$ the logarithm $h$ of the expectation of $e^{b \ell}$ is at most $b \mu + "
            r"\frac{b^2 e^2}{8}$. Together, with the order $\alpha = 1 + b$:",
            Inequality(
                "bounded_range.two_places",
                COST.lhs,
                COST.rhs,
                TWICE,
                touching={_loss: 2, share: 4, excess: 1, _log_moment: 4},
            ),
            lines=r"h &\le b\,(1 + b)\,\frac{e^2}{8} = (\alpha - 1)\,\alpha\,\frac{e^2}{8}",
        ),
    )


def stated_range() -> tuple[str, ...]:
    """The range, formally."""
    return symbolic(RANGE, given=CLOSE)


def stated_cost() -> tuple[str, ...]:
    """The cost, formally: tangent, chord, sums, the moment of a bit, and both places."""
    return (
        *symbolic(TANGENT),
        *symbolic(CHORD, given=BETWEEN),
        *symbolic(
            SUMS,
            given=(*_BELOW, sp.Ge(_outputs, 0)),
            where={total: sum_over_entries(term, _ENTRY, _outputs) for total, term in _TERMS.items()},
        ),
        *symbolic(le(cumulant(), tilt**2 / 8), given=(probability < 1,)),
        *symbolic(COST, given=TWICE),
    )
