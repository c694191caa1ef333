"""Formulas of the quantities of one element's streams, as sums over its entries, for formal statements.

``x`` and ``y`` are the existence vectors of a stream and of its neighbour, ``c`` and ``d`` the counts of the element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from pan_proofs.continual.flippancy import changes, drops, flips
from pan_proofs.continual.pair_machines import difference
from pan_proofs.continual.streams import Bits, Stream, changed_entries, differences, existence, of_one_element
from pan_proofs.continual.streams import counts as counted
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.word_sums import Definitions, Words

length, place = sp.symbols("T i", integer=True, positive=True)
x, y, count, other_count = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("x", "y", "c", "d"))
flipped, other_flipped, fallen, from_zero, differing, left_out = sp.symbols("w_1 w_2 D C N E", real=True)
"""The flips of the stream and of its neighbour, the falls, the changes from 0, the entries of the changes that differ,
and the entries that the neighbour lacks."""
bound = sp.Symbol("w", nonnegative=True, integer=True)

BITS = (0, 1)


def change(term: sp.Expr) -> sp.Expr:
    """The change of an expression in the entries since the place before."""
    return term - term.xreplace({one[place]: one[place - 1] for one in (x, y, count, other_count)})


def present(bit: sp.IndexedBase, counted: sp.IndexedBase) -> sp.Basic:
    """The entry of the existence vector is 1 exactly if the count is positive."""
    return eq(bit[place], sp.Min(1, sp.Max(0, counted[place])))


def flips_of(term: sp.Expr) -> sp.Sum:
    """The places from the second on at which a bit differs from the one before."""
    return sp.Sum(sp.Abs(change(term)), (place, 2, length))


def differing_of(one: sp.Expr, other: sp.Expr) -> sp.Sum:
    """The places at which two vectors change differently, from 0 on."""
    return sp.Sum(sp.Min(1, sp.Abs(change(one) - change(other))), (place, 1, length))


def of_counts(counts: Sequence[int]) -> Stream:
    """The stream of one element with these counts."""
    return of_one_element(differences(tuple(counts)))


def bits(*rules: sp.Basic) -> Words:
    """One existence vector."""
    sums = {
        flipped: flips_of(x[place]),
        fallen: sp.Sum(x[place - 1] * (1 - x[place]), (place, 2, length)),
    }
    return Words(length, place, (x,), sums, {x: BITS}, rules)


ONE_VECTOR: Definitions = {flipped: flips, fallen: drops, from_zero: changes}


def bits_from_zero() -> Words:
    """One existence vector, with 0 before its first entry."""
    sums = {flipped: flips_of(x[place]), from_zero: sp.Sum(sp.Abs(change(x[place])), (place, 1, length))}
    return Words(length, place, (x,), sums, {x: BITS}, (), (0,))


def pairs(*rules: sp.Basic) -> Words:
    """Two vectors of bits, with 0 before their first entries."""
    sums = {
        flipped: flips_of(x[place]),
        other_flipped: flips_of(y[place]),
        differing: differing_of(x[place], y[place]),
    }
    return Words(length, place, (x, y), sums, {x: BITS, y: BITS}, rules, (0, 0))


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


def counts(*rules: sp.Basic, values: tuple[Sequence[int], Sequence[int]] | None = None) -> Words:
    """The counts of one element in a stream and in a neighbour, and the existence vectors."""
    sums = {
        flipped: flips_of(x[place]),
        other_flipped: flips_of(y[place]),
        differing: differing_of(x[place], y[place]),
        left_out: sp.Sum(sp.Min(1, sp.Abs(change(count[place]) - change(other_count[place]))), (place, 1, length)),
    }
    given = {} if values is None else {count: tuple(values[0]), other_count: tuple(values[1]), x: BITS, y: BITS}
    vectors = (count, other_count, x, y)
    return Words(length, place, vectors, sums, given, (*rules, present(x, count), present(y, other_count)), (0,) * 4)


def neighbours(*rules: sp.Basic) -> Words:
    """The counts of one element in a stream and in an item-neighbour, and the existence vectors."""
    return counts(ONE_ENTRY, NEIGHBOUR, *rules)


def toggled() -> Words:
    """The same where an element is inserted only when it is absent, and deleted only when it is present."""
    return counts(NEIGHBOUR, values=(BITS, BITS))


def of_streams(one: Stream, other: Stream) -> tuple[Bits, Bits, Bits, Bits]:
    """The four vectors of two streams of one element."""
    return counted(one, 0), counted(other, 0), existence(one, 0), existence(other, 0)


def _entries_that_differ(one: Bits, other: Bits, *_: Bits) -> int:
    return sum(a != b for a, b in zip(of_counts(one), of_counts(other), strict=True))


TWO_STREAMS: Definitions = {
    flipped: lambda one, other, *_: flips(existence(of_counts(one), 0)),
    other_flipped: lambda one, other, *_: flips(existence(of_counts(other), 0)),
    differing: lambda one, other, *_: changed_entries(of_counts(one), of_counts(other)),
    left_out: _entries_that_differ,
}

STRICT = (ge(count[place], 0), ge(other_count[place], 0))
"""No count is negative."""


def in_turn(*, first_twice: bool = False) -> Words:
    """Insertions and deletions of the element in turn, and the neighbour without the first insertion."""
    low = int(first_twice)
    turns = eq(count[place] + count[place - 1], 1 + 2 * low)
    rules = (turns,) if not first_twice else (ONE_ENTRY, sp.Or(turns, eq(count[place - 1], 0)))
    less = eq(other_count[place], count[place] - 1)
    return counts(*rules, less, values=((low, low + 1), (low - 1, low)))


def last_count() -> Words:
    """The same neighbours, with the last count of the second as the sum of its changes."""
    words = in_turn()
    total = sp.Sum(change(other_count[place]), (place, 1, length))
    return replace(words, sums={sp.Symbol("d_T", real=True): total, **words.sums})


def none_left() -> Words:
    """Insertions and deletions in turn, from the first or the second entry on; the neighbour has none of them."""
    turns = eq(count[place] + count[place - 1], 1)
    words = counts(turns, values=(BITS, (0,)))
    sums = {one: total for one, total in words.sums.items() if one in (flipped, other_flipped)}
    return replace(words, sums=sums, start=None)


def never_falling() -> Words:
    """One existence vector that never falls."""
    return bits(le(x[place - 1], x[place]))
