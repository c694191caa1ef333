"""Moments of noisy counts: a count of a multinomial sample plus the noise of each data holder."""

from __future__ import annotations

from math import comb

import sympy as sp

from pan_proofs.engines.independent_sums import Powers, sum_moment
from pan_proofs.ledger.notation import scale
from pan_proofs.tables.lemmas.count_moments import chance, one_record, other, records

holders = sp.Symbol("M", positive=True, integer=True)
"""Number of data holders."""


def laplace_moment(powers: Powers) -> sp.Expr:
    """The moment of one centred Laplace variable: ``k! b^k`` for even ``k``, and 0 for odd ``k``."""
    (order,) = powers
    return sp.S.Zero if order % 2 else scale**order * sp.factorial(order)


def one_indicator(powers: Powers) -> sp.Expr:
    """A moment of the indicators of one symbol, or of two different ones, in one record."""
    if len(powers) == 1:
        return chance
    if all(powers):
        return sp.S.Zero
    return chance if powers[0] else other


def noise(order: int) -> sp.Expr:
    """A moment of the noise of all data holders together."""
    return sum_moment((order,), laplace_moment, holders) if order else sp.S.One


def count(powers: Powers) -> sp.Expr:
    """A moment of the counts."""
    return sum_moment(powers, one_indicator, records) if any(powers) else sp.S.One


def deviation(powers: Powers) -> sp.Expr:
    """A central moment of the counts."""
    return sum_moment(powers, one_record, records) if any(powers) else sp.S.One


def noisy_count(order: int) -> sp.Expr:
    """A moment of a noisy count: the noise is independent of the records."""
    return sp.expand(sp.Add(*(comb(order, k) * count((order - k,)) * noise(k) for k in range(order + 1))))


def noisy_frequency(order: int) -> sp.Expr:
    """A central moment of a noisy frequency."""
    total = sp.Add(*(comb(order, k) * deviation((order - k,)) * noise(k) for k in range(order + 1)))
    return sp.expand(total / records**order)


def noisy_pair(powers: Powers, *, centred: bool) -> sp.Expr:
    """A mixed moment of two noisy counts, or a central one of two noisy frequencies; each has noise of its own."""
    moments = deviation if centred else count
    first, second = powers
    total = sp.Add(
        *(
            comb(first, j) * comb(second, k) * moments((first - j, second - k)) * noise(j) * noise(k)
            for j in range(first + 1)
            for k in range(second + 1)
        )
    )
    return sp.expand(total / records ** sum(powers)) if centred else sp.expand(total)
