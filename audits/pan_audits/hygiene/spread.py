"""Whether counts of an event differ between batches as those of independent runs do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pan_audits.hygiene.hypergeometric import above, at_most


def spread_p_value(happened: NDArray[np.bool_], *, more: bool) -> float:
    """The probability that batches of independent runs differ from each other at least, or at most, as these do.

    Of two batches with the same number of runs, the count of one is hypergeometric given the sum of both. The
    probabilities of disjoint pairs of batches are independent, and are joined by Fisher's method.
    """
    from scipy.special import chdtrc

    batches, runs = happened.shape
    if batches < 2 or not runs:
        return 1.0
    counts = happened.sum(axis=1)[: batches // 2 * 2].reshape(-1, 2)
    total = counts.sum(axis=1)
    low, high = counts.min(axis=1), counts.max(axis=1)
    law = 2 * runs, total, runs
    # The law is symmetric, since both batches have the same number of runs.
    if more:
        beyond = np.where(low == high, 1.0, 2 * above(high - 1, *law))
    else:
        beyond = at_most(high, *law) - at_most(low - 1, *law)
    with np.errstate(divide="ignore"):
        statistic = -2 * np.log(np.clip(beyond, 0.0, 1.0)).sum()
    return float(chdtrc(2 * len(counts), statistic))
