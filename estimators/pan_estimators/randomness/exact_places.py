"""Choices with probabilities proportional to exponentials, in exact arithmetic, from uniform integers alone."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.exact_discrete_gaussian import Below, bernoulli_of_exponential


def scored_places(gaps: Sequence[Fraction], size: int, below: Below = secrets.randbelow) -> NDArray[np.int64]:
    """Independent places, each with probability proportional to ``exp(-gap)``.

    A uniform place is proposed, and kept with probability ``exp(-gap)``. No number is rounded, so that the law is
    exact. A place without a gap is always kept, so that a draw takes at most ``len(gaps)`` proposals in expectation.
    """
    places = np.empty(size, dtype=np.int64)
    for turn in range(size):
        place = below(len(gaps))
        while not bernoulli_of_exponential(gaps[place], below):
            place = below(len(gaps))
        places[turn] = place
    return places
