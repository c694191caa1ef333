"""The optional capability of an estimator to make many independent runs at once.

A run is one state from ``create`` to its last release. Runs that are made at once differ in their random
choices only: each of them is fed the same ids, and each follows the law of a run that is made alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from numpy.typing import NDArray

from pan_estimators.errors import require_count
from pan_estimators.ids import Ids
from pan_estimators.randomness import Randomness

ManyT = TypeVar("ManyT")

MOST_RUNS = 2**31
"""The largest number of runs at once."""


@runtime_checkable
class ManyRuns(Protocol[ManyT]):
    """An estimator that makes many independent runs at once.

    ``update_many`` may change the states that it is given in place, and returns the states to go on with.
    An estimator that is re-randomised after announced intrusions offers ``announce_many`` as well.
    """

    def create_many(self, runs: int, randomness: Randomness) -> ManyT:
        """The states of so many runs before the first update."""
        ...

    def update_many(self, states: ManyT, ids: Ids, randomness: Randomness) -> ManyT:
        """The states after one id, or an array of ids in order, in every run."""
        ...

    def release_many(self, states: ManyT, randomness: Randomness) -> NDArray[Any]:
        """One output of every run, shape ``(runs,)``."""
        ...

    def state_of(self, states: ManyT, run: int) -> Any:
        """The state of one run, as it would be had the run been made alone."""
        ...


@dataclass(frozen=True, eq=False)
class Stack:
    """A part of the state that differs from run to run.

    Attributes
    ----------
    values
        The part in each run; the first axis counts the runs.
    bytes_each
        Whether the part is a string of bytes in each run, of which ``values`` holds the numbers.
    """

    values: NDArray[Any]
    bytes_each: bool = False


@runtime_checkable
class StackedStates(Protocol):
    """States of many runs that show their parts as arrays."""

    @property
    def runs(self) -> int:
        """How many runs there are."""
        ...

    def parts(self) -> Mapping[str, Any] | None:
        """The attributes of the state of a run, in the order in which that state has them.

        A :class:`Stack` differs from run to run, a mapping holds the attributes of an object, and anything else is
        common to all runs. ``None`` if some part cannot be shown in this way.
        """
        ...


def require_runs(runs: int) -> int:
    """The number of runs at once; :class:`InputError` if it is out of range."""
    require_count("the number of runs", runs, most=MOST_RUNS)
    return int(runs)
