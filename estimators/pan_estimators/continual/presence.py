"""``presence``: the number of present elements where the last entry decides, at event level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from numpy.typing import NDArray

from pan_estimators.continual.decaying_noise import factors
from pan_estimators.continual.interval import half_width
from pan_estimators.continual.settings import Settings
from pan_estimators.continual.square_root_counter import SquareRootCounter, SquareRootState
from pan_estimators.continual.whole_input import release_whole
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency
from pan_promises.problem import Problem
from pan_promises.promise import Promise


@dataclass(frozen=True)
class Presence:
    """The number of elements whose last entry is an insertion, at event level.

    Promise (continual.presence): rho-event-level-zCDP of all outputs, for all streams. Without one entry, existence
    differs between this entry and the next one of the element alone: it changes by 1 and back. The inner product of two
    columns of the right factor is at least 0, so that the squared sensitivity is at most twice the squared norm of a
    column (see :mod:`pan_estimators.continual.decaying_noise`). No bound on the flippancy is needed.

    The released values are computed in whole numbers. The noise covers their rounding
    (:mod:`pan_estimators.continual.right_factor`).

    Parameters
    ----------
    steps
        The number T of steps, from 1 to 2**31 - 1.
    rho
        The bound on the loss, positive.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    steps: int
    rho: float
    _counter: SquareRootCounter = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        settings = Settings.of(self.steps, self.rho, "general")
        squared = 2 * factors(settings.steps).squared_column(settings.steps)
        object.__setattr__(self, "_counter", SquareRootCounter(settings, squared, last_entry_decides=True))

    has_exact_noise: ClassVar[bool] = True
    """Whether the promise also holds for the rounded noise of the secure source: the noise covers all rounding."""

    @property
    def promise(self) -> Promise:
        """rho-event-level-zCDP of all outputs."""
        return self._counter.settings.promise(Adjacency.EVENT_LEVEL, "continual.presence")

    @property
    def problem(self) -> Problem:
        """The streams on which the promise is judged."""
        return self._counter.settings.problem

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output."""
        return self._counter.noise

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        return "the counts"

    def half_width(self, level: float = 0.95) -> float:
        """The distance that all outputs together keep from the counts.

        Parameters
        ----------
        level
            The probability, in (0, 1).
        """
        return half_width(self.noise, self.steps, level)

    def create(self, randomness: Randomness) -> SquareRootState:
        """The state before the first entry.

        Parameters
        ----------
        randomness
            The source of random choices. No choice is made.
        """
        return self._counter.create(randomness)

    def follow(
        self, state: SquareRootState, elements: Any, signs: Any, randomness: Randomness, ends: Any = None
    ) -> NDArray[Any]:
        """The outputs after each step of the next part of the stream.

        Parameters
        ----------
        state, elements, signs, randomness, ends
            As in :meth:`pan_estimators.continual.recompute.TurnstileRecompute.follow`.
        """
        return self._counter.follow(state, elements, signs, randomness, ends)

    def release(self, stream: Any, randomness: Randomness) -> list[Any]:
        """The outputs after each entry of a whole stream: a tuple of ``(element, 1)``, ``(element, -1)`` and ``None``.

        Parameters
        ----------
        stream
            The entries, at most ``steps``.
        randomness
            The source of the noise.
        """
        return release_whole(self, stream, randomness)
