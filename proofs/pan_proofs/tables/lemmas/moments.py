"""Central moments of the frequencies of a multinomial sample, by the moments of one record."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import sympy as sp

from pan_proofs.engines.independent_sums import Distribution, Powers, moment_of_sum, sum_moment
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.lengths_and_limits import moment
from pan_proofs.ledger.notation import scale

records, holders = sp.symbols("n M", integer=True, positive=True)
chance, other = sp.symbols("p q", positive=True)
_ONE: Distribution = {(Fraction(2, 3),): Fraction(1, 3), (Fraction(-1, 3),): Fraction(2, 3)}
_TWO: Distribution = {
    (Fraction(2, 3), Fraction(-1, 2)): Fraction(1, 3),
    (Fraction(-1, 3), Fraction(1, 2)): Fraction(1, 2),
    (Fraction(-1, 3), Fraction(-1, 2)): Fraction(1, 6),
}
_TEXTS: dict[Powers, str] = {
    (2,): "Induction over the number of records gives the central moments of a count.",
    (1, 1): "The same induction gives the central moments of two counts.",
}
_PAIRS: dict[Powers, sp.Expr] = {
    (1, 1): -records * chance * other,
    (1, 2): records * chance * other * (2 * other - 1),
}
_two = holders * scale**2
_four = (holders**2 + holders) * scale**4
_six = (holders**3 + 2 * holders) * scale**6
COUNTS: dict[int, sp.Expr] = {
    1: records * chance,
    2: records**2 * chance**2 + records * (-(chance**2) + chance),
    3: records**3 * chance**3
    + records**2 * (-3 * chance**3 + 3 * chance**2)
    + records * (2 * chance**3 - 3 * chance**2 + chance),
    4: records**4 * chance**4
    + records**3 * (-6 * chance**4 + 6 * chance**3)
    + records**2 * (11 * chance**4 - 18 * chance**3 + 7 * chance**2)
    + records * (-6 * chance**4 + 12 * chance**3 - 7 * chance**2 + chance),
    5: records**5 * chance**5
    + records**4 * (-10 * chance**5 + 10 * chance**4)
    + records**3 * (35 * chance**5 - 60 * chance**4 + 25 * chance**3)
    + records**2 * (-50 * chance**5 + 110 * chance**4 - 75 * chance**3 + 15 * chance**2)
    + records * (24 * chance**5 - 60 * chance**4 + 50 * chance**3 - 15 * chance**2 + chance),
    6: records**6 * chance**6
    + records**5 * (-15 * chance**6 + 15 * chance**5)
    + records**4 * (85 * chance**6 - 150 * chance**5 + 65 * chance**4)
    + records**3 * (-225 * chance**6 + 525 * chance**5 - 390 * chance**4 + 90 * chance**3)
    + records**2 * (274 * chance**6 - 750 * chance**5 + 715 * chance**4 - 270 * chance**3 + 31 * chance**2)
    + records * (-120 * chance**6 + 360 * chance**5 - 390 * chance**4 + 180 * chance**3 - 31 * chance**2 + chance),
}
"""Moments of a count."""
PAIRS: dict[tuple[int, int], sp.Expr] = {
    (1, 1): records * (records - 1) * chance * other,
    (2, 1): records * (records - 1) * chance * other + records * (records - 1) * (records - 2) * chance**2 * other,
}
"""Mixed moments of two counts."""
NOISE: dict[int, sp.Expr] = {
    1: sp.S.Zero,
    2: 2 * _two,
    3: records * 6 * chance * _two,
    4: records**2 * 12 * chance**2 * _two + records * 12 * (-(chance**2) + chance) * _two + 12 * _four,
    5: records**3 * 20 * chance**3 * _two
    + records**2 * 60 * (-(chance**3) + chance**2) * _two
    + records * ((40 * chance**3 - 60 * chance**2 + 20 * chance) * _two + 60 * chance * _four),
    6: records**4 * 30 * chance**4 * _two
    + records**3 * 180 * (-(chance**4) + chance**3) * _two
    + records**2 * ((330 * chance**4 - 540 * chance**3 + 210 * chance**2) * _two + 180 * chance**2 * _four)
    + records * (30 * (-(chance**2) + chance) * _two + 180 * (-(chance**2) + chance) * _four)
    + 240 * _six,
}
"""The terms that noise adds to the moments of a count."""
NOISY_PAIRS: dict[tuple[int, int], sp.Expr] = {
    (1, 1): records * (records - 1) * chance * other,
    (2, 1): records**3 * chance**2 * other
    + records**2 * (-3 * chance**2 * other + chance * other)
    + records * (2 * chance**2 * other - chance * other + 2 * other * _two),
}
"""Mixed moments of two noisy counts."""
FREQUENCIES: dict[int, sp.Expr] = {
    2: (-(chance**2) + chance) / records + 2 * _two / records**2,
    3: (2 * chance**3 - 3 * chance**2 + chance) / records**2,
    4: (3 * chance**4 - 6 * chance**3 + 3 * chance**2) / records**2
    + (-6 * chance**4 + 12 * chance**3 - 7 * chance**2 + chance + 12 * (-(chance**2) + chance) * _two) / records**3
    + 12 * _four / records**4,
    5: (-20 * chance**5 + 50 * chance**4 - 40 * chance**3 + 10 * chance**2) / records**3
    + (
        24 * chance**5
        - 60 * chance**4
        + 50 * chance**3
        - 15 * chance**2
        + chance
        + (40 * chance**3 - 60 * chance**2 + 20 * chance) * _two
    )
    / records**4,
    6: (-15 * chance**6 + 45 * chance**5 - 45 * chance**4 + 15 * chance**3) / records**3
    + (
        130 * chance**6
        - 390 * chance**5
        + 415 * chance**4
        - 180 * chance**3
        + 25 * chance**2
        + (90 * chance**4 - 180 * chance**3 + 90 * chance**2) * _two
    )
    / records**4
    + (
        -120 * chance**6
        + 360 * chance**5
        - 390 * chance**4
        + 180 * chance**3
        - 31 * chance**2
        + chance
        + 30 * (-(chance**2) + chance) * _two
        + 180 * (-(chance**2) + chance) * _four
    )
    / records**5
    + 240 * _six / records**6,
}
"""Central moments of a noisy frequency."""
FREQUENCY_PAIRS: dict[tuple[int, int], sp.Expr] = {
    (1, 1): chance * other / records,
    (2, 1): (2 * chance**2 * other - chance * other) / records**2,
}
"""Mixed central moments of two noisy frequencies."""
MISSING = 30 * records * (-6 * chance**4 + 12 * chance**3 - 6 * chance**2) * _two
"""The terms that are missing in the sixth moments, before they are divided by ``records^6`` for frequencies."""
EXCESS = 120 * holders * (holders - 1) * (holders - 2) * scale**6
"""The excess of the printed sixth moment of the noise."""


def one_record(powers: Powers) -> sp.Expr:
    """A moment of the centred indicators of one symbol, or of two different ones, in one record."""
    if len(powers) == 1:
        (power,) = powers
        return sp.expand(chance * (1 - chance) ** power + (1 - chance) * (-chance) ** power)
    first, second = powers
    return sp.expand(
        chance * (1 - chance) ** first * (-other) ** second
        + other * (-chance) ** first * (1 - other) ** second
        + (1 - chance - other) * (-chance) ** first * (-other) ** second
    )


def relative(powers: Powers) -> sp.Expr:
    """The moment of the relative deviations ``(frequency - chance)/chance`` from their probabilities."""
    places = (chance, other)[: len(powers)]
    scales = sp.Mul(*((records * place) ** power for place, power in zip(places, powers, strict=True)))
    return sp.expand(sum_moment(powers, one_record, records) / scales)


def proved(powers: Powers) -> Step:
    """The moment of the counts, for every number of records."""
    stated = sp.factor(sum_moment(powers, one_record, records)) if len(powers) == 1 else _PAIRS.get(powers)
    found = sum_moment(powers, one_record, records)
    names = (r"(c_i - np)", r"(c_j - nq)")
    shown = r"\,".join(f"{name}^{{{power}}}" for name, power in zip(names, powers, strict=False) if power)
    return moment(
        f"counts_{'_'.join(map(str, powers))}",
        _TEXTS.get(powers, "In the same way:"),
        moment_of_sum(
            f"counts.{'_'.join(map(str, powers))}",
            powers,
            one_record,
            records,
            found if stated is None else stated,
            _ONE if len(powers) == 1 else _TWO,
            {records: 3, chance: sp.Rational(1, 3), other: sp.Rational(2, 5)},
        ),
        (rf"E\left[{shown}\right] &= {sp.latex(sp.collect(sp.expand(found), records))}",),
    )


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
