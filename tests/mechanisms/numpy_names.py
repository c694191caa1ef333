"""Estimators as somebody writes them who knows numpy's ``Generator``."""

from __future__ import annotations

import math

import numpy as np


class Response:
    """Randomised response of one bit: drawn again with each appearance, more often true."""

    promise = "epsilon=log(3),adjacency=user-level,observed=state"

    def create(self, rng):
        return self.bit(rng, 1 / 4)

    def update(self, state, ids, rng):
        return self.bit(rng, 3 / 4)

    def release(self, state, rng):
        return None


class ByRandom(Response):
    def bit(self, rng, p):
        return rng.random() < p


class ByRandomFromTheOtherSide(Response):
    def bit(self, rng, p):
        return 1 - p <= rng.random()


class ByRandomInAnArray(Response):
    def bit(self, rng, p):
        return bool((rng.random((1, 1)) < p).all())


class ByUniform(Response):
    def bit(self, rng, p):
        return bool(rng.uniform(-2, 6) < -2 + 8 * p)


class ByIntegers(Response):
    def bit(self, rng, p):
        return bool(rng.integers(4) < 4 * p)


class ByIntegersWithAnEnd(Response):
    def bit(self, rng, p):
        return bool(rng.integers(1, 4, endpoint=True, dtype=np.int8) <= 4 * p)


class ByChoice(Response):
    def bit(self, rng, p):
        return str(rng.choice(["no", "yes"], p=[1 - p, p]))


class ByEqualChoice(Response):
    def bit(self, rng, p):
        return bool(rng.choice([False, False, False, True] if p < 1 / 2 else [True, True, True, False], size=1)[0])


class ByChoiceWithoutReplacement(Response):
    def bit(self, rng, p):
        """The first of two that are chosen by their weights."""
        return int(rng.choice(2, size=2, replace=False, p=[1 - p, p])[0])


class ByBinomial(Response):
    def bit(self, rng, p):
        return rng.binomial(1, p)


class ByPermutation(Response):
    def bit(self, rng, p):
        return bool(rng.permutation([0, 1, 2, 3])[0] < 4 * p)


class ByShuffle(Response):
    def bit(self, rng, p):
        cards = [0, 1, 2, 3]
        rng.shuffle(cards)
        return cards[-1] < 4 * p


class OneOfThreeRanges(Response):
    """Several comparisons of one number."""

    def create(self, rng):
        number = rng.random()
        return "low" if number < 1 / 4 else "middle" if number < 1 / 2 else "high"

    def update(self, state, ids, rng):
        number = rng.random()
        return "high" if number > 3 / 4 else "low" if number < 1 / 3 else "middle"


class RangesOfADouble(Response):
    """The second constant is no simple fraction."""

    promise = "epsilon=2,adjacency=user-level,observed=state"

    def create(self, rng):
        number = rng.random()
        return number < 1 / 2 and number < math.exp(-1.5)

    def update(self, state, ids, rng):
        return bool(rng.random() < 1 / 2)


class Sampled:
    """Records one user of three, who is drawn in secret: an appearance is noticed in one case of three."""

    promise = "epsilon=log(5/3),adjacency=user-level,observed=output"

    def create(self, rng):
        return {"sampled": int(self.sample(rng)), "seen": False}

    def update(self, state, ids, rng):
        return {**state, "seen": state["seen"] or state["sampled"] in np.atleast_1d(ids).tolist()}

    def release(self, state, rng):
        return rng.random() < (3 / 4 if state["seen"] else 1 / 4)


class SampledByPermutation(Sampled):
    def sample(self, rng):
        return rng.permutation(3)[0]


class SampledByShuffle(Sampled):
    def sample(self, rng):
        users = np.arange(3)
        rng.shuffle(users)
        return users[0]


class SampledByChoice(Sampled):
    def sample(self, rng):
        return rng.choice([0, 1, 2], size=2, replace=False)[0]


class Count:
    promise = "epsilon=1,adjacency=user-level,observed=output"

    def create(self, rng):
        return frozenset()

    def update(self, state, ids, rng):
        return state | frozenset(np.atleast_1d(ids).tolist())


class LaplaceAdded(Count):
    def release(self, state, rng):
        return len(state) + rng.laplace(scale=2.0)


class LaplaceAround(Count):
    def release(self, state, rng):
        return rng.laplace(loc=len(state), scale=2.0)


class LaplaceHistogram(Count):
    def release(self, state, rng):
        counts = np.array([1.0 if user in state else 0.0 for user in range(3)])
        return (counts + rng.laplace(scale=2.0, size=3)).tolist()


class LaplaceAroundAHistogram(Count):
    def release(self, state, rng):
        return rng.laplace([1.0 if user in state else 0.0 for user in range(3)], 2.0).tolist()


class Geometric(Count):
    """A number of trials, and one more with another probability: the ratio is largest at 1."""

    def release(self, state, rng):
        return int(rng.random() < (3 / 4 if state else 1 / 4)) + rng.geometric(1 / 2)


class GeometricAdded(Count):
    """The output is never below the number of users."""

    def release(self, state, rng):
        return len(state) + rng.geometric(1 / 2)


class Exponential(Count):
    def release(self, state, rng):
        return len(state) + rng.exponential(2.0)


class Gamma(Count):
    def release(self, state, rng):
        return len(state) + rng.gamma(2.0)


class Poisson(Count):
    def release(self, state, rng):
        return len(state) + rng.poisson(2.0)


class Permuted(Count):
    def release(self, state, rng):
        return rng.permuted(sorted(state))


class BitGenerator(Count):
    def release(self, state, rng):
        return len(state) + np.random.Generator(rng.bit_generator).laplace()


class CalculatesWithANumber(Count):
    def release(self, state, rng):
        return len(state) - math.log(1 - rng.random())


class CatchesTheRefusal(Count):
    """It would leak where the number can be calculated with."""

    def release(self, state, rng):
        try:
            return len(state) + 0 * rng.random()
        except Exception:
            return 0


class ReleasesANumber(Count):
    def release(self, state, rng):
        return rng.random()


class KeepsANumber(Count):
    def create(self, rng):
        return [rng.random()]

    def release(self, state, rng):
        return state[0] < 1 / 2


class ComparesTwoNumbers(Count):
    def release(self, state, rng):
        return rng.random() < rng.random()


class AtMostZero(Count):
    def release(self, state, rng):
        return rng.random() <= 0


class DrawsElsewhere(Response):
    """The number is compared as it should be, and comes from elsewhere."""

    def bit(self, rng, p):
        return rng.random() < 1 / 2 and bool(np.random.default_rng().random() < p)


class DrawsFromTheGlobalGenerator(Response):
    def bit(self, rng, p):
        return rng.random() < 1 / 2 and bool(np.random.random() < p)


class DrawsFromTheGenerator(Response):
    """The generator behind the names is there in an audit alone."""

    def bit(self, rng, p):
        generator = getattr(rng, "generator", None)
        return bool((rng if generator is None else generator).random() < p)


class LongPermutation(Count):
    def release(self, state, rng):
        return rng.permutation(8).tolist()


class ManyBits(Count):
    def release(self, state, rng):
        return rng.integers(2, size=2000).tolist()
