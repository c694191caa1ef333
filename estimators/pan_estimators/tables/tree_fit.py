"""Consistent marginals of a tree from noisy counts: weighted least squares, then the nearest possible counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.tree_structure import Edge

_ROUNDS = 200
_CLOSE = 1e-9

VAST = 1e9
"""The multiple of the number of rows from which on a noisy count tells nothing."""

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class Single:
    """The estimate of the counts of one attribute.

    Attributes
    ----------
    unbiased
        The estimate by weighted least squares. Its sum is the number of rows, and it may be negative.
    counts
        The nearest counts of at least 0 with this sum.
    weights
        Of each table of counts that it uses: the weight, and the number of noisy counts in each of its sums.
    scales
        Of each table of counts that it uses: the scale of its noise.
    """

    unbiased: Counts
    counts: Counts
    weights: tuple[tuple[float, int], ...]
    scales: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Noisy:
    """A table of noisy counts.

    Attributes
    ----------
    counts
        The counts, with an axis for each attribute.
    scale, variance
        The scale and the variance of the noise of a count.
    """

    counts: Counts
    scale: float
    variance: float


def fit_singles(singles: Sequence[Noisy], pairs: Mapping[Edge, Noisy], rows: int) -> list[Single]:
    """The counts of each attribute, from its own table and from the tables of its edges.

    With a public number of rows, weighted least squares under the consistency of all margins has this closed form: the
    mean of the margins with weights of one over their variance, moved so that the sum is the number of rows.
    """
    found = []
    for place, own in enumerate(singles):
        margins, precisions, summed, scales = [own.counts], [1 / own.variance], [1], [own.scale]
        for edge, one in pairs.items():
            if place in edge:
                axis = 1 - edge.index(place)
                size = one.counts.shape[axis]
                margins.append(one.counts.sum(axis=axis))
                summed.append(size)
                precisions.append(1 / (one.variance * size))
                scales.append(one.scale)
        weights = np.array(precisions) / sum(precisions)
        mean = np.tensordot(weights, np.array(margins), axes=1)
        unbiased = mean + (rows - mean.sum()) / len(mean)
        counts = nearest_possible(unbiased[None, :], np.array([float(rows)]))[0]
        found.append(Single(unbiased, counts, tuple(zip(weights.tolist(), summed, strict=True)), tuple(scales)))
    return found


def fit_pair(noisy: Noisy, first: Counts, second: Counts) -> Counts:
    """The joint counts of two attributes with given margins.

    The noisy counts are moved to the margins by least squares. Then each difference from the product of the margins
    shrinks to its expectation: the differences are taken as normal variables with variances in proportion to the
    product, and the factor follows from their squares (empirical Bayes). Last come the nearest counts of at least 0
    with these margins.
    """
    total, (left, right), counts = float(first.sum()), noisy.counts.shape, noisy.counts
    moved = (
        counts
        + ((first - counts.sum(axis=1)) / right)[:, None]
        + (second - counts.sum(axis=0)) / left
        - (total - counts.sum()) / (left * right)
    )
    product = np.outer(first, second) / total
    beyond = moved - product
    # The mean variance of the noise of a cell, after the margins are fixed.
    noise = noisy.variance * (left - 1) * (right - 1) / (left * right)
    power = float((beyond**2).sum()) - left * right * noise
    if power <= 0:
        return product
    signal = power / total * product
    kept = np.divide(signal, signal + noise, out=np.zeros_like(signal), where=signal > 0)
    return with_margins(product + kept * beyond, first, second)


def with_margins(given: Counts, first: Counts, second: Counts) -> Counts:
    """The nearest counts of at least 0 with given margins, in the L2 norm: alternating steps of the dual problem."""
    of_columns = np.zeros(given.shape[1])
    found = np.maximum(given, 0.0)
    allowed = _CLOSE * float(first.sum())
    for _ in range(_ROUNDS):
        of_rows = _levels(given + of_columns, first)
        of_columns = -_levels((given - of_rows[:, None]).T, second)
        found = np.maximum(given - of_rows[:, None] + of_columns, 0.0)
        if np.abs(found.sum(axis=1) - first).max() <= allowed:
            break
    return found


def nearest_possible(given: Counts, totals: Counts) -> Counts:
    """For each line the nearest numbers of at least 0 with a given sum, in the L2 norm."""
    return np.asarray(np.maximum(given - _levels(given, totals)[:, None], 0.0))


def bounded(counts: Counts, rows: int) -> Counts:
    """Noisy counts within limits that are vast beside the number of rows, so that their squares are finite."""
    return np.clip(counts, -VAST * rows, VAST * rows)


def _levels(given: Counts, totals: Counts) -> Counts:
    """For each line the number that is subtracted before negative numbers become 0, so that the sum is as given."""
    falling = -np.sort(-given, axis=1)
    means = (np.cumsum(falling, axis=1) - totals[:, None]) / np.arange(1, given.shape[1] + 1)
    above = falling > means
    above[:, 0] = True
    last = given.shape[1] - 1 - np.argmax(above[:, ::-1], axis=1)
    return np.asarray(means[np.arange(len(given)), last])
