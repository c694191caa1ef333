"""Statements near those about tables and learned networks, and false; all are built like true ones."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.ledger.steps import at_most, enumerated, equal
from pan_proofs.tables.claims.empirical_entropy import share
from pan_proofs.tables.lemmas import small_tables
from pan_proofs.tables.lemmas.expansion import deviation
from pan_proofs.tables.lemmas.moments import chance, noisy_frequency, noisy_pair
from pan_proofs.tables.lemmas.small_tables import families, structures
from pan_proofs.tables.lemmas.symbol_sums import (
    log_chance,
    log_other,
    over_pairs,
    over_symbols,
)
from tests.mutants.statements.reading import named

NAMES = named(
    "tables.claims.analysis_of_algorithm",
    "tables.claims.entropy_conditions",
    "tables.claims.empirical_entropy",
    "tables.claims.entropy_bias",
    "tables.claims.entropy_mse",
    "tables.claims.remainders",
    "tables.claims.preprocessing",
    "tables.claims.consistency",
    "tables.claims.counts",
    "tables.claims.degree",
    "tables.claims.several_holders",
    "tables.claims.cauchy_schwarz",
    "tables.claims.laplace_sums",
    "tables.lemmas.distances",
    "tables.lemmas.expansion",
    "tables.lemmas.likelihoods",
    "tables.lemmas.moments",
    "tables.lemmas.small_tables",
    "tables.lemmas.symbol_sums",
    "tables.lemmas.information",
)

_below = sp.Symbol("v", real=True)
_w, _L, _x, _r, _t = sp.symbols("w L x r t", nonnegative=True)
_small_number = sp.Symbol("eta", positive=True)
_change, _one, _other = sp.symbols("C P Pprime")
_sets, _size = sp.symbols("K N", integer=True, positive=True)
_epsilon = sp.Symbol("epsilon", positive=True)
_EQUAL, _TURNED = ((0, 0, 0), (1, 1, 1)), ((0, 0, 0), (1, 0, 1))


def _equal(left: sp.Expr | Callable[[], sp.Expr], right: sp.Expr) -> Step:
    return equal("s", "", "", left, right)


def _bounded(smaller: sp.Expr, larger: sp.Expr, given: tuple, **controls: object) -> Step:
    return at_most("s", "", Inequality("s", smaller, larger, given, **controls))


def _both_signs() -> sp.Expr:
    """The squared linear part with the printed sign of the mixed moment."""
    alone = over_symbols(sp.expand((1 + log_chance) ** 2 * noisy_frequency(2)))
    pairs = over_pairs(sp.expand((1 + log_chance) * (1 + log_other) * noisy_pair((1, 1), centred=True)))
    return sp.expand(alone - pairs)


def _changes() -> list[dict]:
    return [
        {_change: small_tables.largest_change((2,) * size, 2, families(one)), _size: size}
        for size in (2, 3)
        for one in structures(size, 1)
    ]


_k = sp.Symbol("k", positive=True, integer=True)
_change_of_tables = sp.Symbol("Delta", nonnegative=True)
_value = sp.Symbol("E_6", positive=True)
_n = sp.Symbol("n", positive=True, integer=True)
_small = {deviation: sp.Rational(1, 100)}
_raised = sp.Rational(1, 1000)


def _trivial() -> Step:
    return equal("square", "", "", (_k + 1) ** 2, _k**2 + 2 * _k + 1)


def _everywhere(cases: object, holds: Callable, mutant: Callable) -> Step:
    return enumerated("s", "", "it holds", cases, holds, mutant=mutant)


def _rising(expression: sp.Expr) -> Step:
    return by_slopes("s", "", Slopes("s", expression, deviation, sp.S.Zero, _small, _raised))


def _bounded_of_tables(smaller: sp.Expr, larger: sp.Expr) -> Step:
    inequality = Inequality(
        "s", smaller, larger, (chance <= 1, share <= 1), gap=sp.Rational(9, 10), weaker=sp.Rational(1, 100)
    )
    return at_most("s", "", inequality)


FALSE = {
    "wrong constant": {
        "all distributions of a network change by one count each": (
            "related('s', '', 'the largest change', _change == _size, _changes(), mutant=_change == 0, "
            "parameters=(_size,))"
        ),
        "half of the scale of noisy counts keeps the budget": (
            "_equal(lambda: exp(2 * _sets / (_sets / _epsilon)), exp(_epsilon))"
        ),
        "the remainder after the third order is a quarter of the fourth power": (
            "by_slopes('s', '', Slopes('s', _below**4 / 4 - remainder(3).subs(deviation, -_below), _below, "
            "S(0), {_below: 1 / 100}, 1 / 1000, end=S(1)))"
        ),
        "the noise counts twice in the bias of the entropy": (
            "_equal(lambda: expand(chance * (-noisy_frequency(2) / (2 * chance**2) + noisy_frequency(3) / (6 * "
            "chance**3))), entropy_bias.main_of_one() - holders * scale**2 / (moments.records**2 * "
            "chance))"
        ),
        "the other terms of the bias are ten times the small number": (
            "_bounded(entropy_bias._others(), 10 * entropy_bias._small, (entropy_bias._noise <= entropy_bias._small, "
            "(1 + entropy_bias._log) * entropy_bias._at <= entropy_bias._small, entropy_bias._small <= 1), "
            "gap=99 / 100)"
        ),
        "there are as many candidates as sets": (
            "related('s', '', 'the numbers', _one == _other, [{_one: counts._all_pairs(size, 2), _other: "
            "sum((comb(size, i) for i in (1, 2, 3))), _size: size} for size in (3, 4)], mutant=_one == 0, "
            "parameters=(_size,))"
        ),
        "smoothing by one adds nothing": (
            "for_every_length('s', '', Induction('s', Symbol('T', real=True) == Symbol('C', real=True), "
            "Symbol('d', nonnegative=True, integer=True), (Symbol('c', nonnegative=True),), {Symbol('T', "
            "real=True): Symbol('T', real=True) + Symbol('c', nonnegative=True) + 1, Symbol('C', real=True): "
            "Symbol('C', real=True) + Symbol('c', nonnegative=True)}, ((3,), (0,))))"
        ),
        "a count that is set to zero rises by the whole scale": (
            "_equal(analysis_of_algorithm._integral, analysis_of_algorithm._count + scale * "
            "exp(-analysis_of_algorithm._count / scale))"
        ),
        "the fourth moments have no inverse squares": (
            "for_every_length('s', '', replace(remainders._sums()['fourth'], "
            "relation=remainders._sums()['fourth'].relation.lhs == "
            "remainders._sums()['fourth'].relation.rhs.subs(Symbol('R_2', real=True), 0)))"
        ),
        "the products of orders with a factor of a half": (
            "_bounded(remainders._TWO * remainders._SIX, remainders._SUM_4**2 / 2, (remainders._a >= 0, "
            "remainders._t >= 0), gap=99 / 100)"
        ),
        "the uniform entropy is 7.59 bits": "compared('s', '', 7585 / 1000 < log(192) / log(2))",
        "the term of a value is at most the root of its probability": (
            "_bounded(_w**4 * _L**2, _w**2, (_L * _w <= 4 * (1 - _w), _w <= 1), weaker=1 / 100)"
        ),
        "R of other variables changes by a root less": (
            "_bounded(5 * (_w**2 - 1) - (_L + _x - 2) + (_L - 1) * (_x - 1) - Abs(_w**2 - _L * _x), 6 * _w**2 - 3 - 4 "
            "* _w, (_L >= 1, _x >= 1, _w >= 1), raised=S(1))"
        ),
        "the information of a sum is shifted by its logarithm": (
            "_equal(consistency._of_mass, consistency._mass * consistency._cell * consistency._logarithms() - "
            "log(consistency._mass))"
        ),
        "the second branch holds for even numbers": (
            "_everywhere((4,), lambda n: information.largest_ratio((3, 3), n)**2 == (Fraction(5, 2)**5 / "
            "Fraction(3, 2)**3)**2, lambda n: information.largest_ratio((3, 3), n) == 1)"
        ),
        "F changes by two records' share": (
            "_everywhere(range(3, 6), lambda n: largest_change(to_largest, (2, 2), n) == Fraction(2, n), "
            "lambda n: largest_change(to_largest, (2, 2), n) == 0)"
        ),
        "R changes by one record's share": (
            "_everywhere(range(2, 5), lambda n: largest_change(to_independence, (3, 3), n) <= Fraction(1, n), "
            "lambda n: largest_change(to_independence, (3, 3), n) == 0)"
        ),
        "R of a binary variable changes by three shares": (
            "_everywhere(range(3, 6), lambda n: largest_change(to_independence, (2, 3), n) == Fraction(3 * (n "
            "- 1), n**2), lambda n: largest_change(to_independence, (2, 3), n) == 0)"
        ),
        "the sixth moment of noisy counts as printed": "_equal(lambda: noisy_count(6), COUNTS[6] + NOISE[6])",
        "the sixth moment of noisy counts with the right noise alone": (
            "_equal(lambda: noisy_count(6), COUNTS[6] + NOISE[6] - EXCESS)"
        ),
        "the sixth moment of noisy frequencies as printed": "_equal(lambda: noisy_frequency(6), FREQUENCIES[6])",
        "the bias with a tenth of the bound": (
            "_everywhere((((Fraction(1, 2), Fraction(1, 2)), 1),), lambda case: empirical_entropy.within(*case, "
            "Fraction(1, 1000)), "
            "lambda case: empirical_entropy.within(*case, Fraction(1, 10000)))"
        ),
        "the rest of the bias is a thousandth": "_bounded_of_tables(-rest(), 1 / 1000)",
        "the sixth moment is a tenth": "_bounded_of_tables(sixth(), 1 / 10)",
        "the error's second order has (d - 1)^2": "_equal(lambda: coefficient(2), (alphabet - 1)**2 / 4)",
        "the remainder after the fifth order is below a fortieth of the sixth power": (
            "_rising(deviation**6 / 40 - remainder(5))"
        ),
    },
    "true statement": {
        "exponential weights leak without bound": (
            "counterexample('s', '', _one <= Symbol('c', nonnegative=True) * _other, {_one: lambda: "
            "exponential_chance(_EQUAL, (0,), 1, (1, (0,)), S.One), _other: lambda: "
            "exponential_chance(_TURNED, (0,), 1, (1, (0,)), S.One), Symbol('c', nonnegative=True): S(10)**9})"
        ),
        "the printed sixth moment for two variables is false": (
            "counterexample('s', '', _value == printed_sixth().subs(Symbol('b', positive=True), 1), {_value: "
            "lambda: Rational(by_multinomial_theorem(6, 2)), holders: S(2)})"
        ),
        "a multiple is no case of equality": (
            "counterexample('s', '', _change_of_tables == 0, {_change_of_tables: lambda: "
            "distance(((Fraction(1, 2), Fraction(2), Fraction(1)),) * 2)})"
        ),
    },
    "missing hypothesis": {
        "a negative frequency costs no logarithm": (
            "_bounded(expansion._missed(3)[0], _below**4 / 3, (_below >= 1, expansion._log >= 0), gap=99 / 100)"
        ),
        "the first condition alone, with any noise": (
            "_bounded(_x, _small_number, (_w <= _small_number, _w == _L * _x), gap=99 / 100)"
        ),
        "the squared error without its noise": "_equal(linear_square, symbol_sums.spread**2 / moments.records)",
        "one star is the best tree for all weights": (
            "enumerated('s', '', 'it holds', likelihoods.orders(4), lambda rank: dominates(((0, 1), (0, 2), "
            "(0, 3)), grown(4, rank), rank), mutant=lambda rank: rank[0, 1] > 5)"
        ),
        "the printed vote keeps the degree": (
            "enumerated('s', '', 'a vote has at most one parent', (_EQUAL, _TURNED, ((0, 0, 0), (0, 1, 1), (1, "
            "0, 1), (1, 1, 0))), lambda table: len(printed_vote(table, (0, 1), 1)[1]) <= 1, mutant=lambda "
            "table: len(printed_vote(table, (0, 1), 1)[1]) > 2)"
        ),
        "the likelihood does not depend on the structure": (
            "enumerated('s', '', 'it holds', [(_EQUAL, one) for one in structures(3, 1)], lambda case: "
            "maximum_likelihood(*case) == by_information(case[0], [(), (), ()]), mutant=lambda case: "
            "maximum_likelihood(*case) == 0)"
        ),
        "the noise grows with every degree": "_bounded(S(1), degree._FACTOR, (degree._N > degree._degree + 1,))",
        "the five terms are small without a bound on the variance": (
            "_bounded(_r * _x**4, _small_number, (_r * _L * _x**2 <= _small_number**2 / 4, _L >= 2, "
            "_small_number <= 1), gap=1 / 2, weaker=1 / 1000)"
        ),
        "two rows without their common sum": (
            "_bounded(Abs(_w - _x - _L) + Abs(_r + _t - _w) + Abs(_L - _t) + Abs(_x - _r) + 2 * (_w - _t - _x), 4 * "
            "_w, (_t + _x <= _w,))"
        ),
        "the first branch holds for three by three cells": (
            "_everywhere(range(3, 5), lambda n: information.largest_ratio((3, 3), n) == Fraction(n**n, (n - 1)**(n - "
            "1)), lambda n: information.largest_ratio((3, 3), n) == 1)"
        ),
        "R of other variables changes like that of a binary one": (
            "_everywhere(range(3, 5), lambda n: largest_change(to_independence, (3, 3), n) == Fraction(2 * (n "
            "- 1), n**2), lambda n: largest_change(to_independence, (3, 3), n) == 0)"
        ),
        "one noise for all symbols": "_equal(lambda: noisy_pair((1, 1), centred=False) + noise(2), NOISY_PAIRS[1, 1])",
    },
    "wrong sign": {
        "the squared error with the printed sign of the mixed moment": "_equal(_both_signs, stated_linear_square())",
        "the terms of degree one exceed those of degree four": (
            "counterexample('s', '', degree._four <= degree._five, {degree._four: lambda: "
            "degree.main_terms(1), degree._five: lambda: degree.main_terms(4)})"
        ),
        "two frequencies have a positive product": (
            "_equal(lambda: noisy_pair((1, 1), centred=True), FREQUENCY_PAIRS[1, 1])"
        ),
    },
    "wrong range": {
        "a domain of the first records has 118 values": (
            "found('s', '', 'the largest domain', lambda: max((first for name, _, _, first in "
            "preprocessing.COLUMNS if name in preprocessing.kept())), 118)"
        ),
    },
    "off by one": {
        "a diagnosis has 9 groups and no missing entry": (
            "found('s', '', 'the values of a diagnosis', lambda: preprocessing.kept()[preprocessing._DIAGNOSES[0]], 9)"
        ),
    },
    "missing factor": {
        "a record that changes its holder costs one budget": (
            "_bounded(_w + _x, _epsilon, (_w <= _epsilon, _x <= _epsilon))"
        ),
        "several records of a patient cost one budget": (
            "_bounded(preprocessing._changed * _epsilon, _epsilon, (preprocessing._changed <= 40,))"
        ),
    },
    "wrong base": {
        "the error in bits has one factor": (
            "_equal(empirical_entropy._error_in_bits, empirical_entropy._error_in_nats() / log(2))"
        ),
        "the error's first order has a logarithm to base two": (
            "_equal(lambda: coefficient(1), (symbol_sums.spread**2 + symbol_sums.entropy**2) / log(2)**2 - "
            "symbol_sums.entropy**2)"
        ),
    },
    "wrong order": {
        "the bias without its second order": (
            "_equal(lambda: limit((expected() - (1 - chance) / (2 * moments.records)) * "
            "moments.records**2, moments.records, oo), S(0))"
        ),
        "the rest of the bias is of order four": (
            "_equal(lambda: limit((expected() - leading()) * moments.records**3, moments.records, oo), S(0))"
        ),
        "the error has no second order": "_equal(lambda: coefficient(2), S(0))",
        "an even number of terms is above the logarithm": "_rising(logarithm(4) - log(1 + deviation))",
        "the remainder after the fifth order is below the seventh power": "_rising(deviation**7 - remainder(5))",
    },
}
