"""The estimator protocol: a frozen configuration, and a state that is a separate value."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, runtime_checkable

from pan_estimators.randomness.interface import Randomness
from pan_estimators.universes.ids import Ids
from pan_estimators.universes.universe import Universe
from pan_promises.promise import Promise

StateT = TypeVar("StateT")


@runtime_checkable
class Estimator(Protocol[StateT]):
    """A streaming estimator.

    The estimator itself never changes. The state is everything that it keeps between two updates, and
    the intruder sees all of it. ``update`` and ``announce`` take a state, may change it in place, and
    return the next state.
    """

    @property
    def universe(self) -> Universe:
        """The users that may appear."""
        ...

    @property
    def promise(self) -> Promise | None:
        """The privacy promise, or ``None`` without one."""
        ...

    def create(self, randomness: Randomness) -> StateT:
        """The state before the first update.

        Parameters
        ----------
        randomness
            Source of all random choices.
        """
        ...

    def update(self, state: StateT, ids: Ids, randomness: Randomness) -> StateT:
        """The state after one id, or after an array of ids in order.

        Parameters
        ----------
        state
            The state so far. It may be changed in place and must not be used again.
        ids
            One id, or an array of ids in order.
        randomness
            Source of all random choices.

        Raises
        ------
        InputError
            For an id outside the universe, or an erased state.
        """
        ...

    def release(self, state: StateT, randomness: Randomness) -> Any:
        """An output computed from the state.

        The state stays unchanged, unless the estimator counts its releases: see :class:`pan_estimators.CountsReleases`.

        Parameters
        ----------
        state
            The state so far.
        randomness
            Source of the noise.
        """
        ...
