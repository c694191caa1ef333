"""The positive part of a difference of two laws that are piecewise sums of exponentials, as of noise that was compared.

On the integers it is a sum, and on the reals an integral. A piece on which a proof is found that the difference keeps
its sign counts as a whole, or not at all; any other piece is halved.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from flint import arb, fmpq

from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.numbers import ZERO, Number, as_ball
from pan_audits.choices.region import RegionError
from pan_audits.exact.densities import density_of
from pan_audits.exact.extreme import Mixture
from pan_audits.regions.exponential import NOTHING, UNIT, Exponential
from pan_audits.regions.function import End, Function, Piece, common_pieces
from pan_audits.regions.positivity import nowhere_negative
from pan_audits.regions.terms import Terms, growth, value

_HALVINGS = 64
_FAR = fmpq(16)
"""The distance at which a ray is cut, which is doubled each time."""

_MOST_INTEGERS = 2_000
_MOST_ATOMS = 20_000

Atom = tuple[Exponential, Exponential]
"""The probabilities of some values under both laws; their ratio is the same for all of these values."""


def region_part(left: Mixture, right: Mixture, factor: Number) -> Number:
    """The integral, or the sum, of the positive part of ``left - factor * right``."""
    weights = [sum((weight for weight, _ in side), ZERO) for side in (left, right)]
    if not left or not right:
        return weights[0]
    if any(any(one.slope) for _, path in (*left, *right) for one in path.coordinates):
        raise UnfollowableError("the profile is not computed of an output that depends on an earlier one")
    times = Exponential.of(factor)
    try:
        if len(left) > 1 or len(right) > 1:
            if len(left[0][1].coordinates) > 1:
                raise UnfollowableError(
                    "the profile is not computed of several numbers with noise beside other random choices"
                )
            one, other = (
                reduce(Function.plus, (density_of(path.coordinates[0]).scaled(_of(weight)) for weight, path in side))
                for side in (left, right)
            )
            return _plain(_positive_part(one.plus(other, -times)))
        pairs = [
            (density_of(one), density_of(other))
            for one, other in zip(left[0][1].coordinates, right[0][1].coordinates, strict=True)
        ]
    except RegionError as problem:
        raise UnfollowableError(f"the profile of the noise cannot be followed exactly: {problem}") from None
    # A number with the same law on both sides shows nothing.
    differ = [(one, other) for one, other in pairs if not one.plus(other, -UNIT).is_zero]
    above, below = _of(weights[0]), _of(weights[1]) * times
    if not differ:
        return _plain(above - below) if (above - below).sign() > 0 else ZERO
    if len(differ) == 1:
        ((one, other),) = differ
        return _plain(_positive_part(one.scaled(above).plus(other, -below)))
    atoms: list[Atom] = [(above, below)]
    for one, other in differ:
        each = list(_atoms(one, other))
        if len(atoms) * len(each) > _MOST_ATOMS:
            raise UnfollowableError(f"the profile of several numbers with noise has more than {_MOST_ATOMS:,} parts")
        atoms = [(p * high, q * low) for p, q in atoms for high, low in each]
    gains = (p - q for p, q in atoms)
    return _plain(sum((gain for gain in gains if gain.sign() > 0), NOTHING))


def _of(weight: Number) -> Exponential:
    if isinstance(weight, arb):
        raise RegionError("a probability is not a fraction")
    return Exponential.of(weight)


def _plain(number: Number) -> Number:
    if not isinstance(number, Exponential):
        return number
    found = number.rational
    return number if found is None else found


def _atoms(one: Function, other: Function) -> Iterator[Atom]:
    """The values of one number in groups with one ratio: integers, and rays on which both laws decay alike."""
    if not one.discrete:
        raise UnfollowableError("the profile is not computed of several numbers with a density that differ")
    for low, high, (top, bottom) in common_pieces((one, other)):
        if not top and not bottom:
            continue
        keys = set(top) | set(bottom)
        if not top or not bottom or (len(keys) == 1 and not next(iter(keys))[2]):
            yield _total(low, high, top), _total(low, high, bottom)
        elif low is None or high is None or high - low > _MOST_INTEGERS:
            raise UnfollowableError("the profile is not computed of several numbers whose noise decays in several ways")
        else:
            for place in range(int(low), int(high)):
                yield value(top, fmpq(place)), value(bottom, fmpq(place))


def _total(low: End, high: End, terms: Terms, *, discrete: bool = True) -> Exponential:
    return Function((Piece(low, high, terms),), discrete).total if terms else NOTHING


def _positive_part(difference: Function) -> Number:
    """The integral, or the sum, of a function where it is positive."""
    total: Number = NOTHING
    for piece in difference.pieces:
        part = _of_piece(piece, _HALVINGS, discrete=difference.discrete)
        total = total + part if isinstance(part, Exponential) and isinstance(total, Exponential) else _sum(total, part)
    return total


def _sum(one: Number, other: Number) -> Number:
    return as_ball(one) + as_ball(other)


def _of_piece(piece: Piece, halvings: int, *, discrete: bool) -> Number:
    low, high, terms = piece.low, piece.high, piece.terms
    if discrete and low is not None and high == low + 1:
        at = value(terms, low)
        return at if at.sign() > 0 else NOTHING
    last = high - 1 if discrete and high is not None else high
    if nowhere_negative(terms, low, last, depth=0):
        return _total(low, high, terms, discrete=discrete)
    if nowhere_negative({key: -one for key, one in terms.items()}, low, last, depth=0):
        return NOTHING
    if not halvings:
        if low is None or high is None or discrete:
            raise UnfollowableError("the sign of a difference of densities is not followed to infinity")
        return _between(low, high, terms)
    middle = _middle(low, high, _HALVINGS - halvings, discrete=discrete)
    pieces = Piece(low, middle, terms), Piece(middle, high, terms)
    parts = [_of_piece(each, halvings - 1, discrete=discrete) for each in pieces]
    exact = all(isinstance(part, Exponential) for part in parts)
    return parts[0] + parts[1] if exact else _sum(*parts)


def _middle(low: End, high: End, times: int, *, discrete: bool) -> fmpq:
    far = _FAR * fmpq(2) ** min(times, 20)
    if low is None:
        found = fmpq(0) if high is None else high - far
    else:
        found = low + far if high is None else (low + high) / 2
    return fmpq(found.floor()) if discrete else found


def _between(low: fmpq, high: fmpq, terms: Terms) -> arb:
    """A ball that holds the part of a short interval."""
    most = arb(0)
    for key, one in terms.items():
        ends = [abs(as_ball(growth(key)) ** arb(end)) * abs(arb(end)) ** key[2] for end in (low, high)]
        most = most + abs(as_ball(one)) * (ends[0] + ends[1])
    width = (most * arb(high - low)).upper()
    return arb(width / 2, width / 2)
