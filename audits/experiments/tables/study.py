"""The cross entropies of all repetitions at all points of a figure.

The networks stand in place of the lost Figure 3.3: six binary attributes and a ternary one, with an entropy of
5.12 bits.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from math import prod

import numpy as np
from scipy.optimize import brentq
from scipy.stats import t as student

from experiments.tables.contenders import ALGORITHMS, TRUE
from experiments.tables.counted import Array, Cells, cross_entropy, distribution
from pan_estimators.tables.structure import Choice
from pan_promises.workers import all_done

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
    """Run the algorithms at some points. All algorithms of a repetition have the same tables."""
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
