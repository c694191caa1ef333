"""The coverage of the intervals of distinct counters under thousands of keys, for the page of errors.

The touched cells of a level are drawn from their exact distribution, by the times at which balls fill new cells. The
likelihood of many outputs is computed at once. An interval covers the truth if the likelihood there is not too small:
this is how the counter finds its ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from joblib import Parallel, delayed

from pan_estimators import HashedUniverse
from pan_estimators.density.distinct.likelihood import LARGEST_RELATIVE_ERROR, LEAST_FIT
from pan_estimators.density.distinct.output import BEYOND
from pan_estimators.density.distinct.presets import UNIVERSE, planned_counter

CHUNK = 250
REACH = 1.959963984540054


@dataclass(frozen=True)
class CoverCase:
    """A counter: its promised loss in nats, its memory in bytes, and its planned range."""

    loss: float
    memory: int
    least: float
    most: float

    @property
    def text(self):
        return f"{self.loss:g} | {self.memory:,} | {self.least:.0e} .. {self.most:.0e}"


COVER_CASES = (
    CoverCase(1, 2**13, 1e4, 1e9),
    CoverCase(1, 2**13, 1e3, 1e9),
    CoverCase(1, 2**13, 1e2, 1e5),
    CoverCase(2, 2**13, 1e4, 1e9),
    CoverCase(0.5, 2**13, 1e4, 1e9),
    CoverCase(0.2, 2**13, 1e4, 1e9),
    CoverCase(1, 2**16, 1e5, 1e8),
    CoverCase(1, 2**10, 1e4, 1e9),
    CoverCase(2, 2**10, 1e2, 1e5),
    CoverCase(0.2, 2**10, 1e2, 1e5),
    CoverCase(1, 2**7, 1e4, 1e9),
    CoverCase(1, 2**7, 1e2, 1e5),
    CoverCase(2, 2**7, 1e3, 1e9),
)
USERS = tuple(sorted({10**power for power in range(1, 10)} | {round(10 ** (power + 0.5)) for power in range(2, 9)}))


@cache
def counter_of(case):
    return planned_counter(
        total=case.loss,
        bits=8 * case.memory,
        least=case.least,
        most=case.most,
        universe=HashedUniverse(UNIVERSE, bytes(16)),
    )


def touched_numbers(geometry, users, generator):
    """The number of touched cells of each level for several numbers of users under one key: ``(users, levels)``."""
    shares = geometry.rates * geometry.widths
    chances = np.append(shares, max(0.0, 1 - shares.sum()))
    balls = np.array([generator.multinomial(n, chances)[:-1] for n in users])
    found = np.empty(balls.shape, dtype=np.int64)
    for place, level in enumerate(geometry.levels):
        # The number of balls until the next empty cell is filled is geometric.
        times = np.cumsum(generator.geometric(np.arange(level.cells, 0, -1) / level.cells).astype(np.float64))
        found[:, place] = np.searchsorted(times, balls[:, place], side="right")
    return found


def released_counts(counter, touched, generator):
    """The noisy counts for numbers of touched cells, of any shape ``(..., levels)``."""
    widths, noise = counter.geometry.widths.astype(np.int64), counter.calibration
    ones = generator.binomial(widths - touched, counter.cells.p_init) + generator.binomial(touched, counter.cells.p_upd)
    up, down = (generator.geometric(1 - ratio, ones.shape) for ratio in (noise.up, noise.down))
    return (ones + up - down).astype(np.float64)


class ManyOutputs:
    """The likelihood of many outputs of one counter."""

    def __init__(self, distribution, counts):
        self.distribution, self.counts = distribution, counts
        self.grid = distribution._grid()

    def at(self, users):
        """The deviance of each output at a number of users of its own, and its squared distance."""
        residuals = self.counts - self.distribution.means(users)
        variances, slopes = self.distribution.variances(users), self.distribution.slopes(users)
        weighted = slopes / variances
        rest = np.maximum(1 - (slopes * weighted).sum(axis=1) / users, 1e-12)
        squares = (residuals**2 / variances).sum(axis=1) + (residuals * weighted).sum(axis=1) ** 2 / (users * rest)
        return squares + np.log(variances).sum(axis=1) + np.log(rest), squares

    def on_grid(self):
        """The deviance of each output at each number of the grid, by products of matrices: ``(outputs, grid)``."""
        means, variances, slopes = (
            self.distribution.means(self.grid),
            self.distribution.variances(self.grid),
            self.distribution.slopes(self.grid),
        )
        weighted = slopes / variances
        rest = np.maximum(1 - (slopes * weighted).sum(axis=1) / self.grid, 1e-12)
        squares = self.counts**2 @ (1 / variances).T - 2 * self.counts @ (means / variances).T
        squares = squares + (means**2 / variances).sum(axis=1)
        along = self.counts @ weighted.T - (means * weighted).sum(axis=1)
        return squares + along**2 / (self.grid * rest) + np.log(variances).sum(axis=1) + np.log(rest)

    def fitted(self):
        """The estimate, its deviance and squared distance, and the deviance at the end of the grid, of each output."""
        coarse = self.on_grid()
        place = coarse.argmin(axis=1)
        low, high = (np.log(self.grid[np.clip(place + step, 0, self.grid.size - 1)]) for step in (-1, 1))
        golden = (np.sqrt(5) - 1) / 2
        for _ in range(32):
            left, right = high - golden * (high - low), low + golden * (high - low)
            lower = self.at(np.exp(left))[0] < self.at(np.exp(right))[0]
            low, high = np.where(lower, low, left), np.where(lower, right, high)
        best = np.exp((low + high) / 2)
        deviance, squares = self.at(best)
        return best, np.minimum(deviance, coarse.min(axis=1)), squares, coarse[:, -1]


def covered(case, users, counts):
    """For each output whether its interval holds the number of users, and whether it is reliable."""
    from scipy.stats import chi2

    counter = counter_of(case)
    distribution, outputs = counter.distribution, ManyOutputs(counter.distribution, counts)
    best, least, squares, last = outputs.fitted()
    far = least + REACH**2
    inside = outputs.at(np.full(len(counts), float(users)))[0] <= far
    fit = chi2.sf(squares, counts.shape[1] - 1) if counts.shape[1] > 1 else np.ones(len(counts))
    error = np.sqrt(distribution.relative_variance(best))
    best = np.where(best < 2 * outputs.grid[0], 0, best)
    reliable = (fit >= LEAST_FIT) & (last > far) & (error <= LARGEST_RELATIVE_ERROR) & (best > 0)
    return inside, reliable & (case.least / BEYOND <= best) & (best <= case.most * BEYOND)


def some_keys(case, seed, keys):
    counter, generator = counter_of(case), np.random.default_rng([seed, case.memory, round(100 * case.loss)])
    touched = np.array([touched_numbers(counter.geometry, USERS, generator) for _ in range(keys)])
    counts = released_counts(counter, touched, generator)
    return np.array([covered(case, n, counts[:, place]) for place, n in enumerate(USERS)])


def measured_coverage(jobs, keys):
    """For each case an array of shape ``(users, 2, keys)``: whether the truth is inside, and whether it is reliable."""
    tasks = [(case, seed) for case in COVER_CASES for seed in range(-(-keys // CHUNK))]
    found = Parallel(n_jobs=jobs)(delayed(some_keys)(case, seed, CHUNK) for case, seed in tasks)
    return {
        case: np.concatenate([one for (other, _), one in zip(tasks, found, strict=True) if other == case], axis=2)
        for case in COVER_CASES
    }
