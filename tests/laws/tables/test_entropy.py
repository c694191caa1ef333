"""Moments of counts and noise, and the entropy of noisy frequencies, by simulation and by other formulas."""

from __future__ import annotations

import math
import zipfile
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.ledger.notation import scale
from pan_proofs.tables.claims.cauchy_schwarz import distance, moments
from pan_proofs.tables.claims.laplace_sums import by_multinomial_theorem
from pan_proofs.tables.lemmas.diabetes import COLUMNS, columns_of, ranges_of, without_diabetes
from pan_proofs.tables.lemmas.moments import chance, holders, noisy_frequency, other, records, relative

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


DISTRIBUTIONS = {"even": np.full(4, 0.25), "uneven": np.array([0.5, 0.3, 0.15, 0.05])}


def entropies(distribution, records, holders, scale, runs, seed):
    """Entropies of simulated noisy frequencies, of which negative ones are set to 0, divided by n."""
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(records, distribution, size=runs).astype(float)
    if scale:
        counts += generator.laplace(0, scale, (holders, *counts.shape)).sum(axis=0)
    shares = np.clip(counts / records, 0, None)
    return -(shares * np.log(np.where(shares > 0, shares, 1))).sum(axis=1)


def main_terms(distribution, records, holders, scale):
    size, inverse = len(distribution), (1 / distribution).sum()
    noise = holders * scale**2 * inverse / records**2
    return -(size - 1) / (2 * records) - noise + (2 - 3 * size + inverse) / (6 * records**2)


def rest(distribution, records, holders, scale):
    noise, n = holders * scale**2, records
    parts = (
        3 / (distribution * n**2)
        + (1 + 12 * noise) / (distribution**2 * n**3)
        + 24 * noise**2 / (distribution**3 * n**4)
    )
    return ((1 / 3 - np.log(distribution)) * parts).sum()


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize(("records", "holders", "scale"), [(400, 3, 4.0), (100, 1, 3.0), (1000, 20, 5.0)])
def test_the_bias_is_within_the_bound_of_its_terms(name, records, holders, scale):
    distribution, runs = DISTRIBUTIONS[name], 50_000
    found = entropies(distribution, records, holders, scale, runs, 11)
    bias = found.mean() + (distribution * np.log(distribution)).sum()
    error = 5 * found.std() / math.sqrt(runs)
    assert (
        abs(bias - main_terms(distribution, records, holders, scale))
        <= rest(distribution, records, holders, scale) + error
    )


def test_the_noise_term_is_seen_in_the_simulation():
    distribution, records, holders, scale, runs = DISTRIBUTIONS["even"], 1000, 20, 5.0, 200_000
    found = entropies(distribution, records, holders, scale, runs, 12)
    bias = found.mean() + (distribution * np.log(distribution)).sum()
    error = 5 * found.std() / math.sqrt(runs)
    assert abs(bias - main_terms(distribution, records, holders, scale)) < 10 * error
    # Without noise the terms are far from it.
    assert abs(bias - main_terms(distribution, records, holders, 0.0)) > 10 * error


@pytest.mark.parametrize("value", np.concatenate([-np.geomspace(1e-3, 50, 12), np.geomspace(1e-3, 50, 12)]))
@pytest.mark.parametrize("chance", [0.5, 0.01])
def test_the_rest_of_a_symbol_is_within_the_fourth_power(value, chance):
    share = max(chance * (1 + value), 0.0)
    exact = -share * math.log(share) if share else 0.0
    terms = -chance * (1 + value) * math.log(chance) - chance * (value + value**2 / 2 - value**3 / 6)
    assert abs(exact - terms) <= chance * (1 / 3 - math.log(chance)) * value**4 + 1e-15


@pytest.mark.parametrize(("records", "rare"), [(400, 1), (100_000, 1), (10**8, 1), (10**8, 2)])
def test_the_bias_of_a_rare_symbol_grows_with_the_logarithm_of_n(records, rare):
    distribution, runs = np.array([rare / records, 1 - rare / records]), 100_000
    found = entropies(distribution, records, 1, 1.0, runs, 17) * records
    bias = found.mean() + records * (distribution * np.log(distribution)).sum()
    error = 5 * found.std() / math.sqrt(runs)
    lower = math.exp(-rare) / 2 * math.log(records / rare) - 2 - 2 / rare
    assert bias > lower - error
    # The slope is that of the bound: without noise on the rare symbol there is none.
    if records == 10**8 and rare == 1:
        assert 2 < bias < 5


