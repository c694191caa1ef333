"""Randomness from a numpy generator: fast and reproducible, for tests and audits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from pan_estimators.randomness.arguments import Size, drawn_singly, shaped
from pan_estimators.randomness.exact_draws import grid_exponent
from pan_estimators.randomness.numpy_names import NumpyNames
from pan_estimators.samples.keyed_sample import KEY_BYTES, KeyedSample

_SMALL = 512
"""Largest population that is put in random order for a subset."""


@lru_cache(maxsize=256)
def _step(scale: float) -> float:
    """The step of the grid of noise of this scale."""
    return float(2.0 ** grid_exponent(scale))


def _on_grid_singly(name: str) -> Callable[..., float]:
    """One draw of :func:`_on_grid`, without arrays."""

    def one(self: NumpyRandomness, location: float, scale: float) -> float:
        if scale == 0:
            return float(location)
        step = _step(scale)
        drawn: float = round(location / step) + round(getattr(self.generator, name)(0.0, scale / step))
        return drawn * step

    return one


class NumpyRandomness(NumpyNames):
    """Random choices from ``numpy.random.Generator``, for tests and audits.

    It is not for deployment: the generator is predictable. Use :class:`SecureRandomness` there. Its noise
    on the reals lies on the same grid as the secure one, so that an audit sees the outputs of a deployment.

    Parameters
    ----------
    seed
        Anything that ``numpy.random.default_rng`` accepts.
    """

    def __init__(self, seed: int | np.random.SeedSequence | np.random.Generator | None = None) -> None:
        self.generator = default_rng(seed)

    @drawn_singly(lambda self, probability: self.generator.random() < probability)
    def bernoulli(self, probability: float, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.bernoulli, size, probability)
        return self.generator.random(size) < probability

    @drawn_singly(lambda self, low, high: int(self.generator.integers(low, high)))
    def uniform_integers(self, low: int, high: int, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.uniform_integers, size, low, high)
        return self.generator.integers(low, high, size)

    def uniform_subset(self, population: int, size: int) -> NDArray[np.int64]:
        subset = self.generator.choice(population, size, replace=False, shuffle=False)
        subset.sort()
        return subset.astype(np.int64, copy=False)

    def keyed_sample(self, population: int, size: int) -> KeyedSample:
        return KeyedSample(population, size, self.generator.bytes(KEY_BYTES))

    def keys(self, runs: int) -> NDArray[np.uint8]:
        """The keys of ``runs`` keyed samples, shape ``(runs, 16)``, as calls of :meth:`keyed_sample` draw them."""
        return np.frombuffer(self.generator.bytes(KEY_BYTES * runs), dtype=np.uint8).reshape(runs, KEY_BYTES)

    def uniform_subsets(self, population: int, size: int, runs: int) -> NDArray[np.int64]:
        """``runs`` uniform subsets of ``size`` indices below ``population``, each sorted: shape ``(runs, size)``.

        The subsets are independent.
        """
        if population > _SMALL:
            return np.stack([self.uniform_subset(population, size) for _ in range(runs)])
        # The places of the smallest of independent random numbers.
        chosen = np.argpartition(self.generator.random((runs, population)), size - 1, axis=1)[:, :size]
        chosen.sort(axis=1)
        return chosen.astype(np.int64, copy=False)

    @drawn_singly(_on_grid_singly("laplace"))
    def laplace_noise(self, location: float, scale: float, size: int) -> NDArray[np.float64]:
        return _on_grid(self.generator.laplace, location, scale, size)

    @drawn_singly(_on_grid_singly("normal"))
    def normal_noise(self, location: float, scale: float, size: int) -> NDArray[np.float64]:
        return _on_grid(self.generator.normal, location, scale, size)

    @drawn_singly(_on_grid_singly("gumbel"))
    def gumbel_noise(self, location: float, scale: float, size: int) -> NDArray[np.float64]:
        return _on_grid(self.generator.gumbel, location, scale, size)

    def laplace_at(self, locations: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
        """One Laplace variable of this ``scale`` at each of the ``locations``, as of :meth:`laplace_noise`, at once."""
        step = 2.0 ** grid_exponent(scale)
        noise = np.rint(self.generator.laplace(0.0, scale / step, locations.shape))
        return np.asarray((np.rint(locations / step) + noise) * step)

    def normal_at(self, locations: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
        step = 2.0 ** grid_exponent(scale)
        noise = self.generator.normal(0.0, scale / step, locations.shape)
        np.rint(noise, out=noise)
        noise += np.rint(locations / step)
        noise *= step
        return noise

    def discrete_gaussian_noise(self, scale: float, size: int) -> NDArray[np.int64]:
        # Discrete Laplace proposals are accepted with the ratio of the two distributions (Canonne, Kamath and Steinke
        # 2020).
        if not scale > 0:
            raise ValueError(f"the scale of noise must be positive, got {scale!r}")
        width = int(scale) + 1
        drawn = np.empty(0, dtype=np.int64)
        while drawn.size < size:
            proposals = self.discrete_laplace(width, 2 * (size - drawn.size) + 8)
            ratio = np.exp(-((np.abs(proposals) / scale - scale / width) ** 2) / 2)
            drawn = np.concatenate([drawn, proposals[self.generator.random(proposals.size) < ratio]])
        return drawn[:size]

    def discrete_laplace(self, scale: float, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.discrete_laplace, size, scale)
        # The difference of two geometric variables with ratio exp(-1/scale) is discrete Laplace.
        success = -np.expm1(-1.0 / scale)
        return self.generator.geometric(success, size) - self.generator.geometric(success, size)

    def two_sided_geometric(self, up: float, down: float, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.two_sided_geometric, size, up, down)
        return self.generator.geometric(1 - up, size) - self.generator.geometric(1 - down, size)

    @drawn_singly(lambda self, low, high: low + (high - low) * self.generator.random())
    def uniform_numbers(self, low: float, high: float, size: int) -> NDArray[np.float64]:
        return np.asarray(low + (high - low) * self.generator.random(size), dtype=np.float64)

    def scored_places(self, scores: Sequence[Any], epsilon: Any, sensitivity: Any, size: int) -> NDArray[np.int64]:
        numbers = np.array([float(score) for score in scores])
        weights = np.exp((numbers - numbers.max()) * (float(epsilon) / (2 * float(sensitivity))))
        below = np.cumsum(weights)
        drawn = self.generator.random(size) * below[-1]
        return np.asarray(np.searchsorted(below, drawn, side="right"), dtype=np.int64)

    def geometric_numbers(self, probability: float, size: int) -> NDArray[np.int64]:
        return self.generator.geometric(probability, size)

    def binomial_numbers(self, trials: int, probability: float, size: int) -> NDArray[np.int64]:
        return self.generator.binomial(trials, probability, size)


def _on_grid(
    noise: Callable[[float, float, int], NDArray[np.float64]], location: float, scale: float, size: int
) -> NDArray[np.float64]:
    """The location plus noise, both as multiples of the step of the grid; of scale 0 the location, as numpy has it."""
    if scale == 0:
        return np.full(size, float(location))
    step = _step(scale)
    return np.asarray((round(location / step) + np.rint(noise(0.0, scale / step, size))) * step)
