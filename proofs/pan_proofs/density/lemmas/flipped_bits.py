"""Announced intrusions and a symmetric pair: the joint loss as a largest product along the bits that were seen.

The pair has the gap g at first. After each announced intrusion every bit is flipped with probability ``phi < 1/2``,
and the pair goes through the same flip, so that its gap is ``g (1 - 2 phi)^i`` after i of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.cell_enumeration import Cell, largest_joint_ratio, through_flip
from pan_proofs.engines.computations import in_every_case
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.steps import equal, lemma

Pairs = list[tuple[Fraction, Fraction]]

flip, gap, rate = sp.symbols("phi G r", real=True)
_P, _Q = (1 + gap) / 2, (1 - gap) / 2
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
    orders = {
        "zero_zero": (_Q, 1 - flip),
        "zero_one": (flip, _P),
        "one_zero": (flip, _Q),
        "one_one": (_P, 1 - flip),
    }
    return lemma(
        "stretches",
        r"Consider one stretch between two looks. As $g_i \le 1 - 2\varphi$, we have $\varphi \le Q_i \le P_i \le 1 - "
        r"\varphi$. So the ratio of the two probabilities that the next bit can have is, in the order that makes it "
        r"larger,",
        [
            Inequality(f"announced.{name}", smaller, larger, region).discharge()
            for name, (smaller, larger) in orders.items()
        ],
        (
            r"w_i(0, 0) = \frac{1-\varphi}{Q_i},\quad w_i(0, 1) = \frac{P_i}{\varphi} &,\quad w_i(1, 0) = "
            r"\frac{Q_i}{\varphi},\quad w_i(1, 1) = \frac{1-\varphi}{P_i}",
        ),
    )


def runs() -> Step:
    """Complete enumeration against the recursion."""
    parameters = (
        (Fraction(3, 2), Fraction(2, 5), Fraction(2)),
        (Fraction(5), Fraction(1, 10), Fraction(3, 2)),
        (Fraction(6, 5), Fraction(1, 4), Fraction(9)),
    )

    def cases() -> Iterator[tuple[Fraction, list[Fraction]]]:
        for (odds, flip_chance, factor), announced in product(parameters, (1, 2)):
            pairs = pairs_after(odds, flip_chance, announced)
            cell = Cell(tuple(pairs), (flip_chance,) * announced, 1 / factor, factor)
            losses = [joint_ratio(odds, flip_chance, fewer, factor) for fewer in range(announced + 1)]
            yield largest_joint_ratio(cell, announced=announced), losses

    return lemma(
        "runs",
        r"Complete enumeration of patterns, bits and ends of the noise gives the same numbers: the bound is attained.",
        (
            in_every_case(
                "runs.patterns",
                "the largest ratio over all patterns, bits and ends of the noise is the largest of those that the "
                "recursion gives for as many announced looks or fewer, with up to two announced looks",
                cases(),
                lambda case: case[0] == max(case[1]),
                # Fewer announced looks than there are.
                mutant=lambda case: case[0] == max(case[1][:-1]),
            ),
        ),
    )


_S = sp.Symbol("S", real=True)
_zero, _one = sp.symbols("s_0 s_1", real=True)
_r = sp.Symbol("r", positive=True)

JOINT = sp.Max(_zero * (_Q + _P * rate), _one * (_P + _Q * rate))
"""The exponential of the joint loss, in terms of what the looks give."""


def noise_solutions() -> tuple[Step, Step]:
    """For each last bit, the noise that a total needs; it exists if the total exceeds the states' loss."""
    solutions = {"zero": (_zero, _Q, _P), "one": (_one, _P, _Q)}
    region = (gap > 0, gap < 1, _zero > 1, _one > 1, _zero < _S, _one < _S)
    steps = []
    for name, (weight, kept, moved) in solutions.items():
        bound = (_S / weight - kept) / moved
        ratio = weight * (kept + moved * rate)
        steps.append(
            lemma(
                f"solution_{name}",
                r"For a last bit 0:" if name == "zero" else r"For a last bit 1:",
                (
                    *equal(f"solves_{name}", "", "", partial(ratio.subs, rate, bound), _S).obligations,
                    Inequality(
                        f"announced.{name}.if",
                        ratio,
                        _S,
                        (*region, rate >= 1, rate <= bound),
                    ).discharge(),
                    Inequality(
                        f"announced.{name}.only_if",
                        rate,
                        bound,
                        (*region, rate >= 1, ratio <= _S),
                    ).discharge(),
                    Inequality(
                        f"announced.{name}.exists",
                        sp.S.One,
                        bound,
                        region,
                        strict=True,
                    ).discharge(),
                ),
                (
                    r"s_0\,(Q + P r) \le S &\iff r \le \frac{S/s_0 - Q}{P},\qquad \frac{S/s_0 - Q}{P} > 1"
                    if name == "zero"
                    else r"s_1\,(P + Q r) \le S &\iff r \le \frac{S/s_1 - P}{Q},\qquad \frac{S/s_1 - P}{Q} > 1",
                ),
            )
        )
    return steps[0], steps[1]


def stated_noise() -> tuple[str, ...]:
    """The noise of a total, formally: when it exists, which noise suffices, and that the total is reached."""
    bound = sp.Min(*((_S / weight - kept) / moved for weight, kept, moved in ((_zero, _Q, _P), (_one, _P, _Q))))
    states = (gap > 0, gap < 1, _zero > 1, _one > 1)
    exists = sp.Equivalent(sp.Gt(bound, 1), sp.And(_zero < _S, _one < _S), evaluate=False)
    enough = sp.Equivalent(sp.Le(JOINT, _S), sp.Le(rate, bound), evaluate=False)
    reached = eq(JOINT.subs(rate, _r), _S)
    return (
        *symbolic(exists, given=states),
        *symbolic(enough, given=(*states, rate > 1)),
        *symbolic(reached, given=(*states, eq(bound, _r))),
    )
