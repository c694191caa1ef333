"""Networks over a joint domain of few cells: their distribution, its entropy, and the cross entropy with smoothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pan_audits.tables.experiments.cells import Array
from pan_estimators.tables.structure import Choice


def conditionals(joints: Sequence[Array], smoothing: float) -> list[Array]:
    """The distribution of each attribute given its parents, from joint counts: shape ``(values, combinations)``.

    Parameters
    ----------
    joints
        The counts. Negative ones become 0.
    smoothing
        The number that is added to each count: 1 for the thesis's metric. Without it, a combination of parents that
        has no counts gives the uniform distribution.
    """
    found = []
    for joint in joints:
        kept = np.maximum(joint, 0.0) + smoothing
        totals = kept.sum(axis=0, keepdims=True)
        found.append(np.where(totals > 0, kept / np.where(totals > 0, totals, 1.0), 1 / len(kept)))
    return found


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
