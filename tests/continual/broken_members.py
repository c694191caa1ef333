"""Shipped counters with one error each, as a family of their own, and the reason why each is broken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from pan_estimators.continual.calibrated_turnstile import CalibratedTurnstile
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.presence import Presence
from pan_estimators.continual.recompute import TurnstileRecompute
from pan_promises.adjacency import Adjacency
from pan_promises.families import Family
from pan_promises.promise import Promise


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

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_counter", replace(self._counter, bound=self.flippancy + 3))


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


class Silent:
    """Noise of 0."""

    def gaussian(self, mean: Any, scale: float, size: int | None = None) -> Any:
        return mean if size is None else np.full(size, mean)


MEMBERS = {
    "small-node-noise": SmallNodeNoise,
    "fewer-levels": FewerLevels,
    "twice-drawn": TwiceDrawn,
    "never-cut": NeverCut,
    "one-flip-more": OneFlipMore,
    "event-noise": EventNoise,
    "forgotten-computation": ForgottenComputation,
}
FAMILY = Family("broken counters", {"members": "tests.continual.broken_members:MEMBERS"})
