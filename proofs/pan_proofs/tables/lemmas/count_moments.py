"""Central moments of the frequencies of a multinomial sample, by the moments of one record."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.independent_sums import Distribution, Powers, moment_of_sum, sum_moment
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.lengths_and_limits import moment

records = sp.Symbol("n", positive=True, integer=True)
"""Number of records."""
chance, other = sp.symbols("p q", positive=True)
"""Probabilities of one symbol, and of another one."""

_ONE: Distribution = {(Fraction(2, 3),): Fraction(1, 3), (Fraction(-1, 3),): Fraction(2, 3)}
_TWO: Distribution = {
    (Fraction(2, 3), Fraction(-1, 2)): Fraction(1, 3),
    (Fraction(-1, 3), Fraction(1, 2)): Fraction(1, 2),
    (Fraction(-1, 3), Fraction(-1, 2)): Fraction(1, 6),
}


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
    """The moment of the relative deviations ``(frequency - p)/p`` from their probabilities."""
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
            {records: sp.Integer(3), chance: sp.Rational(1, 3), other: sp.Rational(2, 5)},
        ),
        (rf"E\left[{shown}\right] &= {sp.latex(sp.collect(sp.expand(found), records))}",),
    )


_TEXTS: dict[Powers, str] = {
    (2,): "Induction over the number of records gives the central moments of a count.",
    (1, 1): "The same induction gives the central moments of two counts.",
}
_PAIRS: dict[Powers, sp.Expr] = {
    (1, 1): -records * chance * other,
    (1, 2): records * chance * other * (2 * other - 1),
}
