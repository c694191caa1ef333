"""``turnstile-recompute``: the count is computed anew after every few steps (Theorem 3.10)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.decaying_noise import deviation
from pan_estimators.continual.existence import Elements, Part, follow_steps
from pan_estimators.continual.mechanism import ContinualCounter, IndependentRuns
from pan_estimators.continual.phases import period_of
from pan_estimators.randomness.interface import Randomness
from pan_promises.errors import require_count


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
class TurnstileRecompute(ContinualCounter, IndependentRuns):
    """The number of present elements, computed anew after every ``period`` steps (turnstile paper, Theorem 3.10).

    Promise (turnstile.recompute): rho-item-level-zCDP of all outputs. Each of the ``T // period`` counts has l2
    sensitivity 1, so that normal noise of variance ``(T // period) / (2 rho)`` suffices. Between two computations the
    output repeats the last one, and before the first one it is 0.
    """

    steps: int
    rho: float
    period: int = 0
    model: str = "general"
    _claim: ClassVar[str] = "turnstile.recompute"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.period == 0:
            object.__setattr__(self, "period", period_of(self.steps, self.rho))
        require_count("the period", self.period, most=self.steps)

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

    @property
    def _different_outputs(self) -> int:
        return self.computations

    def create(self, randomness: Randomness) -> RecomputeState:
        return RecomputeState()

    def _outputs(
        self, state: RecomputeState, part: Part, randomness: Randomness, runs: tuple[int, ...] = ()
    ) -> NDArray[Any]:
        begin = state.elements.steps
        changes = follow_steps(state.elements, part, model=self.problem.model)
        counts = state.present + np.cumsum(np.bincount(changes.steps, changes.signs, part.steps).astype(np.int64))
        computed = np.flatnonzero((np.arange(begin + 1, begin + part.steps + 1) % self.period) == 0)
        known = np.broadcast_to(np.array([state.output]), (*runs, 1))
        if computed.size:
            means = np.broadcast_to(counts[computed].astype(np.float64), (*runs, computed.size))
            drawn = np.asarray(randomness.gaussian(means, self.noise))
            known = np.concatenate([known, drawn], axis=-1)
        outputs = known[..., np.searchsorted(computed, np.arange(part.steps), side="right")]
        if part.steps:
            state.present, state.output = int(counts[-1]), known.T[-1]
        return outputs
