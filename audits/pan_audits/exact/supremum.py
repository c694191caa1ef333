"""The point at which the ratio of two distributions is largest.

The largest ratio of densities that are piecewise sums of exponentials, as those of noise that was compared.

On a piece on which both densities are combinations of the same two exponentials, their ratio is monotone: the
supremum is attained at an end of the piece, or is the limit there. Integer noise on a finite piece is tried at each
integer. On any other piece the ratio at the ends and at some points between them is a lower bound, and the supremum if
a proof is found that the ratio is nowhere larger.

The largest ratio of the distributions of one observation under several streams, exactly.

Where the output carries Laplace noise, its density given the rest is a mixture of Laplace densities. If
all have one scale, numerator and denominator are of the form ``a u + b / u`` with ``u = exp(y / scale)``
between two neighbouring locations, so that their ratio is monotone there: the supremum over the real
line is attained at a location (beyond the outermost ones the ratio is constant). For several outputs the
same holds in each coordinate with the others fixed, so that it is attained on the grid of locations.
Geometric noise on the integers is the same with a ratio in place of the exponential. Proof:
``pan_proofs.density.lemmas.laplace_mixture``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key, reduce
from itertools import pairwise, product
from operator import mul
from typing import Any

from flint import fmpq

from pan_audits.choices.distributions import LaplaceDistribution, RegionDistribution
from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.choices.numbers import (
    ONE,
    ZERO,
    Exponent,
    Number,
    as_ball,
    as_float,
    fraction,
    greater,
    plain,
    rational,
)
from pan_audits.choices.region import RegionError
from pan_audits.choices.regions.exponential import NOTHING, Exponential
from pan_audits.choices.regions.function import (
    End,
    Function,
    Terms,
    added,
    common_pieces,
    derivative,
    direction,
    nowhere_negative,
    value,
)
from pan_audits.exact.gaussian_profile import has_gaussian_noise, largest_gaussian_ratio
from pan_audits.exact.observation import Allowed, Extreme, Mixture, Path, Point, as_product, density_of, ordered_pairs

_MOST_INTEGERS = 10_000
_TRIED = 64
_BETWEEN = 16
_FAR = fmpq(32)


@dataclass(frozen=True)
class Supremum:
    """The supremum of the ratio of two functions.

    Attributes
    ----------
    ratio
        The supremum, or ``None`` if there is none.
    point
        The place, or a word for a limit.
    masses
        The two values there.
    attained
        Whether this is the supremum; otherwise it may be larger.
    """

    ratio: Number | None
    point: Fraction | str = ""
    masses: tuple[Number, Number] = (ONE, ONE)
    attained: bool = True


def largest_density_ratio(mixtures: Sequence[Mixture], allowed: Allowed | None) -> Extreme | None:
    """The supremum over all values, and over all ordered pairs of streams."""
    try:
        densities = [_densities(mixture) for mixture in mixtures]
    except RegionError as problem:
        raise UnfollowableError(f"the comparisons of noise cannot be followed exactly: {problem}") from None
    best: Extreme | None = None
    for high, low in ordered_pairs(mixtures, allowed):
        if not mixtures[low]:
            return Extreme(None, high, low, ("any value",) * len(densities[high]), True, (ONE, ZERO))
        found = [supremum(one, other) for one, other in zip(densities[high], densities[low], strict=True)]
        point: Point = tuple(each.point for each in found)
        attained = all(each.attained for each in found)
        unbounded = [each for each in found if each.ratio is None]
        if unbounded:
            return Extreme(None, high, low, point, True, unbounded[0].masses)
        ratio = reduce(mul, (each.ratio for each in found), ONE)
        first, second = zip(*(each.masses for each in found), strict=True)
        masses = reduce(mul, first, ONE), reduce(mul, second, ONE)
        if best is None or greater(ratio, best.ratio):
            best = Extreme(ratio, high, low, point, attained and (best is None or best.attained), masses)
        elif not attained and best.attained:
            best = Extreme(best.ratio, best.high, best.low, best.point, False, best.masses)
    return best


def _densities(mixture: Mixture) -> list[Function]:
    """The density of each coordinate; the first one has the weights of the paths."""
    if not mixture:
        return []
    count = len(mixture[0][1].coordinates)
    if any(any(one.slope) for _, path in mixture for one in path.coordinates):
        raise UnfollowableError("an output depends on an earlier one, and on comparisons of noise")
    mixture = as_product(mixture)
    if count > 1 and len(mixture) > 1:
        raise UnfollowableError("several outputs with compared noise, on several paths, cannot be followed exactly")
    first = reduce(Function.plus, (density_of(path.coordinates[0]).scaled(_as_exponential(w)) for w, path in mixture))
    return [first, *(density_of(one) for one in mixture[0][1].coordinates[1:])]


def _as_exponential(weight: Number) -> Exponential:
    if not isinstance(weight, (fmpq, Exponential)):
        raise UnfollowableError("noise is compared whose rate is the logarithm of a fraction")
    return Exponential.of(weight)


def supremum(above: Function, below: Function) -> Supremum:
    """The supremum of the ratio of two densities, or of two distributions on the integers."""
    best: Supremum | None = None
    open_pieces: list[tuple[End, End, Terms, Terms]] = []
    for low, high, (top, bottom) in common_pieces((above, below)):
        if not top:
            continue
        if not bottom:
            alone = _fraction(low) if above.discrete and low is not None else "impossible on the other side"
            return Supremum(None, alone, (ONE, ZERO))
        last = None if high is None else high - 1 if above.discrete else high
        for found in _candidate_points(low, last, top, bottom, discrete=above.discrete, left=open_pieces):
            if found.ratio is None:
                return found
            if best is None or greater(found.ratio, best.ratio):
                best = found
    assert best is not None
    attained = all(_nowhere_larger(best.ratio, *piece) for piece in open_pieces)
    return Supremum(best.ratio, best.point, best.masses, attained)


def _candidate_points(
    low: End, last: End, top: Terms, bottom: Terms, *, discrete: bool, left: list[tuple[End, End, Terms, Terms]]
) -> Iterator[Supremum]:
    """Places of a piece at which the ratio can be largest. A part without a known place is added to ``left``."""
    growths = {key[:2] for key in (*top, *bottom)}
    monotone = len(growths) <= 2 and not any(key[2] for key in (*top, *bottom))
    if discrete and not monotone:
        # The first integers of a ray, or all integers of an interval, are tried.
        first = low if low is not None else None if last is None else last - _TRIED
        final = last if last is not None else None if low is None else low + _TRIED
        if first is None or final is None or final - first > _MOST_INTEGERS:
            raise UnfollowableError("the distributions of integer noise after comparisons are too long to be compared")
        for place in range(int(first), int(final) + 1):
            yield _at(fmpq(place), top, bottom)
        if low is not None and last is not None:
            return
        left.append((None if low is None else final, None if last is None else first, top, bottom))
    elif not monotone:
        left.append((low, last, top, bottom))
        start = low if low is not None else (last if last is not None else fmpq(0)) - _FAR
        stop = last if last is not None else start + _FAR
        for number in range(1, _BETWEEN):
            yield _at(start + (stop - start) * number / _BETWEEN, top, bottom)
    yield _at_end(low, top, bottom, 1)
    yield _at_end(last, top, bottom, -1)


def _nowhere_larger(ratio: Number, low: End, high: End, top: Terms, bottom: Terms) -> bool:
    """Whether a proof is found that the ratio is at most a number on a piece."""
    margin = added({key: -one for key, one in top.items()}, bottom, Exponential.of(ratio))
    return nowhere_negative(margin, low, high)


def _at(place: fmpq, top: Terms, bottom: Terms) -> Supremum:
    one, other = value(top, place), value(bottom, place)
    point = _fraction(place)
    if other.is_zero:
        return Supremum(None, point, (one, ZERO)) if not one.is_zero else Supremum(ZERO, point)
    return Supremum(plain(one / other), point, (plain(one), plain(other)))


def _at_end(end: End, top: Terms, bottom: Terms, inwards: int) -> Supremum:
    """The ratio at an end of a piece, or its limit."""
    if end is not None:
        one, other = value(top, end), value(bottom, end)
        if not other.is_zero or not one.is_zero:
            return _at(end, top, bottom)
        return _where_both_vanish(end, top, bottom)
    # At an infinite end the terms that decay slowest count.
    slowest = _slowest((*top, *bottom), inwards)
    one, other = top.get(slowest, NOTHING), bottom.get(slowest, NOTHING)
    word = "tending to infinity"
    if other.is_zero:
        return Supremum(None, word, (ONE, ZERO))
    ratio = plain(one / other)
    return Supremum(ratio, word, (ratio, ONE))


def _where_both_vanish(end: fmpq, top: Terms, bottom: Terms) -> Supremum:
    """The limit of the ratio where both are 0: that of their derivatives."""
    point = _fraction(end)
    if any(key[0] != 1 for key in (*top, *bottom)):
        return Supremum(ZERO, point)
    while value(top, end).is_zero and value(bottom, end).is_zero:
        top, bottom = derivative(top), derivative(bottom)
    return _at(end, top, bottom)


def _slowest(keys: Sequence[tuple[fmpq, fmpq, int]], inwards: int) -> tuple[fmpq, fmpq, int]:
    best = keys[0]
    for key in keys[1:]:
        change = direction((key[0] / best[0], key[1] - best[1], 0)) * -inwards
        if change > 0 or (change == 0 and key[2] > best[2]):
            best = key
    return best


def _fraction(number: fmpq) -> Fraction:
    return Fraction(int(number.p), int(number.q))


_MOST_POINTS = 50_000
_FACTORED = 256
"""Joint locations above which each coordinate has its own supremum, if they are independent."""
_IMPOSSIBLE = "at a value that is impossible on the other side"


def largest_ratio(mixtures: Sequence[Mixture], allowed: Allowed | None = None) -> Extreme | None:
    """The supremum over all values and over all ordered pairs of streams."""
    if has_gaussian_noise(mixtures):
        return largest_gaussian_ratio(mixtures, allowed)
    # A path that occurs in several mixtures is one object.
    paths = list({id(path): path for mixture in mixtures for _, path in mixture}.values())
    if any(
        isinstance(coordinate.distribution, RegionDistribution) for path in paths for coordinate in path.coordinates
    ):
        return largest_density_ratio(mixtures, allowed)
    distributions = sorted({_signature(path) for path in paths}, key=repr)
    if all(distribution == () for distribution in distributions):
        table = [[sum((weight for weight, _ in mixture), ZERO)] for mixture in mixtures]
        return _best(table, [()], allowed)
    unbounded = _unbounded(mixtures, distributions, allowed)
    if unbounded is not None:
        return unbounded
    slopes = {tuple(slope for slope, _ in distribution) for distribution in distributions}
    if len(slopes) > 1:
        raise UnfollowableError("an output depends on earlier outputs in several ways on every stream")
    if any(isinstance(own, tuple) for distribution in distributions for _, own in distribution):
        return _shifted(mixtures, distributions, allowed)
    if len(distributions) > 1:
        logarithmic = any(_has_base(distribution) for each in distributions for _, distribution in each)
        return (_mixed_scales if logarithmic else largest_density_ratio)(mixtures, allowed)
    return _on_grid(mixtures, paths, allowed)


def _signature(path: Path) -> tuple[Any, ...]:
    return tuple((coordinate.slope, coordinate.distribution) for coordinate in path.coordinates)


def _on_grid(mixtures: Sequence[Mixture], paths: Sequence[Path], allowed: Allowed | None) -> Extreme | None:
    places = [sorted({path.coordinates[i].location for path in paths}) for i in range(len(paths[0].coordinates))]
    count = math.prod(len(axis) for axis in places)
    if count > _FACTORED and all(len(mixture) == 1 for mixture in mixtures):
        return _factored([mixture[0] for mixture in mixtures], allowed)
    if count > _MOST_POINTS:
        raise TooLargeError(f"the outputs have {count:,} joint locations of noise, more than {_MOST_POINTS:,}")
    heights = {id(path): _heights(path, places) for path in paths}
    table = [_mixed([(weight, heights[id(path)]) for weight, path in mixture], count) for mixture in mixtures]
    return _best(table, list(product(*places)), allowed)


def _factored(parts: Sequence[tuple[Number, Path]], allowed: Allowed | None) -> Extreme | None:
    """The supremum for one path on each stream: the coordinates are independent, so that each has its own supremum."""
    best: Extreme | None = None
    for high, low in ordered_pairs(parts, allowed):
        (above, ours), (below, theirs) = parts[high], parts[low]
        point: list[Fraction | str] = []
        for one, other in zip(ours.coordinates, theirs.coordinates, strict=True):
            ends = (one.location, other.location)
            if other.decay(ends[0]) == 0:
                return Extreme(None, high, low, (_IMPOSSIBLE,) * len(ours.coordinates), True, (ONE, ZERO))
            ratios = [one.decay(end) / other.decay(end) for end in ends]
            place = 1 if greater(ratios[1], ratios[0]) else 0
            point.append(ends[place])
            above, below = above * one.decay(ends[place]), below * other.decay(ends[place])
        if best is None or greater(above / below, best.ratio):
            best = Extreme(above / below, high, low, tuple(point), True, (above, below))
    return best


def _heights(path: Path, places: Sequence[Sequence[Fraction]]) -> list[Number]:
    """The density of a path, relative to its peak, at every point of a grid."""
    axes = [[one.decay(value) for value in axis] for one, axis in zip(path.coordinates, places, strict=True)]
    return axes[0] if len(axes) == 1 else [math.prod(rest, start=first) for first, *rest in product(*axes)]


def _mixed(parts: Sequence[tuple[fmpq, Sequence[Number]]], count: int) -> list[Number]:
    """The weighted sum of rows of numbers."""
    if not parts:
        return [ZERO] * count
    return [sum((weight * row[column] for weight, row in parts), ZERO) for column in range(count)]


def _best(table: list[list[Number]], points: Sequence[Point], allowed: Allowed | None) -> Extreme | None:
    """The largest ratio of two rows in one column."""
    best: Extreme | None = None
    pairs = None if allowed is None else ordered_pairs(table, allowed)
    for column, point in enumerate(points):
        values = [row[column] for row in table]
        for high, low in [_extremes(values)] if pairs is None else pairs:
            masses = (values[high], values[low])
            if masses[0] == 0:
                continue
            if masses[1] == 0:
                return Extreme(None, high, low, point, True, masses)
            ratio = masses[0] / masses[1]
            if best is None or greater(ratio, best.ratio):
                best = Extreme(ratio, high, low, point, True, masses)
    return best


def _extremes(values: Sequence[Number]) -> tuple[int, int]:
    """The place of the largest value, the last of equal ones, and of the smallest, the first of equal ones."""
    places = range(len(values))
    if all(isinstance(value, fmpq) for value in values):
        return max(reversed(places), key=values.__getitem__), min(places, key=values.__getitem__)

    def compared(one: int, other: int) -> int:
        # Balls that overlap count as equal.
        return bool(greater(values[one], values[other])) - bool(greater(values[other], values[one]))

    order = sorted(places, key=cmp_to_key(compared))
    return order[-1], order[0]


def _unbounded(mixtures: Sequence[Mixture], distributions: Sequence[Any], allowed: Allowed | None) -> Extreme | None:
    """A pair of streams with an unbounded ratio: one density is zero where the other is not, or smaller without limit.

    Three reasons: the observation is impossible on one stream; an output follows a number that was seen
    on one stream and not on the other, so that both can be far apart; the noise of an output has
    heavier tails on one stream than on the other.
    """
    if len(distributions) == 1 and all(mixtures):
        return None
    kinds = [{_signature(path) for _, path in mixture} for mixture in mixtures]
    slopes = [{tuple(slope for slope, _ in distribution) for distribution in kind} for kind in kinds]
    for high, low in ordered_pairs(kinds, allowed):
        if not kinds[low]:
            return Extreme(None, high, low, ("any value",) * len(distributions[0]), True, (ONE, ZERO))
        if slopes[high] - slopes[low]:
            return Extreme(None, high, low, ("following a seen number that tends to infinity",))
        if len(distributions) > 1 and all(
            len(distribution) == 1 and isinstance(distribution[0][1], LaplaceDistribution)
            for distribution in distributions
        ):
            slowest = [min(_speed(distribution[0][1]) for distribution in kinds[place]) for place in (high, low)]
            if slowest[0] < slowest[1]:
                return Extreme(None, high, low, ("tending to infinity",))
    return None


def _speed(distribution: LaplaceDistribution) -> float:
    """The rate: equal for equal rates that are written differently."""
    coefficient, base = distribution.rate.coefficient, distribution.rate.base
    return as_float(as_ball(rational(coefficient)) * (1 if base is None else as_ball(rational(base)).log()))


def _shifted(mixtures: Sequence[Mixture], distributions: Sequence[Any], allowed: Allowed | None) -> Extreme | None:
    """Sums of several Laplace variables, shifted against each other.

    Their density is log-concave, so that the ratio of two shifts is monotone: its supremum is the limit
    ``exp(shift / largest scale)``.
    """
    single = all(len(mixture) == 1 for mixture in mixtures if mixture)
    sums = [isinstance(distribution, tuple) for _, distribution in distributions[0]]
    if not single or len(distributions) > 1 or sums.index(True) < len(sums) - 1:
        return largest_density_ratio(mixtures, allowed)
    slowest: LaplaceDistribution = min(distributions[0][-1][1], key=_speed)
    factors = [*(distribution for _, distribution in distributions[0][:-1]), slowest]
    best: Extreme | None = None
    for high, low in ordered_pairs(mixtures, allowed):
        if not mixtures[low]:
            continue
        (above, ours), (below, theirs) = mixtures[high][0], mixtures[low][0]
        ratio: Number = above / below
        for distribution, one, other in zip(factors, ours.coordinates, theirs.coordinates, strict=True):
            decay = distribution.decay(one.location - other.location)
            if decay == 0:
                # One-sided noise: the least value on the one stream is impossible on the other.
                return Extreme(None, high, low, (_IMPOSSIBLE,) * len(factors), True, (ONE, ZERO))
            ratio = ratio / decay
        if best is None or greater(ratio, best.ratio):
            best = Extreme(ratio, high, low, ("tending to infinity",), True, (ratio, ONE))
    return best


def _has_base(distribution: Any) -> bool:
    return isinstance(distribution, LaplaceDistribution) and distribution.rate.base is not None


def _mixed_scales(mixtures: Sequence[Mixture], allowed: Allowed | None) -> Extreme | None:
    """One output with noise whose rates are multiples of one logarithm: a lower bound, at the locations and between."""
    coordinates = [path.coordinates for mixture in mixtures for _, path in mixture]
    if any(len(each) != 1 or not isinstance(each[0].distribution, LaplaceDistribution) for each in coordinates):
        raise UnfollowableError("several outputs with noise of several scales cannot be followed exactly")
    terms = [[(weight, path.coordinates[0].location, _rate(path)) for weight, path in mixture] for mixture in mixtures]
    rates = [rate for mixture in terms for _, _, rate in mixture]
    if len({rate.base for rate in rates}) > 1:
        raise UnfollowableError("noise of scales without a common unit cannot be followed exactly")
    slowest = min(rate.coefficient for rate in rates)
    places = sorted({each[0].location for each in coordinates})
    points = [left + (right - left) * fraction(i) / 8 for left, right in pairwise(places) for i in range(8)]
    points.append(places[-1])
    table: list[list[Number]] = []
    for mixture in terms:
        # The density up to half the common unit of the rates, and its limits relative to the slowest decay of all.
        inside: list[Number] = [
            sum((w * rational(r.coefficient) * r.times(-abs(point - at)).power() for w, at, r in mixture), ZERO)
            for point in points
        ]
        last = [(w * rational(slowest), at, r) for w, at, r in mixture if r.coefficient == slowest]
        limits: list[Number] = [sum((w * r.times(sign * at).power() for w, at, r in last), ZERO) for sign in (1, -1)]
        table.append(inside + limits)
    best = _best(table, [*((point,) for point in points), ("tending to infinity",), ("tending to infinity",)], allowed)
    return best and Extreme(best.ratio, best.high, best.low, best.point, best.ratio is None, best.masses)


def _rate(path: Path) -> Exponent:
    distribution = path.coordinates[0].distribution
    assert isinstance(distribution, LaplaceDistribution)
    return distribution.rate
