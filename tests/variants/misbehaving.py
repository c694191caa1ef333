"""Estimators as strangers write them: wrong in their conduct rather than in their distribution."""

from __future__ import annotations

import copy
import datetime
import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pan_estimators import Adjacency, Observed, Promise


class Counter:
    """Counts updates, with enough noise for a single event; the others differ from it in one thing."""

    promise = Promise(epsilon=1, adjacency=Adjacency.EVENT_LEVEL, observed=Observed.OUTPUT)

    def create(self, randomness):
        return {"count": 0}

    def update(self, state, ids, randomness):
        state["count"] += len(np.atleast_1d(ids))
        return state

    def release(self, state, randomness):
        return randomness.laplace(float(state["count"]), 1.0)


class HiddenAttribute(Counter):
    def __init__(self):
        self.count = 0

    def update(self, state, ids, randomness):
        self.count += len(np.atleast_1d(ids))
        return state

    def release(self, state, randomness):
        return randomness.laplace(float(self.count), 1.0)


class HiddenInTheClass(Counter):
    seen: ClassVar[set] = set()

    def update(self, state, ids, randomness):
        self.seen.update(np.atleast_1d(ids).tolist())
        return state

    def release(self, state, randomness):
        return randomness.laplace(float(len(self.seen)), 1.0)


_BEHIND = []


class HiddenInTheModule(Counter):
    def update(self, state, ids, randomness):
        _BEHIND.append(1)
        return state

    def release(self, state, randomness):
        return randomness.laplace(float(len(_BEHIND)), 1.0)


class OwnGenerator(Counter):
    def release(self, state, randomness):
        return round(state["count"] + float(np.random.default_rng().laplace()), 6)


class GeneratorOfItsOwn(Counter):
    """Correct, but for where its noise comes from."""

    def __init__(self):
        self.rng = np.random.default_rng(5)

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


class ReleaseThatWrites(Counter):
    def release(self, state, randomness):
        state["count"] += 1
        return super().release(state, randomness)


@dataclass
class CountedState:
    count: int = 0
    releases: int = 0


class CountsItsReleases(Counter):
    """Nothing is wrong with it: it declares what its releases change."""

    counts_releases = True

    def create(self, randomness):
        return CountedState()

    def update(self, state, ids, randomness):
        state.count += len(np.atleast_1d(ids))
        return state

    def release(self, state, randomness):
        state.releases += 1
        return randomness.laplace(float(state.count), 1.0)


class ErasesAfterTheRelease(CountsItsReleases):
    """Nothing is wrong with it either."""

    def release(self, state, randomness):
        output = super().release(state, randomness)
        state.count = 0
        return output


class CountsWithoutSayingSo(CountsItsReleases):
    counts_releases = False


class CountsAndWritesMore(CountsItsReleases):
    def release(self, state, randomness):
        state.count += 1
        return super().release(state, randomness)


class CountsTwice(CountsItsReleases):
    def release(self, state, randomness):
        state.releases += state.count
        return super().release(state, randomness)


class GeneratorInTheState(Counter):
    def create(self, randomness):
        return {"count": 0, "generator": np.random.default_rng(int(randomness.uniform_integers(0, 99, 1)[0]))}

    def release(self, state, randomness):
        return round(state["count"] + float(state["generator"].laplace()), 6)


class NoiseInFloatingPoint(Counter):
    def release(self, state, randomness):
        uniform = randomness.uniform_integers(1, 2**52, 1)[0] / 2**52 - 0.5
        return state["count"] - float(np.sign(uniform) * np.log(1 - 2 * abs(uniform)))


class ValueOffTheGrid(Counter):
    def release(self, state, randomness):
        return state["count"] / 3 + randomness.laplace(0.0, 1.0)


class WithoutNoise(Counter):
    def release(self, state, randomness):
        return state["count"]


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


