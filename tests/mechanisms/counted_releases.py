"""Estimators whose release changes the state, with and without the declaration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pan_promises.errors import InputError
from tests.mechanisms.counter import Counter


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


class RefusesASecondRelease(CountsItsReleases):
    """Correct too: it keeps a derived number on itself, and an erased state takes no update."""

    @cached_property
    def scale(self):
        return 1.0

    def update(self, state, ids, randomness):
        if state.releases:
            raise InputError("this state is erased")
        state.count = 1
        return state

    def release(self, state, randomness):
        if state.releases:
            raise InputError("this state is erased")
        state.releases += 1
        output = randomness.laplace(float(state.count), self.scale)
        state.count = 0
        return output


class CountsWithoutSayingSo(CountsItsReleases):
    counts_releases = False
