"""Learned networks by numpy and by lists of all tables: likelihoods, candidates and privacy, without the engines."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
import sympy as sp

from pan_estimators.tables.budgets import TreeBudget, shares_of
from pan_promises.notion import converted_epsilon
from pan_proofs.tables.claims import calibrated_tree as tree
from pan_proofs.tables.lemmas.likelihoods import best_candidate, degree_after_the_loop, printed_vote

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


RECORDS = list(product((0, 1), repeat=3))


def information_of(table, one, parents):
    """The empirical mutual information_of in nats."""
    table = np.array(table)
    size = len(table)

    def entropy(columns):
        found = Counter(map(tuple, table[:, list(columns)]))
        return -sum(c / size * math.log(c / size) for c in found.values())

    return entropy([one]) + entropy(parents) - entropy([one, *parents]) if parents else 0.0


def structure_distribution(table, degree, weight):
    """The distribution of the structure of three attributes, of which the first is chosen first."""
    distribution = {((0,), ()): 1.0}
    for _ in range(2):
        after: dict = {}
        for (chosen, pairs), chance in distribution.items():
            options = [
                (one, parents)
                for one in range(3)
                if one not in chosen
                for size in range(min(degree, len(chosen)) + 1)
                for parents in combinations(sorted(chosen), size)
            ]
            weights = [weight(information_of(table, *option)) for option in options]
            for option, one in zip(options, weights, strict=True):
                place = ((*chosen, option[0]), (*pairs, option))
                share = one / sum(weights) if sum(weights) else 1 / len(options)
                after[place] = after.get(place, 0.0) + chance * share
        distribution = after
    return distribution


def largest_loss(records, degree, weight):
    """The largest log ratio of the distributions over all pairs of tables of which the last record differs."""
    found = 0.0
    for common in product(RECORDS, repeat=records - 1):
        distributions = [structure_distribution((*common, last), degree, weight) for last in RECORDS]
        for one, other in product(distributions, distributions):
            for place, chance in one.items():
                if chance > 1e-12:
                    rest = other.get(place, 0.0)
                    found = max(found, math.log(chance / rest) if rest > 1e-12 else math.inf)
    return found


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("budget", [0.5, 2.0])
def test_exponential_weights_keep_the_budget_of_the_structure(degree, budget):
    records = 2
    # The first branch of the sensitivity holds for binary attributes against any parents.
    sensitivity = (records * math.log(records)) / records
    loss = largest_loss(records, degree, lambda score: math.exp(score * budget / (2 * 2 * sensitivity)))
    assert 0.1 * budget < loss <= budget + 1e-9


def test_weights_in_proportion_to_the_score_leak_without_bound():
    assert largest_loss(2, 1, lambda score: max(score, 0.0)) == math.inf


@pytest.mark.parametrize(("records", "degree"), [(1, 1), (2, 1), (3, 1), (2, 2)])
def test_all_counts_change_by_two_for_each_set_of_attributes(records, degree):
    sets = list(combinations(range(3), degree + 1))
    most, most_of_one = 0, 0
    for common in product(RECORDS, repeat=records - 1):
        for old, new in product(RECORDS, repeat=2):
            changes = []
            for chosen in sets:
                one, other = (Counter(tuple(r[c] for c in chosen) for r in (*common, last)) for last in (old, new))
                changes.append(sum(abs(one[v] - other[v]) for v in set(one) | set(other)))
            most, most_of_one = max(most, sum(changes)), max(most_of_one, *changes)
    assert most_of_one == 2
    assert most == 2 * math.comb(3, degree + 1)


@pytest.mark.parametrize(("records", "within"), [(2, True), (9, True), (10, False)])
def test_a_vote_with_the_sensitivity_of_more_records_exceeds_its_share(records, within):
    sensitivity = (records * math.log(records) - (records - 1) * math.log(records - 1)) / records
    one, other = ((0, 0, 0), (1, 1, 0)), ((0, 0, 0), (1, 0, 1))

    def chance(table):
        scores = [information_of(table, *option) for option in ((1, ()), (1, (0,)), (2, ()), (2, (0,)))]
        weights = np.exp(np.array(scores) / (2 * sensitivity))
        return weights[1] / weights.sum()

    assert bool(chance(one) / chance(other) <= math.e) is within


@pytest.mark.parametrize(("unit", "kept"), [(1.0, True), (math.log(2), False)])
def test_a_score_in_bits_with_a_sensitivity_in_nats_loses_more_than_its_share(unit, kept):
    zeros = (0,) * 8
    chances = []
    for second in ((1, 1, 0, 0, 0, 0, 0, 0), (1, 0, 1, 1, 1, 1, 1, 1)):
        scores = [information_of((zeros, second), one, [0]) for one in range(1, 8)] + [0.0] * 7
        weights = [math.exp(score / unit / (2 * math.log(2))) for score in scores]
        chances.append(weights[0] / sum(weights))
    assert (math.log(chances[0] / chances[1]) <= 1) is kept


@pytest.mark.parametrize(("attributes", "chosen", "selection", "singles"), [(2, 1, 0.05, 0.55), (7, 9, 0.2, 0.3)])
def test_the_shipped_budget_is_that_of_the_claim(attributes, chosen, selection, singles):
    shares, sizes = shares_of(selection, singles), tuple(range(2, 2 + attributes))
    pure, concentrated = (make(0.5, sizes, chosen, shares) for make in (TreeBudget.of_epsilon, TreeBudget.of_rho))
    one, two, three = map(float, shares)
    assert pure.choice == pytest.approx(one * 0.5 / chosen)
    assert concentrated.choice**2 == pytest.approx(8 * one * 0.5 / chosen)
    # Laplace noise of scale 2 / (w epsilon), and Gaussian noise of variance 1 / (w rho), for parts w of a share.
    for share, scales in ((two, pure.singles), (three, pure.pairs(range(4, 4 + chosen)))):
        assert sum(2 / (0.5 * scale) for scale in scales) == pytest.approx(share)
    for share, scales in ((two, concentrated.singles), (three, concentrated.pairs(range(4, 4 + chosen)))):
        assert sum(1 / (0.5 * scale**2) for scale in scales) == pytest.approx(share)


def test_the_epsilon_of_the_claim_is_that_of_the_conversion():
    rho, delta = 0.1, 1e-6
    by_claim = tree._EPSILON.subs({tree._rho: rho, tree._delta: delta})
    least = min(float(by_claim.subs(tree.excess, sp.Rational(place, 10))) for place in range(1, 400))
    assert converted_epsilon(rho, delta) == pytest.approx(least, rel=1e-3)
