"""``sparse-vector``: whether the number of present elements has reached a threshold, after every step (Algorithm 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.existence import Elements, Part, follow_steps
from pan_estimators.continual.mechanism import ContinualMechanism
from pan_estimators.continual.settings import Settings
from pan_estimators.continual.sparse_vector_technique import Answered, SparseVectorTechnique
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError, require_count
from pan_promises.looks import EVERY, Observed
from pan_promises.promise import Promise


@dataclass(eq=False, slots=True)
class SparseVectorState:
    """The state of :class:`SparseVector`. It holds the counts in clear.

    Attributes
    ----------
    elements
        The counts and the flips of the elements.
    answered
        The noise of the threshold, and the number of answers "above".
    counted
        The value of the query.
    """

    elements: Elements
    answered: Answered
    counted: int = 0


@dataclass(frozen=True)
class SparseVector(ContinualMechanism):
    """Whether a count has reached a threshold, after each step: 1 for "above", 0 for "below" (Algorithm 2).

    Promise (turnstile.sparse_vector): all outputs are epsilon-differentially private at item level, for ``epsilon =
    sqrt(2 rho)``. By Lemma 2.10 of the turnstile paper this is rho-zCDP. The query is the number of present elements,
    or the number of elements of a flippancy. One element changes it by at most 1. The noise of the threshold, of scale
    ``2 / epsilon``, is drawn once. Each query has noise of scale ``4 cutoff / epsilon``. After ``cutoff`` answers
    "above" all answers are "below".
    """

    steps: int
    rho: float
    threshold: float
    cutoff: int = 1
    least_flippancy: int = 0
    model: str = "general"
    _settings: Settings = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_settings", Settings.of(self.steps, self.rho, self.model))
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, (int, float)):
            raise InputError(f"the threshold must be a number, got {self.threshold!r}")
        if not math.isfinite(self.threshold):
            raise InputError(f"the threshold must be finite, got {self.threshold!r}")
        require_count("the cutoff", self.cutoff)
        if self.least_flippancy != 0:
            require_count("the least flippancy of the query", self.least_flippancy)

    @property
    def technique(self) -> SparseVectorTechnique:
        """The technique with its budget."""
        return SparseVectorTechnique(sqrt(2 * self.rho), self.cutoff)

    @property
    def promise(self) -> Promise:
        """Item-level differential privacy of all outputs, with ``epsilon = sqrt(2 rho)``."""
        return Promise(
            epsilon=sqrt(2 * self.rho),
            adjacency=Adjacency.ITEM_LEVEL,
            observed=Observed.OUTPUT,
            intrusions=0,
            outputs=EVERY,
            public=("steps", "model"),
            claim="turnstile.sparse_vector",
        )

    def error(self, beta: float = 0.05) -> float:
        """The error alpha: up to the cutoff an answer is wrong only while the query is nearer to the threshold."""
        return self.technique.error(self.steps, beta)

    def _begin(self, randomness: Randomness) -> SparseVectorState:
        return SparseVectorState(Elements(), self.technique.begin(randomness))

    def _outputs(self, state: SparseVectorState, part: Part, randomness: Randomness) -> NDArray[np.int64]:
        changes = follow_steps(state.elements, part, model=self._settings.model, first_step_flips=False)
        if self.least_flippancy:
            places = changes.steps[changes.reached == self.least_flippancy]
            moved = np.bincount(places, minlength=part.steps)
        else:
            moved = np.bincount(changes.steps, changes.signs, part.steps)
        counts = state.counted + np.cumsum(moved.astype(np.int64))
        answers = np.zeros(part.steps, dtype=np.int64)
        done = 0
        while done < part.steps:
            done += self.technique.below(state.answered, counts[done:], float(self.threshold), randomness)
            if done < part.steps:
                answers[done] = 1
                done += 1
        if part.steps:
            state.counted = int(counts[-1])
        return answers
