"""Formulas of the quantities of one element's streams, as sums over its entries, for formal statements.

``x`` and ``y`` are the existence vectors of a stream and of its neighbour, ``c`` and ``d`` the counts of the element.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from pan_proofs.continual.streams import (
    Bits,
    Stream,
    changed_entries,
    changes,
    difference,
    differences,
    drops,
    existence,
    flips,
    of_one_element,
    rises,
)
from pan_proofs.engines.relations import eq, le
from pan_proofs.engines.word_sums import Definitions, Words

length, place = sp.symbols("T i", integer=True, positive=True)
x, y, count, other_count = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("x", "y", "c", "d"))
flipped, other_flipped, fallen, risen, from_zero, differing, left_out = sp.symbols("w_1 w_2 D R C N E", real=True)
"""The flips of the stream and of its neighbour, the falls, the rises and the changes from 0, the entries of the changes
that differ, and the entries that the neighbour lacks."""
bound = sp.Symbol("w", nonnegative=True, integer=True)

BITS = (0, 1)


def change(term: sp.Expr) -> sp.Expr:
    """The change of an expression in the entries since the place before."""
    return term - term.xreplace({one[place]: one[place - 1] for one in (x, y, count, other_count)})


def _total(term: sp.Expr, least: int = 1) -> sp.Sum:
    return sp.Sum(term, (place, least, length))


def _flips_of(term: sp.Expr) -> sp.Sum:
    """The places from the second on at which a bit differs from the one before."""
    return _total(sp.Abs(change(term)), 2)


def bits(*rules: sp.Basic) -> Words:
    """One existence vector."""
    sums = {flipped: _flips_of(x[place]), fallen: _total(x[place - 1] * (1 - x[place]), 2)}
    return Words(length, place, (x,), sums, {x: BITS}, rules)


ONE_VECTOR: Definitions = {flipped: flips, fallen: drops, risen: rises, from_zero: changes}


def bits_from_zero() -> Words:
    """One existence vector, with 0 before its first entry."""
    moved = change(x[place])
    sums = {flipped: _flips_of(x[place]), from_zero: _total(sp.Abs(moved)), risen: _total(sp.Max(0, moved))}
    return Words(length, place, (x,), sums, {x: BITS}, (), (0,))


def pairs() -> Words:
    """Two vectors of bits, with 0 before their first entries."""
    return Words(length, place, (x, y), _of_both(), {x: BITS, y: BITS}, (), (0, 0))


def _of_both() -> dict[sp.Symbol, sp.Sum]:
    apart = sp.Min(1, sp.Abs(change(x[place]) - change(y[place])))
    return {flipped: _flips_of(x[place]), other_flipped: _flips_of(y[place]), differing: _total(apart)}


TWO_VECTORS: Definitions = {
    flipped: lambda one, other: flips(one),
    other_flipped: lambda one, other: flips(other),
    differing: difference,
}

ONE_ENTRY = le(sp.Abs(change(count[place])), 1)
"""An entry changes the count by 1 at most."""
NEIGHBOUR = sp.Or(
    eq(other_count[place], other_count[place - 1]),
    eq(change(other_count[place]), change(count[place])),
)
"""The neighbour has the same entry, or a no-op."""
_TURNS = eq(count[place] + count[place - 1], 1)


def counts(*rules: sp.Basic, values: tuple[Sequence[int], Sequence[int]], start: bool = True) -> Words:
    """The counts of one element in a stream and in a neighbour, and the existence vectors."""
    lacking = sp.Min(1, sp.Abs(change(count[place]) - change(other_count[place])))
    sums = _of_both() | {left_out: _total(lacking)}
    if not start:
        sums = {one: sums[one] for one in (flipped, other_flipped)}
    given = {count: tuple(values[0]), other_count: tuple(values[1]), x: BITS, y: BITS}
    present = (eq(bit[place], sp.Min(1, sp.Max(0, of[place]))) for bit, of in ((x, count), (y, other_count)))
    first = (0, 0, 0, 0) if start else None
    return Words(length, place, (count, other_count, x, y), sums, given, (*rules, *present), first)


def toggled() -> Words:
    """Item-neighbours where an element is inserted only when it is absent, and deleted only when it is present."""
    return counts(NEIGHBOUR, values=(BITS, BITS))


def of_counts(of: Sequence[int]) -> Stream:
    """The stream of one element with these counts."""
    return of_one_element(differences(tuple(of)))


def _entries_that_differ(one: Bits, other: Bits, *_: Bits) -> int:
    return sum(a != b for a, b in zip(of_counts(one), of_counts(other), strict=True))


TWO_STREAMS: Definitions = {
    flipped: lambda one, other, *_: flips(existence(of_counts(one), 0)),
    other_flipped: lambda one, other, *_: flips(existence(of_counts(other), 0)),
    differing: lambda one, other, *_: changed_entries(of_counts(one), of_counts(other)),
    left_out: _entries_that_differ,
}


def in_turn(*, first_twice: bool = False) -> Words:
    """Insertions and deletions of the element in turn, and the neighbour without the first insertion."""
    low = int(first_twice)
    turns = eq(count[place] + count[place - 1], 1 + 2 * low)
    rules = (turns,) if not first_twice else (ONE_ENTRY, sp.Or(turns, eq(count[place - 1], 0)))
    return counts(*rules, eq(other_count[place], count[place] - 1), values=((low, low + 1), (low - 1, low)))


def none_left() -> Words:
    """Insertions and deletions in turn, from the first or the second entry on; the neighbour has none of them."""
    return counts(_TURNS, values=(BITS, (0,)), start=False)
