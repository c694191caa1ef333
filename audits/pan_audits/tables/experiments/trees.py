"""The calibrated tree as a curve of the figures: one holder of all rows."""

from __future__ import annotations

import numpy as np

from pan_audits.tables.experiments.algorithms import Learned
from pan_audits.tables.experiments.counted import Array, Counted
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.tables.calibrated_tree import CalibratedTree
from pan_estimators.tables.network import Network
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table

DELTA = 1e-6
"""The delta of the curve with Gaussian noise."""


def tree_of(table: Table, epsilon: float, delta: float, random: np.random.Generator) -> Learned:
    """The calibrated tree of a table.

    Parameters
    ----------
    table
        The table.
    epsilon, delta
        The budget. Without a delta it is pure.
    random
        The randomness.
    """
    mechanism = CalibratedTree(table.schema, epsilon, delta)
    source = NumpyRandomness(int(random.integers(2**63)))
    return _as_counts(mechanism.post_process(mechanism.release(table, source)), table.rows)


def tree(delta: float, sites: Counted, epsilon: float, degree: int, random: np.random.Generator) -> Learned:
    """The calibrated tree of the rows of all sites. Its degree is 1, whatever the point says.

    It draws from a generator of its own, so that the other curves have the same numbers with it and without it.
    """
    sizes = sites.sizes
    counts = sites.together().marginal(range(len(sizes)))[0]
    cells = np.repeat(np.arange(counts.size), counts.ravel().astype(np.int64))
    schema = Schema(tuple(Attribute(f"X{place}", tuple(range(size))) for place, size in enumerate(sizes)))
    table = Table(schema, np.stack(np.unravel_index(cells, sizes), axis=1).astype(np.int64))
    return tree_of(table, epsilon, delta, random.spawn(1)[0])


def _as_counts(model: Network, rows: int) -> Learned:
    """A tree as joint counts, so that it gets the smoothing of the other curves."""
    margins: dict[int, Array] = {}
    joints = []
    for (place, parents), conditional in zip(model.structure, model.conditionals, strict=True):
        joint = margins[parents[0]][:, None] * conditional if parents else conditional
        margins[place] = joint.sum(axis=0)
        joints.append(rows * joint.T)
    return Learned(model.schema.sizes, model.structure, tuple(joints))
