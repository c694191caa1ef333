"""The rho of the counters by the structure of their noise, at any number of entries or at moderate ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_audits.continual.node_sensitivity import START, Afterwards, NodeSensitivity, Truncation
from pan_audits.judging.capabilities import ClosedRho
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.recompute import TurnstileRecompute
from pan_estimators.continual.square_root_counter import CalibratedTurnstile, Presence
from pan_promises.adjacency import Adjacency
from pan_promises.turnstile import Model

MOST_FLIPS = 12
"""The largest bound for which the nodes of a tree are computed: the time grows with its third power."""

MOST_LISTED = 12
"""The largest number of entries for which all differences of existence vectors are listed."""

MOST_PLACED = 100
"""The same for differences that an entry and the next one of its element determine."""

ROUNDING = 1e-5
"""The largest relative change of such a rho by the rounding of released values to their grid."""

Vector: TypeAlias = tuple[int, ...]


def closed_rho(estimator: Any) -> ClosedRho | None:
    """The rho of a counter of the family; ``None`` for any other class, and for one derived from it."""
    if type(estimator) is TurnstileGivenFlippancy and estimator.flippancy <= MOST_FLIPS:
        # After the first entry, one flip more than the bound cuts an element off.
        least = min(estimator.steps, estimator.flippancy + 2)
        return ClosedRho(partial(_of_tree, estimator), estimator.steps, "turnstile.given_flippancy", least)
    if type(estimator) is TurnstileRecompute:
        return ClosedRho(partial(_of_recomputing, estimator), estimator.steps, "turnstile.recompute", estimator.period)
    if type(estimator) is CalibratedTurnstile:
        rule = Truncation(estimator.flippancy, Afterwards.LAST, first_entry=True)
        return ClosedRho(
            partial(_of_factors, estimator, rule),
            min(estimator.steps, MOST_LISTED),
            "continual.calibrated",
            min(estimator.steps, estimator.flippancy + 2),
            ROUNDING,
        )
    if type(estimator) is Presence:
        longest = min(estimator.steps, MOST_PLACED)
        return ClosedRho(
            partial(_of_last_entries, estimator), longest, "continual.presence", min(estimator.steps, 2), ROUNDING
        )
    return None


def _of_tree(counter: TurnstileGivenFlippancy, steps: int) -> Fraction:
    found = NodeSensitivity(Truncation(counter.flippancy), counter.promise.adjacency, Model(counter.model))
    return found.squared_of_outputs(steps) / (2 * Fraction(counter.node_noise) ** 2)


def _of_recomputing(counter: TurnstileRecompute, steps: int) -> Fraction:
    """Each count has sensitivity 1: an element can exist at all computations in one stream alone."""
    return (steps // counter.period) / (2 * Fraction(counter.noise) ** 2)


def _of_factors(counter: CalibratedTurnstile, rule: Truncation, steps: int) -> Fraction:
    changes = differences(rule, counter.promise.adjacency, Model(counter.model), steps)
    return _largest(counter, changes, steps)


def _of_last_entries(counter: Presence, steps: int) -> Fraction:
    """Existence differs from one entry to the next one of the element, or to the end."""
    rows = [
        [int(place == begin) - int(place == end) for place in range(steps)]
        for begin in range(steps)
        for end in range(begin + 1, steps + 1)
    ]
    return _largest(counter, np.array(rows, dtype=np.int64), steps)


def _largest(counter: Any, changes: NDArray[np.int64], steps: int) -> Fraction:
    """The largest rho of differences of counts, for the covariance that the counter's noise has."""
    weights = noise_weights(counter, steps)
    lower = np.linalg.cholesky(weights @ weights.T)
    whitened = np.linalg.solve(lower, changes.cumsum(axis=1).T.astype(float))
    return Fraction(float((whitened**2).sum(axis=0).max(initial=0.0))) / 2


@dataclass
class _Draws:
    """A source of noise in which one draw is its standard deviation, and all others are 0."""

    place: int
    count: int = 0

    def gaussian(self, mean: Any, scale: float, size: int | None = None) -> Any:
        """The next draws."""
        if np.ndim(mean):
            size = np.size(mean)
        drawn = np.zeros(1 if size is None else size)
        if 0 <= self.place - self.count < drawn.size:
            drawn[self.place - self.count] = scale
        self.count += drawn.size
        return mean + float(drawn[0]) if size is None else mean + drawn


def noise_weights(counter: Any, steps: int) -> NDArray[np.float64]:
    """The weights of independent standard normal numbers in the outputs, from the counter's own code."""
    none = np.zeros(steps, dtype=np.int64)
    columns: list[NDArray[np.float64]] = []
    draws = 1
    while len(columns) < draws:
        source = _Draws(len(columns))
        columns.append(np.asarray(counter.follow(counter.create(source), none, none, source), dtype=float))
        draws = source.count
    return np.array(columns).T


@lru_cache(maxsize=32)
def differences(rule: Truncation, adjacency: Adjacency, model: Model, steps: int) -> NDArray[np.int64]:
    """The changes of all differences of the counted values of two neighbours of one element, each once."""
    layer: dict[tuple[Any, ...], set[Vector]] = {(START, rule.start, rule.start, 0): {()}}
    for _ in range(steps):
        after: dict[tuple[Any, ...], set[Vector]] = {}
        for (counts, one, other, gap), known in layer.items():
            for *state, shown_one, shown_other in rule.after(counts, one, other, adjacency, model):
                shown = shown_one - shown_other
                made = after.setdefault((*state, shown), set())
                made.update((*vector, shown - gap) for vector in known)
        layer = after
    found = sorted({vector for known in layer.values() for vector in known})
    return np.array(found, dtype=np.int64).reshape(len(found), steps)
