"""``turnstile-adaptive``: Algorithm 3 of the turnstile paper, which estimates the flippancy as it goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.doubling_copies import CopiesState, DoublingCopies
from pan_estimators.continual.existence import Part
from pan_estimators.continual.mechanism import ContinualCounter
from pan_estimators.continual.settings import Settings
from pan_estimators.continual.tree_noise import levels
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency
from pan_promises.promise import Promise


@dataclass(frozen=True)
class TurnstileAdaptive(ContinualCounter):
    """The number of present elements, for an unknown bound on the flippancy (turnstile paper, Algorithm 3).

    Promise (turnstile.adaptive): rho-item-level-zCDP of all outputs, for all streams. Copies of Algorithm 1 have the
    bounds 1, 2, 4, ... After each step a sparse vector asks whether more elements than about ``sqrt(bound / rho)``
    reach the bound in use. While the answer is above, the next copy is used.

    The listing of the source is lost. It is read as the ledger reads it: with ``L = ceil(log2 T)`` there are L + 1
    copies of the budget ``rho / (2 (L + 1))`` each, and the sparse vector has the budget ``rho / 2`` and the cutoff L.
    With ``log2 T`` itself in place of L the budgets add up to more than rho if T is no power of 2.

    The promise of accuracy says nothing at usual sizes. The bound of the ledger on the error is ``(10 sqrt(w) L^2 +
    137 L^4) / sqrt(rho)``. For rho at most 1 and T up to 2**25 it exceeds T, the error of "always 0". The sparse vector
    soon reaches the last copies, since its noise is larger than the numbers that it compares.
    """

    steps: int
    rho: float
    model: str = "general"
    _settings: Settings = field(init=False, repr=False, compare=False)
    _copies: DoublingCopies = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        settings = Settings.of(self.steps, self.rho, self.model)
        object.__setattr__(self, "_settings", settings)
        object.__setattr__(self, "_copies", DoublingCopies(settings, levels(self.steps)))

    @property
    def promise(self) -> Promise:
        """rho-item-level-zCDP of all outputs."""
        return self._settings.promise(Adjacency.ITEM_LEVEL, "turnstile.adaptive")

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output: that of the last copy."""
        return self._copies.noise(self._copies.copies - 1)

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        return "the counts"

    def half_width(self, level: float = 0.95) -> float:
        return self._copies.largest_half_width(level)

    def _half_widths_at(self, state: CopiesState, times: NDArray[np.int64], level: float) -> NDArray[np.float64]:
        return self._copies.half_widths(state, times, level)

    def _begin(self, randomness: Randomness) -> CopiesState:
        return self._copies.begin(randomness)

    def _outputs(self, state: CopiesState, part: Part, randomness: Randomness) -> NDArray[Any]:
        return self._copies.outputs(state, part, randomness)
