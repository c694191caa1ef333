"""The experiments ``thesis-3.8`` and ``thesis-3.9``: networks of the Diabetes records, learned over sites."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import comb

import numpy as np

from experiments.tables.algorithms import (
    ALGORITHMS,
    AT_ANALYST,
    CENTRAL,
    GREEDY,
    INDEPENDENT,
    MODEL,
    PRIVATE,
    STATISTICS,
    TIES,
    TREE,
    TREE_RHO,
    VOTE,
    Algorithm,
    from_marginals,
    greedy,
    local_models,
    noisy_model,
    sufficient_statistics,
)
from experiments.tables.algorithms import STYLES as OF_SYNTHETIC_DATA
from experiments.tables.counted import Array, Codes, CountedTables, LearnedNetwork, Pairs
from experiments.tables.figure import Curves, Difference, Figure, Measured, Point, Stated
from experiments.toolkit.results import Reproduction, Request
from pan_audits.reports.pages import require_figures
from pan_estimators.tables.diabetes import load_diabetes
from pan_promises.workers import all_done

MOST_SITES = 30
"""The largest number of sites of an experiment."""

_TEST = 0.2
"""The share of the rows that are tested on. Source: thesis, section 3.7.1."""


@dataclass(eq=False)
class Split:
    """One division of the records.

    Attributes
    ----------
    sizes
        The number of values of each attribute.
    train, test
        The rows to learn from, in random order, and the rows to test on.
    """

    sizes: tuple[int, ...]
    train: Codes
    test: Codes
    _sites: dict[int, Pairs] = field(default_factory=dict, repr=False)

    @classmethod
    def drawn(cls, random: np.random.Generator, rows: int | None = None) -> Split:
        """A random division of the Diabetes records, 80% to 20%."""
        table = load_diabetes()
        order = random.permutation(table.rows)[:rows]
        codes = np.ascontiguousarray(table.codes.T[:, order])
        tested = round(_TEST * len(order))
        return cls(table.schema.sizes, np.ascontiguousarray(codes[:, tested:]), np.ascontiguousarray(codes[:, :tested]))

    def sites(self, number: int) -> Pairs:
        """The rows to learn from at some sites, by a round robin."""
        if number not in self._sites:
            places = np.arange(self.train.shape[1]) % number
            self._sites[number] = Pairs.of(self.train, self.sizes, places)
        return self._sites[number]

    def small_sites(self, number: int) -> Pairs:
        """Some of the sites of the round robin over the largest number of sites: each has few rows at any number."""
        return self.sites(MOST_SITES).some(0, number)

    @cached_property
    def binary(self) -> Split:
        """The same rows with two values of each attribute: its most frequent value, and all others."""
        most = [int(np.bincount(column).argmax()) for column in self.train]

        def reduced(codes: Codes) -> Codes:
            return np.stack([(column != one).astype(np.int64) for column, one in zip(codes, most, strict=True)])

        return Split((2,) * len(most), reduced(self.train), reduced(self.test))

    @property
    def uniform(self) -> float:
        """The cross entropy of the uniform distribution, in bits."""
        return float(np.log2(np.array(self.sizes, dtype=np.float64)).sum())


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

_NOT_PRIVATE = (INDEPENDENT, GREEDY)
_ONE_HOLDER = (*_NOT_PRIVATE, CENTRAL, TREE, TREE_RHO)
"""The curves that do not depend on the budget, and on the number of sites."""

STYLES = {
    **OF_SYNTHETIC_DATA,
    SEVEN: ("P", "#7A5C00"),
    EXPECTED: ("1", "#AA4499"),
    LOCAL: ("d", "#44AA99"),
    SMALL_SITES: ("2", "#999933"),
}
"""Marker and colour of each curve."""

Bits = Callable[[Split, Point, np.random.Generator], float]

_SYNTHETIC = 7
"""The number of attributes of the synthetic data."""


def _of(learn: Algorithm) -> Bits:
    def found(split: Split, point: Point, random: np.random.Generator) -> float:
        return learn(split.sites(point.sites), point.epsilon, point.degree, random).bits(split.test)

    return found


def _seven(sites: CountedTables, epsilon: float, degree: int, random: np.random.Generator) -> LearnedNetwork:
    return sufficient_statistics(sites, epsilon, degree, random, scale=2 * comb(_SYNTHETIC, degree + 1) / epsilon)


def _expected(sites: CountedTables, epsilon: float, degree: int, random: np.random.Generator) -> LearnedNetwork:
    """Each clipped noisy count replaced by its expected value: of a count ``c``, ``c + exp(-c/b) b/2``."""
    scale = 2 * comb(len(sites.sizes), degree + 1) / epsilon
    marginals: dict[tuple[int, ...], Array] = {}
    for one in range(len(sites.sizes)):
        for two in range(one + 1, len(sites.sizes)):
            exact = sites.marginal((one, two))
            marginals[one, two] = (exact + scale / 2 * np.exp(-exact / scale)).sum(axis=0)
    return from_marginals(sites.sizes, marginals, degree)


def _share(learn: Algorithm, split: Split, point: Point, random: np.random.Generator) -> float:
    """The distance above the greedy network, divided by that of the uniform distribution."""
    best = greedy(split.sites(point.sites), point.degree).bits(split.test)
    found = _of(learn)(split, point, random)
    return (found - best) / (split.uniform - best)


def _local(split: Split, point: Point, random: np.random.Generator) -> float:
    models = local_models(split.sites(point.sites), point.epsilon, point.degree, random)
    return float(np.mean([one.bits(split.test) for one in models]))


def _small_sites(split: Split, point: Point, random: np.random.Generator) -> float:
    sites = split.small_sites(point.sites)
    return noisy_model(sites, point.epsilon, point.degree, random).bits(split.test)


CURVES: Mapping[str, Bits] = {
    **{label: _of(ALGORITHMS[label]) for label in (*_ONE_HOLDER, *PRIVATE, TIES, ZERO_MEAN)},
    SEVEN: _of(_seven),
    SHARE: partial(_share, sufficient_statistics),
    SHARE_SEVEN: partial(_share, _seven),
    SHARE_BINARY: lambda split, *rest: _share(sufficient_statistics, split.binary, *rest),
    EXPECTED: _of(_expected),
    LOCAL: _local,
    SMALL_SITES: _small_sites,
}
"""The value of each curve for a split at a point, by label. Those after the ties separate the causes of an effect."""

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
    request: Request,
) -> Measured:
    """The value of each curve at each point. All points and curves of a repetition have the same split."""
    repetitions = range(scale.first, scale.first + scale.repetitions)
    if request.progress:
        request.progress(f"{len(points)} points, {scale.repetitions} random splits of the Diabetes records")
    parts = all_done(
        [partial(_repetition, points, curves, scale, request.seed, one) for one in repetitions], request.jobs
    )
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
        for point in points:
            # A curve that does not depend on the horizontal axis is computed once.
            own = replace(point, sites=1) if curve in _ONE_HOLDER else point
            own = replace(own, epsilon=1.0) if curve in _NOT_PRIVATE else own
            if (curve, own) not in known:
                # crc32 rather than hash: the latter differs between processes.
                key = zlib.crc32(repr((curve, own)).encode())
                known[curve, own] = CURVES[curve](split, own, np.random.default_rng([seed, number, key]))
            found[place, point] = known[curve, own]
    return found


_NEAR = 0.46
"""Bits. A curve is near another one within 1% of the cross entropy of the non-private network, which is 46.1 bits."""


_VOTES = (VOTE, TIES)

_BY_BUDGET = (
    Stated(
        "statistics",
        "Noisy sufficient statistics are significantly worse than the other algorithms.",
        "a larger cross entropy for each epsilon from .01 to 1",
        lambda curves: curves.above((STATISTICS,), (VOTE, MODEL), curves.printed, low=0.0),
    ),
    Stated(
        "dimension",
        "Noisy sufficient statistics are highly sensitive to the dimension of the data.",
        "with the noise of 7 attributes, so that of the dimension the noise alone changes, they come nearer to the "
        "non-private network, as a share of the distance to the uniform distribution, for each epsilon from .01 to 1",
        lambda curves: curves.above((SHARE_SEVEN,), (SHARE,), curves.printed, high=0.0, unit="as a share"),
    ),
    Stated(
        "domains",
        "Noisy sufficient statistics are highly sensitive to the domain sizes of the attributes.",
        "with two values of each of the 43 attributes, so that the domain sizes alone change, they come nearer to the "
        "non-private network, as a share of the distance to the uniform distribution, for each epsilon from .01 to 1",
        lambda curves: curves.above((SHARE_BINARY,), (SHARE,), curves.printed, high=0.0, unit="as a share"),
    ),
    Stated(
        "outperforms",
        "Noisy majority voting outperforms the other two algorithms.",
        "a lower cross entropy for each epsilon from .01 to 1, by both rules for ties",
        lambda curves: curves.above(_VOTES, (STATISTICS, MODEL), curves.printed, high=0.0),
    ),
    Stated(
        "approach",
        "Noisy majority voting approaches the performance of the non-private algorithm.",
        f"at most {_NEAR:g} bits above the non-private network at epsilon 1, by both rules for ties",
        lambda curves: curves.above(_VOTES, (GREEDY,), curves.printed[-1:], high=_NEAR),
    ),
    Stated(
        "discussion-budget",
        "Noisy majority voting is robust to the privacy budget.",
        f"the cross entropy rises by at most {_NEAR:g} bits from epsilon 1 to .01, by both rules for ties",
        lambda curves: curves.rise(_VOTES, [(curves.printed[-1], curves.printed[0])], high=_NEAR),
    ),
    Stated(
        "discussion-converge",
        "Above a threshold of epsilon, noisy sufficient statistics approximate the non-private network.",
        f"at most {_NEAR:g} bits above the non-private network at the largest epsilon",
        lambda curves: curves.above((STATISTICS,), (GREEDY,), curves.figure.points[-1:], high=_NEAR),
    ),
)


def _rise_of_distance(curves: Curves) -> list[Difference]:
    ((first, last),) = curves.ends
    before, after = (abs(curves.less((NAME, point, STATISTICS), (NAME, point, EXPECTED))) for point in (first, last))
    return [Difference(f"{first.sites} to {last.sites} holders", "rise of the distance, bits", after - before, high=0)]


_BY_SITES = (
    Stated(
        "robust",
        "Noisy majority voting is robust to the number of data holders.",
        f"the cross entropy rises by at most {_NEAR:g} bits from the least to the largest number of holders, by both "
        "rules for ties",
        lambda curves: curves.rise(_VOTES, high=_NEAR),
    ),
    Stated(
        "winner",
        "Noisy majority voting is the clear winner for complex data.",
        "a lower cross entropy than of the other two algorithms at each number of holders, by both rules for ties",
        lambda curves: curves.above(_VOTES, (STATISTICS, MODEL), high=0.0),
    ),
    Stated(
        "model",
        "Noisy models significantly worsen as the number of data holders increases.",
        "the cross entropy rises from the least to the largest number of holders",
        lambda curves: curves.rise((MODEL,), low=0.0),
    ),
    Stated(
        "local-models",
        "With more data holders the quality of the local models deteriorates.",
        "the mean cross entropy of the local models rises from the least to the largest number of holders",
        lambda curves: curves.rise((LOCAL,), low=0.0),
    ),
    Stated(
        "fewer-rows",
        "Noisy models worsen since each holder has fewer rows.",
        f"if each holder has n/{MOST_SITES} rows at any number of holders, so that the number of models alone changes, "
        "the cross entropy does not rise from the least to the largest number of holders",
        lambda curves: curves.rise((SMALL_SITES,), high=0.0),
    ),
    Stated(
        "statistics",
        "Noisy sufficient statistics improve as the number of data holders increases.",
        "the cross entropy falls from the least to the largest number of holders",
        lambda curves: curves.rise((STATISTICS,), high=0.0),
    ),
    Stated(
        "not-critical",
        "With a large dimension and large domains, the number of data holders is not critical for noisy sufficient "
        "statistics.",
        f"the cross entropy changes by at most {_NEAR:g} bits from the least to the largest number of holders",
        lambda curves: curves.rise((STATISTICS,), low=-_NEAR, high=_NEAR),
    ),
    Stated(
        "cancels",
        "Noisy sufficient statistics improve since more terms of noise with mean 0 are added, which cancel out.",
        "with noise of mean 0, which only the analyst clips after the sum, the cross entropy falls from the least to "
        "the largest number of holders",
        lambda curves: curves.rise((ZERO_MEAN,), high=0.0),
    ),
    Stated(
        "tends-to-the-mean",
        "Noise that a site clips has a positive mean, and its sum tends to this mean (the thesis leaves it open).",
        "the distance from the cross entropy with the expected value in place of the noise falls from the least to the "
        "largest number of holders",
        _rise_of_distance,
    ),
    Stated(
        "discussion-worsen",
        "Noisy sufficient statistics worsen as the number of data holders increases.",
        "the cross entropy rises from the least to the largest number of holders",
        lambda curves: curves.rise((STATISTICS,), low=0.0),
    ),
)

_EVERYWHERE = (INDEPENDENT, GREEDY, CENTRAL, TREE, TREE_RHO, *PRIVATE, TIES)
_NOTES = (
    "71,518 patients with 43 attributes, random splits of 80% to 20%; uniform distribution: 109.4 bits. "
    "By section 3.3 half of the budget is for the structure, and a site clips its counts. Open in the thesis: the "
    "attributes that are left out, and the first attribute, here race. calibrated-tree has one holder."
)

_COMMON = partial(Figure, section="3.7.3", notes=_NOTES, sentences=17, styles=STYLES, log_y=True)
BUDGETS = _COMMON(
    "thesis-3.8",
    "cross entropy against epsilon, Diabetes, M = 3, k = 1",
    label="epsilon, nats",
    points=tuple(Point(epsilon, 3, 1) for epsilon in (0.01, 0.03, 0.1, 0.3, 1.0, 10.0, 100.0, 10_000.0)),
    curves=(*_EVERYWHERE, SEVEN),
    x=lambda point: point.epsilon,
    stated=_BY_BUDGET,
    unseen=(SHARE, SHARE_SEVEN, SHARE_BINARY),
)
SITES = _COMMON(
    "thesis-3.9",
    "cross entropy against the number of data holders, Diabetes, epsilon = 0.1, k = 1",
    label="data holders M",
    points=tuple(Point(0.1, sites, 1) for sites in (1, 2, 3, 5, 10, 20, MOST_SITES)),
    curves=(*_EVERYWHERE, ZERO_MEAN, EXPECTED, LOCAL, SMALL_SITES),
    x=lambda point: point.sites,
    stated=_BY_SITES,
)


def _reproduced(
    figure: Figure, close: tuple[int, ...], request: Request, *, scale: Splits | None = None
) -> Reproduction:
    """Measure, judge and write. Votes and models get four times as many repetitions at points at which they are close.

    There they differ by less than the 20 repetitions of the thesis show.
    """
    require_figures("drawing figures")
    scale = scale or Splits()
    measured = dict(measure(figure.points, (*figure.curves, *figure.unseen), scale, request))
    points = tuple(figure.points[place] for place in close)
    more = measure(points, (VOTE, MODEL, TIES), scale.further(3), request)
    measured |= {key: np.concatenate([measured[key], values]) for key, values in more.items()}
    return figure.written(request, measured, (NAME,))


figure_3_8 = partial(_reproduced, BUDGETS, (0,))
figure_3_9 = partial(_reproduced, SITES, (0, 2, -1))
