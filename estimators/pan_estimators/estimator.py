"""What every estimator offers: a frozen configuration, and a state that is a value of its own."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, runtime_checkable

from pan_estimators.ids import Ids
from pan_estimators.promise import Promise
from pan_estimators.randomness import Randomness
from pan_estimators.universe import Universe

StateT = TypeVar("StateT")


@runtime_checkable
class Estimator(Protocol[StateT]):
    """A streaming estimator.

    The estimator itself never changes. Everything that it keeps between two updates is the state,
    which is what an intruder sees. ``update`` and ``announce`` consume the state that they are
    given, possibly changing it in place, and return the state to go on with.
    """

    @property
    def universe(self) -> Universe:
        """The users that may appear."""
        ...

    @property
    def promise(self) -> Promise | None:
        """The privacy promise, or ``None`` where none is made."""
        ...

    def create(self, randomness: Randomness) -> StateT:
        """The state before the first update."""
        ...

    def update(self, state: StateT, ids: Ids, randomness: Randomness) -> StateT:
        """The state after one id, or an array of ids in order."""
        ...

    def release(self, state: StateT, randomness: Randomness) -> Any:
        """An output computed from the state, which stays as it is.

        An estimator whose states count their releases says so: see :class:`pan_estimators.CountsReleases`.
        """
        ...
