"""Code that keeps its first input and uses it for later ones; and correct twins, whose caches change no output."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass

import numpy as np

CACHE: dict[str, float] = {}


def in_a_dictionary(data, rng):
    if "first" not in CACHE:
        CACHE["first"] = data
    return CACHE["first"] + rng.laplace(scale=1.0)


@functools.lru_cache
def kept_by_a_cache():
    return {}


def in_the_value_of_a_cache(data, rng):
    kept = kept_by_a_cache()
    kept.setdefault("first", data)
    return kept["first"] + rng.laplace(scale=1.0)


class Box:
    first = None


def in_an_attribute_of_a_class(data, rng):
    if Box.first is None:
        Box.first = data
    return Box.first + rng.laplace(scale=1.0)


def in_an_attribute_of_itself(data, rng):
    if not hasattr(in_an_attribute_of_itself, "first"):
        in_an_attribute_of_itself.first = data
    return in_an_attribute_of_itself.first + rng.laplace(scale=1.0)


def _made():
    kept = []

    def in_a_closure(data, rng):
        if not kept:
            kept.append(data)
        return kept[0] + rng.laplace(scale=1.0)

    return in_a_closure


in_a_closure = _made()
_LARGEST = None


def the_largest_so_far(data, rng):
    global _LARGEST
    if _LARGEST is None or data > _LARGEST:
        _LARGEST = data
    return _LARGEST + rng.laplace(scale=1.0)


_SEEN = set()


def the_number_of_inputs_so_far(data, rng):
    """In a new process the output is the same for all inputs: a refutation would be wrong."""
    _SEEN.add(data)
    return len(_SEEN) + rng.laplace(scale=1.0)


LEAKS = (
    in_a_dictionary,
    in_the_value_of_a_cache,
    in_an_attribute_of_a_class,
    in_an_attribute_of_itself,
    in_a_closure,
    the_largest_so_far,
    the_number_of_inputs_so_far,
)


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


TWINS = (memory_of_a_function, written_and_never_read)


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


def slow_and_the_number_of_inputs_so_far(data, rng):
    time.sleep(0.7)
    return the_number_of_inputs_so_far(data, rng)


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


class SeenByTheObject(Counter):
    """The object remembers that there was an update."""

    def update(self, state, ids, randomness):
        self.last = 5
        return 1

    def release(self, state, randomness):
        return self.last


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
