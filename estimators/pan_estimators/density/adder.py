"""Fast addition of single ids, in one or two microseconds.

Everything that does not depend on the id is looked up beforehand: the index of the sample, the state's cells, the pair
of distributions. No random bit is drawn before its id has come. An adversary who saw unused bits in the memory of the
process would know how later users change the state, and only the noise of the output would protect them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from numpy.typing import NDArray

from pan_estimators.common.estimator import Estimator
from pan_estimators.density.cells import Cells
from pan_estimators.randomness.interface import Randomness
from pan_estimators.samples.keyed_sample import KeyedSample, WholePopulation
from pan_estimators.samples.sample_index import KEPT_UP_TO, Members, index_of, kept_index
from pan_promises.errors import InputError

StateT = TypeVar("StateT")


@runtime_checkable
class CellEstimator(Protocol):
    """An estimator with an update that draws the cell of the user afresh, and does nothing else."""

    def current_pair(self, state: Any) -> tuple[Cells, Members]:
        """The pair of distributions that updates of ``state`` draw from, and the users with a cell."""
        ...


class Adder(Generic[StateT]):
    """A feeder of single ids to an estimator. The distribution is the same as with the estimator's ``update``.

    Parameters
    ----------
    estimator
        The estimator.
    state
        Its state so far. It is changed in place. Between two calls it may be released from or announced to.
    randomness
        Source of the draws.

    Attributes
    ----------
    state
        The current state.
    """

    def __init__(self, estimator: Estimator[StateT], state: StateT, randomness: Randomness) -> None:
        self.state = state
        self._estimator = estimator
        self._randomness = randomness
        self._values: NDArray[Any] | None = None
        self._done = (0, 0)
        self._look_up()

    def add(self, one: Any) -> None:
        """Count the appearance of one user.

        Parameters
        ----------
        one
            The id.

        Raises
        ------
        InputError
            For an id outside the universe, or any other reason for which the estimator refuses an update.
        """
        state: Any = self.state
        if self._values is None or state.cells is not self._values or _done_to(state) != self._done:
            # The state was changed elsewhere, or was never looked up. The estimator itself makes the update.
            self.state = self._estimator.update(self.state, [one], self._randomness)
            self._look_up()
            return
        place = self._place(one)
        if place >= 0:
            self._values[place] = self._cells.draw_updated(self._randomness, 1)[0]

    def delete(self, one: Any) -> None:
        """Count the deletion of one user.

        Parameters
        ----------
        one
            The id.

        Raises
        ------
        InputError
            For an id outside the universe, or an estimator without deletions.
        """
        if not getattr(self._estimator, "deletions", False):
            raise InputError(f"{getattr(self._estimator, 'name', 'the estimator')} has no deletions")
        update: Callable[..., StateT] = self._estimator.update
        self.state = update(self.state, [one], self._randomness, deletions=True)

    def _look_up(self) -> None:
        encode_one = getattr(self._estimator.universe, "encode_one", None)
        if encode_one is not None and isinstance(self._estimator, CellEstimator):
            state: Any = self.state
            self._cells, sample = self._estimator.current_pair(state)
            self._place = _placing(encode_one, sample)
            self._values, self._done = state.cells, _done_to(state)


def _done_to(state: Any) -> tuple[int, int]:
    """The numbers of announced intrusions and of releases. The last release may have erased the state."""
    return state.announced, getattr(state, "releases", 0)


def _placing(encode_one: Callable[[Any], int], sample: Members) -> Callable[[Any], int]:
    """The function that finds the place of an id, or -1."""
    if isinstance(sample, WholePopulation):
        return encode_one
    if not isinstance(sample, KeyedSample):
        position = index_of(sample.members()).position
    elif sample.size <= KEPT_UP_TO:
        position = kept_index(sample).position
    else:
        position = sample.position

    def place(one: Any) -> int:
        return position(encode_one(one))

    return place
