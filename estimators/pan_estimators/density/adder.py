"""Addition of single ids, in one or two microseconds.

The index of the sample is made beforehand. No random bit is drawn before its id has come. An adversary who saw unused
bits in the memory of the process would know how later users change the state, and only the noise of the output would
protect them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from pan_estimators.common.estimator import Estimator
from pan_estimators.randomness.interface import Randomness
from pan_estimators.samples.keyed_sample import KeyedSample
from pan_estimators.samples.sample_index import KEPT_UP_TO, kept_index
from pan_promises.errors import InputError

StateT = TypeVar("StateT")


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
        sample = getattr(state, "sample", None)
        if isinstance(sample, KeyedSample) and sample.size <= KEPT_UP_TO:
            kept_index(sample)

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
        if not isinstance(one, (int, str)):
            if np.size(one) == 0:
                raise InputError("one id was expected, got 0")
            # A list is one id here, and is refused.
            one = [one]
        self.state = self._estimator.update(self.state, one, self._randomness)

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
