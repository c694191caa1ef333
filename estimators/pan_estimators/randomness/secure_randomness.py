"""Randomness for deployment: the operating system's entropy, and noise that is safe in floating point."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.arguments import Size, shaped
from pan_estimators.randomness.draws import exponent_gaps
from pan_estimators.randomness.exact_draws import (
    LARGEST,
    SMALLEST,
    discrete_gaussian_steps,
    grid_exponent,
    gumbel_steps,
    many_discrete_gaussians,
    scored_places,
)
from pan_estimators.randomness.numpy_names import NumpyNames
from pan_estimators.samples.keyed_sample import KEY_BYTES, KeyedSample
from pan_promises.errors import InputError, MissingExtraError

_SMALLEST_SUCCESS = 2.0**-52
"""Least probability of a success of a geometric variable. The probability of a failure is then a double below 1."""


class SecureRandomness(NumpyNames):
    """Random choices that cannot be predicted, for use on sensitive streams.

    Bits, integers and subsets come from ``os.urandom``. Laplace and normal noise: the location is rounded to a
    power-of-two grid that depends on the scale alone, and the noise is an exact discrete Laplace or Gaussian variable
    on that grid. The low bits of an output then say nothing about its location. The exact sampler of Laplace variables
    is that of OpenDP; that of Gaussian variables is the package's own. Gumbel noise is computed with 100 digits and
    rounded to such a grid. Choices by scores have exactly the probabilities of the given numbers.

    Raises
    ------
    MissingExtraError
        When noise is drawn that needs OpenDP, and it is not installed (extra ``secure``).
    """

    def bernoulli(self, probability: float, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.bernoulli, size, probability)
        # A uniform number of 56 bits is compared with a double: exact for multiples of 2**-53, else within 2**-53.
        # Its highest byte decides, unless it equals that of the probability. The other 7 bytes are drawn only then.
        limit = round(probability * 2.0**53) << 3
        if size == 1:
            return np.array((int.from_bytes(os.urandom(7)) < limit,))
        highest, rest = limit >> 48, np.uint64(limit & (2**48 - 1))
        if highest > 255:
            return np.ones(size, dtype=np.bool_)
        drawn = np.frombuffer(os.urandom(size), dtype=np.uint8)
        bits = drawn < np.uint8(highest)
        undecided = np.flatnonzero(drawn == np.uint8(highest))
        bits[undecided] = self._words(undecided.size) >> np.uint64(16) < rest
        return bits

    def uniform_integers(self, low: int, high: int, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.uniform_integers, size, low, high)
        span = high - low
        mask = np.uint64((1 << (span - 1).bit_length()) - 1)
        drawn = np.empty(0, dtype=np.uint64)
        while drawn.size < size:
            words = self._words(2 * (size - drawn.size) + 8) & mask
            drawn = np.concatenate([drawn, words[words < np.uint64(span)]])
        return drawn[:size].astype(np.int64) + low

    def uniform_subset(self, population: int, size: int) -> NDArray[np.int64]:
        if 2 * size > population:
            left_out = self.uniform_subset(population, population - size)
            return np.setdiff1d(np.arange(population), left_out, assume_unique=True)
        # Distinct uniform integers, in the order drawn, form a uniform subset.
        chosen = np.empty(0, dtype=np.int64)
        while chosen.size < size:
            drawn = np.concatenate([chosen, self.uniform_integers(0, population, size - chosen.size)])
            first = np.unique(drawn, return_index=True)[1]
            chosen = drawn[np.sort(first)]
        return np.sort(chosen)

    def keyed_sample(self, population: int, size: int) -> KeyedSample:
        return KeyedSample(population, size, os.urandom(KEY_BYTES))

    def laplace_noise(self, location: float, scale: float, size: int) -> NDArray[np.float64]:
        return np.array(_laplace_measurement(scale, size)([float(location)] * size)) if size else np.empty(0)

    def normal_noise(self, location: float, scale: float, size: int) -> NDArray[np.float64]:
        return self.normal_at(np.full(size, float(location)), scale)

    def normal_at(self, locations: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
        step = 2.0 ** grid_exponent(scale)
        places = np.rint(locations / step)
        drawn = many_discrete_gaussians(scale / step, locations.size)
        # The sum of whole numbers is exact. A double of it, and its multiple, are functions of the sum.
        if np.abs(places).max(initial=0.0) < 2.0**62:
            return np.asarray((places.astype(np.int64) + drawn) * step, dtype=np.float64)
        sums = [int(place) + noise for place, noise in zip(places.tolist(), drawn.tolist(), strict=True)]
        return np.array(sums, dtype=np.float64) * step

    def discrete_gaussian_noise(self, scale: float, size: int) -> NDArray[np.int64]:
        if not 0 < scale < math.inf:
            raise ValueError(f"the scale of noise must be positive and finite, got {scale!r}")
        if SMALLEST <= scale <= LARGEST:
            return many_discrete_gaussians(scale, size)
        variance = Fraction(scale) ** 2
        return np.array([discrete_gaussian_steps(variance) for _ in range(size)], dtype=np.int64)

    def gumbel_noise(self, location: float, scale: float, size: int) -> NDArray[np.float64]:
        step = 2.0 ** grid_exponent(scale)
        place, width = round(location / step), Fraction(scale / step)
        return np.array([(place + gumbel_steps(width)) * step for _ in range(size)], dtype=np.float64)

    def discrete_laplace(self, scale: float, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.discrete_laplace, size, scale)
        return np.array(_discrete_laplace_measurement(scale)([0] * size), dtype=np.int64)

    def two_sided_geometric(self, up: float, down: float, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.two_sided_geometric, size, up, down)
        return self._geometric(up, size) - self._geometric(down, size)

    def geometric_numbers(self, probability: float, size: int) -> NDArray[np.int64]:
        if probability == 1:
            return np.ones(size, dtype=np.int64)
        if probability < _SMALLEST_SUCCESS:
            raise InputError(
                f"the secure randomness draws geometric numbers for a probability from 2**-52 on, got {probability!r}"
            )
        return 1 + self._geometric(float(1 - probability), size)

    def scored_places(self, scores: Sequence[Any], epsilon: Any, sensitivity: Any, size: int) -> NDArray[np.int64]:
        return scored_places(exponent_gaps(scores, epsilon, sensitivity), size)

    def _geometric(self, ratio: float, size: int) -> NDArray[np.int64]:
        """Exact geometric variables from 0: exact discrete Laplace variables that are not negative."""
        # The factor outweighs the rounding of the logarithm and of the quotient: the noise is never less.
        scale = -1 / math.log(ratio) * (1 + 2.0**-50)
        drawn = np.empty(0, dtype=np.int64)
        while drawn.size < size:
            more = self.discrete_laplace(scale, 2 * (size - drawn.size) + 2)
            drawn = np.concatenate([drawn, more[more >= 0]])
        return drawn[:size]

    @staticmethod
    def _words(size: int) -> NDArray[np.uint64]:
        return np.frombuffer(os.urandom(8 * size), dtype=np.uint64)


def _opendp() -> Any:
    # Its prelude imports scikit-learn and other large libraries as well, where they are installed.
    try:
        import opendp.domains
        import opendp.measurements
        import opendp.metrics
        import opendp.mod
    except ImportError:
        raise MissingExtraError("secure noise", "secure") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        opendp.mod.enable_features("contrib", "idealized-numerics")
    return opendp


@lru_cache(maxsize=64)
def _laplace_measurement(scale: float, size: int) -> Callable[[list[float]], list[float]]:
    opendp = _opendp()
    domain = opendp.domains.vector_domain(opendp.domains.atom_domain(T=float, nan=False), size=size)
    measurement: Callable[[list[float]], list[float]] = opendp.measurements.make_laplace(
        domain, opendp.metrics.l1_distance(T=float), scale=scale, k=grid_exponent(scale)
    )
    return measurement


@lru_cache(maxsize=64)
def _discrete_laplace_measurement(scale: float) -> Callable[[list[int]], list[int]]:
    opendp = _opendp()
    # The type that OpenDP takes for a Python integer has 32 bits only.
    domain = opendp.domains.vector_domain(opendp.domains.atom_domain(T="i64"))
    measurement: Callable[[list[int]], list[int]] = opendp.measurements.make_laplace(
        domain, opendp.metrics.l1_distance(T="i64"), scale=scale
    )
    return measurement
