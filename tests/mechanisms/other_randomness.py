"""Estimators that draw from another source than the given one, or show it; and harmless ones that seem to."""

from __future__ import annotations

import math
import random
import secrets

import numpy as np

from tests.mechanisms.counter import Counter
from tests.mechanisms.outside_memory import users


class GeneratorOfItsOwn(Counter):
    """Correct, but for where its noise comes from."""

    def __init__(self):
        self.rng = np.random.default_rng(5)

    def release(self, state, randomness):
        return round(state["count"] + float(self.rng.laplace()), 6)


class GlobalGenerator(Counter):
    def release(self, state, randomness):
        return round(state["count"] + random.gauss(0, 1), 6)


class NeedsASeededSource(Counter):
    """Correct with a seeded randomness. The secure one has no generator."""

    def release(self, state, randomness):
        return round(state["count"] + float(randomness.generator.laplace()), 6)


class HashOrder(Counter):
    """The order of a set of strings depends on the interpreter's hash seed."""

    def create(self, randomness):
        return {"count": 0, "names": []}

    def update(self, state, ids, randomness):
        state["names"] = list({*state["names"], *(f"user {user}" for user in np.atleast_1d(ids).tolist())})
        return super().update(state, ids, randomness)


class GeneratorInTheState(Counter):
    def create(self, randomness):
        return {"count": 0, "generator": np.random.default_rng(int(randomness.uniform_integers(0, 99, 1)[0]))}

    def release(self, state, randomness):
        return round(state["count"] + float(state["generator"].laplace()), 6)


class SeedInTheState(Counter):
    """Noise that looks fresh but is the same at every release."""

    def create(self, randomness):
        return {"count": 0, "seed": int(randomness.uniform_integers(0, 2**31, 1)[0])}

    def release(self, state, randomness):
        return round(state["count"] + float(np.random.default_rng(state["seed"]).laplace()), 6)


class WithoutNoise(Counter):
    def release(self, state, randomness):
        return state["count"]


class GlobalCoin(Counter):
    """One bit of a global generator: under two seeds it is the same half the time."""

    def release(self, state, randomness):
        return super().release(state, randomness) + (random.random() < 0.5)


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


class SecretBits(SystemNoise):
    """Randomised response, by a coin of the system."""

    promise = "epsilon=log(3),adjacency=user-level,observed=state"

    def create(self, randomness):
        return bool(secrets.randbelow(2))

    def update(self, state, ids, randomness):
        return secrets.randbelow(4) < 3

    def release(self, state, randomness):
        return state


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
