"""Moments of counts and of noise, against simulation and against other formulas."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.notation import scale
from pan_proofs.tables.claims.moments.cauchy_schwarz import distance, moments
from pan_proofs.tables.claims.moments.laplace_sums import by_multinomial_theorem
from pan_proofs.tables.lemmas.count_moments import chance, other, records, relative
from pan_proofs.tables.lemmas.noisy_counts import holders, noisy_frequency

numbers = st.fractions(-3, 3, max_denominator=5)
weights = st.integers(1, 5)


@pytest.mark.parametrize("copies", range(1, 8))
def test_the_amended_sixth_moment_is_that_of_the_cumulants(copies):
    second, fourth, sixth = 2 * copies, 12 * copies, 240 * copies
    by_cumulants = sixth + 15 * fourth * second + 15 * second**3
    assert by_multinomial_theorem(6, copies) == by_cumulants == 120 * copies * (copies + 1) * (copies + 2)
    assert (by_cumulants == 240 * (copies**3 + 2 * copies)) is (copies < 3)


@given(st.lists(st.tuples(weights, numbers, numbers), min_size=1, max_size=5))
@settings(max_examples=100)
def test_the_product_of_moments_is_at_least_the_square_of_the_mixed_one(rows):
    total = sum(weight for weight, _, _ in rows)
    distribution = tuple((Fraction(weight, total), x, y) for weight, x, y in rows)
    first, cross, second = moments(distribution)
    assert cross**2 <= first * second
    # Equality holds for multiples, and where the second variable vanishes.
    multiple = distance(distribution) == 0
    assert (cross**2 == first * second) is (multiple or second == 0)


@pytest.mark.parametrize("powers", [(1, 1), (2, 2), (1, 3), (2, 3)])
def test_mixed_moments_of_deviations_are_those_of_enumeration(powers):
    size, one, two = 4, Fraction(1, 4), Fraction(1, 3)
    total = Fraction(0)
    for i in range(size + 1):
        for j in range(size + 1 - i):
            ways = math.factorial(size) // (math.factorial(i) * math.factorial(j) * math.factorial(size - i - j))
            weight = ways * one**i * two**j * (1 - one - two) ** (size - i - j)
            total += weight * (Fraction(i, size) / one - 1) ** powers[0] * (Fraction(j, size) / two - 1) ** powers[1]
    at = {chance: sp.Rational(one), other: sp.Rational(two), records: sp.Integer(size)}
    assert relative(powers).xreplace(at) == sp.Rational(total)


def test_the_fourth_moment_of_noisy_frequencies_is_simulated():
    generator = np.random.default_rng(3)
    size, share, noisy, runs = 20, 0.3, 3, 400_000
    noise = generator.laplace(0, 1.5, (runs, noisy)).sum(axis=1)
    found = ((generator.binomial(size, share, runs) + noise) / size - share) ** 4
    at = {chance: sp.Rational(3, 10), records: size, holders: noisy, scale: sp.Rational(3, 2)}
    stated = float(noisy_frequency(4).subs(at))
    assert found.mean() == pytest.approx(stated, abs=5 * found.std() / math.sqrt(runs))


@given(st.lists(st.tuples(numbers, numbers), max_size=5))
@settings(max_examples=50)
def test_sums_of_a_vector_are_those_of_python(vector):
    x, y = sp.symbols("x y", real=True)
    total, pairs, first, second = sp.symbols("S T A B", real=True)
    length = sp.Symbol("n", nonnegative=True, integer=True)
    induction = Induction(
        "s",
        sp.Ge(total, 0, evaluate=False),
        length,
        (x, y),
        {total: total + x * y, first: first + x, second: second + y, pairs: pairs + first * y + x * second},
        (),
    )
    values = induction.values([tuple(map(sp.Rational, one)) for one in vector])
    apart = sum((a[0] * b[1] for i, a in enumerate(vector) for j, b in enumerate(vector) if i != j), Fraction(0))
    assert values[pairs] == sp.Rational(apart)
    assert values[total] == sp.Rational(sum((a * b for a, b in vector), Fraction(0)))
    assert values[length] == len(vector)
