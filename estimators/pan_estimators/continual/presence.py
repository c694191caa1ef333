"""``presence``: the number of present elements where the last entry decides, at event level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.decaying_noise import factors
from pan_estimators.continual.existence import Part
from pan_estimators.continual.mechanism import ContinualCounter, IndependentRuns
from pan_estimators.continual.settings import Settings
from pan_estimators.continual.square_root_counter import SquareRootCounter, SquareRootState, squared_run
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency
from pan_promises.promise import Promise


@dataclass(frozen=True)
class Presence(ContinualCounter, IndependentRuns):
    """The number of elements whose last entry is an insertion, at event level.

    Promise (continual.presence): rho-event-level-zCDP of all outputs, for all streams. Without one entry, existence
    differs between this entry and the next one of the element alone: it changes by 1 and back. The two changes cost at
    most what they would cost in a stream without an end, and at most two columns of the right factor
    (:func:`pan_estimators.continual.square_root_counter.squared_run`). No bound on the flippancy is needed.

    The released values are computed in whole numbers. The noise covers their rounding
    (:mod:`pan_estimators.continual.right_factor`).
    """

    steps: int
    rho: float
    _settings: Settings = field(init=False, repr=False, compare=False)
    _counter: SquareRootCounter = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        settings = Settings.of(self.steps, self.rho, "general")
        object.__setattr__(self, "_settings", settings)
        squared = squared_run(factors(settings.steps), settings.steps)
        object.__setattr__(self, "_counter", SquareRootCounter(settings, squared, last_entry_decides=True))

    @property
    def promise(self) -> Promise:
        """rho-event-level-zCDP of all outputs."""
        return self._settings.promise(Adjacency.EVENT_LEVEL, "continual.presence")

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output."""
        return self._counter.noise

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        return "the counts"

    def _half_widths_at(self, state: SquareRootState, times: NDArray[np.int64], level: float) -> NDArray[np.float64]:
        return self._counter.half_widths(times, level)

    def _begin(self, randomness: Randomness) -> SquareRootState:
        return self._counter.begin(randomness)

    def _outputs(
        self, state: SquareRootState, part: Part, randomness: Randomness, runs: tuple[int, ...] = ()
    ) -> NDArray[Any]:
        return self._counter.outputs(state, part, randomness, runs)
