"""The information of an observation about one user when the updates of all others are known, and its upper limit.

Every user has a cell, so that the target's bit is among those seen. Given the behaviour of all others, the adversary
sees two things of the target: that bit, and the excess of the noisy count at the release over the ones that were seen
and not drawn afresh. The excess is a binomial number of fresh ones, plus the target's own bit, plus noise. With g the
distribution of the fresh ones of others plus noise, its distribution is ``g(x - bit)`` if the target did not appear
after the intrusion and ``q1 g(x) + p1 g(x - 1)`` if so: all depends on ``rho = g(x-1)/g(x)`` alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter
from scipy.stats import binom

from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.sampled_cells import CalibratedCells, SampledCells
from pan_promises.errors import InputError

_BITS = 256

Floats = NDArray[np.float64]
Ball = Any
"""An ``arb`` of FLINT: a real number enclosed in an interval."""
CellEstimator = SampledCells | CalibratedCells


class Pattern(StrEnum):
    """The appearances of one user: the four patterns that an adversary wants to distinguish."""

    NEVER = "never"
    BEFORE = "before"
    AFTER = "after"
    BOTH = "before and after"

    @property
    def seen_before(self) -> bool:
        """Whether the user appears before the intrusion."""
        return self in (Pattern.BEFORE, Pattern.BOTH)

    @property
    def seen_after(self) -> bool:
        """Whether the user appears between the intrusion and the release."""
        return self in (Pattern.AFTER, Pattern.BOTH)


class Visible(StrEnum):
    """The observation of a run."""

    STATE = "state alone"
    OUTPUT = "output alone"
    BOTH = "state and output"


@dataclass(frozen=True)
class NoisyCount:
    """A random count plus two-sided exponential noise: its log-density up to one constant."""

    above: Floats
    below: Floats
    up: float
    down: float

    @staticmethod
    def of(weights: Floats, up: float, down: float) -> NoisyCount:
        """The distribution for a count with these probabilities of 0, 1, ...."""
        above = lfilter([1.0], [1.0, -math.exp(-up)], weights)
        below = lfilter([1.0], [1.0, -math.exp(-down)], weights[::-1])[::-1]
        return NoisyCount(above, below, up, down)

    def log_density(self, values: Floats) -> Floats:
        """The log-density in nats, up to a constant. For integer noise, values are integers."""
        last = self.above.size - 1
        left, right = np.clip(np.floor(values), 0, last), np.clip(np.floor(values) + 1, 0, last)
        with np.errstate(over="ignore"):
            of_left = np.where(values >= 0, self.above[left.astype(int)] * np.exp(-self.up * (values - left)), 0)
            of_right = np.where(values < last, self.below[right.astype(int)] * np.exp(self.down * (values - right)), 0)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(of_left + of_right))


@dataclass(frozen=True)
class UserDistribution:
    """The distribution of the observations of one user, for an estimator with a bit for each user of the universe."""

    cells: BernoulliCells
    up: float
    down: float
    limits: tuple[Fraction, Fraction]
    logarithms: bool

    def log_densities(
        self, pattern: Pattern, seen: Visible, bits: NDArray[np.bool_], values: Floats, distribution: NoisyCount
    ) -> Floats:
        """Log-density of each observation of the target, up to a number that is the same for all patterns."""
        p_init, p_upd = self.cells.p_init, self.cells.p_upd
        with np.errstate(invalid="ignore"):
            zero, one = distribution.log_density(values), distribution.log_density(values - 1)
        if seen is Visible.OUTPUT:
            final = p_upd if pattern is not Pattern.NEVER else p_init
            return np.logaddexp(math.log1p(-final) + zero, math.log(final) + one)
        chance = p_upd if pattern.seen_before else p_init
        result = np.where(bits, math.log(chance), math.log1p(-chance))
        if seen is Visible.STATE:
            return result
        redrawn = np.logaddexp(math.log1p(-p_upd) + zero, math.log(p_upd) + one)
        return result + (redrawn if pattern.seen_after else np.where(bits, one, zero))

    def worst_ratio(self, truth: Pattern, other: Pattern, seen: Visible) -> Ball:
        """The supremum over all observations of P(observation | truth) / P(observation | other).

        The ratio is one of two linear functions of rho, hence monotone in it. For every number of other fresh
        draws, rho comes arbitrarily near to both of its limits: at counts below all and above all.
        """
        return max(self._ratios(truth, other, seen), key=lambda ratio: float(ratio.mid()))

    def worst_loss(self, truth: Pattern, other: Pattern, seen: Visible) -> float:
        """The logarithm of :meth:`worst_ratio`, in nats."""
        return float(self.worst_ratio(truth, other, seen).log().mid())

    def exceeds(self, epsilon: float) -> bool:
        """Whether the joint loss of any two patterns exceeds a bound, decided by balls."""
        bound = exact(Fraction(epsilon)).exp()
        ratios = [r for x in Pattern for y in Pattern if x != y for r in self._ratios(x, y, Visible.BOTH)]
        if any(bool(ratio > bound) for ratio in ratios):
            return True
        if all(bool(ratio <= bound) for ratio in ratios):
            return False
        raise InputError(
            f"the loss is so close to {epsilon!r} that the comparison is undecided; choose another epsilon"
        )

    def _ratios(self, truth: Pattern, other: Pattern, seen: Visible) -> Iterator[Ball]:
        for bit in (0, 1):
            for limit in self.limits:
                rho = exact(limit).exp() if self.logarithms else exact(limit)
                yield self._weight(truth, seen, bit, rho) / self._weight(other, seen, bit, rho)

    def _weight(self, pattern: Pattern, seen: Visible, bit: int, rho: Ball) -> Ball:
        p_init, p_upd = exact(Fraction(self.cells.p_init)), exact(Fraction(self.cells.p_upd))
        final = p_upd if pattern is not Pattern.NEVER else p_init
        if seen is Visible.OUTPUT:
            return (1 - final) + final * rho
        chance = p_upd if pattern.seen_before else p_init
        weight = chance if bit else 1 - chance
        if seen is Visible.STATE:
            return weight
        kept = rho if bit else exact(Fraction(1))
        return weight * ((1 - p_upd) + p_upd * rho if pattern.seen_after else kept)


def user_distribution(estimator: CellEstimator) -> UserDistribution:
    """The distribution for an estimator of bits whose every user is sampled, with one release."""
    cells = estimator.cells
    if not isinstance(cells, BernoulliCells) or estimator.sample_size != estimator.universe.size:
        raise InputError(f"{estimator.name} must keep one bit for each user of the universe here")
    if isinstance(estimator, CalibratedCells):
        up, down = Fraction(estimator.up), Fraction(estimator.down)
        return UserDistribution(cells, -math.log(up), -math.log(down), (down, 1 / up), logarithms=False)
    gap = Fraction(cells.p_upd) - Fraction(cells.p_init)
    rate = 1 / (estimator.sample_size * gap * Fraction(estimator.noise_scale))
    return UserDistribution(cells, float(rate), float(rate), (-rate, rate), logarithms=True)


def fresh_ones(number: int, probability: float) -> Floats:
    """Probabilities of 0, 1, ..., ``number`` ones among ``number`` fresh bits."""
    return np.asarray(binom.pmf(np.arange(number + 1), number, probability))


def loss_of_appearances(p_upd: float, appearances: Any) -> Any:
    """The loss of k appearances right before the intrusion with distinct sampling, in nats: ``-k log(1 - p_upd)``.

    It is the exact loss of the event that the state has level 0 and one member less than would fill it, the
    target not among them: each appearance would have made it a member, and raised the level, with probability
    p_upd, and nothing undoes that. See ``density.ppds_privacy``.
    """
    return -appearances * math.log1p(-p_upd)


def exact(value: Fraction) -> Ball:
    """A ball around a fraction."""
    flint.ctx.prec = max(flint.ctx.prec, _BITS)
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def certainty(loss: Any) -> Any:
    """The certainty about one of two equally likely alternatives after a loss in nats."""
    return 1 / (1 + np.exp(-np.abs(loss)))
