"""The score F: minus the distance from the nearest distribution of the largest mutual information."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


class DistanceToDependence:
    """Minus half of the L1 distance from the nearest joint distribution of the largest mutual information.

    It is a probability, for binary attributes. Each combination of the parents belongs to one value of the attribute;
    with ``K`` and ``L`` rows on these places, the distance is the least ``max(0, 1/2 - K/n) + max(0, 1/2 - L/n)``.
    A row changes ``K`` and ``L`` together by at most one in the direction that counts, so that the sensitivity is
    ``1/n`` (bayesnet.score_sensitivities). Without parents the same formula gives at most ``-1/2``.
    """

    unit = "probability"

    def value(self, counts: NDArray[np.int64]) -> Any:
        rows = int(counts.sum())
        reached = {(0, 0)}
        for first, second in counts.T.tolist():
            reached = {pair for one, other in reached for pair in ((one + first, other), (one, other + second))}
        return -Fraction(min(_lacking(rows, one, other) for one, other in reached), 2 * rows)

    def sensitivity(self, rows: int, values: int, combinations: int) -> Any:
        return Fraction(1, rows)

    def why_not(self, sizes: tuple[int, ...]) -> str:
        return "" if set(sizes) <= {2} else "the score F is for binary attributes alone"


def _lacking(rows: int, first: int, second: int) -> int:
    """Twice the number of rows that the two values lack from a half each."""
    return max(0, rows - 2 * first) + max(0, rows - 2 * second)
