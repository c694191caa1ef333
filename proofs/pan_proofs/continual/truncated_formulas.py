"""Formulas of truncated existence vectors: ``x`` and ``y`` are cut where ``g`` and ``h`` become 1.

The truncated vector is ``x[i] (1 - g[i])``. It is cut at a flip, after ``w`` flips exactly.
"""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.flippancy import changes, flips, rises, truncated
from pan_proofs.continual.formulas import BITS, bound, length, place, x, y
from pan_proofs.continual.pair_machines import difference
from pan_proofs.continual.streams import Bits
from pan_proofs.engines.relations import eq, le
from pan_proofs.engines.word_sums import Definitions, Words

cut, other_cut, followed = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("g", "h", "v"))
kept_flips, other_kept_flips = sp.symbols("K_1 K_2", real=True)
"""The flips before the cut."""
gone, other_gone = sp.symbols("G_1 G_2", real=True)
"""1 if there is a cut."""
truncated_flips, truncated_rises, truncated_changes = sp.symbols("F R C", real=True)
differing_leaves = sp.Symbol("N", real=True)
first, other_first = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("c", "d"))
"""The first entries of the vectors, at every place."""
_NONE = 2
"""Before the first entry."""


def before(term: sp.Expr) -> sp.Expr:
    """An expression in the entries, at the place before."""
    return term.xreplace({one[place]: one[place - 1] for one in (x, y, cut, other_cut, followed)})


def _change(term: sp.Expr) -> sp.Expr:
    return term - before(term)


def _rules(vector: sp.IndexedBase, cut_of: sp.IndexedBase) -> tuple[sp.Basic, ...]:
    """An entry after the cut is cut as well, and the cut is at a flip."""
    return (
        le(cut_of[place - 1], cut_of[place]),
        le(_change(cut_of[place]), sp.Abs(_change(vector[place]))),
    )


def _kept(vector: sp.IndexedBase, cut_of: sp.IndexedBase) -> sp.Sum:
    return sp.Sum((1 - cut_of[place]) * sp.Abs(_change(vector[place])), (place, 2, length))


def _gone(cut_of: sp.IndexedBase) -> sp.Sum:
    return sp.Sum(_change(cut_of[place]), (place, 1, length))


_KEPT = x[place] * (1 - cut[place])
_OTHER_KEPT = y[place] * (1 - other_cut[place])


def one_vector() -> Words:
    """A vector and its cut."""
    sums = {
        kept_flips: _kept(x, cut),
        gone: _gone(cut),
        truncated_flips: sp.Sum(sp.Abs(_change(_KEPT)), (place, 2, length)),
        truncated_rises: sp.Sum(sp.Max(0, _change(_KEPT)), (place, 1, length)),
        truncated_changes: sp.Sum(sp.Abs(_change(_KEPT)), (place, 1, length)),
    }
    return Words(length, place, (x, cut), sums, {x: BITS, cut: BITS}, _rules(x, cut), (0, 0))


def two_vectors() -> Words:
    """Two vectors with their cuts, and the places at which the truncated vectors change differently."""
    sums = {
        kept_flips: _kept(x, cut),
        other_kept_flips: _kept(y, other_cut),
        gone: _gone(cut),
        other_gone: _gone(other_cut),
        differing_leaves: sp.Sum(sp.Min(1, sp.Abs(_change(_KEPT) - _change(_OTHER_KEPT))), (place, 1, length)),
    }
    values = dict.fromkeys((x, cut, y, other_cut), BITS)
    rules = (*_rules(x, cut), *_rules(y, other_cut))
    return Words(length, place, (x, cut, y, other_cut), sums, values, rules, (0, 0, 0, 0))


def last_value_kept() -> Words:
    """A vector, its cut, and the vector that keeps the last value from the cut on."""
    sums = {
        kept_flips: _kept(x, cut),
        truncated_flips: sp.Sum(sp.Abs(_change(followed[place])), (place, 2, length)),
    }
    follows = eq(followed[place], x[place] * (1 - cut[place]) + followed[place - 1] * cut[place])
    values = dict.fromkeys((x, cut, followed), BITS)
    return Words(length, place, (x, cut, followed), sums, values, (*_rules(x, cut), follows), (0, 0, 0))


