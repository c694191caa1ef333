"""``turnstile-recompute``: the count is computed anew after every few steps (Theorem 3.10)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.decaying_noise import deviation
from pan_estimators.continual.existence import Elements, entries_of, follow_steps
from pan_estimators.continual.interval import half_width
from pan_estimators.continual.phases import period_of
from pan_estimators.continual.settings import Settings
from pan_estimators.continual.whole_input import release_whole
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency
from pan_promises.errors import require_count
from pan_promises.problem import Problem
from pan_promises.promise import Promise


@dataclass(eq=False, slots=True)
class RecomputeState:
    """The state of :class:`TurnstileRecompute`. It holds the counts in clear.

    Attributes
    ----------
    elements
        The counts of the elements.
    present
        The number of elements that exist.
    output
        The last output.
    """

    elements: Elements = field(default_factory=Elements)
    present: int = 0
    output: Any = 0.0


@dataclass(frozen=True)
class TurnstileRecompute:
    """The number of present elements, computed anew after every ``period`` steps (turnstile paper, Theorem 3.10).

    Promise (turnstile.recompute): rho-item-level-zCDP of all outputs. Each of the ``T // period`` counts has l2
    sensitivity 1, so that normal noise of variance ``(T // period) / (2 rho)`` suffices. Between two computations the
    output repeats the last one, and before the first one it is 0.

    Parameters
    ----------
    steps
        The number T of steps, from 1 to 2**31 - 1.
    rho
        The bound on the loss, positive.
    period
        The number of steps between two computations, by default ``ceil((T ln(T) / rho)^(1/3))`` and at most T.
    model
        ``general``, ``strict`` or ``toggle``.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    steps: int
    rho: float
    period: int = 0
    model: str = "general"
    _settings: Settings = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        settings = Settings.of(self.steps, self.rho, self.model)
        object.__setattr__(self, "_settings", settings)
        if self.period == 0:
            object.__setattr__(self, "period", period_of(self.steps, self.rho))
        require_count("the period", self.period, most=self.steps)

    has_exact_noise: ClassVar[bool] = True
    """Whether the promise also holds for the rounded noise of the secure source: counts lie on its grid."""

    @property
    def promise(self) -> Promise:
        """rho-item-level-zCDP of all outputs."""
        return self._settings.promise(Adjacency.ITEM_LEVEL, "turnstile.recompute")

    @property
    def problem(self) -> Problem:
        """The streams on which the promise is judged."""
        return self._settings.problem

    @property
    def computations(self) -> int:
        """The number of times that the count is computed, at least 1 for the noise."""
        return max(1, self.steps // self.period)

    @property
    def noise(self) -> float:
        """The standard deviation of an output."""
        return deviation(float(self.computations), self.rho)

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        if self.period == 1:
            return "the counts"
        return f"the counts at the last computation; one is made after every {self.period} steps"

    def half_width(self, level: float = 0.95) -> float:
        """The distance that all outputs together keep from the counts at the last computation.

        Parameters
        ----------
        level
            The probability, in (0, 1).
        """
        return half_width(self.noise, self.computations, level)

    def create(self, randomness: Randomness) -> RecomputeState:
        """The state before the first entry.

        Parameters
        ----------
        randomness
            The source of random choices. No choice is made.
        """
        return RecomputeState()

    def follow(
        self, state: RecomputeState, elements: Any, signs: Any, randomness: Randomness, ends: Any = None
    ) -> NDArray[Any]:
        """The outputs after each step of the next part of the stream.

        Parameters
        ----------
        state
            The state so far. It is changed.
        elements
            The element of each entry: whole numbers from 0 to 2**31 - 2, shape ``(n,)``.
        signs
            1 for an insertion, -1 for a deletion, 0 for a no-op, shape ``(n,)``.
        randomness
            The source of the noise.
        ends
            The number of entries up to the end of each step, in order. By default each entry is a step.

        Returns
        -------
        numpy.ndarray
            An output for each step.

        Raises
        ------
        InputError
            For a bad entry, or too many steps. The state is then as before.
        """
        users, kinds, stops = entries_of(elements, signs, ends)
        begin = state.elements.steps
        self._settings.require_room(begin, stops.size)
        changes = follow_steps(state.elements, users, kinds, stops, model=self._settings.model)
        counts = state.present + np.cumsum(np.bincount(changes.steps, changes.signs, stops.size).astype(np.int64))
        computed = np.flatnonzero((np.arange(begin + 1, begin + stops.size + 1) % self.period) == 0)
        drawn = [randomness.gaussian(float(counts[place]), self.noise) for place in computed.tolist()]
        known = np.array([state.output, *drawn], dtype=None if not drawn else np.asarray(drawn).dtype)
        outputs = known[np.searchsorted(computed, np.arange(stops.size), side="right")]
        if stops.size:
            state.present, state.output = int(counts[-1]), known[-1]
        return outputs

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
