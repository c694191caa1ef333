"""The probabilities of a choice by scores, without rounding."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from pan_audits.choices.errors import unfollowable
from pan_audits.choices.meant import fraction
from pan_audits.choices.numbers import Number, rational
from pan_audits.regions.exponential import Exponential
from pan_promises.exact_epsilon import LogFraction


def chances_of_scores(scores: Sequence[Any], epsilon: Any, sensitivity: Any) -> list[Number]:
    """The probabilities that are proportional to ``exp(epsilon score / (2 sensitivity))``.

    They are fractions of sums of exponentials if all numbers are fractions, and balls if some are logarithms. A score
    of the same logarithm as the sensitivity counts as a fraction of it.
    """
    if not sensitivity > 0:
        raise unfollowable(f"a choice by scores needs a positive sensitivity, got {sensitivity!r}")
    exponents = [_exponent(score, epsilon, sensitivity) for score in scores]
    if all(isinstance(one, fmpq) for one in exponents):
        top = max(exponents)
        weights: list[Number] = [Exponential.power(one - top) for one in exponents]
        total = sum(weights[1:], weights[0])
        return [_plain(weight / total) for weight in weights]
    balls = [_ball(one).exp() for one in exponents]
    whole = sum(balls, arb(0))
    return [ball / whole for ball in balls]


def _exponent(score: Any, epsilon: Any, sensitivity: Any) -> Number:
    """``epsilon score / (2 sensitivity)`` as a fraction, or as a ball that holds it."""
    rate = fraction(epsilon) if not isinstance(epsilon, LogFraction) else None
    ratio = _quotient(score, sensitivity)
    if ratio is not None and rate is not None:
        return rational(rate * ratio / 2)
    return _real(epsilon) * _real(score) / (2 * _real(sensitivity))


def _quotient(score: Any, sensitivity: Any) -> Fraction | None:
    """The quotient of two numbers, if it is a fraction for sure."""
    logarithms = [isinstance(one, LogFraction) for one in (score, sensitivity)]
    if not any(logarithms):
        return fraction(score) / fraction(sensitivity)
    if all(logarithms) and (score.base, score.power) == (sensitivity.base, sensitivity.power):
        return Fraction(score.coefficient / sensitivity.coefficient)
    return Fraction(0) if not logarithms[0] and score == 0 else None


def _real(value: Any) -> arb:
    """A number as a ball that holds it."""
    if not isinstance(value, LogFraction):
        return arb(rational(value))
    logarithm = arb(rational(value.base)).log()
    return arb(rational(value.coefficient)) * (logarithm if value.power == 1 else 1 / logarithm)


def _ball(value: Number) -> arb:
    return value if isinstance(value, arb) else arb(value)


def _plain(number: Exponential) -> Number:
    found = number.rational
    return number if found is None else found
