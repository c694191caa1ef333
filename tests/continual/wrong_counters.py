"""Counters of turnstile streams that are broken, or that the exact check cannot follow, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pan_promises.problem import Problem
from tests.continual.counters import CounterState, TreeCounter


@dataclass(frozen=True)
class KeptNoise(TreeCounter):
    """An odd time keeps the noise of the time before, so that the difference of two outputs carries none."""

    def _noise(self, state: CounterState, randomness: Any) -> Any:
        if state.time % 2 and state.time > 1:
            return sum(list(state.noise.values())[1:], start=next(iter(state.noise.values())))
        return super()._noise(state, randomness)


@dataclass(frozen=True)
class FreshNoise(TreeCounter):
    """Each output draws the noise of all its nodes again."""

    def _noise(self, state: CounterState, randomness: Any) -> Any:
        drawn = [randomness.gaussian(0.0, self.scale) for _ in range(state.time.bit_count())]
        return sum(drawn[1:], start=drawn[0])


@dataclass(frozen=True)
class LooseTruncation(TreeCounter):
    """An element is cut after two flips more than the noise is for."""

    def _count(self, state: CounterState, element: int, sign: int) -> None:
        before = state.counts.get(element, 0)
        state.counts[element] = before + sign
        if (before > 0) != (before + sign > 0) and state.time > 1:
            state.flips[element] = state.flips.get(element, 0) + 1
            if state.flips[element] > self.flips + 2:
                state.cut.add(element)


@dataclass(frozen=True)
class SilentStep(TreeCounter):
    """The third output carries no noise."""

    def _noise(self, state: CounterState, randomness: Any) -> Any:
        noise = super()._noise(state, randomness)
        return 0.0 if state.time == 3 else noise


@dataclass(frozen=True)
class NoiseByData(TreeCounter):
    """The noise is larger while an element exists."""

    def _noise(self, state: CounterState, randomness: Any) -> Any:
        return super()._noise(state, randomness) * (2 if self._existing(state) else 1)


@dataclass(frozen=True)
class NoiseForOne(TreeCounter):
    """Two outputs get the noise of one while no element exists, and so do their ranges differ."""

    def _noise(self, state: CounterState, randomness: Any) -> Any:
        if state.time == 2 and not self._existing(state):
            return next(iter(state.noise.values()))
        return super()._noise(state, randomness)


@dataclass(frozen=True)
class RoundedNoise(TreeCounter):
    """Every output has the noise of the first and a noise of its own that is as small as the rounding of a weight."""

    def _noise(self, state: CounterState, randomness: Any) -> Any:
        if state.time == 1:
            state.noise[0] = randomness.gaussian(0.0, self.scale)
        return state.noise[0] * 0.5**0.5 + randomness.gaussian(0.0, self.scale) * 2**-30.5


@dataclass(frozen=True)
class CoinCounter(TreeCounter):
    """The outputs of a run are all shifted by a coin: their distribution is a mixture."""

    def create(self, randomness: Any) -> CounterState:
        state = CounterState()
        state.counts[-1] = int(randomness.bernoulli(0.5, 1)[0])
        return state


@dataclass(frozen=True)
class LaplaceCounter(TreeCounter):
    """The noise is that of Laplace."""

    def _noise(self, state: CounterState, randomness: Any) -> Any:
        return randomness.laplace(0.0, self.scale)


class OutputsAlone:
    """It has a release, and no state that could be seen."""

    problem = Problem.of_turnstile(1, 4, "toggle")

    def release(self, stream: Any, randomness: Any) -> list[Any]:
        return [randomness.gaussian(0.0, 1.0) for _ in stream]
