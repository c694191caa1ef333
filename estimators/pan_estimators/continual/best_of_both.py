"""``turnstile-best-of-both``: Algorithm 3 that recomputes once the flippancy is large (section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.doubling_copies import CopiesState, DoublingCopies
from pan_estimators.continual.existence import Part
from pan_estimators.continual.mechanism import ContinualCounter
from pan_estimators.continual.recompute import TurnstileRecompute
from pan_estimators.continual.settings import Settings
from pan_estimators.continual.tree_noise import levels
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency
from pan_promises.promise import Promise


@dataclass(frozen=True)
class TurnstileBestOfBoth(ContinualCounter):
    """The number of present elements, by Algorithm 3 or by recomputing (turnstile paper, section 3.3, Theorem 1.4).

    Promise (turnstile.best_of_both): rho-item-level-zCDP of all outputs, for all streams. For an epsilon and a delta
    take ``rho = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))**2``.

    The source sketches it; it is read as the ledger reads it. The copies of Algorithm 3 have the bounds 1, 2, 4, ...
    below ``rho^(1/3) T^(2/3)``, and the last copy recomputes, with the period of Theorem 3.10 for its budget. The N
    copies have the budget ``rho / (2 N)`` each. The sparse vector has the budget ``rho / 2`` and the cutoff N - 1.

    The copies before the last have noise as large as those of ``turnstile-adaptive``. The last copy has about
    ``(2 N)^(1/3)`` times the error of ``turnstile-recompute``.
    """

    steps: int
    rho: float
    model: str = "general"
    _settings: Settings = field(init=False, repr=False, compare=False)
    _copies: DoublingCopies = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        settings = Settings.of(self.steps, self.rho, self.model)
        object.__setattr__(self, "_settings", settings)
        most = levels(self.steps) - 1
        below = sum(float(2**place) ** 3 < self.rho * self.steps**2 for place in range(most))
        share = self.rho / (2 * (below + 1))
        period = TurnstileRecompute(steps=self.steps, rho=share, model=self.model).period
        object.__setattr__(self, "_copies", DoublingCopies(settings, below + 1, period))

    @property
    def promise(self) -> Promise:
        """rho-item-level-zCDP of all outputs."""
        return self._settings.promise(Adjacency.ITEM_LEVEL, "turnstile.best_of_both")

    @property
    def period(self) -> int:
        """The number of steps between two computations of the copy that recomputes."""
        return self._copies.period

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output of a copy."""
        return max(map(self._copies.noise, range(self._copies.copies)))

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        return f"the counts, or those at the last computation; one is made after every {self.period} steps"

    def half_width(self, level: float = 0.95) -> float:
        return self._copies.largest_half_width(level)

    def _half_widths_at(self, state: CopiesState, times: NDArray[np.int64], level: float) -> NDArray[np.float64]:
        return self._copies.half_widths(state, times, level)

    def _begin(self, randomness: Randomness) -> CopiesState:
        return self._copies.begin(randomness)

    def _outputs(self, state: CopiesState, part: Part, randomness: Randomness) -> NDArray[Any]:
        return self._copies.outputs(state, part, randomness)
