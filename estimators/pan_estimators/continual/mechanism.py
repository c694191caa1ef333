"""What the mechanisms on turnstile streams share: their parameters, the checks of a stream, and whole streams."""

from __future__ import annotations

import math
from math import erfc, sqrt
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.many_runs import require_runs
from pan_estimators.continual.existence import Part, entries_of
from pan_estimators.numerics import root
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError, require_count, shown
from pan_promises.problem import Problem
from pan_promises.promise import EVERY, Observed, Promise
from pan_promises.turnstile import Model

MOST_STEPS = 2**31 - 1
"""Largest number of steps."""
_ELEMENTS = 2
"""The number of elements of the streams on which a counter is judged."""


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


class ContinualMechanism(Protocol):
    """A mechanism with an output after each step of a turnstile stream.

    A mechanism states its claim, :meth:`create` and :meth:`_outputs`. Its configuration is a frozen dataclass.

    Attributes
    ----------
    steps
        The number T of steps, from 1 to 2**31 - 1. There is an output after each step.
    rho
        The bound of zero-concentrated differential privacy, positive.
    """

    steps: int
    rho: float

    _claim: ClassVar[str]
    """The claim that proves the promise."""
    _adjacency: ClassVar[Adjacency] = Adjacency.ITEM_LEVEL

    has_exact_noise: ClassVar[bool] = True
    """Whether the promise also holds for the rounded noise of the secure source: counts lie on its grid, or the noise
    covers all rounding."""

    def __post_init__(self) -> None:
        require_count("the number of steps", self.steps, most=MOST_STEPS)
        if isinstance(self.rho, bool) or not isinstance(self.rho, (int, float)) or not 0 < self.rho < math.inf:
            raise InputError(f"rho must be positive and finite, got {self.rho!r}")
        _ = self.problem

    @property
    def problem(self) -> Problem:
        """The streams on which the promise is judged. A mechanism may have a parameter for those that are allowed."""
        return Problem.of_turnstile(_ELEMENTS, self.steps, getattr(self, "model", Model.GENERAL))

    @property
    def promise(self) -> Promise:
        """rho-zCDP of all outputs together."""
        return Promise(
            rho=float(self.rho),
            adjacency=self._adjacency,
            observed=Observed.OUTPUT,
            intrusions=0,
            outputs=EVERY,
            public=("steps", "model"),
            claim=self._claim,
        )

    def create(self, randomness: Randomness) -> Any:
        """The state before the first step."""
        ...

    def follow(self, state: Any, elements: Any, signs: Any, randomness: Randomness, ends: Any = None) -> NDArray[Any]:
        """The outputs after each step of the next part of the stream."""
        part = entries_of(elements, signs, ends)
        self._require_room(self._steps_done(state), part.steps)
        return self._outputs(state, part, randomness)

    def release(self, stream: Any, randomness: Randomness) -> list[Any]:
        """The outputs after each entry of a stream: a tuple of ``(element, 1)``, ``(element, -1)`` and ``None``."""
        outputs: list[Any] = self.follow(self.create(randomness), *columns_of(stream), randomness).tolist()
        return outputs

    def _outputs(self, state: Any, part: Part, randomness: Randomness) -> NDArray[Any]:
        """The outputs after each step, for steps that have been checked."""
        ...

    def _require_room(self, done: int, more: int) -> None:
        """Refuse steps beyond the last one."""
        if done + more > self.steps:
            raise InputError(
                f"the stream has at most {self.steps} steps (the parameter steps), got {done} and {more} more"
            )

    def _steps_done(self, state: Any) -> int:
        """The number of steps that have ended."""
        return int(state.elements.steps)


class IndependentRuns(ContinualMechanism, Protocol):
    """A mechanism that makes many independent runs on a stream at once. Only their noise differs."""

    def release_many(self, stream: Any, runs: int, randomness: Randomness) -> NDArray[Any]:
        """The outputs of independent runs, each with the distribution of :meth:`release`."""
        part = entries_of(*columns_of(stream), None)
        self._require_room(0, part.steps)
        return self._outputs(self.create(randomness), part, randomness, (require_runs(runs),))

    def _outputs(self, state: Any, part: Part, randomness: Randomness, runs: tuple[int, ...] = ()) -> NDArray[Any]:
        """The outputs, with an axis for the runs before that of the steps, if a number of runs is given.

        The state of many runs is used for one part only.
        """
        ...


class ContinualCounter(ContinualMechanism, Protocol):
    """A mechanism whose outputs are counts with Gaussian noise.

    It also states :attr:`noise`.
    """

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output."""
        ...

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        return "the counts"

    def half_width(self, level: float = 0.95) -> float:
        """The distance that all outputs together keep from the numbers of ``compared_with``."""
        return half_width(self.noise, self._different_outputs, level)

    def half_widths(self, state: Any, count: int, level: float = 0.95) -> NDArray[np.float64]:
        """The distances that the last outputs keep from these numbers. All outputs of a stream keep theirs together.

        None of them exceeds :meth:`half_width`. They follow from parameters and from what is released, so that the
        promise covers them.
        """
        done = self._steps_done(state)
        return self._half_widths_at(state, np.arange(done - count + 1, done + 1), level)

    def _half_widths_at(self, state: Any, times: NDArray[np.int64], level: float) -> NDArray[np.float64]:
        """The distances of the outputs after the steps with these numbers, from 1 on."""
        return np.full(times.size, self.half_width(level))

    @property
    def _different_outputs(self) -> int:
        """The number of outputs that do not repeat the one before."""
        return self.steps
