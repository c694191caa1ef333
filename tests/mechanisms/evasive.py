"""Estimators that an exact check could be wrong about: leaks that are easily overlooked, and harmless oddities."""

import random
from collections import OrderedDict
from fractions import Fraction

import numpy as np


def users(ids):
    return [int(user) for user in np.atleast_1d(ids)]


class Count:
    promise = "epsilon=1,adjacency=user-level,observed=output"

    def create(self, randomness):
        return frozenset()

    def update(self, state, ids, randomness):
        return state | set(users(ids))

    def release(self, state, randomness):
        return len(state) + randomness.discrete_laplace(1.0, 1)[0]


class RedrawsZeroNoise(Count):
    """Never gives the exact count away, and so tells what it is not."""

    def release(self, state, randomness):
        noise = randomness.discrete_laplace(1.0, 1)[0]
        while noise == 0:
            noise = randomness.discrete_laplace(1.0, 1)[0]
        return len(state) + noise


class LooksNoiseUp(Count):
    def release(self, state, randomness):
        return len(state) if randomness.discrete_laplace(1.0, 1)[0] in (0, 1, 2) else "hidden"


class WritesNoiseDown(Count):
    """The noise is far too small, hidden behind six digits of a text."""

    def release(self, state, randomness):
        return f"about {randomness.laplace(1e6 + 0.1 * len(state), 0.001)}"


class CatchesEverything(Count):
    def release(self, state, randomness):
        try:
            return max(0, round(randomness.laplace(float(len(state)), 0.01)))
        except Exception:
            return 0


class OrderOfADictionary(Count):
    """The last key is the user who came last."""

    promise = "epsilon=1,adjacency=user-level,observed=state"

    def create(self, randomness):
        return dict.fromkeys(range(3), 1)

    def update(self, state, ids, randomness):
        for user in users(ids):
            state[user] = state.pop(user)
        return state


class OrderOfADictionaryInTheOutput(OrderOfADictionary):
    promise = "epsilon=1,adjacency=user-level,observed=output"

    def release(self, state, randomness):
        return list(state)[-1]


class OrderedDictionary(OrderOfADictionary):
    def create(self, randomness):
        return OrderedDict.fromkeys(range(3), 1)

    def update(self, state, ids, randomness):
        for user in users(ids):
            state.move_to_end(user)
        return state


class SliceOfALargerArray(Count):
    """The memory behind the slice keeps the last users."""

    promise = "epsilon=1,adjacency=user-level,observed=state+output"

    def create(self, randomness):
        return np.zeros(3)[:0]

    def update(self, state, ids, randomness):
        room = np.zeros(3)
        room[users(ids)] = 1
        return room[:0]

    def release(self, state, randomness):
        return 0


class NumberWithMore(float):
    last = None

    def with_last(self, user):
        self.last = user
        return self


class SlottedDictionary(dict):
    __slots__ = ("last",)

    def __init__(self, last):
        super().__init__()
        self.last = last

    def __reduce__(self):
        return SlottedDictionary, (self.last,)


class KeepsItsNoise(Count):
    """The second output has the noise of the first: their difference is exact."""

    promise = "epsilon=2,adjacency=user-level,observed=output,outputs=2"

    def create(self, randomness):
        return {"seen": [], "noise": None}

    def update(self, state, ids, randomness):
        state["seen"] = sorted({*state["seen"], *users(ids)})
        return state

    def release(self, state, randomness):
        if state["noise"] is None:
            state["noise"] = randomness.laplace(0.0, 1.0)
        return len(state["seen"]) + state["noise"]


class KeepsItsNoiseAsItsCount(KeepsItsNoise):
    """It declares that its releases are counted, and keeps the noise all the same."""

    counts_releases = True


class CountsItsReleases(Count):
    """The state after the first release is seen together with both outputs, and tells nothing but the count."""

    promise = "epsilon=2,adjacency=user-level,observed=output,outputs=2"
    counts_releases = True

    def create(self, randomness):
        return {"seen": [], "releases": 0}

    def update(self, state, ids, randomness):
        state["seen"] = sorted({*state["seen"], *users(ids)})
        return state

    def release(self, state, randomness):
        state["releases"] += 1
        return len(state["seen"]) + randomness.laplace(0.0, 1.0)


