"""Distinct sampling with other rules for its level, for ``audits/test_pan_private_distinct_sampling_repaired.py``.

``panproof check tests/mechanisms/distinct_sampling.py:CalibratedLevel -e "log(3/2)" --set level=1``
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pan_estimators import (
    Adjacency,
    DistinctSamplingState,
    PanPrivateDistinctSampling,
    Promise,
    as_id_array,
    calibrate_basic,
    calibrate_symmetric,
)
from pan_estimators.universes.universe import as_universe


@dataclass(frozen=True, kw_only=True)
class FrozenLevel(PanPrivateDistinctSampling):
    """The level at which the initialisation phase ends is kept: nobody is evicted because of an appearance."""

    def __post_init__(self):
        object.__setattr__(self, "universe", as_universe(self.universe))
        super().__post_init__()

    def update(self, state, ids, randomness):
        users = np.unique(self.universe.encode(ids))
        users = users[self.hash_of(state).qualify(users, state.level)]
        inside = randomness.bernoulli(self.cells.p_upd, users.size)
        state.members = np.union1d(np.setdiff1d(state.members, users), users[inside])
        return state

    def _drawn(self, state, randomness):
        """Every user that qualifies is a member with probability p0, independently of all else."""
        users = self.sampled_users(state)
        state.members = users[randomness.bernoulli(self.cells.p_init, users.size)]
        return state


@dataclass(frozen=True, kw_only=True)
class RedrawnLevel(FrozenLevel):
    """The level is that of the initialisation phase, and then every bit is drawn again, regardless of it."""

    def create(self, randomness):
        return self._drawn(super().create(randomness), randomness)


@dataclass(frozen=True, kw_only=True)
class PublicLevel(FrozenLevel):
    """The level is a parameter; the pair and the noise are as printed."""

    level: int = 0

    def create(self, randomness):
        bits = self.hash_bits
        half, increment = (int(randomness.uniform_integers(0, 2**n, 1)[0]) for n in (max(0, bits - 1), bits))
        nobody = np.empty(0, dtype=np.int64)
        return self._drawn(DistinctSamplingState(2 * half + 1, increment, min(self.level, bits), nobody), randomness)

    @property
    def qualifying(self):
        """The number of users that qualify, up to rounding."""
        return max(1, round(self.universe.size / 2 ** min(self.level, self.hash_bits)))


@dataclass(frozen=True, kw_only=True)
class CalibratedLevel(PublicLevel):
    """The same with the pair and the noise of ``calibrated-bernoulli`` for as many users as qualify."""

    @property
    def promise(self):
        return Promise(epsilon=2 * self.epsilon, adjacency=Adjacency.USER_LEVEL)

    @cached_property
    def calibration(self):
        return calibrate_basic(promise_epsilon=2 * self.epsilon, sample_size=self.qualifying)

    @property
    def cells(self):
        return self.calibration.pairs[0]

    def release(self, state, randomness):
        up, down = self.calibration.up, self.calibration.down
        noisy = int(state.members.size) + randomness.two_sided_geometric(up, down, 1)[0]
        size = max(1, self.sampled_users(state).size)
        centre = size * self.cells.p_init + up / (1 - up) - down / (1 - down)
        return (noisy - centre) / (size * (self.cells.p_upd - self.cells.p_init))


@dataclass(frozen=True, kw_only=True)
class NoisyLevel(CalibratedLevel):
    """At public times the level is raised if a noisy number of members has reached ``m``.

    A public time is an update with the id U, which is nobody's. The noisy number is one more release,
    for which the pair and the noise are calibrated, and of which one bit is used.
    """

    @cached_property
    def calibration(self):
        return calibrate_symmetric(2 * self.epsilon, self.qualifying, releases=2)

    def update(self, state, ids, randomness):
        ids = as_id_array(ids)
        for part in np.split(ids, np.flatnonzero(ids == self.universe.size)):
            here = part
            if part.size and part[0] == self.universe.size:
                here = part[1:]
                if randomness.bernoulli(self.chance(state.members.size), 1)[0]:
                    state.level += 1
                    state.members = state.members[self.hash_of(state).qualify(state.members, state.level)]
            state = super().update(state, here, randomness)
        return state

    def chance(self, members):
        """The probability that the noisy number is at least ``m``.

        A bit with this probability is distributed as the comparison, and can be enumerated.
        """
        up, down = self.calibration.up, self.calibration.down
        peak, distance = (1 - up) * (1 - down) / (1 - up * down), self.sample_size - members
        if distance > 0:
            return peak * up**distance / (1 - up)
        return 1 - peak * down ** (1 - distance) / (1 - down)


@dataclass(frozen=True, kw_only=True)
class CountedLevel(NoisyLevel):
    """At public times the level is raised if the number of members, without noise, has reached ``m``."""

    def chance(self, members):
        return float(members >= self.sample_size)
