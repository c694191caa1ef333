"""Intervals for outputs whose noise depends on what was released before: the division of the error among phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.interval import half_width, require_level


@dataclass(frozen=True)
class PhaseIntervals:
    """Half widths in standard deviations, for all outputs of all phases together.

    Let a be the error, ``1 - level``. The first phase has ``a/2``. The later phases, and the computations after the
    last one, have an equal part of the other half. The parts add up to a. Each part is divided equally among the
    outputs, so that all intervals hold together with the probability ``level``. The proof, for each output:

    - An output at step t carries the noise ``sum over s <= t of l_(t-s) sigma_s z_s`` for independent standard normal
      z. The past before s determines sigma_s. The stream may depend on earlier outputs as well.
    - While the first phase lasts all sigma are equal. Then the noise is the normal variable that it would be without
      an end of the phase. So the event "the first phase lasts, and this noise is larger than c" has at most the
      probability of a normal tail.
    - The sums over ``s <= u`` for ``u <= t`` are a Brownian motion at random times. The noise never falls from phase to
      phase, so that in phase j the last time is at most ``v = sigma_j**2 * sum of l_k**2 over k < t``. So the event
      "step t is in phase j, and the noise is larger than c" implies that the motion leaves ``[-c, c]`` before v. By
      reflection its probability is at most twice that of a normal tail of variance v.
    - The noise of a computation is drawn when its variance is known. It is normal for every past.

    Attributes
    ----------
    outputs
        The number of outputs.
    phases
        The number of phases; 0 if there are computations alone.
    level
        The probability that all intervals hold, in (0, 1).
    """

    outputs: int
    phases: int
    level: float

    def __post_init__(self) -> None:
        require_level(self.level)

    def of_phase(self, place: int) -> float:
        """The half width of an interval in a phase, over the largest standard deviation that it allows at the step."""
        if place == 0:
            return half_width(1.0, self.outputs, (1 + self.level) / 2)
        return half_width(1.0, 2 * self.outputs, self._later)

    def of_computations(self, computations: int) -> float:
        """The half width of an interval after the last phase, over the standard deviation."""
        return half_width(1.0, computations, self._later if self.phases else self.level)

    @property
    def _later(self) -> float:
        return 1 - (1 - self.level) / (2 * self.phases)


def parts_of(ended: Sequence[int], times: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of parts of a stream that have ended before each of some steps."""
    return np.searchsorted(np.asarray(ended, dtype=np.int64), times, side="left")
