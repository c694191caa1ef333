"""The right factor applied to a stream in whole numbers, and the release of its values with Gaussian noise.

The values ``R x`` are computed in whole numbers and rounded to a grid of ``2**-21``, so that they are a function of the
stream alone. They are released with Gaussian noise, which secure sources draw exactly. The outputs ``L (R x + z)`` are
computed from what was released, so that rounding there costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels
from pan_estimators.continual.decaying_noise import FEW, DecayingNoise, Factors, decaying_noise
from pan_estimators.kernels.plain import GRID_BITS, OUTPUT_BITS, PART_BITS
from pan_estimators.randomness.exact_draws import GRID_BITS as NOISE_BITS
from pan_estimators.randomness.interface import Randomness
from pan_promises.errors import InputError


@dataclass(eq=False, slots=True)
class Release:
    """The sums behind the released values. It holds numbers of the stream in clear.

    Attributes
    ----------
    wholes, parts
        The whole and the fractional parts of the sums of the right factor, the latter in steps of ``2**-46``. Shape
        ``(rates + 1,)``.
    outputs
        The sums of the left factor over the released values.
    """

    wholes: NDArray[np.int64]
    parts: NDArray[np.int64]
    outputs: DecayingNoise

    @classmethod
    def begin(cls, factors: Factors) -> Release:
        """The sums before the first step."""
        size = len(factors.distances)
        whole = np.zeros(size, dtype=np.int64)
        return cls(whole, whole.copy(), DecayingNoise(np.zeros(len(factors.rates))))


def right_image(state: Release, changes: NDArray[np.int64], factors: Factors) -> NDArray[np.float64]:
    """The next values of ``R x``, rounded to multiples of ``2**-21``."""
    loop = kernels.loops_of("loops", many=changes.size > FEW).weigh_decaying_sums
    found = np.empty(changes.size, dtype=np.int64)
    pairs = np.array([factors.distances, factors.right_weights], dtype=np.int64)
    columns = [np.ascontiguousarray(pairs[kind, :, place]) for kind in (0, 1) for place in (0, 1)]
    loop(np.ascontiguousarray(changes, dtype=np.int64), *columns, state.wholes, state.parts, found)
    # The whole numbers are below 2**53.
    return np.asarray(found * 2.0**-GRID_BITS, dtype=np.float64)


def released(
    state: Release,
    changes: NDArray[np.int64],
    factors: Factors,
    deviation: float,
    randomness: Randomness,
    runs: tuple[int, ...] = (),
) -> NDArray[Any]:
    """The outputs after the next steps."""
    values = right_image(state, changes, factors)
    values = np.broadcast_to(values, (*runs, values.size))
    return decaying_noise(state.outputs, np.asarray(randomness.gaussian(values, deviation)), factors)


def rounding(factors: Factors) -> float:
    """A bound on what rounding adds to the difference of a value of ``R x`` between two streams.

    A share of a sum is rounded down twice, at each step, by less than a step of ``2**-46`` each. The errors decay with
    the sum: they add up to a step over the distance. Products with weights are rounded down twice, the fractional parts
    before that, and the total to the grid. The difference of two numbers changes by less than one step if both are
    rounded down, and so if both are rounded to the nearest.
    """
    pairs = zip(factors.right_distances, factors.right_shares, strict=True)
    sums = sum(share / distance for distance, share in pairs if distance) * 2 * 2.0**-PART_BITS
    products = 2 * len(factors.distances) * 2.0**-OUTPUT_BITS + 2.0**-26 * sum(factors.right_shares)
    return (sums + products + 2.0**-GRID_BITS) * 1.001


def safe_deviation(sensitivity: float, rho: float, values: int, rounded: float) -> float:
    """The standard deviation of the noise that gives rho-zCDP after all rounding.

    The l2 distance of the values of two streams grows by ``rounded`` for each value, and secure sources round a value
    to a grid of at most ``2**-32`` of the deviation.
    """
    allowed, coarse = sqrt(2 * rho), sqrt(values) * 2.0**-NOISE_BITS
    if allowed < 100 * coarse:
        raise InputError(
            f"rho must be at least {5000 * values * 4.0**-NOISE_BITS:.2g} for {values} steps, because noise lies on a "
            f"grid, got {rho!r}"
        )
    return (sensitivity + sqrt(values) * rounded) / (allowed - coarse)