class OwnGeneratorInAnAttribute(Counter):
    def __init__(self):
        self.rng = np.random.default_rng(1)

    def release(self, state, randomness):
        return round(state["count"] + float(self.rng.laplace()), 6)


class CountsInANewAttribute(Counter):
    """Looks like a cache: the attribute is not there before the run."""

    def update(self, state, ids, randomness):
        self.count = getattr(self, "count", 0) + len(np.atleast_1d(ids))
        return super().update(state, ids, randomness)


class MarksInNewAttributes(Counter):
    def update(self, state, ids, randomness):
        for user in np.atleast_1d(ids).tolist():
            setattr(self, f"seen_{user}", True)
        return super().update(state, ids, randomness)


@dataclass(frozen=True)
class Scale:
    epsilon: float = 1.0

    @cached_property
    def inverse(self):
        return 1 / self.epsilon


@dataclass(frozen=True)
class CachesAConstant(Counter):
    """Nothing is wrong with it."""

    inner: Scale = Scale()

    @cached_property
    def scale(self):
        return self.inner.inverse

    def release(self, state, randomness):
        return randomness.laplace(float(state["count"]), self.scale)


class DrawsInHashOrder(Counter):
    """Bits of users with names, drawn in the order of a set."""

    def create(self, randomness):
        return {"count": 0, "bits": {name: bool(randomness.bernoulli(0.3, 1)[0]) for name in set("abcdefghijkl")}}


class UnreadableState(Counter):
    promise = Promise(epsilon=1, adjacency=Adjacency.EVENT_LEVEL)

    def create(self, randomness):
        return {"count": 0, "when": datetime.timedelta(0), "label": datetime.timedelta(5)}

    def update(self, state, ids, randomness):
        state["when"] += datetime.timedelta(len(np.atleast_1d(ids)))
        return super().update(state, ids, randomness)


class OffTheGridForItsOwner(ValueOffTheGrid):
    promise = Promise(epsilon=1, adjacency=Adjacency.EVENT_LEVEL, observed=Observed.STATE)


class Raises(Counter):
    def update(self, state, ids, randomness):
        return state["total"]


class RaisesLate(Counter):
    def update(self, state, ids, randomness):
        if len(np.atleast_1d(ids)) > 100:
            raise RuntimeError("too many\nat once")
        return super().update(state, ids, randomness)


class Hangs(Counter):
    def release(self, state, randomness):
        while True:
            time.sleep(0.01)


class SwallowsEverything(Counter):
    def release(self, state, randomness):
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue


class Prints(Counter):
    def release(self, state, randomness):
        print("x" * 20_000)
        os.write(2, b"y" * 20_000)
        return super().release(state, randomness)


class ExhaustsMemory(Counter):
    def create(self, randomness):
        return {"count": 0, "ballast": np.ones(10**10)}


class Exits(Counter):
    def release(self, state, randomness):
        sys.exit(0)


class Dies(Counter):
    def release(self, state, randomness):
        os._exit(3)


class Recurses(Counter):
    def release(self, state, randomness):
        return self.release(state, randomness)


class NoRelease:
    promise = Counter.promise

    def create(self, randomness):
        return 0

    def update(self, state, ids, randomness):
        return state


class WrongArguments(Counter):
    def update(self, ids):
        return ids


class NoPromise(Counter):
    promise = None


class PromiseInWords(Counter):
    promise = "epsilon=1, adjacency=event-level, observed=output"


class NeedsMore(Counter):
    def __init__(self, epsilon, colour):
        self.epsilon = epsilon


class FailsToBeMade(Counter):
    def __init__(self, epsilon):
        raise KeyError("nowhere")


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


class DiesOnce(Counter):
    """Its process is killed by the first run that finds no marker, as by a lack of memory that passes."""

    def __init__(self, marker):
        self.marker = marker

    def update(self, state, ids, randomness):
        if not os.path.exists(self.marker):
            os.close(os.open(self.marker, os.O_CREAT))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().update(state, ids, randomness)
