"""Networks in place of the lost Figure 3.3: six binary attributes and a ternary one, with an entropy of 5.12 bits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import prod

import numpy as np
from scipy.optimize import brentq

from pan_audits.tables.experiments.counted import Array
from pan_audits.tables.experiments.models import cross_entropy, distribution
from pan_estimators.tables.structure import Choice

SIZES = (2, 2, 2, 2, 2, 2, 3)
ENTROPY = 5.12
"""The entropy that section 3.7.2 prints, in bits."""

STRUCTURES: Mapping[str, tuple[Choice, ...]] = {
    "chain": ((0, ()), *((place, (place - 1,)) for place in range(1, 7))),
    "star": ((6, ()), *((place, (6,)) for place in range(6))),
    "two parents": ((0, ()), (1, (0,)), (2, (0, 1)), (3, (1, 2)), (4, (2,)), (5, (3, 4)), (6, (4, 5))),
}
"""The structures of the stand-ins."""


@cache
def stand_in(name: str) -> tuple[tuple[Choice, ...], tuple[Array, ...]]:
    """The structure and the conditional distributions of a stand-in.

    The logits are standard Gaussian numbers of a fixed seed, multiplied by the factor that gives the printed entropy.

    Parameters
    ----------
    name
        A name of :data:`STRUCTURES`.
    """
    structure = STRUCTURES[name]
    random = np.random.default_rng(37)
    logits = [random.normal(size=(SIZES[place], prod(SIZES[one] for one in parents))) for place, parents in structure]

    def scaled(factor: float) -> tuple[Array, ...]:
        weights = [np.exp(factor * one) for one in logits]
        return tuple(one / one.sum(axis=0) for one in weights)

    def excess(factor: float) -> float:
        truth = distribution(SIZES, structure, scaled(factor))
        return cross_entropy(truth, truth) - ENTROPY

    return structure, scaled(float(brentq(excess, 0.0, 20.0)))


def truth_of(name: str) -> Array:
    """The probability of each cell of a stand-in."""
    return distribution(SIZES, *stand_in(name))
