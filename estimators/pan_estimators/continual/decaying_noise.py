"""Noise that decays: a factorisation of the prefix sum near the square root, by a sum of exponentials.

The outputs are ``M x + L z`` for the matrix ``M`` of prefix sums and Gaussian noise z. They are ``L (R x + z)`` with
``R = L^-1 M``, so that the squared sensitivity of ``R x`` decides about privacy. ``L`` is the lower triangular Toeplitz
matrix with the entries ``l_k = sum_j w_j t_j^k``, whose weights and rates are those of a quadrature of the entries
``binom(2k, k)/4^k`` of the square root of ``M``. Then ``R`` has the entries ``r_k = sum_m a_m f_m^k``. All
``a_m > 0`` and ``0 <= f_m <= 1``, so that ``r_k >= 0`` decreases. Source of the square root: Fichtenberger, Henzinger
and Upadhyay 2023; of sums of exponentials: Dvijotham et al. 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels

Numbers = NDArray[np.float64]

_SPACING = 2.0
_MARGIN = 1e-9
"""The relative error that the sums of the squares may have by rounding."""


@dataclass(frozen=True)
class Factors:
    """A pair of factors of the prefix sum.

    Attributes
    ----------
    rates, weights
        The entries of the left factor: ``l_k = sum(weights * rates**k)``.
    right_rates, right_weights
        Those of the right factor, with one more term.
    """

    rates: tuple[float, ...]
    weights: tuple[float, ...]
    right_rates: tuple[float, ...]
    right_weights: tuple[float, ...]

    def squared_column(self, steps: int) -> float:
        """The squared norm of a column of the right factor, rounded up: the sum of ``r_k**2`` over the steps.

        Parameters
        ----------
        steps
            The number of steps.
        """
        return _squares(self.right_rates, self.right_weights, steps) * (1 + _MARGIN)

    def squared_row(self, steps: int) -> float:
        """The squared norm of the last row of the left factor: the variance of the last output for unit noise.

        Parameters
        ----------
        steps
            The number of steps.
        """
        return _squares(self.rates, self.weights, steps)


@lru_cache(maxsize=64)
def factors(steps: int) -> Factors:
    """The factors for a number of steps.

    Parameters
    ----------
    steps
        The number of steps, at least 1.
    """
    # binom(2k, k)/4^k = (1/pi) int t^(k + 1/2) (1 - t)^(1/2) du with t = 1/(1 + e^u), by the trapezoidal rule.
    low, high = -log(steps) - 4.0, 6.0
    places = np.arange(low, high + _SPACING, _SPACING)
    distances = 1 / (1 + np.exp(-places))
    rates = 1 / (1 + np.exp(places))
    weights = _SPACING / pi * np.sqrt(rates * distances)
    weights /= weights.sum()
    # 1/((1 - x) l(x)) has its poles at 1 and between two neighbouring rates, and a constant, whose rate is 0.
    between = [_zero(weights, distances, place) for place in range(places.size - 1)]
    shifts = [0.0, *between, 1.0]
    shares = [1 / float(np.sum(weights / distances))]
    shares += [1 / (shift * float(np.sum(weights * rates / (distances - shift) ** 2))) for shift in between]
    shares.append(1 / float(np.sum(weights / rates)))
    return Factors(tuple(rates.tolist()), tuple(weights.tolist()), tuple(1 - shift for shift in shifts), tuple(shares))


def _zero(weights: Numbers, distances: Numbers, place: int) -> float:
    """The number between two neighbouring distances at which ``sum(weights / (distances - number))`` is 0."""
    low, high = log(distances[place]), log(distances[place + 1])
    for _ in range(200):
        middle = (low + high) / 2
        if float(np.sum(weights / (distances - exp(middle)))) > 0:
            high = middle
        else:
            low = middle
    return exp((low + high) / 2)


def _squares(rates: tuple[float, ...], weights: tuple[float, ...], steps: int) -> float:
    """The sum of ``(sum_j w_j t_j^k)^2`` over k from 0 to ``steps - 1``."""
    total = 0.0
    for rate, weight in zip(rates, weights, strict=True):
        for other, share in zip(rates, weights, strict=True):
            product = rate * other
            # (1 - p^n)/(1 - p), also for p near 1.
            distance = (1 - rate) + rate * (1 - other)
            terms = steps if distance == 0 else -np.expm1(steps * np.log1p(-distance)) / distance if product else 1.0
            total += weight * share * float(terms)
    return total


@dataclass(eq=False, slots=True)
class DecayingNoise:
    """Sums of the noise so far, one for each rate.

    Attributes
    ----------
    sums
        Shape ``(rates,)``.
    """

    sums: NDArray[Any]


def decaying_noise(state: DecayingNoise, drawn: NDArray[Any], factors: Factors) -> NDArray[Any]:
    """The noise of the next outputs.

    Parameters
    ----------
    state
        The sums so far, which are changed.
    drawn
        Independent noise, one number for each output.
    factors
        The factors of the prefix sum.
    """
    rates, weights = np.array(factors.rates), np.array(factors.weights)
    if drawn.dtype == object:
        return _followed(state, drawn, rates, weights)
    outputs = np.empty(drawn.size)
    if kernels.compiling():
        from pan_estimators.kernels.decaying import decay as loop
    else:
        from pan_estimators.kernels.plain_decaying import decay as loop
    loop(np.ascontiguousarray(drawn, dtype=np.float64), rates, weights, state.sums, outputs)
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
    """The standard deviation of Gaussian noise that gives rho-zCDP (Lemma 2.9 of the source).

    Parameters
    ----------
    squared_sensitivity
        The squared l2 sensitivity.
    rho
        The bound.
    """
    return sqrt(squared_sensitivity / (2 * rho))
