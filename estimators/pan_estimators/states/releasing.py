"""Counting of releases: a promise covers a fixed number of outputs of one state, and ends with the last of them.

Every release counts itself in the state's ``releases``. A release beyond the promise is refused. The last release
that the promise covers erases the state: its cells, its sample and its key are overwritten, so that a later adversary
finds nothing. Earlier copies of a state are out of reach, and count their own releases. The number of releases is
public: it does not depend on the stream. A budget that is kept in memory stays with the parent of a fork, and the copy
of the child is spent.
"""

from __future__ import annotations

import os
from typing import Any, Protocol, runtime_checkable
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError
from pan_promises.promise import EVERY, Promise


@runtime_checkable
class CountsReleases(Protocol):
    """The optional capability of an estimator to count its releases.

    ``counts_releases = True`` declares: ``release`` adds one to ``state.releases`` and changes nothing else of the
    state. The last release that the promise covers also erases the state. An erased state is the same for all
    streams. Without the declaration, a release that changes the state is a defect.
    """

    @property
    def counts_releases(self) -> bool:
        """Whether releases are counted."""
        ...


class CountedState(Protocol):
    """A state that counts its releases and can be erased."""

    releases: int

    def erase(self) -> None:
        """Overwrite everything that depends on random choices or on the stream."""
        ...


class _Released(Protocol):
    """The part of an estimator that this module uses."""

    @property
    def name(self) -> str: ...

    @property
    def promise(self) -> Promise | None: ...


def counts_releases(estimator: Any) -> bool:
    """Whether the estimator declares that its states count their releases.

    Parameters
    ----------
    estimator
        Any object.
    """
    return getattr(estimator, "counts_releases", False) is True


def releases_covered(estimator: Any) -> int | None:
    """The number of releases of one state that the promise covers, or ``None`` without a promise or a limit.

    Parameters
    ----------
    estimator
        An estimator.
    """
    promise = estimator.promise
    return None if promise is None or promise.outputs == EVERY else promise.output_count


def is_erased(estimator: Any, state: Any) -> bool:
    """Whether the last release that the promise covers has been made.

    Parameters
    ----------
    estimator
        The estimator.
    state
        A state of the estimator.
    """
    covered = releases_covered(estimator)
    return covered is not None and getattr(state, "releases", 0) >= covered


def require_kept(estimator: _Released, state: CountedState) -> None:
    """Raise :class:`InputError` if the state is erased."""
    if state.releases and is_erased(estimator, state):
        raise InputError(no_more_releases(estimator))


def no_more_releases(estimator: _Released) -> str:
    """The message for a use beyond the last release."""
    covered = releases_covered(estimator) or 0
    return (
        f"this state of {estimator.name} is erased: its promise covers {covered} release{'s' * (covered != 1)} of one "
        "state, and none is left; count with a new state, or choose an estimator with more outputs, such as "
        "calibrated-continual-output"
    )


def count_release(state: CountedState, covered: int | None) -> None:
    """Count a release that has just been made, and erase the state if it is the last one that the promise covers."""
    state.releases += 1
    if covered is not None and state.releases >= covered:
        state.erase()


def wiped(values: NDArray[Any]) -> NDArray[Any]:
    """The array, overwritten with zeros in place; a new array of zeros if it is read-only."""
    if not values.flags.writeable:
        return np.zeros_like(values)
    values.fill(0)
    return values


_KEPT: WeakSet[KeepsBudget] = WeakSet()


class KeepsBudget(Protocol):
    """An object that counts what it spends, so that two copies of it would spend twice as much."""

    def leave_to_parent(self) -> None:
        """Refuse every later use. It is called in the child of a fork, where no other thread runs."""
        ...


def spent_in_children(one: KeepsBudget) -> None:
    """Let the copies of an object be spent that forks of this process make from now on."""
    _KEPT.add(one)


def _leave_all() -> None:
    for one in list(_KEPT):
        one.leave_to_parent()
    _KEPT.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)
