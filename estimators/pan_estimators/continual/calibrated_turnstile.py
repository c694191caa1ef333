"""``calibrated-turnstile``: present elements for a known bound on the flippancy, by a square-root factorisation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.decaying_noise import factors
from pan_estimators.continual.existence import Part
from pan_estimators.continual.mechanism import ContinualCounter, IndependentRuns
from pan_estimators.continual.settings import Settings, require_bound
from pan_estimators.continual.square_root_counter import SquareRootCounter, SquareRootState, squared_sensitivity
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency
from pan_promises.promise import Promise


@dataclass(frozen=True)
class CalibratedTurnstile(ContinualCounter, IndependentRuns):
    """The number of present elements, for a known bound on the flippancy, with the noise of decaying sums.

    Promise (continual.calibrated): rho-item-level-zCDP of all outputs, for all streams.

    - The existence vector of an element is followed for its first w changes, and keeps its value from then on. Two
      neighbours differ in one element. The difference g of its two vectors starts at 0 and lies in {-1, 0, 1}. The
      absolute values of its changes v sum to at most 2 w.
    - The outputs are ``L (R x + z)`` (see :mod:`pan_estimators.continual.decaying_noise`). The inner product a(i, j)
      of the columns i < j of R is at least 0, decreases in j, and is at most the squared norm S of the first column.
    - The sum of ``v_i v_j a(i, j)`` over j > i is at most ``abs(v_i) (1 - abs(g_i)) a(i, i + 1)``, by summation by
      parts over g. So a change of 2 costs at most 4 S, a change from 0 costs S, and a change to 0 costs 3 S, or S if it
      is the last one. The first change starts from 0. In all the squared sensitivity is at most ``(4 w - 2) S``.
    - Another bound is smaller, except for few steps. g is constant on runs of steps, and at most w of these runs have a
      value other than 0. A share of the squared norm belongs to each rate f of R. In a run of d steps, with ``p =
      f**d``, this share grows by at most ``4 (1 - p) / (1 + p)`` of its weight, and in the first and the last run by at
      most ``(1 - p) (3 - p)``. A single run adds at most ``2 (1 - p)``
      (:mod:`pan_estimators.continual.square_root_counter`).

    The released values are computed in whole numbers. The noise covers their rounding
    (:mod:`pan_estimators.continual.right_factor`).
    """

    steps: int
    rho: float
    flippancy: int
    model: str = "general"
    _settings: Settings = field(init=False, repr=False, compare=False)
    _counter: SquareRootCounter = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_bound(self.flippancy)
        settings = Settings.of(self.steps, self.rho, self.model)
        object.__setattr__(self, "_settings", settings)
        squared = squared_sensitivity(factors(settings.steps), self.flippancy, settings.steps)
        object.__setattr__(self, "_counter", SquareRootCounter(settings, squared, self.flippancy))

    @property
    def promise(self) -> Promise:
        """rho-item-level-zCDP of all outputs."""
        return self._settings.promise(Adjacency.ITEM_LEVEL, "continual.calibrated")

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output."""
        return self._counter.noise

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        return f"the counts, if no element appears and disappears more than {self.flippancy} times in all"

    def _half_widths_at(self, state: SquareRootState, times: NDArray[np.int64], level: float) -> NDArray[np.float64]:
        return self._counter.half_widths(times, level)

    def _begin(self, randomness: Randomness) -> SquareRootState:
        return self._counter.begin(randomness)

    def _outputs(
        self, state: SquareRootState, part: Part, randomness: Randomness, runs: tuple[int, ...] = ()
    ) -> NDArray[Any]:
        return self._counter.outputs(state, part, randomness, runs)
