"""A smooth curve through given points that rises and falls exactly as they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MonotoneCurve:
    """The piecewise cubic of Fritsch and Butland (1984), called PCHIP.

    Attributes
    ----------
    places
        Strictly increasing, at least two.
    values
        The values at the places.
    slopes
        The derivatives at the places.
    """

    places: Floats
    values: Floats
    slopes: Floats

    @classmethod
    def through(cls, places: NDArray[Any], values: Floats) -> MonotoneCurve:
        """The curve through these points."""
        x, y = places.astype(np.float64), values.astype(np.float64)
        steps = np.diff(x)
        chords = np.diff(y) / steps
        if chords.size == 1:
            return cls(x, y, np.repeat(chords, 2))
        slopes = np.zeros(x.size)
        same = np.sign(chords[1:]) * np.sign(chords[:-1]) > 0
        # The weighted harmonic mean of the two chords, in which the longer one has less weight.
        before, after = (2 * steps[1:] + steps[:-1])[same], (steps[1:] + 2 * steps[:-1])[same]
        slopes[1:-1][same] = (before + after) / (before / chords[:-1][same] + after / chords[1:][same])
        slopes[0] = _end(steps[0], steps[1], chords[0], chords[1])
        slopes[-1] = _end(steps[-1], steps[-2], chords[-1], chords[-2])
        return cls(x, y, slopes)

    def __call__(self, places: NDArray[Any]) -> Floats:
        """The values of the curve, at places between the first and the last one."""
        at = np.clip(np.searchsorted(self.places, places, side="right") - 1, 0, self.places.size - 2)
        step = self.places[at + 1] - self.places[at]
        part = (places - self.places[at]) / step
        rest = 1 - part
        ends = self.values[at] * (1 + 2 * part) * rest**2 + self.values[at + 1] * (3 - 2 * part) * part**2
        bends = step * part * rest * (self.slopes[at] * rest - self.slopes[at + 1] * part)
        return np.asarray(ends + bends, dtype=np.float64)


def _end(step: float, next_step: float, chord: float, next_chord: float) -> float:
    """The slope at an end, from three points, limited so that the curve stays monotone."""
    slope = ((2 * step + next_step) * chord - step * next_chord) / (step + next_step)
    if np.sign(slope) != np.sign(chord):
        return 0.0
    if np.sign(chord) != np.sign(next_chord) and abs(slope) > 3 * abs(chord):
        return 3 * chord
    return slope
