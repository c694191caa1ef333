"""The entropy of noisy frequencies, with negative ones set to 0: its terms up to order three, and its rest."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes, for_every_length
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import at_most
from pan_proofs.tables.lemmas.count_moments import chance, records
from pan_proofs.tables.lemmas.expansion import deviation, expansion, logarithm, remainder
from pan_proofs.tables.lemmas.noisy_counts import holders, noisy_frequency
from pan_proofs.tables.lemmas.printed_moments import FREQUENCIES

_below, _logarithm = sp.symbols("v L", real=True)
_SMALL, _RAISED = sp.Rational(1, 100), sp.Rational(1, 1000)
_THIRD = sp.Rational(1, 3)
_BEYOND = (ge(_below, 1), ge(_logarithm, 0))
_share, _noise, _square = sp.symbols("p W B", real=True)
_PROBABILITY = (ge(_share, 0), le(_share, 1))
_NOISES = (ge(_square, 0), ge(_noise, _square))


def _on_both_sides(name: str, expression: sp.Expr) -> tuple[Slopes, Slopes]:
    turned = expression.subs(deviation, -_below)
    return (
        Slopes(f"clipped.{name}.above", expression, deviation, sp.S.Zero, {deviation: _SMALL}, _RAISED),
        Slopes(f"clipped.{name}.below", turned, _below, sp.S.Zero, {_below: _SMALL}, _RAISED, end=sp.S.One),
    )


def above_minus_one() -> Steps:
    """The remainder after order three lies between 0 and a third of the fourth power."""
    return (
        by_slopes(
            "three_terms",
            r"Three terms are at least the logarithm, on both sides of $0$.",
            *_on_both_sides("three_terms", logarithm(3) - sp.log(1 + deviation)),
            lines=r"\log(1+u) &\le u - \tfrac{u^2}2 + \tfrac{u^3}3 \quad (u > -1)",
        ),
        equal_as(
            "three_terms_times",
            r"Times $1 + u > 0$.",
            (
                lambda: sp.expand((1 + deviation) * logarithm(3)),
                expansion(3) + deviation**4 / 3,
            ),
            r"(1+u)\bigl(u - \tfrac{u^2}2 + \tfrac{u^3}3\bigr) &= u + \tfrac{u^2}2 - \tfrac{u^3}6 + \tfrac{u^4}3",
        ),
        by_slopes(
            "third_remainder",
            r"So the remainder $r(u) = (1+u)\log(1+u) - u - \frac{u^2}2 + \frac{u^3}6$ is at most $\frac13 u^4$. It is "
            r"not negative: it and its derivative vanish at $0$, and its second derivative is $\frac{u^2}{1+u}$.",
            *_on_both_sides("third_remainder", remainder(3)),
            lines=r"0 \le r(u) &\le \tfrac13 u^4 \quad (u > -1)",
        ),
    )


def _rest_below() -> sp.Expr:
    v = _below
    return _logarithm * (v - 1) - v + v**2 / 2 + v**3 / 6


def below_minus_one() -> Steps:
    """A negative frequency is set to 0: what the polynomial misses."""
    bound = (_logarithm + _THIRD) * _below**4
    return (
        at_most(
            "negative_above",
            r"A negative frequency is $p(1 - v)$ with $v > 1$, and its term is $0$. With $L = -\log p$ the terms up to "
            r"order three miss it by $p$ times $L(v - 1) - v + \frac{v^2}2 + \frac{v^3}6$.",
            Inequality(
                "clipped.negative_above",
                _rest_below(),
                bound,
                _BEYOND,
                gap=sp.Rational(1, 2),
                weaker=sp.Rational(1, 20),
            ),
            lines=r"L(v - 1) - v + \tfrac{v^2}2 + \tfrac{v^3}6 &\le \bigl(\tfrac13 + L\bigr) v^4",
        ),
        at_most(
            "negative_below",
            r"From below:",
            Inequality("clipped.negative_below", -_rest_below(), bound, _BEYOND, touching={_below: 1, _logarithm: 0}),
            lines=r"-L(v - 1) + v - \tfrac{v^2}2 - \tfrac{v^3}6 &\le \bigl(\tfrac13 + L\bigr) v^4",
        ),
    )


def main_of_one() -> sp.Expr:
    """The expectation of the terms of one symbol, of orders two and three."""
    n, p = records, chance
    return -(1 - p) / (2 * n) - holders * scale**2 / (n**2 * p) + (2 * p - 3 + 1 / p) / (6 * n**2)


def one_symbol() -> Steps:
    """The terms of one symbol."""
    return (
        equal_as(
            "terms_of_one",
            r"By the moments of noisy frequencies the terms of orders two and three of one symbol have the "
            r"expectation below. The terms $-(1 + \log p)(\tilde p - p)$ have the expectation $0$.",
            (
                lambda: sp.expand(
                    chance * (-noisy_frequency(2) / (2 * chance**2) + noisy_frequency(3) / (6 * chance**3))
                ),
                main_of_one(),
            ),
            r"p\,E\bigl[-\tfrac{u^2}2 + \tfrac{u^3}6\bigr] &= -\frac{1-p}{2n} - \frac{Mb^2}{n^2p} + "
            r"\frac{2p - 3 + \frac1p}{6n^2}",
        ),
        equal_as(
            "fourth_of_one",
            r"The fourth moment, by which the rest is bounded.",
            (
                lambda: noisy_frequency(4) / chance**3,
                FREQUENCIES[4] / chance**3,
            ),
            r"p\,E[u^4] &= \frac{3(1-p)^2}{n^2p} + \frac{(1-p)(1 - 6p(1-p)) + 12(1-p)Mb^2}{n^3p^2} + "
            r"\frac{12(M^2+M)b^4}{n^4p^3}",
        ),
    )


def _summed() -> Induction:
    total, mass, inverse = sp.symbols("T S R", real=True)
    size = sp.Symbol("d", nonnegative=True, integer=True)
    n, noise = records, holders * scale**2
    stated = -(size - mass) / (2 * n) - noise * inverse / n**2 + (2 * mass - 3 * size + inverse) / (6 * n**2)
    return Induction(
        "clipped.summed",
        eq(total, stated),
        size,
        (chance,),
        {total: total + main_of_one(), mass: mass + chance, inverse: inverse + 1 / chance},
        ((_THIRD,), (2 * _THIRD,)),
        {records: sp.Integer(2), holders: sp.Integer(3), scale: sp.S.One},
    )


def summed() -> Step:
    """The terms of all symbols."""
    return for_every_length(
        "terms_of_all",
        r"The terms of all symbols, with $S = \sum_i p_i$, which is $1$, and $R = \sum_i \frac1{p_i}$.",
        _summed(),
        lines=r"\sum_i p_i\,E\bigl[-\tfrac{u_i^2}2 + \tfrac{u_i^3}6\bigr] &= -\frac{d - S}{2n} - \frac{Mb^2R}{n^2} + "
        r"\frac{2S - 3d + R}{6n^2}",
    )


def orders() -> Steps:
    """Bounds on the three parts of the fourth moment."""
    p, spread = _share, _share * (1 - _share)
    return (
        at_most(
            "first_part",
            r"The three parts of the fourth moment, with $W = Mb^2$ and $B = b^2 \le W$.",
            Inequality("clipped.first_part", 3 * spread**2, 3 * p**2, _PROBABILITY, touching={p: 0}),
            lines=r"3p^2(1-p)^2 &\le 3p^2",
        ),
        at_most(
            "second_part",
            r"The second one:",
            Inequality(
                "clipped.second_part",
                spread * (1 - 6 * spread) + 12 * spread * _noise,
                p * (1 + 12 * _noise),
                (*_PROBABILITY, ge(_noise, 0)),
                touching={p: 0, _noise: 1},
            ),
            lines=r"p(1-p)(1 - 6p(1-p)) + 12p(1-p)W &\le p\,(1 + 12W)",
        ),
        at_most(
            "third_part",
            r"The third one:",
            Inequality(
                "clipped.third_part",
                12 * (_noise**2 + _noise * _square),
                24 * _noise**2,
                _NOISES,
                touching={_noise: 1, _square: 1},
            ),
            lines=r"12(M^2 + M)b^4 = 12(W^2 + WB) &\le 24W^2",
        ),
    )


def stated_terms() -> tuple[str, ...]:
    """The bounds on the remainder, the terms of all symbols, and the orders of the rest, formally."""
    u, bound = deviation, (_logarithm + _THIRD) * _below**4
    one = _summed()
    spread = _share * (1 - _share)
    turned = remainder(3).subs(u, -_below)
    inside = (gt(_below, 0), lt(_below, 1))
    return (
        *symbolic(ge(remainder(3), 0), given=(u > 0,)),
        *symbolic(le(remainder(3), u**4 / 3), given=(u > 0,)),
        *symbolic(ge(turned, 0), le(turned, _below**4 / 3), given=inside),
        *symbolic(le(_rest_below(), bound), le(-_rest_below(), bound), given=_BEYOND),
        *symbolic(one.relation, given=one.conditions, where={part.lhs: part.rhs for part in one.sums() or ()}),
        *symbolic(le(3 * spread**2, 3 * _share**2), given=_PROBABILITY),
        *symbolic(
            le(spread * (1 - 6 * spread) + 12 * spread * _noise, _share * (1 + 12 * _noise)),
            given=(*_PROBABILITY, ge(_noise, 0)),
        ),
        *symbolic(le(12 * (_noise**2 + _noise * _square), 24 * _noise**2), given=_NOISES),
    )
