"""Proofs that a sum of terms is nowhere negative on an interval.

A combination of exponentials and powers is nonnegative beyond a point if all its coefficients are, after a shift to
that point. Otherwise the sum is divided by one of its exponentials, which leaves the sign; the derivative then has a
term less. A function that is nonnegative at both ends, and whose derivative keeps one sign, is nonnegative. The answer
``False`` means that no proof was found.
"""

from __future__ import annotations

from flint import fmpq

from pan_audits.regions.exponential import UNIT
from pan_audits.regions.function import End
from pan_audits.regions.terms import ONE, ZERO, Key, Terms, added, substituted, value

_MOST_TERMS = 24
_MINUS = -UNIT


def nowhere_negative(terms: Terms, low: End, high: End, *, depth: int = 3) -> bool:
    """Whether a proof is found that a sum of terms is at least 0 on an interval of the reals."""
    if not terms:
        return True
    if len(terms) > _MOST_TERMS:
        return False
    if _without_minus(terms, low, high):
        return True
    if any(key[0] != 1 for key in terms):
        return False
    order = sorted(terms, key=lambda key: (key[1], key[2]))
    # At an end, a negative value refutes the statement.
    at_low, at_high = _sign_at(terms, low, order, 1), _sign_at(terms, high, order, -1)
    if at_low < 0 or at_high < 0:
        return False
    for exponent in {order[0][1], order[-1][1]}:
        slope = derivative(terms, exponent)
        if nowhere_negative(slope, low, high, depth=0) or nowhere_negative(_negative(slope), low, high, depth=0):
            return True
    if depth == 0:
        return False
    middle = _middle(low, high)
    return nowhere_negative(terms, low, middle, depth=depth - 1) and nowhere_negative(
        terms, middle, high, depth=depth - 1
    )


def _without_minus(terms: Terms, low: End, high: End) -> bool:
    """Whether all coefficients are positive, seen from one of the ends."""
    shifted = []
    if low is not None:
        shifted.append(substituted(terms, ONE, low))
    if high is not None:
        shifted.append(substituted(terms, -ONE, high))
    if low is None and high is None:
        shifted.append({key: one if key[2] == 0 else _MINUS for key, one in terms.items()})
    return any(all(one.sign() > 0 for one in each.values()) for each in shifted)


def _sign_at(terms: Terms, end: End, order: list[Key], inwards: int) -> int:
    if end is not None:
        return value(terms, end).sign()
    # The term that counts at infinity: at -infinity the one with the least growth.
    exponent = order[0][1] if inwards > 0 else order[-1][1]
    power = max(key[2] for key in order if key[1] == exponent)
    sign = terms[ONE, exponent, power].sign()
    return sign * (-1) ** power if inwards > 0 else sign


def derivative(terms: Terms, exponent: fmpq = ZERO) -> Terms:
    """The derivative of the sum divided by ``e^(exponent t)``."""
    made: Terms = {}
    for (_, place, power), one in terms.items():
        left = place - exponent
        if left != 0:
            made = added(made, {(ONE, left, power): one * left})
        if power:
            made = added(made, {(ONE, left, power - 1): one * power})
    return made


def _negative(terms: Terms) -> Terms:
    return {key: -one for key, one in terms.items()}


def _middle(low: End, high: End) -> fmpq:
    if low is not None and high is not None:
        return (low + high) / 2
    if high is not None:
        return high - max(ONE, abs(high))
    return ZERO if low is None else low + max(ONE, abs(low))
