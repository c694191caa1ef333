"""Objects with an update and a result method, by authors who do not know the interface."""

from __future__ import annotations

import random

import numpy as np


class PlainObject:
    """The ten lines of somebody who has never heard of us: a set and a noisy length."""

    promise = "epsilon=1, adjacency=user-level, observed=output"

    def __init__(self, epsilon=1.0):
        self.epsilon = epsilon
        self.seen = set()

    def add(self, user):
        self.seen.add(user)

    def result(self):
        return round(len(self.seen) + np.random.laplace(0, 1 / self.epsilon), 6)


class PlainObjectWithTooLittleNoise(PlainObject):
    def result(self):
        return round(len(self.seen) + np.random.laplace(0, 0.3 / self.epsilon), 6)


class PlainObjectWithItsOwnGenerator(PlainObject):
    def __init__(self, epsilon=1.0, rng=None):
        super().__init__(epsilon)
        self.rng = rng

    def result(self):
        return round(len(self.seen) + self.rng.laplace(0, 1 / self.epsilon), 6)


class PlainObjectWithSlots:
    __slots__ = ("total",)
    promise = "epsilon=1, adjacency=event-level, observed=output"

    def __init__(self):
        self.total = 0

    def update(self, user):
        self.total += 1

    def estimate(self):
        return round(self.total + random.expovariate(1) - random.expovariate(1), 6)
