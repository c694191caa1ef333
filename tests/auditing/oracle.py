"""The best possible result of an audit: an adversary knows the distribution of every stream, and so the best pair and
event.

The distributions come from the exact check's enumeration of the code, not from runs. Where an output carries noise,
its line is cut into cells; then the best event is a set of cells with the largest ratios (Neyman and
Pearson), and only as many sets are to be looked at as there are cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from pan_audits.choices.distributions import GeometricDistribution
from pan_audits.choices.numbers import as_float
from pan_audits.exact.observation import Path
from pan_audits.exact.scope import Scope, adjacent, without
from pan_audits.exact.stepping import Stepper
from pan_audits.statistics import best_stake, growth, loss_lower_bound

_CELLS = 400
_SCALES = 8.0
_CONTENDERS = 12


@dataclass(frozen=True)
class Oracle:
    """The best that can be expected of an audit.

    Attributes
    ----------
    bound
        The largest lower bound on a loss, at the expected counts of the best event of the best pair.
    growth
        The largest growth of a bet against the promise, in nats per pair of runs.
    """

    bound: float
    growth: float


def oracle(mechanism, users, *, runs, error, length=2):
    """The best event over all pairs of streams with up to ``length`` updates, for ``runs`` runs a side."""
    stepper = Stepper(mechanism.estimator, tuple(mechanism.population[:users]))
    deletions = bool(getattr(mechanism.estimator, "deletions", False))
    exchangeable = bool(getattr(mechanism.estimator, "exchangeable_users", False))
    scope = Scope.of(mechanism.promise, users, length, deletions=deletions, exchangeable=exchangeable)
    seen, bounds, growths = set(), [(0.0, 0, 0)], [0.0]
    for schedule in scope.schedules:
        streams = [stream for size in range(length + 1) for stream in scope.streams(schedule, size)]
        distributions = _cells([stepper.distribution(stream) for stream in streams])
        for user in scope.subjects:
            for i, j in permutations(range(len(streams)), 2):
                apart = without(streams[i], user) == without(streams[j], user)
                if not apart or not adjacent(streams[i], streams[j], scope.adjacency):
                    continue
                key = distributions[i].tobytes(), distributions[j].tobytes()
                if key in seen:
                    continue
                seen.add(key)
                p, q = _events(distributions[i], distributions[j])
                bounds += _promising(p, q, runs)
                epsilon = float(mechanism.promise.epsilon)
                growths.append(float(growth(p, q, best_stake(p, q, epsilon=epsilon), epsilon=epsilon).max()))
    best = sorted(bounds, reverse=True)[:_CONTENDERS]
    shown = max(loss_lower_bound(x, runs, y, runs, error=error) for _, x, y in best)
    return Oracle(shown, max(growths))


def _events(p, q):
    """The probabilities of all sets of cells with the largest ratios, on both streams."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(p > 0, p / q, 0.0), kind="stable")
    return np.minimum(np.cumsum(p[order]), 1.0), np.minimum(np.cumsum(q[order]), 1.0)


def _promising(p, q, runs):
    """Expected counts of the most promising events, with roughly what they show."""
    deviation = np.sqrt((1 - p) / np.maximum(p, 1e-12) / runs + (1 - q) / np.maximum(q, 1e-12) / runs)
    with np.errstate(divide="ignore"):
        rough = np.log(p) - np.log(np.maximum(q, 1e-12)) - 3.0 * deviation
    return [(float(rough[place]), round(runs * p[place]), round(runs * q[place])) for place in np.argsort(-rough)[:2]]


def _cells(distributions):
    """For each distribution, the probabilities of the cells, which are the same for all."""
    paths = [
        path
        for distribution in distributions
        for mixture in distribution.values()
        for _, path in mixture
        if path.coordinates
    ]
    edges = np.array([])
    if paths:
        places = [float(path.coordinates[0].location) for path in paths]
        scale = max(_scale(path) for path in paths)
        low, high = min(places) - _SCALES * scale, max(places) + _SCALES * scale
        edges = np.linspace(low, high, _CELLS)
        if any(isinstance(path.coordinates[0].distribution, GeometricDistribution) for path in paths):
            edges = np.arange(math.floor(low), math.ceil(high)) + 0.5
    keys = list(dict.fromkeys(key for distribution in distributions for key in distribution))
    found = []
    for distribution in distributions:
        rows = np.zeros((len(keys), edges.size + 1))
        for row, key in zip(rows, keys, strict=True):
            for weight, path in distribution.get(key, ()):
                row += as_float(weight) * _masses(path, edges)
        found.append(rows.ravel())
    return found


def _scale(path: Path):
    (coordinate,) = path.coordinates
    distribution = coordinate.distribution
    if isinstance(distribution, GeometricDistribution):
        return max(1 / -math.log(_decay(distribution, step)) for step in (1, -1))
    return 1 / -math.log(_decay(distribution, 1))


def _decay(distribution, step):
    from fractions import Fraction

    return as_float(distribution.decay(Fraction(step)))


def _masses(path, edges):
    if not path.coordinates:
        return np.append(np.zeros(edges.size), 1.0)
    (coordinate,) = path.coordinates
    distribution, away = coordinate.distribution, edges - float(coordinate.location)
    if isinstance(distribution, GeometricDistribution):
        up, down = _decay(distribution, 1), _decay(distribution, -1)
        peak = (1 - up) * (1 - down) / (1 - up * down)
        steps = np.floor(away)
        below = peak * down ** np.maximum(-steps, 0) / (1 - down)
        above = 1 - peak * up ** (np.maximum(steps, 0) + 1) / (1 - up)
    else:
        rate = -math.log(_decay(distribution, 1))
        below, above = np.exp(-rate * np.abs(away)) / 2, 1 - np.exp(-rate * np.abs(away)) / 2
    total = np.where(away < 0, below, above)
    return np.diff(np.concatenate([[0.0], total, [1.0]]))
