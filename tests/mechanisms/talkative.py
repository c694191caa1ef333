"""An estimator that prints at each update, and adds too little noise."""

import numpy as np


class Talkative:
    promise = "epsilon=0.5,adjacency=user-level,observed=output"

    def create(self, randomness):
        return set()

    def update(self, state, ids, randomness):
        print("x", end="")
        return state | set(np.atleast_1d(ids).tolist())

    def release(self, state, randomness):
        return len(state) + randomness.laplace(0.0, 0.9)