class MarksTheStateWhenItReleases(CountsItsReleases):
    """The count is what it says; the second output is exact, since the first one wrote it down."""

    def release(self, state, randomness):
        exact = state["releases"] > 0
        state["releases"] += 1 + 10 * len(state["seen"])
        return float(state["releases"] // 10) if exact else len(state["seen"]) + randomness.laplace(0.0, 1.0)


class ForgetsToReturn(Count):
    def create(self, randomness):
        return {"seen": []}

    def update(self, state, ids, randomness):
        state["seen"] += users(ids)


class CountsOnItself(Count):
    """Says so when one user came three times in a row, of which it keeps count outside of the state."""

    promise = "epsilon=log(3),adjacency=user-level,observed=output"
    run, previous = 0, None

    def create(self, randomness):
        self.run, self.previous = 0, None
        return bool(randomness.bernoulli(1 / 2, 1)[0])

    def update(self, state, ids, randomness):
        for user in users(ids):
            self.run = self.run + 1 if user == self.previous else 1
            self.previous = user
        return bool(randomness.bernoulli(3 / 4, 1)[0])

    def release(self, state, randomness):
        return "caught" if self.run == 3 else 0


class RarelyDrawsElsewhere(Count):
    promise = "epsilon=1,adjacency=user-level,observed=state"

    def update(self, state, ids, randomness):
        return state | set(users(ids)) if random.random() < 0.002 else state


class AnotherGenerator(RarelyDrawsElsewhere):
    def update(self, state, ids, randomness):
        return state | set(users(ids)) if np.random.default_rng().random() < 0.002 else state


class ClaimsThatUsersAreExchangeable(Count):
    """Records the second user only."""

    promise = "epsilon=1,adjacency=user-level,observed=state"
    exchangeable_users = True

    def update(self, state, ids, randomness):
        return state | ({1} & set(users(ids)))


class LogsBatches(Count):
    promise = "epsilon=1,adjacency=user-level,observed=state"

    def update(self, state, ids, randomness):
        return state | set(users(ids)) if np.size(ids) > 1 else state


class NoiseOfTwoScales(Count):
    """A coin or a noise that is wide more often on one stream: the ratio is log 50, far out."""

    def create(self, randomness):
        return False

    def update(self, state, ids, randomness):
        return True

    def release(self, state, randomness):
        if randomness.bernoulli(1 / 2, 1)[0]:
            return "coin", bool(randomness.bernoulli(Fraction(1 + state, 3), 1)[0])
        wide = randomness.bernoulli(1 / 2 if state else 1 / 100, 1)[0]
        return randomness.laplace(0.0, 10.0 if wide else 1.0)


class ProbabilitiesNextToOne(Count):
    promise = "epsilon=0.1,adjacency=user-level,observed=state"

    def create(self, randomness):
        return bool(randomness.bernoulli(1 - 2.0**-51, 1)[0])

    def update(self, state, ids, randomness):
        return bool(randomness.bernoulli(1 - 2.0**-52, 1)[0])


class OnlyTheSecondUserSticks(Count):
    """The second user's bit stays set, the first one's does not."""

    promise = "epsilon=5*log(2),adjacency=user-level,observed=state"

    def create(self, randomness):
        return bool(randomness.bernoulli(1 / 2, 1)[0])

    def update(self, state, ids, randomness):
        for user in users(ids):
            fresh = bool(randomness.bernoulli(1 / 2, 1)[0])
            state = (state or fresh) if user == 1 else fresh
        return state


class TurnsTheNoiseRound(Count):
    """The noise is symmetric: nothing is lost."""

    def update(self, state, ids, randomness):
        return frozenset({0})

    def release(self, state, randomness):
        noise = randomness.discrete_laplace(1.0, 1)[0]
        return noise if state else -noise


class NoiseInHalfOfTheRuns(Count):
    """The loss is log 8, not infinite: an integer may come with noise or without."""

    promise = "epsilon=3,adjacency=user-level,observed=output"

    def update(self, state, ids, randomness):
        return frozenset({0})

    def release(self, state, randomness):
        bit = int(randomness.bernoulli(1 / 2, 1)[0])
        return len(state) + bit * randomness.two_sided_geometric(1 / 2, 1 / 2, 1)[0]


class StaysAtEventLevel(Count):
    """One appearance more or less loses log 2, however many there are."""

    promise = "epsilon=log(2),adjacency=event-level,observed=state"

    def create(self, randomness):
        return bool(randomness.bernoulli(1 / 2, 1)[0])

    def update(self, state, ids, randomness):
        for _ in users(ids):
            state = state or bool(randomness.bernoulli(1 / 2, 1)[0])
        return state


class NumbersOfAllTypes(Count):
    """The same bits as Python's, later as numpy's: a dump of the memory tells who has appeared."""

    promise = "epsilon=log(3),adjacency=user-level,observed=state"

    def create(self, randomness):
        return randomness.bernoulli(1 / 2, 3).tolist()

    def update(self, state, ids, randomness):
        for user in users(ids):
            state[user] = randomness.bernoulli(3 / 4, 1)[0]
        return state


class NumbersOfOneType(NumbersOfAllTypes):
    def update(self, state, ids, randomness):
        for user in users(ids):
            state[user] = bool(randomness.bernoulli(3 / 4, 1)[0])
        return state


class LocationsInAnArray(Count):
    def release(self, state, randomness):
        return randomness.laplace(np.array([len(state), 0.0]), 1.0, 2)


class BudgetAsADouble(Count):
    """Randomised response with log 2 as the nearest double, which is a little less."""

    promise = f"epsilon={np.log(2)!r},adjacency=user-level,observed=state".replace("np.float64(", "").replace(")", "")

    def create(self, randomness):
        return bool(randomness.bernoulli(1 / 3, 1)[0])

    def update(self, state, ids, randomness):
        return bool(randomness.bernoulli(2 / 3, 1)[0])
