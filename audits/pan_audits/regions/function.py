"""Piecewise functions on the reals or on the integers, with exact integrals or sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from flint import fmpq

from pan_audits.regions.exponential import NOTHING, UNIT, Exponential
from pan_audits.regions.terms import (
    CONSTANT,
    Terms,
    added,
    antiderivative,
    direction,
    multiplied,
    substituted,
    value,
)

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
