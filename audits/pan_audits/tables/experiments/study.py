"""The cross entropies of all repetitions at all points of a figure."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import t as student

from pan_audits.tables.experiments.cells import Cells
from pan_audits.tables.experiments.contenders import ALGORITHMS, TRUE
from pan_audits.tables.experiments.counted import Array
from pan_audits.tables.experiments.models import cross_entropy
from pan_audits.tables.experiments.stand_ins import STRUCTURES, truth_of
from pan_promises.workers import all_done


@dataclass(frozen=True)
class Scale:
    """The sizes of the experiments.

    Attributes
    ----------
    rows
        The number of rows of a table.
    repetitions
        The tables of a point, each drawn anew. At least two.
    stand_ins
        The networks.
    """

    rows: int = 40_000
    repetitions: int = 100
    stand_ins: tuple[str, ...] = tuple(STRUCTURES)


WHOLE = Scale()
"""The sizes of the thesis."""


@dataclass(frozen=True)
class Point:
    """A setting of the algorithms."""

    epsilon: float
    sites: int
    degree: int


Measured = Mapping[tuple[str, Point, str], Array]
"""The cross entropy of each repetition, in bits, by stand-in, point and curve."""


def measure(
    points: tuple[Point, ...],
    curves: tuple[str, ...],
    scale: Scale,
    seed: int,
    jobs: int = 1,
    progress: Callable[[str], object] | None = None,
) -> Measured:
    """Run the algorithms at some points. All algorithms of a repetition have the same tables.

    Parameters
    ----------
    points, curves
        The settings, and labels of :data:`ALGORITHMS`.
    scale, seed
        The sizes and the seed.
    jobs
        The processes. The result does not depend on them.
    progress
        Called with the current step, in words.
    """
    tasks = [(name, point) for name in scale.stand_ins for point in points]
    if progress:
        progress(f"{len(tasks)} points, {scale.repetitions} repetitions of each")
    parts = all_done([partial(_at, name, point, curves, scale, seed) for name, point in tasks], jobs)
    return {key: values for part in parts for key, values in part.items()}


def _at(
    name: str, point: Point, curves: tuple[str, ...], scale: Scale, seed: int
) -> dict[tuple[str, Point, str], Array]:
    truth = truth_of(name)
    # crc32 rather than hash: the latter differs between processes.
    random = np.random.default_rng([seed, zlib.crc32(repr((name, point)).encode())])
    values = np.empty((len(curves), scale.repetitions))
    for repetition in range(scale.repetitions):
        # Round robin of independent rows: the tables of the sites are independent, with equal numbers of rows.
        rows = [scale.rows // point.sites] * point.sites
        sites = Cells(np.stack([_drawn(truth, one, random) for one in rows]))
        for line, curve in enumerate(curves):
            model = ALGORITHMS[curve](sites, point.epsilon, point.degree, random)
            values[line, repetition] = cross_entropy(truth, model.probabilities())
    found = {(name, point, curve): values[line] for line, curve in enumerate(curves)}
    return found | {(name, point, TRUE): np.full(scale.repetitions, cross_entropy(truth, truth))}


def _drawn(truth: Array, rows: int, random: np.random.Generator) -> Array:
    return random.multinomial(rows, truth.ravel() / truth.sum()).reshape(truth.shape).astype(np.float64)


def interval(values: Array, error: float) -> tuple[float, float, float]:
    """The mean, and Student's interval, which assumes that the mean of the repetitions is nearly normal."""
    mean = float(values.mean())
    width = float(student.isf(error / 2, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size))
    return mean, mean - width, mean + width
