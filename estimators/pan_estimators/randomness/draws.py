"""The basic draws of a source of randomness, of which all other random choices are made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.arguments import Size
from pan_estimators.samples.keyed_sample import Sample

_KEY_BITS = 62
_BITS_AT_ONCE = 2**22


class Draws(Protocol):
    """The draws that each source implements itself. Some have an implementation for all sources.

    Every method takes ``size``, the number of draws, at least 0, and returns an array of shape ``(size,)``
    unless its summary says otherwise. The methods whose ``size`` has a default are for estimators too: without a size
    they return one number, and they take shapes and arrays of parameters as numpy's methods do.
    """

    @overload
    def bernoulli(self, probability: float, size: int) -> NDArray[np.bool_]: ...
    @overload
    def bernoulli(self, probability: float, size: Size = ...) -> Any: ...
    def bernoulli(self, probability: float, size: Size = None) -> Any:
        """``size`` independent bits, each true with ``probability`` in ``[0, 1]``."""
        ...

    @overload
    def uniform_integers(self, low: int, high: int, size: int) -> NDArray[np.int64]: ...
    @overload
    def uniform_integers(self, low: int, high: int, size: Size = ...) -> Any: ...
    def uniform_integers(self, low: int, high: int, size: Size = None) -> Any:
        """``size`` independent uniform integers from ``low`` to ``high - 1``."""
        ...

    def uniform_subset(self, population: int, size: int) -> NDArray[np.int64]:
        """A uniform subset of ``{0, ..., population - 1}`` with ``size`` elements, sorted."""
        ...

    def keyed_sample(self, population: int, size: int) -> Sample:
        """A uniform subset of ``{0, ..., population - 1}`` with ``size`` members that finds their places.

        It may be kept as a key.
        """
        ...

    def laplace_noise(self, location: float, scale: float, size: int) -> NDArray[np.float64]:
        """``size`` Laplace variables with mean ``location`` and variance ``2 scale**2``, on a grid."""
        ...

    def normal_noise(self, location: float, scale: float, size: int) -> NDArray[np.float64]:
        """``size`` normal variables with mean ``location`` and variance ``scale**2``, on a grid."""
        ...

    def gumbel_noise(self, location: float, scale: float, size: int) -> NDArray[np.float64]:
        """``size`` Gumbel variables with mode ``location`` and variance ``(pi scale)**2 / 6``, on a grid."""
        ...

    @overload
    def discrete_laplace(self, scale: float, size: int) -> NDArray[np.int64]: ...
    @overload
    def discrete_laplace(self, scale: float, size: Size = ...) -> Any: ...
    def discrete_laplace(self, scale: float, size: Size = None) -> Any:
        """``size`` integers with probability proportional to ``exp(-abs(k) / scale)``."""
        ...

    def discrete_gaussian_noise(self, scale: float, size: int) -> NDArray[np.int64]:
        """``size`` integers with probability proportional to ``exp(-k**2 / (2 scale**2))``."""
        ...

    def normal_at(self, locations: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
        """One normal variable of this ``scale`` at each of the ``locations``, as of :meth:`normal_noise`."""
        drawn = [self.normal_noise(location, scale, 1) for location in locations.tolist()]
        return np.concatenate(drawn) if drawn else np.empty(0)

    @overload
    def two_sided_geometric(self, up: float, down: float, size: int) -> NDArray[np.int64]: ...
    @overload
    def two_sided_geometric(self, up: float, down: float, size: Size = ...) -> Any: ...
    def two_sided_geometric(self, up: float, down: float, size: Size = None) -> Any:
        """``size`` integers with probability proportional to ``up**k`` for ``k >= 0``, ``down**(-k)`` for ``k <= 0``.

        The two ratios lie in (0, 1). The variable is the difference of two independent geometric variables.
        With ``up = down = exp(-1/scale)`` it is discrete Laplace noise.
        """
        ...

    def geometric_numbers(self, probability: float, size: int) -> NDArray[np.int64]:
        """``size`` numbers of trials up to the first success, each trial with ``probability`` in ``(0, 1]``."""
        ...

    def binomial_numbers(self, trials: int, probability: float, size: int) -> NDArray[np.int64]:
        """``size`` numbers of successes in ``trials`` trials, each with ``probability`` in ``[0, 1]``."""
        if trials * size <= _BITS_AT_ONCE:
            bits = self.bernoulli(probability, trials * size).reshape(size, trials)
            return np.asarray(np.count_nonzero(bits, axis=1), dtype=np.int64)
        found = np.zeros(size, dtype=np.int64)
        for run in range(size):
            for start in range(0, trials, _BITS_AT_ONCE):
                found[run] += np.count_nonzero(self.bernoulli(probability, min(_BITS_AT_ONCE, trials - start)))
        return found

    def exponential_noise(self, scale: float, size: int) -> NDArray[np.float64]:
        """``size`` exponential variables with mean ``scale``, as the absolute values of Laplace variables."""
        return np.abs(self.laplace_noise(0.0, scale, size))

    def uniform_numbers(self, low: float, high: float, size: int) -> NDArray[np.float64]:
        """``size`` numbers from ``low`` up to ``high``, each made of 53 random bits."""
        return np.asarray(low + (high - low) * (self.uniform_integers(0, 2**53, size) * 2.0**-53), dtype=np.float64)

    def weighted_places(self, weights: Sequence[float], size: int) -> NDArray[np.int64]:
        """``size`` independent places in a list, each with a probability proportional to its weight in ``weights``."""
        below = np.cumsum(np.array(weights, dtype=np.float64))
        below /= below[-1]
        return np.searchsorted(below, self.uniform_numbers(0.0, 1.0, size), side="right").astype(np.int64)

    def scored_places(self, scores: Sequence[Any], epsilon: Any, sensitivity: Any, size: int) -> NDArray[np.int64]:
        """``size`` independent places in ``scores``, each with probability proportional to its weight.

        The weight of a score ``s`` is ``exp(epsilon s / (2 sensitivity))``.
        """
        gaps = exponent_gaps(scores, epsilon, sensitivity)
        return self.weighted_places([math.exp(-float(gap)) for gap in gaps], size)

    def uniform_order(self, size: int) -> NDArray[np.int64]:
        """A uniform permutation of ``0, ..., size - 1``: the order of distinct random keys."""
        while True:
            keys = self.uniform_integers(0, 2**_KEY_BITS, size)
            if np.unique(keys).size == size:
                return np.argsort(keys).astype(np.int64)


def exponent_gaps(scores: Sequence[Any], epsilon: Any, sensitivity: Any) -> list[Fraction]:
    """The distances of the exponents from the largest one, in exact arithmetic on the numbers as they are given."""
    exact = [_as_fraction(score) for score in scores]
    rate = _as_fraction(epsilon) / (2 * _as_fraction(sensitivity))
    top = max(exact)
    return [(top - score) * rate for score in exact]


def _as_fraction(value: Any) -> Fraction:
    """A number as a fraction: a logarithm as its nearest double."""
    return value if isinstance(value, Fraction) else Fraction(float(value))
