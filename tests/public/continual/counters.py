"""Counters of turnstile streams for tests: the prefix sums of a dyadic tree, and counters that are broken or that the
exact check cannot follow, each with the reason. They are a family, so that they are checked in this process.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from pan_estimators.continual.adaptive import TurnstileAdaptive
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.recompute import TurnstileRecompute
from pan_estimators.continual.running_count import PanPrivateRunningCount
from pan_estimators.continual.sparse_vector import SparseVector, SparseVectorTechnique
from pan_estimators.continual.square_root_counter import CalibratedTurnstile, Presence
from pan_promises.adjacency import Adjacency
from pan_promises.families import Family
from pan_promises.problem import Problem
from pan_promises.promise import EVERY, Observed, Promise


class Silent:
    """A source of randomness whose noise is 0."""

    def gaussian(self, location: Any = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        if np.ndim(location):
            return np.array(location, dtype=float)
        return float(location) if size is None else np.full(size, float(location))

    laplace = gaussian


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
        return sqrt(self.squared_sensitivity * self.factor / (2 * self.rho))

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


@dataclass(frozen=True)
class OutputsAlone:
    """It has a release, and no state that could be seen."""

    steps: int = 4
    rho: float = 0.5
    problem: ClassVar = Problem.of_turnstile(1, 4, "toggle")

    def release(self, stream: Any, randomness: Any) -> list[Any]:
        return [randomness.gaussian(0.0, 1.0) for _ in stream]


@dataclass(frozen=True)
class SmallNodeNoise(TurnstileGivenFlippancy):
    """The nodes of the tree have a sixteenth of the variance."""

    @property
    def node_noise(self) -> float:
        return super().node_noise / 4


@dataclass(frozen=True)
class FewerLevels(TurnstileGivenFlippancy):
    """The noise is for one change of one level. It is too small from the third level on."""

    @property
    def node_noise(self) -> float:
        return sqrt(4 / (2 * self.rho))


@dataclass(frozen=True)
class TwiceDrawn(TurnstileGivenFlippancy):
    """The noise of the nodes is drawn again for each output, from the scale of one node for all of them."""

    def follow(self, state: Any, elements: Any, signs: Any, randomness: Any, ends: Any = None) -> Any:
        exact = super().follow(state, elements, signs, Silent(), ends)
        drawn = randomness.gaussian(0.0, self.node_noise / 4, size=exact.size)
        return exact + drawn

    @property
    def node_noise(self) -> float:
        return 2.0


@dataclass(frozen=True)
class NeverCut(TurnstileGivenFlippancy):
    """Existence is followed for ever, with the noise of one flip at the limit of its sensitivity."""

    def follow(self, state: Any, elements: Any, signs: Any, randomness: Any, ends: Any = None) -> Any:
        looser = TurnstileGivenFlippancy(self.steps, self.rho, 10**6, self.model)
        exact = looser.follow(state, elements, signs, Silent(), ends)
        return exact + super().follow(
            self.create(randomness), np.zeros_like(elements), np.zeros_like(signs), randomness
        )

    @property
    def node_noise(self) -> float:
        return sqrt(5 / (2 * self.rho))


@dataclass(frozen=True)
class OneFlipMore(CalibratedTurnstile):
    """Three changes more are followed than the noise is for."""

    @property
    def _followed(self):
        return self.flippancy + 3


@dataclass(frozen=True)
class EventNoise(Presence):
    """The noise hides one entry, and the promise is about all entries of an element."""

    @property
    def promise(self) -> Promise:
        return replace(super().promise, adjacency=Adjacency.ITEM_LEVEL)


@dataclass(frozen=True)
class ForgottenComputation(TurnstileRecompute):
    """The noise is for one computation less."""

    @property
    def noise(self) -> float:
        return sqrt((self.computations - 1) / (2 * self.rho))


@dataclass(frozen=True)
class BirthAlone(PanPrivateRunningCount):
    """Noise at birth alone: after an intrusion a node adds its events in clear."""

    def _release(self, randomness, size):
        return np.zeros(size, dtype=object)


@dataclass(frozen=True)
class ReleaseAlone(PanPrivateRunningCount):
    """All noise at release: the state holds the events of open nodes in clear."""

    @property
    def release_noise(self):
        return self.birth_noise

    def _birth(self, randomness, size):
        return np.array([0] * size, dtype=object)

    def _closing(self, state, counted, times, randomness):
        values = super()._closing(state, counted, times, randomness)
        short = times % 2 == 1
        values[short] = values[short] + super()._birth(randomness, int(short.sum()))
        return values


@dataclass(frozen=True)
class LessBirth(PanPrivateRunningCount):
    """Half of the variance at birth."""

    @property
    def birth_noise(self):
        return sqrt(self.levels / (4 * self.rho))


@dataclass(frozen=True)
class LessRelease(PanPrivateRunningCount):
    """Half of the variance at release."""

    @property
    def release_noise(self):
        return sqrt((self.levels - 1) / (4 * self.rho))


@dataclass(frozen=True)
class SplitNoise(PanPrivateRunningCount):
    """The noise that suffices for the outputs alone, one half at birth and the other at release."""

    @property
    def birth_noise(self):
        return sqrt(self.levels / (4 * self.rho))

    release_noise = birth_noise


@dataclass(frozen=True)
class KeepsLast(PanPrivateRunningCount):
    """Its state has the sign of the last entry in clear."""

    def follow(self, state, elements, signs, randomness, ends=None):
        outputs = super().follow(state, elements, signs, randomness, ends)
        state.closed.append(int(np.asarray(signs)[-1]))
        return outputs


@dataclass(frozen=True)
class LessQueryNoise(SparseVectorTechnique):
    """The noise of the queries does not grow with the cutoff."""

    @property
    def query_scale(self):
        return 1 / self.epsilon


@dataclass(frozen=True)
class LessThresholdNoise(SparseVectorTechnique):
    """An eighth of the noise of the threshold."""

    @property
    def threshold_scale(self):
        return 0.25 / self.epsilon


@dataclass(frozen=True)
class FreshThreshold(SparseVectorTechnique):
    """The noise of the threshold is drawn anew for each query."""

    def below(self, state, counts, offset, randomness):
        for place in range(counts.size):
            state.threshold = randomness.laplace(0.0, self.threshold_scale)
            if super().below(state, counts[place : place + 1], offset, randomness) == 0:
                return place
        return int(counts.size)


@dataclass(frozen=True)
class WithoutCutoff(SparseVectorTechnique):
    """Any number of answers is above."""

    def below(self, state, counts, offset, randomness):
        state.above = 0
        return super().below(state, counts, offset, randomness)


@dataclass(frozen=True)
class WithoutQueryNoise(SparseVectorTechnique):
    """The queries have no noise."""

    def below(self, state, counts, offset, randomness):
        if state.above >= self.cutoff:
            return int(counts.size)
        for place, count in enumerate(counts.tolist()):
            if count - state.threshold >= offset:
                state.above += 1
                return place
        return int(counts.size)


def broken(kind):
    """The sparse vector with a broken technique."""

    @dataclass(frozen=True)
    class Broken(SparseVector):
        @property
        def technique(self):
            return kind(sqrt(2 * self.rho), self.cutoff)

    return Broken


class SmallNoiseOfCopies:
    """The noise of a copy is a thirtieth of what it should be."""

    def node_noise(self, copy):
        return super().node_noise(copy) / 30


class FreshNodes:
    """The noise of all nodes is drawn again at each step."""

    def _put_out(self, state, part, place, randomness):
        begun, first, last = place
        parts = []
        for step in range(first, last):
            self._begin_copy(state, begun + step, randomness)
            parts.append(super()._put_out(state, part, (begun, step, step + 1), randomness))
        return np.concatenate(parts)


def with_copies(kind, base):
    """An adaptive counter with broken copies."""

    @dataclass(frozen=True)
    class Broken(kind, base):
        pass

    return Broken


MEMBERS = {
    "tree-counter": TreeCounter,
    "kept-noise": KeptNoise,
    "fresh-noise": FreshNoise,
    "silent-step": SilentStep,
    "noise-by-data": NoiseByData,
    "noise-for-one": NoiseForOne,
    "rounded-noise": RoundedNoise,
    "coin-counter": CoinCounter,
    "laplace-counter": LaplaceCounter,
    "outputs-alone": OutputsAlone,
    "small-node-noise": SmallNodeNoise,
    "fewer-levels": FewerLevels,
    "twice-drawn": TwiceDrawn,
    "never-cut": NeverCut,
    "one-flip-more": OneFlipMore,
    "event-noise": EventNoise,
    "forgotten-computation": ForgottenComputation,
    "birth-alone": BirthAlone,
    "release-alone": ReleaseAlone,
    "less-birth": LessBirth,
    "less-release": LessRelease,
    "split-noise": SplitNoise,
    "keeps-last": KeepsLast,
    "less-query-noise": broken(LessQueryNoise),
    "less-threshold-noise": broken(LessThresholdNoise),
    "fresh-threshold": broken(FreshThreshold),
    "without-cutoff": broken(WithoutCutoff),
    "without-query-noise": broken(WithoutQueryNoise),
    "small-noise-of-copies": with_copies(SmallNoiseOfCopies, TurnstileAdaptive),
    "fresh-nodes": with_copies(FreshNodes, TurnstileAdaptive),
}
FAMILY = Family("counters", {"members": "tests.public.continual.counters:MEMBERS"})
