"""The protocol of an estimator, its optional capabilities, and the standing of its promise."""

from __future__ import annotations

from enum import StrEnum
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
    the adversary sees all of it. ``update`` and ``announce`` take a state, may change it in place, and
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


@runtime_checkable
class CopiesStates(Protocol):
    """An estimator that copies its states faster than a deep copy."""

    def copy_state(self, state: Any) -> Any:
        """A copy of the state that later updates and releases do not change.

        Parameters
        ----------
        state
            The state. It stays unchanged.
        """
        ...


@runtime_checkable
class KeepsParameters(Protocol):
    """An estimator with parameters that are calibrated to its size, and can be kept at another size."""

    def with_parameters_of(self, other: Any) -> Any:
        """The same estimator with the cells and the noise of another one.

        Parameters
        ----------
        other
            An estimator of the same class.
        """
        ...


class Standing(StrEnum):
    """A promise holds by proof, or is exceeded by the loss, or neither is proved; or there is no promise."""

    PROVED = "proved"
    REFUTED = "refuted"
    PUBLISHED = "published"
    NONE = "none"


def standing_of(estimator: Any) -> Standing:
    """The standing of the promise of a shipped estimator."""
    if estimator.promise is None:
        return Standing.NONE
    if getattr(estimator, "promise_is_proved", False):
        return Standing.PROVED
    return Standing.REFUTED if getattr(estimator, "promise_is_refuted", False) else Standing.PUBLISHED
