"""Discrete Gaussian noise in exact arithmetic, from uniform integers alone.

Source: Canonne, Kamath and Steinke 2020, "The Discrete Gaussian for Differential Privacy", Algorithms 1 to 3. A draw
compares uniform integers with fractions. No number is rounded, so that its law is exact.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from fractions import Fraction
from math import isqrt

Below = Callable[[int], int]
"""From a positive integer to a uniform integer from 0 to one less."""


def discrete_gaussian_steps(variance: Fraction, below: Below = secrets.randbelow) -> int:
    """An integer with probability proportional to ``exp(-k**2 / (2 variance))``."""
    # The integer scale of the proposals is the whole part of the standard deviation plus 1.
    scale = isqrt(variance.numerator // variance.denominator) + 1
    while True:
        proposal = _discrete_laplace(scale, below)
        distance = abs(proposal) - variance / scale
        if bernoulli_of_exponential(distance * distance / (2 * variance), below):
            return proposal


def _discrete_laplace(scale: int, below: Below) -> int:
    """An integer with probability proportional to ``exp(-abs(k) / scale)``."""
    while True:
        rest = below(scale)
        if not bernoulli_of_exponential(Fraction(rest, scale), below):
            continue
        rounds = 0
        while bernoulli_of_exponential(Fraction(1), below):
            rounds += 1
        found = rest + scale * rounds
        negative = below(2) == 1
        if not (negative and found == 0):
            return -found if negative else found


def bernoulli_of_exponential(rate: Fraction, below: Below) -> bool:
    """A bit that is true with probability ``exp(-rate)``, for a rate of at least 0."""
    while rate > 1:
        if not _bernoulli_up_to_one(Fraction(1), below):
            return False
        rate -= 1
    return _bernoulli_up_to_one(rate, below)


def _bernoulli_up_to_one(rate: Fraction, below: Below) -> bool:
    """The same for a rate from 0 to 1: whether the first failure of trials with ``rate / k`` is at an odd ``k``."""
    trial = 1
    while below(rate.denominator * trial) < rate.numerator:
        trial += 1
    return trial % 2 == 1
