"""Networks over a joint domain of few cells: their distribution, its entropy, and the cross entropy with smoothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pan_audits.tables.experiments.counted import Array
from pan_estimators.tables.structure import Choice


def distribution(sizes: tuple[int, ...], structure: Sequence[Choice], given: Sequence[Array]) -> Array:
    """The probability of each cell of the joint domain."""
    places = np.indices(sizes)
    found = np.ones(sizes)
    for (place, parents), one in zip(structure, given, strict=True):
        shape = tuple(sizes[parent] for parent in parents)
        combination = np.ravel_multi_index(tuple(places[list(parents)]), shape) if parents else 0
        found = found * one[places[place], combination]
    return found


def cross_entropy(truth: Array, model: Array) -> float:
    """The cross entropy of a distribution and a model, in bits: infinite if the model excludes a possible cell.

    Source: thesis, section 3.7.1.
    """
    possible = truth > 0
    with np.errstate(divide="ignore"):
        return float(-(truth[possible] * np.log2(model[possible])).sum())