def two_vectors_cut_after(parity: int) -> Words:
    """Two vectors, each cut after a number of flips with this remainder modulo 2 if it is cut.

    The vectors ``c`` and ``d`` keep the first entries: a flip more turns an entry that is like the first into another.
    """
    sums = {
        kept_flips: _kept(x, cut),
        other_kept_flips: _kept(y, other_cut),
        truncated_changes: sp.Sum(sp.Abs(_change(_KEPT)), (place, 1, length)),
        differing_leaves: sp.Sum(sp.Min(1, sp.Abs(_change(_KEPT) - _change(_OTHER_KEPT))), (place, 1, length)),
    }
    vectors = ((x, cut, first), (y, other_cut, other_first))
    rules = [rule for vector, cut_of, _ in vectors for rule in _rules(vector, cut_of)]
    for vector, cut_of, kept in vectors:
        before_it, flipped = kept[place - 1], sp.Abs(vector[place - 1] - kept[place - 1])
        rules += [
            eq((before_it - _NONE) * (kept[place] - before_it), 0),
            eq(before_it * (before_it - 1) * (kept[place] - vector[place]), 0),
            eq(_change(cut_of[place]) * (flipped - parity), 0),
        ]
    entries = (x, cut, y, other_cut, first, other_first)
    start = (0, 0, 0, 0, _NONE, _NONE)
    return Words(length, place, entries, sums, dict.fromkeys(entries, BITS), tuple(rules), start)


CUT = (le(kept_flips, bound), le(bound * gone, kept_flips))
"""There are at most ``w`` flips before the cut, and exactly ``w`` if there is one."""
OTHER_CUT = tuple(one.xreplace({kept_flips: other_kept_flips, gone: other_gone}) for one in CUT)


def cut_at(bits: Bits, most: int) -> Bits:
    """1 from the entry on at which the flippancy exceeds a bound."""
    return tuple(int(flips(bits[: at + 1]) > most) for at in range(len(bits)))


def _shown(bits: Bits, cut_of: Bits) -> Bits:
    return tuple(0 if gone else bit for bit, gone in zip(bits, cut_of, strict=True))


def _flips_before(bits: Bits, cut_of: Bits) -> int:
    return flips(bits[: cut_of.index(1)] if 1 in cut_of else bits)


ONE_CUT: Definitions = {
    kept_flips: lambda bits, cut_of, *_: _flips_before(bits, cut_of),
    gone: lambda bits, cut_of, *_: int(1 in cut_of),
    truncated_flips: lambda bits, cut_of, *more: flips(more[0] if more else _shown(bits, cut_of)),
    truncated_rises: lambda bits, cut_of: rises(_shown(bits, cut_of)),
    truncated_changes: lambda bits, cut_of: changes(_shown(bits, cut_of)),
}


def _leaves(bits: Bits, cut_of: Bits, other: Bits, cut_of_other: Bits) -> int:
    return difference(_shown(bits, cut_of), _shown(other, cut_of_other))


TWO_CUTS: Definitions = {
    kept_flips: lambda bits, cut_of, *_: _flips_before(bits, cut_of),
    other_kept_flips: lambda bits, cut_of, other, cut_of_other, *_: _flips_before(other, cut_of_other),
    truncated_changes: lambda bits, cut_of, *_: changes(_shown(bits, cut_of)),
    gone: lambda bits, cut_of, *_: int(1 in cut_of),
    other_gone: lambda *vectors: int(1 in vectors[3]),
    differing_leaves: lambda *vectors: _leaves(*vectors[:4]),
}


def is_truncated(bits: Bits, most: int) -> bool:
    """Whether the vector with its cut is that of Algorithm 1."""
    return _shown(bits, cut_at(bits, most)) == truncated(bits, most)
