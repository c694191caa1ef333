"""The experiments ``thesis-3.4`` to ``thesis-3.7``: cross entropies of networks of synthetic data, over sites.

The networks stand in place of the lost Figure 3.3: six binary attributes and a ternary one, with an entropy of
5.12 bits.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from math import prod

import numpy as np
from scipy.optimize import brentq

from experiments.tables.algorithms import (
    ALGORITHMS,
    AT_ANALYST,
    CENTRAL,
    FIXED_SCALE,
    GREEDY,
    INDEPENDENT,
    MODEL,
    PRIVATE,
    STATISTICS,
    STYLES,
    TIES,
    TREE,
    TREE_RHO,
    TRUE,
    VOTE,
)
from experiments.tables.counted import Array, Cells, cross_entropy, distribution
from experiments.tables.figure import Curves, Difference, Figure, Measured, Point, Stated
from experiments.toolkit.results import Reproduction, Request
from pan_audits.reports.pages import require_figures
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


def measure(
    points: tuple[Point, ...],
    curves: tuple[str, ...],
    scale: Scale,
    request: Request,
) -> Measured:
    """Run the algorithms at some points. All algorithms of a repetition have the same tables."""
    tasks = [(name, point) for name in scale.stand_ins for point in points]
    if request.progress:
        request.progress(f"{len(tasks)} points, {scale.repetitions} repetitions of each")
    parts = all_done([partial(_at, name, point, curves, scale, request.seed) for name, point in tasks], request.jobs)
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


_NEAR = 0.05
"""Bits. A curve is near another one within 1% of the entropy."""


def _averaged(parts: Sequence[Difference]) -> list[Difference]:
    """The averages over the stand-ins, which must be at most 0."""
    by_words: dict[str, list[Difference]] = {}
    for one in parts:
        by_words.setdefault(one.what, []).append(one)
    return [
        Difference("the average of the stand-ins", what, np.mean([one.values for one in those], axis=0), high=0.0)
        for what, those in by_words.items()
    ]


def _outperforming(curves: Curves) -> list[Difference]:
    parts = curves.above((STATISTICS,), (VOTE, MODEL), curves.printed[-1:], high=_NEAR)
    return [*_averaged(parts), *parts]


def _more_sensitive(curves: Curves) -> list[Difference]:
    pair = [(curves.printed[-1], curves.printed[0])]
    return [
        Difference(own.where, f"{own.what} minus {other.what}", own.values - other.values, low=0.0)
        for curve in (VOTE, MODEL)
        for own, other in zip(curves.rise((STATISTICS,), pair), curves.rise((curve,), pair), strict=True)
    ]


_BY_BUDGET = (
    Stated(
        "independent",
        "All algorithms perform significantly better than the independent model.",
        "cross entropy less than that of the independent model, for each epsilon from .01 to 1 and each stand-in",
        lambda curves: curves.above(PRIVATE, (INDEPENDENT,), curves.printed, high=0.0),
    ),
    Stated(
        "approach",
        "All algorithms approach the true network as epsilon increases.",
        f"at most {_NEAR:g} bits above the true network at epsilon 1",
        lambda curves: curves.above(PRIVATE, (TRUE,), curves.printed[-1:], high=_NEAR),
    ),
    Stated(
        "outperforms",
        "Noisy sufficient statistics asymptotically outperform the other algorithms.",
        f"a lower cross entropy at epsilon 1 on the average of the stand-ins, and for none of them more than {_NEAR:g} "
        "bits above",
        _outperforming,
    ),
    Stated(
        "sensitive",
        "Noisy sufficient statistics are more sensitive to noise than the other algorithms.",
        "a larger rise of the cross entropy from epsilon 1 to .01",
        _more_sensitive,
    ),
    Stated(
        "learns",
        "The non-private algorithm accurately learns the true network.",
        f"at most {_NEAR:g} bits above the true network",
        lambda curves: curves.above((GREEDY,), (TRUE,), curves.printed[-1:], high=_NEAR),
    ),
    Stated(
        "discussion-converge",
        "Above a threshold of epsilon, noisy sufficient statistics approximate the non-private network.",
        f"at most {_NEAR:g} bits above the non-private network at the largest epsilon",
        lambda curves: curves.above((STATISTICS,), (GREEDY,), curves.figure.points[-1:], high=_NEAR),
    ),
)

_BY_SITES = (
    Stated(
        "robust",
        "Noisy majority voting is robust to the number of data holders.",
        f"the cross entropy rises by at most {_NEAR:g} bits from the least to the largest number of holders, by both "
        "rules for ties",
        lambda curves: curves.rise((VOTE, TIES), high=_NEAR),
    ),
    Stated(
        "deteriorate",
        "Noisy sufficient statistics and noisy models deteriorate as the number of data holders increases.",
        "the cross entropy rises from the least to the largest number of holders",
        lambda curves: curves.rise((STATISTICS, MODEL), low=0.0),
    ),
    Stated(
        "clipping",
        "The place at which negative counts become 0 does not change that noisy sufficient statistics deteriorate "
        "(by section 3.3.3 the site clips).",
        "the cross entropy rises from the least to the largest number of holders if the analyst clips the sums",
        lambda curves: curves.rise((AT_ANALYST,), low=0.0),
    ),
)

_BY_DEGREE = (
    Stated(
        "worsens",
        "Noisy sufficient statistics worsen as the degree increases.",
        "the cross entropy rises with each step of k",
        lambda curves: curves.rise((STATISTICS,), pairwise(curves.figure.points), low=0.0),
    ),
    Stated(
        "improve",
        "Noisy majority voting and noisy models slightly improve as the degree increases.",
        "the cross entropy falls from the least to the largest k",
        lambda curves: curves.rise((VOTE, MODEL), high=0.0),
    ),
    Stated(
        "dimensions",
        "Noisy sufficient statistics worsen since distributions of higher dimension are perturbed.",
        "with the noise of k = 1 at every k, so that the dimension alone changes, the cross entropy rises with each "
        "step of k",
        lambda curves: curves.rise((FIXED_SCALE,), pairwise(curves.figure.points), low=0.0),
    ),
)


_EVERYWHERE = (INDEPENDENT, GREEDY, CENTRAL, TREE, TREE_RHO, *PRIVATE, TIES)
_EPSILONS = (0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0)
_MORE = 3
"""Times as many repetitions."""


_NOTES = (
    "The network of Figure 3.3 is lost. The panels are stand-ins with its attributes and its entropy, 5.12 bits. "
    "By section 3.3 half of the budget is for the structure, and a site clips its counts. Open in the thesis: the "
    "first attribute, here X0. calibrated-tree has one holder, and degree 1."
)


def _reproduced(figure: Figure, request: Request, *, scale: Scale = WHOLE, more: tuple[str, ...] = ()) -> Reproduction:
    """Run the algorithms, judge the sentences, and write the files. Some curves have more repetitions."""
    require_figures("drawing figures")
    curves = tuple(curve for curve in figure.curves if curve not in more)
    measured = measure(figure.points, curves, scale, request)
    if more:
        often = replace(scale, repetitions=_MORE * scale.repetitions)
        found = measure(figure.points, more, often, request)
        measured = {**measured, **{key: values for key, values in found.items() if key[-1] in more}}
    return figure.written(request, measured, scale.stand_ins)


_COMMON = partial(Figure, section="3.7.2", notes=_NOTES, sentences=18, styles=STYLES)
_BUDGETS = partial(_COMMON, label="epsilon, nats", curves=_EVERYWHERE, x=lambda point: point.epsilon, stated=_BY_BUDGET)

FIGURES = {
    one.name: one
    for one in (
        *(
            _BUDGETS(
                f"thesis-3.{3 + degree}",
                f"cross entropy against epsilon, M = 3, k = {degree}",
                points=tuple(Point(epsilon, 3, degree) for epsilon in _EPSILONS),
            )
            for degree in (1, 2)
        ),
        _COMMON(
            "thesis-3.6",
            "cross entropy against the number of data holders, epsilon = 0.1, k = 1",
            label="data holders M",
            points=tuple(Point(0.1, sites, 1) for sites in (1, 2, 3, 5, 10, 20, 30)),
            curves=(*_EVERYWHERE, AT_ANALYST),
            x=lambda point: point.sites,
            stated=_BY_SITES,
        ),
        _COMMON(
            "thesis-3.7",
            "cross entropy against the degree, epsilon = 0.1, M = 3",
            label="degree k",
            points=tuple(Point(0.1, 3, degree) for degree in (1, 2, 3, 4, 5)),
            curves=(*_EVERYWHERE, FIXED_SCALE),
            x=lambda point: point.degree,
            stated=_BY_DEGREE,
            log_x=False,
        ),
    )
}

figure_3_4 = partial(_reproduced, FIGURES["thesis-3.4"])
figure_3_5 = partial(_reproduced, FIGURES["thesis-3.5"])
figure_3_6 = partial(_reproduced, FIGURES["thesis-3.6"])
# Some curves change by less than 100 repetitions show.
figure_3_7 = partial(_reproduced, FIGURES["thesis-3.7"], more=(VOTE, MODEL, FIXED_SCALE))
