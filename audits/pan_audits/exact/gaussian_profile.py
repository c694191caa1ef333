"""The privacy profile of outputs with Gaussian noise.

The delta of a budget for an output with discrete Gaussian noise: a sum over the integers.

Observations with Gaussian noise: the delta of a budget, and the largest ratio.

Two mixtures of Gaussian distributions with one covariance differ by a weighted sum of bells. The sum has at most as
many zeros as its weights, in the order of their places, have changes of sign, because the Gaussian kernel is totally
positive (Karlin 1968, chapter 5). So the positive part is known as soon as that many changes of sign are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from flint import arb, fmpq

from pan_audits.choices.distributions import (
    CutGaussianDistribution,
    DiscreteGaussianDistribution,
    GaussianDistribution,
)
from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.choices.numbers import ONE, ZERO, Number, as_ball, greater, rational, standard_mass
from pan_audits.exact.observation import Allowed, Extreme, Mixture, Path, ordered_pairs

_DEVIATIONS = 20
"""Standard deviations beyond the outermost places that are summed. The rest is less than ``exp(-200)``."""

_MOST_VALUES = 20_000


def discrete_part(parts: Sequence[tuple[Number, Path]]) -> Number:
    """The integral of the positive part of a weighted sum of distributions with discrete Gaussian noise."""
    kinds = {tuple((one.slope, one.distribution) for one in path.coordinates) for _, path in parts}
    (kind, *others) = kinds
    if others or len(kind) > 1 or not isinstance(distribution := kind[0][1], DiscreteGaussianDistribution):
        raise UnfollowableError("delta is computed for one output with discrete Gaussian noise of one variance")
    places = [path.coordinates[0].location.numerator for _, path in parts]
    reach = _reach(distribution.variance)
    low, high = min(places) - reach, max(places) + reach
    if high - low > _MOST_VALUES:
        raise TooLargeError(f"the output has more than {_MOST_VALUES:,} likely values of discrete Gaussian noise")
    heights = _heights(distribution.variance, max(places) - min(places) + reach)
    total: Number = ZERO
    for value in range(low, high + 1):
        height = sum((w * heights[abs(value - place)] for (w, _), place in zip(parts, places, strict=True)), ZERO)
        # A sum whose sign is not known is 0 up to the precision of the balls.
        if greater(height, ZERO):
            total = total + height
    return total


def _reach(variance: Fraction) -> int:
    return int(_DEVIATIONS * float(variance) ** 0.5) + 2


@lru_cache(maxsize=64)
def _heights(variance: Fraction, most: int) -> list[arb]:
    """The probabilities of 0, 1, and so on, with a ball that covers the part of the sum that is left out."""
    rate = as_ball(fmpq(1) / (2 * rational(variance)))
    reach = max(most, _reach(variance))
    heights = [(-rate * value**2).exp() for value in range(reach + 1)]
    # Beyond the last value the terms fall at least as a geometric series with this ratio.
    ratio = (-rate * (2 * reach + 1)).exp()
    rest = heights[-1] * ratio / (1 - ratio)
    norm = heights[0] + 2 * sum(heights[1:], arb(0)) + 2 * rest * arb(0.5, 0.5)
    return [height / norm for height in heights]


Bells: TypeAlias = list[tuple[Number, Number]]
"""Weights and places, in standard deviations, on a line."""

Ends: TypeAlias = tuple[arb | None, arb | None]
"""The ends of the part of that line on which the bells are; ``None`` is infinite."""

_PLACES_OF_A_GAP = 32
_FAR = 64
"""Distance from the outermost place, in standard deviations over the smallest gap, where only that place matters."""

_HALVINGS = 160
_SUBDIVISIONS = 24
"""Most halvings of an interval without a change of sign, until the sum is seen to have no zero in it."""


def has_gaussian_noise(mixtures: Iterable[Mixture]) -> bool:
    """Whether some observed number carries Gaussian noise."""
    paths = (path for mixture in mixtures for _, path in mixture)
    return any(isinstance(one.distribution, _GAUSSIAN) for path in paths for one in path.coordinates)


def gaussian_part(left: Mixture, right: Mixture, factor: Number) -> Number:
    """The integral of the positive part of ``left - factor * right``."""
    if not right or not left:
        return sum((weight for weight, _ in left), ZERO)
    signed = [*left, *((-factor * weight, path) for weight, path in right)]
    if any(
        isinstance(one.distribution, DiscreteGaussianDistribution) for _, path in signed for one in path.coordinates
    ):
        return discrete_part(signed)
    return _positive_part(*_on_a_line(signed))


def largest_gaussian_ratio(mixtures: Sequence[Mixture], allowed: Allowed | None) -> Extreme | None:
    """The supremum of the ratio of two densities; it is infinite unless both have their outermost places in common."""
    best: Extreme | None = None
    for high, low in ordered_pairs(mixtures, allowed):
        above, below = mixtures[high], mixtures[low]
        size = len(above[0][1].coordinates)
        if not below:
            return Extreme(None, high, low, ("any value",) * size, True, (ONE, ZERO))
        bells, ends = _on_a_line([*above, *below])
        ours, theirs = _summed(bells[: len(above)]), _summed(bells[len(above) :])
        if _outside(ours, theirs, ends):
            return Extreme(None, high, low, ("tending to infinity",) * size)
        for ratio, attained, words in _ratios(ours, theirs, ends):
            if best is None or best.ratio is None or greater(ratio, best.ratio):
                best = Extreme(ratio, high, low, (words,) * size, attained, (ratio, ONE))
    return best


def _ratios(ours: Bells, theirs: Bells, ends: Ends) -> Iterator[tuple[Number, bool, str]]:
    """Ratios of both densities where the supremum is finite: at our places and at the ends. One of them may be it."""
    # The ratio of two bells is monotone.
    alike = len(ours) == len(theirs) == 1
    for (weight, place), (its_weight, its_place), end in zip(
        (ours[0], ours[-1]), (theirs[0], theirs[-1]), ends, strict=True
    ):
        if end is not None:
            yield _height(ours, end) / _height(theirs, end), alike, "at an end of its values"
        elif not greater(place, its_place) and not greater(its_place, place):
            yield weight / its_weight, alike, "tending to infinity"
    for _, place in ours if not alike else ():
        yield _height(ours, place) / _height(theirs, place), False, "next to the middle of the noise"


def _height(bells: Bells, point: Number) -> arb:
    away = [(weight, as_ball(point - place)) for weight, place in bells]
    # A power of a ball that holds 0 is no number.
    return sum((as_ball(weight) * (-gap * gap / 2).exp() for weight, gap in away), arb(0))


def _outside(ours: Bells, theirs: Bells, ends: Ends) -> bool:
    """Whether one of our outermost places lies beyond all of theirs, and the line has no end there."""
    low, high = ends
    beyond = high is None and bool(greater(ours[-1][1], theirs[-1][1]))
    return beyond or (low is None and bool(greater(theirs[0][1], ours[0][1])))


_GAUSSIAN = (GaussianDistribution, CutGaussianDistribution, DiscreteGaussianDistribution)


def _on_a_line(parts: Sequence[tuple[Number, Path]]) -> tuple[Bells, Ends]:
    """The weights and places of Gaussian distributions of one covariance, along the direction in which they differ."""
    kinds = {tuple((one.slope, one.distribution) for one in path.coordinates) for _, path in parts}
    if len(kinds) > 1:
        raise UnfollowableError(
            "outputs with Gaussian noise of several variances, or that depend on a seen number in several ways, cannot "
            "be followed exactly"
        )
    (kind,) = kinds
    distributions = [distribution for _, distribution in kind if isinstance(distribution, _GAUSSIAN)]
    if len(distributions) < len(kind):
        raise UnfollowableError("Gaussian noise beside another noise that is seen cannot be followed exactly")
    places = [[one.location for one in path.coordinates] for _, path in parts]
    moving = [i for i in range(len(kind)) if len({place[i] for place in places}) > 1]
    if not moving:
        return [(weight, ZERO) for weight, _ in parts], (None, None)
    if len(moving) == 1:
        (i,) = moving
        return _on_one_axis(distributions[i], [(weight, path.coordinates[i].location) for weight, path in parts])
    if any(isinstance(distributions[i], CutGaussianDistribution) for i in moving):
        raise UnfollowableError("several numbers with compared Gaussian noise that differ cannot be followed exactly")
    start, end = places[0], next(place for place in places if place != places[0])
    gaps = [rational(end[i]) - rational(start[i]) for i in range(len(kind))]
    square = sum(
        (gap * gap / rational(distribution.variance) for gap, distribution in zip(gaps, distributions, strict=True)),
        ZERO,
    )
    steps: list[fmpq] = []
    for place in places:
        step = next((rational(place[i]) - rational(start[i])) / gaps[i] for i in moving if gaps[i] != 0)
        if any(rational(place[i]) - rational(start[i]) != step * gaps[i] for i in range(len(kind))):
            raise UnfollowableError("a mixture of Gaussian noise in several directions cannot be followed exactly")
        steps.append(step)
    distance = as_ball(square).sqrt()
    return [(weight, step * distance) for (weight, _), step in zip(parts, steps, strict=True)], (None, None)


def _on_one_axis(
    distribution: GaussianDistribution | CutGaussianDistribution | DiscreteGaussianDistribution,
    parts: Sequence[tuple[Number, Fraction]],
) -> tuple[Bells, Ends]:
    """The bells of one number, and its ends."""
    deviation = as_ball(rational(distribution.variance)).sqrt()
    bells = [(weight, rational(place) / deviation) for weight, place in parts]
    if not isinstance(distribution, CutGaussianDistribution):
        return bells, (None, None)
    low, high = (None if end is None else rational(end) / deviation for end in (distribution.low, distribution.high))
    masses = [standard_mass(*(None if e is None else e - place for e in (low, high))) for _, place in bells]
    return [(weight / mass, place) for (weight, place), mass in zip(bells, masses, strict=True)], (low, high)


def _summed(bells: Bells) -> Bells:
    """The bells in the order of their places, one for each place, without those of weight 0."""
    found: Bells = []
    for weight, place in sorted(bells, key=lambda bell: float(as_ball(bell[1]).mid())):
        if found and not greater(place, found[-1][1]):
            found[-1] = (found[-1][0] + weight, found[-1][1])
        else:
            found.append((weight, place))
    return [(weight, place) for weight, place in found if weight != 0]


def _positive_part(bells: Bells, ends: Ends) -> Number:
    """The integral of the positive part of a weighted sum of bells, between two ends."""
    bells = _summed(bells)
    signs = [bool(greater(weight, ZERO)) for weight, _ in bells]
    if not any(signs):
        return ZERO
    if all(signs):
        return sum((weight * _mass(place, *ends) for weight, place in bells), ZERO)
    low, high = ends
    zeros = _zeros(bells, sum(one != other for one, other in pairwise(signs)))
    total: Number = ZERO
    positive = signs[0]
    for start, end in pairwise([None, *zeros, None]):
        start = low if start is None else start if low is None else start.max(low)
        end = high if end is None else end if high is None else end.min(high)
        if positive and not (start is not None and end is not None and start >= end):
            total = total + sum((weight * _mass(place, start, end) for weight, place in bells), ZERO)
        positive = not positive
    return total


def _mass(place: Number, start: arb | None, end: arb | None) -> Number:
    if start is None and end is None:
        return ONE
    return standard_mass(*(None if each is None else each - place for each in (start, end)))


def _zeros(bells: Bells, changes: int) -> list[arb]:
    """Where the sum changes its sign; as many places as there are changes of sign of the weights."""
    if len(bells) == 2:
        (first, low), (second, high) = bells
        return [as_ball((low + high) / 2) + (as_ball(-first) / as_ball(second)).log() / as_ball(high - low)]
    points = _points(bells)
    signs = [_sign(bells, point) for point in points]
    brackets = [(a, b, one) for (a, one), (b, other) in pairwise(zip(points, signs, strict=True)) if one != other]
    alike = [(a, b) for (a, one), (b, other) in pairwise(zip(points, signs, strict=True)) if one == other]
    # The weights may have more changes of sign than the sum has zeros.
    if len(brackets) != changes and not (
        _decides(bells, 0, points[0])
        and _decides(bells, -1, points[-1])
        and all(_keeps_its_sign(bells, low, high) for low, high in alike)
    ):
        raise UnfollowableError("the positive part of a mixture of Gaussian noise is not resolved")
    return [_halved(bells, *bracket) for bracket in brackets]


def _points(bells: Bells) -> list[arb]:
    places = [as_ball(place) for _, place in bells]
    gap = min((high - low for low, high in pairwise(places)), key=lambda one: float(one.mid()))
    reach = [(_FAR / gap) * fmpq(step, _PLACES_OF_A_GAP) ** 3 for step in range(1, _PLACES_OF_A_GAP + 1)]
    within = [
        low + (high - low) * fmpq(step, _PLACES_OF_A_GAP)
        for low, high in pairwise(places)
        for step in range(_PLACES_OF_A_GAP)
    ]
    beyond = [places[-1], *(places[-1] + far for far in reach)]
    return [arb(point.mid()) for point in [*(places[0] - far for far in reversed(reach)), *within, *beyond]]


def _sign(bells: Bells, point: arb) -> bool:
    """Whether the sum is positive at a point. It is divided by the bell at 0, which changes no sign."""
    total = sum((as_ball(weight) * (place * (point - as_ball(place) / 2)).exp() for weight, place in bells), arb(0))
    if total > 0 or total < 0:
        return bool(total > 0)
    raise UnfollowableError("the positive part of a mixture of Gaussian noise is not resolved")


def _decides(bells: Bells, outer: int, point: arb) -> bool:
    """Whether an outermost bell is higher than all others together, at a point beyond all places and so further out."""
    heights = [as_ball(weight) * (place * (point - as_ball(place) / 2)).exp() for weight, place in bells]
    others = sum((abs(height) for height in heights), arb(0)) - abs(heights[outer])
    return bool(abs(heights[outer]) > others)


def _keeps_its_sign(bells: Bells, low: arb, high: arb, depth: int = 0) -> bool:
    """Whether the sum is proved to have no zero between two points."""
    middle = arb(((low + high) / 2).mid())
    try:
        _sign(bells, middle + (high - low) * arb(0, "0.51"))
    except UnfollowableError:
        if depth == _SUBDIVISIONS:
            return False
        return all(_keeps_its_sign(bells, *half, depth + 1) for half in ((low, middle), (middle, high)))
    return True


def _halved(bells: Bells, low: arb, high: arb, sign: bool) -> arb:
    """A place next to the change of sign. The error of the integral is of second order in that of the place."""
    for _ in range(_HALVINGS):
        middle = arb(((low + high) / 2).mid())
        try:
            below = _sign(bells, middle) == sign
        except UnfollowableError:
            return middle
        low, high = (middle, high) if below else (low, middle)
    return arb(((low + high) / 2).mid())
