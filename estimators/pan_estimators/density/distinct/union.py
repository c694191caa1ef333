"""The union of two distinct counters that saw overlapping users: a noisy table of both bitmaps for each level.

The levels and the symmetric pair of probabilities are searched for the greatest relative error of the union of two
counters of one size of which half the users are the same, on a range of numbers of users.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.registry import promises
from pan_estimators.density.distinct.counter import DistinctCounter, DistinctCounterState, distinct_counter
from pan_estimators.density.distinct.geometry import Geometry
from pan_estimators.density.distinct.planning import (
    OUTSIDE,
    LevelSearch,
    RoughLevels,
    least_point,
    numbers_of_levels,
    plan_counter,
)
from pan_estimators.density.distinct.union_tables import TableDistribution, UnionEstimate, union_noise, zero_sum_noise
from pan_estimators.randomness.interface import Randomness
from pan_estimators.states.releasing import require_kept
from pan_estimators.universes.ids import require_one_kind
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import InputError
from pan_promises.extras import require_extra
from pan_promises.promise import Adjacency, Promise


@dataclass(frozen=True)
class CounterUnion:
    """The release of two counters together, in place of a release of each.

    Model: two counters with the same key, levels and probabilities, each with streams of its own; one intrusion in one
    of them, or one in each (``looks``); one release of both together, after which both states are erased. Guarantee
    (distinct.union): ``counter.promise.epsilon``, user-level, for all appearances of a user in both. The four counts of
    a level get noise with the sum zero, as their sum is public.

    Parameters
    ----------
    counter
        The configuration of both counters.
    looks
        The number of counters whose state is seen once: 1 or 2.

    Raises
    ------
    InputError
        If the states alone lose the promise, the number of looks is another one, or the counters make several releases.
    """

    counter: DistinctCounter
    looks: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.looks, bool) or self.looks not in (1, 2):
            raise InputError(f"the number of counters whose state is seen is 1 or 2, got {self.looks!r}")
        if self.counter.outputs != 1:
            raise InputError(f"a union is of two counters with one release each, got {self.counter.outputs} releases")
        _ = self.ratio

    @cached_property
    def ratio(self) -> float:
        """The factor by which the noise of each count falls."""
        return union_noise(self.counter.cells, self.counter.promise_epsilon, self.looks)

    @property
    def promise(self) -> Promise:
        """The promise for the seen states and the table jointly."""
        return Promise(
            epsilon=self.counter.promise_epsilon,
            adjacency=Adjacency.USER_LEVEL,
            intrusions=self.looks,
            claim="distinct.union",
        )

    @property
    def distribution(self) -> TableDistribution:
        """The moments of the tables."""
        cells = self.counter.cells
        return TableDistribution(self.counter.geometry, cells.p_init, cells.p_upd, self.ratio)

    def release(
        self, one: DistinctCounterState, other: DistinctCounterState, randomness: Randomness
    ) -> NDArray[np.int64]:
        """The noisy numbers of cells with each pair of bits, in the order 00, 01, 10, 11. It erases both states.

        Parameters
        ----------
        one, other
            The states of the two counters. The first bit of a pair is that of ``one``.
        randomness
            Source of the noise.

        Returns
        -------
        The tables, shape ``(levels, 4)``.

        Raises
        ------
        InputError
            For an erased state, a state of another size, one that made a release already, or one state twice.
        """
        if one is other:
            raise InputError("a union needs the states of two counters, and one state was given twice")
        for state in (one, other):
            require_kept(self.counter, state)
            if state.releases:
                raise InputError("one of the two states made a release already, which this promise does not cover")
            if state.cells.shape != (self.counter.geometry.cells,):
                raise InputError(
                    f"a state of this counter has {self.counter.geometry.cells} cells, got shape {state.cells.shape}"
                )
        first = self.counter.geometry.first_cells[:-1]
        values = 2 * one.cells.astype(np.int64) + other.cells
        tables = np.stack([np.add.reduceat((values == value).astype(np.int64), first) for value in range(4)], axis=1)
        noise = zero_sum_noise(randomness, self.ratio, len(tables))
        for state in (one, other):
            state.releases += 1
            state.erase()
        return np.asarray(tables + noise)

    def estimate(self, tables: Any, *, level: float = 0.95) -> UnionEstimate:
        """The numbers of users of both counters, of their union and their intersection. This is post-processing.

        Parameters
        ----------
        tables
            The output of :meth:`release`.
        level
            The confidence of the intervals, in (0, 1).

        Raises
        ------
        InputError
            If the tables are not four finite counts for each level that add up to its cells, or the confidence is out
            of range.
        """
        return self.distribution.estimate(tables, level=level)

    def expected_errors(self, one: float, other: float, union: float) -> tuple[float, float]:
        """The standard errors of the union and of the intersection, in users.

        Parameters
        ----------
        one, other, union
            The users of each counter and of the union, at least 1.

        Raises
        ------
        InputError
            If the union is smaller than one of them, or larger than their sum.
        """
        if min(one, other) < 1 or not max(one, other) <= union <= one + other or not union < 2**63:
            raise InputError(f"a union of {one:g} and {other:g} users has no {union:g} users")
        return self.distribution.errors(one, other, union)


def union_of(one: DistinctCounter, other: DistinctCounter, *, looks: int = 1) -> CounterUnion:
    """The union of two counters, after a comparison of their configurations.

    Parameters
    ----------
    one, other
        The configurations.
    looks
        The number of counters whose state is seen once: 1 or 2.

    Raises
    ------
    InputError
        If the counters have other keys, levels, probabilities or promises, or the states alone lose the promise.
    """
    about = [counter.universe.to_dict() for counter in (one, other)]
    require_one_kind(*(each.get("ids") for each in about))
    # A counter without ids has no kind yet.
    if len({str({**each, "ids": None}) for each in about}) > 1:
        raise InputError("a union needs one key and one universe: these counters have different ones")
    if one.geometry != other.geometry:
        raise InputError("a union needs the same levels in both counters: these counters have different ones")
    if one.cells != other.cells or one.promise_epsilon != other.promise_epsilon:
        raise InputError("a union needs the same probabilities and promise in both counters: these are different")
    return CounterUnion(one, looks)


@promises
def counter_for_union(
    *,
    universe: Universe | int,
    promise_epsilon: float,
    bits: int = 2**16,
    least: float = 1e4,
    most: float = 1e9,
    looks: int = 1,
) -> DistinctCounter:
    """A counter whose bits leave a good part of the promise for the noise of a union.

    The levels and the probabilities are searched for a small greatest error of the union on the range, for two counters
    of one size of which half the users are the same.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    promise_epsilon
        The promised loss, in nats, from 0.002 to 20.
    bits
        The number of cells of each counter.
    least, most
        The range of the number of users of the union.
    looks
        The number of counters whose state is seen once: 1 or 2.

    Raises
    ------
    InputError
        If a parameter is out of range.
    ImportError
        Without scipy.
    """
    universe = as_universe(universe)
    if looks not in (1, 2):
        raise InputError(f"the number of counters whose state is seen is 1 or 2, got {looks!r}")
    plan = plan_union(universe.size, promise_epsilon, bits, least, most, looks)
    return distinct_counter(
        universe=universe,
        promise_epsilon=promise_epsilon,
        levels=plan.geometry.to_list(),
        p_init=plan.p_init,
        p_upd=1 - plan.p_init,
    )


_SHARES = np.linspace(0.5, 0.99, 50)
_MOST_WORSE = 1
"""The search ends when more than this many numbers of levels in turn are no better."""
_LESS = 0.7
"""The numbers of levels start below those of a counter alone: a table has the noise of four counts in each level."""


@dataclass(frozen=True)
class UnionPlan:
    """The parameters of two counters for a union.

    Attributes
    ----------
    geometry
        The levels.
    p_init
        The probability of a one of an untouched cell, a multiple of ``2**-40``; that of a touched cell is the rest.
    worst_error
        The greatest relative standard error of the union on the range, for two counters with 2/3 of its users each.
    """

    geometry: Geometry
    p_init: float
    worst_error: float


def plan_union(size: int, total: float, bits: int, least: float, most: float, looks: int) -> UnionPlan:
    """The parameters of two counters with a small greatest error of their union on a range, by a numerical search."""
    alone = plan_counter(size, total, bits, least, most).geometry
    return _planned(alone, float(total), int(bits), float(least), float(min(most, size)), int(looks))


@lru_cache(maxsize=64)
def _planned(alone: Geometry, total: float, bits: int, least: float, most: float, looks: int) -> UnionPlan:
    require_extra("the plan of a union", "suite")
    size = alone.size
    users = LevelSearch(size, bits, least, most, 1).users
    best = _with_share(alone, users, total, looks)
    if size <= bits:
        return best
    numbers, worse = numbers_of_levels(least, most), 0
    for levels in range(max(1, math.floor(_LESS * numbers[0])), numbers[-1] + 1):
        search = LevelSearch(size, bits, least, most, levels)
        point = least_point(_objective(search, total, looks), [0.9, *search.start])
        if (geometry := search.geometry(point[1:])) is None:
            continue
        plan = _with_share(geometry, users, total, looks)
        best, worse = (plan, 0) if plan.worst_error < best.worst_error else (best, worse + 1)
        if worse > _MOST_WORSE and best.geometry != alone:
            break
    return best


def _with_share(geometry: Geometry, users: NDArray[np.float64], total: float, looks: int) -> UnionPlan:
    """The plan with given levels and the best share of the promise for the states."""
    errors = [_variance(geometry, users, total, share, looks) for share in _SHARES]
    place = int(np.argmin(errors))
    p_init = max(round(2**40 / (1 + math.exp(total * _SHARES[place] / looks))), 1) / 2**40
    return UnionPlan(geometry, p_init, math.sqrt(errors[place]))


def _objective(search: LevelSearch, total: float, looks: int) -> Any:
    def objective(point: NDArray[np.float64]) -> float:
        if not 0.05 < point[0] < 0.999:
            return OUTSIDE
        if excess := search.excess(point[1:]):
            return excess
        return math.log(_variance(search.rough(point[1:]), search.users, total, float(point[0]), looks))

    return objective


def _variance(
    levels: Geometry | RoughLevels, users: NDArray[np.float64], total: float, share: float, looks: int
) -> float:
    """The greatest relative variance of the union, for states that lose a share of the total alone."""
    odds = math.exp(total * share / looks)
    low, high = 1 / (1 + odds), odds / (1 + odds)
    # The two losses of distinct.union, solved for the square of the factor of the noise.
    kept, moved = (low, high) if looks == 1 else (low**2, 1 - low**2)
    square = (math.exp(total) / odds**looks - kept) / moved
    distribution = TableDistribution(levels, low, high, 1 / math.sqrt(square))  # type: ignore[arg-type]
    each = users * 2 / 3
    return float(distribution.relative_variances(np.stack([each, each, users], axis=-1))[:, 2].max())
