"""States that are equal by value and differ in a dump of the memory: each tells whether user 1 has appeared.

A leak has the state of ``first`` until user 1 appears, and then that of ``marked``. The twin of a leak has the marked
form at all times, and tells nothing.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, namedtuple
from types import SimpleNamespace

import numpy as np


class Leak:
    promise = "epsilon=1, adjacency=user-level, observed=state"

    def create(self, randomness):
        return self.first()

    def update(self, state, ids, randomness):
        return self.marked() if 1 in np.atleast_1d(ids) else state

    def release(self, state, randomness):
        return 0

    def first(self):
        return {"x": 0}


class NegativeZero(Leak):
    def first(self):
        return {"x": 0.0}

    def marked(self):
        return {"x": -0.0}


class PayloadOfNan(Leak):
    def first(self):
        return {"x": math.nan}

    def marked(self):
        return {"x": float(np.uint64(0x7FF8000000000123).view(np.float64))}


class BooleanForAnInteger(Leak):
    def marked(self):
        return {"x": False}


class NumberOfNumpy(Leak):
    def marked(self):
        return {"x": np.int64(0)}


class TypeOfAnArray(Leak):
    def first(self):
        return np.zeros(2, dtype=np.int64)

    def marked(self):
        return np.zeros(2, dtype=np.int32)


class ArrayOfObjects(Leak):
    def first(self):
        return np.array([0, 1], dtype=object)

    def marked(self):
        return np.array([0, 1.0], dtype=object)


class OrderOfASet(Leak):
    """Both integers have the same place in the table, which goes to the first one."""

    def first(self):
        return {0, 8}

    def marked(self):
        return {8, 0}


class OrderOfADictionary(Leak):
    def first(self):
        return {"a": 1, "b": 2}

    def marked(self):
        return {"b": 2, "a": 1}


class CountOfZero(Leak):
    def first(self):
        return Counter(a=1)

    def marked(self):
        return Counter(a=1, b=0)


class OrderOfAttributes(Leak):
    def first(self):
        return SimpleNamespace(a=1, b=2)

    def marked(self):
        return SimpleNamespace(b=2, a=1)


class SharedPart(Leak):
    def first(self):
        return [[0], [0]]

    def marked(self):
        part = [0]
        return [part, part]


class DefaultOfADictionary(Leak):
    def first(self):
        return defaultdict(int)

    def marked(self):
        return defaultdict(float)


Pair = namedtuple("Pair", "a")


class NamedTuple(Leak):
    def first(self):
        return Pair(1)

    def marked(self):
        return (1,)


LEAKS = {kind.__name__: kind for base in Leak.__subclasses__() for kind in (base, *base.__subclasses__())}


def _twin(leak):
    """An estimator whose state has the marked form of a leak at all times, so that it tells nothing."""

    class Twin(Leak):
        def first(self):
            return leak().marked()

        def marked(self):
            return leak().marked()

        def update(self, state, ids, randomness):
            return leak().marked()

    return Twin


for _name, _leak in LEAKS.items():
    globals()[f"TwinOf{_name}"] = _twin(_leak)


class Marks:
    """The zero has a sign once a user has come."""

    promise = Leak.promise

    def create(self, randomness):
        return {"x": 0.0}

    def update(self, state, ids, randomness):
        return self.marked(state, np.atleast_1d(ids).tolist(), randomness)

    def release(self, state, randomness):
        return 0

    def marked(self, state, users, randomness):
        return {"x": -0.0}


class MarksAtRandom(Marks):
    """By a coin with the chances 1/100 and 99/100: a loss of 4.6."""

    def create(self, randomness):
        return {"x": -0.0 if randomness.bernoulli(0.01, 1)[0] else 0.0}

    def marked(self, state, users, randomness):
        return {"x": -0.0 if randomness.bernoulli(0.99, 1)[0] else 0.0}


class OrderByAUser(Marks):
    def create(self, randomness):
        return {"a": 1, "b": 1}

    def marked(self, state, users, randomness):
        return {"b": 1, "a": 1}


class MarksByACoin(Marks):
    """The sign of the zero is a randomised response, with a loss of log(2)."""

    def create(self, randomness):
        return {"x": -0.0 if randomness.bernoulli(1 / 2, 1)[0] else 0.0}

    def marked(self, state, users, randomness):
        return {"x": -0.0 if randomness.bernoulli(3 / 4, 1)[0] else 0.0}


class OrderByACoin(Marks):
    """The order is a coin for all users."""

    def create(self, randomness):
        return dict.fromkeys("ab" if randomness.bernoulli(1 / 2, 1)[0] else "ba", 1)

    def marked(self, state, users, randomness):
        return self.create(randomness)
