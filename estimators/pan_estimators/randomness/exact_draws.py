"""Exact draws: discrete Gaussian and Gumbel variables, and places by their scores, one by one and many at once.

Of many variables at once, a bit that is true with probability ``exp(-rate)`` compares a uniform number with this
probability. The first 64 binary digits of the number and a double near the probability decide, unless both are nearer
than their errors allow. Then the probability is enclosed in fractions, and the number gets more digits. So the
distribution is exact, although nearly every bit costs one comparison of doubles.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import floor, frexp, isqrt, log2

import numpy as np
from numpy.typing import NDArray

GRID_BITS = 32
"""The step of the grid of noise is between 2**-33 and 2**-32 of the scale. The rounding costs at most 2**-32 nats."""


def grid_exponent(scale: float) -> int:
    """The exponent k of the step 2**k of the grid for noise of this scale.

    A floating-point sum of a value and a noise has low bits that depend on the value: with a value of 0, noise near 0
    has finer bits than with a value of 1 (Mironov 2012). So the value is rounded to a power-of-two grid that depends
    on the scale alone, and the noise is a multiple of its step, so that the sum is exact. Rounding increases the
    distance of two values by at most one step.
    """
    if not scale > 0:
        raise ValueError(f"the scale of noise must be positive, got {scale!r}")
    return floor(log2(scale)) - GRID_BITS


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


_BYTES = 32
_CONTEXT = Context(prec=100, rounding=ROUND_HALF_EVEN)
"""A uniform number of 256 bits is 0 or 1 to fewer than 78 digits: its logarithm has 22 correct digits or more."""


def gumbel_steps(scale: Fraction) -> int:
    """The integer nearest to a Gumbel variable with mode 0.

    It is computed from a uniform number of 256 bits with 100 digits. Its distribution differs from the exact one by
    less than 2**-200 in total variation, if the scale is at most 2**34.
    """
    bits = int.from_bytes(os.urandom(_BYTES))
    middle = _CONTEXT.divide(Decimal(2 * bits + 1), Decimal(2 ** (8 * _BYTES + 1)))
    waiting = _CONTEXT.minus(_CONTEXT.ln(middle))
    variable = _CONTEXT.multiply(_CONTEXT.minus(_CONTEXT.ln(waiting)), Decimal(scale.numerator))
    return int(_CONTEXT.to_integral_value(_CONTEXT.divide(variable, Decimal(scale.denominator))))


def scored_places(gaps: Sequence[Fraction], size: int, below: Below = secrets.randbelow) -> NDArray[np.int64]:
    """Independent places, each with probability proportional to ``exp(-gap)``.

    A uniform place is proposed, and kept with probability ``exp(-gap)``. No number is rounded, so that the distribution
    is exact. A place without a gap is always kept, so that a draw takes at most ``len(gaps)`` proposals in expectation.
    """
    places = np.empty(size, dtype=np.int64)
    for turn in range(size):
        place = below(len(gaps))
        while not bernoulli_of_exponential(gaps[place], below):
            place = below(len(gaps))
        places[turn] = place
    return places


SMALLEST, LARGEST = 2.0**-4, 2.0**40
"""The scales for which the errors of doubles are below the margin."""
_MARGIN = 2.0**-38
"""A bound on the error of a probability in doubles, and of the first 64 digits of a number."""
_FAR = 60
"""The number of scales from which on a proposal is decided in fractions."""

Words = NDArray[np.uint64]
Bits = Callable[[int], bytes]


def many_discrete_gaussians(scale: float, size: int, entropy: Bits = os.urandom) -> NDArray[np.int64]:
    """Independent integers, each with probability proportional to ``exp(-k**2 / (2 scale**2))``."""
    if not SMALLEST <= scale <= LARGEST:
        raise ValueError(f"the scale must lie between {SMALLEST} and {LARGEST}, got {scale!r}")
    variance = Fraction(scale) ** 2
    # Any scale of the proposals is right. With a power of two uniform remainders are digits of a word.
    exponent = max(0, frexp(isqrt(int(variance)) * 2**0.5)[1] - 1)
    found = np.empty(size, dtype=np.int64)
    have = 0
    while have < size:
        proposals = _discrete_laplaces(exponent, 2 * (size - have) + 16, entropy)
        accepted = _accepted(proposals, scale, variance, exponent, entropy)[: size - have]
        found[have : have + accepted.size] = accepted
        have += accepted.size
    return found


def _accepted(
    proposals: NDArray[np.int64], scale: float, variance: Fraction, exponent: int, entropy: Bits
) -> NDArray[np.int64]:
    """The proposals that the ratio of the two distributions accepts."""
    centre = variance / (1 << exponent)
    distances = np.abs(proposals) - float(centre)
    # A product with the scale first: the square of the scale may be large.
    rates = (distances / scale) ** 2 / 2
    far = np.abs(distances) > _FAR * scale

    def exact(place: int) -> Fraction:
        distance = abs(int(proposals[place])) - centre
        return distance * distance / (2 * variance)

    return proposals[_bits_of_exponentials(rates, exact, entropy, undecided=far)]


def _discrete_laplaces(exponent: int, tries: int, entropy: Bits) -> NDArray[np.int64]:
    """Integers with probability proportional to ``exp(-abs(k) / 2**exponent)``; fewer than there are tries."""
    words = _words(tries, entropy)
    remainders = (words & np.uint64(2**exponent - 1)).astype(np.int64)
    negative = words >> np.uint64(63) == 1

    def exact(place: int) -> Fraction:
        return Fraction(int(remainders[place]), 2**exponent)

    rates = np.asarray(remainders * 2.0**-exponent, dtype=np.float64)
    kept = _bits_of_exponentials(rates, exact, entropy)
    remainders, negative = remainders[kept], negative[kept]
    rounds = np.zeros(remainders.size, dtype=np.int64)
    going = np.arange(remainders.size)
    while going.size:
        going = going[_bits_of_exponentials(np.ones(going.size), lambda place: Fraction(1), entropy)]
        rounds[going] += 1
    sizes = remainders + (rounds << exponent)
    values = np.where(negative, -sizes, sizes)
    return np.asarray(values[~(negative & (sizes == 0))], dtype=np.int64)


def _bits_of_exponentials(
    rates: NDArray[np.float64],
    exact: Callable[[int], Fraction],
    entropy: Bits,
    undecided: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Bits that are true with probability ``exp(-rate)``, by doubles and, where these are too near, by fractions."""
    words = _words(rates.size, entropy)
    differences = np.exp(-rates) - words * 2.0**-64
    near = np.abs(differences) < _MARGIN
    if undecided is not None:
        near |= undecided
    bits = np.asarray(differences > 0, dtype=np.bool_)
    for place in np.flatnonzero(near).tolist():
        bits[place] = below_exponential(int(words[place]), exact(place))
    return bits


