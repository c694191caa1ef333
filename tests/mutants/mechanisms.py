"""Broken mechanisms, and correct ones beside them, small enough to see what is wrong with each.

Those that promise about the output alone may keep anything in their state. All of them follow the
interface of an estimator: ``create``, ``update`` and ``release``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pan_estimators import Adjacency, Observed, Promise


def promised(epsilon: float, observed: Observed = Observed.OUTPUT, **more: Any) -> Promise:
    return Promise(epsilon=epsilon, adjacency=Adjacency.USER_LEVEL, observed=observed, **more)


@dataclass(frozen=True)
class DistinctCount:
    """Keeps the set of users; releases their number with Laplace noise. Correct for an unseen state."""

    promise: Promise = field(default_factory=lambda: promised(1.0))
    scale: float = 1.0

    def create(self, randomness):
        return {"seen": set()}

    def update(self, state, ids, randomness):
        state["seen"].update(np.atleast_1d(ids).tolist())
        return state

    def release(self, state, randomness):
        return randomness.laplace(float(len(state["seen"])), self.scale)


class OneSidedNoise(DistinctCount):
    def release(self, state, randomness):
        return len(state["seen"]) + abs(randomness.laplace(0.0, self.scale))


class TruncatedNoise(DistinctCount):
    def release(self, state, randomness):
        return len(state["seen"]) + float(np.clip(randomness.laplace(0.0, self.scale), -3, 3))


class GaussianNoise(DistinctCount):
    def release(self, state, randomness):
        # A sum of many Laplace variables: standard normal but for its far tails.
        return len(state["seen"]) + float(randomness.laplace(0.0, 1.0, 50).sum()) / 10


class NoiseThatDependsOnTheCount(DistinctCount):
    def release(self, state, randomness):
        count = len(state["seen"])
        return randomness.laplace(float(count), 2.0 / (1 + min(count, 3)))


class RareDisjointEvent(DistinctCount):
    def release(self, state, randomness):
        if state["seen"] and randomness.bernoulli(1e-3, 1)[0]:
            return -1000.0
        return super().release(state, randomness)


class RareLeak(DistinctCount):
    """For an (epsilon, delta) promise with a delta of 0.005: an exact release in 2 of 100 runs."""

    def release(self, state, randomness):
        exact = bool(randomness.bernoulli(0.02, 1)[0])
        return float(len(state["seen"])) if exact else super().release(state, randomness)


class LeakAfterTheHundredthAppearance(DistinctCount):
    def create(self, randomness):
        return {"seen": {}}

    def update(self, state, ids, randomness):
        for user in np.atleast_1d(ids).tolist():
            state["seen"][user] = state["seen"].get(user, 0) + 1
        return state

    def release(self, state, randomness):
        bonus = 10 * sum(times > 100 for times in state["seen"].values())
        return super().release(state, randomness) + bonus


class TheSameNoiseTwice(DistinctCount):
    """Two outputs with half the budget each; the noise is drawn once and kept."""

    def create(self, randomness):
        return {"seen": set(), "noise": randomness.laplace(0.0, self.scale)}

    def release(self, state, randomness):
        return len(state["seen"]) + state["noise"]


class CorrelatedOutputs(DistinctCount):
    """One release of two numbers, each harmless, with one and the same noise."""

    def release(self, state, randomness):
        count, noise = len(state["seen"]), randomness.laplace(0.0, self.scale)
        return [count + noise, 2 * count + noise]


@dataclass(frozen=True)
class Cells:
    """A bit for each of 8 users, drawn afresh at every appearance; the output is their noisy sum.

    With noise of scale ``1/epsilon`` on the sum of the bits, state and output keep 2 epsilon jointly.
    """

    epsilon: float = 0.5
    observed: Observed = Observed.STATE
    more: tuple[tuple[str, Any], ...] = ()
    users: int = 8

    @property
    def promise(self):
        joint = self.observed is Observed.STATE_AND_OUTPUT
        return promised(self.epsilon * (1 + joint), self.observed, **dict(self.more))

    @property
    def p_init(self):
        return 1 / (1 + math.exp(self.epsilon))

    @property
    def p_upd(self):
        return 1 - self.p_init

    def create(self, randomness):
        return {"bits": randomness.bernoulli(self.p_init, self.users)}

    def update(self, state, ids, randomness):
        for user in np.atleast_1d(ids).tolist():
            self.touch(state, user % self.users, randomness)
        return state

    def touch(self, state, user, randomness):
        state["bits"][user] = randomness.bernoulli(self.p_upd, 1)[0]

    def release(self, state, randomness):
        return randomness.laplace(float(state["bits"].sum()), 1 / self.epsilon)


class DoubledBias(Cells):
    """Bits of 1/2 and 0.95 instead of 1/2 and 0.725 for a promise of 0.9."""

    p_init = 0.5
    p_upd = 0.95


class BitThatIsOnlySet(Cells):
    """The bit is or-ed with the fresh one instead of replaced: every appearance pushes it up."""

    def touch(self, state, user, randomness):
        state["bits"][user] |= randomness.bernoulli(self.p_upd, 1)[0]


class LeakInTheFirstUpdate(Cells):
    def create(self, randomness):
        return {**super().create(randomness), "started_by": -1}

    def touch(self, state, user, randomness):
        if state["started_by"] < 0:
            state["started_by"] = user
        super().touch(state, user, randomness)


class ElementThatTheOutputIgnores(Cells):
    def create(self, randomness):
        return {**super().create(randomness), "cache": np.zeros(self.users)}

    def touch(self, state, user, randomness):
        state["cache"][user] += 1
        super().touch(state, user, randomness)


class ParityOfTheUpdates(Cells):
    def create(self, randomness):
        return {**super().create(randomness), "parity": False}

    def touch(self, state, user, randomness):
        state["parity"] = not state["parity"]
        super().touch(state, user, randomness)


class SlowLeak(Cells):
    """Each appearance raises a flag with probability 1/200: hardly seen after one, plain after a hundred."""

    def create(self, randomness):
        return {**super().create(randomness), "flag": False}

    def touch(self, state, user, randomness):
        state["flag"] = state["flag"] or bool(randomness.bernoulli(0.005, 1)[0])
        super().touch(state, user, randomness)


class ReusedRandomness(Cells):
    """One uniform number for each user decides its bit before and after; the state keeps the numbers."""

    def create(self, randomness):
        numbers = randomness.uniform_integers(0, 1000, self.users)
        return {"numbers": numbers, "bits": numbers < 1000 * self.p_init}

    def touch(self, state, user, randomness):
        state["bits"][user] = state["numbers"][user] < 1000 * self.p_upd


class SampleOfThoseWhoCameFirst(Cells):
    """Keeps bits for the first four users that appear, and with them who they are."""

    def create(self, randomness):
        return {"bits": {}}

    def touch(self, state, user, randomness):
        if user in state["bits"] or len(state["bits"]) < 4:
            state["bits"][user] = bool(randomness.bernoulli(self.p_upd, 1)[0])

    def release(self, state, randomness):
        return randomness.laplace(float(sum(state["bits"].values())), 1 / self.epsilon)


class SeparatelyHarmless(Cells):
    """A fair coin that is turned over at every appearance: at any one time it is just a fair coin."""

    def create(self, randomness):
        return {"coin": bool(randomness.bernoulli(0.5, 1)[0])}

    def touch(self, state, user, randomness):
        state["coin"] = not state["coin"]

    def release(self, state, randomness):
        return float(state["coin"])


class SplitIntrusion(Cells):
    """The published flaw in small: noise of scale 1 on the sum, bits that are drawn afresh later."""

    p_init = 0.5
    p_upd = 0.75

    def release(self, state, randomness):
        return randomness.laplace(float(state["bits"].sum()), 1.0)


class NotRandomisedAfterAnAnnouncement(Cells):
    def announce(self, state, randomness):
        return state


@dataclass(frozen=True)
class NoisyCounter:
    """Counts updates, starting from noise, and adds fresh noise at the end.

    For single events it keeps epsilon for state and output jointly: an event before the intrusion
    shows in the state alone, given which the output is noise, and one after it in the output alone.
    """

    epsilon: float = 0.5
    fresh_noise: bool = True

    @property
    def promise(self):
        return Promise(epsilon=self.epsilon, adjacency=Adjacency.EVENT_LEVEL)

    def create(self, randomness):
        return {"count": randomness.laplace(0.0, 1 / self.epsilon)}

    def update(self, state, ids, randomness):
        state["count"] += len(np.atleast_1d(ids))
        return state

    def release(self, state, randomness):
        return randomness.laplace(state["count"], 1 / self.epsilon) if self.fresh_noise else state["count"]


@dataclass(frozen=True)
class DeletionThatRestores(Cells):
    """Deleting a user puts its old bit back, which the state has kept for that purpose."""

    deletions: bool = True

    def create(self, randomness):
        return {**super().create(randomness), "before": np.zeros(self.users, dtype=bool)}

    def update(self, state, ids, randomness, deletions=None):
        users = [user % self.users for user in np.atleast_1d(ids).tolist()]
        flags = [False] * len(users) if deletions is None else np.atleast_1d(deletions).tolist()
        for user, delete in zip(users, flags, strict=True):
            if delete:
                state["bits"][user] = state["before"][user]
            else:
                state["before"][user] = state["bits"][user]
                self.touch(state, user, randomness)
        return state
