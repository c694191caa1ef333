"""Deliberately false statements near those about tables: none may come out as proved."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal
from pan_proofs.tables.claims.moments.cauchy_schwarz import distance
from pan_proofs.tables.claims.moments.laplace_sums import by_multinomial_theorem, holders, printed_sixth
from pan_proofs.tables.claims.scores.mutual_information import printed_binary, printed_wide, true_wide
from pan_proofs.tables.lemmas.count_moments import chance, records
from pan_proofs.tables.lemmas.distances import largest_change, to_independence, to_largest
from pan_proofs.tables.lemmas.entropy_bias import expected, leading, rest, share, sixth, within
from pan_proofs.tables.lemmas.entropy_error import coefficient
from pan_proofs.tables.lemmas.expansion import deviation, logarithm, remainder
from pan_proofs.tables.lemmas.information import gain, gains, information, largest_ratio, sensitivity
from pan_proofs.tables.lemmas.noisy_counts import noise, noisy_count, noisy_frequency, noisy_pair
from pan_proofs.tables.lemmas.printed_moments import (
    COUNTS,
    EXCESS,
    FREQUENCIES,
    FREQUENCY_PAIRS,
    NOISE,
    NOISY_PAIRS,
)
from pan_proofs.tables.lemmas.symbol_sums import alphabet, entropy, spread

_k = sp.Symbol("k", positive=True, integer=True)
_change = sp.Symbol("Delta", nonnegative=True)
_value = sp.Symbol("E_6", positive=True)
_n = sp.Symbol("n", positive=True, integer=True)
_small = {deviation: sp.Rational(1, 100)}
_raised = sp.Rational(1, 1000)


def _claim(step: Step) -> Claim:
    part = Part(Role.PUBLISHED, "statement", "", (step,), no_formula="the steps are tested")
    return Claim("false.tables", "false", (Reference("here", "false on purpose"),), "", (part,))


def _refuted(step: Step) -> Claim:
    """A claim that a true statement is false."""
    parts = (
        Part(Role.COUNTEREXAMPLE, "false", "", (step,), no_formula="the steps are tested"),
        Part(Role.AMENDED, "other", "", (_trivial(),), no_formula="the steps are tested"),
    )
    return Claim("false.tables", "false", (Reference("here", "false on purpose"),), "", parts)


def _trivial() -> Step:
    return equal("square", "", "", (_k + 1) ** 2, _k**2 + 2 * _k + 1)


def _equal(left: sp.Expr | Callable[[], sp.Expr], right: sp.Expr) -> Claim:
    return _claim(equal("s", "", "", left, right))


def _everywhere(cases: object, holds: Callable, mutant: Callable) -> Claim:
    return _claim(enumerated("s", "", "it holds", cases, holds, mutant=mutant))


def _rising(expression: sp.Expr) -> Claim:
    return _claim(by_slopes("s", "", Slopes("s", expression, deviation, sp.S.Zero, _small, _raised)))


def _wide_change() -> sp.Expr:
    before = ((sp.S.One, _k), (_k, sp.S.Zero))
    after = ((sp.S.Zero, _k, sp.S.Zero), (_k, sp.S.Zero, sp.S.Zero), (sp.S.Zero, sp.S.Zero, sp.S.One))
    return information(after) - information(before)


def _bounded(smaller: sp.Expr, larger: sp.Expr) -> Claim:
    inequality = Inequality(
        "s", smaller, larger, (chance <= 1, share <= 1), gap=sp.Rational(9, 10), weaker=sp.Rational(1, 100)
    )
    return _claim(at_most("s", "", inequality))


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "the first branch holds for three by three cells": (
        "missing hypothesis",
        lambda: _everywhere(
            range(3, 5), lambda n: largest_ratio((3, 3), n) == gains(n), lambda n: largest_ratio((3, 3), n) == 1
        ),
    ),
    "the second branch holds for even numbers": (
        "wrong constant",
        lambda: _everywhere(
            (4,),
            lambda n: largest_ratio((3, 3), n) ** 2 == (Fraction(5, 2) ** 5 / Fraction(3, 2) ** 3) ** 2,
            lambda n: largest_ratio((3, 3), n) == 1,
        ),
    ),
    "the second branch is that of even numbers": (
        "wrong constant",
        lambda: _equal(lambda: true_wide(_k + 1), printed_wide(2 * _k + 2)),
    ),
    "the first branch in another base": (
        "wrong base",
        lambda: _equal(lambda: gain(_k + 1) / (_k + 1), printed_binary(_k + 1, sp.Integer(2))),
    ),
    "the first branch with a record more": (
        "off by one",
        lambda: _equal(lambda: gain(_k + 2) / (_k + 1), printed_binary(_k + 1)),
    ),
    "the wide tables attain the first branch": ("wrong constant", lambda: _equal(_wide_change, printed_binary(_k + 1))),
    "F changes by two records' share": (
        "wrong constant",
        lambda: _everywhere(
            range(3, 6),
            lambda n: largest_change(to_largest, (2, 2), n) == Fraction(2, n),
            lambda n: largest_change(to_largest, (2, 2), n) == 0,
        ),
    ),
    "R changes by one record's share": (
        "wrong constant",
        lambda: _everywhere(
            range(2, 5),
            lambda n: largest_change(to_independence, (3, 3), n) <= Fraction(1, n),
            lambda n: largest_change(to_independence, (3, 3), n) == 0,
        ),
    ),
    "R of a binary variable changes by three shares": (
        "wrong constant",
        lambda: _everywhere(
            range(3, 6),
            lambda n: largest_change(to_independence, (2, 3), n) == Fraction(3 * (n - 1), n**2),
            lambda n: largest_change(to_independence, (2, 3), n) == 0,
        ),
    ),
    "R of other variables changes like that of a binary one": (
        "missing hypothesis",
        lambda: _everywhere(
            range(3, 5),
            lambda n: largest_change(to_independence, (3, 3), n) == Fraction(2 * (n - 1), n**2),
            lambda n: largest_change(to_independence, (3, 3), n) == 0,
        ),
    ),
    "the printed sixth moment for two variables is false": (
        "true statement",
        lambda: _refuted(
            counterexample(
                "s",
                "",
                sp.Eq(_value, printed_sixth().subs(sp.Symbol("b", positive=True), 1), evaluate=False),
                {_value: lambda: sp.Rational(by_multinomial_theorem(6, 2)), holders: sp.Integer(2)},
            )
        ),
    ),
    "the sensitivity of two binary variables is false": (
        "true statement",
        lambda: _refuted(
            counterexample(
                "s",
                "",
                sp.Eq(_change, printed_binary(_n), evaluate=False),
                {_change: lambda: sensitivity((2, 2), 3), _n: sp.Integer(3)},
            )
        ),
    ),
    "a multiple is no case of equality": (
        "true statement",
        lambda: _refuted(
            counterexample(
                "s",
                "",
                sp.Eq(_change, 0, evaluate=False),
                {_change: lambda: distance(((Fraction(1, 2), Fraction(2), Fraction(1)),) * 2)},
            )
        ),
    ),
    "the sixth moment of noisy counts as printed": (
        "wrong constant",
        lambda: _equal(lambda: noisy_count(6), COUNTS[6] + NOISE[6]),
    ),
    "the sixth moment of noisy counts with the right noise alone": (
        "wrong constant",
        lambda: _equal(lambda: noisy_count(6), COUNTS[6] + NOISE[6] - EXCESS),
    ),
    "the sixth moment of noisy frequencies as printed": (
        "wrong constant",
        lambda: _equal(lambda: noisy_frequency(6), FREQUENCIES[6]),
    ),
    "two frequencies have a positive product": (
        "wrong sign",
        lambda: _equal(lambda: noisy_pair((1, 1), centred=True), FREQUENCY_PAIRS[1, 1]),
    ),
    "one noise for all symbols": (
        "missing hypothesis",
        lambda: _equal(lambda: noisy_pair((1, 1), centred=False) + noise(2), NOISY_PAIRS[1, 1]),
    ),
    "the bias without its second order": (
        "wrong order",
        lambda: _equal(
            lambda: sp.limit((expected() - (1 - chance) / (2 * records)) * records**2, records, sp.oo), sp.S.Zero
        ),
    ),
    "the rest of the bias is of order four": (
        "wrong order",
        lambda: _equal(lambda: sp.limit((expected() - leading()) * records**3, records, sp.oo), sp.S.Zero),
    ),
    "the bias with a tenth of the bound": (
        "wrong constant",
        lambda: _everywhere(
            (((Fraction(1, 2), Fraction(1, 2)), 1),),
            lambda case: within(*case, Fraction(1, 1000)),
            lambda case: within(*case, Fraction(1, 10_000)),
        ),
    ),
    "the rest of the bias is a thousandth": ("wrong constant", lambda: _bounded(-rest(), sp.Rational(1, 1000))),
    "the sixth moment is a tenth": ("wrong constant", lambda: _bounded(sixth(), sp.Rational(1, 10))),
    "the error has no second order": ("wrong order", lambda: _equal(lambda: coefficient(2), sp.S.Zero)),
    "the error's second order has (d - 1)^2": (
        "wrong constant",
        lambda: _equal(lambda: coefficient(2), (alphabet - 1) ** 2 / 4),
    ),
    "the error's first order has a logarithm to base two": (
        "wrong base",
        lambda: _equal(lambda: coefficient(1), (spread**2 + entropy**2) / sp.log(2) ** 2 - entropy**2),
    ),
    "an even number of terms is above the logarithm": (
        "wrong order",
        lambda: _rising(logarithm(4) - sp.log(1 + deviation)),
    ),
    "the remainder after the fifth order is below a fortieth of the sixth power": (
        "wrong constant",
        lambda: _rising(deviation**6 / 40 - remainder(5)),
    ),
    "the remainder after the fifth order is below the seventh power": (
        "wrong order",
        lambda: _rising(deviation**7 - remainder(5)),
    ),
}
