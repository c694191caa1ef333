"""The curves of the figures, by their labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol

import numpy as np

from experiments.tables.algorithms import (
    DELTA,
    Learned,
    greedy,
    independent,
    majority_vote,
    noisy_model,
    privbayes,
    sufficient_statistics,
    tree,
)
from experiments.tables.counted import Counted


class Algorithm(Protocol):
    """The tables of the sites, a budget, a degree and randomness give a model."""

    def __call__(self, sites: Counted, epsilon: float, degree: int, random: np.random.Generator, /) -> Learned: ...


INDEPENDENT, GREEDY, TRUE, CENTRAL = "independent", "greedy, not private", "true network", "PrivBayes, one holder"
STATISTICS, VOTE, MODEL = "noisy ss", "noisy mv", "noisy model"
FIXED_SCALE, AT_ANALYST = "noisy ss, noise of k = 1", "noisy ss, clipped by the analyst"
TIES = "noisy mv, ties by chance"
TREE, TREE_RHO = "calibrated-tree, pure", "calibrated-tree, delta 1e-6"
PRIVATE = (STATISTICS, VOTE, MODEL)


def _fixed_scale(sites: Counted, epsilon: float, degree: int, random: np.random.Generator) -> Learned:
    width = len(sites.sizes)
    return sufficient_statistics(sites, epsilon, degree, random, scale=width * (width - 1) / epsilon)


ALGORITHMS: Mapping[str, Algorithm] = {
    INDEPENDENT: lambda sites, epsilon, degree, random: independent(sites),
    GREEDY: lambda sites, epsilon, degree, random: greedy(sites, degree),
    CENTRAL: privbayes,
    TREE: partial(tree, 0.0),
    TREE_RHO: partial(tree, DELTA),
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
