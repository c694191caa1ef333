"""A counter of updates. The estimators of the other files differ from it in one thing."""

from __future__ import annotations

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
