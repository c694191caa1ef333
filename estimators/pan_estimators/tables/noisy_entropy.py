"""The entropy of noisy counts of several sites: its bias, its variance, and an estimator without most of the bias."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.tree_fit import nearest_possible
from pan_promises.errors import InputError, require_count, shown

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
_SHARES = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True)
class NoisyEntropy:
    """The entropy of a distribution from counts that carry the noise of several sites, in nats.

    The counts of ``n`` independent rows have a multinomial distribution. Each site adds Laplace noise of one scale to
    each of its counts, and the analyst divides the sums by ``n``. Negative sums become 0. Nothing here spends budget:
    it reads noisy counts.
    """

    rows: int
    sites: int
    scale: float

    def __post_init__(self) -> None:
        require_count("the number of rows", self.rows)
        require_count("the number of sites", self.sites)
        if isinstance(self.scale, bool) or not isinstance(self.scale, (int, float)) or not 0 <= self.scale < math.inf:
            raise InputError(f"the scale of noise must be at least 0 and finite, got {shown(self.scale)}")

    def plain(self, counts: Sequence[float] | NDArray[np.float64]) -> float:
        """The entropy of the noisy frequencies, which Algorithm 3.5 uses."""
        return float(_terms(np.asarray(counts, dtype=np.float64).ravel() / self.rows).sum())

    def corrected(self, counts: Sequence[float] | NDArray[np.float64]) -> float:
        """The entropy of counts that are moved to the public sum, less the bias at the nearest distribution.

        It can be below 0 or above the logarithm of the number of counts: limits would bring a bias of their own.
        If most of the counts are less than the noise, its bias can be larger than that of :meth:`plain`.
        """
        noisy = np.asarray(counts, dtype=np.float64).ravel()
        moved = noisy + (self.rows - noisy.sum()) / len(noisy)
        nearest = nearest_possible(moved[None] / self.rows, np.ones(1))[0]
        return self.plain(moved) - self._bias(nearest, self._noise * (1 - 1 / len(noisy)))

    def bias(self, probabilities: Sequence[float] | NDArray[np.float64]) -> float:
        """The bias of :meth:`plain`, with normal deviations of each frequency. Negative sums are accounted for."""
        return self._bias(np.asarray(probabilities, dtype=np.float64).ravel(), self._noise)

    def _bias(self, exact: NDArray[np.float64], noise: float) -> float:
        deviations = np.sqrt(np.maximum(exact * (1 - exact), 0.0) / self.rows + noise)
        expected = _terms(exact[:, None] + deviations[:, None] * _NODES) @ _SHARES
        return float((expected - _terms(exact)).sum())

    def second_order_bias(self, probabilities: Sequence[float] | NDArray[np.float64]) -> float:
        """``-(d-1)/(2n) - M b^2/n^2 sum 1/p``: the bias of :meth:`plain` if all counts are large beside their noise."""
        exact = _positive(probabilities)
        return -(len(exact) - 1) / (2 * self.rows) - self._noise / 2 * float((1 / exact).sum())

    def variance(self, probabilities: Sequence[float] | NDArray[np.float64]) -> float:
        """``(sum p log^2 p - H^2)/n + 2 M b^2/n^2 sum (1 + log p)^2``: the variance if all counts are large."""
        exact = _positive(probabilities)
        logs = np.log(exact)
        of_rows = float((exact * logs**2).sum() - (exact * logs).sum() ** 2) / self.rows
        return of_rows + self._noise * float(((1 + logs) ** 2).sum())

    @property
    def _noise(self) -> float:
        """The variance of the noise of a frequency."""
        return 2 * self.sites * (self.scale / self.rows) ** 2


def _terms(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The terms of the entropy; 0 for shares that are not positive."""
    positive = np.maximum(shares, 0.0)
    return np.asarray(-positive * np.log(np.where(positive > 0, positive, 1.0)))


def _positive(probabilities: Any) -> NDArray[np.float64]:
    exact = np.asarray(probabilities, dtype=np.float64).ravel()
    if not len(exact) or not (exact > 0).all() or abs(exact.sum() - 1) > 1e-6:
        raise InputError("the probabilities must be positive, and their sum 1")
    return exact
