"""States whose forms depend on the users: as a dump of the memory shows them, and as no number does."""

from __future__ import annotations

import numpy as np


class Marks:
    """The zero has a sign once a user has come."""

    promise = "epsilon=1, adjacency=user-level, observed=state"

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


class Shares(Marks):
    def create(self, randomness):
        return [[0], [0]]

    def marked(self, state, users, randomness):
        part = [0]
        return [part, part]


class Metadata(Marks):
    def create(self, randomness):
        return np.zeros(2)

    def marked(self, state, users, randomness):
        return np.zeros(2, dtype=np.dtype(np.float64, metadata={"seen": True}))


class MarksForAll(Marks):
    def create(self, randomness):
        return {"x": -0.0}


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