def below_exponential(word: int, rate: Fraction, more: Callable[[int], int] = secrets.randbits) -> bool:
    """Whether a uniform number with these first 64 binary digits lies below ``exp(-rate)``."""
    digits, terms = 64, 32
    while True:
        low, high = _enclosure(rate, terms)
        if Fraction(word + 1, 2**digits) <= low:
            return True
        if Fraction(word, 2**digits) >= high:
            return False
        word, digits, terms = (word << 64) | more(64), digits + 64, 2 * terms


def _enclosure(rate: Fraction, terms: int) -> tuple[Fraction, Fraction]:
    """Bounds on ``exp(-rate)``: those of the rest below 1, times a power of those of ``exp(-1)``."""
    whole = rate.numerator // rate.denominator
    low, high = _alternating(rate - whole, terms)
    least, most = _alternating(Fraction(1), terms)
    return low * least**whole, high * most**whole


def _alternating(rate: Fraction, terms: int) -> tuple[Fraction, Fraction]:
    """Two neighbouring partial sums of the series, for a rate from 0 to 1."""
    total = term = Fraction(1)
    before = total
    for place in range(1, 2 * (terms // 2) + 2):
        term *= -rate / place
        before, total = total, total + term
    return min(before, total), max(before, total)


def _words(size: int, entropy: Bits) -> Words:
    return np.frombuffer(entropy(8 * size), dtype=np.uint64)
