"""Functions of noise: sums of products of powers and exponentials, their integrals and their signs.

Sums of terms ``coefficient * t^power * growth^t``: values, substitutions and antiderivatives.

With the growth ``e^a`` on the reals these are the densities and distribution functions of Laplace and exponential
noise. With a growth between 0 and 1 on the integers they are those of geometric noise. On the integers, an
antiderivative is a function whose differences are the given terms.

Piecewise functions on the reals or on the integers, with exact integrals or sums.

Proofs that a sum of terms is nowhere negative on an interval.

A combination of exponentials and powers is nonnegative beyond a point if all its coefficients are, after a shift to
that point. Otherwise the sum is divided by one of its exponentials, which leaves the sign; the derivative then has a
term less. A function that is nonnegative at both ends, and whose derivative keeps one sign, is nonnegative. The answer
``False`` means that no proof was found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from flint import arb, fmpq

from pan_audits.choices.regions.exponential import NOTHING, UNIT, Exponential

Key: TypeAlias = tuple[fmpq, fmpq, int]
"""The growth ``factor * e^exponent`` of a term, as factor and exponent, and its power."""

Terms: TypeAlias = Mapping[Key, Exponential]

ONE = fmpq(1)
ZERO = fmpq(0)
_MINUS = -UNIT
CONSTANT: Key = (ONE, ZERO, 0)


def growth(key: Key) -> Exponential:
    """The growth of a term."""
    return Exponential.power(key[1], key[0])


def direction(key: Key) -> int:
    """Whether a term grows: the sign of the logarithm of its growth."""
    factor, exponent, _ = key
    first = (factor > 1) - (factor < 1)
    second = (exponent > 0) - (exponent < 0)
    if first * second >= 0:
        return first or second
    both = arb(factor).log() + arb(exponent)
    return 1 if both > 0 else -1


def added(left: Terms, right: Terms, factor: Exponential = UNIT) -> Terms:
    """The sum ``left + factor * right``."""
    made = dict(left)
    for key, one in right.items():
        more = one if factor is UNIT else one * factor
        together = made[key] + more if key in made else more
        if together.is_zero:
            made.pop(key, None)
        else:
            made[key] = together
    return made


def multiplied(left: Terms, right: Terms) -> Terms:
    """The product."""
    made: dict[Key, Exponential] = {}
    for (factor, exponent, power), one in left.items():
        for (other_factor, other_exponent, other_power), other in right.items():
            key = (factor * other_factor, exponent + other_exponent, power + other_power)
            product = one * other
            made[key] = made[key] + product if key in made else product
    return {key: one for key, one in made.items() if not one.is_zero}


def value(terms: Terms, place: fmpq) -> Exponential:
    """The value at a number; on terms with a factor, at an integer."""
    total = Exponential.of(ZERO)
    for (factor, exponent, power), one in terms.items():
        scale = place**power
        if factor != 1:
            scale = scale * factor ** int(place.p)
        total = total + one * Exponential.power(exponent * place, scale)
    return total


def substituted(terms: Terms, slope: fmpq, shift: fmpq) -> Terms:
    """The terms in ``t`` of a function at ``slope * t + shift``; with a factor, slope is 1 or -1 and shift whole."""
    made: dict[Key, Exponential] = {}
    for (factor, exponent, power), one in terms.items():
        scale = ONE if factor == 1 else factor ** int(shift.p)
        one = one * Exponential.power(exponent * shift, scale)
        grown = factor if factor == 1 else factor ** int(slope.p)
        for part in range(power + 1):
            coefficient = math.comb(power, part) * slope**part * shift ** (power - part)
            if coefficient:
                key = (grown, exponent * slope, part)
                more = one * coefficient
                made[key] = made[key] + more if key in made else more
    return {key: one for key, one in made.items() if not one.is_zero}


def antiderivative(terms: Terms, *, discrete: bool) -> Terms:
    """A function with the given derivative, or with the given differences ``F(t + 1) - F(t)``."""
    made: dict[Key, Exponential] = {}
    for key, one in terms.items():
        factor, exponent, _ = key
        for power, coefficient in (_summed(key) if discrete else _integrated(key)).items():
            place = (factor, exponent, power)
            more = one * coefficient
            made[place] = made[place] + more if place in made else more
    return {key: one for key, one in made.items() if not one.is_zero}


def _integrated(key: Key) -> dict[int, Exponential]:
    """Coefficients of the powers in the integral of ``t^power e^(exponent t)``, beside the exponential."""
    _, exponent, power = key
    if exponent == 0:
        return {power + 1: Exponential.of(fmpq(1, power + 1))}
    made, coefficient = {}, ONE / exponent
    for left in range(power, -1, -1):
        made[left] = Exponential.of(coefficient)
        coefficient = -coefficient * left / exponent
    return made


def _summed(key: Key) -> dict[int, Exponential]:
    """Coefficients of the powers in the sum of ``t^power growth^t``, beside the growth."""
    power = key[2]
    made: dict[int, Exponential] = {}
    if key[:2] == CONSTANT[:2]:
        for place in range(power, -1, -1):
            rest = Exponential.of(fmpq(int(place == power)))
            for above in range(place + 2, power + 2):
                rest = rest - made[above] * math.comb(above, place)
            made[place + 1] = rest / (place + 1)
        return made
    grown = growth(key)
    less = grown - UNIT
    for place in range(power, -1, -1):
        rest = Exponential.of(fmpq(int(place == power)))
        for above in range(place + 1, power + 1):
            rest = rest - grown * made[above] * math.comb(above, place)
        made[place] = rest / less
    return made


End = fmpq | None
"""The end of a piece; ``None`` is infinite."""


@dataclass(frozen=True)
class Piece:
    """Terms from ``low`` (included) up to ``high`` (excluded). The ends of a piece on the integers are integers."""

    low: End
    high: End
    terms: Terms


@dataclass(frozen=True, eq=False)
class Function:
    """A function that is 0 outside of its pieces.

    Attributes
    ----------
    pieces
        In order, without overlaps.
    discrete
        Whether it is a function on the integers.
    """

    pieces: tuple[Piece, ...]
    discrete: bool

    @classmethod
    def one(cls, discrete: bool) -> Function:
        """The function that is 1 everywhere."""
        return cls((Piece(None, None, {CONSTANT: UNIT}),), discrete)

    @classmethod
    def at_one(cls, place: fmpq) -> Function:
        """The function on the integers that is 1 at one of them."""
        return cls((Piece(place, place + 1, {CONSTANT: UNIT}),), discrete=True)

    @property
    def is_zero(self) -> bool:
        """Whether it is 0 everywhere."""
        return not self.pieces

    @property
    def ends(self) -> list[fmpq]:
        """The finite ends of its pieces."""
        found = {end for piece in self.pieces for end in (piece.low, piece.high) if end is not None}
        return sorted(found)

    def at(self, place: fmpq) -> Exponential:
        """The value; at an end, that of the piece that begins there."""
        for piece in self.pieces:
            if (piece.low is None or place >= piece.low) and (piece.high is None or place < piece.high):
                return value(piece.terms, place)
        return NOTHING

    def times(self, other: Function) -> Function:
        """The product."""
        made = []
        for low, high, (left, right) in _common((self, other)):
            if left and right and (terms := multiplied(left, right)):
                made.append(Piece(low, high, terms))
        return Function(tuple(made), self.discrete)

    def plus(self, other: Function, factor: Exponential = UNIT) -> Function:
        """The sum ``self + factor * other``."""
        made = []
        for low, high, (left, right) in _common((self, other)):
            if terms := added(left, right, factor):
                made.append(Piece(low, high, terms))
        return Function(tuple(made), self.discrete)

    def scaled(self, factor: Exponential) -> Function:
        """The product with a number that is not 0."""
        return Function(
            tuple(Piece(p.low, p.high, {key: one * factor for key, one in p.terms.items()}) for p in self.pieces),
            self.discrete,
        )

    def within(self, low: End, high: End) -> Function:
        """The function on an interval, and 0 elsewhere."""
        made = []
        for piece in self.pieces:
            start, stop = _later(piece.low, low), _earlier(piece.high, high)
            if start is None or stop is None or start < stop:
                made.append(Piece(start, stop, piece.terms))
        return Function(tuple(made), self.discrete)

    def after(self, slope: fmpq, shift: fmpq) -> Function:
        """The function ``t -> self(slope * t + shift)``."""
        made = []
        closed = int(self.discrete and slope < 0)
        for piece in self.pieces:
            ends = [None if end is None else (end - shift) / slope + closed for end in (piece.low, piece.high)]
            low, high = ends if slope > 0 else reversed(ends)
            made.append(Piece(low, high, substituted(piece.terms, slope, shift)))
        return Function(tuple(made if slope > 0 else reversed(made)), self.discrete)

    @cached_property
    def cumulative(self) -> Function:
        """The integral, or the sum, over all smaller numbers."""
        made: list[Piece] = []
        total, end = NOTHING, self.pieces[0].low if self.pieces else None
        for piece in self.pieces:
            if piece.low != end:
                made.append(Piece(end, piece.low, {} if total.is_zero else {CONSTANT: total}))
            found = antiderivative(piece.terms, discrete=self.discrete)
            shift = total - _limit(found, piece.low, 1)
            terms = found if shift.is_zero else added(found, {CONSTANT: shift})
            made.append(Piece(piece.low, piece.high, terms))
            end = piece.high
            total = shift + _limit(found, piece.high, -1)
        if end is not None:
            made.append(Piece(end, None, {CONSTANT: total}))
        return Function(tuple(piece for piece in made if piece.terms), self.discrete)

    @cached_property
    def total(self) -> Exponential:
        """The integral, or the sum, over everything."""
        total = NOTHING
        for piece in self.pieces:
            found = antiderivative(piece.terms, discrete=self.discrete)
            total = total + _limit(found, piece.high, -1) - _limit(found, piece.low, 1)
        return total


def convolved(left: Function, right: Function) -> Function:
    """The distribution of a sum of two independent variables."""
    made = Function((), left.discrete)
    for one in left.pieces:
        for two in right.pieces:
            made = made.plus(_convolved(one, two, discrete=left.discrete))
    return made


def _convolved(one: Piece, two: Piece, *, discrete: bool) -> Function:
    """The integral over s, or the sum, of ``one(s) two(t - s)``, as a function of t.

    On the reals s lies between the larger one of ``one.low`` and ``t - two.high`` and the smaller one of ``one.high``
    and ``t - two.low``. On the integers, where a high end is excluded, two of these bounds are larger by 1.
    """
    step = fmpq(int(discrete))
    lows: list[tuple[fmpq, fmpq]] = [(ZERO, one.low)] if one.low is not None else []
    lows += [(ONE, step - two.high)] if two.high is not None else []
    highs: list[tuple[fmpq, fmpq]] = [(ZERO, one.high)] if one.high is not None else []
    highs += [(ONE, step - two.low)] if two.low is not None else []
    # Each bound is ``slope * t + shift``. They cross where t is the sum of two ends.
    places = {low[1] - other[1] for low in lows for other in lows if low[0] < other[0]}
    places |= {high[1] - other[1] for high in highs for other in highs if high[0] < other[0]}
    places |= {(low[1] - high[1]) / (high[0] - low[0]) for low in lows for high in highs if low[0] != high[0]}
    ends: list[End] = [None, *sorted(places), None]
    pieces: list[Piece] = []
    for low, high in pairwise(ends):
        inside = _inside_of(low, high)
        lower = max(lows, key=lambda bound: bound[0] * inside + bound[1], default=None)
        upper = min(highs, key=lambda bound: bound[0] * inside + bound[1], default=None)
        if lower and upper and lower[0] * inside + lower[1] >= upper[0] * inside + upper[1]:
            continue
        if terms := _summed_over(one.terms, two.terms, lower, upper, discrete=discrete):
            pieces.append(Piece(low, high, terms))
    return Function(tuple(pieces), discrete)


def _inside_of(low: End, high: End) -> fmpq:
    if low is not None and high is not None:
        return (low + high) / 2
    if high is not None:
        return high - ONE
    return ZERO if low is None else low + ONE


def _summed_over(
    one: Terms, two: Terms, lower: tuple[fmpq, fmpq] | None, upper: tuple[fmpq, fmpq] | None, *, discrete: bool
) -> Terms:
    """The same between two bounds; where one is missing, the terms vanish."""
    found: Terms = {}
    for (factor, exponent, power), coefficient in two.items():
        # growth^(t - s) (t - s)^power, by the powers of s
        for part in range(power + 1):
            binomial = Exponential.of(fmpq(math.comb(power, part) * (-1) ** part)) * coefficient
            inner = multiplied(one, {(ONE / factor, -exponent, part): binomial})
            grown = antiderivative(inner, discrete=discrete)
            between: Terms = {}
            for bound, sign in ((upper, UNIT), (lower, _MINUS)):
                if bound is not None:
                    between = added(between, _at_bound(grown, *bound), sign)
            found = added(found, multiplied(between, {(factor, exponent, power - part): UNIT}))
    return found


def _at_bound(terms: Terms, slope: fmpq, shift: fmpq) -> Terms:
    if slope != 0:
        return substituted(terms, slope, shift)
    constant = value(terms, shift)
    return {} if constant.is_zero else {CONSTANT: constant}


def _limit(terms: Terms, end: End, falling: int) -> Exponential:
    """The value at an end; at infinity all terms vanish."""
    if end is not None:
        return value(terms, end)
    if any(direction(key) != falling for key in terms):
        raise ArithmeticError("an integral to infinity has no limit")
    return NOTHING


def _common(functions: Sequence[Function]) -> Iterator[tuple[End, End, list[Terms]]]:
    """The pieces of several functions, cut at the ends of all of them."""
    ends: list[End] = [None, *sorted({end for function in functions for end in function.ends}), None]
    places = [0] * len(functions)
    for low, high in pairwise(ends):
        row: list[Terms] = []
        for number, function in enumerate(functions):
            pieces = function.pieces
            while places[number] < len(pieces) and _ends_by(pieces[places[number]], low):
                places[number] += 1
            there = places[number] < len(pieces) and _holds(pieces[places[number]], low)
            row.append(pieces[places[number]].terms if there else {})
        yield low, high, row


common_pieces = _common


def _ends_by(piece: Piece, low: End) -> bool:
    return piece.high is not None and low is not None and piece.high <= low


def _holds(piece: Piece, low: End) -> bool:
    return piece.low is None or (low is not None and piece.low <= low)


def _later(one: End, other: End) -> End:
    return other if one is None else one if other is None else max(one, other)


def _earlier(one: End, other: End) -> End:
    return other if one is None else one if other is None else min(one, other)


_MOST_TERMS = 24


def nowhere_negative(terms: Terms, low: End, high: End, *, depth: int = 3) -> bool:
    """Whether a proof is found that a sum of terms is at least 0 on an interval of the reals."""
    if not terms:
        return True
    if len(terms) > _MOST_TERMS:
        return False
    if _without_minus(terms, low, high):
        return True
    if any(key[0] != 1 for key in terms):
        return False
    order = sorted(terms, key=lambda key: (key[1], key[2]))
    # At an end, a negative value refutes the statement.
    at_low, at_high = _sign_at(terms, low, order, 1), _sign_at(terms, high, order, -1)
    if at_low < 0 or at_high < 0:
        return False
    for exponent in {order[0][1], order[-1][1]}:
        slope = derivative(terms, exponent)
        if nowhere_negative(slope, low, high, depth=0) or nowhere_negative(_negative(slope), low, high, depth=0):
            return True
    if depth == 0:
        return False
    middle = _middle(low, high)
    return nowhere_negative(terms, low, middle, depth=depth - 1) and nowhere_negative(
        terms, middle, high, depth=depth - 1
    )


def _without_minus(terms: Terms, low: End, high: End) -> bool:
    """Whether all coefficients are positive, seen from one of the ends."""
    shifted = []
    if low is not None:
        shifted.append(substituted(terms, ONE, low))
    if high is not None:
        shifted.append(substituted(terms, -ONE, high))
    if low is None and high is None:
        shifted.append({key: one if key[2] == 0 else _MINUS for key, one in terms.items()})
    return any(all(one.sign() > 0 for one in each.values()) for each in shifted)


def _sign_at(terms: Terms, end: End, order: list[Key], inwards: int) -> int:
    if end is not None:
        return value(terms, end).sign()
    # The term that counts at infinity: at -infinity the one with the least growth.
    exponent = order[0][1] if inwards > 0 else order[-1][1]
    power = max(key[2] for key in order if key[1] == exponent)
    sign = terms[ONE, exponent, power].sign()
    return sign * (-1) ** power if inwards > 0 else sign


def derivative(terms: Terms, exponent: fmpq = ZERO) -> Terms:
    """The derivative of the sum divided by ``e^(exponent t)``."""
    made: Terms = {}
    for (_, place, power), one in terms.items():
        left = place - exponent
        if left != 0:
            made = added(made, {(ONE, left, power): one * left})
        if power:
            made = added(made, {(ONE, left, power - 1): one * power})
    return made


def _negative(terms: Terms) -> Terms:
    return {key: -one for key, one in terms.items()}


def _middle(low: End, high: End) -> fmpq:
    if low is not None and high is not None:
        return (low + high) / 2
    if high is not None:
        return high - max(ONE, abs(high))
    return ZERO if low is None else low + max(ONE, abs(low))