def linear_and_rest(distribution, records, holders, scale):
    """The linear part of the squared error, and the bound on the rest."""
    noise, n, logs = holders * scale**2, records, np.log(distribution)
    variance = (distribution * logs**2).sum() - (distribution * logs).sum() ** 2
    linear = variance / n + 2 * noise / n**2 * ((1 + logs) ** 2).sum()
    spread = distribution * (1 - distribution)
    fourth = (
        3 * spread**2 / n**2
        + (spread * (1 - 6 * spread) + 12 * spread * noise) / n**3
        + 12 * (holders**2 + holders) * scale**4 / n**4
    )
    return variance, linear, len(distribution) * ((1 - logs) ** 2 / distribution**2 * fourth).sum()


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize(("records", "holders", "scale"), [(400, 3, 2.0), (20_000, 3, 5.0)])
def test_the_squared_error_is_within_the_bound_of_its_linear_part(name, records, holders, scale):
    distribution, runs = DISTRIBUTIONS[name], 40_000
    squares = (
        entropies(distribution, records, holders, scale, runs, 13) + (distribution * np.log(distribution)).sum()
    ) ** 2
    error = 5 * squares.std() / math.sqrt(runs)
    _, linear, rest_bound = linear_and_rest(distribution, records, holders, scale)
    assert abs(squares.mean() - linear) <= 2 * math.sqrt(linear * rest_bound) + rest_bound + error


def test_the_columns_of_a_data_set_are_counted(tmp_path):
    rows = "encounter_id,patient_nbr,race\n1,7,a\n2,7,b\n3,8,?\n4,8,?\n"
    with zipfile.ZipFile(tmp_path / "small.zip", "w") as archive:
        archive.writestr("folder/diabetic_data.csv", rows)
    assert list(columns_of(tmp_path / "small.zip")) == [
        ("encounter_id", 4, 0, 2),
        ("patient_nbr", 2, 0, 2),
        ("race", 3, 2, 2),
    ]
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("other.csv", rows)
    with pytest.raises(KeyError, match=r"holds no diabetic_data\.csv"):
        list(columns_of(tmp_path / "other.zip"))


def test_ranges_and_records_without_a_diagnosis_are_counted(tmp_path):
    names = "time_in_hospital,num_lab_procedures,num_medications,number_diagnoses,diag_1,diag_2,diag_3"
    rows = ("3,1,7,1,401,?,?", "9,2,6,3,250.1,401,?", "4,1,9,5,401,402,403")
    with zipfile.ZipFile(tmp_path / "small.zip", "w") as archive:
        archive.writestr("diabetic_data.csv", "\n".join((names, *rows)))
    assert list(ranges_of(tmp_path / "small.zip")) == [
        ("time_in_hospital", 3, 9),
        ("num_lab_procedures", 1, 2),
        ("num_medications", 6, 9),
    ]
    # The first record shows its one diagnosis, and the third one three of five.
    assert without_diabetes(tmp_path / "small.zip") == (2, 1)


def test_the_table_of_columns_agrees_with_the_known_sizes():
    """The numbers of records and patients are those of the source of the data."""
    table = {name: (values, missing, first) for name, values, missing, first in COLUMNS}
    assert len(table) == len(COLUMNS) == 50
    assert table["encounter_id"][0] == 101_766
    assert table["patient_nbr"][0] == table["encounter_id"][2] == 71_518
    assert all(first <= values for values, _, first in table.values())


def test_noise_on_many_values_exceeds_the_printed_error():
    """The printed condition, n theta L^2, falls along the family, and the error over its leading term rises."""
    ratios, printed = [], []
    for size in (16, 64, 256):
        distribution = np.repeat([1 / (2 * size), 3 / (2 * size)], size // 2)
        records, logarithm = size**4, math.log(2 * size)
        scale = math.sqrt(records / math.sqrt(size)) / logarithm
        variance = 3 * math.log(3) ** 2 / 16
        found = entropies(distribution, records, 1, scale, 4_000, 19) + (distribution * np.log(distribution)).sum()
        ratios.append(records * (found**2).mean() / variance)
        printed.append(scale**2 * logarithm**2 / records)
        assert math.isclose(
            (distribution * np.log(distribution) ** 2).sum() - (distribution * np.log(distribution)).sum() ** 2,
            variance,
        )
    assert printed[0] > printed[1] > printed[2]
    assert 1.5 * ratios[0] < ratios[1] < ratios[2] / 1.5


@given(st.lists(st.floats(0, 1), min_size=2, max_size=60))
@settings(max_examples=60, deadline=None)
def test_the_variance_of_the_logarithm_is_at_most_a_multiple_of_the_root_of_the_number_of_values(weights):
    distribution = np.array(weights) + 1e-9
    distribution = distribution / distribution.sum()
    mean = (distribution * np.log(distribution)).sum()
    variance = (distribution * np.log(distribution) ** 2).sum() - mean**2
    assert variance <= 16 * math.sqrt(len(distribution))
    assert variance <= math.log(len(distribution)) ** 2 + 4
