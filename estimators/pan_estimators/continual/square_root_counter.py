"""Counts of present elements with the noise of a factorisation near the square root, for two counters."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.decaying_noise import factors
from pan_estimators.continual.existence import Elements, Part, follow_steps
from pan_estimators.continual.interval import half_width
from pan_estimators.continual.right_factor import Release, released, rounding, safe_deviation
from pan_estimators.continual.settings import Settings
from pan_estimators.randomness.interface import Randomness


@dataclass(eq=False, slots=True)
class SquareRootState:
    """The state of a counter. It holds the counts in clear.

    Attributes
    ----------
    elements
        The counts and the flips of the elements.
    release
        The sums behind the released values.
    """

    elements: Elements
    release: Release


@dataclass(frozen=True)
class SquareRootCounter:
    """Follows existence vectors, and releases their changes with noise.

    The noise covers the rounding of the released values (:func:`~pan_estimators.continual.right_factor.rounding`).

    Attributes
    ----------
    settings
        The public parameters.
    squared_sensitivity
        The squared l2 sensitivity of the values of the right factor.
    bound
        The number of changes of an element that are followed; ``None`` for all.
    last_entry_decides
        Whether an element exists if its last entry is an insertion.
    """

    settings: Settings
    squared_sensitivity: float
    bound: int | None = None
    last_entry_decides: bool = False
    draw_noise: float = field(init=False)

    def __post_init__(self) -> None:
        steps = self.settings.steps
        rounded = rounding(factors(steps))
        noise = safe_deviation(sqrt(self.squared_sensitivity), self.settings.rho, steps, rounded)
        object.__setattr__(self, "draw_noise", noise)

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output."""
        steps = self.settings.steps
        return self.draw_noise * sqrt(factors(steps).squared_row(steps))

    def half_widths(self, times: NDArray[np.int64], level: float) -> NDArray[np.float64]:
        """The distances that outputs keep from the followed counts, all of them together. The noise grows with time."""
        rows = factors(self.settings.steps).squared_rows(times)
        deviations = np.minimum(self.draw_noise * np.sqrt(rows), self.noise)
        return np.asarray(half_width(1.0, self.settings.steps, level) * deviations)

    def begin(self, randomness: Randomness) -> SquareRootState:
        """The state before the first entry."""
        return SquareRootState(Elements(), Release.begin(factors(self.settings.steps)))

    def outputs(
        self, state: SquareRootState, part: Part, randomness: Randomness, runs: tuple[int, ...] = ()
    ) -> NDArray[Any]:
        """The outputs after each step."""
        changes = follow_steps(
            state.elements,
            part,
            model=self.settings.model,
            last_entry_decides=self.last_entry_decides,
        )
        kept = slice(None) if self.bound is None else changes.reached <= self.bound
        moved = np.bincount(changes.steps[kept], changes.signs[kept], part.steps).astype(np.int64)
        return released(state.release, moved, factors(self.settings.steps), self.draw_noise, randomness, runs)
