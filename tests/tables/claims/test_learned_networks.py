"""Learned networks by numpy: numbers, shapes, likelihoods and listings, without the engines of the proofs."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest

from pan_proofs.tables.lemmas.scripts import best_candidate, degree_after_the_loop, printed_vote

PARITY = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]


def entropy(table, columns):
    counted = Counter(tuple(record[one] for one in columns) for record in table)
    return -sum(c / len(table) * math.log(c / len(table)) for c in counted.values())


def information(table, child, parents):
    return entropy(table, [child]) + entropy(table, parents) - entropy(table, [child, *parents])


@pytest.mark.parametrize("size", range(2, 7))
@pytest.mark.parametrize("degree", range(1, 4))
def test_the_number_of_candidates_is_not_that_of_sets(size, degree):
    listed = {
        (child, parents)
        for child in range(size)
        for count in range(degree + 1)
        for parents in combinations(sorted(set(range(size)) - {child}), count)
    }
    most = min(degree + 1, size)
    assert len(listed) == sum(i * math.comb(size, i) for i in range(1, most + 1))
    assert len(listed) == size * sum(math.comb(size - 1, j) for j in range(most))
    assert len(listed) != sum(math.comb(size, i) for i in range(1, most + 1))


def test_the_number_of_parameters_exceeds_every_multiple_of_the_printed_order():
    ratios = [((3 - 1) * d**2 + d) / (3 * d) for d in (10, 100, 1000)]
    assert ratios[2] > 50 * ratios[0] / 1.1


def test_the_acyclic_graphs_are_those_of_the_known_sequence():
    def acyclic(size):
        edges = [edge for edge in product(range(size), repeat=2) if edge[0] != edge[1]]
        orders = list(permutations(range(size)))
        return sum(
            any(all(order.index(a) < order.index(b) for a, b in chosen) for order in orders)
            for count in range(len(edges) + 1)
            for chosen in combinations(edges, count)
        )

    # The numbers of Robinson (1973).
    assert [acyclic(size) for size in (1, 2, 3, 4)] == [1, 3, 25, 543]
    assert all(count <= 2 ** (n * n) for n, count in enumerate([1, 3, 25, 543], 1))


def test_more_parents_never_lower_the_information():
    generator = np.random.default_rng(2)
    for _ in range(200):
        table = [tuple(row) for row in generator.integers(0, 3, (8, 3))]
        assert information(table, 0, [1, 2]) >= information(table, 0, [1]) - 1e-12


def test_the_printed_vote_ignores_the_degree():
    assert len(printed_vote(tuple(PARITY), (0, 1), 1)[1]) == 2
    assert len(best_candidate(tuple(PARITY), (0, 1), 1)[1]) <= 1
    assert information(PARITY, 2, [0, 1]) == pytest.approx(math.log(2))
    assert information(PARITY, 2, [0]) == pytest.approx(0)


@pytest.mark.parametrize("holders", [2, 3, 7])
def test_the_printed_loop_replaces_the_degree(holders):
    assert degree_after_the_loop(1, holders) == holders
