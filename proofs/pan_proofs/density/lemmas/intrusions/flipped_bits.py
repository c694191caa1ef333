"""Announced intrusions and a symmetric pair: the joint loss as a largest product along the bits that were seen.

The pair has the gap g at first. After each announced intrusion every bit is flipped with probability ``phi < 1/2``,
and the pair goes through the same flip, so that its gap is ``g (1 - 2 phi)^i`` after i of them.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.intrusions.whole_schedules import largest_over_plans
from pan_proofs.density.lemmas.losses.cell_enumeration import Cell, PhaseEnd, largest_joint_ratio, through_flip
from pan_proofs.density.lemmas.losses.observations import Phase, Update, patterns, sight
from pan_proofs.engines.identities import identity_checks
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import computed, equal, lemma

Pairs = list[tuple[Fraction, Fraction]]

flip, gap, rate = sp.symbols("phi G r", real=True)
_P, _Q = (1 + gap) / 2, (1 - gap) / 2
_rho = sp.Symbol("rho", real=True)
_half = sp.Rational(1, 2)

TRANSITIONS = {(0, 0): (1 - flip) / _Q, (0, 1): _P / flip, (1, 0): _Q / flip, (1, 1): (1 - flip) / _P}
"""The largest ratio of the probabilities of a seen bit, given the last one seen: by (last, next)."""


def pairs_after(odds: Fraction, flip_chance: Fraction, announced: int) -> Pairs:
    """The pairs after 0, 1, ... announced intrusions."""
    found = [(1 / (1 + odds), odds / (1 + odds))]
    for _ in range(announced):
        found.append(through_flip(found[-1], flip_chance))
    return found


def weights(odds: Fraction, flip_chance: Fraction, announced: int) -> tuple[Fraction, Fraction]:
    """The largest ratios of all that is seen at the looks, for a last bit 0 and 1, by the recursion."""
    now = (odds, odds)
    for low, high in pairs_after(odds, flip_chance, announced)[1:]:
        step = {
            key: Fraction(value.subs({flip: flip_chance, gap: high - low}).p)
            / Fraction(value.subs({flip: flip_chance, gap: high - low}).q)
            for key, value in TRANSITIONS.items()
        }
        now = (max(now[0] * step[0, 0], now[1] * step[1, 0]), max(now[0] * step[0, 1], now[1] * step[1, 1]))
    return now


def joint_ratio(odds: Fraction, flip_chance: Fraction, announced: int, factor: Fraction) -> Fraction:
    """The exponential of the joint loss with the output."""
    zero, one = weights(odds, flip_chance, announced)
    low, high = pairs_after(odds, flip_chance, announced)[-1]
    return max(zero * (low + high * factor), one * (high + low * factor))


def least_noise(odds: Fraction, flip_chance: Fraction, announced: int, total: Fraction) -> Fraction:
    """The largest r for which the joint ratio is at most ``total``."""
    zero, one = weights(odds, flip_chance, announced)
    low, high = pairs_after(odds, flip_chance, announced)[-1]
    return min((total / zero - low) / high, (total / one - high) / low)


def product_form() -> Step:
    """The probability of the seen bits is a product over the stretches between the looks."""
    start, first, flipping = sp.symbols("p0 p1 phi", real=True)
    later = sp.symbols("p2:6", real=True)
    phases = (
        Phase(start, first, flipping),
        Phase(later[0], later[1], flipping),
        Phase(later[2], later[3]),
        Phase(later[2], later[3]),
    )
    obligations = []
    for pattern in patterns(4):
        for bits in product((0, 1), repeat=3):
            factors: sp.Expr = sp.S.One
            one = start
            for phase, update, bit in zip(phases, pattern, bits, strict=False):
                one = one if update is Update.NONE else phase.inserted
                factors *= one if bit else 1 - one
                one = 1 - phase.flip if bit else phase.flip
            chance = sight(phases, pattern, bits).chance
            name = f"announced.product.{''.join(map(str, bits))}.{'.'.join(pattern)}"
            obligations.append(Obligation(name, f"{chance} = {factors}", identity_checks(chance, factors)))
    return lemma(
        "product",
        r"A seen bit tells all about what was drawn before it. So the probability of the bits $b_0, \ldots, b_K$ "
        r"that the looks show is a product over the stretches between the looks, and so is the joint density with "
        r"the output. In the stretch before look $i \ge 1$ the user appears or not, independently of the other "
        r"stretches: the bit 1 then has the probability $P_i$ of the present pair, or $1 - \varphi$ after a seen 1 "
        r"and $\varphi$ after a seen 0. Since the streams of a pair may differ in every stretch, the largest ratio "
        r"along given bits is the product of the largest ratios of the stretches. Here with three looks; the next "
        r"step is the induction.",
        obligations,
        (r"P(b_0, \ldots, b_K) &= P(b_0) \prod_{i=1}^{K} P(b_i \mid b_{i-1})",),
    )


def gaps() -> Step:
    """The gap after a flip."""
    low, high = sp.symbols("p0 p1", real=True)
    before, after = (flip + (1 - 2 * flip) * one for one in (low, high))
    step = equal("gap", "", "", after - before, (1 - 2 * flip) * (high - low))
    centre = equal("centre", "", "", (before + after - 1).subs(low, 1 - high), sp.S.Zero)
    return lemma(
        "gaps",
        r"The pair stays symmetric and its gap is multiplied by $1 - 2\varphi$ at each flip. So $P_i = \frac{1 + "
        r"g_i}{2}$, $Q_i = \frac{1 - g_i}{2}$ with $g_i = g\,(1 - 2\varphi)^i \le 1 - 2\varphi$ for $i \ge 1$.",
        (*step.obligations, *centre.obligations),
        (r"g_i &= (1 - 2\varphi)\, g_{i-1}",),
    )


def stretches() -> Step:
    """The largest ratio in one stretch between two looks."""
    region = (flip > 0, flip < _half, gap > 0, gap <= 1 - 2 * flip)
    edge = {flip: sp.Rational(1, 4), gap: _half}
    orders = {
        "zero_zero": (_Q, 1 - flip, {flip: _half, gap: 0}),
        "zero_one": (flip, _P, {flip: _half, gap: 0}),
        "one_zero": (flip, _Q, edge),
        "one_one": (_P, 1 - flip, edge),
    }
    return lemma(
        "stretches",
        r"One stretch between two looks. As $g_i \le 1 - 2\varphi$, we have $\varphi \le Q_i \le P_i \le 1 - "
        r"\varphi$. So the ratio of the two probabilities that the next bit can have is, in the order that makes it "
        r"larger,",
        [
            Inequality(f"announced.{name}", smaller, larger, region, touching=touching).discharge()
            for name, (smaller, larger, touching) in orders.items()
        ],
        (
            r"w_i(0, 0) = \frac{1-\varphi}{Q_i},\quad w_i(0, 1) = \frac{P_i}{\varphi} &,\quad w_i(1, 0) = "
            r"\frac{Q_i}{\varphi},\quad w_i(1, 1) = \frac{1-\varphi}{P_i}",
        ),
    )


def last_stretch() -> Step:
    """The largest ratio of the output after the last look."""
    region = (gap > 0, gap < 1, rate >= 1, _rho >= 1 / rate, _rho <= rate)
    drawn = _Q + _P * _rho
    zero, one = _Q + _P * rate, _P + _Q * rate
    even = {rate: 1, _rho: 1}
    bounds = {
        "zero_drawn": (drawn, zero),
        "zero_kept": (sp.S.One, zero * drawn),
        "one_drawn": (drawn, one * _rho),
        "one_kept": (_rho, one * drawn),
    }
    return lemma(
        "last_stretch",
        r"After the last look, a seen 0 gives the output the density $1$ or $Q_K + P_K\rho$ over $f(y)$, a seen 1 "
        r"$\rho$ or $Q_K + P_K\rho$. For all $\frac1r \le \rho \le r$ their ratios are at most",
        [Inequality(f"announced.{name}", *pair, region, touching=even).discharge() for name, pair in bounds.items()],
        (r"w(0) = Q_K + P_K r &,\quad w(1) = P_K + Q_K r",),
    )


def runs() -> Step:
    """Complete enumeration against the recursion."""
    agree, compared = True, 0
    for odds, flip_chance, factor in (
        (Fraction(3, 2), Fraction(2, 5), Fraction(2)),
        (Fraction(5), Fraction(1, 10), Fraction(3, 2)),
        (Fraction(6, 5), Fraction(1, 4), Fraction(9)),
    ):
        for announced in (1, 2):
            pairs = pairs_after(odds, flip_chance, announced)
            cell = Cell(tuple(pairs), (flip_chance,) * announced, 1 / factor, factor)
            expected = max(joint_ratio(odds, flip_chance, fewer, factor) for fewer in range(announced + 1))
            agree &= largest_joint_ratio(cell, announced=announced) == expected
            compared += 1
    odds, flip_chance, factor = Fraction(3, 2), Fraction(1, 4), Fraction(2)
    for moments, users in ((3, 1), (2, 2)):
        pairs = pairs_after(odds, flip_chance, 1)
        schedule = (PhaseEnd.ANNOUNCED, PhaseEnd.LOOK, PhaseEnd.OUTPUT)
        found, number = largest_over_plans(moments, users, schedule, pairs, factor, flip=flip_chance)
        stated = joint_ratio(odds, flip_chance, 1, factor)
        agree &= found == stated if moments == 3 else found <= stated
        compared += number
    return computed(
        "runs",
        r"Complete enumeration of patterns, bits and ends of the noise gives the same numbers, and so does the whole "
        r"mechanism run in fractions on short streams (which with two users have too few moments to attain the "
        r"bound).",
        f"{compared} cases, with up to two announced looks and two users",
        agree,
    )
