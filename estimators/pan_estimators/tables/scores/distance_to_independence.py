"""The score R: half of the distance from independence."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


class DistanceToIndependence:
    """Half of the L1 distance between the joint distribution and the product of its two margins, a probability.

    Its sensitivity is less than ``3/n``, and at most ``2(n-1)/n^2`` if one of the two has two values
    (bayesnet.score_sensitivities). The bound ``3/n`` is used for all shapes. The printed value is ``3/n + 2/n^2``.
    """

    unit = "probability"

    def value(self, counts: NDArray[np.int64]) -> Any:
        rows = int(counts.sum())
        product = np.outer(counts.sum(axis=1), counts.sum(axis=0))
        return Fraction(int(np.abs(rows * counts - product).sum()), 2 * rows**2)

    def sensitivity(self, rows: int, values: int, combinations: int) -> Any:
        return Fraction(3, rows)

    def why_not(self, sizes: tuple[int, ...]) -> str:
        return ""
