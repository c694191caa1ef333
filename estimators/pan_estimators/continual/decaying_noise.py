"""A factorisation of the prefix sum near the square root, by sums of exponentials, and the left factor of it.

Let ``M`` be the matrix of prefix sums. A counter releases ``R x + z`` for Gaussian noise z, and its outputs are
``L (R x + z)`` with ``L = M R^-1``. The squared sensitivity of ``R x`` decides about privacy, and ``L`` is
post-processing. Both are lower triangular Toeplitz matrices: ``L`` has the entries ``l_k = sum_j w_j t_j^k``, and ``R``
the entries ``r_k = sum_m a_m f_m^k`` with all ``a_m > 0`` and ``0 <= f_m <= 1``, so that ``r_k > 0`` decreases. Both
are near the entries ``binom(2k, k)/4^k`` of the square root of ``M``. The rates and the weights of ``R`` are whole
numbers over powers of two, so that ``R x`` can be computed in whole numbers
(:mod:`pan_estimators.continual.right_factor`).
Source of the square root: Fichtenberger, Henzinger and Upadhyay 2023; of sums of exponentials: Dvijotham et al. 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, frexp, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels

Numbers = NDArray[np.float64]

FEW = 64
"""So few values are computed without compiled code, whose import takes longer."""
_SPACING = 2.0
_MARGIN = 1e-9
"""The relative error that the sums of the squares may have by rounding."""
_ROW_DIGITS = 6
"""The binary digits of the times at which the norms of rows are computed."""
_DISTANCE_BITS, _WEIGHT_BITS = 15, 26
"""The digits of the distances and of the weights of the right factor."""


@dataclass(frozen=True)
class Factors:
    """A pair of factors of the prefix sum.

    Attributes
    ----------
    rates, weights
        The entries of the left factor: ``l_k = sum(weights * rates**k)``.
    distances
        For each rate of the right factor the whole numbers ``(d, q)`` with ``f = 1 - d / 2**q``.
    right_weights
        For each of them the whole numbers ``(A, k)`` with the weight ``A / 2**k``.
    """

    rates: tuple[float, ...]
    weights: tuple[float, ...]
    distances: tuple[tuple[int, int], ...]
    right_weights: tuple[tuple[int, int], ...]

    @property
    def right_shares(self) -> tuple[float, ...]:
        """The weights ``a_m`` of the right factor."""
        return tuple(numerator / 2**exponent for numerator, exponent in self.right_weights)

    @property
    def right_distances(self) -> tuple[float, ...]:
        """The numbers ``1 - f_m`` for the rates ``f_m`` of the right factor."""
        return tuple(numerator / 2**exponent for numerator, exponent in self.distances)

    def squared_column(self, steps: int) -> float:
        """The squared norm of a column of the right factor, rounded up: the sum of ``r_k**2`` over the steps."""
        return _squares(self.right_distances, self.right_shares, steps) * (1 + _MARGIN)

    def squared_row(self, steps: int) -> float:
        """The squared norm of the last row of the left factor: the variance of the last output for unit noise."""
        return _squares(tuple(1 - rate for rate in self.rates), self.weights, steps)

    def squared_rows(self, times: NDArray[np.int64]) -> Numbers:
        """Bounds on the squared norms of rows of the left factor: on the variances of outputs for unit noise.

        The norms rise with the time, by little. Each is taken at a time that has 6 binary digits and is not earlier.
        """
        units = np.int64(1) << np.maximum(0, np.frexp(times.astype(np.float64))[1] - _ROW_DIGITS).astype(np.int64)
        later, places = np.unique(-(-times // units) * units, return_inverse=True)
        return np.array([self.squared_row(int(time)) for time in later])[places]


@lru_cache(maxsize=64)
def factors(steps: int) -> Factors:
    """The factors for a number of steps."""
    # binom(2k, k)/4^k = (1/pi) int t^(k + 1/2) (1 - t)^(1/2) du with t = 1/(1 + e^u), by the trapezoidal rule.
    low, high = -log(steps) - 4.0, 6.0
    places = np.arange(low, high + _SPACING, _SPACING)
    distances = 1 / (1 + np.exp(-places))
    rates = 1 / (1 + np.exp(places))
    weights = _SPACING / pi * np.sqrt(rates * distances)
    weights /= weights.sum()
    # 1/((1 - x) l(x)) has its poles at 1 and between two neighbouring rates, and a constant, whose rate is 0.
    between = [_zero(weights, distances, place) for place in range(places.size - 1)]
    shares = [1 / float(np.sum(weights / distances))]
    shares += [1 / (shift * float(np.sum(weights * rates / (distances - shift) ** 2))) for shift in between]
    shares.append(1 / float(np.sum(weights / rates)))
    return _with_whole_numbers([0.0, *between, 1.0], shares)


def _with_whole_numbers(distances: list[float], shares: list[float]) -> Factors:
    """A right factor near the given one, whose numbers are whole over powers of two, and its left factor."""
    near = tuple(_over_power(one, _DISTANCE_BITS, 0) for one in distances)
    weights = tuple(_over_power(one, _WEIGHT_BITS, _WEIGHT_BITS) for one in shares)
    exact = np.array([numerator / 2**exponent for numerator, exponent in near])
    right = np.array([numerator / 2**exponent for numerator, exponent in weights])
    # 1/((1 - x) r(x)) has a pole between two neighbouring rates of r. The factor 1 - x cancels the pole at 1.
    gaps = np.array([_zero(right, exact, place) for place in range(exact.size - 1)])
    slopes = np.array([float(np.sum(right * (1 - exact) / (exact - gap) ** 2)) for gap in gaps])
    return Factors(tuple((1 - gaps).tolist()), tuple((1 / (gaps * slopes)).tolist()), near, weights)


def _over_power(number: float, bits: int, least: int) -> tuple[int, int]:
    """A number in [0, 1] with ``bits`` binary digits: a whole number, and the exponent of the power below it."""
    exponent = max(least, bits - frexp(number)[1]) if number not in (0.0, 1.0) else least
    return round(number * 2.0**exponent), exponent


def _zero(weights: Numbers, distances: Numbers, place: int) -> float:
    """The number between two neighbouring distances at which ``sum(weights / (distances - number))`` is 0."""
    high = log(distances[place + 1])
    low = log(distances[place]) if distances[place] > 0 else high - 100.0
    for _ in range(200):
        middle = (low + high) / 2
        if float(np.sum(weights / (distances - exp(middle)))) > 0:
            high = middle
        else:
            low = middle
    return exp((low + high) / 2)


@lru_cache(maxsize=2**14)
def _squares(distances: tuple[float, ...], weights: tuple[float, ...], steps: int) -> float:
    """The sum of ``(sum_j w_j (1 - d_j)^k)^2`` over k from 0 to ``steps - 1``."""
    total = 0.0
    for one, weight in zip(distances, weights, strict=True):
        for other, share in zip(distances, weights, strict=True):
            # (1 - p^n)/(1 - p) with p = (1 - one) (1 - other), also for p near 1.
            distance = one + (1 - one) * other
            terms = (
                steps if distance == 0 else 1.0 if distance == 1 else -np.expm1(steps * np.log1p(-distance)) / distance
            )
            total += weight * share * float(terms)
    return total


@dataclass(eq=False, slots=True)
class DecayingNoise:
    """Sums of the noise so far, one for each rate.

    Attributes
    ----------
    sums
        Shape ``(rates,)``, or ``(..., rates)`` after many runs.
    """

    sums: NDArray[Any]


def decaying_noise(state: DecayingNoise, drawn: NDArray[Any], factors: Factors) -> NDArray[Any]:
    """The noise of the next outputs."""
    rates, weights = np.array(factors.rates), np.array(factors.weights)
    if drawn.dtype == object:
        return _followed(state, drawn, rates, weights)
    if drawn.ndim > 1:
        return _of_many_runs(state, drawn, rates, weights)
    outputs = np.empty(drawn.size)
    loop = kernels.loops_of("loops", many=drawn.size > FEW).decay
    loop(np.ascontiguousarray(drawn, dtype=np.float64), rates, weights, state.sums, outputs)
    return outputs


def _of_many_runs(state: DecayingNoise, drawn: Numbers, rates: Numbers, weights: Numbers) -> Numbers:
    """The same for many runs at once. Each number is rounded as in one run."""
    sums = [np.broadcast_to(state.sums[..., place], drawn.shape[:-1]) for place in range(rates.size)]
    outputs = np.zeros(drawn.shape)
    for step in range(drawn.shape[-1]):
        sums = [rate * value + drawn[..., step] for rate, value in zip(rates, sums, strict=True)]
        for weight, value in zip(weights, sums, strict=True):
            outputs[..., step] += weight * value
    state.sums = np.stack(sums, axis=-1)
    return outputs


def _followed(state: DecayingNoise, drawn: NDArray[Any], rates: Numbers, weights: Numbers) -> NDArray[Any]:
    """The same for formulas in place of numbers."""
    sums = state.sums.astype(object)
    outputs = []
    for draw in drawn:
        sums = np.array([rate * value + draw for rate, value in zip(rates.tolist(), sums, strict=True)], dtype=object)
        outputs.append(sum(weight * value for weight, value in zip(weights.tolist(), sums, strict=True)))
    state.sums = sums
    return np.array(outputs, dtype=object)


def deviation(squared_sensitivity: float, rho: float) -> float:
    """The standard deviation of Gaussian noise that gives rho-zCDP (Lemma 2.9 of the source)."""
    return sqrt(squared_sensitivity / (2 * rho))
