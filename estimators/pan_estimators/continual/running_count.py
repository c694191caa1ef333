"""``pan-private-running-count``: the number of events after every step, with a state that an adversary may see once."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.existence import Part
from pan_estimators.continual.mechanism import ContinualCounter
from pan_estimators.continual.tree_noise import node_sums, used_nodes
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency
from pan_promises.problem import Problem
from pan_promises.promise import EVERY, Observed, Promise

Values = NDArray[Any]


@dataclass(eq=False, slots=True)
class RunningCountState:
    """The state of :class:`PanPrivateRunningCount`. Each number in it carries noise.

    Attributes
    ----------
    open
        For each level the events so far in the node that has begun and not ended, with the noise of its birth; 0 if
        there is no such node.
    closed
        For each level the released value of the last node that later outputs use; 0 if there is none.
    time
        The number of steps that have ended. It is public.
    """

    open: list[Any]
    closed: list[Any]
    time: int = 0


@dataclass(frozen=True)
class PanPrivateRunningCount(ContinualCounter):
    """The number of events so far, after every step, pan-private against one intrusion.

    Promise (continual.running_count): rho-event-level-zCDP of all outputs and of the state at one intrusion between two
    steps, jointly. An event is an insertion, and a deletion takes one back. Elements do not matter, and the state does
    not hold them.

    A node of length ``2**k`` counts the events of ``2**k`` steps. Each step ends one node, and an output sums the nodes
    of the dyadic decomposition of the time. With ``n = floor(log2 T) + 1`` levels, a node is born with normal noise of
    variance ``n / (2 rho)``, which hides its events before the intrusion. When it ends, normal noise of variance
    ``(n - 1) / (2 rho)`` is added, which hides its events after the intrusion. A node of one step is never in the
    state, and needs the noise of its birth alone. No smaller variances that are equal on all levels suffice. Gaussian
    noise is chosen, since the losses of the nodes add up: the deviation of an output grows with log T, and with its
    power 3/2 for Laplace noise.

    An event that moves across the intrusion changes both parts. It loses up to 2 rho.

    Source of the idea: Dwork, Naor, Pitassi and Rothblum, Differential privacy under continual observation, 2010.
    """

    steps: int
    rho: float

    counts_events: ClassVar[bool] = True
    """Whether the outputs are about events, not about present elements. Deletions can make them negative."""

    @property
    def promise(self) -> Promise:
        """rho-event-level-zCDP of the state at one intrusion and of all outputs, jointly."""
        return Promise(
            rho=self.rho,
            adjacency=Adjacency.EVENT_LEVEL,
            observed=Observed.STATE_AND_OUTPUT,
            intrusions=1,
            outputs=EVERY,
            public=("steps",),
            claim="continual.running_count",
        )

    @property
    def problem(self) -> Problem:
        """The streams on which the promise is judged: elements do not matter, and one represents all."""
        return Problem.of_turnstile(1, self.steps, "general")

    @property
    def levels(self) -> int:
        """The number n of levels: ``floor(log2 T) + 1``."""
        return self.steps.bit_length()

    @property
    def birth_noise(self) -> float:
        """The standard deviation of the noise with which a node is born."""
        return sqrt(self.levels / (2 * self.rho))

    @property
    def release_noise(self) -> float:
        """The standard deviation of the noise that is added when a node of two steps or more ends."""
        return sqrt((self.levels - 1) / (2 * self.rho))

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output."""
        birth, both = self.birth_noise**2, self.birth_noise**2 + self.release_noise**2
        even = used_nodes(self.steps // 2) * both
        odd = birth + used_nodes((self.steps - 1) // 2) * both
        return sqrt(max(even, odd))

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        return "the numbers of insertions minus those of deletions"

    def create(self, randomness: Randomness) -> RunningCountState:
        return RunningCountState([0.0] * self.levels, [0.0] * self.levels)

    def _outputs(self, state: RunningCountState, part: Part, randomness: Randomness) -> NDArray[Any]:
        begun, steps = state.time, part.steps
        if not steps:
            return np.zeros(0)
        counted = np.append(0, np.cumsum(part.signs, dtype=np.int64))[np.append(0, part.ends)]
        times = np.arange(begun + 1, begun + steps + 1)
        values = self._closing(state, counted, times, randomness)
        outputs = node_sums(state.closed, values, begun)
        state.time = begun + steps
        # No later output uses the other nodes.
        state.closed = [one if state.time >> level & 1 else 0.0 for level, one in enumerate(state.closed)]
        self._open(state, counted, begun, state.time, randomness)
        return outputs

    def _steps_done(self, state: RunningCountState) -> int:
        return state.time

    def _closing(self, state: RunningCountState, counted: Values, times: Values, randomness: Randomness) -> Values:
        """The value of the node that ends with each step."""
        begun = int(times[0]) - 1
        lengths = times & -times
        starts = times - lengths
        inside = starts >= begun
        born = self._birth(randomness, int(np.count_nonzero(inside)))
        values = np.zeros(times.size, dtype=born.dtype)
        values[inside] = born + (counted[1:][inside] - counted[starts[inside] - begun])
        for place in np.flatnonzero(~inside).tolist():
            level = int(lengths[place]).bit_length() - 1
            values[place] = state.open[level] + int(counted[place + 1])
        longer = lengths > 1
        if longer.any():
            values[longer] = values[longer] + self._release(randomness, int(np.count_nonzero(longer)))
        return values

    def _open(self, state: RunningCountState, counted: Values, begun: int, now: int, randomness: Randomness) -> None:
        """The nodes that have begun and not ended."""
        for level in range(self.levels):
            start = now >> (level + 1) << (level + 1)
            if not start < now < start + 2**level <= self.steps:
                state.open[level] = 0.0
            elif start < begun:
                state.open[level] = state.open[level] + int(counted[-1])
            else:
                state.open[level] = self._birth(randomness, 1)[0] + int(counted[-1] - counted[start - begun])

    def _birth(self, randomness: Randomness, size: int) -> Values:
        return np.asarray(randomness.gaussian(0.0, self.birth_noise, size=size))

    def _release(self, randomness: Randomness, size: int) -> Values:
        return np.asarray(randomness.gaussian(0.0, self.release_noise, size=size))
