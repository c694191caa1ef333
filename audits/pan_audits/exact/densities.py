"""The largest ratio of densities that are piecewise sums of exponentials, as those of noise that was compared.

On a piece on which both densities are combinations of the same two exponentials, their ratio is monotone: the
supremum is attained at an end of the piece, or is the limit there. Integer noise on a finite piece is tried at each
integer. On any other piece the ratio at the ends and at some points between them is a lower bound, and the supremum if
a proof is found that the ratio is nowhere larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import mul

from flint import fmpq

from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.laws import RegionLaw
from pan_audits.choices.numbers import ONE, ZERO, Number, greater, rational
from pan_audits.choices.region import RegionError, function_of
from pan_audits.exact.extreme import Extreme, Mixture, Point
from pan_audits.exact.observation import Coordinate, Path
from pan_audits.regions.exponential import NOTHING, Exponential
from pan_audits.regions.function import End, Function, common_pieces
from pan_audits.regions.positivity import derivative, nowhere_negative
from pan_audits.regions.terms import Terms, added, direction, value

Allowed = Callable[[int, int], bool]

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
    for high, low in ((i, j) for i in range(len(mixtures)) for j in range(len(mixtures)) if i != j):
        if not mixtures[high] or (allowed is not None and not allowed(high, low)):
            continue
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
    if count > 1 and len(mixture) > 1:
        raise UnfollowableError("several outputs with compared noise, on several paths, cannot be followed exactly")
    first = reduce(Function.plus, (density_of(path.coordinates[0]).scaled(_as_exponential(w)) for w, path in mixture))
    return [first, *(density_of(one) for one in _rest(mixture[0][1]))]


def _rest(path: Path) -> tuple[Coordinate, ...]:
    return path.coordinates[1:]


def _as_exponential(weight: Number) -> Exponential:
    if not isinstance(weight, (fmpq, Exponential)):
        raise UnfollowableError("noise is compared whose rate is the logarithm of a fraction")
    return Exponential.of(weight)


def density_of(coordinate: Coordinate) -> Function:
    """The density of a number with noise, or its probabilities on the integers."""
    law = coordinate.law
    if isinstance(law, RegionLaw):
        return law.function
    if isinstance(law, tuple):
        raise UnfollowableError("a sum of several noise variables beside a comparison cannot be followed exactly")
    return function_of(law).after(ONE, rational(-coordinate.location))


def supremum(above: Function, below: Function) -> Supremum:
    """The supremum of the ratio of two densities, or of two laws on the integers."""
    best: Supremum | None = None
    open_pieces: list[tuple[End, End, Terms, Terms]] = []
    for low, high, (top, bottom) in common_pieces((above, below)):
        if not top:
            continue
        if not bottom:
            alone = _fraction(low) if above.discrete and low is not None else "impossible on the other side"
            return Supremum(None, alone, (ONE, ZERO))
        last = None if high is None else high - 1 if above.discrete else high
        for found in _candidates(low, last, top, bottom, discrete=above.discrete, left=open_pieces):
            if found.ratio is None:
                return found
            if best is None or greater(found.ratio, best.ratio):
                best = found
    assert best is not None
    attained = all(_nowhere_larger(best.ratio, *piece) for piece in open_pieces)
    return Supremum(best.ratio, best.point, best.masses, attained)


def _candidates(
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
            raise UnfollowableError("the laws of integer noise after comparisons are too long to be compared")
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
    return Supremum(_plain(one / other), point, (_plain(one), _plain(other)))


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
    ratio = _plain(one / other)
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


def _plain(number: Exponential) -> Number:
    found = number.rational
    return number if found is None else found
