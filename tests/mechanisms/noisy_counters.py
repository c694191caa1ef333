"""Counters with normal, discrete normal and one-sided noise."""

from __future__ import annotations

from pan_estimators import Adjacency, Observed, Promise
from tests.mechanisms.counter import Counter


class Normal(Counter):
    promise = Promise(epsilon=1, delta=1e-4, adjacency=Adjacency.EVENT_LEVEL, observed=Observed.OUTPUT)

    def release(self, state, randomness):
        return randomness.gaussian(state["count"], 1.5)


class DiscreteNormal(Normal):
    def release(self, state, randomness):
        return randomness.discrete_gaussian(state["count"], 1.5)


class OneSided(Counter):
    def release(self, state, randomness):
        return state["count"] + randomness.geometric(0.3)
