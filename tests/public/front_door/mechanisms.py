"""The mechanisms that the front door is given in its tests."""

from __future__ import annotations

import math

import numpy as np

import panproof

LOSS = math.log(3)
GIVEN = "epsilon=2,adjacency=given,observed=output,intrusions=0"


def mechanism(data, rng):
    return data if rng.bernoulli(0.75, 1)[0] else 1 - data


def noisy_maximum(scores, rng):
    noisy = [score + rng.laplace(scale=2.0) for score in scores]
    return noisy.index(max(noisy))


def gumbel_maximum(scores, rng):
    return int(np.argmax(np.array(scores) + rng.gumbel(scale=2.0, size=len(scores))))


def first_two(scores, rng):
    noisy = [score + rng.laplace(scale=4.0) for score in scores]
    return sorted(range(len(noisy)), key=lambda place: -noisy[place])[:2]


class Tally:
    """Counts exactly: its state tells everything."""

    def __init__(self, universe):
        self.universe = universe

    def create(self, randomness):
        return [0] * self.universe

    def update(self, state, ids, randomness):
        for user in np.atleast_1d(ids):
            state[int(user)] = 1
        return state

    def release(self, state, randomness):
        return sum(state)


class Rows:
    """The sum of a table of bits, with Laplace noise of scale 1."""

    problem = panproof.Problem.of_table({"bit": [0, 1]}, rows=3)

    def release(self, table, rng):
        return sum(bit for (bit,) in table) + rng.laplace()
