"""Probabilities of many neighbouring counts of one binomial law, for many chances at once.

The saddle-point form of the probability (Loader 2000): with ``d(x) = log x! - log(sqrt(2 pi x) (x/e)^x)``,
``P(x) = sqrt(n/(2 pi x (n - x))) exp(d(n) - d(x) - d(n - x) - x log(x/(n p)) - (n - x) log((n - x)/(n (1 - p))))``.
It needs no difference of large numbers. Only the last two terms depend on the chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SMALLEST = 1e-300
_SERIES_FROM = 32.0


@dataclass(frozen=True, eq=False)
class Counts:
    """The counts from ``first`` to ``last`` among ``runs``.

    Attributes
    ----------
    runs
        Number of runs.
    first, last
        The ends, from 0 to ``runs``.
    counts
        All of the counts.
    constant
        The logarithms of the factors that do not depend on the chance.
    """

    runs: int
    first: int
    last: int
    counts: Floats
    constant: Floats

    @classmethod
    def between(cls, runs: int, first: int, last: int) -> Counts:
        """The counts between two ends, both included."""
        counts = np.arange(first, last + 1, dtype=np.float64)
        others = runs - counts
        inside = (counts > 0) & (others > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            root = 0.5 * np.log(runs / (2 * np.pi * counts * others))
        rest = _beyond_stirling(np.array([float(runs)])) - _beyond_stirling(counts) - _beyond_stirling(others)
        return cls(runs, first, last, counts, np.where(inside, root + rest, 0.0))

    def masses(self, chances: Floats) -> Floats:
        """The probability of each count (a column), for each chance (a row)."""
        from scipy.special import xlogy

        chance = np.maximum(chances, _SMALLEST)[:, None]
        other = np.maximum(1 - chances, _SMALLEST)[:, None]
        rest = self.runs - self.counts
        happened = xlogy(self.counts, self.counts / (self.runs * chance))
        return np.asarray(np.exp(self.constant - happened - xlogy(rest, rest / (self.runs * other))))

    def below(self, chances: Floats) -> Floats:
        """The probability of a count before the first."""
        from scipy.special import betaincc

        if self.first == 0:
            return np.zeros(chances.shape)
        return np.asarray(betaincc(self.first, self.runs - self.first + 1, chances))

    def above(self, chances: Floats) -> Floats:
        """The probability of a count after the last."""
        from scipy.special import betainc

        if self.last == self.runs:
            return np.zeros(chances.shape)
        return np.asarray(betainc(self.last + 1, self.runs - self.last, chances))


def _beyond_stirling(counts: Floats) -> Floats:
    """``log x!`` without Stirling's ``log(sqrt(2 pi x) (x/e)^x)``; 0 for 0."""
    from scipy.special import gammaln

    small = np.clip(counts, 1.0, _SERIES_FROM)
    exact = gammaln(small + 1) - 0.5 * np.log(2 * np.pi * small) - small * np.log(small) + small
    large = np.maximum(counts, _SERIES_FROM)
    inverse = 1 / large**2
    series = (1 / 12 - (1 / 360 - (1 / 1260 - inverse / 1680) * inverse) * inverse) / large
    return np.where(counts <= 0, 0.0, np.where(counts < _SERIES_FROM, exact, series))
