"""Laws of sums: of bits, of two independent counts, and of Laplace variables."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NOTHING = 14.0
"""Terms below ten to the power of minus this number are left out."""


def binomial(trials: int, probability: float) -> tuple[int, Floats]:
    """The least number within twelve standard deviations of the mean, and the probabilities from there on.

    They come from the ratios ``p(k+1)/p(k) = (n-k)p/((k+1)(1-p))``, because factorials of many trials would
    cancel to nothing. Probabilities further away are below the precision of a double.
    """
    mean, spread = trials * probability, math.sqrt(trials * probability * (1 - probability)) + 1
    low, high = max(0, math.floor(mean - 12 * spread)), min(trials, math.ceil(mean + 12 * spread))
    k = np.arange(low, high)
    ratios = (trials - k) / (k + 1.0) * (probability / (1 - probability))
    logarithms = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    weights = np.exp(logarithms - logarithms.max())
    return low, weights / weights.sum()


def law_of_sum(first: Floats, second: Floats) -> Floats:
    """The probabilities of the sum of two independent counts, by the fast Fourier transform."""
    size = first.size + second.size - 1
    room = 1 << (size - 1).bit_length()
    product = np.fft.rfft(first, room) * np.fft.rfft(second, room)
    return np.clip(np.fft.irfft(product, room)[:size], 0, None)


def laplace_sum_cdf(values: Floats, terms: int) -> Floats:
    """P(sum <= value) for a sum of independent Laplace variables of mean 0 and scale 1.

    The characteristic function ``(1 + t^2)^-n`` is inverted by the midpoint rule (Davies 1973). With steps of
    ``2 pi/P`` the error of the rule is at most the probability of a sum beyond ``P - abs(value)``, here below 1e-16.
    The omitted terms are below 1e-14.
    """
    reach = 12 * math.sqrt(2 * terms) + 40
    step, top = math.pi / reach, math.sqrt(math.expm1(_NOTHING * math.log(10) / terms))
    halves = np.arange(math.ceil(top / step)) + 0.5
    weights = np.exp(-terms * np.log1p((halves * step) ** 2)) / halves
    inside = np.clip(values, -reach, reach)
    sums = np.array([np.sin(halves * (step * value)) @ weights for value in inside.tolist()])
    return np.where(np.abs(values) < reach, np.clip(0.5 + sums / math.pi, 0, 1), values > 0)
