"""The sparse vector technique, and the mechanism that uses it alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.existence import Elements, Part, follow_steps
from pan_estimators.continual.mechanism import ContinualMechanism
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError, require_count
from pan_promises.promise import EVERY, Observed, Promise

_BLOCK = 2**14
"""Number of queries whose noise is drawn at once."""


@dataclass(eq=False, slots=True)
class Answered:
    """The state of the technique.

    Attributes
    ----------
    threshold
        The noise of the threshold, which is drawn once.
    above
        The number of answers "above" so far.
    """

    threshold: Any
    above: int = 0


@dataclass(frozen=True)
class SparseVectorTechnique:
    """Answers "above" or "below" to queries, at most ``cutoff`` times "above".

    Guarantee (turnstile.sparse_vector): epsilon-differential privacy of all answers, for any number of queries that
    the answers before them choose, if the value of each changes by at most 1 between neighbours. A query has the value
    ``count - offset`` with a whole number and an offset that no neighbour changes. The answer is above if ``count +
    noise - offset >= noise of the threshold``, and fewer than ``cutoff`` answers were above. Source: turnstile paper,
    Algorithm 2 and Theorem 3.7.

    Noise on a grid keeps the guarantee: the differences of the noise and the counts are exact in doubles, and a shift
    by 1 is a multiple of the grid.

    Attributes
    ----------
    epsilon
        The budget, positive.
    cutoff
        The largest number of answers "above", at least 1.
    """

    epsilon: float
    cutoff: int

    @property
    def threshold_scale(self) -> float:
        """The scale of the noise of the threshold: ``2 / epsilon``."""
        return 2 / self.epsilon

    @property
    def query_scale(self) -> float:
        """The scale of the noise of each query: ``4 cutoff / epsilon``."""
        return 4 * self.cutoff / self.epsilon

    def begin(self, randomness: Randomness) -> Answered:
        """Draw the noise of the threshold."""
        return Answered(randomness.laplace(0.0, self.threshold_scale))

    def below(self, state: Answered, counts: NDArray[np.int64], offset: float, randomness: Randomness) -> int:
        """Answer queries one after the other, until an answer is above."""
        if state.above >= self.cutoff:
            return int(counts.size)
        for begin in range(0, counts.size, _BLOCK):
            part = counts[begin : begin + _BLOCK]
            place = _first(part, randomness.laplace(0.0, self.query_scale, size=part.size), state.threshold, offset)
            if place < part.size:
                state.above += 1
                return begin + place
        return int(counts.size)

    def error(self, queries: int, beta: float) -> float:
        """The error alpha of the answers up to the cutoff, ``8 c (log k + log(2 c / beta)) / epsilon``.

        An answer is above only if the query is at least ``-alpha``, and below only if it is at most ``alpha``.
        """
        return float(8 * self.cutoff * (np.log(queries) + np.log(2 * self.cutoff / beta)) / self.epsilon)


def _first(counts: NDArray[np.int64], noise: Any, threshold: Any, offset: float) -> int:
    """The place of the first query that is above; the number of queries if none is."""
    drawn = np.asarray(noise)
    if drawn.dtype == object:
        # A formula in place of a number is compared only as far as an answer depends on it.
        for place, (count, one) in enumerate(zip(counts.tolist(), drawn, strict=True)):
            if (one - threshold) + count >= offset:
                return place
        return int(counts.size)
    above = (drawn - threshold) + counts >= offset
    return int(above.argmax()) if above.any() else int(counts.size)


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

    def __post_init__(self) -> None:
        super().__post_init__()
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

    def create(self, randomness: Randomness) -> SparseVectorState:
        return SparseVectorState(Elements(), self.technique.begin(randomness))

    def _outputs(self, state: SparseVectorState, part: Part, randomness: Randomness) -> NDArray[np.int64]:
        changes = follow_steps(state.elements, part, model=self.problem.model, first_step_flips=False)
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
