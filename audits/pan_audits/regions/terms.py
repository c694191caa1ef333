"""Sums of terms ``coefficient * t^power * growth^t``: values, substitutions and antiderivatives.

With the growth ``e^a`` on the reals these are the densities and distribution functions of Laplace and exponential
noise. With a growth between 0 and 1 on the integers they are those of geometric noise. On the integers, an
antiderivative is a function whose differences are the given terms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

from flint import arb, fmpq

from pan_audits.regions.exponential import UNIT, Exponential

Key: TypeAlias = tuple[fmpq, fmpq, int]
"""The growth ``factor * e^exponent`` of a term, as factor and exponent, and its power."""

Terms: TypeAlias = Mapping[Key, Exponential]

ONE = fmpq(1)
ZERO = fmpq(0)
CONSTANT: Key = (ONE, ZERO, 0)


def growth(key: Key) -> Exponential:
    """The growth of a term."""
    return Exponential.power(key[1], key[0])


def direction(key: Key) -> int:
    """Whether a term grows: the sign of the logarithm of its growth."""
    factor, exponent, _ = key
    first = (factor > 1) - (factor < 1)
    second = (exponent > 0) - (exponent < 0)
    if first * second >= 0:
        return first or second
    both = arb(factor).log() + arb(exponent)
    return 1 if both > 0 else -1


def added(left: Terms, right: Terms, factor: Exponential = UNIT) -> Terms:
    """The sum ``left + factor * right``."""
    made = dict(left)
    for key, one in right.items():
        more = one if factor is UNIT else one * factor
        together = made[key] + more if key in made else more
        if together.is_zero:
            made.pop(key, None)
        else:
            made[key] = together
    return made


def multiplied(left: Terms, right: Terms) -> Terms:
    """The product."""
    made: dict[Key, Exponential] = {}
    for (factor, exponent, power), one in left.items():
        for (other_factor, other_exponent, other_power), other in right.items():
            key = (factor * other_factor, exponent + other_exponent, power + other_power)
            product = one * other
            made[key] = made[key] + product if key in made else product
    return {key: one for key, one in made.items() if not one.is_zero}


def value(terms: Terms, place: fmpq) -> Exponential:
    """The value at a number; on terms with a factor, at an integer."""
    total = Exponential.of(ZERO)
    for (factor, exponent, power), one in terms.items():
        scale = place**power
        if factor != 1:
            scale = scale * factor ** int(place.p)
        total = total + one * Exponential.power(exponent * place, scale)
    return total


def substituted(terms: Terms, slope: fmpq, shift: fmpq) -> Terms:
    """The terms in ``t`` of a function at ``slope * t + shift``; with a factor, slope is 1 or -1 and shift whole."""
    made: dict[Key, Exponential] = {}
    for (factor, exponent, power), one in terms.items():
        scale = ONE if factor == 1 else factor ** int(shift.p)
        one = one * Exponential.power(exponent * shift, scale)
        grown = factor if factor == 1 else factor ** int(slope.p)
        for part in range(power + 1):
            coefficient = math.comb(power, part) * slope**part * shift ** (power - part)
            if coefficient:
                key = (grown, exponent * slope, part)
                more = one * coefficient
                made[key] = made[key] + more if key in made else more
    return {key: one for key, one in made.items() if not one.is_zero}


def antiderivative(terms: Terms, *, discrete: bool) -> Terms:
    """A function with the given derivative, or with the given differences ``F(t + 1) - F(t)``."""
    made: dict[Key, Exponential] = {}
    for key, one in terms.items():
        factor, exponent, _ = key
        for power, coefficient in (_summed(key) if discrete else _integrated(key)).items():
            place = (factor, exponent, power)
            more = one * coefficient
            made[place] = made[place] + more if place in made else more
    return {key: one for key, one in made.items() if not one.is_zero}


def _integrated(key: Key) -> dict[int, Exponential]:
    """Coefficients of the powers in the integral of ``t^power e^(exponent t)``, beside the exponential."""
    _, exponent, power = key
    if exponent == 0:
        return {power + 1: Exponential.of(fmpq(1, power + 1))}
    made, coefficient = {}, ONE / exponent
    for left in range(power, -1, -1):
        made[left] = Exponential.of(coefficient)
        coefficient = -coefficient * left / exponent
    return made


def _summed(key: Key) -> dict[int, Exponential]:
    """Coefficients of the powers in the sum of ``t^power growth^t``, beside the growth."""
    power = key[2]
    made: dict[int, Exponential] = {}
    if key[:2] == CONSTANT[:2]:
        for place in range(power, -1, -1):
            rest = Exponential.of(fmpq(int(place == power)))
            for above in range(place + 2, power + 2):
                rest = rest - made[above] * math.comb(above, place)
            made[place + 1] = rest / (place + 1)
        return made
    grown = growth(key)
    less = grown - UNIT
    for place in range(power, -1, -1):
        rest = Exponential.of(fmpq(int(place == power)))
        for above in range(place + 1, power + 1):
            rest = rest - grown * made[above] * math.comb(above, place)
        made[place] = rest / less
    return made
