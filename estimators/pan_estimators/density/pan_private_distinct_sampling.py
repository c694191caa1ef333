"""Pan-private distinct sampling: paper, Algorithm 3, PPDS, with the hash of Section 5.1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.accuracy_statement import AccuracyStatement
from pan_estimators.common.many_runs import require_runs
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.distinct_samples import (
    LevelHash,
    ManyDistinctSamples,
    are_members_before,
    drawn_samples,
    hash_bits,
    settled,
    take_turns,
)
from pan_estimators.density.many_cells import laplace_around
from pan_estimators.density.printed import optimal_pair
from pan_estimators.density.published import Published, joint_promise, optimal_bernoulli_bound, resolve_sample_size
from pan_estimators.density.target import errors_of_sample
from pan_estimators.randomness.interface import Randomness
from pan_estimators.states.releasing import count_release, releases_covered, require_kept, wiped
from pan_estimators.states.state_format import StoredArray
from pan_estimators.universes.ids import Ids
from pan_estimators.universes.universe import Indices, Universe, as_universe
from pan_promises.errors import InputError, require_count, require_epsilon
from pan_promises.promise import Promise


@dataclass(eq=False)
class DistinctSamplingState:
    """The state of Algorithm 3. An adversary sees all of it.

    Attributes
    ----------
    multiplier, increment
        The hash ``h(u) = (multiplier u + increment) mod 2^Q``.
    level
        The current level L. Users with a hash that ends in fewer than L zeros are left out.
    members
        Sorted indices of the users in the sample M_DS.
    releases
        The number of releases so far. After the last one that the promise covers, all else is zero or empty.
    """

    multiplier: int
    increment: int
    level: int
    members: Indices
    releases: int = 0

    def erase(self) -> None:
        """Overwrite the members and the hash with zeros. Copies of the state are out of reach."""
        wiped(self.members)
        self.members = np.empty(0, dtype=np.int64)
        self.multiplier = self.increment = self.level = 0


_BLOCK = 8192
"""Number of ids that are processed together."""


@dataclass(frozen=True, kw_only=True)
class PanPrivateDistinctSampling(Published):
    """The density estimator with a sample that is halved whenever it is full, in place of a fixed sample.

    Model: the listing is followed exactly. A user in the sample is removed with probability
    ``1 - p_upd``, and a qualifying user outside it is added with probability ``p_upd``. After every
    update of a user outside the sample, qualifying or not, and only then, a sample of ``m`` users or
    more loses its users of level at most L, once, and L grows by one. The initialisation phase does the
    same with ``p_init``.

    Promise (density.ppds_privacy, Theorem 5.1, ``epsilon <= 1/2``): 2 epsilon, user-level, one
    intrusion, state and output jointly, with no cost for seeing L. The audit refutes it: every
    further appearance of a user may fill the sample, so that L depends on their number.

    Parameters
    ----------
    universe
        The users.
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to 500.
    sample_size
        Bound m on the size of the sample, from 1 to the size of the universe.
    name
        Name in the registry of estimators.

    Raises
    ------
    InputError
        If epsilon or the sample size is out of range.
    """

    universe: Universe
    epsilon: float
    sample_size: int
    name: str = "pan-private-distinct-sampling"
    counts_releases: ClassVar[bool] = True
    """A release counts itself in the state, and the last one that the promise covers erases the state."""

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        require_count("the sample size m", self.sample_size, most=self.universe.size)

    @property
    def cells(self) -> BernoulliCells:
        """The pair ``p_init``, ``p_upd`` of Section 4.2."""
        return optimal_pair(self.epsilon)

    @property
    def hash_bits(self) -> int:
        """The number Q of bits of the hash, the least with ``U <= 2^Q``."""
        return hash_bits(self.universe.size)

    @property
    def promise(self) -> Promise | None:
        """The promise of 2 epsilon jointly, or ``None`` if Theorem 5.1 does not apply."""
        return joint_promise(self.epsilon, "density.ppds_privacy")

    @property
    def statements(self) -> tuple[AccuracyStatement, ...]:
        """The statements of Theorem 5.2 about the error, for a fixed level."""
        return errors_of_sample("density.ppds_error", squared_error=partial(_squared_error, self.epsilon))

    def create(self, randomness: Randomness) -> DistinctSamplingState:
        """The state after the initialisation phase over the universe. See :meth:`pan_estimators.Estimator.create`."""
        odd = 2 * int(randomness.uniform_integers(0, max(1, 2 ** (self.hash_bits - 1)), 1)[0]) + 1
        increment = int(randomness.uniform_integers(0, 2**self.hash_bits, 1)[0])
        state = DistinctSamplingState(odd, increment, 0, np.empty(0, dtype=np.int64))
        users = np.arange(self.universe.size)
        return self._attempt(state, users, self.cells.p_init, randomness)

    def update(self, state: DistinctSamplingState, ids: Ids, randomness: Randomness) -> DistinctSamplingState:
        """The state after the stream-processing phase for ``ids``. See :meth:`pan_estimators.Estimator.update`."""
        if state.releases:
            require_kept(self, state)
        return self._attempt(state, self.universe.encode(ids), self.cells.p_upd, randomness)

    def release(self, state: DistinctSamplingState, randomness: Randomness) -> float:
        """The noisy estimate, with Laplace noise of scale ``2^L/(epsilon U)``.

        The release is counted in ``state.releases``. The last release that the promise covers erases the state. Earlier
        copies are out of reach. Without a promise there is no limit.

        Parameters
        ----------
        state
            The state so far.
        randomness
            Source of the noise.

        Raises
        ------
        InputError
            For an erased state.
        """
        require_kept(self, state)
        output: float = randomness.laplace(
            self.estimate(state.level, state.members.size), self.noise_scale(state.level)
        )
        count_release(state, releases_covered(self))
        return output

    def estimate(self, level: Any, members: Any) -> Any:
        """The estimate of the density before the output's noise.

        Parameters
        ----------
        level
            The level L, or an array of levels.
        members
            The number of users in the sample, or an array of such numbers.
        """
        cells, size = self.cells, self.universe.size
        return (2**level * members - size * cells.p_init) / (size * (cells.p_upd - cells.p_init))

    def noise_scale(self, level: int) -> float:
        """The scale of the Laplace noise of the output at ``level`` L, as printed: ``2^L/(epsilon U)``."""
        weight: int = 2**level
        return weight / (self.epsilon * self.universe.size)

    def _attempt(
        self, state: DistinctSamplingState, users: Indices, probability: float, randomness: Randomness
    ) -> DistinctSamplingState:
        """Put each user in turn in or out of the sample, and evict members when it is full.

        A member stays with probability p_upd and an outsider enters with probability p_upd. In both
        cases one draw decides whether the user is inside afterwards.
        """
        hashed = self.hash_of(state)
        places = self._places(state, users, 0, probability, randomness)
        while places.size:
            here = users[places[:_BLOCK]]
            distinct = np.unique(here)
            if state.members.size + (~np.isin(distinct, state.members)).sum() < self.sample_size:
                # The sample cannot fill up. Only the last draw for a user matters.
                inside = randomness.bernoulli(probability, distinct.size)
                state.members = settled(state.members, distinct, inside)
                places = places[_BLOCK:]
                continue
            inside = randomness.bernoulli(probability, here.size)
            before = are_members_before(state.members, here, inside)
            sizes = state.members.size + np.cumsum(inside.astype(np.int64) - before)
            full = ~before & (sizes >= self.sample_size)
            done = int(np.argmax(full)) + 1 if full.any() else here.size
            touched, last = np.unique(here[:done][::-1], return_index=True)
            state.members = settled(state.members, touched, inside[:done][::-1][last])
            if full.any():
                _evict(state, hashed)
                places = self._places(state, users, int(places[done - 1]) + 1, probability, randomness)
            else:
                places = places[done:]
        return state

    def _places(
        self, state: DistinctSamplingState, users: Indices, start: int, probability: float, randomness: Randomness
    ) -> Indices:
        """The places of the users from ``start`` on that qualify, once the sample has room.

        An eviction that everyone survives leaves the sample full. Then the next user outside it evicts again,
        whether or not it qualifies.
        """
        hashed = self.hash_of(state)
        while start < users.size and state.members.size >= self.sample_size:
            user = users[start : start + 1]
            member = bool(np.isin(user, state.members)[0])
            if member or hashed.qualify(user, state.level)[0]:
                state.members = settled(state.members, user, randomness.bernoulli(probability, 1))
            if not member:
                _evict(state, hashed)
            start += 1
        following: Indices = start + np.flatnonzero(hashed.qualify(users[start:], state.level))
        return following

    def create_many(self, runs: int, randomness: Randomness) -> ManyDistinctSamples:
        """The states of all runs after the initialisation phase. See :meth:`pan_estimators.ManyRuns.create_many`."""
        states = drawn_samples(self.universe.size, require_runs(runs), randomness)
        return take_turns(states, np.arange(self.universe.size), self.cells.p_init, self.sample_size, randomness)

    def update_many(self, states: ManyDistinctSamples, ids: Ids, randomness: Randomness) -> ManyDistinctSamples:
        """The states after :meth:`update` in every run, with the same parameters for all runs."""
        require_kept(self, states)
        return take_turns(states, self.universe.encode(ids), self.cells.p_upd, self.sample_size, randomness)

    def release_many(self, states: ManyDistinctSamples, randomness: Randomness) -> NDArray[np.float64]:
        """The outputs of :meth:`release` in every run: shape ``(runs,)``."""
        require_kept(self, states)
        released = np.asarray(self.estimate(states.levels, states.members), dtype=np.float64)
        for level in np.unique(states.levels).tolist():
            runs = states.levels == level
            released[runs] = laplace_around(released[runs], self.noise_scale(level), randomness)
        count_release(states, releases_covered(self))
        return released

    def state_of(self, states: ManyDistinctSamples, run: int) -> DistinctSamplingState:
        """The state of one of many runs."""
        members = np.flatnonzero(states.marks[run])
        multiplier, increment, level = (
            int(states.multipliers[run]),
            int(states.increments[run]),
            int(states.levels[run]),
        )
        return DistinctSamplingState(multiplier, increment, level, members, states.releases)

    @property
    def entries_of_a_run(self) -> int:
        """The number of entries that a state takes among many: a mark for each user of the universe."""
        return self.universe.size

    def hash_of(self, state: DistinctSamplingState) -> LevelHash:
        """The hash that ``state`` keeps."""
        return LevelHash(self.universe.size, state.multiplier, state.increment)

    def sampled_users(self, state: DistinctSamplingState) -> Indices:
        """The indices of the users that qualify at the current level: the sample M.

        Parameters
        ----------
        state
            The state.

        Raises
        ------
        InputError
            For an erased state.
        """
        require_kept(self, state)
        users = np.arange(self.universe.size)
        return users[self.hash_of(state).qualify(users, state.level)]

    @property
    def state_bits(self) -> int:
        """The size of the state in bits: room for ``m`` ids, the two numbers of the hash, and the level.

        The room is counted as full, because the number of members is itself random.
        """
        id_bits = max(1, self.hash_bits)
        return self.sample_size * id_bits + 2 * id_bits + id_bits.bit_length()

    def to_dict(self) -> dict[str, Any]:
        """The configuration, JSON-ready."""
        return {
            "estimator": self.name,
            "universe": self.universe.to_dict(),
            "epsilon": float(self.epsilon),
            "sample_size": self.sample_size,
        }

    def stored_arrays(self) -> dict[str, StoredArray]:
        """The arrays that :meth:`state_to_arrays` gives."""
        return {"members": StoredArray("int64", 0, self.universe.size), "hash": StoredArray.of_length("int64", 3)}

    def state_to_arrays(self, state: DistinctSamplingState) -> dict[str, NDArray[Any]]:
        """The state as named arrays."""
        return {"members": state.members, "hash": np.array([state.multiplier, state.increment, state.level])}

    def state_from_arrays(self, arrays: dict[str, NDArray[Any]]) -> DistinctSamplingState:
        """The state that :meth:`state_to_arrays` wrote; :class:`InputError` if ``arrays`` are not such a state."""
        members, numbers = arrays["members"].astype(np.int64), arrays["hash"].astype(np.int64)
        if numbers.shape != (3,):
            raise InputError("the hash and level must be three numbers")
        multiplier, increment, level = (int(number) for number in numbers)
        top = 2**self.hash_bits
        if not (0 < multiplier < max(2, top) and multiplier % 2 and 0 <= increment < top and 0 <= level <= 64):
            raise InputError(
                f"invalid hash modulo {top}: multiplier {multiplier}, increment {increment}, level {level}"
            )
        inside = members.size == 0 or (members[0] >= 0 and members[-1] < self.universe.size)
        if not inside or bool(np.any(members[1:] <= members[:-1])):
            raise InputError("the members must be sorted users of the universe")
        return DistinctSamplingState(multiplier, increment, level, members)


def pan_private_distinct_sampling(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
) -> PanPrivateDistinctSampling:
    """The density estimator by pan-private distinct sampling, a :class:`PanPrivateDistinctSampling`.

    It promises ``2 epsilon``: epsilon is the parameter of its source, spent on the state and on the output.

    The class states the model.

    Promise (density.ppds_privacy, Theorem 5.1, ``epsilon <= 1/2``): 2 epsilon, user-level, one
    intrusion, state and output jointly. The audit refutes it.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to 500.
    sample_size
        Bound m on the size of the sample, from 1 to U; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). The size is planned as for
        :func:`optimal_bernoulli`.

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_epsilon(epsilon)
    universe = as_universe(universe)
    size = resolve_sample_size(universe, optimal_bernoulli_bound(epsilon), sample_size, alpha, beta)
    return PanPrivateDistinctSampling(universe=universe, epsilon=epsilon, sample_size=size)


def _evict(state: DistinctSamplingState, hashed: LevelHash) -> None:
    """Raise the level, and keep the members that reach it."""
    state.members = state.members[hashed.levels(state.members) > state.level]
    state.level += 1


def _squared_error(epsilon: float, density: float, sampled: float) -> float:
    # 2^l = U/m for the m users that qualify at level l.
    pair = optimal_pair(epsilon)
    return 1 / (4 * sampled * (pair.p_upd - pair.p_init) ** 2) + 2 / (sampled * epsilon) ** 2
