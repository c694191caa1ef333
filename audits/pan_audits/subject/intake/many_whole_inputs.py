"""A shipped counter that is given its whole input, with many runs at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.problems import whole_inputs
from pan_audits.subject.isolation.whole_input import WholeInputEstimator
from pan_audits.subject.running.course import front_of_shipped, is_shipped
from pan_promises.promise import Observed


@dataclass(frozen=True)
class Labels:
    """The states of many runs on one input: its label, which is the same in all of them."""

    runs: int
    label: str = ""


@front_of_shipped
@dataclass(frozen=True)
class ManyWholeInputs(WholeInputEstimator):
    """An estimator of a counter with a method ``release_many(stream, runs, randomness)``."""

    def create_many(self, runs: int, randomness: Any) -> Labels:
        """No input yet; no random choice is made."""
        return Labels(runs)

    def update_many(self, states: Labels, ids: Any, randomness: Any) -> Labels:
        """The last of the labels."""
        return Labels(states.runs, self.update(states.label, ids, randomness))

    def release_many(self, states: Labels, randomness: Any) -> NDArray[Any]:
        """The outputs of all runs, one row for each; single runs where more than the outputs is seen."""
        kind = whole_inputs(self.problem)
        if kind.observed_in(states.label) is Observed.OUTPUT:
            made: Callable[..., NDArray[Any]] = self.owner.release_many
            return made(kind.read(states.label, self.inputs), states.runs, randomness)
        seen = np.empty(states.runs, dtype=object)
        for run in range(states.runs):
            seen[run] = self._run(states.label, randomness)
        return seen

    def state_of(self, states: Labels, run: int) -> str:
        """The label."""
        return states.label


def with_many_runs(estimator: WholeInputEstimator) -> WholeInputEstimator:
    """The same estimator, with many runs at once if it stands for a shipped counter that makes them."""
    if not is_shipped(estimator.owner) or not hasattr(estimator.owner, "release_many"):
        return estimator
    return ManyWholeInputs(**{each.name: getattr(estimator, each.name) for each in fields(estimator)})
