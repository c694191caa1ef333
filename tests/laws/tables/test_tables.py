"""Tables at random: what the claims say about every table holds for those that no derivation has looked at."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.tables.claims.empirical_entropy import within
from pan_proofs.tables.claims.score_sensitivities import attaining, bound
from pan_proofs.tables.claims.score_use import by_vectors
from pan_proofs.tables.lemmas.distances import to_independence, to_largest
from pan_proofs.tables.lemmas.information import exponential, tables, tables_by_margins


@st.composite
def adjacent(draw, rows, columns):
    """Two tables of which one record differs."""
    counts = draw(st.lists(st.integers(0, 6), min_size=rows * columns, max_size=rows * columns))
    one, other = (draw(st.integers(0, rows * columns - 1)) for _ in range(2))
    pair = []
    for place in (one, other):
        flat = list(counts)
        flat[place] += 1
        pair.append(tuple(tuple(flat[row * columns : (row + 1) * columns]) for row in range(rows)))
    return pair


def gains(*counts):
    """The exponential of the sum of ``k log k - (k - 1) log(k - 1)``."""
    return math.prod(Fraction(count**count, (count - 1) ** (count - 1)) for count in counts)


def size(table):
    return sum(map(sum, table))


def frequencies(table):
    cells = np.array(table, dtype=float) / size(table)
    return cells, cells.sum(axis=1, keepdims=True) * cells.sum(axis=0, keepdims=True)


@given(st.one_of(adjacent(2, 2), adjacent(2, 4), adjacent(5, 2)))
@settings(max_examples=150)
def test_a_record_changes_the_information_of_a_binary_variable_by_the_first_branch(pair):
    one, other = map(exponential, pair)
    assert max(one / other, other / one) <= gains(size(pair[0]))


@given(st.one_of(adjacent(3, 3), adjacent(3, 5), adjacent(4, 4)))
@settings(max_examples=150)
def test_a_record_changes_the_information_of_others_by_the_second_branch(pair):
    records = size(pair[0])
    one, other = map(exponential, pair)
    assert max(one / other, other / one) <= gains((records + 1) // 2, records // 2 + 1)


@pytest.mark.parametrize("records", range(3, 40))
def test_the_second_branch_is_attained(records):
    half = (records - 1) // 2
    rest = records - 1 - half
    shared = ((1, half, 0), (rest, 0, 0), (0, 0, 0))
    alone = ((0, half, 0), (rest, 0, 0), (0, 0, 1))
    assert exponential(alone) / exponential(shared) == gains((records + 1) // 2, records // 2 + 1)


@given(adjacent(3, 4))
@settings(max_examples=50)
def test_the_information_is_that_of_numpy(pair):
    table = pair[0]
    cells, independent = frequencies(table)
    occurring = cells > 0
    stated = float((cells[occurring] * np.log(cells[occurring] / independent[occurring])).sum())
    value = exponential(table)
    exact = (math.log(value.numerator) - math.log(value.denominator)) / size(table)
    assert exact == pytest.approx(stated, abs=1e-12)


@given(st.one_of(adjacent(2, 2), adjacent(3, 3), adjacent(4, 5)))
@settings(max_examples=100)
def test_a_record_changes_the_distance_to_independence_by_three_shares(pair):
    one, other = map(to_independence, pair)
    assert abs(one - other) <= Fraction(3, size(pair[0]))
    cells, independent = frequencies(pair[0])
    assert float(one) == pytest.approx(np.abs(cells - independent).sum() / 2)


@given(st.one_of(adjacent(2, 2), adjacent(2, 5), adjacent(4, 2)))
@settings(max_examples=100)
def test_a_record_changes_the_distance_of_a_binary_variable_by_less_than_two_shares(pair):
    one, other = map(to_independence, pair)
    assert abs(one - other) <= Fraction(2 * (size(pair[0]) - 1), size(pair[0]) ** 2)


@given(st.one_of(adjacent(3, 3), adjacent(3, 5), adjacent(4, 4)))
@settings(max_examples=100)
def test_a_record_changes_the_distance_of_others_by_less_than_three_shares_and_a_root(pair):
    records = size(pair[0])
    one, other = map(to_independence, pair)
    assert abs(one - other) * records**2 <= bound(records) <= 3 * records - 1 - 2 * math.sqrt(records)


@pytest.mark.parametrize("records", range(2, 60))
def test_the_largest_change_of_the_distance_is_attained(records):
    one, other = attaining(records)
    assert size(one) == size(other) == records
    assert sum(map(abs, np.subtract(one, other).flat)) == 2
    assert (to_independence(other) - to_independence(one)) * records**2 == bound(records)
    corner = ((records - 1, 0), (0, 1))
    assert to_independence(corner) == Fraction(2 * (records - 1), records**2)


@given(adjacent(2, 2))
@settings(max_examples=100)
def test_a_record_changes_the_distance_to_the_largest_by_one_share(pair):
    assert abs(to_largest(pair[0]) - to_largest(pair[1])) <= Fraction(1, size(pair[0]))


def nearest_by_linear_programs(table):
    """Half of the least distance to a distribution of the largest information, by a program for each assignment."""
    from scipy.optimize import linprog

    cells = np.array(table) / np.sum(table)
    values, columns = cells.shape
    found = []
    for owner in product(range(values), repeat=columns):
        if len(set(owner)) < values:
            continue
        there = cells[owner, range(columns)]
        eye = np.eye(columns)
        masses = np.array([[float(one == value) for one in owner] for value in range(values)])
        solved = linprog(
            np.concatenate([np.zeros(columns), np.ones(columns)]),
            A_ub=np.block([[eye, -eye], [-eye, -eye]]),
            b_ub=np.concatenate([there, -there]),
            A_eq=np.hstack([masses, np.zeros((values, columns))]),
            b_eq=np.full(values, 1 / values),
        )
        found.append((solved.fun + cells.sum() - there.sum()) / 2)
    return min(found)


@pytest.mark.parametrize("seed", range(4))
def test_the_score_of_three_values_by_vectors_is_that_of_linear_programs(seed):
    table = tuple(map(tuple, np.random.default_rng(seed).integers(0, 3, (3, 4)).tolist()))
    assert float(by_vectors(table)) == pytest.approx(-nearest_by_linear_programs(table))


@given(st.lists(st.integers(1, 9), min_size=2, max_size=4), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_the_bias_is_within_its_bound(weights, records):
    distribution = [Fraction(one, sum(weights)) for one in weights]
    assert within(distribution, records, Fraction(2, 5))


def mean_squared_error(chance, records):
    """The error for two symbols, over all counts."""
    counts = np.arange(records + 1)
    logs = [
        math.lgamma(records + 1)
        - math.lgamma(k + 1)
        - math.lgamma(records - k + 1)
        + k * math.log(chance)
        + (records - k) * math.log(1 - chance)
        for k in counts
    ]

    def entropy(share):
        return -sum(one * math.log(one) for one in (share, 1 - share) if one > 0)

    return sum(
        math.exp(log) * (entropy(k / records) - entropy(chance)) ** 2 for k, log in zip(counts, logs, strict=True)
    )


@pytest.mark.parametrize("chance", [0.5, 0.3, 0.2])
def test_the_error_has_the_two_orders_in_nats_and_not_with_bits(chance):
    records = 1500
    both = (chance, 1 - chance)
    mean = sum(p * math.log(p) for p in both)
    square = sum(p * math.log(p) ** 2 for p in both)
    found = mean_squared_error(chance, records)
    second = records**2 * (found - (square - mean**2) / records)
    assert second == pytest.approx((2**2 - 1) / 4, rel=0.05)
    # The printed logarithm to base two is far from it.
    assert abs(records * found - (square / math.log(2) ** 2 - mean**2)) > 0.3


@pytest.mark.parametrize(("shape", "records"), [((2, 3), 3), ((3, 3), 3), ((3, 2), 4)])
def test_one_order_of_the_rows_and_columns_stands_for_all(shape, records):
    def turned(table):
        rows = permutations(table)
        return {tuple(zip(*line, strict=True)) for row in rows for line in permutations(zip(*row, strict=True))}

    kept = list(tables_by_margins(shape, records))
    assert len(kept) < len(list(tables(shape, records)))
    assert set().union(*map(turned, kept)) == set(tables(shape, records))
