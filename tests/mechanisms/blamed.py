"""Noise of the system, and generators that were handed in: independent draws are no hidden state."""

from __future__ import annotations

import math
import os
import random
import secrets

import numpy as np

from tests.mechanisms.outside_memory import users


class SystemNoise:
    """A noisy number of users. The noise is Laplace, and the system draws it."""

    promise = "epsilon=1,adjacency=user-level,observed=output"
    scale = 1.0

    def create(self, randomness):
        return frozenset()

    def update(self, state, ids, randomness):
        return state | frozenset(users(ids))

    def release(self, state, randomness):
        return round(len(state) + self.scale * self.noise(), 6)

    def noise(self):
        uniform = random.SystemRandom().random() - 0.5
        return -math.copysign(math.log1p(-2 * abs(uniform)), uniform)


class CoarseSystemNoise(SystemNoise):
    """Two outputs are often equal by chance: then only one of several comparisons notices the source."""

    def release(self, state, randomness):
        return 8 * round((len(state) + self.noise()) / 8)


class FreshGenerator(SystemNoise):
    def noise(self):
        return float(np.random.default_rng().laplace())


class BytesOfTheSystem(SystemNoise):
    def noise(self):
        uniform = (int.from_bytes(os.urandom(7), "big") + 0.5) / 2**56 - 0.5
        return -math.copysign(math.log1p(-2 * abs(uniform)), uniform)


class SecretBits(SystemNoise):
    """Randomised response, by a coin of the system."""

    promise = "epsilon=log(3),adjacency=user-level,observed=state"

    def create(self, randomness):
        return bool(secrets.randbelow(2))

    def update(self, state, ids, randomness):
        return secrets.randbelow(4) < 3

    def release(self, state, randomness):
        return state


TWINS = ("SystemNoise", "CoarseSystemNoise", "FreshGenerator", "BytesOfTheSystem", "SecretBits")
"""Their draws are independent, and their promises hold."""


class TooLittleSystemNoise(SystemNoise):
    scale = 0.2


class TooLittleFreshNoise(FreshGenerator):
    scale = 0.2


class TooLittleCoarseNoise(SystemNoise):
    def release(self, state, randomness):
        return round(len(state) + 0.2 * self.noise())


class SecretBitsThatStay(SecretBits):
    promise = "epsilon=0.5,adjacency=user-level,observed=state"

    def update(self, state, ids, randomness):
        return True


_POOL = []


class SystemNoiseInAPool(SystemNoise):
    """The noise of the first run serves all later ones: the runs are not independent."""

    def noise(self):
        if not _POOL:
            _POOL.append(super().noise())
        secrets.randbelow(2)
        return _POOL[0]


class SystemNoiseAndMemory(SystemNoise):
    """The system's noise hides that the users of earlier runs count too."""

    seen: set = set()  # noqa: RUF012

    def update(self, state, ids, randomness):
        self.seen.update(users(ids))
        return state | frozenset(self.seen)


LEAKS = (
    "TooLittleSystemNoise",
    "TooLittleFreshNoise",
    "TooLittleCoarseNoise",
    "SecretBitsThatStay",
    "SystemNoiseInAPool",
    "SystemNoiseAndMemory",
)
"""They break their promises, or their runs are not independent."""


class HandedIn:
    """A plain object that keeps the generator which it was given."""

    promise = "epsilon=1, adjacency=user-level, observed=state+output"

    def __init__(self, rng=None):
        self.rng = rng
        self.noise = self.rng.laplace()

    def add(self, user):
        self.noise = self.rng.laplace()

    def result(self):
        return round(self.rng.laplace(), 6)


class HandedInAndKept(HandedIn):
    """A generator of its own, which an adversary sees."""

    def __init__(self, rng=None):
        super().__init__(rng)
        self.rng = np.random.default_rng(int(rng.integers(2**31)))
