"""The noise of a binary tree: each output sums the noise of the nodes of its dyadic decomposition."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness


def levels(steps: int) -> int:
    """The number of levels of a binary tree with at least this number of leaves: ``ceil(log2(steps)) + 1``."""
    return ceil(log2(steps)) + 1


@dataclass(eq=False, slots=True)
class TreeNoise:
    """The noise of the nodes that the next output may use: one for each level.

    Attributes
    ----------
    nodes
        The noise of the last node of each level that an output uses.
    time
        The number of outputs so far.
    """

    nodes: list[Any] = field(default_factory=lambda: [0.0] * 63)
    time: int = 0


def tree_noise(
    state: TreeNoise, count: int, scale: float, randomness: Randomness, runs: tuple[int, ...] = ()
) -> NDArray[Any]:
    """The noise of the next outputs.

    The decomposition of ``(0, t]`` has one node for each bit of ``t``. Only one node that an output uses ends at a
    given time, so that one number is drawn for each output.
    """
    drawn = np.asarray(randomness.gaussian(0.0, scale, size=(*runs, count)))
    total = node_sums(state.nodes, drawn, state.time)
    state.time += count
    return total


def node_sums(nodes: list[Any], values: NDArray[Any], begun: int) -> NDArray[Any]:
    """The sum of the nodes of the decomposition of each time after ``begun``.

    The values are those of the nodes that end then. Nodes that ended before are given by their level, and the last one
    of each level that a sum used is kept there.
    """
    count = values.shape[-1]
    times = np.arange(begun + 1, begun + count + 1)
    total = np.zeros(values.shape, dtype=values.dtype)
    for level in range(int(begun + count).bit_length()):
        ends = times >> level << level
        used = (times >> level & 1).astype(np.bool_)
        here = used & (ends > begun)
        total[..., here] = total[..., here] + values[..., ends[here] - begun - 1]
        earlier = used & ~here
        total[..., earlier] = total[..., earlier] + np.asarray(nodes[level])[..., None]
        if here.any():
            nodes[level] = values.T[ends[here][-1] - begun - 1]
    return total


def used_nodes(steps: int) -> int:
    """The largest number of nodes of an output."""
    return max(1, int(steps).bit_length() - (steps & (steps + 1) != 0)) if steps else 0
