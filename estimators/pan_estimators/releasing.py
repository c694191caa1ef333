"""Counting releases: a promise covers so many outputs of one state, and ends with the last of them.

Every release counts itself in the state's ``releases``. A release beyond the promise is refused. After the last one
that the promise covers the state is erased: its cells, its sample and its key are overwritten, so that an intruder who
comes later finds nothing. Copies of a state that somebody made before are out of reach: their number of releases is
their own. The number of releases is public: it does not depend on the stream.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pan_estimators.errors import InputError
from pan_estimators.promise import Promise


@runtime_checkable
class CountsReleases(Protocol):
    """An optional capability of an estimator.

    ``counts_releases = True`` declares: ``release`` adds one to ``state.releases`` and changes nothing else of the
    state, but for the last release that the promise covers, which also erases the state. An erased state is the same
    whatever the stream was. Without the declaration, a release that changes the state is a defect.
    """

    @property
    def counts_releases(self) -> bool:
        """Whether releases are counted."""
        ...


class CountedState(Protocol):
    """A state that counts its releases and can be erased."""

    releases: int

    def erase(self) -> None:
        """Overwrite all that depends on random choices or on the stream."""
        ...


class _Released(Protocol):
    """What is needed of an estimator here."""

    @property
    def name(self) -> str: ...

    @property
    def promise(self) -> Promise | None: ...


def counts_releases(estimator: Any) -> bool:
    """Whether the estimator declares that its states count their releases."""
    return getattr(estimator, "counts_releases", False) is True


def releases_covered(estimator: Any) -> int | None:
    """Number of releases of one state that the promise covers; ``None`` where nothing is promised."""
    promise = estimator.promise
    return None if promise is None else promise.outputs


def is_erased(estimator: Any, state: Any) -> bool:
    """Whether the last release that the promise covers has been made."""
    covered = releases_covered(estimator)
    return covered is not None and getattr(state, "releases", 0) >= covered


def require_kept(estimator: _Released, state: CountedState) -> None:
    """Raise :class:`InputError` if the state is erased."""
    if state.releases and is_erased(estimator, state):
        raise InputError(no_more_releases(estimator))


def no_more_releases(estimator: _Released) -> str:
    """The sentence for a use beyond the last release."""
    covered = releases_covered(estimator) or 0
    return (
        f"this state of {estimator.name} is erased: its promise covers {covered} release{'s' * (covered != 1)} of one "
        "state, and no more are left; count with a new state, or choose an estimator of more outputs, such as "
        "calibrated-continual-output"
    )


def count_release(state: CountedState, covered: int | None) -> None:
    """Count a release that has just been made, and erase the state if it was the last of those that are covered."""
    state.releases += 1
    if covered is not None and state.releases >= covered:
        state.erase()


def wiped(values: NDArray[Any]) -> NDArray[Any]:
    """The array, overwritten with zeros in place; one of zeros instead if it cannot be written."""
    if not values.flags.writeable:
        return np.zeros_like(values)
    values.fill(0)
    return values
