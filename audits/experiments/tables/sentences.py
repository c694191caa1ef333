"""The sentences of sections 3.7.2 and 3.8 about synthetic data, with their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf

import numpy as np

from experiments.tables.contenders import (
    AT_ANALYST,
    FIXED_SCALE,
    GREEDY,
    INDEPENDENT,
    MODEL,
    PRIVATE,
    STATISTICS,
    TIES,
    TRUE,
    VOTE,
)
from experiments.tables.counted import Array
from experiments.tables.differences import Difference, Stated, decided
from experiments.tables.study import Measured, Point
from experiments.toolkit.sentence import Judgement

_NEAR = 0.05
"""Bits. A curve is near another one within 1% of the entropy."""

_SENTENCES = 18
"""The number of sentences of all figures, among which the probability of error is divided."""


def judged(
    figure: str, points: Sequence[Point], measured: Measured, stand_ins: Sequence[str], error: float
) -> tuple[Judgement, ...]:
    """The sentences about a figure."""
    made = {"thesis-3.4": _by_budget, "thesis-3.5": _by_budget, "thesis-3.6": _by_sites, "thesis-3.7": _by_degree}
    return decided(figure, "3.7.2", made[figure](points, measured, stand_ins), error, _SENTENCES)


def _by_budget(points: Sequence[Point], measured: Measured, names: Sequence[str]) -> Iterator[Stated]:
    printed = [point for point in points if 0.01 <= point.epsilon <= 1]
    first, last = printed[0], printed[-1]

    def at(name: str, point: Point) -> str:
        return f"{name}, epsilon {point.epsilon:g}"

    yield (
        "independent",
        "All algorithms perform significantly better than the independent model.",
        "cross entropy less than that of the independent model, for each epsilon from .01 to 1 and each stand-in",
        [
            Difference(
                at(name, point),
                f"{curve} minus independent, bits",
                measured[name, point, curve] - measured[name, point, INDEPENDENT],
                high=0.0,
            )
            for name in names
            for point in printed
            for curve in PRIVATE
        ],
    )
    yield (
        "approach",
        "All algorithms approach the true network as epsilon increases.",
        f"at most {_NEAR:g} bits above the true network at epsilon 1",
        [
            Difference(
                at(name, last),
                f"{curve} minus true, bits",
                measured[name, last, curve] - measured[name, last, TRUE],
                high=_NEAR,
            )
            for name in names
            for curve in PRIVATE
        ],
    )
    yield (
        "outperforms",
        "Noisy sufficient statistics asymptotically outperform the other algorithms.",
        f"a lower cross entropy at epsilon 1 on the average of the stand-ins, and for none of them more than {_NEAR:g} "
        "bits above",
        [
            *(
                Difference(
                    f"the average of the stand-ins, epsilon {last.epsilon:g}",
                    f"noisy ss minus {curve}, bits",
                    sum((_beyond(measured, name, last, curve) for name in names), np.zeros(())) / len(names),
                    high=0.0,
                )
                for curve in (VOTE, MODEL)
            ),
            *(
                Difference(
                    at(name, last), f"noisy ss minus {curve}, bits", _beyond(measured, name, last, curve), high=_NEAR
                )
                for name in names
                for curve in (VOTE, MODEL)
            ),
        ],
    )
    yield (
        "sensitive",
        "Noisy sufficient statistics are more sensitive to noise than the other algorithms.",
        "a larger rise of the cross entropy from epsilon 1 to .01",
        [
            Difference(
                name,
                f"rise of noisy ss minus rise of {curve}, bits",
                _rise(measured, name, first, last, STATISTICS) - _rise(measured, name, first, last, curve),
                low=0.0,
            )
            for name in names
            for curve in (VOTE, MODEL)
        ],
    )
    yield (
        "learns",
        "The non-private algorithm accurately learns the true network.",
        f"at most {_NEAR:g} bits above the true network",
        [
            Difference(
                name, "greedy minus true, bits", measured[name, last, GREEDY] - measured[name, last, TRUE], high=_NEAR
            )
            for name in names
        ],
    )
    yield (
        "discussion-converge",
        "Above a threshold of epsilon, noisy sufficient statistics approximate the non-private network.",
        f"at most {_NEAR:g} bits above the non-private network at the largest epsilon",
        [
            Difference(
                at(name, points[-1]),
                "noisy ss minus greedy, bits",
                measured[name, points[-1], STATISTICS] - measured[name, points[-1], GREEDY],
                high=_NEAR,
            )
            for name in names
        ],
    )


def _beyond(measured: Measured, name: str, point: Point, curve: str) -> Array:
    """The cross entropies of noisy sufficient statistics less those of another curve."""
    return measured[name, point, STATISTICS] - measured[name, point, curve]


def _rise(measured: Measured, name: str, to: Point, start: Point, curve: str) -> Array:
    return measured[name, to, curve] - measured[name, start, curve]


def _by_sites(points: Sequence[Point], measured: Measured, names: Sequence[str]) -> Iterator[Stated]:
    first, last = points[0], points[-1]

    def rises(curves: Sequence[str], low: float = -inf, high: float = inf) -> list[Difference]:
        return [
            Difference(
                name,
                f"{curve}, {last.sites} holders minus {first.sites}, bits",
                _rise(measured, name, last, first, curve),
                low=low,
                high=high,
            )
            for name in names
            for curve in curves
        ]

    yield (
        "robust",
        "Noisy majority voting is robust to the number of data holders.",
        f"the cross entropy rises by at most {_NEAR:g} bits from the least to the largest number of holders, by both "
        "rules for ties",
        rises((VOTE, TIES), high=_NEAR),
    )
    yield (
        "deteriorate",
        "Noisy sufficient statistics and noisy models deteriorate as the number of data holders increases.",
        "the cross entropy rises from the least to the largest number of holders",
        rises((STATISTICS, MODEL), low=0.0),
    )
    yield (
        "clipping",
        "The place at which negative counts become 0 does not change that noisy sufficient statistics deteriorate "
        "(by section 3.3.3 the site clips).",
        "the cross entropy rises from the least to the largest number of holders if the analyst clips the sums",
        rises((AT_ANALYST,), low=0.0),
    )


def _by_degree(points: Sequence[Point], measured: Measured, names: Sequence[str]) -> Iterator[Stated]:
    def steps(
        curves: Sequence[str], pairs: Sequence[tuple[Point, Point]], low: float = -inf, high: float = inf
    ) -> list[Difference]:
        return [
            Difference(
                f"{name}, k from {one.degree} to {two.degree}",
                f"rise of {curve}, bits",
                _rise(measured, name, two, one, curve),
                low=low,
                high=high,
            )
            for name in names
            for one, two in pairs
            for curve in curves
        ]

    whole = [(points[0], points[-1])]
    yield (
        "worsens",
        "Noisy sufficient statistics worsen as the degree increases.",
        "the cross entropy rises with each step of k",
        steps((STATISTICS,), list(pairwise(points)), low=0.0),
    )
    yield (
        "improve",
        "Noisy majority voting and noisy models slightly improve as the degree increases.",
        "the cross entropy falls from the least to the largest k",
        steps((VOTE, MODEL), whole, high=0.0),
    )
    yield (
        "dimensions",
        "Noisy sufficient statistics worsen since distributions of higher dimension are perturbed.",
        "with the noise of k = 1 at every k, so that the dimension alone changes, the cross entropy rises with each "
        "step of k",
        steps((FIXED_SCALE,), list(pairwise(points)), low=0.0),
    )
