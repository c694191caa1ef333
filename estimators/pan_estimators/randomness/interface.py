"""The randomness interface: every random choice of an estimator is one of these calls."""

from __future__ import annotations

from typing import Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pan_estimators.keyed_sample import Sample


@runtime_checkable
class Randomness(Protocol):
    """Random choices, handed in and never global.

    An estimator is written once against these methods and runs with a seeded generator (tests,
    audits), with secure random numbers (deployment), or with an enumerating implementation that
    follows every choice with its exact probability. Noise is drawn *at a location* rather than
    added afterwards, because a floating-point sum of a value and a noise can reveal the value.
    """

    def bernoulli(self, probability: float, size: int) -> NDArray[np.bool_]:
        """``size`` independent bits, each true with ``probability`` in ``[0, 1]``."""
        ...

    def uniform_integers(self, low: int, high: int, size: int) -> NDArray[np.int64]:
        """``size`` independent uniform integers from ``low`` to ``high - 1``."""
        ...

    def uniform_subset(self, population: int, size: int) -> NDArray[np.int64]:
        """A uniform subset of ``{0, ..., population - 1}`` with ``size`` elements, sorted."""
        ...

    def keyed_sample(self, population: int, size: int) -> Sample:
        """A uniform subset of ``{0, ..., population - 1}`` that can be asked for membership; a key will do."""
        ...

    @overload
    def laplace(self, location: float, scale: float) -> float: ...
    @overload
    def laplace(self, location: float, scale: float, size: int) -> NDArray[np.float64]: ...
    def laplace(self, location: float, scale: float, size: int | None = None) -> float | NDArray[np.float64]:
        """Laplace variables with mean ``location`` and variance ``2 scale**2``."""
        ...

    def discrete_laplace(self, scale: float, size: int) -> NDArray[np.int64]:
        """``size`` integers with probability proportional to ``exp(-abs(k) / scale)``."""
        ...

    def two_sided_geometric(self, up: float, down: float, size: int) -> NDArray[np.int64]:
        """``size`` integers with probability proportional to ``up**k`` for ``k >= 0``, ``down**(-k)`` for ``k <= 0``.

        The two ratios lie in (0, 1). It is the difference of two independent geometric variables;
        with ``up = down = exp(-1/scale)`` it is discrete Laplace noise.
        """
        ...
