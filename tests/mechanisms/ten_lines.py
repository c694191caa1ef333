"""Ten-line estimators as somebody else would write them, for the exact check."""

import numpy as np


class NoisySet:
    promise = "epsilon=1,adjacency=user-level,observed=output"

    def create(self, randomness):
        return set()

    def update(self, state, ids, randomness):
        return state | set(np.atleast_1d(ids).tolist())

    def release(self, state, randomness):
        return randomness.laplace(float(len(state)), 1.0)


class GeometricSet(NoisySet):
    def release(self, state, randomness):
        return len(state) + randomness.discrete_laplace(1.0, 1)[0]


class SkewedSet(NoisySet):
    promise = "epsilon=log(3),adjacency=user-level,observed=output"

    def release(self, state, randomness):
        return len(state) + randomness.two_sided_geometric(1 / 3, 1 / 2, 1)[0]


class ClippedSet(NoisySet):
    def release(self, state, randomness):
        return max(0.0, randomness.laplace(float(len(state)), 1.0))


class SquaredSet(NoisySet):
    def release(self, state, randomness):
        return randomness.laplace(float(len(state)), 1.0) ** 2


class NoiseOfItsOwn(NoisySet):
    def release(self, state, randomness):
        return len(state) + np.random.laplace()


class Printing(NoisySet):
    def update(self, state, ids, randomness):
        print("an update")
        return super().update(state, ids, randomness)


class Dying(NoisySet):
    def update(self, state, ids, randomness):
        raise SystemExit(7)


class TwoOutputs(NoisySet):
    promise = "epsilon=1,adjacency=user-level,observed=output,outputs=2"

    def release(self, state, randomness):
        return randomness.laplace(float(len(state)), 2.0)


class PairOfOutputs(NoisySet):
    """Two noisy numbers at once, of which the second is twice as noisy."""

    promise = "epsilon=1.5,adjacency=user-level,observed=output"

    def release(self, state, randomness):
        return [randomness.laplace(len(state), 1.0), randomness.laplace(len(state), 2.0)]


class BitThatIsOnlySet:
    """Each appearance sets the bit with probability 1/3, and it stays: a state that wears off."""

    promise = "epsilon=log(3),adjacency=user-level,observed=state"

    def create(self, randomness):
        return bool(randomness.bernoulli(1 / 2, 1)[0])

    def update(self, state, ids, randomness):
        for _ in ids:
            state = state or bool(randomness.bernoulli(1 / 3, 1)[0])
        return state

    def release(self, state, randomness):
        return state


class RandomisedResponse:
    """One bit for each user, drawn again with every appearance."""

    promise = "epsilon=log(3),adjacency=user-level"

    def __init__(self, universe, epsilon):
        self.users, self.epsilon = universe, epsilon

    def create(self, randomness):
        return randomness.bernoulli(1 / (1 + np.exp(self.epsilon)), self.users)

    def update(self, state, ids, randomness):
        state[ids] = randomness.bernoulli(1 / (1 + np.exp(-self.epsilon)), len(ids))
        return state

    def release(self, state, randomness):
        return state.sum() + randomness.laplace(0, 1 / self.epsilon)


class PlainObject:
    """An object that has never heard of the interface."""

    def __init__(self):
        self.seen = set()

    def add(self, user):
        self.seen.add(user)

    def query(self):
        return len(self.seen) + np.random.laplace()


class Vanishing(NoisySet):
    """Ends its process without a word, as a crash would."""

    def update(self, state, ids, randomness):
        import os

        os._exit(0)
