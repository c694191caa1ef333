"""Roots, curves and distributions, for an installation without scipy."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


def root(function: Callable[[float], float], low: float, high: float, *, tolerance: float) -> float:
    """The place at which a continuous function changes its sign (Chandrupatla 1997)."""
    last, opposite = low, high
    at_last, at_opposite = function(low), function(high)
    if at_last * at_opposite > 0:
        raise ValueError(f"the function has the same sign at {low} and at {high}")
    part = 0.5
    while True:
        best, least = (last, at_last) if abs(at_last) < abs(at_opposite) else (opposite, at_opposite)
        width = abs(opposite - last)
        allowed = tolerance + 4 * sys.float_info.epsilon * abs(best)
        if least == 0 or width <= 2 * allowed:
            return best
        margin = allowed / width
        part = min(max(part, margin), 1 - margin)
        new = last + part * (opposite - last)
        at_new = function(new)
        if math.copysign(1, at_new) == math.copysign(1, at_last):
            before, at_before = last, at_last
        else:
            before, at_before = opposite, at_opposite
            opposite, at_opposite = last, at_last
        last, at_last = new, at_new
        part = _interpolated(last, opposite, before, at_last, at_opposite, at_before)


def _interpolated(a: float, b: float, c: float, at_a: float, at_b: float, at_c: float) -> float:
    """The part of the way from a to b at which the inverse quadratic through three points is 0, or 1/2.

    The inverse quadratic is used if it is monotone between the ends.
    """
    if at_a == at_c or at_b == at_c or b == c:
        return 0.5
    place, value = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
    if not (value * value < place and (1 - value) ** 2 < 1 - place):
        return 0.5
    first = at_a / (at_b - at_a) * (at_c / (at_b - at_c))
    return first + (c - a) / (b - a) * (at_a / (at_c - at_a)) * (at_b / (at_c - at_b))


Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MonotoneCurve:
    """The piecewise cubic of Fritsch and Butland (1984), called PCHIP.

    Attributes
    ----------
    places
        Strictly increasing, at least two.
    values
        The values at the places.
    slopes
        The derivatives at the places.
    """

    places: Floats
    values: Floats
    slopes: Floats

    @classmethod
    def through(cls, places: NDArray[Any], values: Floats) -> MonotoneCurve:
        """The curve through these points."""
        x, y = places.astype(np.float64), values.astype(np.float64)
        steps = np.diff(x)
        chords = np.diff(y) / steps
        if chords.size == 1:
            return cls(x, y, np.repeat(chords, 2))
        slopes = np.zeros(x.size)
        same = np.sign(chords[1:]) * np.sign(chords[:-1]) > 0
        # The weighted harmonic mean of the two chords, in which the longer one has less weight.
        before, after = (2 * steps[1:] + steps[:-1])[same], (steps[1:] + 2 * steps[:-1])[same]
        slopes[1:-1][same] = (before + after) / (before / chords[:-1][same] + after / chords[1:][same])
        slopes[0] = _end(steps[0], steps[1], chords[0], chords[1])
        slopes[-1] = _end(steps[-1], steps[-2], chords[-1], chords[-2])
        return cls(x, y, slopes)

    def __call__(self, places: NDArray[Any]) -> Floats:
        """The values of the curve, at places between the first and the last one."""
        at = np.clip(np.searchsorted(self.places, places, side="right") - 1, 0, self.places.size - 2)
        step = self.places[at + 1] - self.places[at]
        part = (places - self.places[at]) / step
        rest = 1 - part
        ends = self.values[at] * (1 + 2 * part) * rest**2 + self.values[at + 1] * (3 - 2 * part) * part**2
        bends = step * part * rest * (self.slopes[at] * rest - self.slopes[at + 1] * part)
        return np.asarray(ends + bends, dtype=np.float64)


def _end(step: float, next_step: float, chord: float, next_chord: float) -> float:
    """The slope at an end, from three points, limited so that the curve stays monotone."""
    slope = ((2 * step + next_step) * chord - step * next_chord) / (step + next_step)
    if np.sign(slope) != np.sign(chord):
        return 0.0
    if np.sign(chord) != np.sign(next_chord) and abs(slope) > 3 * abs(chord):
        return 3 * chord
    return slope


def minimum_in_cube(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]], dimensions: int, *, rounds: int
) -> NDArray[np.float64]:
    """The minimiser in the open unit cube: a grid, then ever smaller grids around its best point."""
    points, centre, reach = 33 if dimensions == 1 else 25, np.full(dimensions, 0.5), 0.5
    best, least = centre, math.inf
    for _ in range(rounds):
        ticks = reach * np.linspace(-1, 1, points)
        grid = np.stack(np.meshgrid(*[ticks] * dimensions), axis=-1).reshape(-1, dimensions) + centre
        grid = grid[np.all((grid > 1e-4) & (grid < 1 - 1e-4), axis=1)]
        values = function(grid)
        place = int(np.nanargmin(values))
        if values[place] < least:
            best, least = grid[place], float(values[place])
        centre, reach, points = best, 3 * reach / (points - 1), 9
    return best


_NOTHING = 14.0
"""Terms below ten to the power of minus this number are left out."""


def binomial(trials: int, probability: float) -> tuple[int, Floats]:
    """The least number within twelve standard deviations of the mean, and the probabilities from there on.

    They come from the ratios ``p(k+1)/p(k) = (n-k)p/((k+1)(1-p))``, because factorials of many trials would
    cancel to nothing. Probabilities further away are below the precision of a double.
    """
    mean, spread = trials * probability, math.sqrt(trials * probability * (1 - probability)) + 1
    low, high = max(0, math.floor(mean - 12 * spread)), min(trials, math.ceil(mean + 12 * spread))
    k = np.arange(low, high)
    ratios = (trials - k) / (k + 1.0) * (probability / (1 - probability))
    logarithms = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    weights = np.exp(logarithms - logarithms.max())
    return low, weights / weights.sum()


def distribution_of_sum(first: Floats, second: Floats) -> Floats:
    """The probabilities of the sum of two independent counts, by the fast Fourier transform."""
    size = first.size + second.size - 1
    room = 1 << (size - 1).bit_length()
    product = np.fft.rfft(first, room) * np.fft.rfft(second, room)
    return np.clip(np.fft.irfft(product, room)[:size], 0, None)


def laplace_sum_cdf(values: Floats, terms: int) -> Floats:
    """P(sum <= value) for a sum of independent Laplace variables of mean 0 and scale 1.

    The characteristic function ``(1 + t^2)^-n`` is inverted by the midpoint rule (Davies 1973). With steps of
    ``2 pi/P`` the error of the rule is at most the probability of a sum beyond ``P - abs(value)``, here below 1e-16.
    The omitted terms are below 1e-14.
    """
    reach = 12 * math.sqrt(2 * terms) + 40
    step, top = math.pi / reach, math.sqrt(math.expm1(_NOTHING * math.log(10) / terms))
    halves = np.arange(math.ceil(top / step)) + 0.5
    weights = np.exp(-terms * np.log1p((halves * step) ** 2)) / halves
    inside = np.clip(values, -reach, reach)
    sums = np.array([np.sin(halves * (step * value)) @ weights for value in inside.tolist()])
    return np.where(np.abs(values) < reach, np.clip(0.5 + sums / math.pi, 0, 1), values > 0)


def chi_squared_tail(value: float, degrees: int) -> float:
    """The probability that a chi-squared variable exceeds a value."""
    half = value / 2
    if degrees % 2:
        tail, term, order = math.erfc(math.sqrt(half)), math.sqrt(half) * 2 / math.sqrt(math.pi), 1.5
    else:
        tail, term, order = 0.0, 1.0, 1.0
    # Q(a+1, x) = Q(a, x) + x^a e^-x / Gamma(a+1), from Q(1/2, x) = erfc(sqrt x) or Q(0, x) = 0.
    total = 0.0
    for _ in range(degrees // 2):
        total += term
        term *= half / order
        order += 1
    return min(1.0, tail + total * math.exp(-half))
