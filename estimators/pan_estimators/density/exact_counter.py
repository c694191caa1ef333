"""The exact counter: the baseline without privacy and without error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.many_runs import require_runs
from pan_estimators.randomness.interface import Randomness
from pan_estimators.states.releasing import count_release, wiped
from pan_estimators.states.state_format import StoredArray
from pan_estimators.universes.ids import Ids
from pan_estimators.universes.universe import Indices, Universe, as_universe
from pan_promises.errors import InputError


@dataclass(eq=False)
class ExactCounterState:
    """The state: the users who have appeared.

    Attributes
    ----------
    seen
        For each user whether it has appeared, shape ``(U,)``.
    releases
        The number of releases so far.
    """

    seen: NDArray[np.bool_]
    releases: int = 0

    def erase(self) -> None:
        """Overwrite the marks. No release does it, because nothing is promised."""
        self.seen = wiped(self.seen)


@dataclass(eq=False)
class ManyExactCounters:
    """The states of many runs, which are equal: no random choice is made.

    Attributes
    ----------
    runs
        The number of runs.
    seen
        As in :class:`ExactCounterState`.
    releases
        The number of releases so far.
    """

    runs: int
    seen: NDArray[np.bool_]
    releases: int = 0

    def erase(self) -> None:
        """Overwrite the marks. No release does it, because nothing is promised."""
        self.seen = wiped(self.seen)

    def parts(self) -> Mapping[str, Any]:
        """The attributes of the state of a run; see :class:`pan_estimators.StackedStates`."""
        return {"seen": self.seen, "releases": self.releases}

    def sampled_density(self, present: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The fraction of the users of each run that is present, and their number: shape ``(runs,)`` each."""
        return np.full(self.runs, present.mean()), np.full(self.runs, float(present.size))


@dataclass(frozen=True, kw_only=True)
class ExactCounter:
    """An exact counter of distinct users. It makes no promise: its state lists the users who appeared.

    Parameters
    ----------
    universe
        The users.
    name
        Name in the registry of estimators.
    promise
        Always ``None``.
    """

    universe: Universe
    name: str = "exact-counter"
    promise: None = None
    counts_releases: ClassVar[bool] = True
    """A release counts itself in the state. Without a promise there is no limit."""
    why_no_promise: ClassVar[str] = "its state lists who appeared"

    def create(self, randomness: Randomness) -> ExactCounterState:
        """The state in which nobody has appeared. No random choice is made."""
        return ExactCounterState(np.zeros(self.universe.size, dtype=np.bool_))

    def update(self, state: ExactCounterState, ids: Ids, randomness: Randomness) -> ExactCounterState:
        """The state with marks for the users among ``ids``. See :meth:`pan_estimators.Estimator.update`."""
        state.seen[self.universe.encode(ids)] = True
        return state

    def release(self, state: ExactCounterState, randomness: Randomness) -> float:
        """The exact density. The release is counted in ``state.releases``."""
        density = float(state.seen.mean())
        count_release(state, None)
        return density

    def create_many(self, runs: int, randomness: Randomness) -> ManyExactCounters:
        """The states of all runs before the first update. See :meth:`pan_estimators.ManyRuns.create_many`."""
        return ManyExactCounters(require_runs(runs), np.zeros(self.universe.size, dtype=np.bool_))

    def update_many(self, states: ManyExactCounters, ids: Ids, randomness: Randomness) -> ManyExactCounters:
        """The states after :meth:`update` in every run, with the same parameters for all runs."""
        states.seen[self.universe.encode(ids)] = True
        return states

    def release_many(self, states: ManyExactCounters, randomness: Randomness) -> NDArray[np.float64]:
        """The outputs of :meth:`release` in every run: shape ``(runs,)``."""
        count_release(states, None)
        return np.full(states.runs, float(states.seen.mean()))

    def state_of(self, states: ManyExactCounters, run: int) -> ExactCounterState:
        """The state of one of many runs."""
        return ExactCounterState(states.seen.copy(), states.releases)

    def sampled_users(self, state: ExactCounterState) -> Indices:
        """The indices of all users, in any ``state``."""
        return np.arange(self.universe.size)

    @property
    def state_bits(self) -> int:
        """The size of the state in bits: one for each user of the universe."""
        return self.universe.size

    def to_dict(self) -> dict[str, Any]:
        """The configuration, JSON-ready."""
        return {"estimator": self.name, "universe": self.universe.to_dict()}

    def stored_arrays(self) -> dict[str, StoredArray]:
        """The arrays that :meth:`state_to_arrays` gives."""
        return {"seen": StoredArray.of_length("bool", self.universe.size)}

    def state_to_arrays(self, state: ExactCounterState) -> dict[str, NDArray[Any]]:
        """The state as named arrays."""
        return {"seen": state.seen}

    def state_from_arrays(self, arrays: dict[str, NDArray[Any]]) -> ExactCounterState:
        """The state that :meth:`state_to_arrays` wrote; :class:`InputError` if ``arrays`` are not such a state."""
        if arrays["seen"].shape != (self.universe.size,):
            raise InputError(f"there must be one mark for each of {self.universe.size} users")
        return ExactCounterState(arrays["seen"].astype(np.bool_))


def exact_counter(*, universe: Universe | int) -> ExactCounter:
    """The exact count of distinct users, without privacy.

    Model: the state has one mark for each user. Promise: none, because the state lists the users who appeared.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.

    Raises
    ------
    InputError
        If the number of users is out of range.
    """
    return ExactCounter(universe=as_universe(universe))
