"""The algorithms of chapter 3 on counts: sites, a budget, a degree and randomness give a network.

They have the distribution of the estimators in :mod:`pan_estimators.tables.sites`.
Nothing here is a release: the noise is drawn from numpy's doubles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import combinations, product
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from experiments.tables.counted import Array, CountedTables, LearnedNetwork, candidates, entropy, parent_sets, shaped
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.tables.calibrated_tree import CalibratedTree
from pan_estimators.tables.network import Network
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.scores import MutualInformation
from pan_estimators.tables.structure import Choice
from pan_estimators.tables.table import Table

Algorithm = Callable[[CountedTables, float, int, np.random.Generator], LearnedNetwork]
"""The tables of the sites, a budget, a degree and randomness give a network."""

_DELTA = 1e-6
"""The delta of the curve with Gaussian noise."""

_SHARE = 0.5
"""The share of the structure in the budget. Source: thesis, section 3.3."""


def independent(sites: CountedTables) -> LearnedNetwork:
    """All attributes independent, without privacy."""
    return _exactly(sites, tuple((place, ()) for place in range(len(sites.sizes))))


def greedy(sites: CountedTables, degree: int) -> LearnedNetwork:
    """The greedy network of all rows, without privacy."""
    return _exactly(sites, _greedily(sites.together(), degree))


def privbayes(sites: CountedTables, epsilon: float, degree: int, random: np.random.Generator) -> LearnedNetwork:
    """PrivBayes with one holder of all rows."""
    return local_models(sites.together(), epsilon, degree, random)[0]


def sufficient_statistics(
    sites: CountedTables,
    epsilon: float,
    degree: int,
    random: np.random.Generator,
    *,
    clip_at_site: bool = True,
    scale: float | None = None,
) -> LearnedNetwork:
    """Algorithm 3.5, with its marginals as parameters."""
    width = len(sites.sizes)
    noise = 2 * comb(width, degree + 1) / epsilon if scale is None else scale
    marginals = {}
    for places in combinations(range(width), degree + 1):
        exact = sites.marginal(places)
        noisy = exact + random.laplace(0.0, noise, exact.shape)
        marginals[places] = np.maximum((np.maximum(noisy, 0.0) if clip_at_site else noisy).sum(axis=0), 0.0)
    return from_marginals(sites.sizes, marginals, degree)


def from_marginals(sizes: tuple[int, ...], marginals: Mapping[tuple[int, ...], Array], degree: int) -> LearnedNetwork:
    """The network that an analyst makes of counts of all sets of ``degree + 1`` attributes."""
    width = len(sizes)

    def joint(choice: Choice) -> Array:
        wanted = {choice[0], *choice[1]}
        own = tuple(sorted(wanted))
        places = own if own in marginals else next(one for one in marginals if wanted <= set(one))
        kept = marginals[places].sum(axis=tuple(axis for axis, one in enumerate(places) if one not in wanted))
        return np.asarray(shaped(kept[None], choice)[0])

    @cache
    def information(choice: Choice) -> float:
        if not choice[1]:
            return 0.0
        table = joint(choice)
        return float(entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)) - entropy(table.ravel()))

    chosen: list[Choice] = [(0, ())]
    while len(chosen) < width:
        chosen.append(max(candidates(width, degree, [place for place, _ in chosen]), key=information))
    return LearnedNetwork(sizes, tuple(chosen), tuple(joint(one) for one in chosen))


def majority_vote(
    sites: CountedTables,
    epsilon: float,
    degree: int,
    random: np.random.Generator,
    *,
    clip_at_site: bool = True,
    ties_by_chance: bool = False,
) -> LearnedNetwork:
    """Algorithm 3.6, and Algorithm 3.4 for the parameters."""
    width = len(sites.sizes)
    chosen: list[Choice] = [(0, ())]
    while len(chosen) < width:
        votes = Counter(_votes(sites, chosen, _SHARE * epsilon, degree, random))
        most = [one for one in sorted(votes) if votes[one] == max(votes.values())]
        chosen.append(most[int(random.integers(len(most))) if ties_by_chance else 0])
    joints = []
    for choice in chosen:
        exact = sites.joint(choice)
        noisy = exact + random.laplace(0.0, 2 * width / ((1 - _SHARE) * epsilon), exact.shape)
        joints.append(np.asarray((np.maximum(noisy, 0.0) if clip_at_site else noisy).sum(axis=0)))
    return LearnedNetwork(sites.sizes, tuple(chosen), tuple(joints))


def noisy_model(sites: CountedTables, epsilon: float, degree: int, random: np.random.Generator) -> LearnedNetwork:
    """Algorithm 3.7: a private network of each site, rows of it, and the greedy network of these rows."""
    return greedy(sites.drawn(local_models(sites, epsilon, degree, random), random), degree)


def local_models(
    sites: CountedTables, epsilon: float, degree: int, random: np.random.Generator
) -> list[LearnedNetwork]:
    """PrivBayes at each site."""
    found, width = [], len(sites.sizes)
    for number in range(len(sites.rows)):
        site = sites.site(number)
        chosen: list[Choice] = [(0, ())]
        while len(chosen) < width:
            chosen += _votes(site, chosen, _SHARE * epsilon, degree, random)
        exact = [site.joint(choice)[0] for choice in chosen]
        scale = 2 * width / ((1 - _SHARE) * epsilon)
        joints = tuple(one + random.laplace(0.0, scale, one.shape) for one in exact)
        found.append(LearnedNetwork(sites.sizes, tuple(chosen), joints))
    return found


@cache
def _sensitivity(rows: int, values: int, combinations: int) -> float:
    return float(MutualInformation().sensitivity(rows, values, combinations))


def _votes(
    sites: CountedTables, chosen: list[Choice], epsilon: float, degree: int, random: np.random.Generator
) -> list[Choice]:
    """The next choice of each site, by the exponential mechanism with its share of the budget."""
    sizes, known = sites.sizes, [place for place, _ in chosen]
    those = candidates(len(sizes), degree, known)
    scores = sites.information(those)
    values = {size for place, size in enumerate(sizes) if place not in known}
    combined = {prod(sizes[one] for one in parents) for parents in parent_sets(degree, known)}
    by_rows = {
        rows: max(_sensitivity(int(rows), *shape) for shape in product(values, combined)) for rows in set(sites.rows)
    }
    sensitivity = np.array([by_rows[rows] for rows in sites.rows])[:, None]
    weights = scores * epsilon / (len(sizes) - 1) / (2 * sensitivity)
    # The largest of weights with Gumbel noise has the distribution of the exponential mechanism.
    return [those[place] for place in (weights + random.gumbel(size=weights.shape)).argmax(axis=1)]


def _greedily(table: CountedTables, degree: int) -> tuple[Choice, ...]:
    chosen: list[Choice] = [(0, ())]
    while len(chosen) < len(table.sizes):
        those = candidates(len(table.sizes), degree, [place for place, _ in chosen])
        chosen.append(those[int(table.information(those)[0].argmax())])
    return tuple(chosen)


def _exactly(sites: CountedTables, structure: tuple[Choice, ...]) -> LearnedNetwork:
    table = sites.together()
    return LearnedNetwork(sites.sizes, structure, tuple(table.joint(choice)[0] for choice in structure))


class CountedTable(Table):
    """A table of one holder that is known by its counts, which are made once for all points of a figure."""

    def __init__(self, schema: Schema, counted: CountedTables) -> None:
        super().__init__(schema, np.empty((0, len(schema.sizes)), dtype=np.int64))
        object.__setattr__(self, "_counted", counted)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self._counted.rows[0])  # type: ignore[attr-defined]

    def counts(self, places: Sequence[int]) -> NDArray[np.int64]:
        """The number of rows with each combination of values of some attributes, in the order of the schema."""
        return np.asarray(self._counted.marginal(tuple(places))[0]).astype(np.int64)  # type: ignore[attr-defined]


def tree(
    delta: float, sites: CountedTables, epsilon: float, degree: int, random: np.random.Generator
) -> LearnedNetwork:
    """The calibrated tree of the rows of all sites. Its degree is 1, whatever the point says.

    It draws from a generator of its own, so that the other curves have the same numbers with it and without it.
    """
    schema = Schema(tuple(Attribute(f"X{place}", tuple(range(size))) for place, size in enumerate(sites.sizes)))
    table, mechanism = CountedTable(schema, sites.together()), CalibratedTree(schema, epsilon, delta)
    source = NumpyRandomness(int(random.spawn(1)[0].integers(2**63)))
    return _as_counts(mechanism.post_process(mechanism.release(table, source)), table.rows)


def _as_counts(model: Network, rows: int) -> LearnedNetwork:
    """A tree as joint counts, so that it gets the smoothing of the other curves."""
    margins: dict[int, Array] = {}
    joints = []
    for (place, parents), conditional in zip(model.structure, model.conditionals, strict=True):
        joint = margins[parents[0]][:, None] * conditional if parents else conditional
        margins[place] = joint.sum(axis=0)
        joints.append(rows * joint.T)
    return LearnedNetwork(model.schema.sizes, model.structure, tuple(joints))


INDEPENDENT, GREEDY, TRUE, CENTRAL = "independent", "greedy, not private", "true network", "PrivBayes, one holder"
STATISTICS, VOTE, MODEL = "noisy ss", "noisy mv", "noisy model"
FIXED_SCALE, AT_ANALYST = "noisy ss, noise of k = 1", "noisy ss, clipped by the analyst"
TIES = "noisy mv, ties by chance"
TREE, TREE_RHO = "calibrated-tree, pure", "calibrated-tree, delta 1e-6"
PRIVATE = (STATISTICS, VOTE, MODEL)


def _fixed_scale(sites: CountedTables, epsilon: float, degree: int, random: np.random.Generator) -> LearnedNetwork:
    width = len(sites.sizes)
    return sufficient_statistics(sites, epsilon, degree, random, scale=width * (width - 1) / epsilon)


ALGORITHMS: Mapping[str, Algorithm] = {
    INDEPENDENT: lambda sites, epsilon, degree, random: independent(sites),
    GREEDY: lambda sites, epsilon, degree, random: greedy(sites, degree),
    CENTRAL: privbayes,
    TREE: partial(tree, 0.0),
    TREE_RHO: partial(tree, _DELTA),
    STATISTICS: sufficient_statistics,
    VOTE: majority_vote,
    MODEL: noisy_model,
    FIXED_SCALE: _fixed_scale,
    AT_ANALYST: partial(sufficient_statistics, clip_at_site=False),
    TIES: partial(majority_vote, ties_by_chance=True),
}
"""The algorithms by label. The last three separate the causes of an effect."""

STYLES = {
    INDEPENDENT: ("v", "#555555"),
    GREEDY: ("o", "#000000"),
    TRUE: ("*", "#CC79A7"),
    CENTRAL: ("x", "#56B4E9"),
    TREE: (">", "#332288"),
    TREE_RHO: ("h", "#117733"),
    STATISTICS: ("s", "#D55E00"),
    VOTE: ("^", "#0072B2"),
    MODEL: ("D", "#009E73"),
    FIXED_SCALE: ("P", "#7A5C00"),
    AT_ANALYST: ("+", "#E69F00"),
    TIES: ("<", "#882255"),
}
"""Marker and colour of each curve."""
