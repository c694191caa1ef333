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


def fitted(table, structure):
    """The conditional frequencies of a structure, as the probability of a record."""

    def chance(record):
        found = 1.0
        for child, parents in enumerate(structure):
            above = [one for one in table if all(one[p] == record[p] for p in parents)]
            found *= sum(one[child] == record[child] for one in above) / len(above) if above else 0.0
        return found

    return chance


@pytest.mark.parametrize("structure", [((), (0,), (1,)), ((), (0,), (0, 1)), ((), (), ())])
def test_the_log_likelihood_of_fitted_networks_is_that_of_the_informations(structure):
    generator = np.random.default_rng(7)
    table = [tuple(row) for row in generator.integers(0, 2, (30, 3))]
    chance = fitted(table, structure)
    direct = sum(math.log(chance(record)) for record in table)
    stated = sum(
        (information(table, child, list(parents)) if parents else 0.0) - entropy(table, [child])
        for child, parents in enumerate(structure)
    )
    assert direct == pytest.approx(30 * stated)


def test_a_likelier_structure_can_be_farther_from_the_distribution():
    table = [(0, 0), (0, 0), (0, 1), (1, 0), (1, 1)]

    def divergence(structure):
        chance = fitted(table, structure)
        return sum(math.log(0.25 / chance(record)) / 4 for record in product((0, 1), repeat=2))

    def log_likelihood(structure):
        return sum(math.log(fitted(table, structure)(record)) for record in table)

    edge, none = ((), (0,)), ((), ())
    assert log_likelihood(edge) > log_likelihood(none)
    assert divergence(edge) > divergence(none) > 0


def test_a_tree_that_grows_has_the_largest_weight_of_random_trees():
    from scipy.sparse.csgraph import minimum_spanning_tree

    generator = np.random.default_rng(3)
    for _ in range(30):
        weights = generator.random((6, 6))
        # The largest tree is the least one of the weights below a bound.
        best = 5 * 2 - minimum_spanning_tree(np.triu(2 - weights, 1)).sum()
        inside, total = {0}, 0.0
        while len(inside) < 6:
            border = [(weights[min(a, b), max(a, b)], b) for a in inside for b in set(range(6)) - inside]
            value, node = max(border)
            total, inside = total + value, inside | {node}
        assert total == pytest.approx(best)


def test_smoothed_noisy_frequencies_do_not_add_up():
    generator = np.random.default_rng(4)
    counts, records = np.array([30, 5, 0, 0]), 35
    noisy = np.clip(counts + generator.laplace(0, 4, (50_000, 4)), 0, None)
    by_records = ((noisy + 1) / (records + 4)).sum(axis=1)
    assert by_records.std() > 0.05
    assert ((noisy + 1) / (noisy.sum(axis=1, keepdims=True) + 4)).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_count_that_is_set_to_zero_has_the_stated_mean(count):
    generator = np.random.default_rng(6)
    width = 2.0
    found = np.clip(count + generator.laplace(0, width, 400_000), 0, None)
    stated = count + width / 2 * math.exp(-count / width)
    assert found.mean() == pytest.approx(stated, abs=5 * found.std() / math.sqrt(len(found)))


def test_the_uniform_entropy_and_a_network_of_the_stated_entropy():
    from scipy.optimize import brentq

    assert round(math.log2(2**6 * 3), 2) == 7.58

    def bits(p):
        return 6 * -(p * math.log2(p) + (1 - p) * math.log2(1 - p)) + math.log2(3)

    assert 0.14 < brentq(lambda p: bits(p) - 5.12, 0.1, 0.2) < 0.15


def test_the_noisy_entropy_of_seven_attributes_gets_better_from_degree_four_to_five():
    generator = np.random.default_rng(8)
    records, holders, errors = 40_000, 3, []
    for degree in (1, 4, 5):
        size, width = 2 ** (degree + 1), 2 * math.comb(7, degree + 1) / 0.1
        counts = generator.multinomial(records, np.full(size, 1 / size), size=60)
        noise = generator.laplace(0, width, (60, holders, size)).sum(axis=1)
        shares = np.clip(counts + noise, 1e-300, None) / records
        errors.append(np.abs(-(shares * np.log(shares)).sum(axis=1) - math.log(size)).mean())
    assert errors[0] < errors[2] < 0.7 * errors[1]


def test_the_marginal_of_a_network_is_not_that_of_its_noisy_distribution():
    alone, joint = np.array([0.75, 0.25]), np.array([[0.5, 0.1], [0.0, 0.4]])
    network = alone[:, None] * joint / joint.sum(axis=1, keepdims=True)
    assert network.sum() == pytest.approx(1)
    assert not np.allclose(network.sum(axis=0), joint.sum(axis=0))


@pytest.mark.parametrize("mass", [0.5, 1.0, 2.0])
def test_the_information_of_frequencies_with_another_sum_is_shifted(mass):
    cells = np.random.default_rng(9).dirichlet(np.ones(6)).reshape(2, 3)

    def uncertainty(values):
        return -(values * np.log(values)).sum()

    def found(values):
        return uncertainty(values.sum(axis=1)) + uncertainty(values.sum(axis=0)) - uncertainty(values)

    assert found(mass * cells) == pytest.approx(mass * found(cells) - mass * math.log(mass))
