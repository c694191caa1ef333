"""Counters of turnstile streams for tests: prefix sums of a dyadic tree, right and wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pan_promises.adjacency import Adjacency
from pan_promises.looks import EVERY, Observed
from pan_promises.problem import Problem
from pan_promises.promise import Promise


@dataclass
class CounterState:
    """The counts in clear, the flips so far, and the noise of the nodes that end before now."""

    counts: dict[int, int] = field(default_factory=dict)
    flips: dict[int, int] = field(default_factory=dict)
    cut: set[int] = field(default_factory=set)
    time: int = 0
    noise: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TreeCounter:
    """The number of elements that exist, each followed until it flips more than ``flips`` times, under tree noise.

    The noise at time t is the sum over the nodes of the dyadic decomposition of ``(0, t]``. Every node has the variance
    ``squared_sensitivity / (2 rho)`` times ``factor``.
    """

    elements: int = 2
    steps: int = 4
    model: str = "toggle"
    rho: float = 0.5
    flips: int = 1
    squared_sensitivity: float = 1.0
    factor: float = 1.0
    adjacency: str = "item-level"

    @property
    def problem(self) -> Problem:
        return Problem.of_turnstile(self.elements, self.steps, self.model)

    @property
    def promise(self) -> Promise:
        return Promise(
            rho=self.rho, adjacency=Adjacency(self.adjacency), observed=Observed.OUTPUT, intrusions=0, outputs=EVERY
        )

    @property
    def scale(self) -> float:
        return math.sqrt(self.squared_sensitivity * self.factor / (2 * self.rho))

    def create(self, randomness: Any) -> CounterState:
        return CounterState()

    def follow(self, state: CounterState, elements: Any, signs: Any, randomness: Any) -> np.ndarray:
        outputs = []
        for element, sign in zip(np.asarray(elements).tolist(), np.asarray(signs).tolist(), strict=True):
            state.time += 1
            if sign:
                self._count(state, element, sign)
            outputs.append(self._existing(state) + self._noise(state, randomness))
        return np.array(outputs, dtype=object)

    def _count(self, state: CounterState, element: int, sign: int) -> None:
        before = state.counts.get(element, 0)
        state.counts[element] = before + sign
        # The first entry of the stream has no entry before it that it could differ from.
        if (before > 0) != (before + sign > 0) and state.time > 1:
            state.flips[element] = state.flips.get(element, 0) + 1
            if state.flips[element] > self.flips:
                state.cut.add(element)

    def _existing(self, state: CounterState) -> int:
        return sum(count > 0 and element not in state.cut for element, count in state.counts.items())

    def _noise(self, state: CounterState, randomness: Any) -> Any:
        level = (state.time & -state.time).bit_length() - 1
        state.noise = {key: one for key, one in state.noise.items() if key > level}
        state.noise[level] = randomness.gaussian(0.0, self.scale)
        return sum(list(state.noise.values())[1:], start=next(iter(state.noise.values())))

    def release(self, stream: Any, randomness: Any) -> list[Any]:
        elements = [0 if entry is None else entry[0] for entry in stream]
        signs = [0 if entry is None else entry[1] for entry in stream]
        return list(self.follow(self.create(randomness), elements, signs, randomness))
