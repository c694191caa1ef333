"""Intervals that hold the noise of all outputs at once."""

from __future__ import annotations

from math import erfc, sqrt

from pan_estimators.numerics.roots import root
from pan_promises.errors import InputError


def require_level(level: float) -> None:
    """Raise :class:`InputError` unless a level lies in (0, 1)."""
    if not 0 < level < 1:
        raise InputError(f"the level of an interval must lie in (0, 1), got {level!r}")


def half_width(deviation: float, outputs: int, level: float) -> float:
    """The bound that the noise of all outputs keeps with a probability of at least ``level``.

    It follows from the sum of the probabilities, for Gaussian noise with any dependence.
    """
    require_level(level)
    share = (1 - level) / max(1, outputs)
    return deviation * root(lambda bound: share - erfc(bound / sqrt(2)), 0.0, 40.0, tolerance=1e-9)
