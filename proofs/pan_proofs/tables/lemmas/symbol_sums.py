"""Sums over the symbols of an alphabet of any size, and over pairs of different symbols.

A sum over pairs of different symbols is a product of two sums without the pairs of equal ones. With it, expressions in
the probability and the logarithm of one or of two symbols become expressions in plain sums.
"""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.tables.lemmas.moments import chance, other

log_chance, log_other = sp.symbols("l m", real=True)
alphabet = sp.Symbol("d", integer=True, positive=True)
entropy, spread = sp.symbols("H sigma", nonnegative=True)


def plain_sum(power: int, logs: int) -> sp.Expr:
    """The sum of ``p^power l^logs`` over all symbols."""
    known = {
        (0, 0): alphabet,
        (1, 0): sp.S.One,
        (1, 1): -entropy,
        (1, 2): spread**2 + entropy**2,
    }
    name = f"S_{power}_{logs}".replace("-", "m")
    return known.get((power, logs), sp.Symbol(name, real=True))


def over_symbols(expression: sp.Expr) -> sp.Expr:
    """The sum over all symbols of a polynomial in ``l`` with integer powers of ``p``."""
    total = sp.S.Zero
    for term in sp.Add.make_args(sp.expand(expression)):
        rest, place, logs = _powers(term, chance, log_chance)
        total += rest * plain_sum(place, logs)
    return total


def over_pairs(expression: sp.Expr) -> sp.Expr:
    """The sum over all ordered pairs of different symbols."""
    total = sp.S.Zero
    for term in sp.Add.make_args(sp.expand(expression)):
        rest, one, one_logs = _powers(term, chance, log_chance)
        rest, two, two_logs = _powers(rest, other, log_other)
        total += rest * (
            plain_sum(one, one_logs) * plain_sum(two, two_logs) - plain_sum(one + two, one_logs + two_logs)
        )
    return total


def _powers(term: sp.Expr, place: sp.Symbol, logarithm: sp.Symbol) -> tuple[sp.Expr, int, int]:
    powers = term.as_powers_dict()
    found = int(powers.get(place, 0)), int(powers.get(logarithm, 0))
    rest = term / (place ** found[0] * logarithm ** found[1])
    if rest.has(place, logarithm):
        raise ValueError(f"{term} is no product of powers of {place} and {logarithm}")
    return rest, *found


def pairs_of_symbols() -> Step:
    """The sum over pairs of different entries, for vectors of every length."""
    first, second, same, pairs = sp.symbols("A B E T", real=True)
    one, two = sp.symbols("a b", real=True)
    return over_entries(
        "pairs_of_symbols",
        r"Sums over pairs of different symbols become plain sums, by induction over the number of symbols: one more "
        r"entry adds its pairs with all entries before it.",
        eq(pairs, first * second - same),
        sp.Symbol("k", nonnegative=True, integer=True),
        {first: one, second: two, same: one * two, pairs: first * two + one * second},
        (one, two),
        ((1, 2), (3, 5), (2, 2)),
        r"\sum_{i \ne j} a_i b_j &= \sum_i a_i \sum_j b_j - \sum_i a_i b_i",
    )
