"""The cross entropies of all repetitions at all points of a figure on the Diabetes records."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from experiments.tables.diabetes_contenders import CURVES
from experiments.tables.splits import Split
from experiments.tables.study import Measured, Point
from pan_promises.workers import all_done

NAME = "Diabetes"


@dataclass(frozen=True)
class Splits:
    """The sizes of the experiments.

    Attributes
    ----------
    repetitions
        The random splits. At least two.
    rows
        The number of records of a split; ``None`` for all.
    first
        The number of the first split. Each number stands for one split.
    """

    repetitions: int = 20
    rows: int | None = None
    first: int = 0

    def further(self, times: int) -> Splits:
        """Other splits, some times as many."""
        return replace(self, first=self.first + self.repetitions, repetitions=times * self.repetitions)


def measure(
    points: tuple[Point, ...],
    curves: tuple[str, ...],
    scale: Splits,
    seed: int,
    jobs: int = 1,
    progress: Callable[[str], object] | None = None,
) -> Measured:
    """The value of each curve at each point. All points and curves of a repetition have the same split."""
    repetitions = range(scale.first, scale.first + scale.repetitions)
    if progress:
        progress(f"{len(points)} points, {scale.repetitions} random splits of the Diabetes records")
    parts = all_done([partial(_repetition, points, curves, scale, seed, one) for one in repetitions], jobs)
    return {
        (NAME, point, curve): np.array([part[place, point] for part in parts])
        for place, curve in enumerate(curves)
        for point in points
    }


def _repetition(
    points: tuple[Point, ...], curves: tuple[str, ...], scale: Splits, seed: int, number: int
) -> dict[tuple[int, Point], float]:
    split = Split.drawn(np.random.default_rng([seed, number]), scale.rows)
    known: dict[tuple[str, Point], float] = {}
    found = {}
    for place, curve in enumerate(curves):
        contender = CURVES[curve]
        for point in points:
            # A curve that does not depend on the horizontal axis is computed once.
            own = point if contender.over_sites else replace(point, sites=1)
            own = own if contender.private else replace(own, epsilon=1.0)
            if (curve, own) not in known:
                # crc32 rather than hash: the latter differs between processes.
                key = zlib.crc32(repr((curve, own)).encode())
                known[curve, own] = contender.bits(split, own, np.random.default_rng([seed, number, key]))
            found[place, point] = known[curve, own]
    return found
