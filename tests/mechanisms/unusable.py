"""Estimators with a method, a promise, a parameter or a state that cannot be used."""

from __future__ import annotations

import datetime

import numpy as np

from pan_estimators import Adjacency, Promise
from tests.mechanisms.counter import Counter


class NoRelease:
    promise = Counter.promise

    def create(self, randomness):
        return 0

    def update(self, state, ids, randomness):
        return state


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


class UnreadableState(Counter):
    promise = Promise(epsilon=1, adjacency=Adjacency.EVENT_LEVEL)

    def create(self, randomness):
        return {"count": 0, "when": datetime.timedelta(0), "label": datetime.timedelta(5)}

    def update(self, state, ids, randomness):
        state["when"] += datetime.timedelta(len(np.atleast_1d(ids)))
        return super().update(state, ids, randomness)
