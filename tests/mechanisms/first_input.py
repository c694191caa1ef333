"""Code that keeps its first input and uses it for later ones; and correct twins, whose caches change no output."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np


class Box:
    first = None


def in_an_attribute_of_a_class(data, rng):
    if Box.first is None:
        Box.first = data
    return Box.first + rng.laplace(scale=1.0)


def _made():
    kept = []

    def in_a_closure(data, rng):
        if not kept:
            kept.append(data)
        return kept[0] + rng.laplace(scale=1.0)

    return in_a_closure


in_a_closure = _made()
_SEEN = set()


def the_number_of_inputs_so_far(data, rng):
    """In a new process the output is the same for all inputs: a refutation would be wrong."""
    _SEEN.add(data)
    return len(_SEEN) + rng.laplace(scale=1.0)


@functools.lru_cache
def half(value):
    return value / 2


def memory_of_a_function(data, rng):
    return half(data) + rng.laplace(scale=1.0)


_LAST = None


def written_and_never_read(data, rng):
    """The adversary of outputs alone learns nothing from it."""
    global _LAST
    _LAST = data
    return data / 2 + rng.laplace(scale=1.0)


class FirstCount:
    """The estimator keeps the first number of users that it released."""

    promise = "epsilon=1/2,adjacency=user-level,observed=output"

    def __init__(self):
        self.first = None

    def create(self, randomness):
        return []

    def update(self, state, ids, randomness):
        return sorted({*state, *np.atleast_1d(ids).tolist()})

    def release(self, state, randomness):
        if self.first is None:
            self.first = len(state)
        return self.first + randomness.laplace(scale=1.0)


class NothingReturned(FirstCount):
    """Its release forgets to return the output."""

    def release(self, state, randomness):
        randomness.laplace(float(len(state)), 1.0)


@dataclass
class Counted:
    users: tuple[int, ...] = ()


class StateInADataclass(FirstCount):
    """The methods that ``dataclass`` makes are not the code of its author."""

    def create(self, randomness):
        return Counted()

    def update(self, state, ids, randomness):
        return Counted(tuple(sorted({*state.users, *np.atleast_1d(ids).tolist()})))

    def release(self, state, randomness):
        return len(state.users) + randomness.laplace(scale=2.0)


class Counter:
    """A noisy count of updates, up to one."""

    promise = "epsilon=1,adjacency=user-level,observed=output"
    last = 0
    bound = None

    def create(self, randomness):
        return 0

    def update(self, state, ids, randomness):
        return 1

    def release(self, state, randomness):
        return state + randomness.laplace(0.0, 1.0)


class LastOfTheClass(Counter):
    """The class keeps the last id, and the output shows it: it depends on no earlier run."""

    def update(self, state, ids, randomness):
        type(self).last = int(ids[-1]) if hasattr(ids, "__len__") else int(ids)
        return 1

    def release(self, state, randomness):
        return self.last + randomness.laplace(0.0, 100.0)


class ByTheObjectOfTheState(Counter):
    """A table has an entry for each state object, which the release takes out again."""

    def create(self, randomness):
        return [0]

    def update(self, state, ids, randomness):
        _entries[id(state)] = 5
        return state

    def release(self, state, randomness):
        return _entries.pop(id(state), 0)


_entries: dict[int, int] = {}


class KeepsWhatIsNotUsed(Counter):
    """A correct twin: the class keeps a constant bound."""

    def update(self, state, ids, randomness):
        type(self).bound = 1
        return 1

    def release(self, state, randomness):
        return min(state, self.bound or 1) + randomness.laplace(0.0, 1.0)
