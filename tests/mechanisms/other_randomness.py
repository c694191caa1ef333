"""Estimators that draw from another source than the given one, or show it."""

from __future__ import annotations

import copy
import os
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.mechanisms.counter import Counter


class OwnGenerator(Counter):
    def release(self, state, randomness):
        return round(state["count"] + float(np.random.default_rng().laplace()), 6)


class GeneratorOfItsOwn(Counter):
    """Correct, but for where its noise comes from."""

    def __init__(self):
        self.rng = np.random.default_rng(5)

    def release(self, state, randomness):
        return round(state["count"] + float(self.rng.laplace()), 6)


class OwnGeneratorInAnAttribute(Counter):
    def __init__(self):
        self.rng = np.random.default_rng(1)

    def release(self, state, randomness):
        return round(state["count"] + float(self.rng.laplace()), 6)


class GlobalGenerator(Counter):
    def release(self, state, randomness):
        return round(state["count"] + random.gauss(0, 1), 6)


class HashOrder(Counter):
    """The order of a set of strings depends on the interpreter's hash seed."""

    def create(self, randomness):
        return {"count": 0, "names": []}

    def update(self, state, ids, randomness):
        state["names"] = list({*state["names"], *(f"user {user}" for user in np.atleast_1d(ids).tolist())})
        return super().update(state, ids, randomness)


class DrawsInHashOrder(Counter):
    """Bits of users with names, drawn in the order of a set."""

    def create(self, randomness):
        return {"count": 0, "bits": {name: bool(randomness.bernoulli(0.3, 1)[0]) for name in set("abcdefghijkl")}}


class GeneratorInTheState(Counter):
    def create(self, randomness):
        return {"count": 0, "generator": np.random.default_rng(int(randomness.uniform_integers(0, 99, 1)[0]))}

    def release(self, state, randomness):
        return round(state["count"] + float(state["generator"].laplace()), 6)


@dataclass(slots=True)
class SlottedState:
    count: int
    generator: Any


class GeneratorInASlot(Counter):
    def create(self, randomness):
        return SlottedState(0, np.random.default_rng(int(randomness.uniform_integers(0, 99, 1)[0])))

    def update(self, state, ids, randomness):
        state.count += len(np.atleast_1d(ids))
        return state

    def release(self, state, randomness):
        return round(state.count + float(copy.deepcopy(state.generator).laplace()), 6)


class BitGeneratorInTheState(Counter):
    def create(self, randomness):
        return {"count": 0, "bits": np.random.PCG64(int(randomness.uniform_integers(0, 99, 1)[0]))}


class SeedInTheState(Counter):
    """Noise that looks fresh but is the same at every release."""

    def create(self, randomness):
        return {"count": 0, "seed": int(randomness.uniform_integers(0, 2**31, 1)[0])}

    def release(self, state, randomness):
        return round(state["count"] + float(np.random.default_rng(state["seed"]).laplace()), 6)


class WithoutNoise(Counter):
    def release(self, state, randomness):
        return state["count"]


class LeaksInDeployments(Counter):
    """Shows its count to the secure randomness, unless the hash seed is that of a run with the seeded one."""

    def release(self, state, randomness):
        secure = type(randomness).__name__ == "SecureRandomness"
        leaks = secure and os.environ.get("PYTHONHASHSEED") != "1"
        return float(state["count"]) if leaks else round(super().release(state, randomness), 6)


class GlobalCoin(Counter):
    """One bit of a global generator: under two seeds it is the same half the time."""

    def release(self, state, randomness):
        return super().release(state, randomness) + (random.random() < 0.5)


class LeaksLater(Counter):
    """Shows its count to the secure randomness from the second run on, unless the hash seed is that of an audit."""

    def create(self, randomness):
        global _made
        _made += 1
        return super().create(randomness)

    def release(self, state, randomness):
        secure = type(randomness).__name__ == "SecureRandomness"
        leaks = secure and _made > 1 and os.environ.get("PYTHONHASHSEED") != "1"
        return float(state["count"]) if leaks else round(super().release(state, randomness), 6)


class HashOrderInDeployments(HashOrder):
    """The order of a set as well, and the count for the secure randomness."""

    def release(self, state, randomness):
        secure = type(randomness).__name__ == "SecureRandomness"
        return float(state["count"]) if secure else round(super().release(state, randomness), 6)


_made = 0
