"""Calibration of noise: the tight privacy loss of one cell, and the parameters that use up a promise.

Adjacent streams differ in one user's cell only. Given everything about the other users, an
adversary sees the user's bit at each intrusion, and for each release the integer count plus noise. The user's bit
moves the distribution f of that sum by one. With ``rho = f(k-1)/f(k)`` a release multiplies the likelihood of
the two values of the bit by 1 and rho. Averaging over the other users cannot widen a ratio.

For each observation, the likelihood under a pattern of appearances is affine in each release's rho
separately. The ratio of two such likelihoods is therefore monotone in each rho, and is largest for some
rho in ``{lo, hi}^R``, the ends of its range. Two-sided geometric noise with
``up = 1/hi`` and ``down = lo`` takes these values at every k. The loss computed here is therefore attained.

Reason for two-sided geometric noise: among all integer noises with ``lo <= rho_k <= hi`` it has the least
variance. Some distribution with mean c has a variance below v exactly if ``sum f(k) g(k) < 0`` for
``g(k) = (k-c)^2 - v``. Starting from any k, the sum over ``k+1, k+2, ...`` in units of f(k) is minimised
step by step from infinity: ``f(k+1)/f(k)`` must be greatest, ``1/lo``, where the sum from k+1 on is negative,
and least, ``1/hi``, where it is positive. It is positive beyond ``c + sqrt(v)``. Once it is negative it stays
so down to ``c - sqrt(v)``, where g is negative. To the right f hence grows at the greatest rate up to some place
and then falls at the greatest rate; likewise to the left. There is no valley: where f grows both to the left and
to the right of k, the sum to the left of k+1 is negative, and f falls from k to k+1 in no optimum. The result
is a geometric fall on both sides of one mode. The place of the mode does not change the variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.registry import promises
from pan_estimators.density.cell_loss import (
    MOST_ANNOUNCED,
    MOST_RELEASES,
    Pair,
    log_of,
    noise_limits,
    worst_ratio,
)
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.numerics import minimum_in_cube
from pan_promises.errors import InputError, require_count

_LEAST_BUDGET, _MOST_BUDGET = 1e-3, 20.0
"""Limits of a promised loss, for each look at the state and for the output."""
_BITS = 40
"""Probabilities of cells are multiples of 2**-40, so that every source of randomness draws them exactly."""
_MARGIN = 2.0**-44
"""The ratios of the noise are raised by this fraction, which outweighs all rounding of doubles."""
_SLACK = 1e-9


@dataclass(frozen=True)
class Calibration:
    """Cells and noise that keep a promise.

    Attributes
    ----------
    pairs
        The pair of probabilities after 0, 1, ... announced intrusions.
    flip
        The probability of a flip of each bit at an announced intrusion.
    up, down
        Ratios of the two-sided geometric noise on the count.
    loss
        The tight privacy loss in nats, at most the promised one.
    """

    pairs: tuple[BernoulliCells, ...]
    flip: float
    up: float
    down: float
    loss: float

    def squared_error(self, sample_size: int) -> float:
        """The worst mean squared error of a release around d(S_M), over all densities, after all announced intrusions.

        Parameters
        ----------
        sample_size
            Number m of cells, at least 1.
        """
        cells, m = self.pairs[-1], sample_size
        of_cells = max(p * (1 - p) for p in (cells.p_init, cells.p_upd))
        gap = cells.p_upd - cells.p_init
        return float((of_cells / m + noise_variance(self.up, self.down) / m**2) / gap**2)

    def variance_of_release(self, density: float, sampled: float) -> float:
        """The variance of a release around d(S_M) with no announced intrusion.

        Parameters
        ----------
        density
            The density d(S_M) of the sample.
        sampled
            Number m of cells, at least 1.
        """
        cells = self.pairs[0]
        present, absent = cells.p_upd * (1 - cells.p_upd), cells.p_init * (1 - cells.p_init)
        of_cells = (density * present + (1 - density) * absent) * sampled
        return (of_cells + float(noise_variance(self.up, self.down))) / (sampled * (cells.p_upd - cells.p_init)) ** 2

    def loss_of(self, *, deletions: bool, releases: int, sees_state: bool = True) -> float:
        """The tight privacy loss in nats, computed in fractions, of a part of the observations.

        Parameters
        ----------
        deletions
            Whether users are deleted too.
        releases
            Number of releases that are seen.
        sees_state
            Whether the state is seen.
        """
        return _loss_of(self, deletions, releases, sees_state)


@lru_cache(maxsize=64)
def _loss_of(calibration: Calibration, deletions: bool, releases: int, sees_state: bool) -> float:
    """Fractions are slow, and a counter asks again whenever it is made or read."""
    return log_of(
        worst_ratio(
            [(Fraction(cells.p_init), Fraction(cells.p_upd)) for cells in calibration.pairs],
            up=Fraction(calibration.up),
            down=Fraction(calibration.down),
            flip=Fraction(calibration.flip),
            deletions=deletions,
            releases=releases,
            sees_state=sees_state,
        )
    )


def noise_mean(up: float, down: float) -> float:
    """Mean of the integers with probability proportional to ``up**k`` and, below 0, ``down**(-k)``."""
    return up / (1 - up) - down / (1 - down)


def noise_variance(up: Any, down: Any) -> Any:
    """Variance of the integers with probability proportional to ``up**k`` and, below 0, ``down**(-k)``."""
    return up / (1 - up) ** 2 + down / (1 - down) ** 2


@promises
def calibrate_basic(*, promise_epsilon: float, sample_size: int) -> Calibration:
    """The pair and the noise with the least worst-case squared error for one intrusion and one release.

    The joint loss is at most the promised one, and at least that less ``1e-9`` of it. Probabilities and ratios are
    doubles, and the inequality is checked in fractions for exactly these doubles. The pair need not be
    symmetric: the search is over ``log A`` and ``log B``, the cost of the state, together with the noise that then
    remains. It minimises

        max(p0 q0, p1 q1)/(m gap^2) + Var(noise)/(m gap)^2.

    Parameters
    ----------
    promise_epsilon
        The promised loss, in nats, from 0.002 to 40.
    sample_size
        Number m of cells, at least 1.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """
    require_count("the sample size m", sample_size)
    return _calibrate_basic(checked_total(promise_epsilon), int(sample_size))


@lru_cache(maxsize=256)
def _calibrate_basic(total: float, m: int) -> Calibration:
    ratio = math.exp(total)

    def errors(shares: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(all="ignore"):
            p_init, p_upd = _pair_of_budgets(total * shares[:, 0], total * shares[:, 1])
            up, down = noise_limits(p_init, p_upd, ratio)
            of_cells = np.maximum(p_init * (1 - p_init), p_upd * (1 - p_upd))
            error = (of_cells / m + noise_variance(up, down) / m**2) / (p_upd - p_init) ** 2
            return np.where((up < 1) & (down < 1) & (up > 0) & (down > 0), error, np.inf)

    shares = minimum_in_cube(errors, 2, rounds=24)
    p_init, p_upd = map(float, _pair_of_budgets(*(total * shares)))
    return calibrate_noise(total, BernoulliCells(_rounded(p_init), _rounded(p_upd)))


def calibrate_pair(total: float, one: float, zero: float) -> Calibration:
    """The pair with given budgets of a seen bit, and the least noise for one intrusion and one release."""
    p_init, p_upd = map(float, _pair_of_budgets(total * one, total * zero))
    return calibrate_noise(total, BernoulliCells(_rounded(p_init), _rounded(p_upd)))


def calibrate_noise(total: float, cells: BernoulliCells) -> Calibration:
    """The least noise for one intrusion and one release of given cells."""
    total = checked_total(total)
    ratio, (p_init, p_upd) = safe_ratio(total), (Fraction(cells.p_init), Fraction(cells.p_upd))
    if p_upd >= ratio * p_init or 1 - p_init >= ratio * (1 - p_upd):
        raise InputError(f"the state alone loses {total!r} or more: choose two probabilities that are closer")
    up, down = (raised(limit) for limit in noise_limits(p_init, p_upd, ratio))
    return _verified((cells,), 0.0, up, down, total)


def calibrate_symmetric(
    total: float, sample_size: int, *, deletions: bool = False, announced: int = 0, releases: int = 1
) -> Calibration:
    """The symmetric pair and the discrete Laplace noise with the least worst-case squared error of the last release.

    The pair is ``p1 = 1 - p0``, the noise has ``up = down``, and every announced intrusion flips each bit
    with the same probability. The search is over the budget of the cells and the flip. The noise is the least
    for which the loss of :func:`tight_joint_loss` is at most ``total``, and at least that less ``1e-9`` of it. This
    is checked in fractions. With fewer announced intrusions the loss is not exceeded either.

    Parameters
    ----------
    total
        The promised loss of all observations, in nats. Divided by ``2 + announced``, it is from 0.001 to 20.
    sample_size
        Number m of cells, at least 1.
    deletions
        Whether users are deleted too.
    announced
        Number of announced intrusions, from 0 to 4.
    releases
        Number of releases that are seen, from 1 to 8.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """
    require_count("the number of announced intrusions", announced, least=0, most=MOST_ANNOUNCED)
    require_count("the number of releases", releases, most=MOST_RELEASES)
    require_count("the sample size m", sample_size)
    return _calibrate_symmetric(
        checked_total(total, 2 + announced), int(sample_size), bool(deletions), announced, releases
    )


@lru_cache(maxsize=256)
def _calibrate_symmetric(total: float, m: int, deletions: bool, announced: int, releases: int) -> Calibration:
    def kept(pairs: list[Pair], flip: Any, rate: NDArray[np.float64]) -> NDArray[np.bool_]:
        noise = np.exp(-rate)
        ratios = _ratios_of_prefixes(pairs, up=noise, down=noise, flip=flip, deletions=deletions, releases=releases)
        return np.atleast_1d(reduce(np.maximum, ratios) <= math.exp(total))

    def greatest_rate(pairs: list[Pair], flip: Any, size: int, steps: int) -> NDArray[np.float64]:
        """The rate at which the noise may decay, between 0, where releases show nothing, and ``log(2 e^total - 1)``.

        At the upper end a seen 0 and a release alone tell too much, as ``q1 + p1 hi <= e^total`` and ``p1 >= 1/2``.
        """
        low, high = np.zeros(size), np.full(size, math.log1p(2 * math.expm1(total)))
        for _ in range(steps):
            middle = (low + high) / 2
            holds = kept(pairs, flip, middle)
            low, high = np.where(holds, middle, low), np.where(holds, high, middle)
        return low

    def errors(shares: NDArray[np.float64]) -> NDArray[np.float64]:
        first, *_, flip = _chances(total * shares).T
        pairs = _symmetric_pairs(first, flip, announced)
        noise = np.exp(-greatest_rate(pairs, flip, len(shares), 24))
        p_init, p_upd = pairs[-1]
        with np.errstate(divide="ignore"):
            return np.asarray((p_init * p_upd / m + noise_variance(noise, noise) / m**2) / (p_upd - p_init) ** 2)

    # With no announced intrusion the flip has no effect.
    shares = minimum_in_cube(
        lambda shares: errors(np.column_stack([shares, shares[:, -1]])), 1 + (announced > 0), rounds=10
    )
    first, *_, flip = map(_rounded, _chances(total * np.append(shares, shares[-1])).tolist())
    pairs = [(low, 1 - low) for low in _safe_multiples(_symmetric_pairs(first, flip, announced))]
    (rate,) = greatest_rate(pairs, flip, 1, 60)
    noise = raised(math.exp(-rate))
    cells = tuple(BernoulliCells(*pair) for pair in pairs)
    return _verified(cells, flip if announced else 0.0, noise, noise, total, deletions=deletions, releases=releases)


def _verified(
    pairs: tuple[BernoulliCells, ...],
    flip: float,
    up: float,
    down: float,
    total: float,
    *,
    deletions: bool = False,
    releases: int = 1,
) -> Calibration:
    """The calibration, after its loss was computed in fractions and is in the allowed range."""
    exact = [(Fraction(cells.p_init), Fraction(cells.p_upd)) for cells in pairs]
    noise = {"up": Fraction(up), "down": Fraction(down)}
    ratio = max(_ratios_of_prefixes(exact, **noise, flip=Fraction(flip), deletions=deletions, releases=releases))
    loss = log_of(ratio)
    if ratio > safe_ratio(total) or loss < total * (1 - _SLACK):
        raise InputError(f"no noise with a loss of {total!r} was found, only {loss!r}; choose another budget")
    return Calibration(pairs, flip, up, down, loss)


def safe_ratio(total: float) -> Fraction:
    """A fraction just below ``exp(total)``, for a total that is itself rounded."""
    return Fraction(math.exp(total)) * (1 - Fraction(4 + math.ceil(total), 2**52))


def raised(ratio: Any) -> float:
    """A double above a ratio of the noise and below 1, which means slightly more noise."""
    return min(float(ratio) * (1 + _MARGIN), math.nextafter(1.0, 0.0))


def _rounded(probability: float) -> float:
    units: int = 2**_BITS
    return min(max(round(probability * units), 1), units - 1) / units


def _pair_of_budgets(one: Any, zero: Any) -> Pair:
    """The pair with ``p1/p0 = exp(one)`` and ``q0/q1 = exp(zero)``."""
    p_init = np.expm1(zero) / np.expm1(one + zero)
    return p_init, np.exp(one) * p_init


def _ratios_of_prefixes(pairs: Sequence[Pair], **parameters: Any) -> list[Any]:
    """The worst ratio with none, one, ... and all of the announced intrusions."""
    return [worst_ratio(pairs[:used], **parameters) for used in range(1, len(pairs) + 1)]


def _chances(budgets: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probabilities of the less likely of two bits whose odds are the exponentials of the budgets."""
    return np.asarray(1 / (1 + np.exp(np.minimum(budgets, _BITS * math.log(2)))))


def _symmetric_pairs(p_init: Any, flip: Any, announced: int) -> list[Pair]:
    gaps = [(1 - 2 * p_init) * (1 - 2 * flip) ** used for used in range(announced + 1)]
    return [((1 - gap) / 2, (1 + gap) / 2) for gap in gaps]


def _safe_multiples(pairs: list[Pair]) -> list[float]:
    """The lower probabilities as multiples of 2**-52, of which 1 minus each is a double as well."""
    return [round(p_init * 2.0**52) / 2.0**52 for p_init, _ in pairs]


def checked_total(total: float, looks: int = 2) -> float:
    """A promised loss as a double, if a calibration for it exists. States and outputs are seen so many times."""
    if not isinstance(total, (int, float)) or isinstance(total, bool):
        raise InputError(f"the promised epsilon must be a number of nats, got {total!r}")
    value = float(min(total, 2**40))
    if not _LEAST_BUDGET <= value / looks <= _MOST_BUDGET:
        raise InputError(
            f"the promised epsilon must lie between {looks * _LEAST_BUDGET:g} and {looks * _MOST_BUDGET:g} here, "
            f"got {total!r}"
        )
    return value
