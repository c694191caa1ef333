"""The cross entropies of all repetitions at all points of a figure on the Diabetes records."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import comb

import numpy as np

from experiments.tables.algorithms import (
    DELTA,
    CountedTable,
    Learned,
    from_marginals,
    greedy,
    independent,
    local_models,
    majority_vote,
    noisy_model,
    privbayes,
    sufficient_statistics,
    tree_of,
)
from experiments.tables.contenders import (
    AT_ANALYST,
    CENTRAL,
    GREEDY,
    INDEPENDENT,
    MODEL,
    STATISTICS,
    TIES,
    TREE,
    TREE_RHO,
    VOTE,
)
from experiments.tables.counted import Array, Counted
from experiments.tables.pairs import Split, bits
from experiments.tables.study import Measured, Point
from pan_promises.workers import all_done

SEVEN = "noisy ss, noise of 7 attributes"
SHARE, SHARE_BINARY, SHARE_SEVEN = (
    "noisy ss, share of the way to the uniform distribution",
    "noisy ss, the same share for binary attributes",
    "noisy ss, the same share with the noise of 7 attributes",
)
EXPECTED = "noisy ss, expected value of the noise"
LOCAL = "one local model"
SMALL_SITES = "noisy model, sites of n/30 rows"
ZERO_MEAN = AT_ANALYST

STYLES = {
    SEVEN: ("P", "#7A5C00"),
    EXPECTED: ("1", "#AA4499"),
    LOCAL: ("d", "#44AA99"),
    SMALL_SITES: ("2", "#999933"),
}
"""Marker and colour of each curve that the synthetic data does not have."""

Bits = Callable[[Split, Point, np.random.Generator], float]

_SYNTHETIC = 7
"""The number of attributes of the synthetic data."""


@dataclass(frozen=True)
class Contender:
    """A curve.

    Attributes
    ----------
    bits
        The value of a split at a point.
    over_sites
        Whether it depends on the number of sites.
    private
        Whether it depends on the budget.
    """

    bits: Bits
    over_sites: bool = True
    private: bool = True


def _of(learn: Callable[[Counted, float, int, np.random.Generator], Learned]) -> Bits:
    def found(split: Split, point: Point, random: np.random.Generator) -> float:
        return bits(learn(split.sites(point.sites), point.epsilon, point.degree, random), split.test)

    return found


def _seven(sites: Counted, epsilon: float, degree: int, random: np.random.Generator) -> Learned:
    return sufficient_statistics(sites, epsilon, degree, random, scale=2 * comb(_SYNTHETIC, degree + 1) / epsilon)


def _expected(sites: Counted, epsilon: float, degree: int, random: np.random.Generator) -> Learned:
    """Each clipped noisy count replaced by its expected value: of a count ``c``, ``c + exp(-c/b) b/2``."""
    scale = 2 * comb(len(sites.sizes), degree + 1) / epsilon
    marginals: dict[tuple[int, ...], Array] = {}
    for one in range(len(sites.sizes)):
        for two in range(one + 1, len(sites.sizes)):
            exact = sites.marginal((one, two))
            marginals[one, two] = (exact + scale / 2 * np.exp(-exact / scale)).sum(axis=0)
    return from_marginals(sites.sizes, marginals, degree)


def _share(
    learn: Callable[[Counted, float, int, np.random.Generator], Learned],
    split: Split,
    point: Point,
    random: np.random.Generator,
) -> float:
    """The distance above the greedy network, divided by that of the uniform distribution."""
    sites = split.sites(point.sites)
    best = bits(greedy(sites, point.degree), split.test)
    found = bits(learn(sites, point.epsilon, point.degree, random), split.test)
    return (found - best) / (split.uniform - best)


def _local(split: Split, point: Point, random: np.random.Generator) -> float:
    models = local_models(split.sites(point.sites), point.epsilon, point.degree, random)
    return float(np.mean([bits(one, split.test) for one in models]))


def _small_sites(split: Split, point: Point, random: np.random.Generator) -> float:
    sites = split.small_sites(point.sites)
    return bits(noisy_model(sites, point.epsilon, point.degree, random), split.test)


def _tree(delta: float, split: Split, point: Point, random: np.random.Generator) -> float:
    return bits(tree_of(CountedTable(split.schema, split.sites(1)), point.epsilon, delta, random), split.test)


CURVES: Mapping[str, Contender] = {
    INDEPENDENT: Contender(_of(lambda sites, *_: independent(sites)), over_sites=False, private=False),
    GREEDY: Contender(_of(lambda sites, epsilon, degree, _: greedy(sites, degree)), over_sites=False, private=False),
    CENTRAL: Contender(_of(privbayes), over_sites=False),
    TREE: Contender(partial(_tree, 0.0), over_sites=False),
    TREE_RHO: Contender(partial(_tree, DELTA), over_sites=False),
    STATISTICS: Contender(_of(sufficient_statistics)),
    VOTE: Contender(_of(majority_vote)),
    MODEL: Contender(_of(noisy_model)),
    TIES: Contender(_of(partial(majority_vote, ties_by_chance=True))),
    SEVEN: Contender(_of(_seven)),
    SHARE: Contender(partial(_share, sufficient_statistics)),
    SHARE_SEVEN: Contender(partial(_share, _seven)),
    SHARE_BINARY: Contender(lambda split, *rest: _share(sufficient_statistics, split.binary, *rest)),
    ZERO_MEAN: Contender(_of(partial(sufficient_statistics, clip_at_site=False))),
    EXPECTED: Contender(_of(_expected)),
    LOCAL: Contender(_local),
    SMALL_SITES: Contender(_small_sites),
}
"""The curves by label. Those after the ties separate the causes of an effect."""


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
