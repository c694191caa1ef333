"""Algorithm 2 of the turnstile paper: the sparse vector technique, for queries of sensitivity 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness

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
