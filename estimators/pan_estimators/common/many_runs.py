"""The optional capability of an estimator to make many independent runs at once.

A run is one state from ``create`` to its last release. Runs that are made at once differ in their random
choices only: they all get the same ids, and each follows the distribution of a run that is made alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness
from pan_estimators.universes.ids import Ids
from pan_promises.errors import require_count

ManyT = TypeVar("ManyT")

MOST_RUNS = 2**31
"""The largest number of runs at once."""


@runtime_checkable
class ManyRuns(Protocol[ManyT]):
    """An estimator that makes many independent runs at once.

    ``update_many`` may change the given states in place, and returns the next states.
    An estimator that re-randomises after announced intrusions also has ``announce_many``.
    """

    def create_many(self, runs: int, randomness: Randomness) -> ManyT:
        """The states of all runs before the first update.

        Parameters
        ----------
        runs
            Number of runs, from 1 to ``2**31``.
        randomness
            Source of all random choices.
        """
        ...

    def update_many(self, states: ManyT, ids: Ids, randomness: Randomness) -> ManyT:
        """The states after one id, or after an array of ids in order, in every run.

        Parameters
        ----------
        states
            The states so far. They may be changed in place and must not be used again.
        ids
            One id, or an array of ids in order.
        randomness
            Source of all random choices.

        Raises
        ------
        InputError
            For an id outside the universe, or erased states.
        """
        ...

    def release_many(self, states: ManyT, randomness: Randomness) -> NDArray[Any]:
        """The output of every run, shape ``(runs,)``.

        Parameters
        ----------
        states
            The states so far.
        randomness
            Source of the noise.
        """
        ...

    def state_of(self, states: ManyT, run: int) -> Any:
        """The state of one run, in the form that it has when the run is made alone.

        Parameters
        ----------
        states
            The states of all runs.
        run
            Number of the run, from 0 to ``runs - 1``.
        """
        ...


@dataclass(frozen=True, eq=False)
class Stack:
    """A part of the state that differs between runs.

    Attributes
    ----------
    values
        The part in each run: a number or an array. The first axis counts the runs.
    bytes_each
        Whether the part is a string of bytes in each run. ``values`` then holds the bytes as numbers.
    """

    values: NDArray[Any]
    bytes_each: bool = False


@runtime_checkable
class StackedStates(Protocol):
    """States of many runs that show their parts as arrays."""

    @property
    def runs(self) -> int:
        """The number of runs."""
        ...

    def parts(self) -> Mapping[str, Any] | None:
        """The attributes of the state of a run, in the order of that state.

        A :class:`Stack` differs between runs, and a mapping holds the attributes of an object. Any other value is
        common to all runs. The result is ``None`` if some part has none of these forms.
        """
        ...


@runtime_checkable
class GroupedStates(Protocol):
    """States of many runs whose form differs between runs, such as lists of different lengths."""

    def groups(self) -> Sequence[tuple[NDArray[np.intp], Mapping[str, Any]]]:
        """The runs whose states have one form, with the parts of these states as :meth:`StackedStates.parts` has them.

        Each run is in one group.
        """
        ...


def require_runs(runs: int) -> int:
    """The number of runs at once; :class:`InputError` if it is out of range."""
    require_count("the number of runs", runs, most=MOST_RUNS)
    return int(runs)
