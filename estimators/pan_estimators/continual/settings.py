"""Settings that counters share: numbers of steps and elements, levels of intervals, and whole inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.numerics import root
from pan_promises.errors import InputError, require_count, shown
from pan_promises.problem import Problem
from pan_promises.turnstile import Model

MOST_STEPS = 2**31 - 1
"""Largest number of steps."""
_ELEMENTS = 2
"""The number of elements of the streams on which a counter is judged."""


@dataclass(frozen=True)
class Settings:
    """The public parameters of a counter.

    Attributes
    ----------
    steps
        The number T of steps, from 1 to 2**31 - 1. There is an output after each step.
    rho
        The bound of zero-concentrated differential privacy, positive.
    model
        The streams that are allowed.
    """

    steps: int
    rho: float
    model: Model

    @classmethod
    def of(cls, steps: int, rho: float, model: str) -> Settings:
        """The settings, if they are in range."""
        require_count("the number of steps", steps, most=MOST_STEPS)
        if isinstance(rho, bool) or not isinstance(rho, (int, float)) or not 0 < rho < math.inf:
            raise InputError(f"rho must be positive and finite, got {rho!r}")
        return cls(steps, float(rho), Problem.of_turnstile(_ELEMENTS, steps, model).model)

    @property
    def problem(self) -> Problem:
        """The streams on which a counter is judged."""
        return Problem.of_turnstile(_ELEMENTS, self.steps, self.model)

    def require_room(self, done: int, more: int) -> None:
        """Refuse steps beyond the last one."""
        if done + more > self.steps:
            raise InputError(
                f"the stream has at most {self.steps} steps (the parameter steps), got {done} and {more} more"
            )


def require_bound(flippancy: int) -> None:
    """Raise :class:`InputError` unless the bound on the flippancy is a whole number of at least 1."""
    require_count("the bound on the flippancy", flippancy)


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


def columns_of(stream: Any) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """The elements and the signs of a stream; a no-op has the element 0 and the sign 0."""
    elements, signs = [], []
    for entry in stream:
        if entry is None:
            elements.append(0)
            signs.append(0)
            continue
        if not (isinstance(entry, (tuple, list)) and len(entry) == 2 and all(map(_whole, entry))):
            raise InputError(f"an entry is None or a pair of an element and 1 or -1, got {shown(str(entry))}")
        if entry[1] not in (1, -1) or not 0 <= entry[0] < 2**31:
            raise InputError(f"an entry has an element from 0 on and a sign 1 or -1, got {shown(str(entry))}")
        elements.append(int(entry[0]))
        signs.append(int(entry[1]))
    return np.array(elements, dtype=np.int64), np.array(signs, dtype=np.int8)


def _whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)
