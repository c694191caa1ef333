"""The sentences of sections 3.7.3 and 3.8 about the Diabetes records, with their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from experiments.tables.contenders import GREEDY, MODEL, STATISTICS, TIES, VOTE
from experiments.tables.counted import Array
from experiments.tables.diabetes_study import (
    EXPECTED,
    LOCAL,
    NAME,
    SHARE,
    SHARE_BINARY,
    SHARE_SEVEN,
    SMALL_SITES,
    ZERO_MEAN,
)
from experiments.tables.sentences import Difference, Stated, decided
from experiments.tables.study import Measured, Point
from experiments.toolkit.sentence import Judgement

_NEAR = 0.46
"""Bits. A curve is near another one within 1% of the cross entropy of the non-private network, which is 46.1 bits."""

_SENTENCES = 17
"""The number of sentences of both figures, among which the probability of error is divided."""


def judged(figure: str, points: Sequence[Point], measured: Measured, error: float) -> tuple[Judgement, ...]:
    """The sentences about a figure."""
    stated = _by_budget if figure == "thesis-3.8" else _by_sites
    return decided(figure, "3.7.3", stated(points, measured), error, _SENTENCES)


def _by_budget(points: Sequence[Point], measured: Measured) -> Iterator[Stated]:
    printed = [point for point in points if 0.01 <= point.epsilon <= 1]

    def at(point: Point, one: str, two: str, low: float = -inf, high: float = inf, unit: str = "bits") -> Difference:
        values = _less(measured[NAME, point, one], measured[NAME, point, two])
        return Difference(f"epsilon {point.epsilon:g}", f"{one} minus {two}, {unit}", values, low, high)

    yield (
        "statistics",
        "Noisy sufficient statistics are significantly worse than the other algorithms.",
        "a larger cross entropy for each epsilon from .01 to 1",
        [at(point, STATISTICS, curve, low=0.0) for point in printed for curve in (VOTE, MODEL)],
    )
    yield (
        "dimension",
        "Noisy sufficient statistics are highly sensitive to the dimension of the data.",
        "with the noise of 7 attributes, so that of the dimension the noise alone changes, they come nearer to the "
        "non-private network, as a share of the distance to the uniform distribution, for each epsilon from .01 to 1",
        [at(point, SHARE_SEVEN, SHARE, high=0.0, unit="as a share") for point in printed],
    )
    yield (
        "domains",
        "Noisy sufficient statistics are highly sensitive to the domain sizes of the attributes.",
        "with two values of each of the 43 attributes, so that the domain sizes alone change, they come nearer to the "
        "non-private network, as a share of the distance to the uniform distribution, for each epsilon from .01 to 1",
        [at(point, SHARE_BINARY, SHARE, high=0.0, unit="as a share") for point in printed],
    )
    yield (
        "outperforms",
        "Noisy majority voting outperforms the other two algorithms.",
        "a lower cross entropy for each epsilon from .01 to 1, by both rules for ties",
        [
            at(point, vote, curve, high=0.0)
            for point in printed
            for vote in (VOTE, TIES)
            for curve in (STATISTICS, MODEL)
        ],
    )
    yield (
        "approach",
        "Noisy majority voting approaches the performance of the non-private algorithm.",
        f"at most {_NEAR:g} bits above the non-private network at epsilon 1, by both rules for ties",
        [at(printed[-1], vote, GREEDY, high=_NEAR) for vote in (VOTE, TIES)],
    )
    yield (
        "discussion-budget",
        "Noisy majority voting is robust to the privacy budget.",
        f"the cross entropy rises by at most {_NEAR:g} bits from epsilon 1 to .01, by both rules for ties",
        [
            Difference(
                "epsilon 1 to 0.01",
                f"rise of {vote}, bits",
                _less(measured[NAME, printed[0], vote], measured[NAME, printed[-1], vote]),
                high=_NEAR,
            )
            for vote in (VOTE, TIES)
        ],
    )
    yield (
        "discussion-converge",
        "Above a threshold of epsilon, noisy sufficient statistics approximate the non-private network.",
        f"at most {_NEAR:g} bits above the non-private network at the largest epsilon",
        [at(points[-1], STATISTICS, GREEDY, high=_NEAR)],
    )


def _by_sites(points: Sequence[Point], measured: Measured) -> Iterator[Stated]:
    first, last = points[0], points[-1]

    def rise(curve: str, low: float = -inf, high: float = inf) -> Difference:
        return _rise(
            f"rise of {curve}, bits", _less(measured[NAME, last, curve], measured[NAME, first, curve]), low, high
        )

    def _rise(what: str, values: Array, low: float, high: float) -> Difference:
        return Difference(f"{first.sites} to {last.sites} holders", what, values, low, high)

    yield (
        "robust",
        "Noisy majority voting is robust to the number of data holders.",
        f"the cross entropy rises by at most {_NEAR:g} bits from the least to the largest number of holders, by both "
        "rules for ties",
        [rise(VOTE, high=_NEAR), rise(TIES, high=_NEAR)],
    )
    yield (
        "winner",
        "Noisy majority voting is the clear winner for complex data.",
        "a lower cross entropy than of the other two algorithms at each number of holders, by both rules for ties",
        [
            Difference(
                f"{point.sites} holders",
                f"{vote} minus {curve}, bits",
                _less(measured[NAME, point, vote], measured[NAME, point, curve]),
                high=0.0,
            )
            for point in points
            for vote in (VOTE, TIES)
            for curve in (STATISTICS, MODEL)
        ],
    )
    yield (
        "model",
        "Noisy models significantly worsen as the number of data holders increases.",
        "the cross entropy rises from the least to the largest number of holders",
        [rise(MODEL, low=0.0)],
    )
    yield (
        "local-models",
        "With more data holders the quality of the local models deteriorates.",
        "the mean cross entropy of the local models rises from the least to the largest number of holders",
        [rise(LOCAL, low=0.0)],
    )
    yield (
        "fewer-rows",
        "Noisy models worsen since each holder has fewer rows.",
        f"if each holder has n/{last.sites} rows at any number of holders, so that the number of models alone changes, "
        "the cross entropy does not rise from the least to the largest number of holders",
        [rise(SMALL_SITES, high=0.0)],
    )
    yield (
        "statistics",
        "Noisy sufficient statistics improve as the number of data holders increases.",
        "the cross entropy falls from the least to the largest number of holders",
        [rise(STATISTICS, high=0.0)],
    )
    yield (
        "not-critical",
        "With a large dimension and large domains, the number of data holders is not critical for noisy sufficient "
        "statistics.",
        f"the cross entropy changes by at most {_NEAR:g} bits from the least to the largest number of holders",
        [rise(STATISTICS, low=-_NEAR, high=_NEAR)],
    )
    yield (
        "cancels",
        "Noisy sufficient statistics improve since more terms of noise with mean 0 are added, which cancel out.",
        "with noise of mean 0, which only the analyst clips after the sum, the cross entropy falls from the least to "
        "the largest number of holders",
        [rise(ZERO_MEAN, high=0.0)],
    )
    yield (
        "tends-to-the-mean",
        "Noise that a site clips has a positive mean, and its sum tends to this mean (the thesis leaves it open).",
        "the distance from the cross entropy with the expected value in place of the noise falls from the least to the "
        "largest number of holders",
        [
            _rise(
                "rise of the distance, bits",
                _distance(measured, last) - _distance(measured, first),
                low=-inf,
                high=0.0,
            )
        ],
    )
    yield (
        "discussion-worsen",
        "Noisy sufficient statistics worsen as the number of data holders increases.",
        "the cross entropy rises from the least to the largest number of holders",
        [rise(STATISTICS, low=0.0)],
    )


def _less(one: Array, two: Array) -> Array:
    """The difference on the splits that both have: some curves have more of them at a point."""
    most = min(one.size, two.size)
    return np.asarray(one[:most] - two[:most])


def _distance(measured: Measured, point: Point) -> Array:
    distance: Array = abs(measured[NAME, point, STATISTICS] - measured[NAME, point, EXPECTED])
    return distance
